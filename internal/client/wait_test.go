package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
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
		fake := serve(t, steady(500*time.Millisecond), func(n int, r *http.Request) (*http.Response, error) {
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

// A wait that ends says what it met last: a failure, or answers that were as expected, but not for long enough. An attempt that was
// interrupted says less than the one before it. What differed in the last answer stays known when later attempts fail in another way.
func TestEndOfAWait(t *testing.T) {
	t.Parallel()
	const busy = "status 503 Service Unavailable"
	tests := map[string]struct {
		answers  []string
		want     string // the class of the failure, or "" if the last answers were as expected
		canceled string // the same, if the wait is canceled
	}{
		"always down":                {[]string{"503"}, busy, busy},
		"always silent":              {[]string{"silent"}, "no response in time", ""},
		"silent from some time on":   {[]string{"503", "silent"}, busy, busy},
		"down after a streak":        {[]string{"503", "ready", "ready", "503"}, busy, busy},
		"silent after a streak":      {[]string{"ready", "ready", "503", "silent"}, busy, busy},
		"old, down after a streak":   {[]string{"old", "ready", "ready", "503"}, busy, busy},
		"never as expected":          {[]string{"503", "old"}, "not as expected", "not as expected"},
		"as expected from the start": {[]string{"ready"}, "", ""},
		"silent in a streak":         {[]string{"ready", "ready", "silent"}, "", ""},
	}
	for name, test := range tests {
		for ending, want := range map[client.Ending]string{client.OutOfTime: test.want, client.Canceled: test.canceled} {
			t.Run(fmt.Sprintf("%s, canceled: %t", name, ending == client.Canceled), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					fake := serve(t, steady(500*time.Millisecond), script(test.answers...))
					ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
					defer cancel()
					if ending == client.Canceled {
						ctx, cancel = context.WithCancel(t.Context())
						time.AfterFunc(8900*time.Millisecond, cancel)
					}
					_, err := fake.client.Wait(ctx, fake.request, stableFor(10*time.Second))
					got, ok := errors.AsType[*client.WaitError](err)
					if !ok {
						t.Fatalf("error %v, want a WaitError", err)
					}
					check(t, "Ending", got.Read.Ending, ending)
					class := ""
					if got.Streak == nil && got.Read.Failure != nil {
						class = got.Read.Failure.Class()
					}
					check(t, "class", class, want)
					if class == "not as expected" {
						check(t, "Reason", got.Read.Failure.Reason, "chunk_size is 10000000, expected 20000000; api_version is 1.3.2, expected 2.1.5")
					}
					check(t, "whether it was ever as expected", got.Streak != nil || got.BrokenStreak != nil, slices.Contains(test.answers, "ready"))
					lastAnswer := strings.TrimSpace(strings.NewReplacer("503", "", "silent", "").Replace(strings.Join(test.answers, " ")))
					check(t, "whether there are Differences", len(got.Differences) > 0, strings.HasSuffix(lastAnswer, "old"))
					checkText(t, got.Error())
				})
			})
		}
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
	got, _ := errors.AsType[*client.WaitError](err)
	check(t, "RequestSummary", got.Read.Failure.RequestSummary, "GET "+url+"/instance ("+server.Address()+")")
	check(t, "Reported", got.Differences[0].Reported, "1")
}

// An attempt that is under way when a streak runs out of time is evidence, too, and so is what came before the streak.
func TestWaitErrorTellsOfTheStreak(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answers              []string
		inStreak, unanswered bool
		answersBefore        int // of the broken streak
		lastFailure          string
	}{
		"silent in a streak":            {[]string{"ready", "ready", "silent"}, true, true, 0, ""},
		"silent in a second streak":     {[]string{"ready", "503", "502", "ready", "silent"}, true, true, 1, "status 502 Bad Gateway"},
		"one answer, and then failures": {[]string{"ready", "503", "502"}, false, false, 1, "status 502 Bad Gateway"},
		"only failures":                 {[]string{"503", "502"}, false, false, 0, "status 502 Bad Gateway"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := serve(t, steady(500*time.Millisecond), script(test.answers...))
				err := fake.wait(t, 9*time.Second, stableFor(8*time.Second))
				got, ok := errors.AsType[*client.WaitError](err)
				if !ok {
					t.Fatalf("error %v, want a WaitError", err)
				}
				check(t, "whether it ended in a streak", got.Streak != nil, test.inStreak)
				check(t, "Unanswered", got.Unanswered, map[bool]time.Duration{true: 9*time.Second - fake.requests[len(fake.requests)-1]}[test.unanswered])
				before := 0
				if got.BrokenStreak != nil {
					before = got.BrokenStreak.Answers
				}
				check(t, "number of answers of the broken streak", before, test.answersBefore)
				last := ""
				if got.Read.Failure != nil {
					last = got.Read.Failure.Class()
				}
				check(t, "class of the last failure", last, test.lastFailure)
				checkText(t, got.Error())
			})
		})
	}
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
				fake.answer = func(int, *http.Request) (*http.Response, error) {
					if fake.elapsed() < 1500*time.Millisecond {
						return response(503, "")
					}
					age := strconv.Itoa(int((fake.elapsed() - 1500*time.Millisecond) / time.Second)) // of the first answer
					return response(200, instancetest.Newer().JSON(), "Age", age)
				}
				err := fake.wait(t, 20*time.Second, stableFor(d))
				check(t, "end", fake.elapsed(), 20*time.Second)
				check(t, "whether it was as expected in the end", isInStreak(err), true)
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
				fake := serve(t, steady(2*time.Second), func(n int, _ *http.Request) (*http.Response, error) {
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
		fake := serve(t, steady(500*time.Millisecond), func(int, *http.Request) (*http.Response, error) {
			answer, err := response(200, instancetest.Newer().JSON(), "Age", "3")
			answer.Body = slowBody{answer.Body}
			return answer, err
		})
		err := fake.wait(t, 8*time.Second, anything())
		check(t, "Reason", checkReadError(t, err, fake.request).Failure.Reason, "answered by a cache, 3 s old")
	})
}

// slowBody takes six seconds to be read.
type slowBody struct{ io.ReadCloser }

func (b slowBody) Read(buffer []byte) (int, error) {
	time.Sleep(3 * time.Second)
	return b.ReadCloser.Read(buffer)
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
		"the first of several":        {[]string{"60, 0"}, tooOld},
		"the first of several is new": {[]string{"60", "60", "60", "0, 60"}, "at 1.5s ready"},
		"more than an integer":        {[]string{"99999999999999999999"}, tooOld},
		"no number":                   {[]string{"old"}, "at 0s ready"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := serve(t, steady(500*time.Millisecond), func(n int, _ *http.Request) (*http.Response, error) {
					return response(200, instancetest.Newer().JSON(), "Age", test.ages[min(n, len(test.ages))-1])
				})
				mustRead(t, fake.client, fake.request) // which takes any answer
				err := fake.wait(t, 5*time.Second, anything())
				checkContains(t, "outcome", fake.outcome(err), test.want)
				if err != nil {
					checkContains(t, "Reason", checkReadError(t, err, fake.request).Failure.Reason, "answered by a cache, ")
				}
			})
		})
	}
}
