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
	// RequestTimeout limits one attempt, from dialing to the last byte of the last body. It must be positive.
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

// maxConcurrentAttempts is how many attempts of fleets are made at once, so that a thousand instances stay within the
// limit of open files. With 64, reads failed while an nginx that they shared was reloaded.
const maxConcurrentAttempts = 32

// Client reads instances. It is safe for concurrent use.
type Client struct {
	config Config
	// withCertificate is for the origin of the base URL, and withoutCertificate for redirects that have left it.
	withCertificate, withoutCertificate *http.Transport
	proxy                               func(*url.URL) (*url.URL, error)
	proxySecrets                        safetext.Secrets
	proxyHosts                          string        // what follows the secrets in the URLs of proxies
	places                              chan struct{} // holds an element for each attempt of a fleet that is under way
}

// New returns a client. It makes no connections. Proxies come from the environment.
func New(config Config) *Client {
	environment := httpproxy.FromEnvironment()
	forHTTP, forHTTPS := environment.HTTPProxy, environment.HTTPSProxy
	c := &Client{
		config:       config,
		proxy:        environment.ProxyFunc(),
		proxySecrets: append(proxySecrets(forHTTP), proxySecrets(forHTTPS)...),
		proxyHosts:   forHTTP[strings.LastIndex(forHTTP, "@")+1:] + " " + forHTTPS[strings.LastIndex(forHTTPS, "@")+1:],
		places:       make(chan struct{}, maxConcurrentAttempts),
	}
	c.withoutCertificate = c.newTransport(&tls.Config{
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"http/1.1"}, // so that a server without HTTP/1.1 fails the handshake
		RootCAs:            config.RootCAs,
		InsecureSkipVerify: config.Insecure, //nolint:gosec // the user has asked for it
	})
	c.withCertificate = c.withoutCertificate
	if config.ClientCertificate != nil {
		settings := c.withoutCertificate.TLSClientConfig.Clone()
		// With Certificates, Go would send none if the server lists other CAs, and the server's error would be
		// misleading.
		settings.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return config.ClientCertificate, nil
		}
		c.withCertificate = c.newTransport(settings)
	}
	return c
}

// newTransport returns a transport that makes a connection for each request. HTTP/1.1 does not number responses: after
// one too many on a connection that is kept, an instance would get the values of another.
func (c *Client) newTransport(config *tls.Config) *http.Transport {
	return &http.Transport{
		DisableKeepAlives:      true,
		DisableCompression:     true,     // a document has less than a kilobyte
		MaxResponseHeaderBytes: 16 << 10, // parsed, a head can take eighteen times as much memory
		TLSClientConfig:        config,
		DialContext:            c.dial,
		Proxy:                  func(request *http.Request) (*url.URL, error) { return c.proxyFor(request.URL) },
		ProxyConnectHeader:     http.Header{"User-Agent": {c.config.UserAgent}},
		OnProxyConnectResponse: checkConnectResponse,
	}
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

// proxySecrets returns what is secret in the URL of a proxy: what is before the last @.
func proxySecrets(proxyURL string) safetext.Secrets {
	userInfo := proxyURL[:max(0, strings.LastIndex(proxyURL, "@"))]
	if _, afterScheme, hasScheme := strings.Cut(userInfo, "://"); hasScheme {
		userInfo = afterScheme
	}
	user, password, _ := strings.Cut(userInfo, ":")
	secrets := safetext.UserSecrets(user, password)
	plainUser, _ := url.PathUnescape(user)
	plainPassword, _ := url.PathUnescape(password)
	secrets = append(secrets, safetext.UserSecrets(plainUser, plainPassword)...)
	// If a password has one of these signs that is not escaped, Go takes a part of it, or the user name, for the host.
	if strings.ContainsAny(userInfo, "@/?#") {
		isSign := func(r rune) bool { return strings.ContainsRune(":@/?#", r) }
		for _, part := range strings.FieldsFunc(userInfo, isSign) {
			secrets = append(secrets, safetext.UserSecrets("", part)...)
		}
	}
	return secrets
}

// Request says what to read.
type Request struct {
	BaseURL address.BaseURL
	Headers http.Header // extra request headers, which are sent only to the origin of BaseURL
	InFleet bool        // this is one of many reads, which together make a limited number of attempts at once
}

// ReservedHeaders lists the headers that cannot be in [Request.Headers]. Those about the connection and the body are up
// to the client. A forward proxy sends a request to the host in Host, whatever the URL says. Proxy-Authorization would
// reach the instance instead of the proxy.
var ReservedHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Host", "Proxy-Authorization", "Trailer", "Transfer-Encoding",
}

// Result is what an instance answered.
type Result struct {
	Document []byte // the JSON document as received
	Details  *instance.Details
	Route    Route
}
