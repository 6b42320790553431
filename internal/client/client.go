// Package client reads instances over HTTP: it gets the document of an
// instance, or says why that failed. It knows the HTTP rules of the provider
// (retries, timeouts, redirects, which header goes where) and nothing of
// Terraform.
package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/net/http2"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

const (
	// maxBody is how many bytes of a body are read, after decompression.
	maxBody = 1 << 20
	// maxRedirects is how many redirects are followed.
	maxRedirects = 5
	// maxDrain is how many bytes of a redirect's body are read, so that its
	// connection can be used again.
	maxDrain = 2 << 10
)

// Config is what all reads of a client share.
type Config struct {
	// UserAgent is sent with every request.
	UserAgent string
	// RequestTimeout bounds one attempt, from dialling to the last byte of the
	// body. Positive.
	RequestTimeout time.Duration
	Retry          Retry
	TLS            TLS
	// Log receives what happens, without header values or bodies. May be nil.
	Log func(ctx context.Context, message string, fields map[string]any)
}

// Client reads instances. All its reads share one pool of connections.
// It is safe for concurrent use.
type Client struct {
	userAgent      string
	requestTimeout time.Duration
	retry          Retry
	log            func(ctx context.Context, message string, fields map[string]any)
	// own is for the origin that a read names, foreign for the others that
	// redirects lead to: it has no client certificate. They are the same where
	// there is none.
	own, foreign *http.Transport
	// proxyCredentials are what is not to be printed, besides header values.
	proxyCredentials []string
	lanes            lanes
}

// New returns a client. It does no I/O. An error is about the TLS material.
func New(config Config) (*Client, error) {
	foreignTLS := &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetClientCertificate: func(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			noteCertificateRequest(info.Context())
			return &tls.Certificate{}, nil // none
		},
		InsecureSkipVerify: config.TLS.Insecure, //nolint:gosec // what the user asked for, with a warning
	}
	if config.TLS.CACertPEM != "" {
		pool, err := withSystemCACerts(config.TLS.CACertPEM)
		if err != nil {
			return nil, fmt.Errorf("the CA certificates: %w", err)
		}
		foreignTLS.RootCAs = pool
	}
	c := &Client{
		userAgent:        config.UserAgent,
		requestTimeout:   config.RequestTimeout,
		retry:            config.Retry,
		log:              config.Log,
		foreign:          newTransport(foreignTLS, config.RequestTimeout),
		proxyCredentials: proxyCredentials(),
	}
	if c.log == nil {
		c.log = func(context.Context, string, map[string]any) {}
	}
	c.own = c.foreign
	if config.TLS.ClientCertPEM != "" || config.TLS.ClientKeyPEM != "" {
		certificate, err := ParseClientCert(config.TLS.ClientCertPEM, config.TLS.ClientKeyPEM)
		if err != nil {
			return nil, err
		}
		ownTLS := foreignTLS.Clone()
		ownTLS.GetClientCertificate = func(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			noteCertificateRequest(info.Context())
			return &certificate, nil
		}
		c.own = newTransport(ownTLS, config.RequestTimeout)
	}
	return c, nil
}

func noteCertificateRequest(ctx context.Context) {
	progress, ok := ctx.Value(progressKey{}).(*progress)
	if !ok {
		return
	}
	progress.handshake.askedForCertificate.Store(true)
}

// Request is one read.
type Request struct {
	BaseURL BaseURL
	// Headers are sent to the origin of BaseURL only.
	Headers http.Header
	// UntilReady retries every failure, as often as the context's deadline
	// allows.
	UntilReady bool
	// Admit waits for permission to make an attempt; the function that it
	// returns is called when the attempt is over. What waits for it keeps no
	// other read of the origin out. May be nil.
	Admit func(ctx context.Context) (done func(), err error)
}

// Result is what an instance answered.
type Result struct {
	// Document is the JSON document as delivered, without a byte order mark.
	Document []byte
	// Details are what it says. The labels in its warnings are safe to print.
	Details *instance.Details
}

