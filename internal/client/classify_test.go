package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"net/url"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Classes are stored in states, so they change only with the cause.
func TestClassOfEachKind(t *testing.T) {
	t.Parallel()
	for class, kinds := range map[string][]*Kind{
		"no such host":                    {KindResolve},
		"no response in time":             {KindNameServer, KindTimeout},
		"connection failed":               {KindConnect},
		"connection broken":               {KindBroken},
		"certificate not trusted":         {KindCertificate, KindCertificateExpired, KindCertificateName, KindCertificateUnfit, KindCertificateSelfSigned},
		"TLS handshake failed":            {KindTLS, KindNoTLS, KindTLSVersion, KindTLSHostName, KindTLSProtocol, KindCertificateUnusable, KindClientCertificate},
		"no connection from this machine": {KindLocal},
		"proxy failed":                    {KindProxy, KindProxySettings},
		"not HTTP":                        {KindNotHTTP, KindHTTPSOnly, KindHTTP2Only, KindDamaged},
		"redirect not followed":           {KindRedirect, KindRedirectLoop},
		"status ":                         {KindStatus},
		"head too large":                  {KindLargeHead},
		"body too large":                  {KindLargeBody},
		"not JSON":                        {KindNotJSON, KindWebPage, KindEmptyBody, KindCutShort, KindEncodedBody},
		"not an instance document: ":      {KindDocument, KindOtherJSON},
		"not as expected":                 {KindUnexpected},
		"response from a cache":           {KindCached},
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
		closed     = "the server closed or reset the connection before it had answered"
		invalid    = "the response is not valid HTTP: "
		early      = invalid + "it came before the request"
		unresolved = "the host name could not be resolved: "
	)
	lookup := func(text string) error { return &net.DNSError{Err: text, IsTemporary: true} }
	root, _ := pem.Decode([]byte(instancetest.New(t).CACertPEM()))
	selfSigned, err := x509.ParseCertificate(root.Bytes)
	if err != nil {
		t.Fatal(err)
	}
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
		"never looked up":       {context.DeadlineExceeded, stageResolving, KindNameServer, unresolved + "the lookup ran out of time"},
		"never dialed":          {context.DeadlineExceeded, stageNone, KindTimeout, "no connection in time"},
		"host gone":             {read(os.NewSyscallError("read", syscall.ETIMEDOUT)), stageSent, KindBroken, closed},
		"broken pipe":           {read(os.NewSyscallError("write", syscall.EPIPE)), stageSent, KindBroken, closed},
		"closed first":          {errors.New("http: server closed idle connection"), stageSent, KindBroken, closed},
		"our alert":             {operation("local error", errors.New("tls: bad record MAC")), stageHandshaking, KindTLS, "the TLS handshake failed: bad record MAC"},
		"spoke first":           {broken(errors.New("readLoopPeekFailLocked: %!w(<nil>)")), stageSent, KindNotHTTP, early},
		"spoke first, noticed":  {read(net.ErrClosed), stageSent, KindNotHTTP, early},
		"certificate": {&tls.CertificateVerificationError{Err: errors.New("x509: signed by unknown authority (possibly because of a guess)")},
			stageHandshaking, KindCertificate, "signed by unknown authority; a certificate with the authority's name is known, but has another key, or may not sign certificates"},
		"something else":      {errors.New("net/http: something\x00 else"), stageSent, KindDamaged, invalid + "something else"},
		"no files":            {dial(os.NewSyscallError("socket", syscall.EMFILE)), stageConnecting, KindLocal, "too many open files"},
		"not permitted later": {read(os.NewSyscallError("read", syscall.EPERM)), stageSent, KindBroken, closed},
		"no IPv6":             {connect(syscall.ENETUNREACH), stageConnecting, KindLocal, "network is unreachable"},
		"Windows":             {connect(10061), stageConnecting, KindConnect, "connection refused"},
		"Windows, reset":      {connect(10054), stageConnecting, KindBroken, closed},
		"lookup, refused":     {lookup("read udp 127.0.0.1:1->127.0.0.1:53: read: connection refused"), stageResolving, KindNameServer, unresolved + "no name server was reached: connection refused"},
		"lookup, no files":    {lookup("dial udp 127.0.0.1:53: socket: too many open files"), stageResolving, KindLocal, unresolved + "no name server could be asked: too many open files"},
		"unusable certificate": {errors.New("tls: failed to parse certificate from server: x509: negative serial number"), stageHandshaking, KindCertificateUnusable,
			"the certificate of the server cannot be used: negative serial number"},
		"weak signature": {&tls.CertificateVerificationError{Err: fmt.Errorf("%w (possibly because of \"x509: cannot verify signature: insecure algorithm SHA1-RSA\")", x509.UnknownAuthorityError{})},
			stageHandshaking, KindCertificateUnfit, "the certificate of the server cannot be used: insecure algorithm SHA1-RSA"},
		"client's certificate": {&tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.IncompatibleUsage}},
			stageHandshaking, KindCertificateUnfit, "certificate specifies an incompatible key usage"},
		"authority expired": {&tls.CertificateVerificationError{Err: x509.CertificateInvalidError{
			Cert: &x509.Certificate{IsCA: true, Subject: pkix.Name{CommonName: "Old Root"}}, Reason: x509.Expired, Detail: "it is late",
		}}, stageHandshaking, KindCertificateExpired, "certificate has expired or is not yet valid: it is late: that of the authority CN=Old Root"},
		"critical extension": {&tls.CertificateVerificationError{Err: x509.UnhandledCriticalExtension{}}, stageHandshaking, KindCertificateUnfit, "unhandled critical extension"},
		"name without SANs": {&tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{Subject: pkix.Name{CommonName: "h"}}, Host: "h"}},
			stageHandshaking, KindCertificateUnfit, "certificate relies on legacy Common Name field, use SANs instead"},
		"chain with its root": {&tls.CertificateVerificationError{
			UnverifiedCertificates: []*x509.Certificate{{}, selfSigned}, Err: x509.UnknownAuthorityError{},
		}, stageHandshaking, KindCertificate, "certificate signed by unknown authority"},
		"renegotiation": {operation("local error", errors.New("tls: no renegotiation")), stageSent, KindClientCertificate,
			"the server asked for a client certificate after the TLS handshake (renegotiation)"},
	}
	for name, test := range tests {
		trace := &requestTrace{redact: newRedactor(nil, nil)}
		trace.reach(test.at)
		failure := classify(t.Context(), test.err, trace)
		class := cmp.Or(map[string]string{"no connection in time": "connection failed"}[name], test.kind.class) // as of one that is refused
		if failure.Kind != test.kind || failure.Class != class || failure.Reason != test.reason || failure.transient != test.kind.transient {
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
	silent := instancetest.New(t).Address() // to whoever asks nothing
	for name, dial := range map[string]dialFunc{"dialFirst": dialFirst, "dialAny": dialAny} {
		over, cancel := context.WithDeadline(t.Context(), time.Now())
		defer cancel()
		ctx, _ := withTrace(over, "", newRedactor(nil, nil))
		connection, err := dial(context.WithoutCancel(ctx), "tcp", silent)
		if err == nil || !isTimeout(ctx, err) {
			t.Errorf("%s: connection %v and error %v, want a timeout", name, connection, err)
		}
	}
	soon, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	ctx, _ := withTrace(soon, "", newRedactor(nil, nil))
	connection, err := dialFirst(context.WithoutCancel(ctx), "tcp", silent)
	if err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { _ = connection.Close() }).Stop()
	if _, err := connection.Read(make([]byte, 1)); !isTimeout(context.WithoutCancel(ctx), err) {
		t.Errorf("a read from a silent server ended with %v, want a timeout", err)
	}
	_ = connection.Close()
}

