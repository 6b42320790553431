package client_test

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// place is where something goes wrong.
type place struct {
	// step is what an instance does, in plain HTTP and over TLS.
	step it.Step
	// url starts what goes wrong if it is no instance.
	url func(t *testing.T) string
	// proxy is the environment variable of the proxy at url, which leads to no instance.
	proxy   string
	options []option
}

func does(step it.Step, options ...option) place { return place{step: step, options: options} }

// differing finds differences in every instance.
func differing(differences ...client.Difference) option {
	return func(s *setup) {
		s.Differences = func(*instance.Details) []client.Difference { return slices.Clone(differences) }
	}
}

func body(status int, contentType, text string) place {
	return does(it.Body(status, contentType, text))
}

func page(status int, text string) place { return body(status, "text/html", text) }

func at(url string, options ...option) place {
	return place{url: func(*testing.T) string { return url }, options: options}
}

// on is a server that does not read a request first.
func on(scheme string, serve func(net.Conn), options ...option) place {
	return place{url: rawProxy(scheme, serve), options: options}
}

// onTLS is one that speaks TLS, and offers protocols.
func onTLS(serve func(net.Conn), protocols ...string) place {
	return place{url: func(t *testing.T) string { t.Helper(); return it.NewRawTLS(t, serve, protocols...).Origin() }}
}

// asking is an instance over TLS that asks for a client certificate first.
func asking(step it.Step) place {
	return place{url: func(t *testing.T) string { t.Helper(); return it.New(t, it.WithTLS(), it.WithDefault(step)).URL() }}
}

// tunnel is a proxy for https, and forwarder one for http.
func tunnel(proxy func(t *testing.T) string, options ...option) place {
	return place{url: proxy, proxy: "HTTPS_PROXY", options: options}
}

func forwarder(proxy func(t *testing.T) string, options ...option) place {
	return place{url: proxy, proxy: "HTTP_PROXY", options: options}
}

// open starts what goes wrong, and returns a URL that leads there. The server is nil if it is no instance.
func (p place) open(t *testing.T, instance it.Option) (url string, server *it.Server, options []option) {
	t.Helper()
	switch {
	case p.step != nil:
		server = it.New(t, instance, it.WithDefault(p.step))
		return server.URL(), server, p.options
	case p.proxy != "":
		url = strings.ToLower(strings.TrimSuffix(p.proxy, "_PROXY")) + "://" + it.ProxiedHost
		return url, nil, append([]option{proxied(p.proxy, p.url(t))}, p.options...)
	default:
		return p.url(t), nil, p.options
	}
}

// rawProxy is a proxy with the scheme that does not read a request first.
func rawProxy(scheme string, serve func(net.Conn)) func(t *testing.T) string {
	return func(t *testing.T) string { t.Helper(); return scheme + "://" + it.NewRaw(t, serve).Address() }
}

func proxyThat(options ...it.ProxyOption) func(t *testing.T) string {
	return func(t *testing.T) string { t.Helper(); return it.NewProxy(t, options...).URL() }
}

func refusing(status int, challenges ...string) func(t *testing.T) string {
	return proxyThat(it.WithProxyRefusal(status, challenges...))
}

// withUser adds user info to the URL of a proxy.
func withUser(proxy func(t *testing.T) string) func(t *testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		return strings.Replace(proxy(t), "://", "://user:"+proxyPassword+"@", 1)
	}
}

func proxyAt(url string) func(*testing.T) string { return func(*testing.T) string { return url } }

// retries says which reads try again after a fault.
type retries int

const (
	retried  retries = iota + 1 // every read
	final                       // only a read that waits until the instance is ready
	hopeless                    // none
)

// fault is something that goes wrong, and what it is besides its kind.
type fault struct {
	place
	stableReason string  // if not that of the kind
	retries      retries // if not those of the kind
	hint         client.Hint
	says, also   string
}

// proxyPassword is in the user info of proxies, and never to be printed.
const proxyPassword = "pr0xy-passw0rd"

