package client_test

import (
	"context"
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
		"less than a second":           {500 * time.Millisecond, nil},
		"some time":                    {3 * time.Second, nil},
		"a failure starts again":       {time.Second, []string{"ready", "ready", "503"}},
		"another value starts again":   {time.Second, []string{"ready", "ready", "old"}},
		"what came before is no start": {time.Second, []string{"old", "503"}},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			fake := serve(t, steady(500*time.Millisecond), script(append(test.before, "ready")...))
			if err := fake.wait(t, time.Hour, stableFor(test.stableFor)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			streak := fake.requests[len(test.before):]
			late := slices.IndexFunc(streak, func(request time.Duration) bool { return request >= streak[0]+test.stableFor })
			if late < 0 {
				t.Fatalf("%s: requests of the streak: got %v, want it to last %s", name, streak, test.stableFor)
			}
			check(t, name+": number of requests, up to the first that is late enough", len(streak), late+1)
			check(t, name+": end", fake.elapsed(), streak[late])
		})
	}
}

// Random intervals are not in step with a balancer, or with a server that crashes regularly. After an answer 429, they are longer.
func TestIntervalsOfAStreak(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before   []string
		shortest time.Duration
	}{
		"ready":    {nil, 100 * time.Millisecond},
		"was down": {[]string{"503"}, 100 * time.Millisecond},
		"busy":     {[]string{"429", "503"}, 1100 * time.Millisecond},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			fake := serve(t, steady(500*time.Millisecond), script(append(test.before, "ready")...))
			if err := fake.wait(t, time.Hour, stableFor(5*time.Minute)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var intervals []time.Duration
			streak := fake.requests[len(test.before):]
			for i, request := range streak[1:] {
				intervals = append(intervals, request-streak[i])
			}
			least, most := slices.Min(intervals)-test.shortest, slices.Max(intervals)-test.shortest
			if least < 0 || least > 20*time.Millisecond || most < 180*time.Millisecond || most > 200*time.Millisecond {
				t.Errorf("%s: %d intervals: got them %s to %s longer than %s, want 0 to 200 ms", name, len(intervals), least, most, test.shortest)
			}
		})
	}
}

// How long the first and the last answer took proves nothing.
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
		check(t, "time of the second request", fake.requests[1], 5*time.Second) // at once: the interval is over
		check(t, "number of requests", len(fake.requests), 3)                   // the third begins more than 5 s after the answer to the first
	})
}

// After answers as expected, an instance that fails again is asked again as soon as one that fails for the first time.
func TestDelaysBeginAgainAfterAnAnswerAsExpected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := steady(500 * time.Millisecond)
		config.Retry.MaxDelay = 10 * time.Second
		fake := serve(t, config, script("503", "503", "503", "503", "503", "503", "ready", "503", "ready"))
		if err := fake.wait(t, time.Hour, stableFor(time.Second)); err != nil {
			t.Fatal(err)
		}
		if before, after := fake.requests[5]-fake.requests[4], fake.requests[8]-fake.requests[7]; before < 5*time.Second || after > time.Second {
			t.Errorf("delays after the fifth failure and after the last: got %s and %s, want 5 s at least and 1 s at most", before, after)
		}
	})
}

// The end of a wait in a streak is no failure, but an earlier failure is told.
func TestTimeRunsOutWhileTheInstanceIsAsExpected(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before      []string // the answers before it is ready for good
		lastFailure string
	}{
		"from the start":      {nil, ""},
		"after a start":       {[]string{"503", "503"}, ": status 503 Service Unavailable"},
		"after interruptions": {[]string{"ready", "503", "ready", "old"}, ": not as expected"},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			fake := serve(t, steady(500*time.Millisecond), script(append(test.before, "ready")...))
			err := fake.wait(t, 7500*time.Millisecond, stableFor(10*time.Second))
			checkContains(t, name+": outcome", fake.outcome(err)+"$", "at 7.5s unstable"+test.lastFailure+"$")
			got := client.AsReadError(err)
			check(t, name+": Error()", got.Error(), "GET "+fakeURL+"/instance: the instance reports what is expected, but not for long enough yet")
			check(t, name+": number of Differences", len(got.Differences), 0)
			streak := fake.requests[len(test.before):]
			check(t, name+": Streak.Attempts", got.Streak.Attempts, len(streak))
			check(t, name+": Streak.Lasted", got.Streak.Lasted, streak[len(streak)-1]-streak[0])
		})
	}
}

// The error has the last streak, which here has all answers "ready", and what differed last, although other failures came after it.
func TestTimeRunsOutWhileTheInstanceIsNotAsExpected(t *testing.T) {
	t.Parallel()
	const busy = "status 503 Service Unavailable"
	tests := map[string]struct {
		answers []string
		class   string
	}{
		"always down":                 {[]string{"503"}, busy},
		"down after a streak":         {[]string{"503", "ready", "ready", "503"}, busy},
		"silent after a streak":       {[]string{"ready", "ready", "503", "silent"}, busy},
		"old, down after a streak":    {[]string{"old", "ready", "ready", "503"}, busy},
		"never as expected":           {[]string{"503", "old"}, "not as expected"},
		"old, and down from there on": {[]string{"old", "503"}, busy},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			fake := serve(t, steady(500*time.Millisecond), script(test.answers...))
			got := checkReadError(t, fake.wait(t, 9*time.Second, stableFor(10*time.Second)), fake.request)
			check(t, name+": OutOfTime()", got.OutOfTime(), true)
			check(t, name+": Class", got.Failure.Class, test.class)
			check(t, name+": Streak.Attempts", got.Streak.Attempts, strings.Count(strings.Join(test.answers, " "), "ready"))
			check(t, name+": whether there are Differences", got.Differences != nil, slices.Contains(test.answers, "old"))
		})
	}
}

