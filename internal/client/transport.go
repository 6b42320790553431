package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpproxy"
	"golang.org/x/sync/semaphore"
)

const (
	// MaxConnsPerHost bounds the connections to one host, and the requests to
	// one origin that are under way at once.
	MaxConnsPerHost = 32
	// maxIdleConns bounds the connections that a fleet leaves open.
	maxIdleConns = 256
	// idleConnTimeout is shorter than what servers and load balancers use
	// (60 s and more), so that it is rarely they who close.
	idleConnTimeout = 30 * time.Second
	// minPing keeps a short request timeout from flooding servers with pings.
	minPing = time.Second
	// maxResponseHeaderBytes bounds what is read before a body.
	maxResponseHeaderBytes = 256 << 10
)

// TLS is the TLS material of a client. The empty value trusts the system's
// certificate authorities.
type TLS struct {
	// CACertPEM holds certificates that are trusted in addition to the system's.
	CACertPEM string
	// ClientCertPEM and ClientKeyPEM are for mutual TLS, only together.
	ClientCertPEM, ClientKeyPEM string
	// Insecure skips the verification of certificates.
	Insecure bool
}

// CheckCACerts tells why a PEM text holds no certificates. It does not load the
// system's, which takes longer than everything else that a check does.
func CheckCACerts(text string) error { return addCACerts(x509.NewCertPool(), text) }

// withSystemCACerts adds the certificates in a PEM text to those of the system.
func withSystemCACerts(text string) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("loading the system's certificate authorities: %w", err)
	}
	return pool, addCACerts(pool, text)
}

func addCACerts(pool *x509.CertPool, text string) error {
	if !pool.AppendCertsFromPEM([]byte(text)) {
		return errors.New(`it holds no certificate in PEM form (a block that begins with "-----BEGIN CERTIFICATE-----")`)
	}
	return nil
}

// ParseClientCert returns the certificate of a PEM certificate and its key.
// The error repeats neither.
func ParseClientCert(certPEM, keyPEM string) (tls.Certificate, error) {
	certificate, err := tls.X509KeyPair([]byte(certPEM), []byte(keyPEM))
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("the client certificate and key do not make a pair: %w", err)
	}
	return certificate, nil
}

// newTransport returns the transport that every read of a client shares.
func newTransport(config *tls.Config, requestTimeout time.Duration) *http.Transport {
	// HTTP/2 connections that died silently are found when an attempt has timed
	// out on them, not earlier: that would be another failure with another text.
	// Nor at the same time: which of the two came first would be a race.
	sendPing, awaitPing := max(requestTimeout, minPing), max(requestTimeout/2, minPing)
	return &http.Transport{
		Proxy: proxyFromEnvironment(),
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
			if response.StatusCode == http.StatusOK {
				return nil
			}
			return &proxyError{
				reason: fmt.Sprintf("the proxy refused to connect to the instance: status %d %s", response.StatusCode, http.StatusText(response.StatusCode)),
				status: response.StatusCode,
			}
		},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			// A dial goes on when the request that asked for it ends: it gets a
			// bound of its own.
			dialled, err := (&net.Dialer{Timeout: requestTimeout}).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			c := &conn{Conn: dialled}
			if progress, ok := ctx.Value(progressKey{}).(*progress); ok {
				c.handshake = &progress.handshake
				progress.dialled.Store(c)
			}
			return c, nil
		},
		TLSHandshakeTimeout:    requestTimeout,
		TLSClientConfig:        config,
		ForceAttemptHTTP2:      true, // else a TLS configuration switches it off
		MaxConnsPerHost:        MaxConnsPerHost,
		MaxIdleConnsPerHost:    MaxConnsPerHost,
		MaxIdleConns:           maxIdleConns,
		IdleConnTimeout:        idleConnTimeout,
		MaxResponseHeaderBytes: maxResponseHeaderBytes,
		HTTP2: &http.HTTP2Config{
			StrictMaxConcurrentRequests: true, // one connection to an origin
			SendPingTimeout:             sendPing,
			PingTimeout:                 awaitPing,
			// What a server may send ahead of being read; the default is 4 MiB.
			MaxReceiveBufferPerStream: maxBody,
		},
	}
}

// proxyFromEnvironment returns the proxy that the usual environment variables
// name for a request.
//
// It is not http.ProxyFromEnvironment, which reads the environment once per
// process. Both pass over a proxy URL that is not valid; here that is an error,
// as a request that avoids the proxy may go where it must not.
func proxyFromEnvironment() func(*http.Request) (*url.URL, error) {
	config := httpproxy.FromEnvironment()
	const invalid = "http://not-valid.invalid"
	for _, text := range []*string{&config.HTTPProxy, &config.HTTPSProxy} {
		if *text != "" && !isProxyURL(*text) {
			*text = invalid // NO_PROXY still decides what it is for
		}
	}
	proxy := config.ProxyFunc()
	return func(request *http.Request) (*url.URL, error) {
		proxyURL, err := proxy(request.URL)
		switch {
		case err != nil:
			return nil, &proxyError{reason: "HTTP_PROXY is not used where the environment variable REQUEST_METHOD is set too, as it is for CGI programs"}
		case proxyURL != nil && proxyURL.String() == invalid:
			// Without the URL, which may hold a password.
			return nil, &proxyError{reason: "the proxy URL in the environment variable " + strings.ToUpper(request.URL.Scheme) + "_PROXY is not valid"}
		}
		if progress, ok := request.Context().Value(progressKey{}).(*progress); ok && proxyURL != nil && request.URL.Scheme == "https" {
			progress.proxied.Store(true)
		}
		return proxyURL, nil
	}
}