// Read reads an instance. The context's deadline bounds the whole read.
//
// The error is a [*Failure], or the context's error when it was cancelled.
func (c *Client) Read(ctx context.Context, request Request) (*Result, error) {
	deadline, _ := ctx.Deadline()
	delays := newDelays(c.retry, deadline)
	maxAttempts := uint(min(c.retry.MaxAttempts, math.MaxInt32)) //nolint:gosec // positive
	if request.UntilReady {
		maxAttempts = 0 // no bound
	}
	redact := newRedactor(request.Headers, c.proxyCredentials...)

	attempts := 0
	var last *Failure
	result, err := backoff.Retry(ctx, func() (*Result, error) {
		leave, connected, err := c.enter(ctx, &request)
		if err != nil {
			return nil, backoff.Permanent(err)
		}
		defer leave()
		attempts++
		result, failure, err := c.attempt(ctx, &request, redact, connected)
		if err != nil {
			return nil, backoff.Permanent(err)
		}
		if failure == nil {
			return result, nil
		}
		last = failure
		delays.retryAfter = failure.retryAfter
		if failure.configuration || !failure.transient && !request.UntilReady {
			return nil, backoff.Permanent(failure)
		}
		return nil, failure
	},
		backoff.WithBackOff(delays),
		backoff.WithMaxTries(maxAttempts),
		backoff.WithMaxElapsedTime(0), // the context bounds the read
		backoff.WithNotify(func(_ error, delay time.Duration) {
			c.log(ctx, "Trying again", map[string]any{"url": last.URL, "attempt": attempts, "delay": delay.String(), "reason": last.Reason})
		}),
	)
	if err == nil {
		c.log(ctx, "Read the instance", map[string]any{"url": request.BaseURL.String(), "attempt": attempts, "bytes": len(result.Document)})
		return result, nil
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	if last == nil {
		reason := "no response before the time for the read ran out"
		if attempts == 0 {
			reason = "no request was made before the time for the read ran out"
		}
		last = newFailure(KindNoTime, reason)
		last.URL = request.BaseURL.String()
	}
	last.Attempts = attempts
	last.TimeRanOut = ctx.Err() != nil || delays.timeRanOut
	c.log(ctx, "Could not read the instance", map[string]any{"url": last.URL, "attempt": attempts, "reason": last.Reason})
	return nil, last
}

// progress is how far a request has come: it tells failures apart.
type progress struct {
	// dialled is the last connection that was dialled for the request.
	dialled atomic.Pointer[conn]
	// got is the connection that the request got, dialled for it or not.
	got atomic.Pointer[httptrace.GotConnInfo]
	// proxied is true where a proxy has to open a tunnel to the server first,
	// and handshaking once the TLS handshake has begun, which is after that.
	proxied, handshaking atomic.Bool
	// answered is true once the head of a response is there.
	answered  bool
	handshake handshake
}

// connection returns the connection that the request got, or else the last one
// that was dialled for it, or nil.
func (p *progress) connection() *conn {
	got := p.got.Load()
	if got == nil {
		return p.dialled.Load()
	}
	below := got.Conn
	for secure, ok := below.(*tls.Conn); ok; secure, ok = below.(*tls.Conn) { // twice through an https proxy
		below = secure.NetConn()
	}
	connection, _ := below.(*conn)
	return connection
}

// progressKey is the key of the context value that holds a *progress.
type progressKey struct{}

// trace returns the progress of a request that is made with the context. It
// calls connected when the request has a connection.
func trace(ctx context.Context, connected func()) (context.Context, *progress) {
	var progress progress
	ctx = context.WithValue(ctx, progressKey{}, &progress)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			progress.got.Store(&info)
			connected()
		},
		TLSHandshakeStart: func() { progress.handshaking.Store(true) },
		TLSHandshakeDone: func(state tls.ConnectionState, _ error) {
			if state.NegotiatedProtocol == http2.NextProtoTLS {
				progress.handshake.overHTTP2.Store(true)
			}
		},
	}), &progress
}

