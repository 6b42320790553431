package client

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestBackoffGrowsAndIsSpreadOut(t *testing.T) {
	t.Parallel()
	const s, forever = time.Second, time.Duration(math.MaxInt64)
	tests := map[string]struct {
		retry Retry
		most  []time.Duration // of the first delay, the second, …; they are at least half of it, and MinDelay
	}{
		"default":       {Retry{4, s / 2, 10 * s}, []time.Duration{s, 2 * s, 4 * s, 8 * s, 10 * s, 10 * s}},
		"one delay":     {Retry{4, s, s}, []time.Duration{s, s, s}},
		"little room":   {Retry{4, 9 * s, 10 * s}, []time.Duration{10 * s, 10 * s}},
		"nanoseconds":   {Retry{4, 1, 2}, []time.Duration{2, 2, 2}},
		"very long":     {Retry{4, forever, forever}, []time.Duration{forever, forever}},
		"far apart":     {Retry{4, 1000, forever}, []time.Duration{2000, 4000, 8000, 16000}},
		"many attempts": {Retry{1 << 40, s, 2 * s}, []time.Duration{2 * s, 2 * s, 2 * s, 2 * s}},
	}
	for name, test := range tests {
		delays := make([][]time.Duration, len(test.most))
		for range 2000 {
			backoff := backoff{retry: test.retry}
			for n := range test.most {
				delay, _ := backoff.next(0)
				delays[n] = append(delays[n], delay)
			}
			if delay, _ := backoff.next(1); delay < test.most[len(test.most)-1]/2 {
				t.Fatalf("%s: the delay with a short Retry-After is %s, shorter than without", name, delay)
			}
		}
		for n, most := range test.most {
			least := max(test.retry.MinDelay, most/2)
			near := (most - least) / 4 // of so many delays, some are near either end
			shortest, longest := slices.Min(delays[n]), slices.Max(delays[n])
			if shortest < least || shortest > least+near || longest > most || longest < most-near {
				t.Errorf("%s: delay %d is from %s to %s, want it spread from %s to %s", name, n+1, shortest, longest, least, most)
			}
		}
	}
}

func TestRetryAfterIsReadInEveryForm(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	const most = math.MaxInt32 * time.Second
	tests := map[string]struct {
		value string
		want  time.Duration
	}{
		"none":            {"", 0},
		"seconds":         {"120", 2 * time.Minute},
		"zero":            {"0", 0},
		"a hundred years": {"3153600000", most},
		"more than int64": {"99999999999999999999999999", most},
		"negative":        {"-5", 0},
		"far negative":    {"-99999999999999999999999999", 0},
		"fraction":        {"1.5", 0},
		"other digits":    {"٥", 0},
		"words":           {"soon", 0},
		"RFC 1123 date":   {"Sun, 01 Mar 2026 12:00:30 GMT", 30 * time.Second},
		"RFC 850 date":    {"Sunday, 01-Mar-26 12:01:00 GMT", time.Minute},
		"asctime date":    {"Sun Mar  1 13:00:00 2026", time.Hour},
		"date now":        {"Sun, 01 Mar 2026 12:00:00 GMT", 0},
		"date past":       {"Sat, 28 Feb 2026 12:00:00 GMT", 0},
		"date long past":  {"Mon, 01 Jan 0001 00:00:00 GMT", 0},
		"date far":        {"Fri, 31 Dec 9999 23:59:59 GMT", math.MaxInt64},
		"date of no day":  {"Sun, 31 Feb 2026 12:00:00 GMT", 0},
		"ISO date":        {"2026-03-01T12:00:30Z", 0},
	}
	for name, test := range tests {
		if got := parseRetryAfter(test.value, now); got != test.want {
			t.Errorf("%s: %q: got %s, want %s", name, test.value, got, test.want)
		}
	}
}
