package instancetest

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

// TB is what this package needs of a *testing.T. It is spelled out so that programs which use the package do not
// link the testing package and its flags.
type TB interface {
	Helper()
	Cleanup(func())
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
	Proto    string      // "HTTP/1.1" or "HTTP/1.0".
	// ClientCertificate tells whether the client showed a certificate. Every TLS instance asks for one, so a
	// certificate that strays to the wrong origin shows up here.
	ClientCertificate bool
}

// loopback is the server under an instance, a proxy and a [RawServer]: it logs requests, counts connections, and waits
// at the end for all that it started.
type loopback struct {
	listener net.Listener
	config   *tls.Config  // Nil for plain HTTP.
	server   *http.Server // Nil for a raw server.
	handler  http.Handler
	cancel   context.CancelFunc
	shut     sync.Once
	running  sync.WaitGroup // The accept loop, connections and requests.

	mu           sync.Mutex
	closed       bool
	requests     []Request
	connections  int
	underWay     int
	peakUnderWay int
	open         map[*conn]struct{}
}

func listen(address string, config *tls.Config) (*loopback, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("starting a loopback server: %w", err)
	}
	return &loopback{listener: listener, config: config, cancel: func() {}, open: make(map[*conn]struct{})}, nil
}

// listenHTTP starts serving HTTP/1.1, as the service does.
func listenHTTP(address string, config *tls.Config, handler http.Handler) (*loopback, error) {
	l, err := listen(address, config)
	if err != nil {
		return nil, err
	}
	l.handler = handler
	var ctx context.Context
	ctx, l.cancel = context.WithCancel(context.Background())

	var protocols http.Protocols
	protocols.SetHTTP1(true)
	l.server = &http.Server{
		Handler:   http.HandlerFunc(l.serve),
		TLSConfig: config,
		Protocols: &protocols,
		// Ending this context is what ends the steps that wait.
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
		ConnState: l.track,
		// The faults are on purpose: net/http's complaints about them would only confuse a test's output.
		ErrorLog: log.New(io.Discard, "", 0),
		// "OPTIONS *" is a request like any other here: logged, and answered 404.
		DisableGeneralOptionsHandler: true,
	}
	l.running.Go(func() {
		// Both return only because close was called, which is not an error.
		if config == nil {
			_ = l.server.Serve(acceptor{l.listener, l})
		} else {
			_ = l.server.ServeTLS(acceptor{l.listener, l}, "", "")
		}
	})
	return l, nil
}

// serve logs the request and hands it on.
func (l *loopback) serve(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	// Added under the lock that close takes, so never after its Wait began.
	l.running.Add(1)
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
		Proto:             r.Proto,
		ClientCertificate: len(state.PeerCertificates) > 0,
	})
	l.mu.Unlock()

	defer func() {
		l.mu.Lock()
		l.underWay--
		l.mu.Unlock()
		l.running.Done()
	}()
	l.handler.ServeHTTP(w, r)
}

// track follows the connections' lives. A client has the last word in a handshake: only a request, or the end of the
// connection, tells that it accepted the certificate.
func (l *loopback) track(nc net.Conn, state http.ConnState) {
	c := tracked(nc)
	if state == http.StateNew {
		l.running.Add(1)
		return
	}
	if t, ok := nc.(*tls.Conn); ok && t.ConnectionState().HandshakeComplete {
		l.mu.Lock()
		c.accepted = true
		l.mu.Unlock()
	}
	if state == http.StateClosed || state == http.StateHijacked {
		c.finish.Do(l.running.Done)
	}
}

// Origin returns scheme, host and port, as in "http://127.0.0.1:54321".
func (l *loopback) Origin() string {
	scheme := "http"
	if l.config != nil {
		scheme = "https"
	}
	return scheme + "://" + l.Address()
}

// Address returns host and port, as in "127.0.0.1:54321".
func (l *loopback) Address() string {
	return l.listener.Addr().String()
}

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

