package client

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// connection says how to connect one request, and records how far that got. [http.Transport] passes it on to the
// functions of this file in a context without the deadline of the request, so a dial may go on when that is over.
type connection struct {
	connectTo   string // the host and port to connect to instead of those of the URL, or ""
	proxy       *url.URL
	dialTimeout time.Duration

	peer       atomic.Pointer[string] // what was connected to; of several addresses, the first
	tunnelOpen atomic.Bool            // the proxy has answered CONNECT with 200
	isMade     bool                   // the request is about to be written to it
}

type connectionKey struct{}

// context returns a context for the request of the connection.
func (c *connection) context(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(context.WithValue(ctx, connectionKey{}, c), &httptrace.ClientTrace{
		ConnectDone: func(_, peer string, err error) {
			if err == nil {
				c.peer.CompareAndSwap(nil, &peer)
			}
		},
		GotConn: func(httptrace.GotConnInfo) { c.isMade = true },
	})
}

// endsAtProxy reports, of a request without a response, whether it got no further than to a proxy that speaks HTTP.
func (c *connection) endsAtProxy() bool { return speaksHTTP(c.proxy) && !c.tunnelOpen.Load() }

// speaksHTTP reports whether there is a proxy that speaks HTTP, and not SOCKS.
func speaksHTTP(proxy *url.URL) bool {
	return proxy != nil && !strings.HasPrefix(proxy.Scheme, "socks5")
}

// dial connects to a host and port, or to where the connection in the context is to go instead.
func (c *Client) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	conn := ctx.Value(connectionKey{}).(*connection) //nolint:forcetypeassert // of every request
	if conn.connectTo != "" {
		hostPort = conn.connectTo
	}
	if c.config.Dial != nil {
		return c.config.Dial(ctx, network, hostPort)
	}
	dialer := net.Dialer{Timeout: conn.dialTimeout}
	return dialer.DialContext(ctx, network, hostPort)
}

// connectRefusedError is the error of a request whose proxy did not open a tunnel.
type connectRefusedError struct{ response *http.Response }

func (*connectRefusedError) Error() string { return "the proxy did not connect" }

// checkConnectResponse looks at what a proxy answers to CONNECT. A web server may answer 200 with a page.
func checkConnectResponse(ctx context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode != http.StatusOK || response.ContentLength > 0 {
		return &connectRefusedError{response}
	}
	ctx.Value(connectionKey{}).(*connection).tunnelOpen.Store(true) //nolint:forcetypeassert // of every request
	return nil
}
