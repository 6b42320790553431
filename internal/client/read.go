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
	r := &reading{client: c, request: request, redact: newRedactor(request.Headers, c.proxyCredentials), since: time.Now()}
	result, err := r.read(ctx)
	if err == nil {
		r.log(ctx, "Read the instance", map[string]any{"bytes": len(result.Document)})
	} else if failure, ok := AsFailure(err); ok {
		r.log(ctx, "Could not read the instance", map[string]any{"reason": failure.Reason})
	}
	return result, err
}

// reading is the state of one read. Its methods call each other in this order: read retries, attempt waits for the semaphore and
// sets the time limit, follow follows redirects, get sends a request, and answer reads the response.
type reading struct {
	client  *Client
	request Request
	redact  redactor
	// since is when the read began, or its last successful attempt ended: no response of a wait may be older.
	since    time.Time
	attempts int64
	// lastFailure is the failure of the last completed attempt that failed, or nil.
	lastFailure *Failure
	// differences are those of the last instance document that was not as expected.
	differences []Difference
	streak      Streak
}

// log logs an event, with fields besides the URL and the number of attempts.
func (r *reading) log(ctx context.Context, message string, fields map[string]any) {
	fields["url"], fields["attempt"] = r.request.BaseURL.String(), r.attempts
	r.client.config.Log(ctx, message, fields)
}

// read makes attempts until they have succeeded for as long as the request says, or until no more are allowed.
func (r *reading) read(ctx context.Context) (*Result, error) {
	deadline, _ := ctx.Deadline()
	backoff := delays{retry: r.client.config.Retry, deadline: deadline}
	for {
		var delay time.Duration
		began := time.Now()
		result, failure := r.attempt(ctx)
		if failure != nil && failure.Kind == KindUnexpected { // complete, even if the time runs out now
			r.differences = failure.Differences
		}
		switch {
		case failure == nil:
			r.streak.extend(began)
			remaining := r.request.StableFor - r.streak.Lasted
			if remaining <= 0 {
				return result, nil
			}
			r.since, delay = time.Now(), stableInterval
			backoff = delays{retry: backoff.retry, deadline: deadline}
			r.log(ctx, "The instance has to stay as expected", map[string]any{"remaining": remaining.String()})
		case ctx.Err() != nil: // the end of the read interrupted this attempt: an earlier failure says more
			return nil, r.endedByContext(ctx, cmp.Or(r.lastFailure, failure))
		default:
			r.lastFailure, r.streak.ended = failure, true
			if !r.mayRetry(failure) {
				return nil, r.withReadFacts(failure, NotByTime)
			}
			var ok bool
			if delay, ok = backoff.next(failure.retryAfter); !ok {
				return nil, r.withReadFacts(failure, NoTimeLeft)
			}
			r.log(ctx, "Trying again", map[string]any{"delay": delay.String(), "reason": failure.Reason})
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done(): // the next attempt fails at once
		}
	}
}

// endedByContext returns the error for a read whose context expired or was canceled.
func (r *reading) endedByContext(ctx context.Context, failure *Failure) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		canceled := &CanceledError{URL: r.request.BaseURL.String(), Attempts: int(r.attempts)}
		if r.lastFailure != nil {
			canceled.Last = r.withReadFacts(r.lastFailure, NotByTime)
		}
		return canceled
	}
	if r.streak.Attempts > 0 && !r.streak.ended {
		failure = newFailure(KindUnstable, "the instance reports what is expected, but not for long enough yet")
		if r.lastFailure != nil {
			failure.BeforeStreak = r.withReadFacts(r.lastFailure, NotByTime)
		}
	}
	return r.withReadFacts(failure, TimeRanOut)
}

// withReadFacts sets the fields of failure that are about the whole read, and returns it.
func (r *reading) withReadFacts(failure *Failure, ending Ending) *Failure {
	failure.URL = r.request.BaseURL.String()
	failure.ExtraHeaders = len(r.request.Headers) > 0
	failure.Attempts = int(r.attempts)
	if failure.Kind != KindUnstable { // where the values are as expected by now
		failure.Differences = r.differences // often the cause, even if a later attempt failed in another way
	}
	if failure.Kind == KindUnstable || r.streak.ended { // a read that was canceled during a streak has not ended it
		failure.LastStreak = r.streak
	}
	failure.Ending = ending
	return failure
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
		ctx, trace := withTrace(ctx, r.client.config.ConnectTo[origin], r.redact)
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
		failure.Answered = trace.at() == stageAnswered
		failure.CacheAgeSeconds = trace.ageSeconds
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
		return nil, nil, classify(ctx, err, trace)
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
		return nil, nil, classify(ctx, err, trace)
	}
	defer func() { _ = response.Body.Close() }()

	trace.reach(stageAnswered)
	// Keep only these headers: the others may take much memory (see maxHead).
	header := make(http.Header)
	for _, name := range []string{"Content-Encoding", "Content-Type", "Location", "Retry-After"} {
		header.Set(name, response.Header.Get(name))
	}
	if response.StatusCode == http.StatusProxyAuthRequired {
		header.Set("Proxy-Authenticate", challenges(response.Header, r.redact))
	}
	trace.ageSeconds, trace.hasAge = cacheAge(response.Header)
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
		return nil, nil, classify(ctx, err, trace)
	}
	next, refusal := redirectTarget(target, location, r.redact)
	if refusal != "" {
		return nil, nil, newFailure(KindRedirect, refusal)
	}
	return nil, next, nil
}

// cacheAge returns the Age header (RFC 9111, section 5.1), the first of several, in seconds. Returns false if absent or invalid. An
// age that is too large counts as the largest possible, of 68 years.
func cacheAge(header http.Header) (seconds int64, ok bool) {
	first, _, _ := strings.Cut(header.Get("Age"), ",")
	seconds, err := strconv.ParseInt(strings.TrimSpace(first), 10, 32)
	return max(0, seconds), seconds >= 0 && (err == nil || errors.Is(err, strconv.ErrRange))
}

// answer reads a response that is not a redirect.
func (r *reading) answer(ctx context.Context, response *http.Response, trace *requestTrace) (*Result, *Failure) {
	if response.StatusCode != http.StatusOK {
		return nil, statusFailure(response, r.redact)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return nil, classify(ctx, err, trace)
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
			return nil, unexpected(differences)
		}
	}
	// One second more, because Age counts whole seconds.
	if age := time.Duration(trace.ageSeconds+1) * time.Second; r.request.UntilReady && trace.hasAge && age > time.Since(r.since) {
		return nil, newFailure(KindCached, fmt.Sprintf("a cache answered, with a response of %d s ago", trace.ageSeconds))
	}
	return &Result{Document: instance.TrimByteOrderMark(body), Details: details}, nil
}
