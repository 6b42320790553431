package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// What systems and networks do that a loopback test cannot bring about.
func TestClassify(t *testing.T) {
	t.Parallel()
	const before = "the server closed or reset the connection before it had answered"
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 54321}
	dial := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Source: local, Addr: local, Err: err}
	}
	readFrom := func(err error) error {
		return fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", &net.OpError{Op: "read", Net: "tcp", Source: local, Addr: local, Err: err})
	}
	proxy := func(err error) error { return &net.OpError{Op: "proxyconnect", Net: "tcp", Err: err} }
	call := func(name string, number syscall.Errno) error { return os.NewSyscallError(name, number) }
	expired := &tls.CertificateVerificationError{Err: x509.CertificateInvalidError{
		Reason: x509.Expired, Detail: "current time 2026-01-01T00:00:00Z is after …",
		Cert: &x509.Certificate{NotBefore: time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2021, 3, 4, 23, 0, 0, 0, time.UTC)},
	}}
	tests := map[string]struct {
		err       error
		kind      Kind
		transient bool
		reason    string
	}{
		"refused":            {dial(call("connect", syscall.ECONNREFUSED)), KindConnect, true, "connection refused"},
		"no route":           {dial(call("connect", syscall.EHOSTUNREACH)), KindConnect, true, "no route to host"},
		"the system's limit": {dial(call("connect", syscall.ETIMEDOUT)), KindConnect, true, "connection timed out"},
		"invalid port":       {dial(&net.AddrError{Err: "invalid port", Addr: "h:99999"}), KindConnect, true, "invalid port"},
		"no such host": {
			dial(&net.DNSError{Err: "no such host", Name: "h.invalid", Server: "192.0.2.1:53", IsNotFound: true}),
			KindResolve, true, "the host name could not be resolved (no such host)",
		},
		"name servers silent": {
			dial(&net.DNSError{Err: "read udp 127.0.0.1:54321->192.0.2.1:53: i/o timeout", Name: "h.invalid", Server: "192.0.2.1:53", IsTimeout: true}),
			KindResolve, true, "the host name could not be resolved (the name servers did not answer)",
		},
		"name servers failing": {
			dial(&net.DNSError{Err: "server misbehaving", Name: "h.invalid", Server: "192.0.2.1:53", IsTemporary: true}),
			KindResolve, true, "the host name could not be resolved (the name servers did not answer)",
		},
		"reset":               {readFrom(call("read", syscall.ECONNRESET)), KindBroken, true, before},
		"broken pipe":         {readFrom(call("write", syscall.EPIPE)), KindBroken, true, before},
		"host gone":           {readFrom(call("read", syscall.ETIMEDOUT)), KindBroken, true, before},
		"closed":              {io.EOF, KindBroken, true, before},
		"cut":                 {fmt.Errorf("x: %w", io.ErrUnexpectedEOF), KindBroken, true, before},
		"closed while idle":   {errors.New("http: server closed idle connection"), KindBroken, true, before},
		"HTTP/2 lost":         {errors.New("http2: client connection lost"), KindTimeout, true, "no complete response within 10s"},
		"HTTP/2 going away":   {errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=7, ErrCode=NO_ERROR, debug=\"\""), KindBroken, true, before},
		"HTTP/2 stream reset": {http2.StreamError{StreamID: 7, Code: http2.ErrCodeCancel, Cause: errors.New("received from peer")}, KindBroken, true, "the server reset the HTTP/2 stream (CANCEL)"},
		"HTTP/2 stream bad":   {http2.StreamError{StreamID: 7, Code: http2.ErrCodeProtocol, Cause: errors.New("bad \x1bthing")}, KindProtocol, false, "the response is not valid HTTP: bad thing"},
		"timeout":             {context.DeadlineExceeded, KindTimeout, true, "no connection within 10s"},
		"timeout of a dial":   {dial(os.ErrDeadlineExceeded), KindTimeout, true, "no connection within 10s"},
		"proxy refused":       {proxy(dial(call("connect", syscall.ECONNREFUSED))), KindProxy, true, "the proxy could not be reached: connection refused"},
		"proxy not found":     {proxy(dial(&net.DNSError{Err: "no such host", Name: "p", Server: "192.0.2.1:53", IsNotFound: true})), KindProxy, true, "the proxy could not be reached: no such host"},
		"proxy reset":         {proxy(readFrom(call("read", syscall.ECONNRESET))), KindProxy, true, "the proxy could not be reached: the connection was closed or reset"},
		"proxy's certificate": {proxy(expired), KindProxy, false, "the proxy could not be reached: the certificate has expired or is not valid yet: it is valid from 2020-01-02 to 2021-03-04"},
		"SOCKS":               {&net.OpError{Op: "socks connect", Err: errors.New("unknown error host unreachable")}, KindProxy, true, "the proxy could not be reached: unknown error host unreachable"},
		"certificate":         {expired, KindCertificate, false, "the certificate has expired or is not valid yet: it is valid from 2020-01-02 to 2021-03-04"},
		"TLS version":         {errors.New("tls: server selected unsupported protocol version 301"), KindTLS, false, "the TLS handshake failed (server selected unsupported protocol version 301)"},
		"alert":               {&net.OpError{Op: "remote error", Err: errors.New("tls: handshake failure")}, KindTLS, false, "the server refused the TLS handshake (handshake failure)"},
		"our alert":           {&net.OpError{Op: "local error", Err: errors.New("tls: bad record MAC")}, KindTLS, false, "the TLS handshake failed (bad record MAC)"},
		"reset by a dial":     {dial(call("connect", syscall.ECONNRESET)), KindBroken, true, before},
		"closed by us":        {fmt.Errorf("x: %w", net.ErrClosed), KindBroken, true, before},
		"cut trailer":         {errors.New("http: unexpected EOF reading trailer"), KindBroken, true, before},
		"HTTP/2 closed":       {errors.New("http2: client conn is closed"), KindBroken, true, before},
		"HTTP/2 not usable":   {errors.New("http2: client conn not usable"), KindBroken, true, before},
		"HTTP/2 forced":       {errors.New("http2: client connection force closed via ClientConn.Close"), KindBroken, true, before},
		"HTTP/2 not begun":    {errors.New("http2: client conn could not be established"), KindBroken, true, before},
		// The verb for an error that net/http does not have is its own fault.
		"unasked":             {errors.New("net/http: HTTP/1.x transport connection broken: readLoopPeekFailLocked: %!w(<nil>)"), KindProtocol, true, "the response is not valid HTTP: it came before the request"},
		"Upgrade over HTTP/2": {errors.New(`http2: invalid Upgrade request header: ["secret"]`), KindRequest, false, "HTTP/2 does not allow the request header Upgrade"},
		"headers too large":   {errors.New("http2: request header list larger than peer's advertised limit"), KindRequest, false, "the request headers are larger than the server accepts"},
		"something else":      {errors.New("net/http: something\x00 else"), KindProtocol, false, "the response is not valid HTTP: something else"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &Client{requestTimeout: 10 * time.Second}
			failure := c.classify(t.Context(), test.err, &progress{}, newRedactor(nil))
			if failure.Kind != test.kind || failure.transient != test.transient || failure.Reason != test.reason {
				t.Errorf("got kind %d, transient %t: %s\nwant kind %d, transient %t: %s",
					failure.Kind, failure.transient, failure.Reason, test.kind, test.transient, test.reason)
			}
			// What a setting is to blame for fails at once, also until ready.
			if failure.configuration != (test.kind == KindRequest) {
				t.Errorf("a setting is to blame: %t", failure.configuration)
			}
			if strings.Contains(failure.Reason, "54321") || strings.Contains(failure.Reason, ":53") {
				t.Errorf("%q has an address", failure.Reason)
			}
			if failure.retryAfter != noRetryAfter {
				t.Errorf("the failure asks for a delay of %s", failure.retryAfter)
			}
			if !errors.Is(failure, test.err) {
				t.Error("the cause is lost")
			}
		})
	}
}

