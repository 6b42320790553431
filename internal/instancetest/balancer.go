package instancetest

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// Balancer leads each connection to one server for as long as the connection lives, as kube-proxy and layer-4 load balancers do.
type Balancer struct {
	*RawServer

	server      atomic.Pointer[Server]
	connections atomic.Int64
}

// NewBalancer starts a balancer in front of a server for a test, and closes it when the test ends.
func NewBalancer(t TB, server *Server) *Balancer {
	t.Helper()
	b := &Balancer{}
	b.server.Store(server)
	b.RawServer = NewRaw(t, b.join)
	return b
}

// Switch leads connections that are made from now on to another server.
func (b *Balancer) Switch(to *Server) { b.server.Store(to) }

// Connections returns how many connections were made.
func (b *Balancer) Connections() int { return int(b.connections.Load()) }

// join joins a client with a server until either side ends.
func (b *Balancer) join(client net.Conn) {
	b.connections.Add(1)
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", b.server.Load().Address())
	if err != nil {
		return
	}
	var up sync.WaitGroup
	up.Go(func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	})
	_, _ = io.Copy(client, server)
	_ = client.Close()
	up.Wait()
}
