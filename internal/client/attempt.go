package client

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// reader makes the attempts of one read or wait.
type reader struct {
	client   *Client
	request  Request
	secrets  func() safetext.Secrets // which no text may repeat; made for the first text that is shown
	attempts int                     // how many were made
	askedAt  time.Time               // when the last one began
}

func (c *Client) newReader(request Request) *reader {
	return &reader{client: c, request: request, secrets: sync.OnceValue(func() safetext.Secrets {
		public := request.BaseURL.DocumentURL.String() + " " + c.config.ConnectTo + " " + c.proxyHosts
		return append(safetext.HeaderSecrets(request.Headers), c.proxySecrets...).Except(public)
	})}
}

// errRequestTimeout is the cause of the end of an attempt that took longer than [Config.RequestTimeout].
var errRequestTimeout = errors.New("the attempt took too long")

// attempt makes one attempt. In a fleet, it first waits for one of the client's places.
func (r *reader) attempt(ctx context.Context) (*Result, *Failure) {
	reason := "no request was sent before the time ran out"
	if r.request.InFleet && ctx.Err() == nil {
		select {
		case r.client.places <- struct{}{}:
			defer func() { <-r.client.places }()
		case <-ctx.Done():
			reason += ", because other instances had not answered yet"
		}
	}
	if ctx.Err() != nil {
		route := Route{URL: r.request.BaseURL.DocumentURL.String()}
		return nil, &Failure{Route: route, Kind: NoResponseInTime, Reason: reason, isCutOff: true}
	}
	r.attempts++
	r.askedAt = time.Now()
	limited, cancel := context.WithTimeoutCause(ctx, r.client.config.RequestTimeout, errRequestTimeout)
	defer cancel()
	result, route, failure := r.follow(limited)
	if failure == nil {
		r.log(ctx, "Asked the instance", route, nil)
		result.Route = route
		return result, nil
	}
	for _, transport := range []*http.Transport{r.client.withCertificate, r.client.withoutCertificate} {
		transport.CloseIdleConnections() // also ends dials and handshakes that nobody waits for any more
	}
	failure.Route = route
	r.log(ctx, "Asked the instance", route, map[string]any{"reason": failure.OneLine()})
	return nil, failure
}

// log logs an event of the last attempt.
func (r *reader) log(ctx context.Context, message string, route Route, more map[string]any) {
	fields := map[string]any{"url": route.URL, "address": route.Address, "attempt": r.attempts}
	r.client.config.Log(ctx, message, fields, more)
}

const notShown = "(not shown, because it repeats a secret)"

// show returns a text as one line of at most limit characters that is safe to print. Every text of a server or a proxy
// goes through it, and those of libraries, which may quote one. A text that repeats a secret is not shown at all: there
// is no end of the ways to spell a secret, so nothing could replace them all.
func (r *reader) show(text string, limit int) string {
	line := safetext.Line(text)
	if r.secrets().AreIn(line) {
		return notShown
	}
	return safetext.Cut(line, limit)
}

// showBody returns what a person can read in a body. It looks for secrets in the whole body, too, because what is taken
// out of it may have only a part of one.
func (r *reader) showBody(body []byte) string {
	if r.secrets().AreIn(string(body)) {
		return notShown
	}
	return r.show(safetext.Body(body), maxText)
}
