package client

import (
	"context"
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
	// askedAt is when the attempt began.
	askedAt time.Time
	// generatedAt is the earliest time at which the answer can have been made: askedAt or, if a cache answered, earlier by its age.
	generatedAt time.Time
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
			Asked: Asked{URL: s.documentURL()}, Kind: NotAskedInTime, CutOff: CutOffByContext,
			Reason: "no request was sent before the time ran out",
		}
	}
	s.attempts++
	attemptCtx, cancel := context.WithTimeout(ctx, s.client.config.RequestTimeout)
	defer cancel()
	got, last, err := s.follow(attemptCtx)
	event := map[string]any{"address": last.dialed}
	var failure *Failure
	if err != nil {
		failure = last.failureOf(err, cutOffBy(ctx, attemptCtx))
		event["reason"] = failure.oneLine()
	}
	s.log(ctx, "Asked the instance", event)
	return got, failure
}

// follow requests the document, and follows redirects. It also returns the last exchange.
func (s *session) follow(ctx context.Context) (*answer, *exchange, error) {
	askedAt, target := time.Now(), s.request.BaseURL.DocumentURL
	e := s.newExchange(target, true, Asked{URL: s.documentURL()})
	for redirects := 0; ; redirects++ {
		got, next, err := e.run(ctx, askedAt, redirects)
		if next == nil || err != nil {
			return got, e, err
		}
		asked := e.asked
		asked.RedirectedTo = e.printable(next)
		// Once a redirect has left the origin, isOwn stays false, even if a later one leads back: somebody else chose that URL.
		e = s.newExchange(next, e.isOwn && address.OriginOf(next) == s.request.BaseURL.Origin, asked)
	}
}

// documentURL returns the URL that is requested first.
func (s *session) documentURL() string { return s.request.BaseURL.DocumentURL.String() }

// log logs an event of the last attempt.
func (s *session) log(ctx context.Context, message string, fields map[string]any) {
	fields["url"], fields["attempt"] = s.documentURL(), s.attempts
	s.client.config.Log(ctx, message, fields)
}
