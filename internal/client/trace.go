package client

import (
	"context"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"
)

// stage is the progress of a request.
type stage int32

const (
	stageNone stage = iota // the request waits for a connection
	stageResolving
	stageConnecting
	stageHandshaking
	stageSent
	stageAnswered
)

// requestTrace records the progress of one request, which net/http's errors leave out.
type requestTrace struct {
	// connectTo is the host and port to connect to in place of the URL's, or "".
	connectTo string
	redact    redactor
	// deadline is when the attempt ends.
	deadline time.Time
	// age is that of the response. Set by get.
	age   cacheAge
	stage atomic.Int32
	// reused is true if the connection has served other requests before.
	reused atomic.Bool
	// proxy is the proxy of the request, or nil.
	proxy atomic.Pointer[url.URL]
	// answered is true once the first byte of a response has arrived.
	answered atomic.Bool
	// proxyPassed is true once the connection goes beyond the proxy.
	proxyPassed atomic.Bool
	// certificateWanted is true from when the server asks for a client certificate, and may refuse it, until it responds.
	certificateWanted atomic.Bool
}

type traceKey struct{}

// traceOf returns the trace in ctx, or one that nobody reads: crypto/tls renegotiates with a context of its own.
func traceOf(ctx context.Context) *requestTrace {
	if trace, ok := ctx.Value(traceKey{}).(*requestTrace); ok {
		return trace
	}
	return &requestTrace{redact: newRedactor(nil, nil)}
}

// withTrace returns a context that traces one request, and the trace.
func withTrace(ctx context.Context, connectTo string, redact redactor) (context.Context, *requestTrace) {
	t := &requestTrace{connectTo: connectTo, redact: redact}
	t.deadline, _ = ctx.Deadline()
	ctx = context.WithValue(ctx, traceKey{}, t)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { // called again if a pooled connection turns out to be closed
			t.stage.Store(int32(stageNone))
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
			_ = info.Conn.SetDeadline(time.Time{}) // from here on, the request's context limits it
			t.reused.Store(info.Reused)
			t.proxyPassed.Store(true)
			t.reach(stageSent)
		},
		GotFirstResponseByte: func() {
			t.answered.Store(true)
			t.certificateWanted.Store(false) // later failures have nothing to do with it
		},
	}), t
}

// reach records a stage. It never goes back: net/http may still dial while the request uses another connection.
func (t *requestTrace) reach(s stage) {
	for {
		reached := t.stage.Load()
		if reached >= int32(s) || t.stage.CompareAndSwap(reached, int32(s)) {
			return
		}
	}
}

func (t *requestTrace) at() stage { return stage(t.stage.Load()) }

// wantCertificate records that the server asked for a client certificate, unless another connection has the request.
func (t *requestTrace) wantCertificate() {
	if t.at() < stageSent {
		t.certificateWanted.Store(true)
	}
}

// atProxy reports whether the request got no further than its proxy.
func (t *requestTrace) atProxy() bool { return t.proxy.Load() != nil && !t.proxyPassed.Load() }
