// Package client reads instances over HTTP, with retries and time limits. It knows nothing of Terraform.
//
// An attempt is one request with its response, and further ones if there are redirects. A read makes attempts until one
// succeeds, and a wait makes attempts until the instance has been as expected for long enough.
package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// Config configures a [Client].
type Config struct {
	UserAgent string // sent with every request, also to proxies
	// RequestTimeout limits one attempt, from dialing to the last byte of the body, redirects included. It must be
	// positive.
	RequestTimeout time.Duration
	Retry          Retry
	RootCAs        *x509.CertPool // the CAs that are trusted; nil means the system's
	// ClientCertificate is for mutual TLS, or nil. Only the origin of a base URL, and an https proxy on the way to it,
	// can ask for it.
	ClientCertificate *tls.Certificate
	Insecure          bool // whether to accept any certificate
	// ConnectTo is the host and port that connections to ConnectToOrigin go to, without a proxy, or "". The origin is
	// in the form of [address.Origin].
	ConnectTo, ConnectToOrigin string
	// Log logs an event, with fields that are safe to print. It is required.
	Log func(ctx context.Context, message string, fields ...map[string]any)
	// Dial makes every connection in place of the network. It is for tests in fake time, and otherwise nil.
	Dial func(ctx context.Context, network, hostPort string) (net.Conn, error)
}

// Retry configures retries.
type Retry struct {
	MaxAttempts int64 // the maximum number of attempts of a read, the first included; at least 1
	// MinDelay and MaxDelay are the bounds of the delay before each retry. They are positive. A MaxDelay that is
	// shorter than MinDelay counts as MinDelay.
	MinDelay, MaxDelay time.Duration
}

// maxConcurrentAttempts keeps reads of a thousand instances within the limit of open files, and a proxy that they share
// from being flooded: with 64, reads through an nginx that was reloaded failed.
const maxConcurrentAttempts = 32

// Client reads instances. It is safe for concurrent use.
type Client struct {
	config Config
	// own is for the origin of a base URL, and offers the client certificate. other is for redirects that left it.
	own, other   *http.Transport
	proxy        func(*url.URL) (*url.URL, error)
	proxySecrets []string
	slots        chan struct{} // holds an element for each attempt that is under way
}

// New returns a client. It makes no connections. Proxies come from the environment.
func New(config Config) *Client {
	environment := httpproxy.FromEnvironment()
	c := &Client{
		config:       config,
		proxy:        environment.ProxyFunc(),
		proxySecrets: proxySecrets(environment.HTTPProxy, environment.HTTPSProxy),
		slots:        make(chan struct{}, maxConcurrentAttempts),
	}
	c.other = c.newTransport(&tls.Config{
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"http/1.1"}, // so that a server without HTTP/1.1 fails the handshake
		RootCAs:            config.RootCAs,
		InsecureSkipVerify: config.Insecure, //nolint:gosec // the user has asked for it
	})
	c.own = c.other
	if config.ClientCertificate != nil {
		withCertificate := c.other.TLSClientConfig.Clone()
		// With Certificates, Go would send none if the server lists other CAs, and the server's error would be
		// misleading.
		withCertificate.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return config.ClientCertificate, nil
		}
		c.own = c.newTransport(withCertificate)
	}
	return c
}

// newTransport returns a transport that makes a connection for each request. If a server sends one response too many,
// nothing in HTTP/1.1 tells that from the response to the next request on a connection, and one instance would get the
// values of another.
func (c *Client) newTransport(config *tls.Config) *http.Transport {
	return &http.Transport{
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: 16 << 10, // parsed, a head can take eighteen times as much memory
		TLSClientConfig:        config,
		DialContext:            c.dial,
		Proxy:                  func(request *http.Request) (*url.URL, error) { return c.proxyFor(request.URL) },
		ProxyConnectHeader:     http.Header{"User-Agent": {c.config.UserAgent}},
		OnProxyConnectResponse: checkConnectResponse,
	}
}

// dialKey is the key under which the context of a request has its [dialSettings]. [http.Transport] passes the values of
// that context on to dial, but not its deadline.
type dialKey struct{}

type dialSettings struct {
	connectTo string // the host and port to connect to instead, or ""
	timeout   time.Duration
}

// dial connects to a host and port, or to where the settings in the context say.
func (c *Client) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	settings, _ := ctx.Value(dialKey{}).(dialSettings)
	if settings.connectTo != "" {
		hostPort = settings.connectTo
	}
	if c.config.Dial != nil {
		return c.config.Dial(ctx, network, hostPort)
	}
	dialer := net.Dialer{Timeout: settings.timeout}
	return dialer.DialContext(ctx, network, hostPort)
}

// connectTo returns where connections for a URL go instead of its host and port, or "".
func (c *Client) connectTo(target *url.URL) string {
	if address.Origin(target) != c.config.ConnectToOrigin {
		return ""
	}
	return c.config.ConnectTo
}

// proxyFor returns the proxy for a URL, or nil.
func (c *Client) proxyFor(target *url.URL) (*url.URL, error) {
	if c.connectTo(target) != "" {
		return nil, nil //nolint:nilnil // as http.Transport has it
	}
	return c.proxy(target)
}

// proxySecrets returns what is secret in the URLs of proxies: what is before the last @.
func proxySecrets(proxies ...string) (secrets []string) {
	for _, proxy := range proxies {
		userInfo := proxy[:max(0, strings.LastIndex(proxy, "@"))]
		if _, afterScheme, hasScheme := strings.Cut(userInfo, "://"); hasScheme {
			userInfo = afterScheme
		}
		user, password, _ := strings.Cut(userInfo, ":")
		secrets = append(secrets, safetext.UserSecrets(user, password)...)
		if plain, err := url.PathUnescape(password); err == nil && plain != password {
			secrets = append(secrets, safetext.UserSecrets(user, plain)...)
		}
		// If a password has one of these signs that is not escaped, Go takes a part of it, or the user name, for the host.
		if strings.ContainsAny(userInfo, "@/?#") {
			isSign := func(r rune) bool { return strings.ContainsRune(":@/?#", r) }
			secrets = append(secrets, strings.FieldsFunc(userInfo, isSign)...)
		}
	}
	return secrets
}

// Request says what to read.
type Request struct {
	BaseURL address.BaseURL
	Headers http.Header // extra request headers, which are sent only to the origin of BaseURL
}

// ReservedHeaders lists the headers that cannot be in [Request.Headers]. Those about the connection and the body are up
// to the client. A forward proxy sends a request to the host in Host, whatever the URL says. Proxy-Authorization would
// reach the instance instead of the proxy.
var ReservedHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Host", "Proxy-Authorization", "Trailer", "Transfer-Encoding",
}

// Result is what an instance answered.
type Result struct {
	Document []byte // the JSON document as received, without a byte order mark
	Details  *instance.Details
	Route    Route
}
