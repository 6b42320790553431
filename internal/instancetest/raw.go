package instancetest

import (
	"context"
	"crypto/tls"
	"io"
	"net"
)

// RawServer is a TCP server on loopback that knows no HTTP: for what a [Server], which has to read a request before it can
// misbehave, is too polite for.
type RawServer struct {
	*loopback
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
	l, err := listen("127.0.0.1:0", config)
	if err != nil {
		t.Fatalf("%v", err)
	}
	l.running.Go(func() {
		for {
			c, err := acceptor{l.listener, l}.Accept()
			if err != nil {
				return // Because Close was called.
			}
			l.running.Go(func() { handle(c, config, serve) })
		}
	})
	t.Cleanup(l.Close)
	return &RawServer{l}
}

func handle(c net.Conn, config *tls.Config, serve func(net.Conn)) {
	defer c.Close()
	if config == nil {
		serve(c)
		return
	}
	secured := tls.Server(c, config)
	if secured.HandshakeContext(context.Background()) != nil {
		return // The client did not want to; Close ends a handshake that stands still.
	}
	serve(secured)
	// Not Close, which the client could see as a reset: it may have sent more than was read.
	_ = secured.CloseWrite()
}

// Await reads until the client leaves or the server is closed.
func Await(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// ResetConnection closes a connection in such a way that the other side sees it reset.
func ResetConnection(c net.Conn) { tracked(c).reset() }