// verbatim answers a text as it is, and closes the connection.
func verbatim(text string) it.Step { return it.Verbatim(text, it.CloseConnection()) }

const (
	head  = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	short = head + "Content-Length: 9\r\n\r\n{" // a body that is cut
)

// This is the one table of what can go wrong between a client and an instance.
//
// For each fault it checks what the failure is and says, that every read or only one that waits until the instance is
// ready tries again, and that such a read succeeds once the instance is well; and what checkFailure and failEachTime
// hold of every failure.
func TestEachFaultIsClassifiedAndRetriedAsDocumented(t *testing.T) {
	t.Parallel()
	const (
		closed      = "the server closed or reset the connection before it had answered"
		handshake   = "the server closed or reset the connection during the TLS handshake"
		wantedCert  = "the server asked for a client certificate, and closed or reset the connection"
		cut         = "the connection broke before the whole response had arrived"
		noResponse  = "connected, but no response in time"
		incomplete  = "no complete response in time"
		tooLarge    = "a body of more than 65536 bytes"
		headLarge   = "a response head of more than 16384 bytes"
		notFound    = "status 404 Not Found"
		notHTTP     = "the response is not valid HTTP: "
		notJSON     = "the body is not JSON"
		noTLS       = "does not speak TLS on this port"
		unreachable = "the proxy could not be reached: "
		user        = "user:" + proxyPassword + "@"
	)
	nowhere := it.ReserveAddress(t)
	secure, plain := it.New(t, it.WithTLS()), it.New(t, it.WithOtherRoutes())
	mutual := it.New(t, it.WithClientCertificate())
	certificate := func(kind it.Certificate) string { return it.New(t, it.WithCertificate(kind)).URL() }
	mailServer := says("220 mail.example ESMTP\r\n")
	trusted := it.WithProxyCertificate(it.CertificateValid)
	toExpired := func(t *testing.T) string {
		t.Helper()
		instance := it.New(t, it.WithCertificate(it.CertificateExpired))
		return it.NewProxy(t, trusted, it.WithProxyTarget(instance)).URL()
	}
	untrusting := func(s *setup) { s.TLS.CACertPEM = "" }
	closes := func(c net.Conn) { _ = c.Close() }
	document := it.Newer().JSON()

	tests := map[client.Kind]struct {
		stableReason string
		retries      retries
		faults       map[string]fault
	}{
		client.KindResolve: {stableReason: "no such host", retries: retried, faults: map[string]fault{
			"no such host": {place: at("http://nonexistent.invalid"), says: "the host name could not be resolved: no such host"},
			"not through the proxy": {place: at("http://x.invalid", proxied("HTTP_PROXY", "http://["), proxied("NO_PROXY", ".invalid")),
				says: "no such host"},
		}},
		client.KindNameServer: {stableReason: "no response in time", retries: retried, faults: map[string]fault{
			"silent name server": {place: at("https://"+hostOfSilentNameServer, hurried),
				says: "the name servers did not answer"},
			"failing name server": {place: at("http://" + hostOfFailingNameServer),
				says: "the name servers answered with a failure"},
		}},
		client.KindConnect: {stableReason: "connection failed", retries: retried, faults: map[string]fault{
			"nothing listens":      {place: at("http://" + nowhere), says: "connection refused"},
			"nothing listens, TLS": {place: at("https://"+nowhere, withClientCert(plain)), says: "connection refused"},
		}},
		client.KindTimeout: {stableReason: "no response in time", retries: retried, faults: map[string]fault{
			"never reads":             {place: on("http", it.Await, hurried), says: noResponse},
			"silent in the handshake": {place: on("https", it.Await, hurried), says: "connected, but no TLS handshake in time"},
			"silent proxy, plain":     {place: forwarder(rawProxy("http", it.Await), hurried), says: noResponse},
			"silent":                  {place: does(it.Silent(), hurried), says: noResponse},
			"dripping head":           {place: does(it.Drip(head+"X: "), hurried), says: noResponse},
			"dripping body":           {place: does(it.Drip(head+"Content-Length: 9999\r\n\r\n"), hurried), says: incomplete},
		}},
		client.KindBroken: {stableReason: "connection broken", retries: retried, faults: map[string]fault{
			"closed at once":               {place: on("http", closes), says: closed},
			"reset at once":                {place: on("http", it.ResetConnection), says: closed},
			"closed in the handshake":      {place: on("https", closes), says: handshake},
			"reset in the handshake":       {place: on("https", it.ResetConnection), says: "the server closed or reset the connection"},
			"asked, and broke in the body": {place: asking(verbatim(short)), says: cut},
			"asked, and broke in the head": {place: asking(it.Verbatim("H", it.Reset())), says: closed},
			"closing proxy, plain":         {place: forwarder(rawProxy("http", closes)), says: closed},
			"SOCKS proxy, instance closes": {place: tunnel(rawProxy("socks5", socks(0, closes))), says: handshake},
			"reset":                        {place: does(it.Reset()), says: closed},
			"closed":                       {place: does(it.CloseConnection()), says: closed},
			"not even a line":              {place: does(verbatim(document)), says: closed},
			"reset in the body":            {place: does(it.Verbatim(short, it.Reset())), says: cut},
			"gzip cut short": {place: does(verbatim(head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00")),
				says: cut},
		}},
		client.KindCertificate: {stableReason: "certificate not trusted", retries: final, faults: map[string]fault{
			"expired":    {place: at(certificate(it.CertificateExpired)), hint: client.HintExpired, says: "certificate has expired"},
			"wrong name": {place: at(certificate(it.CertificateWrongHost)), hint: client.HintWrongName, says: "127.0.0.1"},
			"self-signed": {place: at(certificate(it.CertificateSelfSigned)), hint: client.HintSelfSigned,
				says: "the certificate is self-signed"},
			"unknown authority": {place: at(secure.URL(), untrusting), says: "unknown authority"},
			"https proxy, instance expired": {place: tunnel(toExpired), hint: client.HintExpired,
				says: "certificate has expired"},
		}},
		client.KindTLS: {stableReason: "TLS handshake failed", retries: final, faults: map[string]fault{
			"plain HTTP on the port": {place: at(strings.Replace(plain.URL(), "http", "https", 1)), says: noTLS},
			"another protocol":       {place: on("https", mailServer), says: noTLS},
			"only old versions, alert": {place: on("https", says(alert(70))), hint: client.HintTLSVersion,
				says: "refused the TLS handshake: protocol version not supported"},
			"only old versions, no alert": {place: on("https", says(oldServerHello)), hint: client.HintTLSVersion,
				says: "unsupported protocol version"},
			"unrecognized name": {place: on("https", says(alert(112))), hint: client.HintHostName, says: "unrecognized name"},
			"other alert":       {place: on("https", says(alert(40))), says: "refused the TLS handshake: handshake failure"},
			"no HTTP/1.1":       {place: onTLS(it.Await, "h3"), hint: client.HintHTTP2, says: "no application protocol"},
			"no client certificate": {place: at(mutual.URL()), hint: client.HintClientCertificate,
				says: "refused the TLS handshake: certificate required"},
			"other client certificate": {place: at(mutual.URL(), withSelfMadeCertificate(t)), hint: client.HintClientCertificate,
				says: "refused the TLS handshake: unknown certificate authority"},
			"no client certificate, closed": {place: asking(it.CloseConnection()), retries: retried,
				hint: client.HintClientCertificate, says: wantedCert},
			"no client certificate, reset": {place: asking(it.Reset()), retries: retried, hint: client.HintClientCertificate,
				says: wantedCert},
		}},
		client.KindProxy: {stableReason: "proxy failed", retries: retried, faults: map[string]fault{
			"proxy refuses": {place: tunnel(refusing(403)), retries: final,
				says: "the proxy refused to connect to the instance: status 403 Forbidden"},
			"proxy wants credentials": {place: tunnel(refusing(407)), retries: final, hint: client.HintProxyCredentials,
				says: "status 407"},
			"proxy refuses credentials": {place: tunnel(withUser(refusing(407, "Negotiate", "x"+proxyPassword))), retries: final,
				hint: client.HintProxyCredentials, says: "(the proxy accepts Negotiate, x(redacted))"},
			"proxy cannot reach it": {place: tunnel(refusing(502)), says: "status 502 Bad Gateway"},
			"proxy answers 204":     {place: tunnel(refusing(204)), retries: final, says: "status 204"},
			"proxy down":            {place: tunnel(proxyAt("http://" + user + nowhere)), says: unreachable + "connection refused"},
			"proxy down, plain":     {place: forwarder(proxyAt(user + nowhere)), says: unreachable + "connection refused"},
			"proxy not found": {place: tunnel(proxyAt("http://" + user + "nonexistent.invalid:3128")),
				says: unreachable + "no such host"},
			"silent proxy": {place: tunnel(rawProxy("http", it.Await), hurried),
				says: "the proxy did not connect to the instance in time"},
			"closing proxy":   {place: tunnel(rawProxy("http", closes)), says: "the proxy broke the connection"},
			"resetting proxy": {place: tunnel(rawProxy("http", it.ResetConnection)), says: "the proxy "},
			"https proxy, expired": {place: tunnel(proxyThat(it.WithProxyCertificate(it.CertificateExpired))), retries: final,
				says: unreachable + "certificate has expired"},
			"https proxy refuses": {place: tunnel(proxyThat(trusted, it.WithProxyRefusal(403))),
				retries: final, says: "status 403"},
			"https proxy without TLS": {place: tunnel(rawProxy("https", says("HTTP/1.1 400 Bad Request\r\n\r\n"))),
				says: unreachable + "first record does not look like a TLS handshake"},
			"SOCKS proxy down": {place: tunnel(proxyAt("socks5://" + user + nowhere)), says: unreachable + "connection refused"},
			"SOCKS proxy silent": {place: forwarder(rawProxy("socks5", it.Await), hurried),
				says: "the proxy did not connect to the instance in time"},
			"SOCKS proxy closes": {place: tunnel(rawProxy("socks5", closes)), says: "the proxy broke the connection"},
			"SOCKS proxy, instance down": {place: forwarder(rawProxy("socks5", socks(4, it.Await))),
				says: "the proxy could not reach the instance: host unreachable"},
			"proxy URL not valid": {place: tunnel(proxyAt("http://" + user + "[::1")), retries: hopeless,
				says: "HTTPS_PROXY is not valid"},
			"proxy URL, line break": {place: forwarder(proxyAt("http://" + user + "proxy.invalid\n")), retries: hopeless,
				says: "HTTP_PROXY is not valid"},
			"proxy URL, other scheme": {place: forwarder(proxyAt("ftp://" + user + "proxy.invalid")), retries: hopeless,
				says: "HTTP_PROXY is not valid"},
			"proxy URL without host": {place: forwarder(proxyAt("http://")), retries: hopeless, says: "HTTP_PROXY is not valid"},
			"proxy of a CGI program": {place: forwarder(proxyAt("http://proxy.invalid"), proxied("REQUEST_METHOD", "GET")),
				retries: hopeless, says: "REQUEST_METHOD"},
		}},
		client.KindNotHTTP: {stableReason: "not HTTP", retries: final, faults: map[string]fault{
			"http on a TLS port, alert": {place: on("http", answers(alert(10))), hint: client.HintHTTPS,
				says: "answered in TLS, not in plain HTTP"},
			"not HTTP":              {place: does(verbatim("SSH-2.0-OpenSSH_9.9\r\n\x1b[2J")), says: notHTTP, also: "SSH-2.0-OpenSSH_9.9"},
			"not HTTP, and a reset": {place: does(it.Verbatim("SSH-2.0-OpenSSH_9.9\r\n\r\n", it.Reset())), says: notHTTP},
			"tls: in a header": {place: does(verbatim("HTTP/1.1 200 OK\r\n tls: protocol version\r\n\r\n")), says: notHTTP,
				also: "tls: protocol version"},
			"speaks first":       {place: on("http", mailServer), says: notHTTP},
			"speaks first, TLS":  {place: onTLS(mailServer), says: notHTTP},
			"no head":            {place: does(verbatim(document + "\r\n")), says: notHTTP},
			"bad status":         {place: does(verbatim("HTTP/1.1 OK 200\r\n\r\n")), says: notHTTP, also: `status code "OK"`},
			"bad length":         {place: does(verbatim(head + "Content-Length: -2\r\n\r\n{}")), says: notHTTP, also: "Content-Length"},
			"escape in a header": {place: body(200, "text/\x1b[31mplain", "{}"), says: notHTTP, also: `text/\x1b[31mplain`},
			"HTTP/2 only": {place: on("http", answers("\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\r\n\r\n")),
				hint: client.HintHTTP2, says: "the server answered in HTTP/2"},
			"bad chunk": {place: does(verbatim(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n")), says: notHTTP,
				also: "chunk"},
			"not gzip": {place: does(verbatim(head + "Content-Encoding: gzip\r\n\r\n" + document)), says: "not valid gzip"},
			"gzip, corrupt": {place: does(verbatim(head + "Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff")),
				says: "not valid gzip"},
		}},
		client.KindRedirect: {stableReason: "redirect not followed", retries: final, faults: map[string]fault{
			"redirect to a file": {place: does(it.Redirect(302, "file:///x")), says: "a redirect to file:"},
		}},
		client.KindTooLarge: {stableReason: "body too large", retries: final, faults: map[string]fault{
			"head of 17 KiB": {place: does(verbatim(head + "X: " + strings.Repeat("x", 17<<10) + "\r\n\r\n")), says: headLarge, hint: client.HintLargeHead},
			"endless 1xx": {place: does(verbatim(strings.Repeat("HTTP/1.1 103 X\r\nX: "+strings.Repeat("x", 1000)+"\r\n\r\n", 30))),
				says: headLarge, hint: client.HintLargeHead},
			"64 KiB and a byte":     {place: does(it.AnswerDocument(padded(64<<10 + 1))), says: tooLarge},
			"64 KiB and more, gzip": {place: does(gzipped(padded(64<<10 + 1))), says: tooLarge},
			"endless body":          {place: does(it.EndlessBody(200, " ")), says: tooLarge},
		}},
		client.KindNotJSON: {stableReason: "not JSON", retries: final, faults: map[string]fault{
			"empty body": {place: body(200, "application/json", ""), says: "the body is empty", also: `Content-Type "application/json"`, hint: client.HintNoDocument},
			"longer than said": {place: does(verbatim(head + "Content-Length: 1\r\n\r\n" + document)), says: "the body is incomplete JSON",
				hint: client.HintCutShort},
			"web page": {hint: client.HintWebPage, place: page(200, "<!doctype html><html><title>Sign&nbsp;in &ndash; Files</title><body><h1>Hello"),
				says: `the body is an HTML page titled "Sign in – Files", not JSON (Content-Type "text/html")`},
			"text": {place: body(200, "", "nothing"), says: "(no Content-Type); it begins with: nothing"},
			"other encoding": {place: does(verbatim(head + "Content-Encoding: br\r\n\r\n\x8b\x02\x80{}\x03")),
				says: `Content-Encoding "br"`, hint: client.HintEncoding},
			"escape sequences": {place: body(200, "text/\u202eplain", "\x1b[2J\x1b]0;title\x07red\u202e"),
				says: `"text/plain"`, also: "[2J]0;titlered"},
		}},
		client.KindDocument: {stableReason: "not an instance document: fileMaxSize", retries: final, faults: map[string]fault{
			"two faults": {place: does(it.AnswerDocument(it.Newer().Without("fileMaxSize").With("chunkSize", "x"))),
				says: "fileMaxSize", also: "chunkSize"},
		}},
		client.KindUnexpected: {stableReason: "not as expected", retries: retried, faults: map[string]fault{
			"two differences": {place: at(plain.URL(), differing(client.Difference{Name: "chunk_size", Reported: "1", Expected: "2"},
				client.Difference{Name: "api_version", Reported: "1.0.0", Expected: "2.0.0"})),
				says: "chunk_size is 1, expected 2; api_version is 1.0.0, expected 2.0.0"},
		}},
		client.KindStatus: {retries: final, faults: map[string]fault{
			"http on a TLS port": {place: at(strings.Replace(secure.URL(), "https", "http", 1)), stableReason: "status 400 Bad Request",
				hint: client.HintHTTPS, says: "status 400 Bad Request: Client sent an HTTP request to an HTTPS server"},
			"http on a TLS port, nginx": {place: page(400, "<title>400 The plain HTTP request was sent to HTTPS port</title>"),
				stableReason: "status 400 Bad Request", hint: client.HintHTTPS, says: "plain HTTP request was sent to HTTPS port"},
			"no client certificate, nginx": {place: page(400, "<title>400 No required SSL certificate was sent</title>"),
				stableReason: "status 400 Bad Request", hint: client.HintClientCertificate, says: "No required SSL certificate"},
			"proxy refuses, plain": {place: forwarder(refusing(403)), stableReason: "status 403 Forbidden"},
			"wants credentials, plain": {place: forwarder(refusing(407)), stableReason: "status 407 Proxy Authentication Required",
				hint: client.HintProxyCredentials, says: "status 407"},
			"refuses credentials, plain": {place: forwarder(withUser(refusing(407, "Negotiate", "x"+proxyPassword))),
				stableReason: "status 407 Proxy Authentication Required", hint: client.HintProxyCredentials,
				says: "(the proxy accepts Negotiate, x(redacted))"},
			"switched protocol": {place: does(it.Verbatim("HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", it.Silent())),
				stableReason: "status 101 Switching Protocols"},
			"redirect without a Location": {place: does(it.Status(302)), stableReason: "status 302 Found"},
			"error of the service": {place: body(404, "application/json", `{"error":"Not Found","message":"Route GET:/x not found."}`),
				stableReason: notFound, says: "status 404 Not Found: Route GET:/x not found"},
			"error page": {place: page(502, "<html><title>502 Bad Gateway</title><body><h1>502 Bad Gateway</h1></body></html>"),
				stableReason: "status 502 Bad Gateway", retries: retried},
			"error, cut body": {place: does(it.Verbatim("HTTP/1.1 404 X\r\nContent-Length: 100\r\n\r\nNothing here", it.Reset())),
				stableReason: notFound},
			"error, silent body": {place: does(it.Verbatim("HTTP/1.1 403 X\r\nContent-Length: 100\r\n\r\nNo", it.Silent()), timeout(4*soon)),
				stableReason: "status 403 Forbidden", says: "status 403 Forbidden: No"},
			// It may have been cut in a secret.
			"error, endless body": {place: does(it.EndlessBody(410, "x")), stableReason: "status 410 Gone"},
		}},
	}
	for kind, group := range tests {
		for name, test := range group.faults {
			test.stableReason, test.retries = cmp.Or(test.stableReason, group.stableReason), cmp.Or(test.retries, group.retries)
			instances := map[string]it.Option{"": nil}
			if test.step != nil {
				instances = map[string]it.Option{"/plain": it.WithPath(""), "/TLS": it.WithoutCertificateRequest()}
			}
			for protocol, instance := range instances {
				t.Run(name+protocol, func(t *testing.T) {
					t.Parallel()
					url, server, options := test.open(t, instance)
					options = append([]option{trusting(secure), attempts(2)}, options...)
					failures := failPatiently(t, test.says, 3, url, options...)
					for _, failure := range failures {
						test.check(t, kind, failure)
					}
					if server != nil {
						server.SetScript(test.step)
						server.SetDefault(it.Answer())
						read(t, url, append(options, untilReady, attempts(1), shortened)...)
					} else {
						checkUntilReady(t, test.retries, url, options)
					}
				})
			}
		}
	}
}

// check checks a failure of a read of two attempts.
func (f fault) check(t *testing.T, kind client.Kind, failure *client.Failure) {
	t.Helper()
	if failure.Kind != kind || failure.StableReason != f.stableReason || failure.Hint != f.hint {
		t.Errorf("%q is of kind %d, stableReason %q, hint %d; want %d, %q, %d",
			failure, failure.Kind, failure.StableReason, failure.Hint, kind, f.stableReason, f.hint)
	}
	wantAttempts, wantProxy := 1, f.proxy
	switch f.retries {
	case retried:
		wantAttempts = 2
	case hopeless:
		wantProxy = "" // none was used
	}
	if failure.Attempts != wantAttempts || failure.Ending != client.NotByTime {
		t.Errorf("%d attempts are wanted: %+v", wantAttempts, failure)
	}
	if failure.Proxy != wantProxy || !failure.ExtraHeaders || failure.OtherOrigin || failure.RedirectedTo != "" {
		t.Errorf("not true of this read: %+v", failure)
	}
	if failure.AttemptTimedOut != (kind == client.KindTimeout || kind == client.KindProxy && f.waits()) {
		t.Errorf("the time for an attempt ran out: %t", failure.AttemptTimedOut)
	}
	if (failure.Differences != nil) != (kind == client.KindUnexpected) {
		t.Errorf("differences %q", failure.Differences)
	}
	if (failure.Faults != nil) != (kind == client.KindDocument || kind == client.KindNotJSON) {
		t.Errorf("faults %q", failure.Faults)
	}
	text := failure.Error()
	mustSay(t, text, f.says, f.also)
	if kind == client.KindStatus {
		mustSay(t, text, f.stableReason)
	}
	if strings.Contains(text, proxyPassword) || strings.HasSuffix(text, ".") || strings.Contains(text, "%!") ||
		strings.Count(text, "502 Bad Gateway") > 1 {
		t.Errorf("%q repeats something, or what it must not", text)
	}
}

// waits tells whether reads of the fault end with their request timeout.
func (f fault) waits() bool { return hurries(f.options) }

// checkUntilReady checks that a read which waits until the instance is ready goes on, unless there is no hope.
func checkUntilReady(t *testing.T, retries retries, url string, options []option) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	again := 0
	c, request := prepare(t, url, append(options, untilReady, attempts(1), func(s *setup) {
		s.Log = func(_ context.Context, message string, _ ...map[string]any) {
			if message == "Trying again" {
				if again++; again == 2 {
					cancel()
				}
			}
		}
	})...)
	_, err := c.Read(ctx, request)
	if retries != hopeless {
		mustBeCanceled(t, err)
	} else if again != 0 {
		t.Errorf("tried again %d times without hope", again)
	}
}

// says writes a text and waits for the client to leave.
func says(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		it.Await(c)
	}
}

// answers says a text once it was asked.
func answers(text string) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			says(text)(c)
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

// padded returns an instance document of that many bytes.
func padded(size int) string {
	document := it.Newer().JSON()
	return document + strings.Repeat(" ", size-len(document))
}

// gzipped answers a body with gzip, whatever the request accepts.
func gzipped(body string) it.Step {
	var compressed bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&compressed, gzip.BestSpeed)
	_, _ = writer.Write([]byte(body))
	_ = writer.Close()
	return it.Func(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(compressed.Bytes())
	})
}