// enter waits until an attempt may be made. The caller calls connected when it
// has a connection and leave when the attempt is over.
func (c *Client) enter(ctx context.Context, request *Request) (leave, connected func(), err error) {
	done := func() {}
	if request.Admit != nil {
		if done, err = request.Admit(ctx); err != nil {
			return nil, nil, err
		}
	}
	// After Admit: what waits for permission must not keep others out.
	connected, leaveLane, err := c.lanes.of(request.BaseURL.origin).enter(ctx)
	if err != nil {
		done()
		return nil, nil, err
	}
	return func() { leaveLane(); done() }, connected, nil
}

// attempt makes one attempt. It returns a failure that the instance caused, or
// the error of a context that ended.
func (c *Client) attempt(ctx context.Context, request *Request, redact *redactor, connected func()) (*Result, *Failure, error) {
	attemptCtx, cancel := context.WithTimeout(ctx, c.requestTimeout)
	defer cancel()
	result, finalURL, failure := c.get(attemptCtx, request, redact, connected)
	if failure == nil {
		return result, nil, nil
	}
	if ctx.Err() != nil && failure.Kind == KindTimeout || errors.Is(ctx.Err(), context.Canceled) {
		// It was the read that ended, not the attempt.
		return nil, nil, ctx.Err()
	}
	failure.URL = request.BaseURL.String()
	if finalURL != request.BaseURL.instance {
		failure.RedirectedTo = cleanURL(finalURL, redact)
	}
	return nil, failure, nil
}

// get gets the document of an instance, through redirects. It returns the URL
// that it asked last.
func (c *Client) get(ctx context.Context, request *Request, redact *redactor, connected func()) (*Result, *url.URL, *Failure) {
	target := request.BaseURL.instance
	for redirects := 0; ; redirects++ {
		tracedCtx, progress := trace(ctx, connected)
		response, err := c.roundTrip(tracedCtx, target, request)
		if err != nil {
			return nil, target, c.classify(ctx, err, progress, redact)
		}
		progress.answered = true
		location := response.Header.Get("Location")
		if !isRedirect(response.StatusCode) || location == "" {
			result, failure := c.readResponse(ctx, response, request, redact, progress)
			return result, target, failure
		}
		if response.ContentLength <= maxDrain {
			_, _ = io.CopyN(io.Discard, response.Body, maxDrain)
		}
		_ = response.Body.Close()

		next, reason := redirectTarget(target, location, redact)
		if reason == "" && redirects == maxRedirects {
			reason = fmt.Sprintf("more than %d redirects", maxRedirects)
		}
		if reason != "" {
			failure := newFailure(KindRedirect, reason)
			failure.StatusCode = response.StatusCode
			return nil, target, failure
		}
		if err := ctx.Err(); err != nil { // the redirect's body took all the time: its target is not to blame
			return nil, target, c.classify(ctx, err, progress, redact)
		}
		target = next
	}
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	default:
		return false
	}
}

// redirectTarget returns where a redirect leads, or why it is not followed.
func redirectTarget(from *url.URL, location string, redact *redactor) (target *url.URL, reason string) {
	target, err := from.Parse(location)
	if err == nil {
		target.Fragment, target.RawFragment = "", ""
		// As http.NewRequest will do, with an error that holds the query: some of
		// what url.Parse takes, such as "//::", has no valid form.
		target, err = url.Parse(target.String())
	}
	if err != nil {
		return nil, "a redirect to a URL that is not valid"
	}
	where := cleanURL(target, redact)
	switch {
	case defaultPorts[target.Scheme] == "":
		return nil, "a redirect to " + where + ", which is neither http nor https"
	case target.Hostname() == "":
		return nil, "a redirect to a URL without a host"
	case from.Scheme == "https" && target.Scheme == "http":
		return nil, "a redirect from https to " + where + ", which would give up TLS"
	case target.User != nil:
		return nil, "a redirect to a URL with user info, at " + where
	}
	return target, ""
}

