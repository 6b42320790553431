package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// ReadError says why a read or a wait failed.
type ReadError struct {
	URL      string // the requested URL, {base_url}/instance
	Attempts int    // the number of attempts that were made
	Ending   Ending
	// Failure is that of the last attempt that was not cut off by the end of the read. If there was none, it is that of
	// the attempt that was cut off, or nil if the read was canceled. Of a wait, it is what [Client.Wait] says.
	Failure *Failure
	// Held is how long the last streak of a wait had held, or nil if there was none.
	Held *time.Duration
	// Before is the last failure before that streak if Failure is of the kind [NotStable], or nil if there was none.
	Before *Failure
}

// Ending says what ended a read or a wait.
type Ending int

// The endings of reads and waits.
const (
	GaveUp    Ending = iota // no further attempt was allowed, or could help
	OutOfTime               // the deadline of the context was reached
	Canceled                // the context was canceled
)

func (e *ReadError) Error() string {
	if e.Failure == nil {
		return fmt.Sprintf("GET %s: ended after %d attempts", e.URL, e.Attempts)
	}
	return e.Failure.Error()
}

// Read reads an instance. It tries again after failures that may pass, until the context ends. The error is always a
// [*ReadError].
func (c *Client) Read(ctx context.Context, request Request) (*Result, error) {
	r, delays := c.newReader(request), backoff{retry: c.config.Retry}
	var last *Failure
	for {
		result, failure := r.attempt(ctx)
		switch {
		case failure == nil:
			return result, nil
		case ctx.Err() != nil: // which cut the attempt off
			return nil, r.ended(ctx, cmp.Or(last, failure))
		case !failure.isRetryable || int64(r.attempts) >= c.config.Retry.MaxAttempts:
			return nil, &ReadError{URL: failure.Route.URL, Attempts: r.attempts, Ending: GaveUp, Failure: failure}
		case !r.pause(ctx, delays.next(failure.retryAfter), failure):
			return nil, r.ended(ctx, failure)
		}
		last = failure
	}
}

// ended returns the error of a read or a wait that the context has ended. If it was canceled, a failure that only says
// so is left out.
func (r *reader) ended(ctx context.Context, failure *Failure) *ReadError {
	ending := OutOfTime
	if errors.Is(ctx.Err(), context.Canceled) {
		ending = Canceled
		if failure.Kind == NoResponseInTime && !failure.TimedOut {
			failure = nil
		}
	}
	return &ReadError{URL: r.request.BaseURL.DocumentURL.String(), Attempts: r.attempts, Ending: ending, Failure: failure}
}

// pause waits before the next attempt. It returns false if the context ends first.
func (r *reader) pause(ctx context.Context, delay time.Duration, failure *Failure) bool {
	if ctx.Err() == nil {
		r.log(ctx, "Trying again", failure.Route, map[string]any{"delay": delay.String(), "reason": failure.OneLine()})
	}
	return sleep(ctx, delay)
}

// sleep returns false if the context ends before the delay is over.
func sleep(ctx context.Context, delay time.Duration) bool {
	select {
	case <-time.After(delay):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
