package client_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The first tests have a row for each failure that is not a matter of time. They read with at most two attempts: a failure with two
// attempts is worth another. Timeouts are in TestNoServerCanHoldARead.

// kinds lists the kinds of each Class, which does not depend on what an instance says, but for the path of a fault.
var kinds = map[string][]*client.Kind{
	"no such host":                          {client.KindResolve},
	"no response in time":                   {client.KindNameServer, client.KindTimeout},
	"connection failed":                     {client.KindConnect},
	"connection broken":                     {client.KindBroken},
	"certificate not trusted":               {client.KindCertificate, client.KindCertificateExpired, client.KindCertificateName, client.KindCertificateSelfSigned},
	"TLS handshake failed":                  {client.KindTLS, client.KindTLSVersion, client.KindTLSHostName, client.KindTLSProtocol, client.KindClientCertificate},
	"proxy failed":                          {client.KindProxy, client.KindProxySettings},
	"not HTTP":                              {client.KindNotHTTP, client.KindHTTPSOnly, client.KindHTTP2Only, client.KindDamagedBody},
	"redirect not followed":                 {client.KindRedirect},
	"status ":                               {client.KindStatus},
	"head too large":                        {client.KindLargeHead},
	"body too large":                        {client.KindLargeBody},
	"not JSON":                              {client.KindNotJSON, client.KindWebPage, client.KindEmptyBody, client.KindCutShort, client.KindEncodedBody},
	"not an instance document: fileMaxSize": {client.KindDocument, client.KindErrorMessage},
	"not as expected":                       {client.KindUnexpected},
	"response from a cache":                 {client.KindCached},
}

