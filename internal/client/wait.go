package client

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
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

// WaitError says why a wait failed. Its [*ReadError] says how the wait ended, and what it met last. That may also be an answer that was not
// as expected, of the kind [NotAsExpected], or a streak that was too short when the time ran out, of the kind [NotStable].
type WaitError struct {
	*ReadError

	Differences []Difference // those of the last answer, if it was newer than the wait
	Streak      *Streak      // the last one, or nil if there was none
	Before      *Failure     // with [NotStable], the last failure before that streak, or nil if there was none
}

func (e *WaitError) Unwrap() error { return e.ReadError }

// Streak is a series of answers that were all as expected.
type Streak struct {
	Answers int           // their number
	Held    time.Duration // the time for which they show that the condition held
}

// Wait reads an instance again and again, until the condition has held for long enough or the context ends. Every failure is tried again.
// Each attempt connects to a random address of the host: an old server behind one of them must not stay unseen while a new one answers. The
// error is always a [*WaitError].
func (c *Client) Wait(ctx context.Context, request Request, condition Condition) (*Result, error) {
	w := &wait{session: c.newSession(request, dialRandom), condition: condition, startedAt: time.Now()}
	w.backoff = newBackoff(ctx, c.config.Retry)
	for {
		failure := w.next(ctx)
		if failure == nil && w.streak.Held >= condition.StableFor {
			return w.lastAnswer.result, nil
		}
		if !w.pause(ctx, failure) {
			return nil, w.failed(ctx)
		}
	}
}

// wait is what a wait keeps from one attempt to the next. These are the times of two answers of a streak, of which the second comes from a
// cache. What is marked = is added to Held. The gap that ends a streak is from readAt of the first to askedAt of the second.
//
//	startedAt  |--- first ---|===============|         |--- second ---|
//	        askedAt        readAt        generatedAt  askedAt       now
//	                   countedUntil  ->  countedUntil
//
// An answer counts from when it was generated: when its attempt began or, if a cache has answered, earlier.
type wait struct {
	session      *session
	condition    Condition
	backoff      *backoff
	startedAt    time.Time
	streak       *Streak // the last one; it goes on if isHolding
	isHolding    bool
	countedUntil time.Time    // the time up to which the streak counts
	readAt       time.Time    // when the last answer of the streak was read, by the clock of the system
	lastAnswer   *answer      // of the streak
	differences  []Difference // as in WaitError
	lastFailure  *Failure
	rateLimited  bool // the instance has answered with status 429
}

// next makes an attempt, and notes what came of it. It returns a failure, too, if the instance is not as expected.
func (w *wait) next(ctx context.Context) *Failure {
	begun := time.Now()
	got, failure := w.session.attempt(ctx)
	if failure == nil {
		failure = w.check(got)
	}
	isFirst := w.streak == nil && w.lastFailure == nil
	isLong := time.Since(begun) > maxGap && endingOf(ctx) == OutOfTime
	switch {
	case failure == nil:
		w.noteAnswer(ctx, got)
	case failure.CutOff != CutOffByContext, isFirst, isLong: // an attempt that was cut off soon says nothing about the instance
		w.noteFailure(ctx, failure)
	}
	return failure
}

// check returns a failure if an answer was made before the wait began, or is not as expected.
func (w *wait) check(got *answer) *Failure {
	if got.generatedAt.Before(w.startedAt) {
		w.differences = nil // an earlier answer may have come from another server
		return &Failure{Asked: got.asked, Kind: Cached, Reason: "this answer was made before the wait began"}
	}
	w.differences = w.condition.Differences(got.result.Details)
	if len(w.differences) == 0 {
		return nil
	}
	failure := &Failure{Asked: got.asked, Kind: NotAsExpected, Reason: "the document is not as expected"}
	for _, difference := range w.differences {
		failure.Faults = append(failure.Faults, difference.String())
	}
	return failure
}

// noteFailure notes a failure, which ends the streak if there is one.
func (w *wait) noteFailure(ctx context.Context, failure *Failure) {
	if w.isHolding {
		w.session.log(ctx, "Streak reset", map[string]any{"reason": failure.oneLine()})
	}
	w.isHolding, w.lastFailure = false, failure
	w.rateLimited = w.rateLimited || failure.StatusCode == http.StatusTooManyRequests
}

// maxGap is the maximum time from an answer to the next request of a streak. A longer gap means that this process was stopped, or the machine
// suspended, and nobody knows how the instance was. It is also the most that one answer adds to a streak.
const maxGap = 3 * time.Second

// noteAnswer adds an answer to the streak, or begins one. A streak counts from the end of its first answer: how long that one
// took proves nothing.
func (w *wait) noteAnswer(ctx context.Context, got *answer) {
	// The monotonic clock stands still while a machine is suspended, so this takes the clock of the system.
	if w.isHolding && got.askedAt.Round(0).Sub(w.readAt) > maxGap {
		w.session.log(ctx, "Streak reset", map[string]any{"reason": "nobody looked at the instance for more than " + maxGap.String()})
		w.isHolding = false
	}
	if !w.isHolding {
		w.streak, w.isHolding, w.countedUntil = &Streak{}, true, time.Now()
	}
	if got.generatedAt.After(w.countedUntil) {
		w.streak.Held += min(got.generatedAt.Sub(w.countedUntil), maxGap)
		w.countedUntil = got.generatedAt
	}
	w.streak.Answers++
	w.lastAnswer, w.readAt = got, time.Now().Round(0)
}

// pause waits before the next attempt. It returns false if the context ends or leaves no time for one.
func (w *wait) pause(ctx context.Context, failure *Failure) bool {
	if failure != nil {
		return w.session.pause(ctx, w.backoff, failure)
	}
	w.session.log(ctx, "The instance is as expected, and has to stay so", map[string]any{"held": w.streak.Held.String()})
	w.backoff = newBackoff(ctx, w.session.client.config.Retry) // a failure after a streak is the first of its kind
	return sleep(ctx, w.interval())
}

// interval returns the time from one attempt of a streak to the next. A streak has about 150 of them, with a mean of at least 200 ms and at
// most 1 s, or 1.5 s after a 429. It is random, so that it does not keep in step with a load balancer or a server that crashes regularly.
func (w *wait) interval() time.Duration {
	mean := min(max(w.condition.StableFor/150, 200*time.Millisecond), time.Second)
	if w.rateLimited {
		mean = 1500 * time.Millisecond // of which even the longest is not near maxGap
	}
	return mean/2 + rand.N(mean) //nolint:gosec // it is no secret
}

// failed returns the error of a wait that the context has ended, or will end before another attempt.
func (w *wait) failed(ctx context.Context) *WaitError {
	var before *Failure
	last := w.lastFailure
	if w.isHolding {
		before = last
		last = &Failure{Asked: w.lastAnswer.asked, Kind: NotStable, Reason: "it was as expected, but not for long enough"}
	}
	return &WaitError{w.session.readError(last, endingOf(ctx)), w.differences, w.streak, before}
}
