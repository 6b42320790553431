package client_test

import (
	"context"
	"fmt"
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

func TestInstanceHasToStayAsExpected(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stableFor time.Duration
		before    []string // the answers before it is ready for good
	}{
		"for no time":                  {0, nil},
		"two answers at least":         {1, nil},
		"some time":                    {3 * time.Second, nil},
		"a failure starts again":       {time.Second, []string{"ready", "ready", "503"}},
		"another value starts again":   {time.Second, []string{"ready", "ready", "old"}},
		"what came before is no start": {time.Second, []string{"old", "503"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := serve(t, steady(500*time.Millisecond), script(append(test.before, "ready")...))
				if err := fake.wait(t, time.Hour, stableFor(test.stableFor)); err != nil {
					t.Fatalf("%v", err)
				}
				streak := fake.requests[len(test.before):]
				late := slices.IndexFunc(streak, func(request time.Duration) bool { return request >= streak[0]+test.stableFor })
				if late < 0 {
					t.Fatalf("requests of the streak: got %v, want it to last %s", streak, test.stableFor)
				}
				check(t, "number of requests, up to the first that is late enough", len(streak), late+1)
				check(t, "end", fake.elapsed(), streak[late])
			})
		})
	}
}

// A failure after a streak is the first of its kind: the delays begin again.
func TestDelaysBeginAgainAfterAStreak(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := newConfig()
		config.Retry.MinDelay, config.Retry.MaxDelay = time.Second, time.Hour
		fake := serve(t, config, script("503", "503", "503", "503", "ready", "503", "ready"))
		check(t, "error", fake.wait(t, time.Hour, stableFor(1)), nil)
		if delay := fake.requests[6] - fake.requests[5]; delay > 2*time.Second {
			t.Errorf("the delay after a streak is %s, want 1 to 2 s", delay)
		}
	})
}

// Random intervals are not in step with a balancer, or with a server that crashes regularly. A long streak has longer ones, and so has one
// after an answer 429.
func TestIntervalsOfAStreak(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before          []string
		stableFor, mean time.Duration
	}{
		"short":       {nil, 20 * time.Second, 200 * time.Millisecond},
		"a minute":    {nil, time.Minute, 400 * time.Millisecond},
		"long":        {nil, 5 * time.Minute, time.Second},
		"busy":        {[]string{"429", "503"}, 5 * time.Minute, 1500 * time.Millisecond},
		"busy, short": {[]string{"429"}, 2 * time.Minute, 1500 * time.Millisecond},
		"busy once":   {[]string{"ready", "429"}, time.Minute, 1500 * time.Millisecond},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := serve(t, steady(500*time.Millisecond), script(append(test.before, "ready")...))
				if err := fake.wait(t, time.Hour, stableFor(test.stableFor)); err != nil {
					t.Fatalf("%v", err)
				}
				var intervals []time.Duration
				streak := fake.requests[len(test.before):]
				for i, request := range streak[1:] {
					intervals = append(intervals, request-streak[i])
				}
				least, most, near := slices.Min(intervals), slices.Max(intervals), test.mean/5
				if least < test.mean/2 || least > test.mean/2+near || most > test.mean*3/2 || most < test.mean*3/2-near {
					t.Errorf("%d intervals: got them from %s to %s, want half of %s to one and a half times that", len(intervals), least, most, test.mean)
				}
			})
		})
	}
}

// How long the first answer took proves nothing, and a later one that is slow counts for three seconds.
func TestDurationOfAnswersDoesNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := serve(t, steady(500*time.Millisecond), func(n int, r *http.Request) *http.Response {
			if n <= 2 {
				time.Sleep(5 * time.Second)
			}
			return script("ready")(n, r)
		})
		if err := fake.wait(t, time.Hour, stableFor(4*time.Second)); err != nil {
			t.Fatal(err)
		}
		// The third begins more than 5 s after the answer to the first, of which 3 s count, because nobody has looked meanwhile.
		if last := fake.requests[len(fake.requests)-1]; len(fake.requests) < 5 || last < 11*time.Second || last > 12*time.Second {
			t.Errorf("requests at %v, want the last 800 ms after the third", fake.requests)
		}
	})
}