// When an attempt's time is over, what net/http says of the connection that it
// then tears down is by chance.
func TestClassifyAfterTheDeadline(t *testing.T) {
	t.Parallel()
	tests := map[string]error{
		"the context's error": context.DeadlineExceeded,
		"any error":           errors.New("net/http: something else"),
		"reset":               &net.OpError{Op: "read", Err: syscall.ECONNRESET},
		"certificate":         &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
		"alert":               &net.OpError{Op: "local error", Err: errors.New("tls: bad record MAC")},
		"our own closing":     net.ErrClosed,
	}
	for name, err := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
			defer cancel()
			var without, with progress
			with.got.Store(&httptrace.GotConnInfo{})
			for reason, progress := range map[string]*progress{"no connection within 10s": &without, "no complete response within 10s": &with} {
				failure := (&Client{requestTimeout: 10 * time.Second}).classify(ctx, err, progress, newRedactor(nil))
				if failure.Kind != KindTimeout || !failure.transient || failure.Reason != reason {
					t.Errorf("got kind %d, transient %t: %s\nwant kind %d, transient true: %s",
						failure.Kind, failure.transient, failure.Reason, KindTimeout, reason)
				}
			}
		})
	}
}

// Over HTTP/2, a server that refuses a client certificate or the lack of one may
// be seen to do so, or only to close the connection. The text is the same.
func TestClassifyRefusedClientCertificate(t *testing.T) {
	t.Parallel()
	alert := &net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	const before = "the server closed or reset the connection before it had answered"
	tests := map[string]struct {
		asked, overHTTP2, answered bool
		err                        error
		kind                       Kind
		transient                  bool
		reason                     string
	}{
		"alert":           {true, true, false, alert, KindTLS, false, askedAndClosed},
		"not established": {true, true, false, errors.New("http2: client conn could not be established"), KindTLS, false, askedAndClosed},
		"reset":           {true, true, false, reset, KindBroken, true, askedAndClosed},
		"closed":          {true, true, false, io.EOF, KindBroken, true, askedAndClosed},
		"answered":        {true, true, true, reset, KindBroken, true, "the connection broke before the whole response had arrived"},
		"not asked":       {false, true, false, reset, KindBroken, true, before},
		"HTTP/1.1":        {true, false, false, reset, KindBroken, true, before},
		"alert, HTTP/1.1": {true, false, false, alert, KindTLS, false, "the server refused the TLS handshake (certificate required)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connection := &conn{handshake: &handshake{}}
			connection.askedForCertificate.Store(test.asked)
			connection.overHTTP2.Store(test.overHTTP2)
			progress := progress{answered: test.answered}
			progress.dialled.Store(connection)
			failure := (&Client{}).classify(t.Context(), test.err, &progress, newRedactor(nil))
			if failure.Kind != test.kind || failure.transient != test.transient || failure.Reason != test.reason {
				t.Errorf("got kind %d, transient %t: %s\nwant kind %d, transient %t: %s",
					failure.Kind, failure.transient, failure.Reason, test.kind, test.transient, test.reason)
			}
		})
	}
}

