package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

const (
	// maxIdleConns is the maximum number of idle connections, also per host.
	maxIdleConns = 256
	// idleConnTimeout is shorter than that of Node.js, which the service runs on (5 s): the client must close first.
	idleConnTimeout = 4 * time.Second
	// maxHead is the maximum size of the response headers in bytes. Parsed, they can take eighteen times as much memory.
	maxHead = 16 << 10
)

// transports holds a transport for the origin of the base URL, and one without its client certificate, if it has one.
type transports struct{ sameOrigin, otherOrigins *http.Transport }

func (t *transports) closeIdle() {
	t.sameOrigin.CloseIdleConnections()
	t.otherOrigins.CloseIdleConnections()
}

// newTransports returns transports. Without reuse, each request opens a connection: Request.Close may take an old one.
func newTransports(reuse bool, chooseProxy proxyFunc, withoutCertificate, withCertificate *tls.Config) *transports {
	otherOrigins := newTransport(reuse, chooseProxy, withoutCertificate)
	if withCertificate == nil {
		return &transports{otherOrigins, otherOrigins}
	}
	sameOrigin := newTransport(reuse, chooseProxy, withCertificate)
	sameOrigin.DialTLSContext = dialTLS(sameOrigin.DialContext, withCertificate, withoutCertificate)
	return &transports{sameOrigin, otherOrigins}
}

// newTransport returns a transport for HTTP/1.1 only: with HTTP/2, a server can hold a request past its context's end.
func newTransport(reuse bool, chooseProxy proxyFunc, config *tls.Config) *http.Transport {
	dial := dialFirst
	if !reuse {
		dial = dialAny
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Protocols:              &protocols,
		Proxy:                  chooseProxy,
		OnProxyConnectResponse: proxyAnswered,
		DialContext:            dial,
		TLSClientConfig:        config,
		DisableKeepAlives:      !reuse,
		DisableCompression:     true, // see bodyOf
		MaxIdleConns:           maxIdleConns,
		MaxIdleConnsPerHost:    maxIdleConns,
		IdleConnTimeout:        idleConnTimeout,
		MaxResponseHeaderBytes: maxHead,
	}
}

// dialFunc connects to a host and port, or to the trace's connectTo.
type dialFunc func(ctx context.Context, network, hostPort string) (net.Conn, error)

// dialFirst connects to the first address of the host that answers.
func dialFirst(ctx context.Context, network, hostPort string) (net.Conn, error) {
	return dialWithin(ctx, network, cmp.Or(traceOf(ctx).connectTo, hostPort), 0)
}

// dialAny connects to one of the addresses of the host, chosen at random: an old server behind one of them must not
// stay unseen while another one answers. If it does not answer soon, dialAny does what dialFirst does.
func dialAny(ctx context.Context, network, hostPort string) (net.Conn, error) {
	trace := traceOf(ctx)
	host, port, err := net.SplitHostPort(cmp.Or(trace.connectTo, hostPort))
	if err != nil {
		return nil, err
	}
	lookupCtx, cancel := context.WithDeadline(ctx, trace.deadline) // net/http detaches ctx from that of the request
	defer cancel()
	addresses, err := net.DefaultResolver.LookupIPAddr(lookupCtx, host) // unlike LookupHost, it calls the trace
	if err != nil {
		return nil, err
	}
	limit := time.Duration(0)
	if len(addresses) > 1 {
		limit = min(time.Until(trace.deadline)/2, 2*time.Second)
	}
	address := addresses[rand.N(len(addresses))] //nolint:gosec // no secret
	connection, err := dialWithin(ctx, network, net.JoinHostPort(address.String(), port), limit)
	if err != nil && len(addresses) > 1 {
		return dialFirst(ctx, network, hostPort)
	}
	return connection, err
}

// dialWithin connects with the deadline of the attempt, and within limit, unless that is 0. net/http detaches a dial from
// the context of its request: without the deadline, a server that never completes a handshake would hold the connection
// forever, and an address that does not respond would leave no time for the next one.
func dialWithin(ctx context.Context, network, hostPort string, limit time.Duration) (net.Conn, error) {
	deadline := traceOf(ctx).deadline
	connection, err := (&net.Dialer{Deadline: deadline, Timeout: limit}).DialContext(ctx, network, hostPort)
	if err != nil {
		return nil, err
	}
	_ = connection.SetDeadline(deadline) // withTrace clears it
	return connection, nil
}

// dialTLS returns a DialTLSContext function that uses toProxy for an https proxy, and toInstance otherwise. net/http
// would use one configuration for both, and send the client certificate to the proxy.
func dialTLS(dial dialFunc, toInstance, toProxy *tls.Config) dialFunc {
	return func(ctx context.Context, network, hostPort string) (net.Conn, error) {
		base := toInstance
		if traceOf(ctx).proxy.Load() != nil {
			base = toProxy
		}
		config := base.Clone()
		config.ServerName, _, _ = net.SplitHostPort(hostPort)
		connection, err := dial(ctx, network, hostPort)
		if err != nil {
			return nil, err
		}
		return tls.Client(connection, config), nil // net/http does the handshake
	}
}
