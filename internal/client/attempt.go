package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

const maxRedirects = 5

// answer is a result, and what a wait has to know about how it came about.
type answer struct {
	result *Result
	// asked is when the attempt began, and generated when the answer was made, at the earliest (see generatedAt).
	asked, generated time.Time
	// cache describes the cache that the answer came from, such as "a cache, 12 s old". It is empty if no cache has said so.
	cache          string
	requestSummary string // that of the failure, if the wait rejects the answer
}

// attempt makes one attempt, as soon as the semaphore allows. It returns an answer or a failure.
func (s *session) attempt(ctx context.Context) (*answer, *Failure) {
	if s.request.Semaphore != nil {
		select {
		case s.request.Semaphore <- struct{}{}:
			defer func() { <-s.request.Semaphore }()
		case <-ctx.Done():
		}
	}
	if hasEnded(ctx) { // select chooses at random if both are ready
		return nil, &Failure{
			Kind: NotAskedInTime, RequestSummary: "GET " + s.request.BaseURL.DocumentURL.String(),
			Reason: "no request was sent before the time ran out", isInterrupted: true,
		}
	}
	s.attempts++
	attemptCtx, cancel := context.WithTimeout(ctx, s.client.config.RequestTimeout)
	defer cancel()
	answer, last, err := s.follow(attemptCtx)
	end := last.progress.now()
	event := map[string]any{"address": cmp.Or(end.connected, end.dialed)}
	var failure *Failure
	if err != nil {
		isKnown := isA[*knownError](err) // the evidence is in, even if the time has run out since
		isInterrupted := !isKnown && hasEnded(ctx)
		isTimedOut := !isKnown && !isInterrupted && hasEnded(attemptCtx)
		failure = last.failure(err, isInterrupted, isTimedOut)
		event["reason"] = failure.Reason
	}
	s.log(ctx, "Asked the instance", event)
	return answer, failure
}

// hasEnded reports whether a context has ended. Its deadline counts, too, because a timer of the network may come a moment earlier.
func hasEnded(ctx context.Context) bool {
	deadline, hasDeadline := ctx.Deadline()
	return ctx.Err() != nil || hasDeadline && !time.Now().Before(deadline)
}

// follow requests the document, and follows redirects. It also returns the last exchange.
func (s *session) follow(ctx context.Context) (*answer, *exchange, error) {
	asked, target, isOwn := time.Now(), s.request.BaseURL.DocumentURL, true
	for redirects := 0; ; redirects++ {
		// Once a redirect has left the origin, even one that leads back is somebody else's.
		isOwn = isOwn && address.OriginOf(target) == s.request.BaseURL.Origin
		e := &exchange{session: s, target: target, isOwn: isOwn, route: s.client.routeTo(target)}
		response, err := e.send(ctx)
		if err != nil {
			return nil, e, err
		}
		next, err := e.redirectOf(response, redirects)
		if next == nil && err == nil {
			answer, err := e.toAnswer(response, asked)
			return answer, e, err
		}
		_ = response.Body.Close() // unread: it may be endless, and no message quotes it
		if err != nil {
			return nil, e, err
		}
		target = next
	}
}

// exchange is one request with its response, over a connection of its own. It is made, sent and read once.
type exchange struct {
	session    *session
	target     *url.URL
	isOwn      bool // the extra headers and the client certificate are for the target
	route      route
	progress   progress
	connection *heldConn // set by dial
}

// send sends the request, and returns the response as soon as its head has arrived.
func (e *exchange) send(ctx context.Context) (*http.Response, error) {
	if e.route.err != nil {
		return nil, e.route.err
	}
	ctx = httptrace.WithClientTrace(ctx, e.hooks())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.target.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{
		"Accept":        {"application/json"},
		"Cache-Control": {"no-cache"}, // a copy in a cache may come from an old server
		"User-Agent":    {e.session.client.config.UserAgent},
	}
	if e.isOwn {
		maps.Copy(request.Header, e.session.request.Headers)
	}
	response, err := e.roundTripper(ctx).RoundTrip(request)
	// As http.Client does if a server without TLS answers the handshake in plain HTTP. Conn is set for the first record only.
	record, isRecord := errors.AsType[tls.RecordHeaderError](err)
	if isRecord && record.Conn != nil && string(record.RecordHeader[:]) == "HTTP/" {
		return nil, http.ErrSchemeMismatch
	}
	return response, err
}

// RedirectStatuses are the statuses that a read follows, if there is a Location.
var RedirectStatuses = []int{301, 302, 303, 307, 308}

// redirectOf returns where a response redirects to, or nil if it does not. It returns an error if that must not be followed.
func (e *exchange) redirectOf(response *http.Response, redirects int) (*url.URL, error) {
	next, err := response.Location()
	problem := ""
	switch {
	case errors.Is(err, http.ErrNoLocation), !slices.Contains(RedirectStatuses, response.StatusCode):
		return nil, nil //nolint:nilnil // there is neither a redirect nor an error
	case err != nil:
	case next.Scheme != "http" && next.Scheme != "https":
		problem = "which is neither http nor https"
	case next.Hostname() == "":
		problem = "which has no host"
	case e.target.Scheme == "https" && next.Scheme == "http":
		problem = "which would give up TLS"
	case next.User != nil:
		problem = "which has user info"
	case redirects >= maxRedirects:
		problem = fmt.Sprintf("after %d redirects", maxRedirects)
	default:
		err = address.Normalize(next)
	}
	switch {
	case err != nil: // whose text may have the whole location, with its query
		return nil, &knownError{kind: RedirectNotFollowed, reason: "a redirect to a URL that is not valid"}
	case problem != "":
		return nil, &knownError{kind: RedirectNotFollowed, reason: fmt.Sprintf("a redirect to %s, %s", e.printable(next), problem)}
	default:
		return next, nil
	}
}

// printable returns a URL without user info, query and fragment, safe to print.
func (e *exchange) printable(u *url.URL) string {
	return e.session.redact.Line(u.Scheme+"://"+u.Host+u.EscapedPath(), maxText)
}
