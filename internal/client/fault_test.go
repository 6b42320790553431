package client_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The first five tests have a case for each failure that is not a matter of time. They read with two attempts: the Attempts of a
// failure are 2 if it is worth another. Timeouts are in TestNoServerCanHoldARead.

// stableReasons lists what a state keeps of a failure.
var stableReasons = map[client.Kind]string{
	client.KindResolve:     "no such host",
	client.KindNameServer:  "no response in time",
	client.KindConnect:     "connection failed",
	client.KindTimeout:     "no response in time",
	client.KindBroken:      "connection broken",
	client.KindCertificate: "certificate not trusted",
	client.KindTLS:         "TLS handshake failed",
	client.KindProxy:       "proxy failed",
	client.KindNotHTTP:     "not HTTP",
	client.KindRedirect:    "redirect not followed",
	client.KindStatus:      "status ", // and the status
	client.KindTooLarge:    "body too large",
	client.KindNotJSON:     "not JSON",
	client.KindDocument:    "not an instance document: fileMaxSize", // in these tests
	client.KindUnexpected:  "not as expected",
	client.KindCached:      "response from a cache",
	client.KindUnstable:    "not stable",
}

// checkFailure reads an instance, and compares the failure with want, whose Reason is a part of the reason. The stable
// reason follows from the kind and the status.
func checkFailure(t *testing.T, url string, want client.Failure, options ...option) {
	t.Helper()
	failure := readFailure(t, url, append([]option{attempts(2)}, options...)...)
	want.StableReason = stableReasons[want.Kind]
	if want.Kind == client.KindStatus {
		want.StableReason += strings.TrimSpace(fmt.Sprintf("%d %s", failure.StatusCode, http.StatusText(failure.StatusCode)))
	}
	checkContains(t, failure.Reason, want.Reason)
	if failure.Kind != want.Kind || failure.StableReason != want.StableReason || failure.Hint != want.Hint || failure.Attempts != want.Attempts {
		t.Errorf("%q: kind %d, stable reason %q, hint %d, %d attempts; want %d, %q, %d, %d", failure, failure.Kind, failure.StableReason,
			failure.Hint, failure.Attempts, want.Kind, want.StableReason, want.Hint, want.Attempts)
	}
	if failure.Proxy != want.Proxy || failure.ConnectTo != "" || failure.RedirectedTo != "" || failure.OtherOrigin ||
		failure.AttemptTimedOut || failure.Ending != client.NotByTime {
		t.Errorf("not true of this read: %+v", failure)
	}
}

const (
	closedEarly = "the server closed or reset the connection before it had answered"
	brokenBody  = "the connection broke before the whole response had arrived"
	notHTTP     = "the response is not valid HTTP: "
)

func TestConnectionFailures(t *testing.T) {
	t.Parallel()
	nowhere := instancetest.ReserveAddress(t)
	closes := func(c net.Conn) { _ = c.Close() }
	mailServer := writes("220 mail.example ESMTP\r\n")
	tests := map[string]struct {
		url      string
		kind     client.Kind
		attempts int
		hint     client.Hint
		reason   string
	}{
		"no such host": {"http://nonexistent.invalid",
			client.KindResolve, 2, 0, "the host name could not be resolved: no such host"},
		"failing name server": {"http://" + hostOfFailingNameServer,
			client.KindNameServer, 2, 0, "the name servers answered with a failure"},
		"nothing listens": {"http://" + nowhere, client.KindConnect, 2, 0, "connection refused"},
		"nothing listens, TLS": {"https://" + nowhere,
			client.KindConnect, 2, 0, "connection refused"},
		"closed at once": {rawServer(t, "http", closes), client.KindBroken, 2, 0, closedEarly},
		"reset at once":  {rawServer(t, "http", instancetest.ResetConnection), client.KindBroken, 2, 0, closedEarly},
		"closed in the handshake": {rawServer(t, "https", closes),
			client.KindBroken, 2, 0, "the server closed or reset the connection during the TLS handshake"},
		"reset in the handshake": {rawServer(t, "https", instancetest.ResetConnection),
			client.KindBroken, 2, 0, "the server closed or reset the connection"},
		"speaks first":      {rawServer(t, "http", mailServer), client.KindNotHTTP, 1, 0, notHTTP},
		"speaks first, TLS": {instancetest.NewRawTLS(t, mailServer).Origin(), client.KindNotHTTP, 1, 0, notHTTP},
		"TLS server that answers with an alert": {rawServer(t, "http", answers(alert(10))),
			client.KindNotHTTP, 1, client.HintHTTPS, "answered in TLS, not in plain HTTP"},
		"HTTP/2 only": {rawServer(t, "http", answers("\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\r\n\r\n")),
			client.KindNotHTTP, 1, client.HintHTTP2, "the server answered in HTTP/2"},
	}
	authority := instancetest.New(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := client.Failure{Kind: test.kind, Attempts: test.attempts, Hint: test.hint, Reason: test.reason}
			checkFailure(t, test.url, want, trusting(authority), withClientCert(authority))
		})
	}
}

