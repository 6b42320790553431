package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// ReadError says why an instance could not be read.
type ReadError struct {
	// URL is the requested URL, {base_url}/instance.
	URL string
	// Attempts is the number of attempts that were made.
	Attempts int
	// Failure is what the last complete attempt met, or else the interrupted one. It is nil if the read was canceled before an
	// attempt was complete.
	Failure *Failure
	// Ending says what ended the read.
	Ending Ending
}

// Ending says what ended a read or a wait.
type Ending int

const (
	// GaveUp means that no further attempt was allowed, or could help.
	GaveUp Ending = iota
	// OutOfTime means that the deadline of the context was reached, or left no time for another attempt.
	OutOfTime
	// Canceled means that the context was canceled.
	Canceled
)

func (e *ReadError) Error() string {
	if e.Failure == nil {
		return fmt.Sprintf("GET %s: ended after %d attempts", e.URL, e.Attempts)
	}
	return e.Failure.String()
}

// Read reads an instance. It tries again after failures that may pass, until the context's deadline. The error is always a
// [*ReadError].
func (c *Client) Read(ctx context.Context, request Request) (*Result, error) {
	r := c.newReader(request, c.pooled.Load())
	backoff := newBackoff(ctx, c.config.Retry)
	var last *Failure
	for {
		result, failure := r.attempt(ctx)
		if failure == nil {
			return result, nil
		}
		if ctx.Err() != nil {
			return nil, r.readError(cmp.Or(last, failure), endingOf(ctx))
		}
		last = failure
		if !failure.isTransient() || r.attempts >= c.config.Retry.MaxAttempts {
			return nil, r.readError(failure, GaveUp)
		}
		r.transports = c.unpooled
		if !r.pause(ctx, backoff, failure) {
			return nil, r.readError(failure, endingOf(ctx))
		}
	}
}

// reader is what a read or a wait keeps from one attempt to the next.
type reader struct {
	client     *Client
	request    Request
	transports *transports
	redact     redactor
	attempts   int64
}

func (c *Client) newReader(request Request, transports *transports) *reader {
	return &reader{
		client: c, request: request, transports: transports,
		redact: newRedactor(request.Headers, c.proxies.credentials),
	}
}

func (r *reader) readError(failure *Failure, ending Ending) *ReadError {
	if ending == Canceled && failure != nil && failure.interrupted {
		failure = nil // it says nothing about the instance
	}
	return &ReadError{URL: r.request.BaseURL.Document.String(), Attempts: int(r.attempts), Failure: failure, Ending: ending}
}

// pause waits before the next attempt. It returns false if the context ends or leaves no time for one.
func (r *reader) pause(ctx context.Context, backoff *backoff, failure *Failure) bool {
	delay, ok := backoff.next(failure.retryAfter)
	if !ok {
		return false
	}
	r.log(ctx, "Trying again", map[string]any{"delay": delay.String(), "reason": failure.Reason})
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

// log logs an event of the last attempt.
func (r *reader) log(ctx context.Context, message string, fields map[string]any) {
	fields["url"], fields["attempt"] = r.request.BaseURL.Document.String(), r.attempts
	r.client.config.Log(ctx, message, fields)
}

// endingOf returns how a context ended a read, or will end it as soon as its deadline comes.
func endingOf(ctx context.Context) Ending {
	if errors.Is(ctx.Err(), context.Canceled) {
		return Canceled
	}
	return OutOfTime
}
