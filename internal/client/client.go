// Package client reads instances over HTTP, with retries and time limits. It knows nothing of Terraform.
//
// An exchange is one request with its response, over a connection of its own. An attempt is an exchange, and further ones if there are
// redirects. A read makes attempts until one succeeds, and a wait makes attempts until a condition has held for long enough.
package client

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// Config configures a [Client].
type Config struct {
	UserAgent string // sent with every request
	// RequestTimeout limits one attempt, from dialing to the last byte of the body, redirects included. It must be positive.
	RequestTimeout time.Duration
	Retry          Retry
	TLS            TLS
	// ConnectTo is the host and port that connections to ConnectToOrigin go to, without a proxy, or "". The origin is in the form of
	// [address.OriginOf].
	ConnectTo, ConnectToOrigin string
	// Log logs an event, with fields that are safe to print. It is required.
	Log func(ctx context.Context, message string, fields ...map[string]any)
	// RoundTripper answers every request in place of the network. It is for tests in fake time, and otherwise nil.
	RoundTripper http.RoundTripper
}

// Retry configures retries.
type Retry struct {
	MaxAttempts        int64         // the maximum number of attempts of a read, the first included; at least 1
	MinDelay, MaxDelay time.Duration // the bounds of the delay before each retry; positive
}

// TLS holds the TLS settings of a client. The zero value trusts the authorities of the system.
type TLS struct {
	CACertPEM                   string // certificates of authorities that are trusted in addition to the system's
	ClientCertPEM, ClientKeyPEM string // for mutual TLS; set both or neither
	Insecure                    bool   // whether to accept any certificate of an instance; that of an https proxy is always verified
}

// Client reads instances. It is safe for concurrent use.
type Client struct {
	config  Config
	tls     tlsConfigs
	proxies proxies
}

// New returns a client. It makes no connections. The error says why the TLS settings cannot be used.
func New(config Config) (*Client, error) {
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

// minSecret is the minimum length in bytes of a header value that is redacted. A shorter one may be an ordinary word.
const minSecret = 8

// redactor returns a redactor for request headers, for what follows a scheme in them ("Bearer ..."), and for credentials of proxies.
func (c *Client) redactor(headers http.Header) safetext.Redactor {
	secrets := slices.Clone(c.proxies.credentials)
	for _, values := range headers {
		for _, value := range values {
			_, credentials, _ := strings.Cut(strings.TrimSpace(value), " ")
			for _, secret := range []string{strings.TrimSpace(value), strings.TrimSpace(credentials)} {
				if len(secret) >= minSecret {
					secrets = append(secrets, secret)
				}
			}
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

// ReservedHeaders lists the headers that cannot be in [Request.Headers]. Those about the connection and the body are up to net/http. A
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
