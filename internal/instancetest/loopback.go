package instancetest

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
)

// TB is what this package needs of a *testing.T. It is spelled out so that programs which use the package do not link the testing package
// and its flags.
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
	// ClientCertificate tells whether the client showed a certificate. Every TLS instance asks for one, so a certificate that strays to the
	// wrong origin shows up here.
	ClientCertificate bool
}

// loopback is the server under an instance and a proxy. It logs requests and counts connections.
type loopback struct {
	server  *httptest.Server
	handler http.Handler
	cancel  context.CancelFunc

	mu           sync.Mutex
	requests     []Request
	connections  int
	underWay     int
	peakUnderWay int
}

func listen(address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("starting a loopback server: %w", err)
	}
	return listener, nil
}

// listenHTTP starts serving HTTP/1.1, as the service does, over TLS if there is a configuration for it.
func listenHTTP(address string, config *tls.Config, handler http.Handler) (*loopback, error) {
	listener, err := listen(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &loopback{handler: handler, cancel: cancel}
	l.server = &httptest.Server{Listener: listener, TLS: config, Config: &http.Server{
		Handler: http.HandlerFunc(l.serve),
		// Ending this context is what ends the steps that wait.
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
		ConnState: l.count,
		ErrorLog:  log.New(io.Discard, "", 0),
	}}
	if config == nil {
		l.server.Start()
	} else {
		l.server.StartTLS()
	}
	return l, nil
}

// serve logs the request and hands it on.
func (l *loopback) serve(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.underWay++
	l.peakUnderWay = max(l.peakUnderWay, l.underWay)
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

	defer func() {
		l.mu.Lock()
		l.underWay--
		l.mu.Unlock()
	}()
	l.handler.ServeHTTP(w, r)
}

// count counts the connection when it is new.
func (l *loopback) count(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		l.mu.Lock()
		l.connections++
		l.mu.Unlock()
	}
}

// Origin returns scheme, host and port, as in "http://127.0.0.1:54321".
func (l *loopback) Origin() string { return l.server.URL }

// Address returns host and port, as in "127.0.0.1:54321".
func (l *loopback) Address() string { return l.server.Listener.Addr().String() }

// Requests returns the requests that have arrived, in order. A request is logged before it is answered.
func (l *loopback) Requests() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.requests)
}

// PeakRequests returns the highest number of requests that were under way at once.
func (l *loopback) PeakRequests() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.peakUnderWay
}

// Connections returns how many TCP connections were accepted.
func (l *loopback) Connections() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.connections
}

// CloseClientConnections closes every connection there is, busy or not, but for the tunnels of a proxy. New ones are accepted.
func (l *loopback) CloseClientConnections() { l.server.CloseClientConnections() }

// Close stops the server, ends what is waiting, and returns when all requests have ended. A step must not call it.
func (l *loopback) Close() {
	l.cancel()
	l.CloseClientConnections() // The server waits for those that are busy.
	l.server.Close()
}

type connKey struct{}

// connOf returns the connection a request came on: a *tls.Conn or a *net.TCPConn.
func connOf(r *http.Request) net.Conn {
	return r.Context().Value(connKey{}).(net.Conn)
}

// tcp returns the TCP connection under c.
func tcp(c net.Conn) *net.TCPConn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return c.(*net.TCPConn)
}

// ReserveAddress returns a loopback address that nothing listens on, for an instance that is started later (see [WithListenAddress]) or
// never. Its port is not among those that systems use for outgoing connections. Another port stands for it until the test ends, so that no
// other test gets the address.
func ReserveAddress(t TB) string {
	t.Helper()
	const first, last = 20000, 26000
	address := func(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
	for range 1000 {
		port := first + rand.IntN(last-first)
		reservation, err := listen(address(port + last - first))
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = reservation.Close() })
		if listener, err := listen(address(port)); err == nil {
			_ = listener.Close()
			return address(port)
		}
	}
	t.Fatalf("no free port between %d and %d", first, last)
	return ""
}
