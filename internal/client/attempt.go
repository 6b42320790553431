package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// session is what a read or a wait keeps from one attempt to the next.
type session struct {
	client   *Client
	request  Request
	redact   safetext.Redactor
	dial     Dial
	attempts int
}

func (c *Client) newSession(request Request, dial Dial) *session {
	if c.config.Dial != nil {
		dial = c.config.Dial
	}
	return &session{client: c, request: request, redact: c.redactor(request.Headers), dial: dial}
}

// answer is a result, and what a wait has to know about how it came about.
type answer struct {
	result *Result
	asked  Asked
	begun  time.Time // when the attempt began
	// generated is when the answer was made, at the earliest: when the attempt began or, if a cache answered, earlier by its age.
	generated time.Time
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
			Asked: Asked{URL: s.documentURL()}, Kind: NotAskedInTime, CutOff: CutOffByTheEnd,
			Reason: "no request was sent before the time ran out",
		}
	}
	s.attempts++
	attemptCtx, cancel := context.WithTimeout(ctx, s.client.config.RequestTimeout)
	defer cancel()
	got, last, err := s.follow(attemptCtx)
	event := map[string]any{"address": last.address}
	var failure *Failure
	if err != nil {
		isKnown := false // then the evidence is in, even if the time has run out since
		if failure, isKnown = errors.AsType[*Failure](err); !isKnown {
			failure = last.failureOf(err, cutOffBy(ctx, attemptCtx))
		}
		failure.Asked, failure.Reason = last.asked, s.redact.Line(failure.Reason, maxReason)
		event["reason"] = failure.whole()
	}
	s.log(ctx, "Asked the instance", event)
	return got, failure
}

// follow requests the document, and follows redirects. It also returns the last exchange.
func (s *session) follow(ctx context.Context) (*answer, *exchange, error) {
	begun, target := time.Now(), s.request.BaseURL.DocumentURL
	e := s.newExchange(target, true, Asked{URL: s.documentURL()})
	for redirects := 0; ; redirects++ {
		got, next, err := e.run(ctx, begun, redirects)
		if next == nil || err != nil {
			return got, e, err
		}
		asked := e.asked
		asked.RedirectedTo = e.printable(next)
		// Once a redirect has left the origin, even one that leads back is somebody else's.
		e = s.newExchange(next, e.isOwn && address.OriginOf(next) == s.request.BaseURL.Origin, asked)
	}
}

// newExchange returns an exchange that has not begun. It goes on with what the exchange before it has asked, which may be nothing yet.
func (s *session) newExchange(target *url.URL, isOwn bool, asked Asked) *exchange {
	route := s.client.routeTo(target)
	asked.Peer, asked.ConnectTo = "", route.connectTo
	asked.ProxyVariable, asked.Forwarded = route.proxyVariable, route.proxyUse == forwards
	asked.HeadersLeft = !isOwn && len(s.request.Headers) > 0
	asked.CertificateLeft = !isOwn && s.client.config.TLS.ClientCertPEM != ""
	return &exchange{session: s, target: target, isOwn: isOwn, route: route, asked: asked}
}

// run makes the exchange, and closes its connection. It returns the answer, or where it is redirected to.
func (e *exchange) run(ctx context.Context, begun time.Time, redirects int) (*answer, *url.URL, error) {
	defer e.close()
	response, err := e.send(ctx) //nolint:bodyclose // its Close would read all of it; closing the connection ends it
	if err != nil {
		return nil, nil, err
	}
	next, err := e.redirectOf(response, redirects)
	if next != nil || err != nil {
		return nil, next, err // the body is not read: it may be endless, and no message quotes it
	}
	got, err := e.toAnswer(response, begun)
	return got, nil, err
}

const maxRedirects = 5

// RedirectStatuses are the statuses that a read follows, if there is a Location.
var RedirectStatuses = []int{301, 302, 303, 307, 308}

// redirectOf returns where a response redirects to, or nil if it does not. It returns an error if that must not be followed.
func (e *exchange) redirectOf(response *http.Response, redirects int) (*url.URL, error) {
	if !slices.Contains(RedirectStatuses, response.StatusCode) || response.Header.Get("Location") == "" {
		return nil, nil //nolint:nilnil // there is neither a redirect nor an error
	}
	next, err := response.Location()
	problem := ""
	switch {
	case err != nil: // whose text may have the whole location, with its query
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
	case address.Normalize(next) == nil:
		return next, nil
	}
	reason := "a redirect to a URL that is not valid"
	if problem != "" {
		reason = fmt.Sprintf("a redirect to %s, %s", e.printable(next), problem)
	}
	return nil, &Failure{Kind: RedirectNotFollowed, Reason: reason}
}

// printable returns a URL without user info, query and fragment, safe to print.
func (e *exchange) printable(u *url.URL) string {
	return e.session.redact.Line(u.Scheme+"://"+u.Host+u.EscapedPath(), maxText)
}

// documentURL returns the URL that is requested first.
func (s *session) documentURL() string { return s.request.BaseURL.DocumentURL.String() }

// log logs an event of the last attempt.
func (s *session) log(ctx context.Context, message string, fields map[string]any) {
	fields["url"], fields["attempt"] = s.documentURL(), s.attempts
	s.client.config.Log(ctx, message, fields)
}