// roundTrip makes one request. Extra headers and the client certificate go to
// the origin that the read names, and to no other.
func (c *Client) roundTrip(ctx context.Context, target *url.URL, request *Request) (*http.Response, error) {
	httpRequest, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	httpRequest.Header.Set("Accept", "application/json")
	httpRequest.Header.Set("User-Agent", c.userAgent)
	if originOf(target) != request.BaseURL.origin {
		return c.foreign.RoundTrip(httpRequest)
	}
	maps.Copy(httpRequest.Header, request.Headers)
	if host := httpRequest.Header.Get("Host"); host != "" {
		httpRequest.Host = host // the header itself net/http passes over
	}
	return c.own.RoundTrip(httpRequest)
}

// readResponse reads the answer that is not a redirect, and closes its body.
func (c *Client) readResponse(ctx context.Context, response *http.Response, request *Request, redact *redactor, progress *progress) (*Result, *Failure) {
	defer func() { _ = response.Body.Close() }()

	if response.StatusCode != http.StatusOK {
		var body []byte
		if response.StatusCode != http.StatusSwitchingProtocols { // there it is the bare connection, which nothing bounds
			// As much as arrives: the status says enough.
			body, _ = io.ReadAll(io.LimitReader(response.Body, errorBodyLimit))
		}
		failure := newFailure(KindStatus, statusReason(response.StatusCode, response.Header.Get("Content-Type"), body, redact))
		failure.StatusCode = response.StatusCode
		failure.PathRepeated = response.StatusCode == http.StatusNotFound && request.BaseURL.endsInInstance()
		failure.transient = transientStatus(response.StatusCode)
		if response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable {
			failure.retryAfter = retryAfter(response.Header, time.Now())
		}
		return nil, failure
	}

	body, err := readBody(response)
	if err != nil {
		return nil, c.classify(ctx, err, progress, redact)
	}
	if len(body) > maxBody {
		failure := newFailure(KindTooLarge, fmt.Sprintf("a body of more than %d bytes", maxBody))
		failure.StatusCode = response.StatusCode
		return nil, failure
	}
	details, err := instance.Parse(body)
	if err != nil {
		return nil, documentFailure(err, response.Header, body, redact)
	}
	for i := range details.Warnings {
		details.Warnings[i].Label = redact.clean(details.Warnings[i].Label, labelLimit)
	}
	return &Result{Document: instance.TrimByteOrderMark(body), Details: details}, nil
}

// readBody reads a body up to one byte more than maxBody.
func readBody(response *http.Response) ([]byte, error) {
	var body bytes.Buffer
	if response.ContentLength > 0 {
		// One byte more than announced lets the buffer see the end of the body
		// without growing.
		body.Grow(int(min(response.ContentLength, maxBody)) + bytes.MinRead)
	}
	_, err := body.ReadFrom(io.LimitReader(response.Body, maxBody+1))
	return body.Bytes(), err
}

// documentFailure makes a failure of an *instance.DocumentError.
func documentFailure(err error, header http.Header, body []byte, redact *redactor) *Failure {
	document, _ := errors.AsType[*instance.DocumentError](err)
	safe := instance.DocumentError{Omitted: document.Omitted}
	for _, fault := range document.Faults {
		fault.Path, fault.Found = redact.redact(fault.Path), redact.redact(fault.Found)
		safe.Faults = append(safe.Faults, fault)
	}
	failure := newFailure(KindDocument, safe.Error())
	failure.StatusCode, failure.Details, failure.cause = http.StatusOK, safe.Lines(), err
	if document.NotJSON {
		failure.Kind = KindNotJSON
		last := len(safe.Faults) - 1
		found := safe.Faults[last].Found
		if document.Faults[last].Path != instance.WholeDocument {
			found += " in " + safe.Faults[last].Path
		}
		failure.Reason = fmt.Sprintf("the body is not JSON: found %s (%s)", found, contentOf(header, body, redact))
	}
	return failure
}