// A lookup ends with its attempt too: another one may be under way while a name server is silent. No other test looks up this name:
// the resolver lets lookups of one name share their answer, also those in real time and in fake time.
func TestLookupEndsWithItsAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		for name, dial := range map[string]dialFunc{"dialFirst": dialFirst, "dialAny": dialAny} {
			ctx, _ := withTrace(soon, "", newRedactor(nil, nil))
			if _, err := dial(context.WithoutCancel(ctx), "tcp", "a.silent.invalid:80"); !isTimeout(ctx, err) || time.Since(start) > time.Second {
				t.Errorf("%s: error %v after %s, want a timeout after 1 s", name, err, time.Since(start))
			}
		}
	})
}

// IIS asks for the client certificate by renegotiation, which Go's own server cannot do. crypto/tls does it with a context of its own.
func TestCertificateIsSentByRenegotiation(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	without, with, _, err := tlsConfigs(TLS{ClientCertPEM: server.ClientCertPEM(), ClientKeyPEM: server.ClientKeyPEM()})
	if err != nil || without.Renegotiation != tls.RenegotiateNever || with.Renegotiation != tls.RenegotiateOnceAsClient {
		t.Errorf("error %v, renegotiation %v without a certificate and %v with it", err, without.Renegotiation, with.Renegotiation)
	}
	traceOf(t.Context()).wantCertificate()
}

// As many connections to one host are kept as reads can be under way at once. They are closed before the server does so, which is
// Node.js, after 5 s: a request could meet the end.
func TestIdleConnectionsAreKeptForAWhile(t *testing.T) {
	t.Parallel()
	transport := newTransport(true, nil, nil)
	if transport.MaxIdleConns < 256 || transport.MaxIdleConnsPerHost < 256 {
		t.Errorf("%d idle connections are kept, and %d of a host, want 256", transport.MaxIdleConns, transport.MaxIdleConnsPerHost)
	}
	if transport.IdleConnTimeout < 3*time.Second || transport.IdleConnTimeout >= 5*time.Second {
		t.Errorf("idle connections are kept for %s, want 3 to 5 s", transport.IdleConnTimeout)
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