// FuzzRedirectTarget checks that a redirect which is followed leads to what can
// be asked for, and that none is printed with its query or user info.
func FuzzRedirectTarget(f *testing.F) {
	for _, location := range []string{
		"/a", "?b", "#c", "//h.example/x", "https://h.example:8443/a%2Fb?token=1#f", "http://user:pass@h.example/", "file:///etc/passwd",
		"http:opaque", "http://[fe80::1%25eth0]/", "http://h%ff/", "http://<h>/ä b", "http://[::1", "//::", "ftp://h\u202e/", "http://h:/", "../..//x",
	} {
		f.Add("https://files.example.org/api", location)
	}
	f.Fuzz(func(t *testing.T, base, location string) {
		from, err := ParseBaseURL(base)
		if err != nil {
			return
		}
		redact := newRedactor(nil)
		target, reason := redirectTarget(from.instance, location, redact)
		mustBeSafe(t, reason, 2*excerptLimit)
		if reason != "" {
			return
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.String(), http.NoBody)
		if err != nil {
			t.Fatalf("%q to %q leads to %q: %v", base, location, target, err)
		}
		if got := originOf(request.URL); got != originOf(target) || defaultPorts[got.scheme] == "" || got.host == "" || from.origin.scheme == "https" && got.scheme != "https" {
			t.Errorf("%q to %q leads to the origin %+v", base, location, got)
		}
		if request.URL.User != nil || request.URL.Fragment != "" {
			t.Errorf("%q to %q leads to %q", base, location, request.URL)
		}
		printed := cleanURL(target, redact)
		mustBeSafe(t, printed, excerptLimit)
		if strings.ContainsAny(printed, "?#@") && !strings.ContainsAny(target.Host+target.EscapedPath(), "?#@") {
			t.Errorf("%q to %q is printed as %q", base, location, printed)
		}
	})
}
