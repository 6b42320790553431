package client

import "net/http"

// CloseIdleConnections closes the connections that no read uses.
func (c *Client) CloseIdleConnections() { c.pooled.Load().closeIdle() }

// ServeHTTP has a round tripper answer all requests in plain HTTP, without a network, so that time can be fake.
func (c *Client) ServeHTTP(server http.RoundTripper) {
	newPool := c.newPool
	c.newPool = func() *transports {
		pool := newPool()
		pool.otherOrigins.RegisterProtocol("http", server)
		return pool
	}
	c.dropConnections()
	c.unpooled.otherOrigins.RegisterProtocol("http", server)
}
