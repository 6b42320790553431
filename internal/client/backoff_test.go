package client

import (
	"math"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestBackoffGrowsAndIsSpreadOut(t *testing.T) {
	t.Parallel()
	const s, forever = time.Second, time.Duration(math.MaxInt64)
	tests := map[string]struct {
		retry Retry
		most  []time.Duration // of the first delay, the second, …; they are at least half of it, and MinDelay
	}{
		"default":     {Retry{4, s / 2, 10 * s}, []time.Duration{s, 2 * s, 4 * s, 8 * s, 10 * s, 10 * s}},
		"one delay":   {Retry{4, s, s}, []time.Duration{s, s, s}},
		"nanoseconds": {Retry{4, 1, 2}, []time.Duration{2, 2, 2}},
		"very long":   {Retry{4, forever, forever}, []time.Duration{forever, forever}},
		"far apart":   {Retry{4, 1000, forever}, []time.Duration{2000, 4000, 8000, 16000}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			delays := make([][]time.Duration, len(test.most))
			for range 2000 {
				backoff := backoff{retry: test.retry}
				for n := range test.most {
					delay, _ := backoff.next(0)
					delays[n] = append(delays[n], delay)
				}
				if delay, _ := backoff.next(1); delay < test.most[len(test.most)-1]/2 {
					t.Fatalf("the delay with a short Retry-After is %s, shorter than without", delay)
				}
			}
			for n, most := range test.most {
				least := max(test.retry.MinDelay, most/2)
				near := (most - least) / 4 // of so many delays, some are near either end
				shortest, longest := slices.Min(delays[n]), slices.Max(delays[n])
				if shortest < least || shortest > least+near || longest > most || longest < most-near {
					t.Errorf("delay %d is from %s to %s, want it spread from %s to %s", n+1, shortest, longest, least, most)
				}
			}
		})
	}
}

func TestRetryAfterIsReadInEveryForm(t *testing.T) {
	t.Parallel()
	const most = math.MaxInt32 * time.Second
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "-5": 0, "-99999999999999999999999999": 0, "1.5": 0, "soon": 0, "2000-01-01T00:00:30Z": 0,
		"120": 2 * time.Minute, "3153600000": most, "99999999999999999999999999": most,
		"Sat, 01 Jan 2000 00:00:30 GMT": 30 * time.Second,
		"Sat Jan  1 01:00:00 2000":      time.Hour, // the form of asctime
		"Fri, 31 Dec 1999 23:59:59 GMT": 0,
		"Fri, 31 Dec 9999 23:59:59 GMT": math.MaxInt64,
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // in fake time, which begins at midnight
				response := &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {value}}}
				if got := retryAfterOf(response); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		})
	}
}
