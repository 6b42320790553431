package instancetest

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync"
	"time"
)

// RawServer is a TCP server on loopback that knows no HTTP. It can misbehave before a request has arrived.
type RawServer struct{ address string }

// NewRaw starts a server for a test, and closes it when the test ends. Every connection is given to serve, in a
// goroutine of its own, and closed when serve returns. After a minute, it can no longer be read.
func NewRaw(t TB, serve func(net.Conn)) *RawServer {
	t.Helper()
	listener, err := listen()
	if err != nil {
		t.Fatalf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return // because the test has ended
			}
			running.Go(func() {
				defer c.Close()
				defer context.AfterFunc(ctx, func() { _ = c.Close() })()
				_ = c.SetDeadline(time.Now().Add(time.Minute))
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		running.Wait()
	})
	return &RawServer{listener.Addr().String()}
}

// NewRawTLS is [NewRaw] with TLS and the valid certificate. Change, which may be nil, changes the configuration. Serve
// gets connections whose handshake is complete.
func NewRawTLS(t TB, serve func(net.Conn), change func(*tls.Config)) *RawServer {
	t.Helper()
	config := serverTLS(CertificateValid, tls.NoClientCert)
	if change != nil {
		change(config)
	}
	return NewRaw(t, func(c net.Conn) {
		secured := tls.Server(c, config)
		if secured.HandshakeContext(context.Background()) != nil {
			return // the client did not want to, or the test has ended
		}
		serve(secured)
		_ = secured.CloseWrite() // after Close, the client could see a reset, because it may have sent more than was read
	})
}

// Address returns host and port.
func (s *RawServer) Address() string { return s.address }

// Await reads until the client leaves or the server is closed.
func Await(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// ResetConnection closes a connection in such a way that the other side sees it reset.
func ResetConnection(c net.Conn) {
	_ = tcp(c).SetLinger(0)
	_ = tcp(c).Close()
}