// A wait that ends says what it met last: a failure, or answers that were as expected, but not for long enough. An attempt that the end of
// the time has cut off counts if it had lasted for more than three seconds, or was the first, and one that was canceled never does. The
// last streak stays known, and so does what differed in the last answer.
func TestWaitErrorTellsOfTheEnd(t *testing.T) {
	t.Parallel()
	const busy, bad, silent, unstable = "status 503 Service Unavailable", "status 502 Bad Gateway", "no response in time", "not stable"
	const copied = "answered by a cache"
	type ending struct{ class, before string } // the classes of the failure, and of the last failure before a streak
	tests := map[string]struct {
		answers         []string
		outOfTime       ending
		canceled        ending
		answersOfStreak int
		hasDifferences  bool
	}{
		"always down":               {[]string{"503"}, ending{busy, ""}, ending{busy, ""}, 0, false},
		"always silent":             {[]string{"silent"}, ending{silent, ""}, ending{"", ""}, 0, false},
		"silent from some time on":  {[]string{"503", "silent"}, ending{silent, ""}, ending{busy, ""}, 0, false},
		"down after a streak":       {[]string{"ready", "ready", "503", "502"}, ending{bad, ""}, ending{bad, ""}, 2, false},
		"silent after a streak":     {[]string{"ready", "503", "silent"}, ending{silent, ""}, ending{busy, ""}, 1, false},
		"down after two streaks":    {[]string{"ready", "ready", "503", "ready", "502"}, ending{bad, ""}, ending{bad, ""}, 1, false},
		"silent in a streak":        {[]string{"ready", "ready", "silent"}, ending{silent, ""}, ending{unstable, ""}, 2, false},
		"silent in a second streak": {[]string{"ready", "503", "502", "ready", "silent"}, ending{silent, ""}, ending{unstable, bad}, 1, false},
		"never as expected":         {[]string{"503", "old"}, ending{"not as expected", ""}, ending{"not as expected", ""}, 0, true},
		"old, then down":            {[]string{"old", "503"}, ending{busy, ""}, ending{busy, ""}, 0, true},
		"old, a streak, then down":  {[]string{"old", "ready", "503"}, ending{busy, ""}, ending{busy, ""}, 1, false},
		"old, then a copy":          {[]string{"old", "copy"}, ending{copied, ""}, ending{copied, ""}, 0, false},
		"a copy ends a streak":      {[]string{"ready", "ready", "copy", "ready", "silent"}, ending{silent, ""}, ending{unstable, copied}, 1, false},
	}
	for name, test := range tests {
		for kind, want := range map[client.Ending]ending{client.OutOfTime: test.outOfTime, client.Canceled: test.canceled} {
			t.Run(fmt.Sprintf("%s, canceled: %t", name, kind == client.Canceled), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					fake := serve(t, steady(500*time.Millisecond), script(test.answers...))
					ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
					defer cancel()
					if kind == client.Canceled {
						ctx, cancel = context.WithCancel(t.Context())
						time.AfterFunc(8900*time.Millisecond, cancel)
					}
					_, err := fake.client.Wait(ctx, fake.request, stableFor(8*time.Second))
					got := waitErrorOf(t, err)
					check(t, "Ending", got.Ending, kind)
					check(t, "Attempts", got.Attempts, len(fake.requests))
					check(t, "classes", ending{classOf(got.Failure), classOf(got.Before)}, want)
					answers := 0
					if got.Streak != nil {
						answers = got.Streak.Answers
					}
					check(t, "number of answers of the last streak", answers, test.answersOfStreak)
					check(t, "whether there are Differences", len(got.Differences) > 0, test.hasDifferences)
					if test.hasDifferences && got.Failure.Kind == client.NotAsExpected {
						check(t, "Faults", strings.Join(got.Failure.Faults, "; "), "chunk_size is 10000000, expected 20000000; api_version is 1.3.2, expected 2.1.5")
					}
					checkText(t, got.Error())
				})
			})
		}
	}
}

func classOf(failure *client.Failure) string {
	if failure == nil {
		return ""
	}
	return failure.Class()
}

