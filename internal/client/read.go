package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// reading is one read of an instance: what its attempts share. Its methods in this file are the life of a read, each
// calling the next: read makes attempts, attempt gets permission for one and limits its time, follow follows redirects,
// get makes a request, and readResponse reads the answer.
type reading struct {
	client   *Client
	request  Request
	redactor *strings.Replacer
	attempts int64
}

// read makes attempts until one succeeds or no other may follow.
func (r *reading) read(ctx context.Context) (*Result, error) {
	deadline, _ := ctx.Deadline()
	delays := delays{retry: r.client.config.Retry, deadline: deadline}
	var last, ended *Failure
	for {
		result, failure := r.attempt(ctx)
		if failure == nil {
			return result, nil
		}
		if ctx.Err() == nil { // else the read's end cut this attempt short
			ended = failure
		}
		last = cmp.Or(ended, failure) // a failure before that says more
		if ctx.Err() != nil || !r.mayRetry(last) {
			break
		}
		delay, ok := delays.next(last.retryAfter)
		if !ok {
			last.NoTimeLeft = true
			break
		}
		r.client.config.Log(ctx, "Trying again", map[string]any{
			"url": r.request.BaseURL.String(), "attempt": r.attempts, "delay": delay.String(), "reason": last.Reason,
		})
		select {
		case <-time.After(delay):
		case <-ctx.Done():
		}
	}
	last.URL = r.request.BaseURL.String()
	last.ExtraHeaders = len(r.request.Headers) > 0
	last.Attempts = int(r.attempts)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, &CanceledError{last.URL, last.Attempts, ended}
	}
	last.TimeRanOut = ctx.Err() != nil
	return nil, last
}

// mayRetry tells whether another attempt may follow a failure, if there is time for it.
func (r *reading) mayRetry(failure *Failure) bool {
	switch {
	case failure.permanent:
		return false
	case r.request.UntilReady:
		return true
	default:
		return failure.transient && r.attempts < r.client.config.Retry.MaxAttempts
	}
}

// attempt makes one attempt, if it is admitted before the context ends.
func (r *reading) attempt(ctx context.Context) (*Result, *Failure) {
	notMade := newFailure(KindTimeout, "no request was made before the time for the read ran out")
	notMade.permanent = true
	if r.request.Admit != nil {
		done, err := r.request.Admit(ctx)
		if err != nil {
			return nil, notMade
		}
		defer done()
	}
	if ctx.Err() != nil {
		return nil, notMade
	}
	r.attempts++
	attemptCtx, cancel := context.WithTimeout(ctx, r.client.config.RequestTimeout)
	defer cancel()
	result, failure := r.follow(attemptCtx)
	if failure != nil && ctx.Err() != nil {
		failure.AttemptTimedOut = false // the time for the whole read ended it
	}
	return result, failure
}

// follow gets the document of the instance, through redirects.
func (r *reading) follow(ctx context.Context) (*Result, *Failure) {
	target, origin := r.request.BaseURL.document, r.request.BaseURL.origin
	for redirects := 0; ; redirects++ {
		ctx, trace := withTrace(ctx, r.client.config.ConnectTo[origin])
		result, next, failure := r.get(ctx, target, origin, trace)
		if next != nil && redirects == maxRedirects {
			next, failure = nil, newFailure(KindRedirect, fmt.Sprintf("more than %d redirects", maxRedirects))
		}
		if next != nil {
			target, origin = next, originOf(next)
			continue
		}
		if failure != nil && trace.proxy.Load() != nil {
			failure.Proxy = proxyVariable(target)
		}
		if failure != nil && trace.connectTo != "" {
			failure.ConnectTo = trace.connectTo
			if trace.at() <= stageConnecting {
				failure.Hint = HintConnectTo
			}
		}
		if failure != nil && redirects > 0 {
			failure.RedirectedTo = r.printable(target)
			failure.OtherOrigin = origin != r.request.BaseURL.origin
		}
		return result, failure
	}
}

// get makes one request, to a URL of the origin. It returns the instance's answer, where a redirect leads, or a failure.
//
// Extra headers and the client certificate go to the origin that the read names, and to no other.
func (r *reading) get(ctx context.Context, target *url.URL, origin string, trace *requestTrace) (*Result, *url.URL, *Failure) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return nil, nil, r.classify(ctx, err, trace)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", r.client.config.UserAgent)
	transport := r.client.otherTransport
	if origin == r.request.BaseURL.origin {
		transport = r.client.transport
		maps.Copy(request.Header, r.request.Headers)
		if host := request.Header.Get("Host"); host != "" {
			request.Host = host // net/http ignores the header itself
		}
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, nil, r.classify(ctx, err, trace)
	}
	defer func() { _ = response.Body.Close() }()

	trace.reach(stageAnswered)
	// Drop all other header fields before a body is read: see maxHead for what they take.
	header := make(http.Header)
	for _, name := range []string{"Content-Encoding", "Content-Type", "Location", "Retry-After"} {
		if value := response.Header.Get(name); value != "" {
			header.Set(name, value)
		}
	}
	response.Header = header
	location := header.Get("Location")
	if !slices.Contains(redirectStatuses, response.StatusCode) || location == "" {
		result, failure := r.readResponse(ctx, response, trace)
		return result, nil, failure
	}
	if response.ContentLength <= maxDrain {
		_, _ = io.CopyN(io.Discard, response.Body, maxDrain)
	}
	if err := ctx.Err(); err != nil { // the redirect's body took all the time: its target is not to blame
		return nil, nil, r.classify(ctx, err, trace)
	}
	next, refusal := r.redirectTarget(target, location)
	if refusal != "" {
		return nil, nil, newFailure(KindRedirect, refusal)
	}
	return nil, next, nil
}