// checkFailure checks the failure of a read without redirects. The reason is a part of it.
func checkFailure(t *testing.T, got *client.ReadError, kind *client.Kind, attempts int, reason string) {
	t.Helper()
	failure, class := got.Failure, ""
	for c, ks := range kinds {
		if slices.Contains(ks, kind) {
			class = c
		}
	}
	if failure.StatusCode != 0 && kind != client.KindProxy {
		class = strings.TrimSpace(fmt.Sprintf("status %d %s", failure.StatusCode, http.StatusText(failure.StatusCode)))
	}
	check(t, "Kind", failure.Kind, kind)
	check(t, "Class", failure.Class, class)
	check(t, "Attempts", got.Attempts, attempts)
	checkContains(t, "Reason", failure.Reason, reason)
	check(t, "Ending", got.Ending, client.GaveUp)
	check(t, "TimedOut", failure.TimedOut, false)
	check(t, "RedirectedTo", failure.RedirectedTo, "")
	check(t, "OtherOrigin", failure.OtherOrigin, false)
	check(t, "ConnectTo", failure.ConnectTo, "")
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
	mailServer := sends("220 mail.example ESMTP\r\n")
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
		kind     *client.Kind
		attempts int
		reason   string
	}{
		"no such host":        {"http://nonexistent.invalid", client.KindResolve, 2, "the host name could not be resolved: no such host"},
		"failing name server": {"http://" + hostOfFailingNameServer, client.KindNameServer, 2, "the name servers answered with a failure"},
		"nothing listens":     {"http://" + nowhere, client.KindConnect, 2, "connection refused"},
		"closed at once":      {rawServer(t, "http", closes), client.KindBroken, 2, closedEarly},
		"reset at once":       {rawServer(t, "http", instancetest.ResetConnection), client.KindBroken, 2, closedEarly},
		"closed in the handshake": {rawServer(t, "https", closes),
			client.KindBroken, 2, "the server closed or reset the connection during the TLS handshake"},
		"reset in the handshake": {rawServer(t, "https", instancetest.ResetConnection),
			client.KindBroken, 2, "the server closed or reset the connection"},
		"speaks first":      {rawServer(t, "http", mailServer), client.KindNotHTTP, 1, notHTTP},
		"speaks first, TLS": {instancetest.NewRawTLS(t, mailServer).Origin(), client.KindNotHTTP, 1, notHTTP},
		"answers in TLS":    {rawServer(t, "http", answers(alert(10))), client.KindHTTPSOnly, 1, "answered in TLS, not in plain HTTP"},
		"HTTP/2 only": {rawServer(t, "http", answers("\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\r\n\r\n")),
			client.KindHTTP2Only, 1, "the server answered in HTTP/2"},

		"expired":                {certificate(instancetest.CertificateExpired), client.KindCertificateExpired, 1, "certificate has expired"},
		"wrong name":             {certificate(instancetest.CertificateWrongHost), client.KindCertificateName, 1, "127.0.0.1"},
		"self-signed":            {certificate(instancetest.CertificateSelfSigned), client.KindCertificateSelfSigned, 1, "the certificate is self-signed"},
		"plain HTTP on the port": {"https://" + plain.Address(), client.KindTLS, 1, noTLS},
		"another protocol":       {rawServer(t, "https", sends("220 mail.example ESMTP\r\n")), client.KindTLS, 1, noTLS},
		"only old versions, alert": {rawServer(t, "https", sends(alert(70))),
			client.KindTLSVersion, 1, "refused the TLS handshake: protocol version not supported"},
		"only old versions, no alert":  {rawServer(t, "https", sends(oldServerHello)), client.KindTLSVersion, 1, "unsupported protocol version"},
		"unrecognized name":            {rawServer(t, "https", sends(alert(112))), client.KindTLSHostName, 1, "unrecognized name"},
		"other alert":                  {rawServer(t, "https", sends(alert(40))), client.KindTLS, 1, "refused the TLS handshake: handshake failure"},
		"no HTTP/1.1":                  {instancetest.NewRawTLS(t, instancetest.Await, "h3").Origin(), client.KindTLSProtocol, 1, "no application protocol"},
		"no client certificate":        {mutual.URL(), client.KindClientCertificate, 1, "refused the TLS handshake: certificate required"},
		"asked, and closed":            {asking(instancetest.CloseConnection()), client.KindClientCertificate, 2, wantedCertificate},
		"asked, and reset":             {asking(instancetest.Reset()), client.KindClientCertificate, 2, wantedCertificate},
		"asked, and broke in the head": {asking(instancetest.Verbatim(okHead, instancetest.Reset())), client.KindBroken, 2, closedEarly},
		"asked, and broke in the body": {asking(verbatim(okHead + "Content-Length: 9\r\n\r\n{")), client.KindBroken, 2, brokenBody},
	}
	config := newConfig()
	config.Retry.MaxAttempts, config.TLS = 2, trust(t)
	c := newClient(t, config)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFailure(t, readError(t, c, newRequest(t, test.url)), test.kind, test.attempts, test.reason)
		})
	}
	t.Run("unknown authority", func(t *testing.T) {
		t.Parallel()
		got := readError(t, newClient(t, newConfig()), newRequest(t, mutual.URL()))
		checkFailure(t, got, client.KindCertificate, 1, "unknown authority")
	})
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
		kind          *client.Kind
		attempts      int
		reason        string
	}{
		"refuses":                   {"https", refusing(403), client.KindProxy, 1, "the proxy refused to connect to the instance: status 403 Forbidden"},
		"refuses, plain":            {"http", refusing(403), client.KindStatus, 1, "status 403 Forbidden"},
		"wants credentials":         {"https", refusing(407), client.KindProxy, 1, "status 407"},
		"refuses credentials":       {"https", negotiate, client.KindProxy, 1, accepts},
		"cannot reach the instance": {"https", refusing(502), client.KindProxy, 2, "status 502 Bad Gateway"},
		"answers 204":               {"https", refusing(204), client.KindProxy, 1, "status 204"},
		"down":                      {"https", "http://" + user + nowhere, client.KindProxy, 2, unreachable + "connection refused"},
		"down, plain":               {"http", user + nowhere, client.KindProxy, 2, unreachable + "connection refused"},
		"not found":                 {"https", "http://" + user + "nonexistent.invalid:3128", client.KindProxy, 2, unreachable + "no such host"},
		"closes":                    {"https", rawServer(t, "http", closes), client.KindProxy, 2, brokeIt},
		"closes, plain":             {"http", rawServer(t, "http", closes), client.KindBroken, 2, closedEarly},
		"resets":                    {"https", rawServer(t, "http", instancetest.ResetConnection), client.KindProxy, 2, "the proxy "},
		"https, expired": {"https", instancetest.NewProxy(t, instancetest.WithProxyCertificate(instancetest.CertificateExpired)).URL(),
			client.KindProxy, 1, unreachable + "certificate has expired"},
		"https, refuses":          {"https", instancetest.NewProxy(t, trusted, instancetest.WithProxyRefusal(403)).URL(), client.KindProxy, 1, "status 403"},
		"https, instance expired": {"https", toExpired.URL(), client.KindCertificateExpired, 1, "certificate has expired"},
		"https, without TLS": {"https", rawServer(t, "https", sends("HTTP/1.1 400 Bad Request\r\n\r\n")),
			client.KindProxy, 2, unreachable + "first record does not look like a TLS handshake"},
		"SOCKS, down":            {"https", "socks5h://" + user + nowhere, client.KindProxy, 2, unreachable + "connection refused"},
		"SOCKS, closes":          {"https", rawServer(t, "socks5", closes), client.KindProxy, 2, brokeIt},
		"SOCKS, instance closes": {"https", rawServer(t, "socks5", socks(0, closes)), client.KindBroken, 2, "during the TLS handshake"},
		"SOCKS, instance down": {"http", rawServer(t, "socks5", socks(4, instancetest.Await)),
			client.KindProxy, 2, "the proxy could not reach the instance: host unreachable"},
	}
	config := newConfig()
	config.Retry.MaxAttempts, config.TLS = 2, trust(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variable := strings.ToUpper(test.scheme) + "_PROXY"
			c := newClient(t, config, variable+"="+test.proxy)
			got := readError(t, c, newRequest(t, test.scheme+"://"+instancetest.ProxiedHost))
			checkFailure(t, got, test.kind, test.attempts, test.reason)
			check(t, "Proxy", got.Failure.Proxy, variable)
		})
	}
}

