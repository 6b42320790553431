package client

import "net/http"

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