// floods writes a text, and then another over and over until the client leaves.
func floods(begin, then string) func(net.Conn) {
	data := []byte(strings.Repeat(then, 64<<10/len(then)))
	return func(c net.Conn) {
		_, err := io.WriteString(c, begin)
		for err == nil {
			_, err = c.Write(data)
		}
	}
}

func TestStatusesAreRetriedAsDocumented(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	for _, status := range []int{
		201, 204, 206, 300, 304, 306, 400, 401, 404, 407, 408, 409, 425, 428, 429, 430, 451, 499, 500, 501, 502, 503, 504, 505, 511, 520, 524, 599, 999,
	} {
		server.SetDefault(it.Status(status))
		failure := fail(t, server.URL(), attempts(3))
		want := 1
		if status == 408 || status == 429 || status >= 500 && status != 501 {
			want = 3
		}
		text := strings.TrimSpace(fmt.Sprintf("status %d %s", status, http.StatusText(status)))
		if failure.Kind != client.KindStatus || failure.StatusCode != status || failure.Attempts != want ||
			failure.StableReason != text {
			t.Errorf("status %d: %d attempts, want %d; %+v", status, failure.Attempts, want, failure)
		}
		if status != 204 && status != 304 {
			text += ": The instance was told to answer"
		}
		mustSay(t, failure.Error(), text)
	}
}

