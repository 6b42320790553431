package client

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestBackoffGrowsAndIsSpreadOut(t *testing.T) {
	t.Parallel()
	const second, samples = time.Second, 2000
	type bounds struct{ low, high time.Duration }
	longest := bounds{5 * second, 10 * second}
	tests := map[string]struct {
		retry  Retry
		delays []bounds // of the first, the second, …
	}{
		"default": {Retry{4, second / 2, 10 * second}, []bounds{
			{second / 2, second}, {second, 2 * second}, {2 * second, 4 * second}, {4 * second, 8 * second}, longest, longest,
		}},
		"one delay":     {Retry{4, second, second}, []bounds{{second, second}, {second, second}, {second, second}}},
		"little room":   {Retry{4, 9 * second, 10 * second}, []bounds{{9 * second, 10 * second}, {9 * second, 10 * second}}},
		"nanoseconds":   {Retry{4, 1, 2}, []bounds{{1, 2}, {1, 2}, {1, 2}}},
		"very long":     {Retry{4, math.MaxInt64, math.MaxInt64}, slices.Repeat([]bounds{{math.MaxInt64, math.MaxInt64}}, 2)},
		"far apart":     {Retry{4, 1000, math.MaxInt64}, []bounds{{1000, 2000}, {2000, 4000}, {4000, 8000}, {8000, 16000}}},
		"many attempts": {Retry{1 << 40, second, 2 * second}, slices.Repeat([]bounds{{second, 2 * second}}, 4)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := make([]bounds, len(test.delays))
			for range samples {
				backoff := backoff{retry: test.retry}
				for n, want := range test.delays {
					delay, _ := backoff.next(0)
					if delay < want.low || delay > want.high {
						t.Fatalf("delay %d is %s, want %s to %s", n+1, delay, want.low, want.high)
					}
					if seen[n].low == 0 {
						seen[n] = bounds{delay, delay}
					}
					seen[n] = bounds{min(seen[n].low, delay), max(seen[n].high, delay)}
				}
			}
			for n, want := range test.delays {
				// With jitter, some of so many samples come near either end.
				room := want.high - want.low
				if seen[n].low > want.low+room/4 || seen[n].high < want.high-room/4 {
					t.Errorf("delay %d is always from %s to %s; it should spread from %s to %s", n+1, seen[n].low, seen[n].high, want.low, want.high)
				}
			}
		})
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := parseRetryAfter(test.value, now); got != test.want {
				t.Errorf("%q: got %s, want %s", test.value, got, test.want)
			}
		})
	}
}
