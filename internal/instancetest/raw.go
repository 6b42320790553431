package instancetest

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"sync"
)

// RawServer is a TCP server on loopback that knows no HTTP: for what a [Server], which has to read a request before it can
// misbehave, is too polite for.
type RawServer struct {
	listener net.Listener
	config   *tls.Config
	serve    func(net.Conn)
	caPEM    string
	running  sync.WaitGroup // The accept loop and connections.

	mu          sync.Mutex
	closed      bool
	connections int
	open        map[net.Conn]struct{}
}

// NewRaw starts a server for a test, which fails when it cannot be started, and closes it when the test ends. Every
// connection is given to serve, in a goroutine of its own, and closed when serve returns. Serve must return when the
// connection can no longer be read: when the client leaves or the server is closed.
func NewRaw(t TB, serve func(net.Conn)) *RawServer {
	t.Helper()
	return startRaw(t, nil, serve)
}

// NewRawTLS is [NewRaw] with TLS and the valid certificate. The protocols, such as "h2", are offered. Serve gets
// connections whose handshake is complete.
func NewRawTLS(t TB, serve func(net.Conn), protocols ...string) *RawServer {
	t.Helper()
	authority, err := certificates()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return startRaw(t, &tls.Config{
		Certificates: []tls.Certificate{authority.leaves[CertificateValid]},
		NextProtos:   protocols,
	}, serve)
}

func startRaw(t TB, config *tls.Config, serve func(net.Conn)) *RawServer {
	t.Helper()
	authority, err := certificates()
	if err != nil {
		t.Fatalf("%v", err)
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("starting a raw server: %v", err)
	}
	r := &RawServer{listener: listener, config: config, serve: serve, caPEM: authority.caPEM, open: make(map[net.Conn]struct{})}
	r.running.Go(r.accept)
	t.Cleanup(r.Close)
	return r
}

func (r *RawServer) accept() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return // Because Close was called.
		}
		r.mu.Lock()
		if r.closed {
			r.mu.Unlock()
			_ = c.Close()
			return
		}
		r.connections++
		r.open[c] = struct{}{}
		// Under the lock that Close takes, so never after its Wait began.
		r.running.Go(func() { r.handle(c) })
		r.mu.Unlock()
	}
}

func (r *RawServer) handle(c net.Conn) {
	defer func() {
		r.mu.Lock()
		delete(r.open, c)
		r.mu.Unlock()
		_ = c.Close()
	}()
	if r.config == nil {
		r.serve(c)
		return
	}
	secured := tls.Server(c, r.config)
	if secured.HandshakeContext(context.Background()) != nil {
		return // The client did not want to; Close ends a handshake that stands still.
	}
	r.serve(secured)
	// Not Close, which the client could see as a reset: it may have sent more than was read.
	_ = secured.CloseWrite()
}

// Address returns host and port, as in "127.0.0.1:54321".
func (r *RawServer) Address() string { return r.listener.Addr().String() }

// Origin returns scheme, host and port. A server without TLS can be asked with https too: it then speaks to a client
// that wants a handshake.
func (r *RawServer) Origin() string {
	if r.config != nil {
		return "https://" + r.Address()
	}
	return "http://" + r.Address()
}

// CACertPEM returns the certificate of the CA, the same for all servers of a process.
func (r *RawServer) CACertPEM() string { return r.caPEM }

// Connections returns how many connections were accepted.
func (r *RawServer) Connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.connections
}

// Close stops the server, closes its connections, and returns when all of them have ended.
func (r *RawServer) Close() {
	r.mu.Lock()
	r.closed = true
	for c := range r.open {
		_ = c.Close()
	}
	r.mu.Unlock()
	_ = r.listener.Close()
	r.running.Wait()
}

// ReadRequest reads the head of an HTTP/1 request, so that closing the connection afterwards does not reset it.
func ReadRequest(c net.Conn) error {
	lines := bufio.NewReader(c)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		if line == "\r\n" {
			return nil
		}
	}
}

// Await reads until the client leaves or the server is closed.
func Await(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// ResetConnection closes a connection in such a way that the other side sees it reset.
func ResetConnection(c net.Conn) {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}
