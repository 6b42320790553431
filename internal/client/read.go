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
	"strconv"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// Read reads an instance. The context's deadline limits the whole read.
//
// The error is a [*Failure], or a [*CanceledError] if the context was canceled.
func (c *Client) Read(ctx context.Context, request Request) (*Result, error) {
	r := &reading{client: c, request: request, redact: newRedactor(request.Headers, c.proxyCredentials)}
	result, err := r.read(ctx)
	if err == nil {
		c.config.Log(ctx, "Read the instance", map[string]any{"url": request.BaseURL.String(), "attempt": r.attempts, "bytes": len(result.Document)})
	} else if failure, ok := AsFailure(err); ok {
		c.config.Log(ctx, "Could not read the instance", map[string]any{"url": failure.URL, "attempt": r.attempts, "reason": failure.Reason})
	}
	return result, err
}

// reading is the state of one read. Its methods call each other in this order: read retries, attempt waits for the semaphore and
// sets the time limit, follow follows redirects, get sends a request, and answer reads the response.
type reading struct {
	client   *Client
	request  Request
	redact   redactor
	attempts int64
}

// read makes attempts until one succeeds or no more are allowed.
func (r *reading) read(ctx context.Context) (*Result, error) {
	deadline, _ := ctx.Deadline()
	delays := delays{retry: r.client.config.Retry, deadline: deadline}
	var last, ended *Failure
	var differences []Difference
	for {
		result, failure := r.attempt(ctx)
		if failure == nil {
			return result, nil
		}
		if failure.Kind == KindUnexpected {
			differences = failure.Differences
		}
		if ctx.Err() == nil { // otherwise the end of the read interrupted this attempt
			ended = failure
		}
		last = cmp.Or(ended, failure) // an earlier failure says more than an interrupted attempt
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
	last.Differences = differences // often the cause, even if a later attempt failed in another way
	last.URL = r.request.BaseURL.String()
	last.ExtraHeaders = len(r.request.Headers) > 0
	last.Attempts = int(r.attempts)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, &CanceledError{last.URL, last.Attempts, ended}
	}
	last.TimeRanOut = ctx.Err() != nil
	return nil, last
}

// mayRetry reports whether failure may be retried, time permitting.
func (r *reading) mayRetry(failure *Failure) bool {
	return !failure.permanent && (r.request.UntilReady || failure.transient && r.attempts < r.client.config.Retry.MaxAttempts)
}