func TestAnswerThatComesAsTheTimeRunsOutIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := serve(t, steady(time.Second), func(n int, r *http.Request) (*http.Response, error) {
			time.Sleep(5 * time.Second)
			return script("old")(n, r)
		})
		got := checkReadError(t, fake.wait(t, 5*time.Second, stableFor(0)), fake.request)
		check(t, "Class", got.Failure.Class, "not as expected")
		check(t, "Reason", got.Failure.Reason, "chunk_size is 10000000, expected 20000000; api_version is 1.3.2, expected 2.1.5")
		check(t, "number of Differences", len(got.Differences), 2)
		check(t, "outcome as it is ready", fake.outcome(fake.wait(t, 5*time.Second, client.Condition{})), "asked at [0s 5s], at 10s ready")
	})
}

// What is not as expected may come from the way to the instance.
func TestFailureOfAWaitNamesTheWay(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/instance" {
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		w.Header().Set("Age", "300")
		_, _ = io.WriteString(w, instancetest.Older().JSON())
	})))
	config := newConfig()
	request := newRequest(t, fakeURL)
	config.ConnectTo = map[string]string{request.BaseURL.Origin: server.Address()}
	ctx, cancel := context.WithCancel(t.Context())
	attempts := 0
	_, err := newClient(t, config).Wait(ctx, request, client.Condition{Differences: func(*instance.Details) []client.Difference {
		if attempts++; attempts == 2 {
			cancel()
		}
		return []client.Difference{{Name: "chunk_size"}}
	}})
	got := client.AsReadError(err)
	want := "GET " + fakeURL + "/instance (redirected to " + fakeURL + "/there) (connect_to " + server.Address() + ") (from a cache, 300 seconds old)"
	check(t, "Target()", got.Target(), want)
	check(t, "Answered", got.Failure.Answered, true)
}

// The copies that a cache keeps of one answer say nothing about how the server goes on.
func TestCopiesInACacheAreNoStreak(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]time.Duration{"short": 200 * time.Millisecond, "long": 3 * time.Second} {
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
			checkContains(t, name+": outcome", fake.outcome(err), "response from a cache")
			fake.start, fake.requests = time.Now(), nil
			err = fake.wait(t, 20*time.Second, stableFor(0)) // one answer is enough
			checkContains(t, name+": outcome", fake.outcome(err), "at 1.5s ready")
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
		"cache":                     {"0", 3 * time.Second, 3 * time.Second},
		"cache, for a short time":   {"0", 200 * time.Millisecond, time.Second},
		"cache, for no time at all": {"0", 0, 0},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			fake := serve(t, steady(2*time.Second), func(n int, _ *http.Request) (*http.Response, error) {
				if n == 1 {
					return response(503, "")
				}
				return response(200, instancetest.Newer().JSON(), "Age", test.age)
			})
			err := fake.wait(t, 20*time.Second, stableFor(test.stableFor))
			if streak := fake.elapsed() - 2*time.Second; err != nil || streak < test.after || streak > test.after+300*time.Millisecond {
				t.Errorf("%s: the streak ended after %s with error %v, want success after %s", name, streak, err, test.after)
			}
		})
	}
}

// After a failure, an answer has to be newer than the wait alone.
func TestNewStreakBehindACache(t *testing.T) {
	t.Parallel()
	const failure, newStreak = 51, 52 // the requests that meet them; fifty take 5 s at least
	synctest.Test(t, func(t *testing.T) {
		fake := serve(t, steady(500*time.Millisecond), func(n int, _ *http.Request) (*http.Response, error) {
			switch n {
			case failure:
				return response(503, "")
			case newStreak:
				return response(200, instancetest.Newer().JSON(), "Age", "3")
			default:
				return response(200, instancetest.Newer().JSON())
			}
		})
		check(t, "error", fake.wait(t, time.Hour, stableFor(20*time.Second)), nil)
		streak := fake.requests[newStreak-1:]
		if next := streak[1] - streak[0]; next >= 500*time.Millisecond {
			t.Errorf("from the answer with Age to the next request: got %s, want 300 ms at most, as in a streak", next)
		}
	})
}

// A cache may have kept the answer of a server that is gone. Age counts whole seconds (RFC 9111, section 5.1).
func TestWaitTakesNoAnswerThatIsOlder(t *testing.T) {
	t.Parallel()
	const tooOld = "no time left: response from a cache"
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
		synctest.Test(t, func(t *testing.T) {
			fake := serve(t, steady(500*time.Millisecond), func(n int, _ *http.Request) (*http.Response, error) {
				return response(200, instancetest.Newer().JSON(), "Age", test.ages[min(n, len(test.ages))-1])
			})
			mustRead(t, fake.client, fake.request) // which takes any answer
			fake.start, fake.requests = time.Now(), nil
			err := fake.wait(t, 5*time.Second, client.Condition{})
			checkContains(t, name+": outcome", fake.outcome(err), test.want)
			if err != nil {
				got := checkReadError(t, err, fake.request)
				checkContains(t, name+": Reason", got.Failure.Reason, "a cache answered, with a response of ", " s ago")
				check(t, name+": Target()", got.Target(), "GET "+fakeURL+"/instance")
			}
		})
	}
}

// Also a failure may come from a cache.
func TestFailureTellsWhetherACacheAnswered(t *testing.T) {
	t.Parallel()
	for age, from := range map[string]string{"300": " (from a cache, 300 seconds old)", "0": "", "old": ""} {
		fake := serve(t, newConfig(), func(int, *http.Request) (*http.Response, error) { return response(404, "", "Age", age) })
		check(t, "Target()", readError(t, fake.client, fake.request).Target(), "GET "+fakeURL+"/instance"+from)
	}
}