func TestTLSFailures(t *testing.T) {
	t.Parallel()
	plain, mutual := instancetest.New(t, instancetest.WithOtherRoutes()), instancetest.New(t, instancetest.WithClientCertificate())
	certificate := func(kind instancetest.Certificate) string {
		return instancetest.New(t, instancetest.WithCertificate(kind)).URL()
	}
	// Every server of WithTLS asks for a client certificate. What breaks before it answers may mean that it wanted one.
	asking := func(step instancetest.Step) string {
		return instancetest.New(t, instancetest.WithTLS(), instancetest.WithDefault(step)).URL()
	}
	const noTLS = "does not speak TLS on this port"
	const wantedCertificate = "the server asked for a client certificate, and closed or reset the connection"
	tests := map[string]struct {
		url      string
		options  []option
		kind     client.Kind
		attempts int
		hint     client.Hint
		reason   string
	}{
		"expired":    {certificate(instancetest.CertificateExpired), nil, client.KindCertificate, 1, client.HintExpired, "certificate has expired"},
		"wrong name": {certificate(instancetest.CertificateWrongHost), nil, client.KindCertificate, 1, client.HintWrongName, "127.0.0.1"},
		"self-signed": {certificate(instancetest.CertificateSelfSigned), nil,
			client.KindCertificate, 1, client.HintSelfSigned, "the certificate is self-signed"},
		"unknown authority": {mutual.URL(), []option{func(s *setup) { s.TLS.CACertPEM = "" }},
			client.KindCertificate, 1, 0, "unknown authority"},
		"plain HTTP on the port": {"https://" + plain.Address(), nil, client.KindTLS, 1, 0, noTLS},
		"another protocol":       {rawServer(t, "https", writes("220 mail.example ESMTP\r\n")), nil, client.KindTLS, 1, 0, noTLS},
		"only old versions, alert": {rawServer(t, "https", writes(alert(70))), nil,
			client.KindTLS, 1, client.HintTLSVersion, "refused the TLS handshake: protocol version not supported"},
		"only old versions, no alert": {rawServer(t, "https", writes(oldServerHello)), nil,
			client.KindTLS, 1, client.HintTLSVersion, "unsupported protocol version"},
		"unrecognized name": {rawServer(t, "https", writes(alert(112))), nil,
			client.KindTLS, 1, client.HintHostName, "unrecognized name"},
		"other alert": {rawServer(t, "https", writes(alert(40))), nil,
			client.KindTLS, 1, 0, "refused the TLS handshake: handshake failure"},
		"no HTTP/1.1": {instancetest.NewRawTLS(t, instancetest.Await, "h3").Origin(), nil, client.KindTLS, 1, client.HintHTTP2, "no application protocol"},
		"no client certificate": {mutual.URL(), nil,
			client.KindTLS, 1, client.HintClientCertificate, "refused the TLS handshake: certificate required"},
		"other client certificate": {mutual.URL(), []option{withOtherClientCert(t)},
			client.KindTLS, 1, client.HintClientCertificate, "refused the TLS handshake: unknown certificate authority"},
		"asked for a certificate, and closed": {asking(instancetest.CloseConnection()), nil,
			client.KindTLS, 2, client.HintClientCertificate, wantedCertificate},
		"asked for a certificate, and reset": {asking(instancetest.Reset()), nil,
			client.KindTLS, 2, client.HintClientCertificate, wantedCertificate},
		"asked for a certificate, and broke in the head": {asking(instancetest.Verbatim("H", instancetest.Reset())), nil,
			client.KindBroken, 2, 0, closedEarly},
		"asked for a certificate, and broke in the body": {asking(verbatim(head + "Content-Length: 9\r\n\r\n{")), nil,
			client.KindBroken, 2, 0, brokenBody},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := client.Failure{Kind: test.kind, Attempts: test.attempts, Hint: test.hint, Reason: test.reason}
			checkFailure(t, test.url, want, append([]option{trusting(mutual)}, test.options...)...)
		})
	}
}

