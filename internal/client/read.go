package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// ReadError says why an instance could not be read.
type ReadError struct {
	URL      string // the requested URL, {base_url}/instance
	Attempts int    // the number of attempts that were made
	Ending   Ending // what ended the read
	// Failure is that of the last attempt that was not cut off by the end of the read. If there was none, it is that of the attempt that was
	// cut off, or nil if the read was canceled. A wait also keeps one that was cut off after more than three seconds.
	Failure *Failure
}

// Ending says what ended a read or a wait.
type Ending int

// The endings of reads and waits.
const (
	GaveUp    Ending = iota // no further attempt was allowed, or could help
	OutOfTime               // the deadline of the context was reached, or left no time for another attempt
	Canceled                // the context was canceled
)

func (e *ReadError) Error() string {
	if e.Failure == nil {
		return fmt.Sprintf("GET %s: ended after %d attempts", e.URL, e.Attempts)
	}
	return e.Failure.Error()
}

// Read reads an instance. It tries again after failures that may pass, until the context's deadline. The error is always a [*ReadError].
func (c *Client) Read(ctx context.Context, request Request) (*Result, error) {
	s := c.newSession(request, new(net.Dialer).DialContext)
	delays := newBackoff(ctx, c.config.Retry)
	var last *Failure
	for {
		got, failure := s.attempt(ctx)
		switch {
		case failure == nil:
			return got.result, nil
		case failure.CutOff == CutOffByContext:
			return nil, s.readError(cmp.Or(last, failure), endingOf(ctx))
		case !failure.isRetryable || int64(s.attempts) >= c.config.Retry.MaxAttempts:
			return nil, s.readError(failure, GaveUp)
		case !s.pause(ctx, delays, failure):
			return nil, s.readError(failure, endingOf(ctx))
		}
		last = failure
	}
}

// readError returns the error of a read or a wait. A failure that only says that somebody canceled the attempt is left out.
func (s *session) readError(failure *Failure, ending Ending) *ReadError {
	if ending == Canceled && failure != nil && failure.CutOff == CutOffByContext {
		failure = nil
	}
	return &ReadError{URL: s.documentURL(), Attempts: s.attempts, Failure: failure, Ending: ending}
}

// pause waits before the next attempt. It returns false if the context ends or leaves no time for one.
func (s *session) pause(ctx context.Context, delays *backoff, failure *Failure) bool {
	delay, ok := delays.next(failure.retryAfter)
	if !ok || hasEnded(ctx) {
		return false
	}
	s.log(ctx, "Trying again", map[string]any{"delay": delay.String(), "reason": failure.oneLine()})
	return sleep(ctx, delay)
}

// sleep returns false if the context ends before the delay is over.
func sleep(ctx context.Context, delay time.Duration) bool {
	select {
	case <-time.After(delay):
		return true
	case <-ctx.Done():
		return false
	}
}

// endingOf returns how a context ended a read, or will end it as soon as its deadline comes.
func endingOf(ctx context.Context) Ending {
	if errors.Is(ctx.Err(), context.Canceled) {
		return Canceled
	}
	return OutOfTime
}
