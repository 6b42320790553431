package client

import (
	"context"
	"errors"
	"time"
)

// ReadFailure says why a read or a wait failed.
type ReadFailure struct {
	Attempts int // the number of attempts that were made
	Ending   Ending
	// Failure is that of the last attempt that tells something: one that was cut off only counts if there is no other. It
	// is nil if the read was canceled before there was any. Of a wait, it is what [Client.Wait] says.
	Failure     *Failure
	Streak      *Streak  // the last streak of a wait, or nil if there was none
	Differences []string // what was not as expected in the last document of a wait, safe to print
}

// Streak is a series of answers to a wait that were all as expected.
type Streak struct {
	Lasted        time.Duration // from the end of its first answer to the beginning of its last request
	FailureBefore *Failure      // the last failure before it if nothing has ended it, or nil if there was none
}

// Ending says what ended a read or a wait.
type Ending int

const (
	GaveUp    Ending = iota // no further attempt was allowed, or could help
	OutOfTime               // the deadline of the context was reached
	Canceled                // the context was canceled
)

// Read reads an instance. It tries again after failures that may pass, until the context ends. It returns a result or
// why there is none.
func (c *Client) Read(ctx context.Context, request Request) (*Result, *ReadFailure) {
	r, delays := c.newReader(request), backoff{retry: c.config.Retry}
	var previous *Failure
	for {
		result, failure := r.attempt(ctx)
		switch {
		case failure == nil:
			return result, nil
		case failure.isCutOff && previous != nil:
			return nil, r.failed(ctx, previous)
		case ctx.Err() == nil && (!failure.isRetryable || int64(r.attempts) >= c.config.Retry.MaxAttempts):
			return nil, &ReadFailure{Attempts: r.attempts, Ending: GaveUp, Failure: failure}
		case !r.pause(ctx, delays.next(failure.retryAfter), failure):
			return nil, r.failed(ctx, failure)
		}
		previous = failure
	}
}

// failed returns why a read or a wait failed whose context has ended. If that was canceled, a failure that only says so
// is left out.
func (r *reader) failed(ctx context.Context, failure *Failure) *ReadFailure {
	ending := OutOfTime
	if errors.Is(ctx.Err(), context.Canceled) {
		ending = Canceled
		if failure != nil && failure.isCutOff {
			failure = nil
		}
	}
	return &ReadFailure{Attempts: r.attempts, Ending: ending, Failure: failure}
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