// attempt makes one attempt, as soon as the semaphore allows. Returns a failure if the context ends first.
func (r *reading) attempt(ctx context.Context) (*Result, *Failure) {
	if r.request.Semaphore != nil {
		select {
		case r.request.Semaphore <- struct{}{}:
			defer func() { <-r.request.Semaphore }()
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return nil, newFailure(KindTimeout, "no request was made before the time for the read ran out")
	}
	r.attempts++
	attemptCtx, cancel := context.WithTimeout(ctx, r.client.config.RequestTimeout)
	defer cancel()
	result, failure := r.follow(attemptCtx)
	if deadline, ok := ctx.Deadline(); ok && failure != nil && !time.Now().Before(deadline) {
		<-ctx.Done() // a dial's own deadline can fire a moment before the context's
	}
	if failure != nil && ctx.Err() != nil {
		failure.AttemptTimedOut = false // the time limit of the whole read ended it
	}
	return result, failure
}

// follow requests the document and follows redirects.
func (r *reading) follow(ctx context.Context) (*Result, *Failure) {
	target, origin := r.request.BaseURL.Document, r.request.BaseURL.Origin
	for redirects := 0; ; redirects++ {
		ctx, trace := withTrace(ctx, r.client.config.ConnectTo[origin])
		result, next, failure := r.get(ctx, target, origin, trace)
		switch {
		case next != nil && redirects < maxRedirects:
			target, origin = next, address.OriginOf(next)
			continue
		case next != nil:
			failure = newFailure(KindRedirect, fmt.Sprintf("more than %d redirects", maxRedirects))
		case failure == nil:
			return result, nil
		}
		failure.CacheAgeSeconds = trace.cacheAge
		if trace.proxy.Load() != nil {
			failure.Proxy = proxyVariable(target)
		}
		if failure.ConnectTo = trace.connectTo; failure.ConnectTo != "" && (trace.at() == stageResolving || trace.at() == stageConnecting) {
			failure.Hint = HintConnectTo
		}
		if redirects > 0 {
			failure.RedirectedTo = printable(target, r.redact)
			failure.OtherOrigin = origin != r.request.BaseURL.Origin
		}
		return nil, failure
	}
}

// get sends one request to target, a URL of origin. It returns a result, the target of a redirect, or a failure.
//
// Extra headers and the client certificate are sent only to the origin of the base URL.
func (r *reading) get(ctx context.Context, target *url.URL, origin string, trace *requestTrace) (*Result, *url.URL, *Failure) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return nil, nil, classify(ctx, err, trace, r.redact)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Cache-Control", "no-cache") // a cached response may come from an old server
	request.Header.Set("User-Agent", r.client.config.UserAgent)
	transports := r.client.pooled
	if r.request.UntilReady {
		transports = r.client.single
	}
	transport := transports.other
	if origin == r.request.BaseURL.Origin {
		transport = transports.own
		maps.Copy(request.Header, r.request.Headers)
		if host := request.Header.Get("Host"); host != "" {
			request.Host = host // net/http ignores the header itself
		}
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, nil, classify(ctx, err, trace, r.redact)
	}
	defer func() { _ = response.Body.Close() }()

	trace.reach(stageAnswered)
	// Keep only these headers: the others may take much memory (see maxHead).
	header := make(http.Header)
	for _, name := range []string{"Content-Encoding", "Content-Type", "Location", "Retry-After"} {
		header.Set(name, response.Header.Get(name))
	}
	if challenges := response.Header.Values("Proxy-Authenticate"); len(challenges) > 0 {
		header.Set("Proxy-Authenticate", r.redact.clean(strings.Join(challenges, ", "), messageLimit))
	}
	trace.cacheAge, _ = strconv.ParseUint(response.Header.Get("Age"), 10, 31)
	response.Header = header
	location := header.Get("Location")
	if !slices.Contains(redirectStatuses, response.StatusCode) || location == "" {
		result, failure := r.answer(ctx, response, trace)
		return result, nil, failure
	}
	if response.ContentLength <= maxDrain {
		_, _ = io.CopyN(io.Discard, response.Body, maxDrain)
	}
	if err := ctx.Err(); err != nil { // the time ran out while reading the redirect's body: its target is not to blame
		return nil, nil, classify(ctx, err, trace, r.redact)
	}
	next, refusal := redirectTarget(target, location, r.redact)
	if refusal != "" {
		return nil, nil, newFailure(KindRedirect, refusal)
	}
	return nil, next, nil
}

// answer reads a response that is not a redirect.
func (r *reading) answer(ctx context.Context, response *http.Response, trace *requestTrace) (*Result, *Failure) {
	if response.StatusCode != http.StatusOK {
		return nil, statusFailure(response, r.redact)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return nil, classify(ctx, err, trace, r.redact)
	}
	if len(body) > maxBody {
		return nil, newFailure(KindTooLarge, fmt.Sprintf("a body of more than %d bytes", maxBody))
	}
	r.client.parsing.Lock()
	details, err := instance.Parse(body, r.redact.Replace)
	r.client.parsing.Unlock()
	if err != nil {
		return nil, documentFailure(err, response.Header, body, r.redact)
	}
	if r.request.Differences != nil {
		if differences := r.request.Differences(details); len(differences) > 0 {
			return nil, unexpected(differences, r.redact)
		}
	}
	return &Result{Document: instance.TrimByteOrderMark(body), Details: details}, nil
}
