// Package client reads instances over HTTP, with retries and time limits. It knows nothing of Terraform.
//
// An exchange is one request with its response, over a connection of its own. An attempt is an exchange, and further ones if there are
// redirects. A read makes attempts until one succeeds, and a wait makes attempts until a condition has held for long enough.
package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// Config configures a [Client].
type Config struct {
	UserAgent string // sent with every request, also to proxies
	// RequestTimeout limits one attempt, from dialing to the last byte of the body, redirects included. It must be positive.
	RequestTimeout time.Duration
	Retry          Retry
	TLS            TLS
	// ConnectTo is the host and port that connections to ConnectToOrigin go to, without a proxy, or "". The origin is in the form of
	// [address.OriginOf].
	ConnectTo, ConnectToOrigin string
	// Log logs an event, with fields that are safe to print. It is required.
	Log func(ctx context.Context, message string, fields ...map[string]any)
	// Dial makes every connection in place of the network. It is for tests in fake time, and otherwise nil.
	Dial Dial
}

// Dial makes a connection, as [net.Dialer.DialContext] does.
type Dial func(ctx context.Context, network, hostPort string) (net.Conn, error)

// Retry configures retries.
type Retry struct {
	MaxAttempts        int64         // the maximum number of attempts of a read, the first included; at least 1
	MinDelay, MaxDelay time.Duration // the bounds of the delay before each retry; positive
}

// Client reads instances. It is safe for concurrent use.
type Client struct {
	config  Config
	tls     tlsConfigs
	proxies proxies
}

// New returns a client. It makes no connections. The error says why the TLS settings or the User-Agent cannot be used.
func New(config Config) (*Client, error) {
	if !httpguts.ValidHeaderFieldValue(config.UserAgent) {
		return nil, errors.New("the User-Agent has a control character")
	}
	tls, err := newTLSConfigs(config.TLS)
	if err != nil {
		return nil, err
	}
	return &Client{config, tls, proxiesFromEnvironment()}, nil
}

// SafeLine returns text from an instance as one line that is safe to print, and without secrets in headers and proxy URLs.
func (c *Client) SafeLine(text string, headers http.Header) string {
	return c.redactor(headers).Line(text, maxText)
}

// redactor returns a redactor for what is secret in request headers and in the URLs of proxies.
func (c *Client) redactor(headers http.Header) safetext.Redactor {
	secrets := slices.Clone(c.proxies.secrets)
	for _, values := range headers {
		for _, value := range values {
			secrets = append(secrets, safetext.SecretsOfHeader(value)...)
		}
	}
	return safetext.NewRedactor(secrets)
}

// Request says what to read.
type Request struct {
	BaseURL address.BaseURL
	Headers http.Header // extra request headers, which are sent only to the origin of BaseURL
	// Semaphore limits the attempts that are made at once by the requests that share it. A delay before a retry holds no slot, so that
	// instances that are down do not keep others waiting. It may be nil.
	Semaphore chan struct{}
}

// ReservedHeaders lists the headers that cannot be in [Request.Headers]. Those about the connection and the body are up to the client. A
// forward proxy sends a request to the host in Host, whatever the URL says. Proxy-Authorization would reach the instance instead of the
// proxy.
var ReservedHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Host", "Proxy-Authorization", "Trailer", "Transfer-Encoding",
}

// Result is what an instance answered.
type Result struct {
	Document    []byte // the JSON document as received, without a byte order mark
	Details     *instance.Details
	Ambiguities []string // the expiry options whose unit is uncertain, each on a line that is safe to print
}