// withOtherClientCert has a client certificate that no authority signed: that of a server of net/http/httptest.
func withOtherClientCert(t *testing.T) option {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	server.Close()
	own := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return func(s *setup) {
		s.TLS.ClientCertPEM = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]}))
		s.TLS.ClientKeyPEM = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	}
}

func TestProxyFailures(t *testing.T) {
	t.Parallel()
	const (
		unreachable = "the proxy could not be reached: "
		brokeIt     = "the proxy broke the connection"
		accepts     = "(the proxy accepts Negotiate, x(redacted))"
		user        = "user:" + proxyPassword + "@"
	)
	nowhere := instancetest.ReserveAddress(t)
	closes := func(c net.Conn) { _ = c.Close() }
	refusing := func(status int, challenges ...string) string {
		return instancetest.NewProxy(t, instancetest.WithProxyRefusal(status, challenges...)).URL()
	}
	trusted := instancetest.WithProxyCertificate(instancetest.CertificateValid)
	negotiate := strings.Replace(refusing(407, "Negotiate", "x"+proxyPassword), "://", "://"+user, 1)
	toExpired := instancetest.NewProxy(t, trusted, instancetest.WithProxyTarget(instancetest.New(t, instancetest.WithCertificate(instancetest.CertificateExpired))))
	tests := map[string]struct {
		scheme, proxy string // of the instance's URL, and the proxy's URL
		kind          client.Kind
		attempts      int
		hint          client.Hint
		reason        string
	}{
		"refuses": {"https", refusing(403),
			client.KindProxy, 1, 0, "the proxy refused to connect to the instance: status 403 Forbidden"},
		"refuses, plain":             {"http", refusing(403), client.KindStatus, 1, 0, "status 403 Forbidden"},
		"wants credentials":          {"https", refusing(407), client.KindProxy, 1, client.HintProxyCredentials, "status 407"},
		"wants credentials, plain":   {"http", refusing(407), client.KindStatus, 1, client.HintProxyCredentials, "status 407"},
		"refuses credentials":        {"https", negotiate, client.KindProxy, 1, client.HintProxyCredentials, accepts},
		"refuses credentials, plain": {"http", negotiate, client.KindStatus, 1, client.HintProxyCredentials, accepts},
		"cannot reach the instance":  {"https", refusing(502), client.KindProxy, 2, 0, "status 502 Bad Gateway"},
		"answers 204":                {"https", refusing(204), client.KindProxy, 1, 0, "status 204"},
		"down":                       {"https", "http://" + user + nowhere, client.KindProxy, 2, 0, unreachable + "connection refused"},
		"down, plain":                {"http", user + nowhere, client.KindProxy, 2, 0, unreachable + "connection refused"},
		"not found": {"https", "http://" + user + "nonexistent.invalid:3128",
			client.KindProxy, 2, 0, unreachable + "no such host"},
		"closes":        {"https", rawServer(t, "http", closes), client.KindProxy, 2, 0, brokeIt},
		"closes, plain": {"http", rawServer(t, "http", closes), client.KindBroken, 2, 0, closedEarly},
		"resets":        {"https", rawServer(t, "http", instancetest.ResetConnection), client.KindProxy, 2, 0, "the proxy "},
		"https, expired": {"https", instancetest.NewProxy(t, instancetest.WithProxyCertificate(instancetest.CertificateExpired)).URL(),
			client.KindProxy, 1, 0, unreachable + "certificate has expired"},
		"https, refuses": {"https", instancetest.NewProxy(t, trusted, instancetest.WithProxyRefusal(403)).URL(),
			client.KindProxy, 1, 0, "status 403"},
		"https, instance expired": {"https", toExpired.URL(),
			client.KindCertificate, 1, client.HintExpired, "certificate has expired"},
		"https, without TLS": {"https", rawServer(t, "https", writes("HTTP/1.1 400 Bad Request\r\n\r\n")),
			client.KindProxy, 2, 0, unreachable + "first record does not look like a TLS handshake"},
		"SOCKS, down":   {"https", "socks5://" + user + nowhere, client.KindProxy, 2, 0, unreachable + "connection refused"},
		"SOCKS, closes": {"https", rawServer(t, "socks5", closes), client.KindProxy, 2, 0, brokeIt},
		"SOCKS, instance closes": {"https", rawServer(t, "socks5", socks(0, closes)),
			client.KindBroken, 2, 0, "during the TLS handshake"},
		"SOCKS, instance down": {"http", rawServer(t, "socks5", socks(4, instancetest.Await)),
			client.KindProxy, 2, 0, "the proxy could not reach the instance: host unreachable"},
	}
	authority := trusting(instancetest.New(t))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variable := strings.ToUpper(test.scheme) + "_PROXY"
			want := client.Failure{Kind: test.kind, Attempts: test.attempts, Hint: test.hint, Reason: test.reason, Proxy: variable}
			checkFailure(t, test.scheme+"://"+instancetest.ProxiedHost, want, authority, proxied(variable, test.proxy))
		})
	}
}