// No attempt can succeed, so that not even a wait tries again.
func TestMisconfiguredProxyIsFinal(t *testing.T) {
	t.Parallel()
	const user = "user:" + proxyPassword + "@"
	tests := map[string]struct {
		url       string
		variables []string
		reason    string
	}{
		"not a URL":        {proxiedHTTPS, []string{"HTTPS_PROXY=http://" + user + "[::1"}, "HTTPS_PROXY is not valid"},
		"line break":       {proxiedHTTP, []string{"HTTP_PROXY=http://" + user + "proxy.invalid\n"}, "HTTP_PROXY is not valid"},
		"another scheme":   {proxiedHTTP, []string{"HTTP_PROXY=ftp://" + user + "proxy.invalid"}, "HTTP_PROXY is not valid"},
		"no host":          {proxiedHTTP, []string{"HTTP_PROXY=http://"}, "HTTP_PROXY is not valid"},
		"of a CGI program": {proxiedHTTP, []string{"HTTP_PROXY=http://proxy.invalid", "REQUEST_METHOD=GET"}, "REQUEST_METHOD"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, request := newClient(t, newConfig(), test.variables...), newRequest(t, test.url)
			checkFailure(t, readError(t, c, request), client.KindProxySettings, 1, test.reason)
			_, err := c.Wait(t.Context(), request, client.Condition{})
			checkFailure(t, checkReadError(t, err, request), client.KindProxySettings, 1, test.reason)
		})
	}
	t.Run("not used", func(t *testing.T) {
		t.Parallel()
		c := newClient(t, newConfig(), "HTTP_PROXY=http://[", "NO_PROXY=.invalid")
		checkFailure(t, readError(t, c, newRequest(t, "http://x.invalid")), client.KindResolve, 4, "no such host")
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
		kind     *client.Kind
		attempts int
		reason   string
	}{
		"reset":                        {instancetest.Reset(), client.KindBroken, 2, closedEarly},
		"closed":                       {instancetest.CloseConnection(), client.KindBroken, 2, closedEarly},
		"reset in the body":            {instancetest.Verbatim(okHead+"Content-Length: 9\r\n\r\n{", instancetest.Reset()), client.KindBroken, 2, brokenBody},
		"closed in the status line":    {verbatim("HTTP/1.1 2"), client.KindNotHTTP, 2, notHTTP},
		"closed within the last chunk": {verbatim(okHead + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"), client.KindBroken, 2, brokenBody},
		"closed within a header":       {verbatim("HTTP/1.1 200 OK\r\nContent-Ty"), client.KindNotHTTP, 2, "malformed MIME header"},
		"closed in the head":           {verbatim(okHead), client.KindBroken, 2, closedEarly},

		"not HTTP":                    {verbatim("SSH-2.0-OpenSSH_9.9\r\n\x1b[2J"), client.KindNotHTTP, 1, "SSH-2.0-OpenSSH_9.9"},
		"tls: in a header":            {verbatim("HTTP/1.1 200 OK\r\n tls: protocol version\r\n\r\n"), client.KindNotHTTP, 2, "tls: protocol version"},
		"no head":                     {verbatim(document), client.KindNotHTTP, 1, notHTTP},
		"bad status":                  {verbatim("HTTP/1.1 OK 200\r\n\r\n"), client.KindNotHTTP, 1, `status code "OK"`},
		"bad length":                  {verbatim(okHead + "Content-Length: -2\r\n\r\n{}"), client.KindNotHTTP, 1, "Content-Length"},
		"escape sequence in a header": {instancetest.Body(200, "text/\x1b[31mplain", "{}"), client.KindNotHTTP, 2, `text/\x1b[31mplain`},
		"bad chunk":                   {verbatim(okHead + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), client.KindDamagedBody, 1, "chunk"},
		"not gzip":                    {verbatim(okHead + "Content-Encoding: gzip\r\n\r\n" + document), client.KindDamagedBody, 1, "not valid gzip"},
		"gzip, corrupt": {verbatim(okHead + "Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"),
			client.KindDamagedBody, 1, "not valid gzip"},

		"redirect to a file": {instancetest.Redirect(302, "file:///x"), client.KindRedirect, 1, "a redirect to file:"},

		"head of 17 KiB": {verbatim(okHead + "X: " + strings.Repeat("x", 17<<10) + "\r\n\r\n"), client.KindLargeHead, 1, headTooLarge},
		"endless 1xx": {verbatim(strings.Repeat("HTTP/1.1 103 X\r\nX: "+strings.Repeat("x", 1000)+"\r\n\r\n", 30)),
			client.KindLargeHead, 1, headTooLarge},
		"64 KiB and a byte": {instancetest.AnswerDocument(padded(64<<10 + 1)), client.KindLargeBody, 1, tooLarge},

		"empty body":            {instancetest.Body(200, "application/json", ""), client.KindEmptyBody, 1, `the body is empty (Content-Type "application/json")`},
		"longer than announced": {verbatim(okHead + "Content-Length: 1\r\n\r\n" + document), client.KindCutShort, 1, "the body is incomplete JSON"},
		"web page": {page(200, "<!doctype html><html><title>Sign&nbsp;in &ndash; Files</title><body><h1>Hello"),
			client.KindWebPage, 1, `the body is an HTML page titled "Sign in – Files", not JSON (Content-Type "text/html")`},
		"web page by its type":  {page(200, "hello"), client.KindWebPage, 1, "the body is not JSON"},
		"text":                  {instancetest.Body(200, "", "nothing"), client.KindNotJSON, 1, "(no Content-Type); it begins with: nothing"},
		"other encoding":        {verbatim(okHead + "Content-Encoding: br\r\n\r\n\x8b\x02\x80{}\x03"), client.KindEncodedBody, 1, `Content-Encoding "br"`},
		"identity":              {verbatim(okHead + "Content-Encoding: Identity\r\n\r\nhello"), client.KindNotJSON, 1, "it begins with: hello"},
		"white space":           {instancetest.Body(200, "", " \n"), client.KindEmptyBody, 1, "the body is empty (no Content-Type)"},
		"UTF-16 without a mark": {instancetest.Body(200, "", "\x00{\x00}"), client.KindEncodedBody, 1, "UTF-16"},
		"UTF-16, little end":    {instancetest.Body(200, "", "{\x00}\x00"), client.KindEncodedBody, 1, "UTF-16"},
		"UTF-16, a mark":        {instancetest.Body(200, "", "\xfe\xff"), client.KindEncodedBody, 1, "UTF-16"},
		"zeros":                 {instancetest.Body(200, "", "\x00\x00\x00\x00"), client.KindNotJSON, 1, "the body is not JSON"},
		"zeros, two":            {instancetest.Body(200, "", "{\x00"), client.KindNotJSON, 1, "the body is not JSON"},
		"UTF-16": {instancetest.Body(200, "application/json", "\xff\xfe{\x00}\x00"),
			client.KindEncodedBody, 1, "the body is text in UTF-16, but JSON must be in UTF-8"},
		"escape sequences": {instancetest.Body(200, "text/\u202eplain", "\x1b[2J\x1b]0;title\x07red\u202e"), client.KindNotJSON, 1, "[2J]0;titlered"},

		"error with status 200": {instancetest.Body(200, "application/json", `{"error":"Not Found","message":"Route GET:/x not found"}`),
			client.KindErrorMessage, 1, "although with status 200: Route GET:/x not found"},
		"a message beside a fault": {instancetest.Body(200, "", `{"fileMaxSize":"x","message":"y"}`), client.KindDocument, 1, "fileMaxSize: expected an integer"},
		"two faults": {instancetest.AnswerDocument(instancetest.Newer().Without("fileMaxSize").With("chunkSize", "x")),
			client.KindDocument, 1, "fileMaxSize: required, but missing; chunkSize: expected an integer"},

		"plain HTTP on a TLS port, nginx": {page(400, "<title>400 The plain HTTP request was sent to HTTPS port</title>"),
			client.KindHTTPSOnly, 1, "plain HTTP request was sent to HTTPS port"},
		"the same words, another status": {page(403, "<title>The plain HTTP request was sent to HTTPS port</title>"), client.KindStatus, 1, "status 403"},
		"no certificate, another status": {page(403, "<title>No required SSL certificate was sent</title>"), client.KindStatus, 1, "SSL certificate"},
		"plain HTTP on a TLS port, Go": {instancetest.Body(400, "", "Client sent an HTTP request to an HTTPS server."),
			client.KindHTTPSOnly, 1, "status 400 Bad Request: Client sent an HTTP request to an HTTPS server"},
		"no client certificate, nginx": {page(400, "<title>400 No required SSL certificate was sent</title>"),
			client.KindClientCertificate, 1, "No required SSL certificate"},
		"switched protocol": {instancetest.Verbatim("HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", instancetest.Silent()),
			client.KindStatus, 1, "status 101"},
		"redirect without a Location": {instancetest.Status(302), client.KindStatus, 1, "status 302 Found"},
		"error of the service": {instancetest.Body(404, "application/json", `{"error":"Not Found","message":"Route GET:/x not found."}`),
			client.KindStatus, 1, "status 404 Not Found: Route GET:/x not found"},
		"error, cut body": {instancetest.Verbatim("HTTP/1.1 404 X\r\nContent-Length: 100\r\n\r\nNothing here", instancetest.Reset()),
			client.KindStatus, 1, "status 404"},
	}
	config := newConfig()
	config.Retry.MaxAttempts, config.TLS = 2, trust(t)
	c := newClient(t, config)
	for name, test := range tests {
		for protocol, option := range map[string]instancetest.Option{"plain": instancetest.WithPath(""), "TLS": instancetest.WithoutCertificateRequest()} {
			t.Run(name+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				server := instancetest.New(t, option, instancetest.WithDefault(test.step))
				checkFailure(t, readError(t, c, newRequest(t, server.URL())), test.kind, test.attempts, test.reason)
			})
		}
	}
}

// Nothing is shown of an endless body, because the cut may leave part of a secret.
func TestReasonRepeatsNothing(t *testing.T) {
	t.Parallel()
	body := instancetest.Body
	x := strings.Repeat("x", 74)
	tests := map[string]struct {
		step instancetest.Step
		want string
	}{
		"title that is the status":   {body(502, "text/html", "<title>502 Bad Gateway</title><h1>502 Bad Gateway"), "status 502 Bad Gateway"},
		"title that begins with it":  {body(403, "text/html", "<title>403 Forbidden by policy</title>"), "status 403 Forbidden: by policy"},
		"message that is its text":   {body(404, "application/json", `{"message":"Not Found."}`), "status 404 Not Found"},
		"message that has more":      {body(404, "application/json", `{"message":"Not Found here."}`), "status 404 Not Found: Not Found here"},
		"white space":                {body(404, "text/plain", " \n"), "status 404 Not Found"},
		"status without a text":      {body(599, "text/plain", "no"), "status 599: no"},
		"endless body":               {instancetest.EndlessBody(410, "x"), "status 410 Gone"},
		"long message":               {body(410, "text/plain", strings.Repeat("é", 300)), "status 410 Gone: " + strings.Repeat("é", 199) + "…"},
		"Content-Type that is cut":   {body(200, "text/"+x+"xx", ""), `the body is empty (Content-Type "text/` + x + `…")`},
		"page without a title":       {body(200, "text/html", "<p>"), `the body is not JSON: invalid character '<' at start of value at byte 0 (Content-Type "text/html")`},
		"text after the value's end": {body(200, "", "{} a."), "the body is not JSON: invalid character 'a' at start of value at byte 3 (no Content-Type); it begins with: {} a"},
		"status 403, challenges":     {instancetest.Status(403, "Proxy-Authenticate", "Basic"), "status 403 Forbidden: The instance was told to answer 403"},
	}
	config := newConfig()
	config.Retry.MaxAttempts = 1
	c := newClient(t, config)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, "Reason", readError(t, c, newRequest(t, serverURL(t, test.step))).Failure.Reason, test.want)
		})
	}
}

