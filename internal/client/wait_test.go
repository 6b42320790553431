package client_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestInstanceHasToStayAsExpected(t *testing.T) {
	t.Parallel()
	type row struct {
		stableFor time.Duration
		before    []string // the answers before it is ready for good
	}
	inFakeTime(t, map[string]row{
		"for no time":                  {0, nil},
		"two answers at least":         {1, nil},
		"some time":                    {3 * time.Second, nil},
		"a failure starts again":       {time.Second, []string{"ready", "ready", "503"}},
		"another value starts again":   {time.Second, []string{"ready", "ready", "old"}},
		"a cached answer starts again": {time.Second, []string{"ready", "ready", "copy"}},
	}, func(t *testing.T, test row) { //nolint:thelper // it is the test itself
		fake := newFake(t, steady(500*time.Millisecond), script(append(test.before, "ready")...))
		check(t, "failure", fake.wait(limited(t, time.Hour), test.stableFor), nil)
		streak := fake.requests[len(test.before):]
		late := slices.IndexFunc(streak, func(at time.Duration) bool { return at >= streak[0]+test.stableFor })
		check(t, "number of requests, up to the first that is late enough", len(streak), late+1)
	})
}

// Random intervals are not in step with a server that crashes regularly.
func TestIntervalsOfAStreak(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t, steady(time.Second), script("ready"))
		got := checkTexts(t, fake.wait(limited(t, 5*time.Minute), time.Hour))
		check(t, "Lasted", got.Streak.Lasted, fake.requests[len(fake.requests)-1])
		check(t, "Reason", got.Failure.Reason, "it was as expected, but not for long enough")
		var intervals []time.Duration
		for i, at := range fake.requests[1:] {
			intervals = append(intervals, at-fake.requests[i])
		}
		const least, most, near = 250 * time.Millisecond, 750 * time.Millisecond, 25 * time.Millisecond
		shortest, longest := slices.Min(intervals), slices.Max(intervals)
		if shortest < least || shortest > least+near || longest > most || longest < most-near {
			t.Errorf("%d intervals from %s to %s, want %s to %s", len(intervals), shortest, longest, least, most)
		}
	})
}

// A streak lasts from the end of its first answer to the beginning of its last request, however long these take.
func TestDurationOfAnswersDoesNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t, steady(time.Second), func(n int, r *http.Request) *http.Response {
			time.Sleep(4 * time.Second) // longer than the gap that ends a streak
			return script("ready")(n, r)
		})
		check(t, "failure", fake.wait(limited(t, time.Hour), 4200*time.Millisecond), nil)
		check(t, "number of requests", len(fake.requests), 3) // at 0 s, soon after 4 s, and soon after 8 s
	})
}

// A failure after a streak is the first of its kind: the delays begin again.
func TestDelaysBeginAgainAfterAStreak(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := steady(time.Second)
		config.Retry.MaxDelay = time.Hour
		fake := newFake(t, config, script("503", "503", "503", "ready", "503", "ready"))
		check(t, "failure", fake.wait(limited(t, time.Hour), 1), nil)
		check(t, "whether the delay is at most 2 s", fake.requests[5]-fake.requests[4] <= 2*time.Second, true)
	})
}

// While a process is stopped or a machine suspended, nobody looks at the instance.
func TestGapStartsAStreakAgain(t *testing.T) {
	t.Parallel()
	type row struct {
		gap      time.Duration
		requests int
	}
	inFakeTime(t, map[string]row{
		"short": {2200 * time.Millisecond, 2}, "long": {3 * time.Second, 3},
	}, func(t *testing.T, test row) { //nolint:thelper // it is the test itself
		config := steady(time.Second)
		config.Log = func(_ context.Context, message string, _ ...map[string]any) {
			if strings.Contains(message, "is as expected") { // after the first answer, and before an interval
				time.Sleep(test.gap)
				test.gap = 0
			}
		}
		fake := newFake(t, config, script("ready"))
		check(t, "failure", fake.wait(limited(t, time.Hour), 200*time.Millisecond), nil)
		check(t, "number of requests", len(fake.requests), test.requests)
	})
}

