package client

import "net/http"

// CloseIdleConnections closes the connections that no read uses.
func (c *Client) CloseIdleConnections() { c.pooled.Load().closeIdle() }

// UseRoundTripper has a round tripper answer all requests in plain HTTP, without a network, so that time can be fake.
func (c *Client) UseRoundTripper(server http.RoundTripper) {
	newPool := c.newPooled
	c.newPooled = func() *transports {
		pool := newPool()
		pool.plain.RegisterProtocol("http", server)
		return pool
	}
	c.dropConnections()
	c.unpooled.plain.RegisterProtocol("http", server)
}