// Connected and Answered are true of the last request.
func TestFailureTellsHowFarTheRequestCame(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		url                 string
		connected, answered bool
	}{
		"no such host":          {"http://nonexistent.invalid", false, false},
		"nothing listens":       {"https://" + instancetest.ReserveAddress(t), false, false},
		"closed at once":        {rawServer(t, "http", func(c net.Conn) { _ = c.Close() }), true, false},
		"not TLS":               {rawServer(t, "https", sends("220 mail.example ESMTP\r\n")), true, false},
		"closed without a word": {serverURL(t, instancetest.CloseConnection()), true, false},
		"closed in the body":    {serverURL(t, verbatim(okHead+"Content-Length: 9\r\n\r\n{")), true, true},
		"status":                {serverURL(t, instancetest.Status(404)), true, true},
		"redirected to nobody":  {serverURL(t, instancetest.Redirect(302, "http://nonexistent.invalid")), false, false},
	}
	c := newClient(t, newConfig())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure := readError(t, c, newRequest(t, test.url)).Failure
			check(t, "Connected", failure.Connected, test.connected)
			check(t, "Answered", failure.Answered, test.answered)
		})
	}
}

// A connection that breaks is worth another attempt wherever it breaks, up to the last byte.
func TestConnectionThatBreaksAnywhereIsRetried(t *testing.T) {
	t.Parallel()
	document := `{"fileMaxSize":`
	for name, response := range map[string]string{
		"length":  okHead + "Content-Length: 15\r\n\r\n" + document,
		"chunked": okHead + "Transfer-Encoding: chunked\r\n\r\n5\r\n" + document[:5] + "\r\na;x=y\r\n" + document[5:] + "\r\n0\r\n\r\n",
		"gzip": okHead + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" +
			fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(compressed(document)), compressed(document)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			config := newConfig()
			config.Retry.MaxAttempts = 2
			c := newClient(t, config)
			for n := range len(response) {
				for how, end := range map[string]instancetest.Step{"closed": instancetest.CloseConnection(), "reset": instancetest.Reset()} {
					c.CloseIdleConnections() // what breaks after another request is retried anyway
					server.SetScript(instancetest.Verbatim(response[:n], end))
					if _, err := c.Read(t.Context(), newRequest(t, server.URL())); err != nil {
						t.Errorf("%s after %q: %v, want another attempt", how, response[:n], err)
						server.SetScript()
					}
				}
			}
		})
	}
}

