// Package client reads instances over HTTP, with retries, timeouts and redirects. It does not depend on Terraform.
package client

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// Config configures a [Client].
type Config struct {
	// UserAgent is sent with every request.
	UserAgent string
	// RequestTimeout limits one attempt, from dialing to the last byte of the body, redirects included. Must be positive.
	RequestTimeout time.Duration
	Retry          Retry
	TLS            TLS
	// ConnectTo maps an origin (see [address.OriginOf]) to the host and port to connect to in its place, without a proxy.
	ConnectTo map[string]string
	// Log logs an event, with fields that are safe to print. Required.
	Log func(ctx context.Context, message string, fields ...map[string]any)
}

// Client reads instances. It is safe for concurrent use.
type Client struct {
	config Config
	// pooled reuses connections, for first attempts. unpooled, for waits and retries, opens one for each request: behind a
	// load balancer or after a DNS change, an old connection would still lead to the old server, or to the one that failed.
	pooled   atomic.Pointer[transports]
	unpooled *transports
	newPool  func() *transports
	// proxyCredentials lists secrets to redact: a proxy may echo them.
	proxyCredentials []string
	// caCertsLeftOut lists the blocks of TLS.CACertPEM that could not be used.
	caCertsLeftOut []string
}

// New returns a client. It makes no connections. Returns an error if the TLS settings cannot be used.
func New(config Config) (*Client, error) {
	withoutCertificate, withCertificate, leftOut, err := tlsConfigs(config.TLS)
	if err != nil {
		return nil, err
	}
	chooseProxy, proxyCredentials := proxiesFromEnvironment()
	c := &Client{
		config:           config,
		unpooled:         newTransports(false, chooseProxy, withoutCertificate, withCertificate),
		newPool:          func() *transports { return newTransports(true, chooseProxy, withoutCertificate, withCertificate) },
		proxyCredentials: proxyCredentials,
		caCertsLeftOut:   leftOut,
	}
	c.pooled.Store(c.newPool())
	return c, nil
}

// forgetConnections keeps later reads from using a connection from before, idle or in use: it may lead to the old server.
func (c *Client) forgetConnections() { c.pooled.Swap(c.newPool()).closeIdle() }

// RedactedLine returns text from an instance as one line, cut and without secrets of headers and proxy URLs.
func (c *Client) RedactedLine(text string, headers http.Header) string {
	return newRedactor(headers, c.proxyCredentials).line(text, messageLimit)
}

// Request says what to read.
type Request struct {
	BaseURL address.BaseURL
	// Headers are extra request headers. They are sent only to the origin of BaseURL.
	Headers http.Header
	// Semaphore limits the concurrent attempts of the requests that share it. A retry delay holds no slot. May be nil.
	Semaphore chan struct{}
}

// Condition is what a wait waits for, besides an instance document. The zero value asks for nothing more.
type Condition struct {
	// Differences returns the values that are not as expected. If it returns any, the attempt fails. May be nil.
	Differences func(*instance.Details) []Difference
	// StableFor is how long attempts must go on succeeding. With 0, one success is enough.
	StableFor time.Duration
}

// Result is the response of an instance.
type Result struct {
	// Document is the JSON document as received, without a byte order mark.
	Document []byte
	Details  *instance.Details // parsed
	age      cacheAge
}