// CloseClientConnections closes every connection there is, busy or not. New ones are accepted.
func (l *loopback) CloseClientConnections() {
	l.mu.Lock()
	open := slices.Collect(maps.Keys(l.open))
	l.mu.Unlock()
	for _, c := range open {
		_ = c.end()
	}
}

// Close stops the server, ends what is waiting, and returns when all of it has ended. Closing again does nothing.
// It must not be called by a step, which it would wait for.
func (l *loopback) Close() {
	l.shut.Do(func() {
		l.mu.Lock()
		l.closed = true
		l.mu.Unlock()
		l.cancel()
		if l.server != nil {
			_ = l.server.Close()
		}
		// What Serve has not adopted yet, or a step has hijacked, the server does not close. The listener is
		// closed again in case Serve never got to know it.
		_ = l.listener.Close()
		l.CloseClientConnections()
		l.running.Wait()
	})
}

// acceptor hands out tracked connections.
type acceptor struct {
	net.Listener
	l *loopback
}

// Accept counts the connection.
func (a acceptor) Accept() (net.Conn, error) {
	nc, err := a.Listener.Accept()
	if err != nil {
		return nil, err
	}
	a.l.mu.Lock()
	defer a.l.mu.Unlock()
	if a.l.closed {
		_ = nc.Close()
		return nil, net.ErrClosed
	}
	a.l.connections++
	c := &conn{Conn: nc, l: a.l}
	a.l.open[c] = struct{}{}
	return c, nil
}

// conn is a TCP connection that tells its loopback when it is closed.
type conn struct {
	net.Conn
	l      *loopback
	finish sync.Once

	// Under the loopback's lock.
	accepted  bool // The TLS handshake is known to be complete.
	lingering bool
}

// Close is for net/http; what closes a connection on purpose calls end.
func (c *conn) Close() error {
	if c.linger() {
		return nil
	}
	return c.end()
}

// linger lets a client that was refused in the handshake read why: closing with its request unread would reset the
// connection, and the reset may overtake the alert. It reports whether the connection will end by itself.
func (c *conn) linger() bool {
	t, ok := c.Conn.(*net.TCPConn)
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	if c.lingering {
		return true
	}
	if !ok || c.l.config == nil || c.l.server == nil || c.accepted || c.l.closed || t.CloseWrite() != nil {
		return false
	}
	c.lingering = true
	c.l.running.Go(func() {
		_, _ = io.Copy(io.Discard, t)
		_ = c.end()
	})
	return true
}

// end closes the connection, which is then no longer counted as open.
func (c *conn) end() error {
	c.l.mu.Lock()
	delete(c.l.open, c)
	c.l.mu.Unlock()
	return c.Conn.Close()
}

// reset closes the connection in such a way that the other side sees it reset.
func (c *conn) reset() {
	if t, ok := c.Conn.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.end()
}

type connKey struct{}

// connOf returns the connection a request came on: a *tls.Conn or a *conn.
func connOf(r *http.Request) net.Conn {
	return r.Context().Value(connKey{}).(net.Conn)
}

// tracked returns the TCP connection under nc.
func tracked(nc net.Conn) *conn {
	if t, ok := nc.(*tls.Conn); ok {
		nc = t.NetConn()
	}
	return nc.(*conn)
}

// reserved are the ports this process has given out.
var reserved sync.Map

// ReserveAddress returns a loopback address that nothing listens on, for an instance that is started later (see
// [WithListenAddress]) or never. The port lies below the ranges from which systems take the ports of outgoing
// connections: a port from there could be in use again by the time it is wanted.
func ReserveAddress(t TB) string {
	t.Helper()
	const first, last = 20000, 32000
	for range 1000 {
		port := first + rand.IntN(last-first)
		if _, taken := reserved.LoadOrStore(port, true); taken {
			continue
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
		if err != nil {
			continue
		}
		_ = listener.Close()
		return address
	}
	t.Fatalf("no free port between %d and %d", first, last)
	return ""
}
