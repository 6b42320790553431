package client

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

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
		failure.TimedOut = false // the time limit of the whole read ended it
	}
	return result, failure
}

// follow requests the document and follows redirects.
func (r *reading) follow(ctx context.Context) (*Result, *Failure) {
	target, origin := r.request.BaseURL.Document, r.request.BaseURL.Origin
	for visited := []*url.URL{target}; ; visited = append(visited, target) {
		ctx, trace := withTrace(ctx, r.client.config.ConnectTo[origin], r.redact)
		result, next, failure := r.get(ctx, target, origin, trace)
		if next != nil && len(visited) > maxRedirects {
			failure = tooManyRedirects(visited, next, r.redact)
		}
		if failure != nil {
			if failure.Kind == KindRedirect && visited[0].Scheme == "http" && target.Scheme == "https" { // back to http
				failure.Kind, failure.Reason = KindRedirectLoop, "a redirect loop: "+failure.Reason
			}
			r.annotate(failure, trace, target, origin, len(visited) > 1)
			return nil, failure
		}
		if next == nil {
			return result, nil
		}
		target, origin = next, address.OriginOf(next)
	}
}

// annotate sets the fields of a failure that say how far the last request got, and on which way.
func (r *reading) annotate(failure *Failure, trace *requestTrace, target *url.URL, origin string, redirected bool) {
	failure.Connected = trace.at() > stageConnecting
	failure.Answered = trace.answered.Load()
	failure.CacheAgeSeconds = trace.age.seconds
	failure.ConnectTo = trace.connectTo
	failure.OtherOrigin = origin != r.request.BaseURL.Origin
	failure.HeadersSent = len(r.request.Headers) > 0 && !failure.OtherOrigin
	if proxy := trace.proxy.Load(); proxy != nil {
		failure.Proxy = proxyVariable(target.Scheme)
		failure.ProxyForwards = target.Scheme == "http" && strings.HasPrefix(proxy.Scheme, "http")
	}
	if redirected {
		failure.RedirectedTo = printable(target, r.redact)
	}
	if failure.untrusted {
		failure.addMissingAuthorities(r.client.caCertsLeftOut)
	}
}

// get sends one request to target, a URL of origin. Extra headers and the client certificate are sent only to the origin
// of the base URL. It returns a result, the target of a redirect, or a failure.
func (r *reading) get(
	ctx context.Context, target *url.URL, origin string, trace *requestTrace,
) (*Result, *url.URL, *Failure) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return nil, nil, classify(ctx, err, trace)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Cache-Control", "no-cache") // a cached response may come from an old server
	request.Header.Set("User-Agent", r.client.config.UserAgent)
	transport := r.transports.otherOrigins
	if origin == r.request.BaseURL.Origin {
		transport = r.transports.sameOrigin
		maps.Copy(request.Header, r.request.Headers)
		if host := request.Header.Get("Host"); host != "" {
			request.Host = host // net/http ignores the header itself
		}
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, nil, classify(ctx, err, trace)
	}
	defer func() { _ = response.Body.Close() }()

	trace.reach(stageAnswered)
	trace.age = newCacheAge(response.Header)
	location := response.Header.Get("Location")
	if !slices.Contains(redirectStatuses, response.StatusCode) || location == "" {
		result, failure := r.answer(ctx, response, trace)
		return result, nil, failure
	}
	if 0 <= response.ContentLength && response.ContentLength <= maxDrain { // without a length, it may never end
		_, _ = io.CopyN(io.Discard, response.Body, maxDrain)
	}
	if err := ctx.Err(); err != nil { // the time ran out while reading the redirect's body: its target is not to blame
		return nil, nil, classify(ctx, err, trace)
	}
	next, refusal := redirectTarget(target, location, r.redact)
	if refusal != "" {
		return nil, nil, newFailure(KindRedirect, refusal)
	}
	return nil, next, nil
}

// answer reads a response that is not a redirect.
func (r *reading) answer(ctx context.Context, response *http.Response, trace *requestTrace) (*Result, *Failure) {
	if response.StatusCode < 100 { // net/http accepts three zeros
		return nil, newFailure(KindNotHTTP, fmt.Sprintf("%sthe status is %d", notValidHTTP, response.StatusCode))
	}
	if response.StatusCode != http.StatusOK {
		return nil, statusFailure(response, r.redact)
	}
	document, err := bodyOf(response)
	if err != nil {
		return nil, classify(ctx, err, trace)
	}
	details, err := instance.Parse(document, r.redact.Replace)
	if err != nil {
		return nil, documentFailure(err, response.Header, document, r.redact)
	}
	result := &Result{Document: instance.TrimByteOrderMark(document), Details: details, age: trace.age}
	return result, r.check(result)
}
