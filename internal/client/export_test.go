package client

// CloseIdleConnections closes the connections that no read uses.
func (c *Client) CloseIdleConnections() {
	c.own.CloseIdleConnections()
	c.foreign.CloseIdleConnections()
}
