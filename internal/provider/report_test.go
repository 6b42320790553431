package provider

import (
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// The message about a wait that failed says how the instance was, for how long, and how often it was asked. Its argument, its remedy and
// its link are about what is to be done.
func TestWaitReport(t *testing.T) {
	t.Parallel()
	const get = "GET https://h/instance"
	asked := client.Asked{URL: "https://h/instance"}
	cached := client.Asked{URL: asked.URL, FromCache: true, Age: 12 * time.Second}
	down := &client.Failure{Asked: asked, Kind: client.ConnectionBroken, Reason: "EOF"}
	asExpected, fromCache := &client.Failure{Asked: asked, Kind: client.NotStable}, &client.Failure{Asked: cached, Kind: client.NotStable}
	differs := &client.Failure{Asked: asked, Kind: client.NotAsExpected, Reason: "no", Faults: []string{"chunk_size is 2, expected 3"}}
	differences := []client.Difference{
		{Name: "chunk_size", Reported: "2", Expected: "3"}, {Name: "file_max_age", Reported: "4", Expected: "5"},
	}
	long, short := &client.Streak{Answers: 150, Held: 34550 * time.Millisecond}, &client.Streak{Answers: 1, Held: 49 * time.Millisecond}
	const outOfTime = "12 attempts made. The time limit was timeouts.update (2m)."
	tests := map[string]struct {
		failure     *client.Failure
		differences []client.Difference
		streak      *client.Streak
		before      *client.Failure
		argument    string
		want        string
		about       client.Kind // the kind of the remedy and the link
	}{
		"never reached": {failure: down, argument: "base_url", want: get + ": EOF.", about: client.ConnectionBroken},
		"never as expected": {
			failure: differs, differences: differences, argument: "expected.chunk_size", about: client.NotAsExpected,
			want: get + ": no:\n  - chunk_size is 2, expected 3",
		},
		"not as expected, then unreachable": {
			failure: down, differences: differences, argument: "expected.chunk_size", about: client.ConnectionBroken,
			want: get + ": EOF.\n\nThe last document that the instance returned was not what is expected:\n" +
				"  - chunk_size is 2, expected 3\n  - file_max_age is 4, expected 5",
		},
		"as expected, then unreachable": {
			failure: down, streak: short, argument: "base_url", about: client.NotStable,
			want: get + ": EOF.\n\nBefore that, it reported what is expected for 0s (1 answer), and stable_for is 1m.",
		},
		"as expected, then not any more": {
			failure: differs, differences: differences, streak: long, argument: "expected.chunk_size", about: client.NotStable,
			want: get + ": no:\n  - chunk_size is 2, expected 3\n\n" +
				"Before that, it reported what is expected for 34.6s (150 answers), and stable_for is 1m.",
		},
		"as expected, and no attempt failed": {
			failure: asExpected, streak: long, argument: "stable_for", about: client.NotStable,
			want: get + ": it reported what is expected for 34.6s (150 answers), and stable_for is 1m.\n\nNo attempt failed.",
		},
		"as expected at last": {
			failure: asExpected, streak: short, before: down, argument: "stable_for", about: client.NotStable,
			want: get + ": it reported what is expected for 0s (1 answer), and stable_for is 1m.\n\nThe last failure before that: " + get + ": EOF.",
		},
		"as expected, by a cache": {
			failure: fromCache, streak: long, before: down, argument: "stable_for", about: client.Cached,
			want: get + " (from a cache, 12 s old): it reported what is expected for 34.6s (150 answers), and stable_for is 1m; " +
				"the last answer came from a cache, 12 s old.\n\nThe last failure before that: " + get + ": EOF.",
		},
	}
	for name, test := range tests {
		for ending, wantEnding := range map[client.Ending]string{client.OutOfTime: outOfTime, client.Canceled: "Canceled after 12 attempts."} {
			t.Run(name+", "+wantEnding, func(t *testing.T) {
				t.Parallel()
				failed := &client.WaitError{
					ReadError:   &client.ReadError{URL: asked.URL, Attempts: 12, Ending: ending, Failure: test.failure},
					Differences: test.differences, Streak: test.streak, Before: test.before,
				}
				r := new(providerData).waitReport(failed, client.Request{}, timeLimit{"timeouts.update", 2 * time.Minute}, time.Minute)
				wantSummary := failureMessages[test.failure.Kind].summary
				if ending == client.Canceled {
					wantSummary = "Wait canceled"
				}
				want := paragraphs(test.want, wantEnding, failureMessages[test.about].remedy, moreHelp+topicOf(test.about))
				if r.summary != wantSummary || r.argument.String() != test.argument || r.detail() != want {
					t.Errorf("got %q at %s, want %q at %s", r.summary, r.argument, wantSummary, test.argument)
					t.Errorf("got the text\n%s\nwant\n%s", r.detail(), want)
				}
			})
		}
	}
}

// A message names only the time limit that has ended the read, and counts the attempts if there were several.
func TestEnding(t *testing.T) {
	t.Parallel()
	const ofAttempt = "The time limit of each attempt was the provider's request_timeout (3s)."
	const ofRead = "The time limit was timeouts.read (1m)."
	tests := map[string]struct {
		ending   client.Ending
		cutOff   client.CutOff
		attempts int
		want     string
	}{
		"refused":                                {client.GaveUp, client.NotCutOff, 1, ""},
		"refused, twice":                         {client.GaveUp, client.NotCutOff, 2, "2 attempts made."},
		"the attempt took too long":              {client.GaveUp, client.CutOffByRequestTimeout, 1, ofAttempt},
		"both attempts took too long":            {client.GaveUp, client.CutOffByRequestTimeout, 2, "2 attempts made. " + ofAttempt},
		"the read took too long":                 {client.OutOfTime, client.CutOffByContext, 1, ofRead},
		"no time after an attempt was too long":  {client.OutOfTime, client.CutOffByRequestTimeout, 2, "2 attempts made. " + ofRead},
		"no time after an attempt that failed":   {client.OutOfTime, client.NotCutOff, 3, "3 attempts made. " + ofRead},
		"canceled after an attempt was too long": {client.Canceled, client.CutOffByRequestTimeout, 1, "Canceled after 1 attempt."},
		"canceled before the first attempt":      {client.Canceled, client.NotCutOff, 0, "Canceled after 0 attempts."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &providerData{requestTimeout: 3 * time.Second}
			failed := &client.ReadError{Attempts: test.attempts, Ending: test.ending, Failure: &client.Failure{CutOff: test.cutOff}}
			if got := d.attempts(failed, timeLimit{"timeouts.read", time.Minute}); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
