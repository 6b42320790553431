package client

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"
)

// conn is a connection that records whether the other side ended it: net/http reports a response head that was cut
// short as malformed.
type conn struct {
	net.Conn
	ended atomic.Bool
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil && !errors.Is(err, net.ErrClosed) { // which is net/http closing it
		c.ended.Store(true)
	}
	return n, err
}

// stage is how far a request has come.
type stage int32

const (
	stageNone stage = iota // the request waits for a connection
	stageResolving
	stageConnecting
	stageHandshaking
	stageSent
	stageAnswered
)

// requestTrace records what the errors of net/http do not tell about one request.
type requestTrace struct {
	// connectTo is where the request connects to instead of its own host and port, or "".
	connectTo string
	// deadline is when the attempt ends.
	deadline time.Time
	// cacheAge is how many seconds ago the cache that answered got its answer, or 0.
	cacheAge uint64
	stage    atomic.Int32
	// used is the connection that the request is sent on.
	used atomic.Pointer[conn]
	// reused is true if the connection has served other requests before.
	reused atomic.Bool
	// proxy is the proxy that the request goes through, or nil, and proxyPassed is true once the connection reaches
	// past it.
	proxy       atomic.Pointer[url.URL]
	proxyPassed atomic.Bool
	// certificateWanted is true if the server asked for a client certificate and has not answered yet: it may refuse
	// the one that it got, or none.
	certificateWanted atomic.Bool
}

type traceKey struct{}

// traceOf returns the trace of the request for which net/http calls us: it keeps the values of the request's context. Any other
// context has none, which is a fault of this package.
func traceOf(ctx context.Context) *requestTrace { return ctx.Value(traceKey{}).(*requestTrace) }

// withTrace returns a context for one request, which may connect to another address than its own, and the trace of that
// request.
func withTrace(ctx context.Context, connectTo string) (context.Context, *requestTrace) {
	t := &requestTrace{connectTo: connectTo}
	t.deadline, _ = ctx.Deadline()
	ctx = context.WithValue(ctx, traceKey{}, t)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { // once more if the server had closed a connection from the pool
			t.stage.Store(int32(stageNone))
			t.used.Store(nil)
			t.reused.Store(false)
			t.proxyPassed.Store(false)
		},
		DNSStart:     func(httptrace.DNSStartInfo) { t.reach(stageResolving) },
		ConnectStart: func(string, string) { t.reach(stageConnecting) },
		TLSHandshakeStart: func() {
			t.reach(stageHandshaking)
			if proxy := t.proxy.Load(); proxy != nil && proxy.Scheme != "https" {
				t.proxyPassed.Store(true)
			}
		},
		GotConn: func(info httptrace.GotConnInfo) {
			_ = info.Conn.SetDeadline(time.Time{}) // from here on the request's context counts
			t.used.Store(innermost(info.Conn))
			t.reused.Store(info.Reused)
			t.proxyPassed.Store(true)
			t.reach(stageSent)
		},
		// Whatever breaks from here on has nothing to do with the certificate.
		GotFirstResponseByte: func() { t.certificateWanted.Store(false) },
	}), t
}

// innermost returns our connection below TLS, of which there are two layers through an https proxy.
func innermost(c net.Conn) *conn {
	for secure, ok := c.(*tls.Conn); ok; secure, ok = c.(*tls.Conn) {
		c = secure.NetConn()
	}
	connection, _ := c.(*conn)
	return connection
}

// reach records a stage of the connection at hand. It does not go back to an earlier one: see used.
func (t *requestTrace) reach(s stage) {
	for {
		reached := t.stage.Load()
		if reached >= int32(s) || t.stage.CompareAndSwap(reached, int32(s)) {
			return
		}
	}
}

func (t *requestTrace) at() stage { return stage(t.stage.Load()) }

// ended tells whether the other side ended the connection that the request is on.
func (t *requestTrace) ended() bool {
	connection := t.used.Load()
	return connection != nil && connection.ended.Load()
}

// wantCertificate records that the server asked for a client certificate, unless the request is on another connection.
func (t *requestTrace) wantCertificate() {
	if t.at() < stageSent {
		t.certificateWanted.Store(true)
	}
}

// atProxy tells whether the request got no further than its proxy.
func (t *requestTrace) atProxy() bool { return t.proxy.Load() != nil && !t.proxyPassed.Load() }
