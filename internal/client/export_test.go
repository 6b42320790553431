package client

import (
	"context"
	"net"
	"net/http"
)

// CloseIdleConnections closes the connections that no read uses.
func (c *Client) CloseIdleConnections() {
	c.pooled.sameOrigin.CloseIdleConnections()
	c.pooled.otherOrigins.CloseIdleConnections()
}

// ServeHTTP has a round tripper answer all requests in plain HTTP, without a network, so that time can be fake.
func (c *Client) ServeHTTP(server http.RoundTripper) {
	c.pooled.otherOrigins.RegisterProtocol("http", server)
	c.unpooled.otherOrigins.RegisterProtocol("http", server)
}

// DialWith has reads, but not waits, open connections in another way, so that time can be fake.
func (c *Client) DialWith(dial func() net.Conn) {
	c.pooled.otherOrigins.DialContext = func(context.Context, string, string) (net.Conn, error) { return dial(), nil }
}