// An attempt that begins just before the end of a wait says nothing, whenever that is: what was met before stays the last failure.
func TestAttemptThatTheEndCutsOffSaysNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := steady(time.Second)
		fake := serve(t, config, script("503", "silent"))
		for i := range 1500 { // from 0.5 s, which leaves time for the first attempt alone, to 3.5 s
			err := fake.wait(t, 500*time.Millisecond+time.Duration(i)*2*time.Millisecond, anything())
			check(t, "class", classOf(waitErrorOf(t, err).Failure), "status 503 Service Unavailable")
		}
		fake.answer = script("ready", "silent")
		for i := range 1500 {
			err := fake.wait(t, 50*time.Millisecond+time.Duration(i)*2*time.Millisecond, stableFor(5*time.Second))
			check(t, "class in a streak", classOf(waitErrorOf(t, err).Failure), "not stable")
		}
	})
}

// How long a streak has held, what the numbers of it are, and whether its last answer, which alone counts for that, came from a cache. The
// requests come at most 300 ms apart, so there are more than 25.
func TestStreakOfAWaitError(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		failures    int // before the streak
		first, last int // the first and the last request that a cache answers
		lost        time.Duration
	}{
		"no cache":               {1, 0, 0, 0},
		"no failure":             {0, 0, 0, 0},
		"a cache answered once":  {1, 20, 22, 0},
		"a cache answers at end": {1, 20, 99, 3 * time.Second}, // its age, and the second by which that may be too small
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := serve(t, steady(500*time.Millisecond), func(n int, r *http.Request) *http.Response {
					switch {
					case n <= test.failures:
						return script("503")(n, r)
					case n >= test.first && n <= test.last:
						return response(200, instancetest.Newer().JSON(), "Age", "2")
					default:
						return script("ready")(n, r)
					}
				})
				got := waitErrorOf(t, fake.wait(t, 9*time.Second, stableFor(10*time.Second)))
				streak := fake.requests[test.failures:]
				held := streak[len(streak)-1] - streak[0] - test.lost
				check(t, "Held", got.Streak.Held, held)
				check(t, "Answers", got.Streak.Answers, len(streak))
				failure := got.Failure
				check(t, "FromCache", failure.Asked.FromCache, test.lost > 0)
				check(t, "whether there is a failure before", got.Before != nil, test.failures > 0)
			})
		})
	}
}

// What is not as expected may come from one of several servers.
func TestFailureOfAWaitNamesTheAddress(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	url := strings.Replace(server.URL(), "127.0.0.1", "localhost", 1)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := newClient(t, newConfig()).Wait(ctx, newRequest(t, url), client.Condition{Differences: func(*instance.Details) []client.Difference {
		cancel()
		return []client.Difference{{Name: "api_version", Reported: "1"}}
	}})
	got := waitErrorOf(t, err)
	check(t, "Peer", got.Failure.Asked.Peer, server.Address())
	check(t, "Reported", got.Differences[0].Reported, "1")
}

// While a process is stopped or a machine suspended, nobody looks at the instance.
func TestGapStartsAStreakAgain(t *testing.T) {
	t.Parallel()
	for gap, first := range map[time.Duration]int{2 * time.Second: 0, 4 * time.Second: 1} { // the first request of the streak
		t.Run(gap.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				config := steady(500 * time.Millisecond)
				pauses := 0
				config.Log = func(_ context.Context, message string, _ ...map[string]any) {
					if pauses++; strings.Contains(message, "has to stay so") && pauses < 4 {
						time.Sleep(gap) // after the first answer
					}
				}
				fake := serve(t, config, script("ready"))
				least := gap - time.Second/2
				check(t, "error", fake.wait(t, time.Hour, stableFor(least)), nil)
				if lasted := fake.elapsed() - fake.requests[first]; lasted < least || lasted > gap+time.Second/2 {
					t.Errorf("after a gap of %s, the streak lasted %s, want %s: requests at %v", gap, lasted, least, fake.requests)
				}
			})
		})
	}
}

// The copies that a cache keeps of one answer say nothing about how the server goes on.
func TestCopiesInACacheAreNoStreak(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]time.Duration{"short": 200 * time.Millisecond, "long": 3 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := serve(t, steady(500*time.Millisecond), nil)
				fake.answer = func(int, *http.Request) *http.Response {
					if fake.elapsed() < 1500*time.Millisecond {
						return response(503, "")
					}
					age := strconv.Itoa(int((fake.elapsed() - 1500*time.Millisecond) / time.Second)) // of the first answer
					return response(200, instancetest.Newer().JSON(), "Age", age)
				}
				err := fake.wait(t, 20*time.Second, stableFor(d))
				check(t, "end", fake.elapsed(), 20*time.Second)
				check(t, "whether it was as expected in the end", waitErrorOf(t, err).Failure.Kind, client.NotStable)
				err = fake.wait(t, 20*time.Second, stableFor(0)) // one answer is enough
				checkContains(t, "outcome", fake.outcome(err), "at 1.5s ready")
			})
		})
	}
}

