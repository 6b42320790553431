package client

import (
	"context"
	"errors"
	"time"
)

// reading is one read of an instance: everything its attempts share.
type reading struct {
	*Client
	Request
	*redactor

	attempts int64
}

// read makes attempts until one succeeds or no other may follow.
func (r *reading) read(ctx context.Context) (*Result, error) {
	deadline, _ := ctx.Deadline()
	delays := newDelays(r.retry, deadline)
	var last *Failure
	for {
		result, failure := r.attempt(ctx)
		if failure == nil {
			return result, nil
		}
		if last == nil || ctx.Err() == nil { // else the read's end cut this attempt short: the failure before it says more
			last = failure
		}
		if ctx.Err() != nil || last.hopeless || !r.UntilReady && (!last.transient || r.attempts >= r.retry.MaxAttempts) {
			break
		}
		delay, ok := delays.next(last.retryAfter)
		if !ok {
			last.NoTimeLeft = true
			break
		}
		r.log(ctx, "Trying again", map[string]any{"url": r.BaseURL.String(), "attempt": r.attempts, "delay": delay.String(), "reason": last.Reason})
		select {
		case <-time.After(delay):
		case <-ctx.Done():
		}
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	last.URL = r.BaseURL.String()
	last.ExtraHeaders = len(r.Headers) > 0
	last.Attempts = int(r.attempts)
	last.TimeRanOut = ctx.Err() != nil
	return nil, last
}

// attempt makes one attempt, if it is admitted before the context ends.
func (r *reading) attempt(ctx context.Context) (*Result, *Failure) {
	notMade := newFailure(KindTimeout, "no request was made before the time for the read ran out")
	notMade.hopeless = true
	if r.Admit != nil {
		done, err := r.Admit(ctx)
		if err != nil {
			return nil, notMade
		}
		defer done()
	}
	if ctx.Err() != nil {
		return nil, notMade
	}
	r.attempts++
	ctx, cancel := context.WithTimeout(ctx, r.requestTimeout)
	defer cancel()
	return r.get(ctx)
}
