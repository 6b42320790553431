package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"
)

// Classes are stored in states, so they change only with the cause.
func TestClassOfEachKind(t *testing.T) {
	t.Parallel()
	for class, kinds := range map[string][]*Kind{
		"no such host":               {KindResolve},
		"no response in time":        {KindNameServer, KindTimeout},
		"connection failed":          {KindConnect},
		"connection broken":          {KindBroken},
		"certificate not trusted":    {KindCertificate, KindCertificateExpired, KindCertificateName, KindCertificateSelfSigned},
		"TLS handshake failed":       {KindTLS, KindTLSVersion, KindTLSHostName, KindTLSProtocol, KindClientCertificate},
		"proxy failed":               {KindProxy, KindProxySettings},
		"not HTTP":                   {KindNotHTTP, KindHTTPSOnly, KindHTTP2Only, KindDamagedBody},
		"redirect not followed":      {KindRedirect},
		"status ":                    {KindStatus},
		"head too large":             {KindLargeHead},
		"body too large":             {KindLargeBody},
		"not JSON":                   {KindNotJSON, KindWebPage, KindEmptyBody, KindCutShort, KindEncodedBody},
		"not an instance document: ": {KindDocument, KindErrorMessage},
		"not as expected":            {KindUnexpected},
		"response from a cache":      {KindCached},
	} {
		for i, kind := range kinds {
			if got := newFailure(kind, "").Class; got != class {
				t.Errorf("kind %d of the class %q has the class %q", i+1, class, got)
			}
		}
	}
}

// What systems and networks do that a loopback server cannot bring about.
func TestErrorsOfTheSystemAreClassified(t *testing.T) {
	t.Parallel()
	const (
		closed  = "the server closed or reset the connection before it had answered"
		invalid = "the response is not valid HTTP: "
		early   = invalid + "it came before the request"
	)
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 54321}
	operation := func(name string, err error) error {
		return &net.OpError{Op: name, Net: "tcp", Source: local, Addr: local, Err: err}
	}
	dial := func(err error) error { return operation("dial", err) }
	connect := func(number syscall.Errno) error { return dial(os.NewSyscallError("connect", number)) }
	broken := func(err error) error { return fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", err) }
	read := func(err error) error { return broken(operation("read", err)) }
	tests := map[string]struct {
		err    error
		at     stage
		kind   *Kind
		reason string
	}{
		"no route":              {connect(syscall.EHOSTUNREACH), stageConnecting, KindConnect, "no route to host"},
		"the system's limit":    {connect(syscall.ETIMEDOUT), stageConnecting, KindConnect, "connection timed out"},
		"reset by a dial":       {connect(syscall.ECONNRESET), stageConnecting, KindBroken, closed},
		"invalid port":          {dial(&net.AddrError{Err: "invalid port"}), stageResolving, KindConnect, "invalid port"},
		"no connection in time": {dial(os.ErrDeadlineExceeded), stageConnecting, KindTimeout, "no connection in time"},
		"never looked up": {context.DeadlineExceeded, stageResolving, KindNameServer,
			"the host name could not be resolved: the name servers did not answer"},
		"never dialed": {context.DeadlineExceeded, stageNone, KindTimeout, "no connection in time"},
		"host gone":    {read(os.NewSyscallError("read", syscall.ETIMEDOUT)), stageSent, KindBroken, closed},
		"broken pipe":  {read(os.NewSyscallError("write", syscall.EPIPE)), stageSent, KindBroken, closed},
		"closed first": {errors.New("http: server closed idle connection"), stageSent, KindBroken, closed},
		"our alert": {operation("local error", errors.New("tls: bad record MAC")), stageHandshaking, KindTLS,
			"the TLS handshake failed: bad record MAC"},
		"spoke first":          {broken(errors.New("readLoopPeekFailLocked: %!w(<nil>)")), stageSent, KindNotHTTP, early},
		"spoke first, noticed": {read(net.ErrClosed), stageSent, KindNotHTTP, early},
		"certificate": {&tls.CertificateVerificationError{Err: errors.New("x509: signed by unknown authority (possibly because of a guess)")},
			stageHandshaking, KindCertificate, "signed by unknown authority"},
		"something else": {errors.New("net/http: something\x00 else"), stageSent, KindNotHTTP, invalid + "something else"},
	}
	for name, test := range tests {
		trace := &requestTrace{redact: newRedactor(nil, nil)}
		trace.reach(test.at)
		failure := classify(t.Context(), test.err, trace)
		if failure.Kind != test.kind || failure.Reason != test.reason || failure.transient != test.kind.transient {
			t.Errorf("%s: kind %v, reason %q, transient: %t, want %v, %q, %t",
				name, failure.Kind, failure.Reason, failure.transient, test.kind, test.reason, test.kind.transient)
		}
	}
}