// A cache may also ask the server each time. As Age counts whole seconds, that takes a second to see.
func TestStreakBehindACacheThatAsksAgain(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		age              string
		stableFor, after time.Duration // the streak ends then, at the earliest
	}{
		"no cache":                  {"", 200 * time.Millisecond, 200 * time.Millisecond},
		"cache":                     {"0", 3 * time.Second, 4 * time.Second},
		"cache, for a short time":   {"0", 200 * time.Millisecond, 1200 * time.Millisecond},
		"cache, for no time at all": {"0", 0, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := serve(t, steady(2*time.Second), func(n int, _ *http.Request) *http.Response {
					if n == 1 {
						return response(503, "")
					}
					return response(200, instancetest.Newer().JSON(), "Age", test.age)
				})
				err := fake.wait(t, 20*time.Second, stableFor(test.stableFor))
				if streak := fake.elapsed() - 2*time.Second; err != nil || streak < test.after || streak > test.after+300*time.Millisecond {
					t.Errorf("the streak ended after %s with error %v, want success after %s", streak, err, test.after)
				}
			})
		})
	}
}

// The age of a copy counts from when it was asked for: a body that comes slowly does not make the copy new.
func TestCopyWithASlowBodyIsOlderThanTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := serve(t, steady(500*time.Millisecond), func(int, *http.Request) *http.Response {
			answer := response(200, instancetest.Newer().JSON(), "Age", "3")
			answer.Body = slowBody{answer.Body}
			return answer
		})
		err := fake.wait(t, 8*time.Second, anything())
		check(t, "Kind", checkReadError(t, err, fake.request).Failure.Kind, client.Cached)
		check(t, "Age", checkReadError(t, err, fake.request).Failure.Asked.Age, 3*time.Second)
	})
}

// A cache may have kept the answer of a server that is gone. Age counts whole seconds (RFC 9111, section 5.1).
func TestWaitTakesNoAnswerThatIsOlder(t *testing.T) {
	t.Parallel()
	const tooOld = "out of time: answered by a cache"
	tests := map[string]struct {
		ages []string // of the answers each half second, and then the last; "" for no Age
		want string   // how the wait ends
	}{
		"no cache":                    {[]string{""}, "at 0s ready"},
		"older than the wait":         {[]string{"60"}, tooOld},
		"as old as the wait":          {[]string{"0", "0", "1", "1", "2", "2", "3", "3", "4", "4", "5"}, tooOld},
		"the cache asks again":        {[]string{"60", "61", "0"}, "at 1s ready"},
		"asked again after the start": {[]string{"60", "61", "62", "1"}, "at 2s ready"},
		"the largest of a list":       {[]string{"0, 67"}, tooOld},
		"the largest comes first":     {[]string{"67,0"}, tooOld},
		"the largest of two headers":  {[]string{"0|67"}, tooOld},
		"the largest header is first": {[]string{"67|0"}, tooOld},
		"beside what is none":         {[]string{"old, -1 | 67"}, tooOld},
		"all of several are new":      {[]string{"60", "60", "60", "60", "0, 1"}, "at 2s ready"},
		"more than an integer":        {[]string{"99999999999999999999"}, tooOld},
		"no number":                   {[]string{"old"}, "at 0s ready"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := serve(t, steady(500*time.Millisecond), func(n int, _ *http.Request) *http.Response {
					var headers []string
					for age := range strings.SplitSeq(test.ages[min(n, len(test.ages))-1], "|") {
						headers = append(headers, "Age", age)
					}
					return response(200, instancetest.Newer().JSON(), headers...)
				})
				mustRead(t, fake.client, fake.request) // which takes any answer
				err := fake.wait(t, 5*time.Second, anything())
				checkContains(t, "outcome", fake.outcome(err), test.want)
				if err != nil {
					check(t, "FromCache", checkReadError(t, err, fake.request).Failure.Asked.FromCache, true)
				}
			})
		})
	}
}
