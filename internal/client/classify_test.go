package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"os"
	"syscall"
	"testing"
	"time"
)

// What systems and networks do that a loopback server cannot bring about.
func TestErrorsOfTheSystemAreClassified(t *testing.T) {
	t.Parallel()
	const closed = "the server closed or reset the connection before it had answered"
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 54321}
	call := func(name string, number syscall.Errno) error { return os.NewSyscallError(name, number) }
	dial := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Source: local, Addr: local, Err: err}
	}
	broken := func(err error) error {
		return fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", &net.OpError{Op: "read", Source: local, Addr: local, Err: err})
	}
	tests := map[string]struct {
		err       error
		at        stage
		kind      Kind
		transient bool
		reason    string
	}{
		"no route":              {dial(call("connect", syscall.EHOSTUNREACH)), stageConnecting, KindConnect, true, "no route to host"},
		"the system's limit":    {dial(call("connect", syscall.ETIMEDOUT)), stageConnecting, KindConnect, true, "connection timed out"},
		"reset by a dial":       {dial(call("connect", syscall.ECONNRESET)), stageConnecting, KindBroken, true, closed},
		"invalid port":          {dial(&net.AddrError{Err: "invalid port", Addr: "h:99999"}), stageResolving, KindConnect, true, "invalid port"},
		"no connection in time": {dial(os.ErrDeadlineExceeded), stageConnecting, KindTimeout, true, "no connection in time"},
		"never looked up":       {context.DeadlineExceeded, stageResolving, KindNameServer, true, "the host name could not be resolved: the name servers did not answer"},
		"host gone":             {broken(call("read", syscall.ETIMEDOUT)), stageSent, KindBroken, true, closed},
		"broken pipe":           {broken(call("write", syscall.EPIPE)), stageSent, KindBroken, true, closed},
		"our alert":             {&net.OpError{Op: "local error", Err: errors.New("tls: bad record MAC")}, stageHandshaking, KindTLS, false, "the TLS handshake failed: bad record MAC"},
		"spoke first":           {errors.New("net/http: HTTP/1.x transport connection broken: readLoopPeekFailLocked: %!w(<nil>)"), stageSent, KindNotHTTP, false, "the response is not valid HTTP: it came before the request"},
		"spoke first, noticed":  {broken(net.ErrClosed), stageSent, KindNotHTTP, false, "the response is not valid HTTP: it came before the request"},
		"something else":        {errors.New("net/http: something\x00 else"), stageSent, KindNotHTTP, false, "the response is not valid HTTP: something else"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trace := &requestTrace{}
			trace.reach(test.at)
			r := &reading{secrets: newRedactor(nil, nil)}
			failure := r.classify(t.Context(), test.err, trace)
			if failure.Kind != test.kind || failure.transient != test.transient || failure.Reason != test.reason || !errors.Is(failure, test.err) {
				t.Errorf("kind %d, transient %t: %s\nwant kind %d, transient %t: %s", failure.Kind, failure.transient, failure.Reason, test.kind, test.transient, test.reason)
			}
		})
	}
}

// net/http may dial on for a request that got another connection meanwhile.
func TestTraceNeverGoesBack(t *testing.T) {
	t.Parallel()
	trace := &requestTrace{}
	for _, s := range []stage{stageSent, stageConnecting, stageHandshaking} {
		if trace.reach(s); trace.at() != stageSent {
			t.Errorf("the trace is at stage %d", trace.at())
		}
	}
}

// What becomes of such a late connection says nothing of the request.
func TestLateConnectionIsNotThatOfTheRequest(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	used, other := net.Pipe()
	defer used.Close()
	defer other.Close()
	ctx, trace := withTrace(t.Context())
	httptrace.ContextClientTrace(ctx).GotConn(httptrace.GotConnInfo{Conn: &conn{Conn: used}})
	late, err := (&Client{requestTimeout: time.Minute}).dial(ctx, "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	_ = listener.Close() // and with it the connection, which nobody has accepted
	if _, err := late.Read(make([]byte, 1)); err == nil {
		t.Fatal("the late connection has not ended")
	}
	trace.wantCertificate()
	if trace.ended() || trace.certificateWanted.Load() {
		t.Errorf("ended: %t, certificate wanted: %t", trace.ended(), trace.certificateWanted.Load())
	}
}

// When a connection from the pool has ended, net/http makes the request once more, on another connection.
func TestTraceBeginsAgainWithAnotherConnection(t *testing.T) {
	t.Parallel()
	ctx, trace := withTrace(t.Context())
	hooks := httptrace.ContextClientTrace(ctx)
	hooks.GetConn("")
	hooks.GotConn(httptrace.GotConnInfo{Conn: &conn{Conn: &net.TCPConn{}}, Reused: true})
	hooks.GetConn("")
	trace.wantCertificate()
	if trace.at() >= stageConnecting || trace.reused.Load() || !trace.certificateWanted.Load() {
		t.Errorf("the trace is at stage %d, reused: %t, certificate wanted: %t", trace.at(), trace.reused.Load(), trace.certificateWanted.Load())
	}
}
