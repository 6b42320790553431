// Package client reads instances over HTTP, with retries and time limits. It knows nothing of Terraform.
//
// An attempt is one HTTP exchange with its redirects. A read is attempts until one succeeds, and a wait is attempts until a
// condition has held for long enough.
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
	// RequestTimeout limits one attempt, from dialing to the last byte of the body, redirects included. It must be positive.
	RequestTimeout time.Duration
	Retry          Retry
	TLS            TLS
	// ConnectTo makes connections to one origin go to another address.
	ConnectTo ConnectTo
	// Log logs an event, with fields that are safe to print. It is required.
	Log func(ctx context.Context, message string, fields ...map[string]any)
}

// ConnectTo makes connections to an origin go to another address, without a proxy. The zero value has no effect.
type ConnectTo struct {
	// Origin is in the form of [address.OriginOf].
	Origin string
	// HostPort is the host and port to connect to.
	HostPort string
}

// Client reads instances. It is safe for concurrent use.
type Client struct {
	config Config
	// pooled reuses connections, and makes the first attempt of each read. Waits and retries use unpooled, which makes a
	// connection for each request: behind a load balancer or after a change in the DNS, a connection that is kept would still
	// lead to the old server, or to the one that failed.
	pooled    atomic.Pointer[transports]
	unpooled  *transports
	newPooled func() *transports
	proxies   *proxies
}

// New returns a client. It makes no connections. The error says why the TLS settings cannot be used.
func New(config Config) (*Client, error) {
	tlsConfigs, err := newTLSConfigs(config.TLS)
	if err != nil {
		return nil, err
	}
	proxies := proxiesFromEnvironment()
	c := &Client{
		config:    config,
		unpooled:  newTransports(config, tlsConfigs, false),
		newPooled: func() *transports { return newTransports(config, tlsConfigs, true) },
		proxies:   proxies,
	}
	c.pooled.Store(c.newPooled())
	return c, nil
}

// dropConnections keeps later reads from using a connection that exists now, idle or in use.
func (c *Client) dropConnections() { c.pooled.Swap(c.newPooled()).closeIdle() }

// SafeLine returns text from an instance as one line that is safe to print, and without secrets in headers and proxy URLs.
func (c *Client) SafeLine(text string, headers http.Header) string {
	return newRedactor(headers, c.proxies.credentials).safeLine(text, maxText)
}

// Request says what to read.
type Request struct {
	BaseURL address.BaseURL
	// Headers are extra request headers. They are sent only to the origin of BaseURL.
	Headers http.Header
	// Semaphore limits the attempts that are made at once by the requests that share it. A delay before a retry holds no slot,
	// so that instances that are down do not keep others waiting. It may be nil.
	Semaphore chan struct{}
}

// ReservedHeaders lists the headers that cannot be in [Request.Headers]. net/http sets them, and a forward proxy sends a
// request to the host in Host, whatever the URL says.
var ReservedHeaders = []string{"Accept-Encoding", "Connection", "Content-Length", "Host", "Transfer-Encoding"}

// Result is what an instance answered.
type Result struct {
	// Document is the JSON document as received, without a byte order mark.
	Document []byte
	Details  *instance.Details
	// Ambiguities lists the expiry options whose unit is uncertain, each on a line that is safe to print.
	Ambiguities []string

	request func() string // returns what [Failure.Request] says, which only a failed wait needs
	// generated is when the answer was generated, and age is its age if it comes from a cache (see generatedAt).
	generated time.Time
	age       time.Duration
}
