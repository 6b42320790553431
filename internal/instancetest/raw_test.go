package instancetest_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"

	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func dialRaw(t *testing.T, server *it.RawServer) net.Conn {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestRawServerSpeaksFirst(t *testing.T) {
	t.Parallel()
	server := it.NewRaw(t, func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-x\r\n") })

	got, err := io.ReadAll(dialRaw(t, server))
	if err != nil || string(got) != "SSH-2.0-x\r\n" {
		t.Errorf("read %q, %v, want the banner and the end", got, err)
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

func TestRawServerReadsRequestsAndResets(t *testing.T) {
	t.Parallel()
	server := it.NewRaw(t, func(c net.Conn) {
		if it.ReadRequest(c) == nil {
			it.ResetConnection(c)
		}
	})
	c := dialRaw(t, server)
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("reading gives %v, want a reset", err)
	}
}

func TestRawServerReadRequestFailsWithoutOne(t *testing.T) {
	t.Parallel()
	result := make(chan error, 1)
	server := it.NewRaw(t, func(c net.Conn) { result <- it.ReadRequest(c) })
	_ = dialRaw(t, server).Close()
	if err := <-result; !errors.Is(err, io.EOF) {
		t.Errorf("%v, want that the connection ended", err)
	}
}

func TestRawServerTLS(t *testing.T) {
	t.Parallel()
	server := it.NewRawTLS(t, func(c net.Conn) { _, _ = io.WriteString(c, "hello") }, "h2")
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(server.CACertPEM()))
	c := tls.Client(dialRaw(t, server), &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{"h2"}})

	got, err := io.ReadAll(c)
	if err != nil || string(got) != "hello" {
		t.Errorf("read %q, %v, want hello", got, err)
	}
	if protocol := c.ConnectionState().NegotiatedProtocol; protocol != "h2" {
		t.Errorf("protocol %q, want h2", protocol)
	}
	if want := "https://" + server.Address(); server.Origin() != want {
		t.Errorf("origin %q, want %q", server.Origin(), want)
	}
}

// Close ends what waits, on both sides, and also a handshake that stands still.
func TestRawServerClose(t *testing.T) {
	t.Parallel()
	servers := map[string]*it.RawServer{
		"plain": it.NewRaw(t, it.Await),
		"TLS":   it.NewRawTLS(t, it.Await),
	}
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dialRaw(t, server)
			server.Close()
			if _, err := c.Read(make([]byte, 1)); err == nil {
				t.Error("the connection is still open")
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if late, err := new(net.Dialer).DialContext(ctx, "tcp", server.Address()); err == nil {
				_ = late.Close()
				t.Error("connections are still accepted")
			}
		})
	}
}
