package client

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// reader makes the attempts of one read or wait.
type reader struct {
	client   *Client
	request  Request
	redact   safetext.Redactor
	attempts int       // how many were made
	askedAt  time.Time // when the last one began
}

func (c *Client) newReader(request Request) *reader {
	return &reader{client: c, request: request, redact: c.redactor(request.Headers)}
}

// redactor returns a redactor for what is secret in request headers and in the URLs of proxies.
func (c *Client) redactor(headers http.Header) safetext.Redactor {
	secrets := slices.Clip(c.proxySecrets)
	for _, values := range headers {
		for _, value := range values {
			secrets = append(secrets, safetext.HeaderSecrets(value)...)
		}
	}
	return safetext.NewRedactor(secrets)
}

// SafeLine returns text from an instance as one line that is safe to print, and without secrets in headers and proxy
// URLs.
func (c *Client) SafeLine(text string, headers http.Header) string {
	return c.redactor(headers).Line(text, maxText)
}

// attempt makes one attempt, as soon as one of the client's slots is free. It returns a result or a failure.
func (r *reader) attempt(ctx context.Context) (*Result, *Failure) {
	route := Route{URL: r.request.BaseURL.DocumentURL.String()}
	select {
	case r.client.slots <- struct{}{}:
		defer func() { <-r.client.slots }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // select chooses at random if both are ready
		const reason = "no request was sent before the time ran out"
		return nil, &Failure{Route: route, Kind: NoResponseInTime, Reason: reason}
	}
	r.attempts++
	r.askedAt = time.Now()
	limited, cancel := context.WithTimeout(ctx, r.client.config.RequestTimeout)
	defer cancel()
	result, err := r.follow(limited, &route)
	if err == nil {
		r.log(ctx, "Asked the instance", route, nil)
		result.Route = route
		return result, nil
	}
	for _, transport := range []*http.Transport{r.client.own, r.client.other} {
		transport.CloseIdleConnections() // also ends dials and handshakes that nobody waits for any more
	}
	if err == context.DeadlineExceeded && limited.Err() == nil { //nolint:errorlint // a dialer's timeout only wraps it
		const reason = "the proxy did not answer CONNECT within a minute" // which is a limit of http.Transport
		err = &Failure{Kind: ProxyFailed, Reason: reason, isRetryable: true}
	}
	failure := r.newFailure(err, route, limited.Err() != nil)
	failure.TimedOut = limited.Err() != nil && ctx.Err() == nil
	r.log(ctx, "Asked the instance", route, map[string]any{"reason": failure.OneLine()})
	return nil, failure
}

// log logs an event of the last attempt.
func (r *reader) log(ctx context.Context, message string, route Route, more map[string]any) {
	fields := map[string]any{"url": route.URL, "address": route.Address, "attempt": r.attempts}
	r.client.config.Log(ctx, message, fields, more)
}
