package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// Read reads an instance, and retries what may pass, until the context's deadline. The error is a [*ReadError].
func (c *Client) Read(ctx context.Context, request Request) (*Result, error) {
	return c.newReading(request, c.pooled.Load(), nil).run(ctx)
}

// Wait reads an instance again and again until the condition holds, or until the context's deadline. It retries every
// failure except a misconfigured proxy. Each attempt opens a new connection. An answer that a cache stored before the
// wait began is a failure. The error is a [*ReadError].
func (c *Client) Wait(ctx context.Context, request Request, until Condition) (*Result, error) {
	return c.newReading(request, c.unpooled, &until).run(ctx)
}

// run makes attempts until one of them is enough, or no further one can help or is allowed.
func (r *reading) run(ctx context.Context) (*Result, error) {
	backoff := newBackoff(ctx, r.client.config.Retry)
	for {
		began := time.Now()
		result, failure := r.attempt(ctx)
		switch {
		case failure == nil && r.isEnough(result, began):
			r.log(ctx, "Read the instance", map[string]any{"bytes": len(result.Document)})
			return result, nil
		case failure == nil:
			r.log(ctx, "The instance has to stay as expected", map[string]any{"lasted": r.streak.Lasted.String()})
			sleep(ctx, time.Until(began.Add(r.stableInterval())))
			backoff = newBackoff(ctx, r.client.config.Retry)
			continue
		case ctx.Err() != nil:
			return nil, r.interrupted(ctx, failure)
		case !r.isRetried(failure):
			return nil, r.failed(ctx, failure, GaveUp)
		}
		r.streak.ended = true
		delay, ok := backoff.next(failure.retryAfter)
		if !ok {
			return nil, r.failed(ctx, failure, NoTimeLeft)
		}
		r.transports, r.lastFailure = r.client.unpooled, failure
		r.rateLimited = r.rateLimited || failure.StatusCode == http.StatusTooManyRequests
		r.log(ctx, "Trying again", map[string]any{"delay": delay.String(), "reason": failure.Reason})
		sleep(ctx, delay)
	}
}

// isEnough reports whether a result, of an attempt that began then, ends a read or a wait.
func (r *reading) isEnough(result *Result, began time.Time) bool {
	if r.until == nil {
		return true
	}
	r.streak.extend(began)
	if !r.streak.lastedFor(r.until.StableFor, result.age) {
		return false
	}
	r.client.forgetConnections()
	return true
}

func (r *reading) isRetried(failure *Failure) bool {
	if r.until != nil {
		return failure.Kind != KindProxySettings
	}
	return failure.transient && r.attempts < r.client.config.Retry.MaxAttempts
}

// reading is the state of one read or wait.
type reading struct {
	client     *Client
	request    Request
	transports *transports
	redact     redactor
	began      time.Time
	attempts   int64
	// lastFailure is that of the last attempt that failed by itself, or nil.
	lastFailure *Failure

	// For waits. until is nil for other reads. differences are those of the last document that was not as expected.
	until       *Condition
	differences []Difference
	streak      Streak
	// rateLimited is true once the instance has answered 429.
	rateLimited bool
}

func (c *Client) newReading(request Request, transports *transports, until *Condition) *reading {
	return &reading{
		client: c, request: request, transports: transports, until: until, began: time.Now(),
		redact: newRedactor(request.Headers, c.proxyCredentials),
	}
}

// check returns a failure if a wait does not accept a result: it is not as expected, or a cache may have stored it before
// the wait began or, in a streak, more than a second ago.
func (r *reading) check(result *Result) *Failure {
	if r.until == nil {
		return nil
	}
	if r.until.Differences != nil {
		if differences := r.until.Differences(result.Details); len(differences) > 0 {
			r.differences = differences
			return unexpected(differences)
		}
	}
	oldest := time.Since(r.began)
	if r.streak.lasts() {
		oldest = ageUnit
	}
	if result.age.known && time.Duration(result.age.seconds+1)*ageUnit > oldest { // it counts whole seconds
		return newFailure(KindCached, fmt.Sprintf("a cache answered, with a response of %d s ago", result.age.seconds))
	}
	return nil
}

// The time from one attempt of a streak to the next is random, so that it is not in step with a load balancer or with a
// server that crashes regularly: 100 to 300 ms, or 1.1 to 1.3 s if the instance limits requests.
const (
	minStableInterval      = 100 * time.Millisecond
	rateLimitedInterval    = 1100 * time.Millisecond
	stableIntervalVariance = 200 * time.Millisecond
)

func (r *reading) stableInterval() time.Duration {
	shortest := minStableInterval
	if r.rateLimited {
		shortest = rateLimitedInterval
	}
	return shortest + rand.N(stableIntervalVariance) //nolint:gosec // no secret
}

// sleep waits until the delay is over, or the context ends. The next attempt then fails at once.
func sleep(ctx context.Context, delay time.Duration) {
	select {
	case <-time.After(delay):
	case <-ctx.Done():
	}
}

// log logs an event, with the URL, the number of attempts, and other fields.
func (r *reading) log(ctx context.Context, message string, fields map[string]any) {
	fields["url"], fields["attempt"] = r.request.BaseURL.String(), r.attempts
	r.client.config.Log(ctx, message, fields)
}

// interrupted returns the error for a read whose context ended. An earlier failure says more than the last attempt.
func (r *reading) interrupted(ctx context.Context, failure *Failure) *ReadError {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return r.failed(ctx, r.lastFailure, Canceled)
	case r.streak.lasts():
		return r.failed(ctx, r.lastFailure, Unstable)
	default:
		return r.failed(ctx, cmp.Or(r.lastFailure, failure), TimeRanOut)
	}
}

func (r *reading) failed(ctx context.Context, failure *Failure, ending Ending) *ReadError {
	err := &ReadError{
		URL: r.request.BaseURL.String(), Ending: ending, Attempts: int(r.attempts), Failure: failure,
	}
	if ending == Unstable || r.streak.ended { // a wait that was canceled during a streak has not ended it
		err.Streak = r.streak
	}
	if ending != Unstable { // then, the values are as expected by now
		err.Differences = r.differences
	}
	r.log(ctx, "Could not read the instance", map[string]any{"reason": err.Error()})
	return err
}

// Streak describes successive attempts of a wait that succeeded.
type Streak struct {
	Attempts int
	// Lasted is the time from the end of the first attempt to the beginning of the last. How long these took does not count.
	Lasted time.Duration

	firstEnded time.Time
	ended      bool // an attempt has failed since
}

// lasts reports whether the last attempt succeeded.
func (s *Streak) lasts() bool { return s.Attempts > 0 && !s.ended }

// extend adds an attempt that began then and has just succeeded, or starts again if the streak has ended.
func (s *Streak) extend(began time.Time) {
	now := time.Now()
	if !s.lasts() {
		*s = Streak{firstEnded: now}
	}
	s.Attempts++
	s.Lasted = max(0, began.Sub(s.firstEnded))
}

// lastedFor reports whether the streak lasted for stableFor. Age counts seconds: answers of a cache need at least one.
func (s *Streak) lastedFor(stableFor time.Duration, age cacheAge) bool {
	if age.known && stableFor > 0 {
		stableFor = max(stableFor, ageUnit)
	}
	return s.Lasted >= stableFor
}