// compressed returns a body in gzip.
func compressed(body string) string {
	var compressed bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&compressed, gzip.BestSpeed)
	_, _ = writer.Write([]byte(body))
	_ = writer.Close()
	return compressed.String()
}

// gzipped answers a body with gzip, whatever the request accepts.
func gzipped(body string) instancetest.Step {
	return instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, compressed(body))
	})
}

// No server can keep a read from ending with its request timeout, or when it is canceled by Ctrl-C.
func TestNoServerCanHoldARead(t *testing.T) {
	t.Parallel()
	const (
		noResponse = "connected, but no response in time"
		incomplete = "no complete response in time"
		proxySlow  = "the proxy did not connect to the instance in time"
		chunked    = "Transfer-Encoding: chunked\r\n\r\n"
	)
	floods := func(begin, then string) string { return rawServer(t, "http", writesForever(begin, then)) }
	tests := map[string]struct {
		url      string
		proxy    string
		limit    time.Duration // the request timeout
		kind     *client.Kind
		timedOut bool
		reason   string
	}{
		"silent name server":   {"https://" + hostOfSilentNameServer, "", short, client.KindNameServer, false, "the name servers did not answer"},
		"silent TLS handshake": {rawServer(t, "https", instancetest.Await), "", short, client.KindTimeout, true, "connected, but no TLS handshake in time"},
		"silent":               {serverURL(t, instancetest.Silent()), "", short, client.KindTimeout, true, noResponse},
		"dripping body":        {serverURL(t, instancetest.Drip(okHead+"Content-Length: 9999\r\n\r\n")), "", short, client.KindTimeout, true, incomplete},
		"silent redirect": {serverURL(t, instancetest.Verbatim("HTTP/1.1 302 X\r\nLocation: /\r\nContent-Length: 9\r\n\r\n", instancetest.Silent())), "",
			short, client.KindTimeout, true, incomplete},
		"silent body of an error": {serverURL(t, instancetest.Verbatim("HTTP/1.1 403 X\r\nContent-Length: 100\r\n\r\nNo", instancetest.Silent())), "",
			short, client.KindStatus, false, "status 403 Forbidden: No"},
		"silent proxy, plain":  {proxiedHTTP, rawServer(t, "http", instancetest.Await), short, client.KindTimeout, true, noResponse},
		"silent proxy":         {proxiedHTTPS, rawServer(t, "http", instancetest.Await), short, client.KindProxy, true, proxySlow},
		"silent https proxy":   {proxiedHTTP, rawServer(t, "https", instancetest.Await), short, client.KindProxy, true, proxySlow},
		"silent SOCKS5 proxy":  {proxiedHTTP, rawServer(t, "socks5", instancetest.Await), short, client.KindProxy, true, proxySlow},
		"endless proxy answer": {proxiedHTTPS, floods("HTTP/1.1 200 OK\r\nX: ", "x"), long, client.KindProxy, false, ""},
		"endless header":       {floods("HTTP/1.1 200 OK\r\nX: ", "x"), "", long, client.KindLargeHead, false, ""},
		"endless 1xx":          {floods("", "HTTP/1.1 103 Early Hints\r\n\r\n"), "", long, client.KindLargeHead, false, ""},
		"endless body":         {serverURL(t, instancetest.EndlessBody(200, " ")), "", long, client.KindLargeBody, false, ""},
		"endless extension":    {floods(okHead+chunked+"1;", "x"), "", long, client.KindDamagedBody, false, ""},
		"endless trailer":      {floods(okHead+chunked+"0\r\nX: ", "x"), "", long, client.KindDamagedBody, false, ""},
		"endless gzip": {floods(okHead+"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x10\x00\x00\x00\x00\x00\x00", "x"), "",
			long, client.KindDamagedBody, false, ""},
		"endless redirect": {floods("HTTP/1.1 302 X\r\nLocation: /\r\n"+chunked, "1\r\n \r\n"), "", long, client.KindRedirect, false, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := newConfig()
			config.RequestTimeout, config.Retry.MaxAttempts, config.TLS = test.limit, 1, trust(t)
			c := newClient(t, config, "HTTP_PROXY="+test.proxy, "HTTPS_PROXY="+test.proxy)
			request := newRequest(t, test.url)
			got := readError(t, c, request)
			check(t, "Kind", got.Failure.Kind, test.kind)
			check(t, "TimedOut", got.Failure.TimedOut, test.timedOut)
			check(t, "Ending", got.Ending, client.GaveUp)
			checkContains(t, "Reason", got.Failure.Reason, test.reason)

			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(100*time.Millisecond, cancel)
			inTime(t, func() {
				_, err := c.Wait(ctx, request, client.Condition{})
				checkCanceled(t, err)
			})
		})
	}
}