// No attempt can succeed, so that not even a read with UntilReady tries again.
func TestMisconfiguredProxyIsFinal(t *testing.T) {
	t.Parallel()
	const user = "user:" + proxyPassword + "@"
	tests := map[string]struct {
		variable, proxy string
		options         []option
		reason          string
	}{
		"not a URL":        {"HTTPS_PROXY", "http://" + user + "[::1", nil, "HTTPS_PROXY is not valid"},
		"line break":       {"HTTP_PROXY", "http://" + user + "proxy.invalid\n", nil, "HTTP_PROXY is not valid"},
		"another scheme":   {"HTTP_PROXY", "ftp://" + user + "proxy.invalid", nil, "HTTP_PROXY is not valid"},
		"no host":          {"HTTP_PROXY", "http://", nil, "HTTP_PROXY is not valid"},
		"of a CGI program": {"HTTP_PROXY", "http://proxy.invalid", []option{proxied("REQUEST_METHOD", "GET")}, "REQUEST_METHOD"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := strings.ToLower(strings.TrimSuffix(test.variable, "_PROXY")) + "://" + instancetest.ProxiedHost
			want := client.Failure{Kind: client.KindProxy, Attempts: 1, Reason: test.reason}
			checkFailure(t, url, want, append(test.options, untilReady, proxied(test.variable, test.proxy))...)
		})
	}
	t.Run("not used", func(t *testing.T) {
		t.Parallel()
		want := client.Failure{Kind: client.KindResolve, Attempts: 2, Reason: "no such host"}
		checkFailure(t, "http://x.invalid", want, proxied("HTTP_PROXY", "http://["), proxied("NO_PROXY", ".invalid"))
	})
}

