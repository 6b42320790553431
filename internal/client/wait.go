package client

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// Condition is what a wait waits for, besides an instance document.
type Condition struct {
	// Differences returns the values that are not as expected. The condition holds if there are none.
	Differences func(*instance.Details) []Difference
	// StableFor is how long the condition must go on holding. With 0, one answer is enough.
	StableFor time.Duration
}

// Difference is a value that is not as expected.
type Difference struct {
	Name, Reported, Expected string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s is %s, expected %s", d.Name, d.Reported, d.Expected)
}

// WaitError says why a wait failed.
type WaitError struct {
	// ReadError says what the last attempt met. Its Failure is nil if the last attempt succeeded.
	ReadError
	// Differences are those of the last answer that was read, safe to print.
	Differences []Difference
	// Held is how long the condition had held when the wait ended, and Answers is the number of answers in which it did.
	Held    time.Duration
	Answers int
}

func (e *WaitError) Error() string {
	if e.Failure == nil && e.Answers > 0 {
		return fmt.Sprintf("GET %s: as expected, but only for %s", e.URL, e.Held)
	}
	return e.ReadError.Error()
}

// Wait reads an instance again and again, until the condition has held for long enough or the context ends. Every failure is
// tried again. Each attempt makes a connection of its own, to a random address of the host. The error is always a
// [*WaitError].
func (c *Client) Wait(ctx context.Context, request Request, until Condition) (*Result, error) {
	r := c.newReader(request, c.unpooled)
	w := &wait{began: time.Now(), until: until}
	backoff := newBackoff(ctx, c.config.Retry)
	for {
		w.streak.checkGap()
		began := time.Now()
		result, failure := r.attempt(ctx)
		if failure != nil && ctx.Err() != nil {
			return nil, w.failed(ctx, r, failure)
		}
		if failure == nil {
			failure = w.check(r, result)
		}
		w.last = failure
		if failure == nil {
			w.streak.extend(began, result.age)
			if w.streak.held >= until.StableFor {
				c.dropConnections()
				return result, nil
			}
			r.log(ctx, "The instance is as expected, and has to stay so", map[string]any{"held": w.streak.held.String()})
			backoff = newBackoff(ctx, c.config.Retry)
			if !sleep(ctx, w.interval()) {
				return nil, w.failed(ctx, r, nil)
			}
			continue
		}
		w.streak.answers = 0
		w.rateLimited = w.rateLimited || failure.StatusCode == http.StatusTooManyRequests
		if !r.pause(ctx, backoff, failure) {
			return nil, w.failed(ctx, r, failure)
		}
	}
}

// wait is what a wait keeps from one attempt to the next.
type wait struct {
	began       time.Time
	until       Condition
	streak      streak
	differences []Difference
	// last is what the last attempt met that was not interrupted, and nil if it succeeded.
	last *Failure
	// rateLimited is true once the instance has answered with status 429.
	rateLimited bool
}

// check returns a failure if an answer was made before the wait began, or is not as expected.
func (w *wait) check(r *reader, result *Result) *Failure {
	if result.age.known && result.age.earliest(time.Now()).Before(w.began) {
		return &Failure{Kind: Cached, Request: result.request, Reason: fmt.Sprintf("answered by a cache, %d s old", result.age.seconds)}
	}
	w.differences = w.until.Differences(result.Details)
	if len(w.differences) == 0 {
		return nil
	}
	var texts []string
	for i := range w.differences {
		w.differences[i].Reported = r.redact.line(w.differences[i].Reported, maxText)
		texts = append(texts, w.differences[i].String())
	}
	return &Failure{Kind: NotAsExpected, Request: result.request, Reason: strings.Join(texts, "; ")}
}

// failed returns the error of a wait that the context ended. The failure of an interrupted attempt says less than the attempt
// before it, if there was one.
func (w *wait) failed(ctx context.Context, r *reader, failure *Failure) *WaitError {
	if w.last != nil || w.streak.answers > 0 {
		failure = w.last
	}
	return &WaitError{
		ReadError:   *r.readError(failure, endingOf(ctx)),
		Differences: slices.Clone(w.differences),
		Held:        w.streak.held,
		Answers:     w.streak.answers,
	}
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
	// held is the time between the first answer and the last, or less where a cache makes it uncertain.
	held time.Duration

	first    time.Time // when the first answer had certainly been made
	lastRead time.Time // when the last answer was read, by the clock of the system
}

// maxGap is the maximum time between an answer of a streak and the next request.
const maxGap = 3 * time.Second

// checkGap ends a streak if nobody has looked at the instance for too long, because this process was stopped or the machine
// suspended. The monotonic clock stands still while a machine is suspended, so this takes the clock of the system.
func (s *streak) checkGap() {
	if s.answers > 0 && time.Now().Round(0).Sub(s.lastRead) > maxGap {
		s.answers = 0
	}
}

// extend adds an answer to an attempt that began at the given time. A copy in a cache says nothing about the time after it was
// made.
func (s *streak) extend(began time.Time, age cacheAge) {
	now := time.Now()
	made, lastMade := now, began
	if age.known {
		made, lastMade = age.latest(now), age.earliest(now)
	}
	if s.answers == 0 {
		s.first, s.held = made, 0
	}
	s.answers++
	s.held = max(s.held, lastMade.Sub(s.first))
	s.lastRead = now.Round(0)
}