// A connection that ends at any byte of a response is a broken connection: an attempt that failed, and no answer.
func TestResponseThatBreaksAtAnyByteIsABrokenConnection(t *testing.T) {
	t.Parallel()
	body := it.Newer().JSON()
	responses := map[string]string{
		"length":  fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(body), body),
		"chunked": fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", head, len(body), body),
	}
	for name, response := range responses {
		headLength := strings.Index(response, "\r\n\r\n") + len("\r\n\r\n")
		for how, end := range map[string]func() it.Step{"closed": it.CloseConnection, "reset": it.Reset} {
			for protocol, option := range map[string]it.Option{"plain": it.WithPath(""), "TLS": it.WithoutCertificateRequest()} {
				t.Run(name+" "+how+" "+protocol, func(t *testing.T) {
					t.Parallel()
					server := it.New(t, option)
					c, request := prepare(t, server.URL(), trusting(server), attempts(1))
					for length := range response {
						if length > headLength+20 && length < len(response)-20 || protocol == "TLS" && length%7 != 0 {
							continue // one byte of the document is like another; handshakes take time
						}
						server.SetDefault(it.Verbatim(response[:length], end()))
						_, err := c.Read(t.Context(), request)
						want := "before it had answered"
						if length >= headLength {
							want = "before the whole response had arrived"
						}
						failure, ok := client.AsFailure(err)
						if !ok || failure.StableReason != "connection broken" || !strings.Contains(failure.Reason, want) {
							t.Errorf("after %q: %v", response[:length], err)
						}
					}
					server.SetDefault(verbatim(response))
					if _, err := c.Read(t.Context(), request); err != nil {
						t.Errorf("the whole response: %v", err)
					}
				})
			}
		}
	}
}

// What comes on a connection after an earlier response may be the rest of that one, and is not the answer: another
// attempt gets another connection. A head that is too large is final there too, and its rest is no other response.
func TestReusedConnectionMayHoldTheRestOfAnEarlierResponse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text     string
		kind     client.Kind // 0: the instance is read
		requests int
	}{
		{"rest of an earlier response\r\n\r\n", 0, 3},
		{head + strings.Repeat("a:\r\n", 16<<10), client.KindTooLarge, 2},
	} {
		server := it.New(t, it.WithScript(it.Answer(), verbatim(test.text)))
		c, request := prepare(t, server.URL(), attempts(2))
		if _, err := c.Read(t.Context(), request); err != nil {
			t.Fatalf("%v", err)
		}
		_, err := c.Read(t.Context(), request)
		if failure, failed := client.AsFailure(err); failed != (test.kind != 0) || failed && failure.Kind != test.kind {
			t.Errorf("%+v", err)
		}
		if n := len(server.Requests()); n != test.requests {
			t.Errorf("%d requests, want %d", n, test.requests)
		}
	}
}