// Over plain HTTP and over TLS, the same responses are the same failures.
func TestResponseFailures(t *testing.T) {
	t.Parallel()
	const tooLarge, headTooLarge = "a body of more than 65536 bytes", "a response head of more than 16384 bytes"
	document := instancetest.Newer().JSON()
	page := func(status int, text string) instancetest.Step { return instancetest.Body(status, "text/html", text) }
	tests := map[string]struct {
		step     instancetest.Step
		kind     client.Kind
		attempts int
		hint     client.Hint
		reason   string
	}{
		"reset":                        {instancetest.Reset(), client.KindBroken, 2, 0, closedEarly},
		"closed":                       {instancetest.CloseConnection(), client.KindBroken, 2, 0, closedEarly},
		"not even a line":              {verbatim(document), client.KindBroken, 2, 0, closedEarly},
		"reset in the body":            {instancetest.Verbatim(head+"Content-Length: 9\r\n\r\n{", instancetest.Reset()), client.KindBroken, 2, 0, brokenBody},
		"closed in the head":           {verbatim(head), client.KindBroken, 2, 0, closedEarly},
		"closed after the head":        {verbatim(head + "Content-Length: 9\r\n\r\n"), client.KindBroken, 2, 0, brokenBody},
		"closed in a chunk":            {verbatim(head + "Transfer-Encoding: chunked\r\n\r\n9\r\n{}"), client.KindBroken, 2, 0, brokenBody},
		"closed before the last chunk": {verbatim(head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"), client.KindBroken, 2, 0, brokenBody},
		"closed within the last chunk": {verbatim(head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"), client.KindBroken, 2, 0, brokenBody},
		"gzip, cut short": {verbatim(head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00"),
			client.KindBroken, 2, 0, brokenBody},

		"not HTTP":              {verbatim("SSH-2.0-OpenSSH_9.9\r\n\x1b[2J"), client.KindNotHTTP, 1, 0, "SSH-2.0-OpenSSH_9.9"},
		"not HTTP, and a reset": {instancetest.Verbatim("SSH-2.0-OpenSSH_9.9\r\n\r\n", instancetest.Reset()), client.KindNotHTTP, 1, 0, notHTTP},
		"tls: in a header": {verbatim("HTTP/1.1 200 OK\r\n tls: protocol version\r\n\r\n"),
			client.KindNotHTTP, 1, 0, "tls: protocol version"},
		"no head":                     {verbatim(document + "\r\n"), client.KindNotHTTP, 1, 0, notHTTP},
		"bad status":                  {verbatim("HTTP/1.1 OK 200\r\n\r\n"), client.KindNotHTTP, 1, 0, `status code "OK"`},
		"bad length":                  {verbatim(head + "Content-Length: -2\r\n\r\n{}"), client.KindNotHTTP, 1, 0, "Content-Length"},
		"escape sequence in a header": {instancetest.Body(200, "text/\x1b[31mplain", "{}"), client.KindNotHTTP, 1, 0, `text/\x1b[31mplain`},
		"bad chunk":                   {verbatim(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), client.KindNotHTTP, 1, client.HintBody, "chunk"},
		"not gzip":                    {verbatim(head + "Content-Encoding: gzip\r\n\r\n" + document), client.KindNotHTTP, 1, client.HintBody, "not valid gzip"},
		"gzip, corrupt": {verbatim(head + "Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"),
			client.KindNotHTTP, 1, client.HintBody, "not valid gzip"},

		"redirect to a file": {instancetest.Redirect(302, "file:///x"), client.KindRedirect, 1, 0, "a redirect to file:"},

		"head of 17 KiB": {verbatim(head + "X: " + strings.Repeat("x", 17<<10) + "\r\n\r\n"), client.KindTooLarge, 1, client.HintLargeHead, headTooLarge},
		"endless 1xx": {verbatim(strings.Repeat("HTTP/1.1 103 X\r\nX: "+strings.Repeat("x", 1000)+"\r\n\r\n", 30)),
			client.KindTooLarge, 1, client.HintLargeHead, headTooLarge},
		"64 KiB and a byte":     {instancetest.AnswerDocument(padded(64<<10 + 1)), client.KindTooLarge, 1, 0, tooLarge},
		"64 KiB and more, gzip": {gzipped(padded(64<<10 + 1)), client.KindTooLarge, 1, 0, tooLarge},

		"empty body": {instancetest.Body(200, "application/json", ""), client.KindNotJSON, 1, client.HintNoDocument, `the body is empty (Content-Type "application/json")`},
		"longer than announced": {verbatim(head + "Content-Length: 1\r\n\r\n" + document),
			client.KindNotJSON, 1, client.HintCutShort, "the body is incomplete JSON"},
		"web page": {page(200, "<!doctype html><html><title>Sign&nbsp;in &ndash; Files</title><body><h1>Hello"),
			client.KindNotJSON, 1, client.HintWebPage, `the body is an HTML page titled "Sign in – Files", not JSON (Content-Type "text/html")`},
		"text": {instancetest.Body(200, "", "nothing"), client.KindNotJSON, 1, 0, "(no Content-Type); it begins with: nothing"},
		"other encoding": {verbatim(head + "Content-Encoding: br\r\n\r\n\x8b\x02\x80{}\x03"),
			client.KindNotJSON, 1, client.HintBody, `Content-Encoding "br"`},
		"UTF-16": {instancetest.Body(200, "application/json", "\xff\xfe{\x00}\x00"),
			client.KindNotJSON, 1, client.HintBody, "the body is text in UTF-16, but JSON must be in UTF-8"},
		"escape sequences": {instancetest.Body(200, "text/\u202eplain", "\x1b[2J\x1b]0;title\x07red\u202e"),
			client.KindNotJSON, 1, 0, "[2J]0;titlered"},

		"error with status 200": {instancetest.Body(200, "application/json", `{"error":"Not Found","message":"Route GET:/x not found"}`),
			client.KindDocument, 1, client.HintNoDocument, "although with status 200: Route GET:/x not found"},
		"two faults": {instancetest.AnswerDocument(instancetest.Newer().Without("fileMaxSize").With("chunkSize", "x")),
			client.KindDocument, 1, 0, "fileMaxSize: required, but missing; chunkSize: expected an integer"},

		"plain HTTP on a TLS port, nginx": {page(400, "<title>400 The plain HTTP request was sent to HTTPS port</title>"),
			client.KindStatus, 1, client.HintHTTPS, "plain HTTP request was sent to HTTPS port"},
		"plain HTTP on a TLS port, Go": {instancetest.Body(400, "", "Client sent an HTTP request to an HTTPS server."),
			client.KindStatus, 1, client.HintHTTPS, "status 400 Bad Request: Client sent an HTTP request to an HTTPS server"},
		"no client certificate, nginx": {page(400, "<title>400 No required SSL certificate was sent</title>"),
			client.KindStatus, 1, client.HintClientCertificate, "No required SSL certificate"},
		"switched protocol": {instancetest.Verbatim("HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", instancetest.Silent()),
			client.KindStatus, 1, 0, "status 101"},
		"redirect without a Location": {instancetest.Status(302), client.KindStatus, 1, 0, "status 302 Found"},
		"error of the service": {instancetest.Body(404, "application/json", `{"error":"Not Found","message":"Route GET:/x not found."}`),
			client.KindStatus, 1, 0, "status 404 Not Found: Route GET:/x not found"},
		"error, cut body": {instancetest.Verbatim("HTTP/1.1 404 X\r\nContent-Length: 100\r\n\r\nNothing here", instancetest.Reset()),
			client.KindStatus, 1, 0, "status 404"},
	}
	for name, test := range tests {
		for protocol, instance := range map[string]instancetest.Option{"plain": instancetest.WithPath(""), "TLS": instancetest.WithoutCertificateRequest()} {
			t.Run(name+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				server := instancetest.New(t, instance, instancetest.WithDefault(test.step))
				want := client.Failure{Kind: test.kind, Attempts: test.attempts, Hint: test.hint, Reason: test.reason}
				checkFailure(t, server.URL(), want, trusting(server))
			})
		}
	}
}

// A title that repeats the status is not shown. Nothing is shown of an endless body, because the cut may leave part of a secret.
func TestStatusIsNotRepeated(t *testing.T) {
	t.Parallel()
	for want, step := range map[string]instancetest.Step{
		"status 502 Bad Gateway": instancetest.Body(502, "text/html", "<html><title>502 Bad Gateway</title><body><h1>502 Bad Gateway</h1></body></html>"),
		"status 410 Gone":        instancetest.EndlessBody(410, "x"),
	} {
		if got := readFailure(t, instancetest.New(t, instancetest.WithDefault(step)).URL(), attempts(1)).Reason; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestDifferencesAreAFailure(t *testing.T) {
	t.Parallel()
	want := client.Failure{Kind: client.KindUnexpected, Attempts: 2, Reason: "chunk_size is 1, expected 2; api_version is 1.0.0, expected 2.0.0"}
	checkFailure(t, instancetest.New(t).URL(), want, func(s *setup) {
		s.Differences = func(*instance.Details) []client.Difference {
			return []client.Difference{
				{Name: "chunk_size", Reported: "1", Expected: "2"}, {Name: "api_version", Reported: "1.0.0", Expected: "2.0.0"},
			}
		}
	})
}

// No server can keep a read from ending with its request timeout, or when it is canceled by Ctrl-C. With HTTP/2, servers could, which
// is why the client does not speak it.
func TestNoServerCanHoldARead(t *testing.T) {
	t.Parallel()
	const (
		noResponse = "connected, but no response in time"
		incomplete = "no complete response in time"
		proxySlow  = "the proxy did not connect to the instance in time"
		chunked    = "Transfer-Encoding: chunked\r\n\r\n"
		plain      = "http://" + instancetest.ProxiedHost
		secure     = "https://" + instancetest.ProxiedHost
		// HTTP/2 frames, although nobody asked for them: SETTINGS, the HEADERS of a response, and PINGs without end.
		settings, headers = "\x00\x00\x00\x04\x00\x00\x00\x00\x00", "\x00\x00\x01\x01\x04\x00\x00\x00\x01\x88"
		ping              = "\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678"
	)
	instance := func(step instancetest.Step) string { return instancetest.New(t, instancetest.WithDefault(step)).URL() }
	floods := func(begin, then string) string { return rawServer(t, "http", writesForever(begin, then)) }
	tests := map[string]struct {
		url      string
		proxy    string
		limit    time.Duration // the request timeout
		kind     client.Kind
		timedOut bool
		reason   string
	}{
		"silent name server":   {"https://" + hostOfSilentNameServer, "", short, client.KindNameServer, false, "the name servers did not answer"},
		"never reads":          {rawServer(t, "http", instancetest.Await), "", short, client.KindTimeout, true, noResponse},
		"silent TLS handshake": {rawServer(t, "https", instancetest.Await), "", short, client.KindTimeout, true, "connected, but no TLS handshake in time"},
		"silent":               {instance(instancetest.Silent()), "", short, client.KindTimeout, true, noResponse},
		"silent over TLS":      {instancetest.New(t, instancetest.WithTLS(), instancetest.WithDefault(instancetest.Silent())).URL(), "", short, client.KindTimeout, true, noResponse},
		"dripping head":        {instance(instancetest.Drip(head + "X: ")), "", short, client.KindTimeout, true, noResponse},
		"dripping body":        {instance(instancetest.Drip(head + "Content-Length: 9999\r\n\r\n")), "", short, client.KindTimeout, true, incomplete},
		"silent redirect": {instance(instancetest.Verbatim("HTTP/1.1 302 X\r\nLocation: /\r\nContent-Length: 9\r\n\r\n", instancetest.Silent())), "",
			short, client.KindTimeout, true, incomplete},
		"silent body of an error": {instance(instancetest.Verbatim("HTTP/1.1 403 X\r\nContent-Length: 100\r\n\r\nNo", instancetest.Silent())), "",
			short, client.KindStatus, false, "status 403 Forbidden: No"},
		"silent proxy, plain":  {plain, rawServer(t, "http", instancetest.Await), short, client.KindTimeout, true, noResponse},
		"silent proxy":         {secure, rawServer(t, "http", instancetest.Await), short, client.KindProxy, true, proxySlow},
		"silent https proxy":   {plain, rawServer(t, "https", instancetest.Await), short, client.KindProxy, true, proxySlow},
		"silent SOCKS5 proxy":  {plain, rawServer(t, "socks5", instancetest.Await), short, client.KindProxy, true, proxySlow},
		"endless proxy answer": {secure, floods("HTTP/1.1 200 OK\r\nX: ", "x"), long, client.KindProxy, false, ""},
		"endless header":       {floods("HTTP/1.1 200 OK\r\nX: ", "x"), "", long, client.KindTooLarge, false, ""},
		"endless 1xx":          {floods("", "HTTP/1.1 103 Early Hints\r\n\r\n"), "", long, client.KindTooLarge, false, ""},
		"endless body":         {instance(instancetest.EndlessBody(200, " ")), "", long, client.KindTooLarge, false, ""},
		"endless chunks":       {floods(head+chunked, "1\r\n \r\n"), "", long, client.KindTooLarge, false, ""},
		"endless extension":    {floods(head+chunked+"1;", "x"), "", long, client.KindNotHTTP, false, ""},
		"endless trailer":      {floods(head+chunked+"0\r\nX: ", "x"), "", long, client.KindNotHTTP, false, ""},
		"endless gzip": {floods(head+"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x10\x00\x00\x00\x00\x00\x00", "x"), "",
			long, client.KindNotHTTP, false, ""},
		"endless redirect": {floods("HTTP/1.1 302 X\r\nLocation: /\r\n"+chunked, "1\r\n \r\n"), "", long, client.KindRedirect, false, ""},
		"HTTP/2 flood":     {instancetest.NewRawTLS(t, writesForever(settings+headers, ping), "h2").Origin(), "", long, client.KindTooLarge, false, ""},
	}
	authority := trusting(instancetest.New(t))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := []option{authority, proxied("HTTP_PROXY", test.proxy), proxied("HTTPS_PROXY", test.proxy)}
			failure := readFailure(t, test.url, append(options, timeout(test.limit), attempts(1))...)
			if failure.Kind != test.kind || failure.AttemptTimedOut != test.timedOut || failure.Ending != client.NotByTime {
				t.Errorf("%+v", failure)
			}
			checkContains(t, failure.Reason, test.reason)

			c, request := prepare(t, test.url, append(options, timeout(long), untilReady)...)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(100*time.Millisecond, cancel)
			promptly(t, func() {
				_, err := c.Read(ctx, request)
				checkCanceled(t, err)
			})
		})
	}
}

// With UntilReady, the number of attempts is not limited, and failures that are final otherwise are retried.
func TestReadUntilReadyGoesOnAfterEveryFailure(t *testing.T) {
	t.Parallel()
	failures := []instancetest.Step{
		instancetest.Reset(), verbatim("SSH-2.0-OpenSSH_9.9\r\n\r\n"), instancetest.Redirect(302, "file:///x"), instancetest.Status(404), instancetest.Status(501), instancetest.Status(503),
		instancetest.AnswerDocument(padded(64<<10 + 1)), instancetest.Body(200, "text/html", "<title>Files</title>"), instancetest.AnswerDocument("{}"),
	}
	server := instancetest.New(t, instancetest.WithScript(failures...))
	read(t, server.URL(), untilReady, attempts(1))
	if n := len(server.Requests()); n != len(failures)+1 {
		t.Errorf("%d requests, want %d", n, len(failures)+1)
	}
}

// writes writes a text at once, and waits for the client to leave.
func writes(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		instancetest.Await(c)
	}
}

// answers reads a request, and then does what writes does.
func answers(text string) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			writes(text)(c)
		}
	}
}