// A wait that ends says what it met last: a failure, or answers that were as expected, but not for long enough. An
// attempt that the end of the time has cut off counts if it had lasted for more than three seconds, or was the first.
// One that was canceled never does.
func TestErrorOfAWaitTellsOfTheEnd(t *testing.T) {
	t.Parallel()
	const busy, bad, silent = "status 503 Service Unavailable", "status 502 Bad Gateway", "no response in time"
	const differs, unstable, copied = "not as expected", "not stable", "answered by a cache"
	type row struct {
		answers   []string
		limit     time.Duration
		outOfTime string // the class of the failure
		canceled  string
		before    string // the class of the last failure before a streak that was too short
		hasStreak bool
	}
	inFakeTime(t, map[string]row{
		"always down":              {[]string{"503"}, 9 * time.Second, busy, busy, "", false},
		"silent from some time on": {[]string{"503", "silent"}, 9 * time.Second, silent, busy, "", false},
		"silent in the end":        {[]string{"503", "silent"}, 3 * time.Second, busy, busy, "", false},
		"down after a streak":      {[]string{"ready", "503", "502"}, 9 * time.Second, bad, bad, "", true},
		"silent in a streak":       {[]string{"ready", "silent"}, 9 * time.Second, silent, unstable, "", true},
		"silent at its end":        {[]string{"ready", "silent"}, 3 * time.Second, unstable, unstable, "", true},
		"a second streak":          {[]string{"ready", "502", "ready"}, 9 * time.Second, unstable, unstable, bad, true},
		"never as expected":        {[]string{"503", "old"}, 9 * time.Second, differs, differs, "", false},
		"old before a streak":      {[]string{"old", "ready", "503"}, 9 * time.Second, busy, busy, "", true},
		"old, then a copy":         {[]string{"old", "copy"}, 9 * time.Second, copied, copied, "", false},
	}, func(t *testing.T, test row) { //nolint:thelper // it is the test itself
		fake := newFake(t, steady(400*time.Millisecond), script(test.answers...))
		for ending, want := range map[client.Ending]string{
			client.OutOfTime: test.outOfTime, client.Canceled: test.canceled,
		} {
			ctx := limited(t, test.limit)
			if ending == client.Canceled {
				ctx = canceled(t, test.limit)
			}
			got := checkTexts(t, fake.wait(ctx, 20*time.Second))
			check(t, "Ending", got.Ending, ending)
			check(t, "Attempts", got.Attempts, len(fake.requests))
			check(t, "Class", got.Failure.Class(), want)
			check(t, "whether there was a streak", got.Streak != nil, test.hasStreak)
			if want == unstable && (got.Streak.FailureBefore != nil || test.before != "") {
				check(t, "Class of the failure before", got.Streak.FailureBefore.Class(), test.before)
			}
			if slices.Contains(test.answers, "old") {
				check(t, "whether the last document differs", len(got.Differences) > 0, !test.hasStreak)
			}
			if want == differs {
				check(t, "OneLine", got.Failure.OneLine(), "the document is not as expected: "+
					"chunk_size is 10000000, expected 20000000; api_version is 1.3.2, expected 2.1.5")
			}
		}
	})
}

// A cache may have kept the answer of a server that is gone. Age counts whole seconds (RFC 9111, section 5.1).
func TestWaitTakesNoAnswerOfACache(t *testing.T) {
	t.Parallel()
	type row struct {
		headers []string
		age     time.Duration
	}
	inFakeTime(t, map[string]row{
		"less than a second":          {[]string{"0"}, 0},
		"a second":                    {[]string{"1"}, time.Second},
		"the largest of a list":       {[]string{"0, 67"}, 67 * time.Second},
		"the largest of two headers":  {[]string{"0", "67"}, 67 * time.Second},
		"the largest header is first": {[]string{"67", "old, -1"}, 67 * time.Second},
		"more than an integer":        {[]string{"99999999999999999999"}, (1<<31 - 1) * time.Second},
	}, func(t *testing.T, test row) { //nolint:thelper // it is the test itself
		fake := newFake(t, steady(time.Second), func(int, *http.Request) *http.Response {
			return response(200, instancetest.Newer().JSON(), http.Header{"Age": test.headers})
		})
		check(t, "Age", mustRead(t, fake.client, fake.request).Route.Age, test.age) // a read takes any answer
		err := fake.wait(limited(t, time.Second/2), 0)
		if test.age == 0 {
			check(t, "failure", err, nil)
			return
		}
		failure := checkTexts(t, err).Failure
		check(t, "Reason", failure.Reason, "this answer is a copy that a cache has kept")
		check(t, "Age", failure.Route.Age, test.age)
	})
}
