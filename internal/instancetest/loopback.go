package instancetest

import (
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"
)

// TB is what this package needs of a *testing.T, so that the demo's program does not link the testing package.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Request is one request as it arrived.
type Request struct {
	Method   string
	Path     string // Without the query; empty for CONNECT.
	RawQuery string
	Host     string
	TLSName  string      // What the client asked for in the handshake (SNI); empty without TLS.
	Header   http.Header // Host is not among them.
	// ClientCertificate tells whether the client showed a certificate, which every TLS instance asks for.
	ClientCertificate bool
}

// loopback is the server under an instance and a proxy. It logs requests and counts connections.
type loopback struct {
	server  *httptest.Server
	handler http.Handler
	cancel  context.CancelFunc

	mu          sync.Mutex
	requests    []Request
	connections int
}

func listen() (net.Listener, error) {
	return new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
}

// listenHTTP starts serving HTTP/1.1, as the service does, over TLS if there is a configuration for it.
func listenHTTP(config *tls.Config, handler http.Handler) (*loopback, error) {
	listener, err := listen()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &loopback{handler: handler, cancel: cancel}
	l.server = &httptest.Server{Listener: listener, TLS: config, Config: &http.Server{
		Handler:     http.HandlerFunc(l.serve),
		BaseContext: func(net.Listener) context.Context { return ctx }, // whose end ends the steps that wait
		ConnContext: l.accepted,
		ErrorLog:    log.New(io.Discard, "", 0),
	}}
	if config == nil {
		l.server.Start()
	} else {
		l.server.StartTLS()
	}
	return l, nil
}

func (l *loopback) serve(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	state := cmp.Or(r.TLS, &tls.ConnectionState{})
	l.requests = append(l.requests, Request{
		Method:            r.Method,
		Path:              r.URL.Path,
		RawQuery:          r.URL.RawQuery,
		Host:              r.Host,
		TLSName:           state.ServerName,
		Header:            r.Header.Clone(),
		ClientCertificate: len(state.PeerCertificates) > 0,
	})
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(r.Context(), time.Minute) // so that no step of a test that fails waits for ever
	defer cancel()
	l.handler.ServeHTTP(w, r.WithContext(ctx))
}

// accepted counts a connection, and keeps it for its requests.
func (l *loopback) accepted(ctx context.Context, c net.Conn) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.connections++
	return context.WithValue(ctx, connKey{}, c)
}

// URL returns scheme, host and port, as in "http://127.0.0.1:54321". That is the base URL of an instance.
func (l *loopback) URL() string { return l.server.URL }

// Address returns host and port.
func (l *loopback) Address() string { return l.server.Listener.Addr().String() }

// Requests returns the requests that have arrived, in order. A request is logged before it is answered.
func (l *loopback) Requests() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.requests)
}

// Connections returns how many TCP connections were accepted.
func (l *loopback) Connections() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.connections
}

// Close stops the server, ends what is waiting, and returns when all requests have ended. A step must not call it.
func (l *loopback) Close() {
	l.cancel()
	l.server.CloseClientConnections() // The server waits for those that are busy.
	l.server.Close()
}

type connKey struct{}

// connOf returns the connection a request came on: a *tls.Conn or a *net.TCPConn.
func connOf(r *http.Request) net.Conn { return r.Context().Value(connKey{}).(net.Conn) }

// tcp returns the TCP connection under c.
func tcp(c net.Conn) *net.TCPConn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return c.(*net.TCPConn)
}

// ReserveAddress returns a loopback address at which nothing listens until the test ends.
// Nobody else can listen on it, because the near end of a connection has it.
func ReserveAddress(t TB) string {
	t.Helper()
	listener, err := listen()
	if err != nil {
		t.Fatalf("%v", err)
	}
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}}
	connection, err := dialer.DialContext(context.Background(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatalf("reserving an address: %v", err)
	}
	t.Cleanup(func() {
		_ = connection.Close()
		_ = listener.Close()
	})
	return connection.LocalAddr().String()
}