// alert is a fatal TLS alert.
func alert(number byte) string { return "\x15\x03\x01\x00\x02\x02" + string([]byte{number}) }

// oldServerHello is what a server with TLS 1.1 begins a handshake with.
var oldServerHello = "\x16\x03\x02\x00\x2a\x02\x00\x00\x26\x03\x02" + strings.Repeat("r", 32) + "\x00\x00\x2f\x00"

// socks is a SOCKS5 proxy that gives one answer to every request, and goes on with then.
func socks(answer byte, then func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) {
		message := make([]byte, 512)
		_, _ = c.Read(message) // the methods
		_, _ = c.Write([]byte{5, 0})
		_, _ = c.Read(message) // the request
		_, _ = c.Write([]byte{5, answer, 0, 1, 0, 0, 0, 0, 0, 0})
		then(c)
	}
}

func TestStatusesAreRetriedAsDocumented(t *testing.T) {
	t.Parallel()
	tests := map[int][]int{ // statuses by the number of attempts
		1: {201, 204, 206, 300, 304, 306, 400, 401, 404, 407, 409, 425, 428, 430, 451, 499, 501},
		3: {408, 429, 500, 502, 503, 504, 505, 511, 520, 524, 599, 999},
	}
	for made, statuses := range tests {
		for _, status := range statuses {
			t.Run(strconv.Itoa(status), func(t *testing.T) {
				t.Parallel()
				failure := readFailure(t, instancetest.New(t, instancetest.WithDefault(instancetest.Status(status))).URL(), attempts(3))
				text := strings.TrimSpace(fmt.Sprintf("status %d %s", status, http.StatusText(status)))
				if failure.Kind != client.KindStatus || failure.StatusCode != status || failure.Attempts != made || failure.StableReason != text {
					t.Errorf("%+v, want %d attempts", failure, made)
				}
				if status != 204 && status != 304 { // these have no body
					text += ": The instance was told to answer"
				}
				checkContains(t, failure.Error(), text)
			})
		}
	}
}

// On a reused connection, invalid bytes may be the rest of an earlier response, so the read tries again on another connection. A head
// that is too large is final there too.
func TestReusedConnectionMayHoldTheRestOfAnEarlierResponse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text     string
		failure  client.Kind // 0: the instance is read
		requests int
	}{
		"rest":       {"rest of an earlier response\r\n\r\n", 0, 3},
		"large head": {head + strings.Repeat("a:\r\n", 16<<10), client.KindTooLarge, 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithScript(instancetest.Answer(), verbatim(test.text)))
			c, request := prepare(t, server.URL(), attempts(2))
			if _, err := c.Read(t.Context(), request); err != nil {
				t.Fatalf("%v", err)
			}
			_, err := c.Read(t.Context(), request)
			if failure, failed := client.AsFailure(err); failed != (test.failure != 0) || failed && failure.Kind != test.failure {
				t.Errorf("%+v", err)
			}
			if n := len(server.Requests()); n != test.requests {
				t.Errorf("%d requests, want %d", n, test.requests)
			}
		})
	}
}
