package client

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// reading is one read of an instance: everything its attempts share.
type reading struct {
	*Client
	Request
	*redactor

	attempts int
}

// read makes attempts until one succeeds or no other may follow.
func (r *reading) read(ctx context.Context) (*Result, error) {
	deadline, _ := ctx.Deadline()
	delays := newDelays(r.retry, deadline)
	maxAttempts := uint(min(r.retry.MaxAttempts, math.MaxInt32)) //nolint:gosec // positive
	if r.UntilReady {
		maxAttempts = 0 // no limit
	}

	var last *Failure
	result, err := backoff.Retry(ctx, func() (*Result, error) {
		result, failure, err := r.attempt(ctx)
		if err != nil {
			return nil, backoff.Permanent(err)
		}
		if failure == nil {
			return result, nil
		}
		if last != nil && ctx.Err() != nil {
			// The end of the read cut this attempt short: the failure before it says more.
			return nil, backoff.Permanent(last)
		}
		last = failure
		delays.retryAfter = failure.retryAfter
		if failure.configuration || !failure.transient && !r.UntilReady {
			return nil, backoff.Permanent(failure)
		}
		return nil, failure
	},
		backoff.WithBackOff(delays),
		backoff.WithMaxTries(maxAttempts),
		backoff.WithMaxElapsedTime(0), // the context limits the read
		backoff.WithNotify(func(_ error, delay time.Duration) {
			r.log(ctx, "Trying again", map[string]any{"url": last.URL, "attempt": r.attempts, "delay": delay.String(), "reason": last.Reason})
		}),
	)
	if err == nil {
		return result, nil
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	if last == nil { // the time ran out before the first attempt
		last = newFailure(KindTimeout, "no request was made before the time for the read ran out")
		last.URL = r.BaseURL.String()
	}
	last.Attempts = r.attempts
	last.TimeRanOut = ctx.Err() != nil
	last.NoTimeLeft = delays.stopped
	return nil, last
}

// attempt makes one attempt. It returns either what came of it, or the error of a context that ended before it began.
func (r *reading) attempt(ctx context.Context) (*Result, *Failure, error) {
	if r.Admit != nil {
		done, err := r.Admit(ctx)
		if err != nil {
			return nil, nil, err
		}
		defer done()
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	r.attempts++
	ctx, cancel := context.WithTimeout(ctx, r.requestTimeout)
	defer cancel()
	result, failure := r.get(ctx)
	return result, failure, nil
}
