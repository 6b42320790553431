package client_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// scripted answers one request after the other, and then as the last: "ready" as expected, "old" with other values, or "down" with
// status 503.
func scripted(script ...string) server {
	return func(n int, _ *http.Request) (*http.Response, error) {
		switch script[min(n, len(script))-1] {
		case "ready":
			return answer(200, instancetest.Newer().JSON())
		case "old":
			return answer(200, instancetest.Older().JSON())
		default:
			return answer(503, "")
		}
	}
}

// repeated is a script several times over.
func repeated(times int, script ...string) []string {
	return slices.Repeat(script, times)
}

// stableFor waits for as long until an instance has the chunk size of instancetest.Newer(). The delay after a failure is half a second.
func stableFor(d time.Duration) option {
	return func(s *setup) {
		s.UntilReady, s.StableFor = true, d
		s.Retry = client.Retry{MaxAttempts: 1, MinDelay: 500 * time.Millisecond, MaxDelay: 500 * time.Millisecond}
		s.Differences = func(details *instance.Details) []client.Difference {
			if details.ChunkSizeBytes == 20000000 {
				return nil
			}
			return []client.Difference{{Name: "chunk_size", Reported: "10000000", Expected: "20000000"}}
		}
	}
}

func TestInstanceHasToStayAsExpected(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	tests := map[string]struct {
		stableFor time.Duration
		script    []string
		requests  []time.Duration
	}{
		"one answer is enough":         {0, []string{"ready"}, []time.Duration{0}},
		"about each second":            {3000 * ms, []string{"ready"}, []time.Duration{0, 1000 * ms, 2000 * ms, 3000 * ms}},
		"whole seconds":                {1250 * ms, []string{"ready"}, []time.Duration{0, 1000 * ms, 2000 * ms}},
		"two answers at least":         {1 * ms, []string{"ready"}, []time.Duration{0, 1000 * ms}},
		"a failure starts again":       {1000 * ms, []string{"ready", "down", "ready"}, []time.Duration{0, 1000 * ms, 1500 * ms, 2500 * ms}},
		"another value starts again":   {1000 * ms, []string{"ready", "old", "ready"}, []time.Duration{0, 1000 * ms, 1500 * ms, 2500 * ms}},
		"what came before is no start": {1000 * ms, []string{"old", "down", "ready"}, []time.Duration{0, 500 * ms, 1000 * ms, 2000 * ms}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				line := timed(t, time.Minute, scripted(test.script...), stableFor(test.stableFor))
				if line.failure != nil || !slices.Equal(line.requests, test.requests) || line.end != test.requests[len(test.requests)-1] {
					t.Errorf("%+v, want requests at %v", line, test.requests)
				}
			})
		})
	}
}

// After answers as expected, an instance that fails again is asked again as soon as one that fails for the first time.
func TestDelaysBeginAgainAfterAnAnswerAsExpected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		script := slices.Concat(repeated(6, "down"), []string{"ready", "down", "ready"})
		line := timed(t, 5*time.Minute, scripted(script...), stableFor(time.Second), retry(1, 500*time.Millisecond, 10*time.Second))
		if line.failure != nil || len(line.requests) != 10 || line.requests[8]-line.requests[7] > time.Second {
			t.Errorf("%+v, want at most a second between requests 8 and 9", line)
		}
	})
}

func TestInstanceThatDoesNotStayAsExpected(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		limit        time.Duration
		script       []string
		kind         client.Kind
		streak       client.Streak // the last one
		interruption string        // what ended the streak before it
	}{
		"too little time": {
			7500 * time.Millisecond, []string{"ready"}, client.KindUnstable, client.Streak{Attempts: 8, Lasted: 7 * time.Second}, "",
		},
		"too little time after a start": {
			7500 * time.Millisecond, []string{"down", "down", "ready"}, client.KindUnstable,
			client.Streak{Attempts: 7, Lasted: 6 * time.Second}, "status 503",
		},
		"too little time after an interruption": {
			7500 * time.Millisecond, []string{"ready", "ready", "down", "ready", "old", "ready"}, client.KindUnstable,
			client.Streak{Attempts: 4, Lasted: 3 * time.Second}, "chunk_size is 10000000, expected 20000000",
		},
		"starts and stops, and is down at the end": {
			5600 * time.Millisecond, repeated(10, "ready", "ready", "down", "down"), client.KindStatus,
			client.Streak{Attempts: 2, Lasted: time.Second}, "",
		},
		"one server of two stays as it was": {
			time.Minute, repeated(100, "ready", "old"), client.KindUnstable, client.Streak{Attempts: 1},
			"chunk_size is 10000000, expected 20000000",
		},
		"never as expected": {time.Minute, []string{"old"}, client.KindUnexpected, client.Streak{}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				failure := timed(t, test.limit, scripted(test.script...), stableFor(10*time.Second)).failure
				if failure == nil || failure.Kind != test.kind || failure.LastStreak.Attempts != test.streak.Attempts ||
					failure.LastStreak.Lasted != test.streak.Lasted || failure.Ending == client.NotByTime {
					t.Fatalf("%+v, want kind %d and a last streak of %+v", failure, test.kind, test.streak)
				}
				if (failure.BeforeStreak == nil) != (test.interruption == "") ||
					failure.BeforeStreak != nil && !strings.Contains(failure.BeforeStreak.Error(), test.interruption) {
					t.Errorf("interrupted by %v, want %q", failure.BeforeStreak, test.interruption)
				}
			})
		})
	}
}

func TestWaitForAStableInstanceCanBeCanceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, request := prepare(t, "http://files.example.org", stableFor(time.Minute))
		n := 0
		c.ServeHTTP(roundTrip(func(r *http.Request) (*http.Response, error) {
			n++
			return scripted("ready")(n, r)
		}))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2500*time.Millisecond, cancel)
		_, err := c.Read(ctx, request)
		checkCanceled(t, err)
		if canceled, _ := errors.AsType[*client.CanceledError](err); canceled.Attempts != 3 || canceled.Last != nil {
			t.Errorf("%+v, want three attempts that succeeded", canceled)
		}
	})
}

func TestDurationOfTheLastAnswerDoesNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		line := timed(t, time.Minute, func(n int, _ *http.Request) (*http.Response, error) {
			if n == 2 {
				time.Sleep(5 * time.Second) // of the bubble's clock
			}
			return answer(200, instancetest.Newer().JSON())
		}, stableFor(4*time.Second))
		want := []time.Duration{0, time.Second, 7 * time.Second}
		if line.failure != nil || !slices.Equal(line.requests, want) {
			t.Errorf("%+v, want requests at %v", line, want)
		}
	})
}

func TestAnswerThatComesAsTheTimeRunsOutIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failure := timed(t, 5*time.Second, func(int, *http.Request) (*http.Response, error) {
			time.Sleep(5 * time.Second) // of the bubble's clock
			return answer(200, instancetest.Older().JSON())
		}, stableFor(0)).failure
		if failure == nil || failure.Kind != client.KindUnexpected || len(failure.Differences) != 1 {
			t.Errorf("%+v, want the difference that was reported", failure)
		}
	})
}

// The copies that a cache keeps of one answer say nothing about how the server goes on.
func TestCopiesOfOneAnswerAreNoSignOfStability(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		age  func(second int) int
		kind client.Kind // of the failure, or 0
	}{
		"copies of one answer":           {func(second int) int { return max(0, second-2) }, client.KindCached},
		"a new answer with each request": {func(int) int { return 0 }, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				line := timed(t, 10*time.Second, func(int, *http.Request) (*http.Response, error) {
					age := test.age(int(time.Since(began) / time.Second))
					return answer(200, instancetest.Newer().JSON(), "Age", strconv.Itoa(age))
				}, stableFor(3*time.Second))
				switch {
				case test.kind == 0 && line.failure != nil, test.kind != 0 && (line.failure == nil || line.failure.Kind != test.kind):
					t.Errorf("%+v, want kind %d", line, test.kind)
				}
			})
		})
	}
}

// A cache may have kept the answer of a server that is gone. Age counts whole seconds (RFC 9111, section 5.1).
func TestWaitTakesNoAnswerThatIsOlder(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ages     []string // of one answer after the other, and then the last; "" for no Age
		plain    bool     // no wait
		requests int      // until an answer is taken, or 0 for never
	}{
		"no cache":                    {[]string{""}, false, 1},
		"older than the wait":         {[]string{"60"}, false, 0},
		"as old as the wait":          {[]string{"0", "0", "1", "1", "2", "2", "3", "3", "4", "4", "5"}, false, 0}, // there are two each second
		"the cache asks again":        {[]string{"60", "61", "0"}, false, 3},
		"asked again after the start": {[]string{"60", "61", "62", "1"}, false, 5}, // it is 1.5 s, and then 2 s after the start
		"the first of several":        {[]string{"60, 0"}, false, 0},
		"the first of several is new": {[]string{"60", "60", "60", "0, 60"}, false, 4},
		"more than an integer":        {[]string{"99999999999999999999"}, false, 0},
		"no number":                   {[]string{"old"}, false, 1},
		"no wait":                     {[]string{"60"}, true, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				line := timed(t, 5*time.Second, func(n int, _ *http.Request) (*http.Response, error) {
					return answer(200, instancetest.Newer().JSON(), "Age", test.ages[min(n, len(test.ages))-1])
				}, retry(1, 500*time.Millisecond, 500*time.Millisecond), func(s *setup) { s.UntilReady = !test.plain })
				switch {
				case test.requests > 0:
					if line.failure != nil || len(line.requests) != test.requests {
						t.Errorf("%+v, want success with request %d", line, test.requests)
					}
				case line.failure == nil || line.failure.Kind != client.KindCached || line.failure.CacheAgeSeconds == 0:
					t.Errorf("%+v, want a failure that names a cache", line.failure)
				}
			})
		})
	}
}
