// Package client reads instances over HTTP: it gets the document of an instance, or says why that failed. It knows
// the HTTP rules of the provider (retries, timeouts, redirects, which header goes where) and nothing of Terraform.
package client

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// Config is what all reads of a client share.
type Config struct {
	// UserAgent is sent with every request.
	UserAgent string
	// RequestTimeout limits one attempt, from dialing to the last byte of the body. Positive.
	RequestTimeout time.Duration
	Retry          Retry
	TLS            TLS
	// ConnectTo is the address, of [ParseAddress], to which requests to an origin connect instead of to its own host and port,
	// by [BaseURL.Origin]. Nothing else of them changes, and no proxy is used.
	ConnectTo map[string]string
	// Log receives what happens, without header values or bodies.
	Log func(ctx context.Context, message string, fields ...map[string]any)
}

// Client reads instances. All its reads share one pool of connections. It is safe for concurrent use.
type Client struct {
	config Config
	// transport is for the origin that a read names. otherTransport is for the other origins that redirects lead to: it
	// has no client certificate. They are the same if there is none.
	transport, otherTransport *http.Transport
	// proxyCredentials are texts that must not be printed: a proxy may repeat them.
	proxyCredentials []string
	// parsing lets one document be parsed at a time. That takes up to nine milliseconds on a busy machine, and up to 67 times
	// the memory of the document.
	parsing sync.Mutex
}

// New returns a client. It does no I/O. An error is about the TLS settings.
func New(config Config) (*Client, error) {
	withoutCertificate, withCertificate, err := tlsConfigs(config.TLS)
	if err != nil {
		return nil, err
	}
	chooseProxy, proxyCredentials := proxiesFromEnvironment()
	c := &Client{config: config, proxyCredentials: proxyCredentials}
	c.otherTransport = c.newTransport(withoutCertificate, chooseProxy)
	c.transport = c.otherTransport
	if withCertificate != nil {
		c.transport = c.newTransport(withCertificate, chooseProxy)
		c.transport.DialTLSContext = c.dialTLS
	}
	return c, nil
}

// Request is one read.
type Request struct {
	BaseURL BaseURL
	// Headers are sent to the origin of BaseURL only.
	Headers http.Header
	// Differences tells in which values details are not as expected, which is a failure. May be nil.
	Differences func(*instance.Details) []Difference
	// UntilReady retries every failure, as often as the context's deadline allows.
	UntilReady bool
	// Admit waits for permission to make an attempt. The function it returns is called when the attempt is over; its
	// error ends the read. May be nil.
	Admit func(ctx context.Context) (done func(), err error)
}

// Result is what an instance answered.
type Result struct {
	// Document is the JSON document as delivered, without a byte order mark.
	Document []byte
	// Details are the document's values.
	Details *instance.Details
}

// Read reads an instance. The context's deadline limits the whole read.
//
// The error is a [*Failure], or a [*CanceledError] if the context was canceled.
func (c *Client) Read(ctx context.Context, request Request) (*Result, error) {
	r := &reading{client: c, request: request, redactor: newRedactor(request.Headers, c.proxyCredentials)}
	result, err := r.read(ctx)
	if err == nil {
		c.config.Log(ctx, "Read the instance", map[string]any{"url": request.BaseURL.String(), "attempt": r.attempts, "bytes": len(result.Document)})
	} else if failure, ok := AsFailure(err); ok {
		c.config.Log(ctx, "Could not read the instance", map[string]any{"url": failure.URL, "attempt": r.attempts, "reason": failure.Reason})
	}
	return result, err
}
