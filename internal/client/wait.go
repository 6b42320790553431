package client

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// Condition is what a wait waits for, besides an instance document.
type Condition struct {
	// Differences returns the values that are not as expected, in texts that are safe to print. The condition holds if there are none.
	Differences func(*instance.Details) []Difference
	StableFor   time.Duration // how long the condition must go on holding; with 0, one answer is enough
}

// Difference is a value that is not as expected.
type Difference struct {
	Name, Reported, Expected string
}

// String says what the difference is, such as "chunk_size is 2, expected 3".
func (d Difference) String() string {
	return fmt.Sprintf("%s is %s, expected %s", d.Name, d.Reported, d.Expected)
}

// WaitError says why a wait failed. It wraps the [*ReadError] that says how the wait ended, and what the last attempt that failed met. In a
// wait, an answer that is not as expected is a failure, too.
type WaitError struct {
	Read         *ReadError
	Streak       *Streak       // the one in which the wait ended, or nil if the last attempt had failed
	BrokenStreak *Streak       // the last one that a failure has ended, or nil
	Unanswered   time.Duration // how long the attempt had lasted that was under way when the time of a streak ran out, or 0
	Differences  []Difference  // those of the last answer that was read
}

func (e *WaitError) Error() string { return e.Read.Error() }
func (e *WaitError) Unwrap() error { return e.Read }

// Streak is a series of answers that were all as expected.
type Streak struct {
	Answers int           // their number
	Held    time.Duration // the time for which they show that the condition held
	Cache   string        // what the last answer came from, such as "a cache, 12 s old", or "" if no cache has said so

	countedTo time.Time // the time up to which Held counts
	lastRead  time.Time // when the last answer was read, by the clock of the system
}

// Wait reads an instance again and again, until the condition has held for long enough or the context ends. Every failure is tried again.
// Each attempt connects to a random address of the host. The error is always a [*WaitError].
func (c *Client) Wait(ctx context.Context, request Request, condition Condition) (*Result, error) {
	w := &wait{session: c.newSession(request, true), condition: condition, began: time.Now()}
	backoff := newBackoff(ctx, c.config.Retry)
	for {
		asked := time.Now()
		answer, failure := w.session.attempt(ctx)
		if failure != nil && failure.isInterrupted {
			return nil, w.failed(ctx, failure, time.Since(asked))
		}
		if failure == nil {
			failure = w.check(answer)
		}
		if failure != nil {
			w.endStreak(ctx, failure)
			if !w.session.pause(ctx, backoff, failure) {
				return nil, w.failed(ctx, nil, 0)
			}
			continue
		}
		w.extendStreak(ctx, answer)
		if w.streak.Held >= condition.StableFor {
			return answer.result, nil
		}
		w.session.log(ctx, "The instance is as expected, and has to stay so", map[string]any{"held": w.streak.Held.String()})
		backoff = newBackoff(ctx, c.config.Retry) // a failure after a streak is the first of its kind
		if !sleep(ctx, w.interval()) {
			return nil, w.failed(ctx, nil, 0)
		}
	}
}

// wait is what a wait keeps from one attempt to the next.
type wait struct {
	session              *session
	condition            Condition
	began                time.Time
	streak, brokenStreak *Streak // as in WaitError
	differences          []Difference
	lastFailure          *Failure
	isRateLimited        bool // the instance has answered with status 429
}

// check returns a failure if an answer was made before the wait began, or is not as expected.
func (w *wait) check(answer *answer) *Failure {
	if answer.generated.Before(w.began) {
		return &Failure{Kind: Cached, RequestSummary: answer.requestSummary, Reason: "answered by " + answer.cache}
	}
	w.differences = w.condition.Differences(answer.result.Details)
	if len(w.differences) == 0 {
		return nil
	}
	var texts []string
	for _, difference := range w.differences {
		texts = append(texts, difference.String())
	}
	return &Failure{Kind: NotAsExpected, RequestSummary: answer.requestSummary, Reason: strings.Join(texts, "; ")}
}

// endStreak ends the streak, if there is one, because of a failure.
func (w *wait) endStreak(ctx context.Context, failure *Failure) {
	if w.streak != nil {
		w.session.log(ctx, "Streak reset", map[string]any{"reason": failure.Reason})
		w.brokenStreak = w.streak
	}
	w.streak, w.lastFailure = nil, failure
	w.isRateLimited = w.isRateLimited || failure.StatusCode == http.StatusTooManyRequests
}

// maxGap is the maximum time from an answer to the next request of a streak. After a longer one, nobody knows how the instance was, because
// this process was stopped or the machine suspended. It is also the most that one answer adds to the time.
const maxGap = 3 * time.Second

// extendStreak adds an answer to the streak, or begins one. An answer counts as of the time at which it was generated. How long the first
// one took proves nothing.
func (w *wait) extendStreak(ctx context.Context, answer *answer) {
	// The monotonic clock stands still while a machine is suspended, so this takes the clock of the system.
	if w.streak != nil && answer.asked.Round(0).Sub(w.streak.lastRead) > maxGap {
		w.session.log(ctx, "Streak reset", map[string]any{"reason": "nobody looked at the instance for more than " + maxGap.String()})
		w.streak = nil
	}
	if w.streak == nil {
		w.streak = &Streak{countedTo: time.Now()}
	}
	s := w.streak
	if answer.generated.After(s.countedTo) {
		s.Held += min(answer.generated.Sub(s.countedTo), maxGap)
		s.countedTo = answer.generated
	}
	s.Answers++
	s.Cache, s.lastRead = answer.cache, time.Now().Round(0)
}

// failed returns the error of a wait that the context ended, during an attempt that had lasted for a time, or between two.
func (w *wait) failed(ctx context.Context, underWay *Failure, lasted time.Duration) *WaitError {
	last, ending := w.lastFailure, endingOf(ctx)
	if w.streak == nil {
		last = cmp.Or(last, underWay)
	}
	failed := &WaitError{w.session.readError(last, ending), w.streak, w.brokenStreak, 0, w.differences}
	if w.streak != nil && ending == OutOfTime {
		failed.Unanswered = lasted
	}
	return failed
}

// interval returns the time from one attempt of a streak to the next. A streak has about 150 of them, with a mean of at least 200 ms and at
// most 1 s, or 1.5 s after a 429. It is random, so that it does not keep in step with a load balancer or a server that crashes regularly.
func (w *wait) interval() time.Duration {
	mean := min(max(w.condition.StableFor/150, 200*time.Millisecond), time.Second)
	if w.isRateLimited {
		mean = 1500 * time.Millisecond // of which even the longest is not near maxGap
	}
	return mean/2 + rand.N(mean) //nolint:gosec // it is no secret
}
