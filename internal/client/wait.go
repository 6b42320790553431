package client

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// Condition is what a wait waits for, besides an instance document.
type Condition struct {
	// Differences returns the values that are not as expected, in texts that are safe to print. The condition holds if there are
	// none.
	Differences func(*instance.Details) []Difference
	// StableFor is how long the condition must go on holding. With 0, one answer is enough.
	StableFor time.Duration
}

// Difference is a value that is not as expected.
type Difference struct {
	Name, Reported, Expected string
}

// Texts says what the differences are, such as "chunk_size is 2, expected 3".
func Texts(differences []Difference) (texts []string) {
	for _, d := range differences {
		texts = append(texts, fmt.Sprintf("%s is %s, expected %s", d.Name, d.Reported, d.Expected))
	}
	return texts
}

// WaitError says why a wait failed.
type WaitError struct {
	// ReadError says what the last attempt met. Its Failure is nil if the last attempt succeeded.
	ReadError
	// Differences are those of the last answer that was read.
	Differences []Difference
	// Held is how long the condition held in a row in the end or, if the last attempt failed, before it last stopped holding. Answers
	// is the number of answers in which it did.
	Held    time.Duration
	Answers int
	// LastFailure is that of the last attempt that failed, or nil.
	LastFailure *Failure
}

// Wait reads an instance again and again, until the condition has held for long enough or the context ends. Every failure is
// tried again. Each attempt makes a connection of its own, to a random address of the host. The error is always a
// [*WaitError].
func (c *Client) Wait(ctx context.Context, request Request, until Condition) (*Result, error) {
	r := c.newReader(request, c.unpooled)
	w := &wait{began: time.Now(), until: until}
	backoff := newBackoff(ctx, c.config.Retry)
	for {
		if w.streak.hasGap() {
			r.log(ctx, "Nobody looked at the instance for too long, so its time begins again", map[string]any{})
			w.endStreak()
		}
		result, failure := r.attempt(ctx)
		if failure != nil && ctx.Err() != nil {
			return nil, w.failed(ctx, r, failure)
		}
		if failure == nil {
			failure = w.check(result)
		}
		w.lastOutcome = failure
		if failure != nil {
			w.endStreak()
			w.lastFailure = failure
			w.rateLimited = w.rateLimited || failure.StatusCode == http.StatusTooManyRequests
			if !r.pause(ctx, backoff, failure) {
				return nil, w.failed(ctx, r, nil)
			}
			continue
		}
		w.streak.extend(result.generated)
		if w.streak.held >= until.StableFor {
			c.dropConnections()
			return result, nil
		}
		r.log(ctx, "The instance is as expected, and has to stay so", map[string]any{"held": w.streak.held.String()})
		backoff = newBackoff(ctx, c.config.Retry) // a failure after a streak is the first of its kind
		if !sleep(ctx, w.interval()) {
			return nil, w.failed(ctx, r, nil)
		}
	}
}

// wait is what a wait keeps from one attempt to the next.
type wait struct {
	began       time.Time
	until       Condition
	streak      streak
	endedStreak streak // the last one that ended
	differences []Difference
	// lastOutcome is the failure of the last complete attempt, or nil if that attempt succeeded.
	lastOutcome *Failure
	// lastFailure is the last failure of all complete attempts. Unlike lastOutcome, it outlives a later success.
	lastFailure *Failure
	// rateLimited is true once the instance has answered with status 429.
	rateLimited bool
}

// check returns a failure if an answer was made before the wait began, or is not as expected.
func (w *wait) check(result *Result) *Failure {
	if result.generated.Before(w.began) {
		reason := fmt.Sprintf("answered by a cache, %.0f s old", result.age.Seconds())
		return &Failure{Kind: Cached, Request: result.request(), Reason: reason}
	}
	w.differences = w.until.Differences(result.Details)
	if len(w.differences) == 0 {
		return nil
	}
	return &Failure{Kind: NotAsExpected, Request: result.request(), Reason: strings.Join(Texts(w.differences), "; ")}
}

// failed returns the error of a wait that the context ended. interrupted is the failure of an attempt that was under way, or nil. It
// counts only outside of a streak, and only if the last complete attempt has not failed.
func (w *wait) failed(ctx context.Context, r *reader, interrupted *Failure) *WaitError {
	failure, shown := w.lastOutcome, w.streak
	if w.streak.answers == 0 {
		failure, shown = cmp.Or(w.lastOutcome, interrupted), w.endedStreak
	}
	return &WaitError{
		ReadError:   *r.readError(failure, endingOf(ctx)),
		Differences: w.differences,
		Held:        shown.held,
		Answers:     shown.answers,
		LastFailure: w.lastFailure,
	}
}

func (w *wait) endStreak() {
	if w.streak.answers > 0 {
		w.endedStreak = w.streak
	}
	w.streak = streak{}
}

// interval returns the time from one attempt of a streak to the next. It is random, so that it does not keep in step with a
// load balancer or with a server that crashes regularly.
func (w *wait) interval() time.Duration {
	shortest := 100 * time.Millisecond
	if w.rateLimited {
		shortest = time.Second
	}
	return shortest + rand.N(200*time.Millisecond) //nolint:gosec // it is no secret
}

// streak is a series of answers that were all as expected.
type streak struct {
	// answers is their number. It is 0 if the last attempt failed.
	answers int
	// held is the time for which they show that the condition held.
	held time.Duration

	countedTo time.Time // the time up to which held counts
	lastRead  time.Time // when the last answer was read, by the clock of the system
}

// maxGap is the maximum time for which nobody may look at the instance. A gap between an answer and the next request that is longer
// ends a streak. An attempt that takes longer does not, because a server may be slow, but it adds no more than this to the time.
const maxGap = 3 * time.Second

// hasGap reports whether nobody has looked at the instance for too long, because this process was stopped or the machine suspended.
// The monotonic clock stands still while a machine is suspended, so this takes the clock of the system.
func (s *streak) hasGap() bool {
	return s.answers > 0 && time.Now().Round(0).Sub(s.lastRead) > maxGap
}

// extend adds an answer that was generated at a time. The time begins when the first answer has been read.
func (s *streak) extend(generated time.Time) {
	now := time.Now()
	if s.answers == 0 {
		s.countedTo = now
	} else if generated.After(s.countedTo) {
		s.held += min(generated.Sub(s.countedTo), maxGap)
		s.countedTo = generated
	}
	s.answers++
	s.lastRead = now.Round(0)
}

// generatedAt returns when an answer was generated, at the earliest, and its age. That is when the attempt began or, if a cache answered,
// before now by the age (RFC 9111, section 5.1), which counts whole seconds. Of several ages, the first counts, and one that is too large
// is read as 68 years.
func generatedAt(began time.Time, header http.Header) (time.Time, time.Duration) {
	text, _, _ := strings.Cut(header.Get("Age"), ",")
	text = strings.TrimSpace(text)
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return began, 0
	}
	seconds, _ := strconv.ParseInt(text, 10, 32) // the only error left is that of the range
	age := time.Duration(seconds) * time.Second
	return time.Now().Add(-age - time.Second), age
}