// One of several addresses can time out before the attempt does.
func TestTimedOutIsTrueOfTheWholeAttempt(t *testing.T) {
	t.Parallel()
	for want, left := range map[bool]time.Duration{true: -time.Second, false: time.Hour} {
		trace := &requestTrace{redact: newRedactor(nil, nil), deadline: time.Now().Add(left)}
		trace.reach(stageConnecting)
		if got := classify(t.Context(), os.ErrDeadlineExceeded, trace).TimedOut; got != want {
			t.Errorf("%s before the end of the attempt: TimedOut is %t, want %t", left, got, want)
		}
	}
}

// net/http may still dial for a request that has been sent on another connection. What happens there, such as a server that asks for a
// certificate, is no cause of what happens to the request.
func TestTraceNeverGoesBack(t *testing.T) {
	t.Parallel()
	ctx, trace := withTrace(t.Context(), "", newRedactor(nil, nil))
	hooks := httptrace.ContextClientTrace(ctx)
	hooks.GotConn(httptrace.GotConnInfo{Conn: &net.TCPConn{}})
	hooks.DNSStart(httptrace.DNSStartInfo{})
	hooks.ConnectStart("", "")
	hooks.TLSHandshakeStart()
	trace.wantCertificate()
	if trace.at() != stageSent || trace.certificateWanted.Load() {
		t.Errorf("stage %d, certificate wanted: %t, want %d, false", trace.at(), trace.certificateWanted.Load(), stageSent)
	}
}

// When a connection from the pool has ended, net/http makes the request once more, on another connection.
func TestTraceBeginsAgainWithAnotherConnection(t *testing.T) {
	t.Parallel()
	ctx, trace := withTrace(t.Context(), "", newRedactor(nil, nil))
	trace.proxy.Store(&url.URL{})
	hooks := httptrace.ContextClientTrace(ctx)
	hooks.GetConn("")
	hooks.GotConn(httptrace.GotConnInfo{Conn: &net.TCPConn{}, Reused: true})
	hooks.GetConn("")
	trace.wantCertificate()
	if trace.at() != stageNone || trace.reused.Load() || !trace.atProxy() || !trace.certificateWanted.Load() {
		t.Errorf("stage %d, reused: %t, at the proxy: %t, certificate wanted: %t, want 0, false, true, true",
			trace.at(), trace.reused.Load(), trace.atProxy(), trace.certificateWanted.Load())
	}
}

// net/http takes the deadline of an attempt out of the context of its dial. Without it, an address that does not answer would get half
// of request_timeout before the next one has its turn, and a proxy that does not answer would keep a connection for ever.
func TestDialEndsWithItsAttempt(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for name, dial := range map[string]dialFunc{"dialFirst": dialFirst, "dialAny": dialAny} {
		over, cancel := context.WithDeadline(t.Context(), time.Now())
		defer cancel()
		ctx, _ := withTrace(over, "", newRedactor(nil, nil))
		connection, err := dial(context.WithoutCancel(ctx), "tcp", listener.Addr().String())
		if err == nil || !isTimeout(ctx, err) {
			t.Errorf("%s: connection %v and error %v, want a timeout", name, connection, err)
		}
	}
	soon, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	ctx, _ := withTrace(soon, "", newRedactor(nil, nil))
	connection, err := dialFirst(context.WithoutCancel(ctx), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { _ = connection.Close() }).Stop()
	if _, err := connection.Read(make([]byte, 1)); !isTimeout(context.WithoutCancel(ctx), err) {
		t.Errorf("a read from a silent server ended with %v, want a timeout", err)
	}
	_ = connection.Close()
}

// As many connections to one host are kept as reads can be under way at once. They are closed before servers and load balancers do so,
// after a minute or more: a request could meet the end.
func TestIdleConnectionsAreKeptForAWhile(t *testing.T) {
	t.Parallel()
	transport := newTransport(true, nil, nil)
	if transport.MaxIdleConns < 256 || transport.MaxIdleConnsPerHost < 256 {
		t.Errorf("%d idle connections are kept, and %d of a host, want 256", transport.MaxIdleConns, transport.MaxIdleConnsPerHost)
	}
	if transport.IdleConnTimeout < 10*time.Second || transport.IdleConnTimeout > 50*time.Second {
		t.Errorf("idle connections are kept for %s, want 10 to 50 s", transport.IdleConnTimeout)
	}
}

// Until its first use, a connection has the deadline of the attempt that opened it. After that, the context of each request counts.
func TestConnectionInUseHasNoDeadlineOfItsOwn(t *testing.T) {
	t.Parallel()
	used, other := net.Pipe()
	defer used.Close()
	defer other.Close()
	_ = used.SetDeadline(time.Now())
	ctx, _ := withTrace(t.Context(), "", newRedactor(nil, nil))
	httptrace.ContextClientTrace(ctx).GotConn(httptrace.GotConnInfo{Conn: used})
	go func() { _, _ = other.Write([]byte("x")) }()
	if _, err := used.Read(make([]byte, 1)); err != nil {
		t.Errorf("error %v, want none", err)
	}
}
