package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
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

// newTransport returns a transport that speaks HTTP/1.1 only: HTTP/2 gains nothing for one small document, and lets a server keep
// a request past its context's end.
func newTransport(dial dialFunc, config *tls.Config, chooseProxy func(*http.Request) (*url.URL, error)) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Protocols:              &protocols,
		Proxy:                  chooseProxy,
		OnProxyConnectResponse: proxyAnswered,
		DialContext:            dial,
		TLSClientConfig:        config,
		MaxIdleConns:           maxIdleConns,
		MaxIdleConnsPerHost:    maxIdleConns,
		IdleConnTimeout:        idleConnTimeout,
		MaxResponseHeaderBytes: maxHead,
	}
}

// dialWithin returns what dials a connection that must be ready for its first request within a time. net/http lets a dial go on
// when the request that asked for it ends: without a limit, a proxy or server that never answers a handshake would keep the
// connection forever.
func dialWithin(requestTimeout time.Duration) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		deadline := time.Now().Add(requestTimeout)
		address = cmp.Or(traceOf(ctx).connectTo, address)
		dialed, err := (&net.Dialer{Deadline: deadline}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		_ = dialed.SetDeadline(deadline) // until it is ready, see withTrace
		connection := &conn{Conn: dialed}
		traceOf(ctx).dialed.Store(connection)
		return connection, nil
	}
}
