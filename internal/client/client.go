// Package client reads instances over HTTP: it gets the document of an instance, or says why that failed. It knows
// the HTTP rules of the provider (retries, timeouts, redirects, which header goes where) and nothing of Terraform.
package client

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
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
	// ConnectTo is the address, of [address.ParseHostPort], to which requests to an origin connect instead of to its own host and
	// port, by [address.BaseURL.Origin]. Nothing else of them changes, and no proxy is used.
	ConnectTo map[string]string
	// Log receives what happens, without header values or bodies.
	Log func(ctx context.Context, message string, fields ...map[string]any)
}

// Client reads instances. All its reads share one pool of connections, but for those that wait until an instance is ready. It is
// safe for concurrent use.
type Client struct {
	config Config
	// pooled are for reads, and single for each attempt of a read that waits: behind a balancer of connections, or after a DNS
	// switch, a connection that was used before leads to the old server for as long as that one lives.
	pooled, single transports
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
	return &Client{
		config:           config,
		pooled:           newTransports(true, chooseProxy, withoutCertificate, withCertificate),
		single:           newTransports(false, chooseProxy, withoutCertificate, withCertificate),
		proxyCredentials: proxyCredentials,
	}, nil
}

// Clean makes a text of an instance safe to print, and cuts it, as in a [Failure] of a request with these headers.
func (c *Client) Clean(text string, headers http.Header) string {
	return newRedactor(headers, c.proxyCredentials).clean(text, messageLimit)
}

// Request is one read.
type Request struct {
	BaseURL address.BaseURL
	// Headers are sent to the origin of BaseURL only.
	Headers http.Header
	// Differences tells in which values details are not as expected, which is a failure. May be nil.
	Differences func(*instance.Details) []Difference
	// UntilReady retries every failure, as often as the context's deadline allows, each time on a connection of its own.
	UntilReady bool
	// Semaphore limits the attempts under way at once of all requests that share it, to its capacity. An attempt has a place in it
	// from dialing to the last byte of the body. May be nil.
	Semaphore chan struct{}
}

// Result is what an instance answered.
type Result struct {
	// Document is the JSON document as delivered, without a byte order mark.
	Document []byte
	// Details are the document's values.
	Details *instance.Details
}
