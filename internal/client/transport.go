package client

import (
	"context"
	"crypto/tls"
	"maps"
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
	// maxResponseHeaderBytes limits what is read before a body.
	maxResponseHeaderBytes = 256 << 10
)

// newTransport returns a transport that the reads of a client share.
//
// It speaks HTTP/1.1 only: HTTP/2 gains nothing for one small document, and lets a server keep a request past its
// context's end.
func (c *Client) newTransport(config *tls.Config, chooseProxy func(*http.Request) (*url.URL, error)) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Protocols:              &protocols,
		Proxy:                  chooseProxy,
		OnProxyConnectResponse: proxyAnswered,
		DialContext:            c.dial,
		TLSClientConfig:        config,
		MaxIdleConns:           maxIdleConns,
		MaxIdleConnsPerHost:    maxIdleConns,
		IdleConnTimeout:        idleConnTimeout,
		MaxResponseHeaderBytes: maxResponseHeaderBytes,
	}
}

// dial returns a connection that must be ready for its first request within the request timeout. net/http lets a dial
// go on when the request that asked for it ends: without a limit, a proxy or server that never answers a handshake
// would keep the connection forever.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	deadline := time.Now().Add(c.requestTimeout)
	dialed, err := (&net.Dialer{Deadline: deadline}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	_ = dialed.SetDeadline(deadline) // until it is ready, see newTrip
	connection := &conn{Conn: dialed}
	tripOf(ctx).dialed.Store(connection)
	return connection, nil
}

// roundTrip makes one request. Extra headers and the client certificate go to the origin that the read names, and to
// no other.
func (r *reading) roundTrip(ctx context.Context, target *url.URL) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", r.userAgent)
	transport := r.foreign
	if originOf(target) == r.BaseURL.origin {
		transport = r.own
		maps.Copy(request.Header, r.Headers)
		if host := request.Header.Get("Host"); host != "" {
			request.Host = host // net/http ignores the header itself
		}
	}
	return transport.RoundTrip(request)
}
