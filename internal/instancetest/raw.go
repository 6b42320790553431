package instancetest

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync"
)

// RawServer is a TCP server on loopback that knows no HTTP: for what a [Server], which has to read a request before it can
// misbehave, is too polite for.
type RawServer struct {
	scheme  string
	address string
	close   func()
}

// NewRaw starts a server for a test, which fails when it cannot be started, and closes it when the test ends. Every
// connection is given to serve, in a goroutine of its own, and closed when serve returns. Serve must return when the
// connection can no longer be read: when the client leaves or the server is closed.
func NewRaw(t TB, serve func(net.Conn)) *RawServer {
	t.Helper()
	return startRaw(t, "http", serve)
}

// NewRawTLS is [NewRaw] with TLS and the valid certificate. The protocols, such as "h2", are offered. Serve gets
// connections whose handshake is complete.
func NewRawTLS(t TB, serve func(net.Conn), protocols ...string) *RawServer {
	t.Helper()
	config := serverTLS(CertificateValid, tls.NoClientCert)
	config.NextProtos = protocols
	return startRaw(t, "https", func(c net.Conn) {
		secured := tls.Server(c, config)
		if secured.HandshakeContext(context.Background()) != nil {
			return // The client did not want to, or the server is closed.
		}
		serve(secured)
		// Not Close, which the client could see as a reset: it may have sent more than was read.
		_ = secured.CloseWrite()
	})
}

func startRaw(t TB, scheme string, serve func(net.Conn)) *RawServer {
	t.Helper()
	listener, err := listen("127.0.0.1:0")
	if err != nil {
		t.Fatalf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return // Because Close was called.
			}
			running.Go(func() {
				defer c.Close()
				defer context.AfterFunc(ctx, func() { _ = c.Close() })()
				serve(c)
			})
		}
	})
	s := &RawServer{scheme, listener.Addr().String(), func() {
		cancel()
		_ = listener.Close()
		running.Wait()
	}}
	t.Cleanup(s.Close)
	return s
}

// Origin returns scheme, host and port, as in "http://127.0.0.1:54321".
func (s *RawServer) Origin() string { return s.scheme + "://" + s.address }

// Address returns host and port, as in "127.0.0.1:54321".
func (s *RawServer) Address() string { return s.address }

// Close ends all connections, and returns when serve has returned for each. Closing again does nothing.
func (s *RawServer) Close() { s.close() }

// Await reads until the client leaves or the server is closed.
func Await(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// ResetConnection closes a connection in such a way that the other side sees it reset.
func ResetConnection(c net.Conn) {
	_ = tcp(c).SetLinger(0)
	_ = tcp(c).Close()
}