// proxyCredentials returns the user info of the proxies that the environment
// names, in the forms in which a proxy may repeat it.
func proxyCredentials() []string {
	var credentials []string
	config := httpproxy.FromEnvironment()
	for _, text := range []string{config.HTTPProxy, config.HTTPSProxy} {
		proxyURL, err := parseProxyURL(text)
		if err != nil || proxyURL.User == nil {
			continue
		}
		password, _ := proxyURL.User.Password()
		pair := proxyURL.User.Username() + ":" + password
		credentials = append(credentials, password, pair, base64.StdEncoding.EncodeToString([]byte(pair)))
	}
	return credentials
}

// isProxyURL tells whether a text is the URL of a proxy that net/http can use,
// or host and port of one.
func isProxyURL(text string) bool {
	u, err := parseProxyURL(text)
	return err == nil && u.Hostname() != "" && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme)
}

// parseProxyURL reads the URL of a proxy. Without a scheme it is http.
func parseProxyURL(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	return url.Parse(text)
}

// proxyError is a fault of a proxy, with the status that it answered, or of its
// configuration, without one.
type proxyError struct {
	reason string
	status int
}

func (e *proxyError) Error() string { return e.reason }

// conn is a connection that knows what the errors of net/http do not tell.
type conn struct {
	net.Conn
	// ended: net/http reports the head of a response that was cut within a line
	// as malformed.
	ended atomic.Bool
	// handshake is that of the request it was dialled for; nil where that is not
	// known. It is not the connection's own, as a request can dial anew while its
	// first connection is still in its handshake.
	*handshake
}

// handshake is what came of the TLS handshakes made for a request.
type handshake struct {
	// askedForCertificate: the server asked for a client certificate. Over
	// HTTP/2 the alert with which it refuses one, or the lack of one, can get
	// lost.
	askedForCertificate atomic.Bool
	// overHTTP2: the handshake, as far as it concerns the client, led to HTTP/2.
	overHTTP2 atomic.Bool
}

// mutualHTTP2 tells whether the server asked for a client certificate, and
// HTTP/2 came of it.
func (c *conn) mutualHTTP2() bool {
	return c != nil && c.handshake != nil && c.askedForCertificate.Load() && c.overHTTP2.Load()
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil {
		c.ended.Store(true)
	}
	return n, err
}

// lanes keeps one lane for each origin.
type lanes struct {
	mutex sync.Mutex
	lanes map[origin]*lane
}

// lane is the way to one origin. It bounds what is under way there before an
// attempt's clock starts: http.Transport would bound it too, but its queue
// counts into the attempt's timeout.
type lane struct {
	places *semaphore.Weighted
	// explored is closed when the first attempt has, or failed to get, a
	// connection; explore makes one attempt the first.
	explored chan struct{}
	explore  sync.Once
}

func (l *lanes) of(o origin) *lane {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	found, ok := l.lanes[o]
	if !ok {
		found = &lane{places: semaphore.NewWeighted(MaxConnsPerHost), explored: make(chan struct{})}
		if o.scheme == "http" {
			close(found.explored) // nothing to find out
		}
		if l.lanes == nil {
			l.lanes = make(map[origin]*lane)
		}
		l.lanes[o] = found
	}
	return found
}

// enter waits for a place. The caller calls connected when it has a connection
// and leave when its attempt ends.
//
// Over TLS the very first attempt goes ahead alone until it has a connection:
// only then is it known whether the server offers HTTP/2, where one connection
// serves all. net/http would open one for each attempt that waits.
func (l *lane) enter(ctx context.Context) (connected, leave func(), err error) {
	if err := l.places.Acquire(ctx, 1); err != nil {
		return nil, nil, err
	}
	first := false
	select {
	case <-l.explored:
		return func() {}, func() { l.places.Release(1) }, nil
	default:
		l.explore.Do(func() { first = true })
	}
	if first {
		connected = sync.OnceFunc(func() { close(l.explored) })
		return connected, func() { connected(); l.places.Release(1) }, nil
	}
	select {
	case <-l.explored:
		return func() {}, func() { l.places.Release(1) }, nil
	case <-ctx.Done():
		l.places.Release(1)
		return nil, nil, ctx.Err()
	}
}
