package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

const (
	// maxIdleConns is the maximum number of idle connections, also per host.
	maxIdleConns = 256
	// idleConnTimeout is shorter than that of most servers and load balancers (60 s and more), so that the client closes first.
	idleConnTimeout = 30 * time.Second
	// maxHead is the maximum size of the response headers in bytes. Parsed, they can take up to eighteen times as much memory.
	maxHead = 16 << 10
)

// transports holds the transport for the origin of the base URL (own), and the one for redirects to other origins, without the
// client certificate (other). Both are the same if there is no client certificate.
type transports struct{ own, other *http.Transport }

// newTransports returns transports. If pool is false, each request opens a new connection. (Request.Close would still take one from
// the pool.)
func newTransports(pool bool, chooseProxy proxyFunc, withoutCertificate, withCertificate *tls.Config) transports {
	other := newTransport(pool, chooseProxy, withoutCertificate)
	if withCertificate == nil {
		return transports{other, other}
	}
	own := newTransport(pool, chooseProxy, withCertificate)
	own.DialTLSContext = dialTLS(withCertificate, withoutCertificate)
	return transports{own, other}
}

// newTransport returns a transport for HTTP/1.1 only. HTTP/2 has no benefit for one small document, and lets a server hold a
// request after its context has ended.
func newTransport(pool bool, chooseProxy proxyFunc, config *tls.Config) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Protocols:              &protocols,
		Proxy:                  chooseProxy,
		OnProxyConnectResponse: proxyAnswered,
		DialContext:            dial,
		TLSClientConfig:        config,
		DisableKeepAlives:      !pool,
		MaxIdleConns:           maxIdleConns,
		MaxIdleConnsPerHost:    maxIdleConns,
		IdleConnTimeout:        idleConnTimeout,
		MaxResponseHeaderBytes: maxHead,
	}
}

// dial connects with the deadline of the attempt, which also covers the handshakes of TLS and proxies. net/http detaches a dial
// from the context of its request. Without the deadline, a server that never completes a handshake would hold the connection
// forever, and an address that does not respond would leave no time for the next one.
func dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	trace := traceOf(ctx)
	dialed, err := (&net.Dialer{Deadline: trace.deadline}).DialContext(ctx, network, cmp.Or(trace.connectTo, hostPort))
	if err != nil {
		return nil, err
	}
	_ = dialed.SetDeadline(trace.deadline) // withTrace clears it
	return &conn{Conn: dialed}, nil
}

// dialTLS returns a DialTLSContext function that uses toProxy for an https proxy, and toInstance otherwise. net/http would use one
// configuration for both, and send the client certificate to the proxy.
func dialTLS(toInstance, toProxy *tls.Config) func(ctx context.Context, network, hostPort string) (net.Conn, error) {
	return func(ctx context.Context, network, hostPort string) (net.Conn, error) {
		base := toInstance
		if traceOf(ctx).proxy.Load() != nil {
			base = toProxy
		}
		config := base.Clone()
		config.ServerName, _, _ = net.SplitHostPort(hostPort)
		dialed, err := dial(ctx, network, hostPort)
		if err != nil {
			return nil, err
		}
		return tls.Client(dialed, config), nil // net/http does the handshake
	}
}
