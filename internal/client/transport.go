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
	// maxIdleConns limits the connections that a fleet leaves open.
	maxIdleConns = 256
	// idleConnTimeout is shorter than what servers and load balancers use (60 s and more), so that they are rarely
	// the ones to close.
	idleConnTimeout = 30 * time.Second
	// maxHead is how many bytes of a response are read before its body. net/textproto needs up to eighteen times as much
	// memory for many small fields.
	maxHead = 16 << 10
)

// transports are for the origin that a read names (own), and for the origins that redirects lead to (other), which get no client
// certificate. They are the same if there is none.
type transports struct{ own, other *http.Transport }

// newTransports returns transports that have a pool of connections, or of which each request has a connection of its own.
// Request.Close would not do for that: a request with it still takes a connection from a pool.
func newTransports(pool bool, chooseProxy proxyFunc, withoutCertificate, withCertificate *tls.Config) transports {
	other := newTransport(pool, chooseProxy, withoutCertificate)
	if withCertificate == nil {
		return transports{other, other}
	}
	own := newTransport(pool, chooseProxy, withCertificate)
	own.DialTLSContext = dialTLS(withCertificate, withoutCertificate)
	return transports{own, other}
}

// newTransport returns a transport that speaks HTTP/1.1 only: HTTP/2 gains nothing for one small document, and lets a server keep
// a request past its context's end.
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

// dial dials a connection that must be ready for its first request before the attempt ends that asked for it. net/http takes that
// deadline out of the context, and lets a dial go on when its request has ended: without a limit, a proxy or server that never
// answers a handshake would keep the connection forever, and an address that does not answer would take the time of the next one.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	trace := traceOf(ctx)
	dialed, err := (&net.Dialer{Deadline: trace.deadline}).DialContext(ctx, network, cmp.Or(trace.connectTo, address))
	if err != nil {
		return nil, err
	}
	_ = dialed.SetDeadline(trace.deadline) // until it is ready, see withTrace
	return &conn{Conn: dialed}, nil
}

// dialTLS returns what dials the server to which a request connects first. That is the instance, or else an https proxy, which
// must not see the client certificate: net/http would use one configuration for both.
func dialTLS(toInstance, toProxy *tls.Config) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		config := toInstance.Clone()
		if traceOf(ctx).proxy.Load() != nil {
			config = toProxy.Clone()
		}
		config.ServerName, _, _ = net.SplitHostPort(address) // net/http gives host and port
		dialed, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return tls.Client(dialed, config), nil // net/http makes the handshake
	}
}