// checkCanceled checks that a read returned because its context was canceled.
func checkCanceled(t testing.TB, err error) {
	t.Helper()
	if got := client.AsReadError(err); got == nil || got.Ending != client.Canceled || !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want %v", err, context.Canceled)
	}
}

// sends writes a text at once, and waits for the client to leave.
func sends(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		instancetest.Await(c)
	}
}

// answers reads a request, and then does what sends does.
func answers(text string) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			sends(text)(c)
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

// writesForever reads a request, and writes a text, and then another over and over until the client leaves.
func writesForever(begin, then string) func(net.Conn) {
	data := []byte(strings.Repeat(then, 64<<10/len(then)))
	return func(c net.Conn) {
		_, err := http.ReadRequest(bufio.NewReader(c))
		if err == nil {
			_, err = io.WriteString(c, begin)
		}
		for err == nil {
			_, err = c.Write(data)
		}
	}
}

func TestStatusesAreRetriedAsDocumented(t *testing.T) {
	t.Parallel()
	config := newConfig()
	config.Retry.MaxAttempts = 3
	c := newClient(t, config)
	for attempts, statuses := range map[int][]int{
		1: {201, 204, 206, 300, 304, 306, 400, 401, 404, 407, 409, 425, 428, 430, 451, 499, 501},
		3: {408, 429, 500, 502, 503, 504, 505, 511, 520, 524, 599, 999},
	} {
		for _, status := range statuses {
			t.Run(strconv.Itoa(status), func(t *testing.T) {
				t.Parallel()
				server := instancetest.New(t, instancetest.WithDefault(instancetest.Status(status)))
				got := readError(t, c, newRequest(t, server.URL()))
				checkFailure(t, got, client.KindStatus, attempts, "status "+strconv.Itoa(status))
				check(t, "StatusCode", got.Failure.StatusCode, status)
			})
		}
	}
}

// On a reused connection, invalid bytes may be the rest of an earlier response, so the read tries again on another connection. A head
// that is too large is final there too.
func TestReusedConnectionMayHoldTheRestOfAnEarlierResponse(t *testing.T) {
	t.Parallel()
	config := newConfig()
	config.Retry.MaxAttempts = 2
	tests := map[string]struct {
		text     string
		kind     *client.Kind // nil: the instance is read
		requests int
	}{
		"rest":       {"rest of an earlier response\r\n\r\n", nil, 3},
		"large head": {okHead + strings.Repeat("a:\r\n", 16<<10), client.KindLargeHead, 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithScript(instancetest.Answer(), verbatim(test.text)))
			c, request := newClient(t, config), newRequest(t, server.URL())
			mustRead(t, c, request)
			if test.kind == nil {
				mustRead(t, c, request)
			} else {
				check(t, "Kind", readError(t, c, request).Failure.Kind, test.kind)
			}
			check(t, "number of requests", len(server.Requests()), test.requests)
		})
	}
}
