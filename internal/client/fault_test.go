package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
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

func at(url string, options ...option) place {
	return place{url: func(*testing.T) string { return url }, options: options}
}

// on is a server that does not read a request first.
func on(scheme string, serve func(net.Conn), options ...option) place {
	return place{url: func(t *testing.T) string { t.Helper(); return scheme + "://" + it.NewRaw(t, serve).Address() }, options: options}
}

func behind(variable string, proxy func(t *testing.T) string, options ...option) place {
	return place{url: proxy, proxy: variable, options: options}
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
	return on(scheme, serve).url
}

func proxyThat(options ...it.ProxyOption) func(t *testing.T) string {
	return func(t *testing.T) string { t.Helper(); return it.NewProxy(t, options...).URL() }
}

// retries says which reads try again after a fault.
type retries int

const (
	retried  retries = iota // every read
	final                   // only a read that waits until the instance is ready
	hopeless                // none
)

// proxyPassword is in the user info of proxies, and never to be printed.

const proxyPassword = "pr0xy-passw0rd"

// verbatim answers a text as it is, and closes the connection.
func verbatim(text string) it.Step { return it.Verbatim(text, it.CloseConnection()) }

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

// This is the one table of what can go wrong between a client and an instance.
//
// For each fault it checks what the failure is and says, that every read or only one that waits until the instance is
// ready tries again, and that such a read succeeds once the instance is well; and what checkFailure and failEachTime
// hold of every failure.
func TestEachFaultIsClassifiedAndRetriedAsDocumented(t *testing.T) {
	t.Parallel()
	const (
		closed     = "the server closed or reset the connection before it had answered"
		handshake  = "the server closed or reset the connection during the TLS handshake"
		wantedCert = "the server asked for a client certificate, and closed or reset the connection"
		cut        = "the connection broke before the whole response had arrived"
		noResponse = "connected, but no response in time"
		incomplete = "no complete response in time"
		tooLarge   = "a body of more than 65536 bytes"
		headLarge  = "a response head of more than 16384 bytes"
		notHTTP    = "the response is not valid HTTP: "
		inTime     = "no response in time"
		noTLS      = "TLS handshake failed"
		noProxy    = "proxy failed"
		user       = "user:" + proxyPassword + "@"
	)
	nowhere := it.ReserveAddress(t)
	secure, plain := it.New(t, it.WithTLS()), it.New(t)
	mutual := it.New(t, it.WithClientCertificate())
	certificate := func(kind it.Certificate) string { return it.New(t, it.WithCertificate(kind)).URL() }
	untrusting := func(s *setup) { s.TLS.CACertPEM = "" }
	closes := func(c net.Conn) { _ = c.Close() }
	html := func(status int, page string) it.Step { return it.Body(status, "text/html", page) }
	document := it.Newer().JSON()

	tests := map[string]struct {
		place
		kind    client.Kind
		class   string
		retries retries
		hint    client.Hint
		words   []string
	}{
		// Names and connections.
		"no such host":         {at("http://nonexistent.invalid"), client.KindResolve, "no such host", retried, 0, []string{"the host name could not be resolved: no such host"}},
		"silent name server":   {at("https://"+hostOfSilentNameServer, hurried), client.KindNameServer, inTime, retried, 0, []string{"the name servers did not answer"}},
		"failing name server":  {at("http://" + hostOfFailingNameServer), client.KindNameServer, inTime, retried, 0, []string{"the name servers answered with a failure"}},
		"nothing listens":      {at("http://" + nowhere), client.KindConnect, "connection failed", retried, 0, []string{"connection refused"}},
		"nothing listens, TLS": {at("https://"+nowhere, withClientCert(plain)), client.KindConnect, "connection failed", retried, 0, []string{"connection refused"}},
		"closed at once":       {on("http", closes), client.KindBroken, "connection broken", retried, 0, []string{closed}},
		"reset at once":        {on("http", it.ResetConnection), client.KindBroken, "connection broken", retried, 0, []string{closed}},
		"never reads":          {on("http", it.Await, hurried), client.KindTimeout, inTime, retried, 0, []string{noResponse}},

		// TLS.
		"closed in the handshake":     {on("https", closes), client.KindBroken, "connection broken", retried, 0, []string{handshake}},
		"reset in the handshake":      {on("https", it.ResetConnection), client.KindBroken, "connection broken", retried, 0, []string{"the server closed or reset the connection"}},
		"silent in the handshake":     {on("https", it.Await, hurried), client.KindTimeout, inTime, retried, 0, []string{"connected, but no TLS handshake in time"}},
		"plain HTTP on the port":      {at(strings.Replace(plain.URL(), "http", "https", 1)), client.KindTLS, noTLS, final, 0, []string{"does not speak TLS on this port"}},
		"another protocol":            {on("https", says("220 mail.example ESMTP\r\n")), client.KindTLS, noTLS, final, 0, []string{"does not speak TLS on this port"}},
		"only old versions, alert":    {on("https", says(alert(70))), client.KindTLS, noTLS, final, client.HintTLSVersion, []string{"refused the TLS handshake: protocol version not supported"}},
		"only old versions, no alert": {on("https", says(oldServerHello)), client.KindTLS, noTLS, final, client.HintTLSVersion, []string{"unsupported protocol version"}},
		"unrecognized name":           {on("https", says(alert(112))), client.KindTLS, noTLS, final, client.HintHostName, []string{"unrecognized name"}},
		"other alert":                 {on("https", says(alert(40))), client.KindTLS, noTLS, final, 0, []string{"refused the TLS handshake: handshake failure"}},
		"no HTTP/1.1":                 {place{url: func(t *testing.T) string { t.Helper(); return it.NewRawTLS(t, it.Await, "h3").Origin() }}, client.KindTLS, noTLS, final, client.HintHTTP2, []string{"no application protocol"}},
		"no client certificate":       {at(mutual.URL()), client.KindTLS, noTLS, final, client.HintClientCertificate, []string{"refused the TLS handshake: certificate required"}},
		"other client certificate": {at(mutual.URL(), func(s *setup) { s.TLS.ClientCertPEM, s.TLS.ClientKeyPEM = selfMadeCertificate(t) }),
			client.KindTLS, noTLS, final, client.HintClientCertificate, []string{"refused the TLS handshake: unknown certificate authority"}},
		"no client certificate, closed": {asking(it.CloseConnection()), client.KindTLS, noTLS, retried, client.HintClientCertificate, []string{wantedCert}},
		"no client certificate, reset":  {asking(it.Reset()), client.KindTLS, noTLS, retried, client.HintClientCertificate, []string{wantedCert}},
		"asked, and broke in the body":  {asking(it.ShortBody()), client.KindBroken, "connection broken", retried, 0, []string{cut}},
		"asked, and broke in the head":  {asking(it.Verbatim("H", it.Reset())), client.KindBroken, "connection broken", retried, 0, []string{closed}},
		"expired":                       {at(certificate(it.CertificateExpired)), client.KindCertificate, "certificate not trusted", final, client.HintExpired, []string{"certificate has expired"}},
		"wrong name":                    {at(certificate(it.CertificateWrongHost)), client.KindCertificate, "certificate not trusted", final, client.HintWrongName, []string{"127.0.0.1"}},
		"self-signed":                   {at(certificate(it.CertificateSelfSigned)), client.KindCertificate, "certificate not trusted", final, client.HintSelfSigned, []string{"the certificate is self-signed"}},
		"unknown authority":             {at(secure.URL(), untrusting), client.KindCertificate, "certificate not trusted", final, 0, []string{"unknown authority"}},
		"http on a TLS port": {at(strings.Replace(secure.URL(), "https", "http", 1)), client.KindStatus, "status 400 Bad Request", final, client.HintHTTPS,
			[]string{"status 400 Bad Request: Client sent an HTTP request to an HTTPS server"}},
		"http on a TLS port, nginx": {does(html(400, "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>")),
			client.KindStatus, "status 400 Bad Request", final, client.HintHTTPS, []string{"plain HTTP request was sent to HTTPS port"}},
		"http on a TLS port, alert": {on("http", answers(alert(10))), client.KindNotHTTP, "not HTTP", final, client.HintHTTPS, []string{"answered in TLS, not in plain HTTP"}},
		"no client certificate, nginx": {does(html(400, "<title>400 No required SSL certificate was sent</title>")),
			client.KindStatus, "status 400 Bad Request", final, client.HintClientCertificate, []string{"No required SSL certificate was sent"}},

		// Proxies.
		"proxy refuses":            {behind("HTTPS_PROXY", proxyThat(it.WithProxyRefusal(403))), client.KindProxy, noProxy, final, 0, []string{"the proxy refused to connect to the instance: status 403 Forbidden"}},
		"proxy wants credentials":  {behind("HTTPS_PROXY", proxyThat(it.WithProxyRefusal(407))), client.KindProxy, noProxy, final, client.HintProxyCredentials, []string{"status 407"}},
		"proxy cannot reach it":    {behind("HTTPS_PROXY", proxyThat(it.WithProxyRefusal(502))), client.KindProxy, noProxy, retried, 0, []string{"status 502 Bad Gateway"}},
		"proxy answers 204":        {behind("HTTPS_PROXY", proxyThat(it.WithProxyRefusal(204))), client.KindProxy, noProxy, final, 0, []string{"status 204"}},
		"proxy refuses, plain":     {behind("HTTP_PROXY", proxyThat(it.WithProxyRefusal(403))), client.KindStatus, "status 403 Forbidden", final, 0, []string{"status 403 Forbidden"}},
		"wants credentials, plain": {behind("HTTP_PROXY", proxyThat(it.WithProxyRefusal(407))), client.KindStatus, "status 407 Proxy Authentication Required", final, 0, []string{"status 407"}},
		"proxy down":               {behind("HTTPS_PROXY", proxyAt("http://"+user+nowhere)), client.KindProxy, noProxy, retried, 0, []string{"the proxy could not be reached: connection refused"}},
		"proxy down, plain":        {behind("HTTP_PROXY", proxyAt(user+nowhere)), client.KindProxy, noProxy, retried, 0, []string{"the proxy could not be reached: connection refused"}},
		"proxy not found":          {behind("HTTPS_PROXY", proxyAt("http://"+user+"nonexistent.invalid:3128")), client.KindProxy, noProxy, retried, 0, []string{"the proxy could not be reached: no such host"}},
		"silent proxy":             {behind("HTTPS_PROXY", rawProxy("http", it.Await), hurried), client.KindProxy, noProxy, retried, 0, []string{"the proxy did not connect to the instance in time"}},
		"silent proxy, plain":      {behind("HTTP_PROXY", rawProxy("http", it.Await), hurried), client.KindTimeout, inTime, retried, 0, []string{noResponse}},
		"closing proxy":            {behind("HTTPS_PROXY", rawProxy("http", closes)), client.KindProxy, noProxy, retried, 0, []string{"the proxy broke the connection"}},
		"closing proxy, plain":     {behind("HTTP_PROXY", rawProxy("http", closes)), client.KindBroken, "connection broken", retried, 0, []string{closed}},
		"resetting proxy":          {behind("HTTPS_PROXY", rawProxy("http", it.ResetConnection)), client.KindProxy, noProxy, retried, 0, []string{"the proxy "}},
		"https proxy, expired":     {behind("HTTPS_PROXY", proxyThat(it.WithProxyCertificate(it.CertificateExpired))), client.KindProxy, noProxy, final, 0, []string{"the proxy could not be reached: certificate has expired"}},
		"https proxy refuses":      {behind("HTTPS_PROXY", proxyThat(it.WithProxyCertificate(it.CertificateValid), it.WithProxyRefusal(403))), client.KindProxy, noProxy, final, 0, []string{"status 403"}},
		"https proxy without TLS":  {behind("HTTPS_PROXY", rawProxy("https", says("HTTP/1.1 400 Bad Request\r\n\r\n"))), client.KindProxy, noProxy, retried, 0, []string{"the proxy could not be reached: first record does not look like a TLS handshake"}},
		"SOCKS proxy down":         {behind("HTTPS_PROXY", proxyAt("socks5://"+user+nowhere)), client.KindProxy, noProxy, retried, 0, []string{"the proxy could not be reached: connection refused"}},
		"SOCKS proxy silent":       {behind("HTTP_PROXY", rawProxy("socks5", it.Await), hurried), client.KindProxy, noProxy, retried, 0, []string{"the proxy did not connect to the instance in time"}},
		"SOCKS proxy closes":       {behind("HTTPS_PROXY", rawProxy("socks5", closes)), client.KindProxy, noProxy, retried, 0, []string{"the proxy broke the connection"}},
		"SOCKS proxy, instance down": {behind("HTTP_PROXY", rawProxy("socks5", socks(4, it.Await))), client.KindProxy, noProxy, retried, 0,
			[]string{"the proxy could not reach the instance: host unreachable"}},
		"SOCKS proxy, instance closes": {behind("HTTPS_PROXY", rawProxy("socks5", socks(0, closes))), client.KindBroken, "connection broken", retried, 0, []string{handshake}},
		"https proxy, instance expired": {behind("HTTPS_PROXY", func(t *testing.T) string {
			t.Helper()
			instance := it.New(t, it.WithCertificate(it.CertificateExpired))
			return it.NewProxy(t, it.WithProxyCertificate(it.CertificateValid), it.WithProxyTarget(instance)).URL()
		}), client.KindCertificate, "certificate not trusted", final, client.HintExpired, []string{"certificate has expired"}},
		"proxy URL not valid":     {behind("HTTPS_PROXY", proxyAt("http://"+user+"[::1")), client.KindProxy, noProxy, hopeless, 0, []string{"HTTPS_PROXY is not valid"}},
		"proxy URL, line break":   {behind("HTTP_PROXY", proxyAt("http://"+user+"proxy.invalid\n")), client.KindProxy, noProxy, hopeless, 0, []string{"HTTP_PROXY is not valid"}},
		"proxy URL, other scheme": {behind("HTTP_PROXY", proxyAt("ftp://"+user+"proxy.invalid")), client.KindProxy, noProxy, hopeless, 0, []string{"HTTP_PROXY is not valid"}},
		"proxy URL without host":  {behind("HTTP_PROXY", proxyAt("http://")), client.KindProxy, noProxy, hopeless, 0, []string{"HTTP_PROXY is not valid"}},
		"proxy of a CGI program": {behind("HTTP_PROXY", proxyAt("http://proxy.invalid"), func(s *setup) { s.environment["REQUEST_METHOD"] = "GET" }),
			client.KindProxy, noProxy, hopeless, 0, []string{"REQUEST_METHOD"}},

		// The head.
		"silent":             {does(it.Silent(), hurried), client.KindTimeout, inTime, retried, 0, []string{noResponse}},
		"dripping head":      {does(it.DripHeader(), hurried), client.KindTimeout, inTime, retried, 0, []string{noResponse}},
		"reset":              {does(it.Reset()), client.KindBroken, "connection broken", retried, 0, []string{closed}},
		"closed":             {does(it.CloseConnection()), client.KindBroken, "connection broken", retried, 0, []string{closed}},
		"reset in the head":  {does(it.Verbatim(head, it.Reset())), client.KindBroken, "connection broken", retried, 0, []string{closed}},
		"closed in the head": {does(verbatim(head)), client.KindBroken, "connection broken", retried, 0, []string{closed}},
		"not HTTP":           {does(verbatim("SSH-2.0-OpenSSH_9.9\r\n\x1b[2J")), client.KindNotHTTP, "not HTTP", final, 0, []string{notHTTP, "SSH-2.0-OpenSSH_9.9"}},
		"tls: in a header":   {does(verbatim("HTTP/1.1 200 OK\r\n tls: protocol version\r\n\r\n")), client.KindNotHTTP, "not HTTP", final, 0, []string{notHTTP, "tls: protocol version"}},
		"speaks first":       {on("http", says("220 mail.example ESMTP\r\n")), client.KindNotHTTP, "not HTTP", final, 0, []string{notHTTP}},
		"speaks first, TLS": {place{url: func(t *testing.T) string {
			t.Helper()
			return it.NewRawTLS(t, says("220 mail.example ESMTP\r\n")).Origin()
		}},
			client.KindNotHTTP, "not HTTP", final, 0, []string{notHTTP}},
		"no head":            {does(verbatim(document + "\r\n")), client.KindNotHTTP, "not HTTP", final, 0, []string{notHTTP}},
		"not even a line":    {does(verbatim(document)), client.KindBroken, "connection broken", retried, 0, []string{closed}},
		"bad status":         {does(verbatim("HTTP/1.1 OK 200\r\n\r\n")), client.KindNotHTTP, "not HTTP", final, 0, []string{notHTTP, "status code", "OK"}},
		"bad length":         {does(verbatim(head + "Content-Length: -2\r\n\r\n{}")), client.KindNotHTTP, "not HTTP", final, 0, []string{notHTTP, "Content-Length"}},
		"two lengths":        {does(verbatim(head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ")), client.KindNotHTTP, "not HTTP", final, 0, []string{notHTTP, "Content-Length"}},
		"other transfer":     {does(verbatim(head + "Transfer-Encoding: rot13\r\n\r\n{}")), client.KindNotHTTP, "not HTTP", final, 0, []string{notHTTP, "rot13"}},
		"escape in a header": {does(it.Body(200, "text/\x1b[31mplain", "{}")), client.KindNotHTTP, "not HTTP", final, 0, []string{notHTTP, `text/\x1b[31mplain`}},
		"head of 17 KiB":     {does(verbatim(head + "X: " + strings.Repeat("x", 17<<10) + "\r\n\r\n")), client.KindTooLarge, "body too large", final, 0, []string{headLarge}},
		"endless 1xx": {does(verbatim(strings.Repeat("HTTP/1.1 103 Early Hints\r\nX: "+strings.Repeat("x", 1000)+"\r\n\r\n", 30))), client.KindTooLarge, "body too large", final, 0,
			[]string{headLarge}},
		"HTTP/2 only": {on("http", answers("\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\r\n\r\n")), client.KindNotHTTP, "not HTTP", final, client.HintHTTP2,
			[]string{"the server answered in HTTP/2"}},
		"switched protocol": {does(it.Verbatim("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", it.Silent())),
			client.KindStatus, "status 101 Switching Protocols", final, 0, []string{"status 101 Switching Protocols"}},
		"redirect without a Location": {does(it.Status(302)), client.KindStatus, "status 302 Found", final, 0, []string{"status 302 Found"}},
		"redirect to a file":          {does(it.Redirect(302, "file:///x")), client.KindRedirect, "redirect not followed", final, 0, []string{"a redirect to file:"}},

		// The body.
		"dripping body":         {does(it.DripBody(), hurried), client.KindTimeout, inTime, retried, 0, []string{incomplete}},
		"reset in the body":     {does(it.ResetInBody()), client.KindBroken, "connection broken", retried, 0, []string{cut}},
		"body cut short":        {does(it.ShortBody()), client.KindBroken, "connection broken", retried, 0, []string{cut}},
		"chunk cut short":       {does(verbatim(head + "Transfer-Encoding: chunked\r\n\r\n40\r\n{")), client.KindBroken, "connection broken", retried, 0, []string{cut}},
		"no last chunk":         {does(verbatim(head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n")), client.KindBroken, "connection broken", retried, 0, []string{cut}},
		"bad chunk":             {does(verbatim(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n")), client.KindNotHTTP, "not HTTP", final, 0, []string{notHTTP, "chunk"}},
		"gzip cut short":        {does(verbatim(head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00")), client.KindBroken, "connection broken", retried, 0, []string{cut}},
		"not gzip":              {does(verbatim(head + "Content-Encoding: gzip\r\n\r\n" + document)), client.KindNotHTTP, "not HTTP", final, 0, []string{"not valid gzip"}},
		"gzip, corrupt":         {does(verbatim(head + "Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff")), client.KindNotHTTP, "not HTTP", final, 0, []string{"not valid gzip"}},
		"64 KiB and a byte":     {does(it.AnswerDocument(padded(64<<10 + 1))), client.KindTooLarge, "body too large", final, 0, []string{tooLarge}},
		"64 KiB and more, gzip": {does(gzipped(padded(64<<10 + 1))), client.KindTooLarge, "body too large", final, 0, []string{tooLarge}},
		"endless body":          {does(it.EndlessBody()), client.KindTooLarge, "body too large", final, 0, []string{tooLarge}},
		"gzip bomb":             {does(gzipped(strings.Repeat(" ", 64*mebibyte))), client.KindTooLarge, "body too large", final, 0, []string{tooLarge}},
		"empty body":            {does(it.Body(200, "application/json", "")), client.KindNotJSON, "not JSON", final, 0, []string{"the body is not JSON", `Content-Type "application/json"`}},
		"longer than said":      {does(verbatim(head + "Content-Length: 1\r\n\r\n" + document)), client.KindNotJSON, "not JSON", final, 0, []string{"the body is not JSON"}},
		"web page": {does(html(200, "<!doctype html><html><head><title>Sign&nbsp;in &ndash; Files</title></head><body><h1>Hello")), client.KindNotJSON, "not JSON", final, 0,
			[]string{`the body is an HTML page titled "Sign in – Files", not JSON (Content-Type "text/html")`}},
		"text":               {does(it.Body(200, "", "nothing")), client.KindNotJSON, "not JSON", final, 0, []string{"(no Content-Type); it begins with: nothing"}},
		"other encoding":     {does(verbatim(head + "Content-Encoding: br\r\n\r\n\x8b\x02\x80{}\x03")), client.KindNotJSON, "not JSON", final, 0, []string{`Content-Encoding "br"`}},
		"escape sequences":   {does(it.Body(200, "text/\u202eplain", "\x1b[2J\x1b]0;title\x07red\u202e")), client.KindNotJSON, "not JSON", final, 0, []string{`"text/plain"`, "[2J]0;titlered"}},
		"cut JSON":           {does(it.Body(200, "application/json", document[:len(document)/2])), client.KindNotJSON, "not JSON", final, 0, []string{"the body is not JSON"}},
		"document and more":  {does(it.AnswerDocument(document + "}")), client.KindNotJSON, "not JSON", final, 0, []string{"the body is not JSON"}},
		"fault before a cut": {does(it.AnswerDocument(`{"fileMaxSize":null,`)), client.KindNotJSON, "not JSON", final, 0, []string{"the body is not JSON"}},
		"two faults": {does(it.AnswerDocument(it.Newer().Without("fileMaxSize").With("chunkSize", "x"))), client.KindDocument, "not an instance document: fileMaxSize", final, 0,
			[]string{"fileMaxSize", "chunkSize"}},
		"an error with 200": {does(it.Body(200, "application/json", `{"statusCode":404,"error":"Not Found"}`)), client.KindDocument, "not an instance document: fileMaxSize", final, 0, []string{"fileMaxSize"}},

		// What other statuses say.
		"error of the service": {does(it.Body(404, "application/json", `{"error":"Not Found","message":"Route GET:/x not found."}`)), client.KindStatus, "status 404 Not Found", final, 0,
			[]string{"status 404 Not Found: Route GET:/x not found"}},
		"error page": {does(html(502, "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr>nginx/1.22.1</body></html>")),
			client.KindStatus, "status 502 Bad Gateway", retried, 0, []string{"status 502 Bad Gateway"}},
		"error text": {does(it.Body(400, "text/plain", "Client sent\r\n\tno such\x00thing...")), client.KindStatus, "status 400 Bad Request", final, 0,
			[]string{"status 400 Bad Request: Client sent no suchthing"}},
		"error, nothing else":  {does(it.Body(401, "", "")), client.KindStatus, "status 401 Unauthorized", final, 0, []string{"status 401 Unauthorized"}},
		"error, cut body":      {does(it.Verbatim("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nNothing here", it.Reset())), client.KindStatus, "status 404 Not Found", final, 0, []string{"status 404 Not Found"}},
		"error, silent body":   {does(it.Verbatim("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nNo", it.Silent()), hurried), client.KindStatus, "status 403 Forbidden", final, 0, []string{"status 403 Forbidden: No"}},
		"error, endless body":  {does(it.Func(endlessError)), client.KindStatus, "status 410 Gone", final, 0, []string{"status 410 Gone: xxx", "x…"}},
		"hostile page, linear": {does(html(403, strings.Repeat("<!--<style></style>", 3449))), client.KindStatus, "status 403 Forbidden", final, 0, []string{"status 403 Forbidden"}},
	}
	for name, test := range tests {
		instances := map[string]it.Option{"": nil}
		if test.step != nil {
			instances = map[string]it.Option{"/plain": it.WithPath(""), "/TLS": it.WithoutCertificateRequest()}
		}
		for protocol, instance := range instances {
			t.Run(name+protocol, func(t *testing.T) {
				t.Parallel()
				url, server, options := test.open(t, instance)
				options = append([]option{trusting(secure), attempts(2)}, options...)
				failures := failEachTime(t, 3, url, options...)
				// A busy machine may not get as far in time as a row about waiting says.
				for patience := 4 * soon; waits(test.place) && !allSay(failures, test.words) && patience < long; patience *= 4 {
					failures = failEachTime(t, 3, url, append(options, timeout(patience))...)
				}
				for _, failure := range failures {
					if failure.Kind != test.kind || failure.Class() != test.class || failure.Hint != test.hint {
						t.Errorf("%q is of kind %d, class %q, hint %d; want %d, %q, %d", failure, failure.Kind, failure.Class(), failure.Hint, test.kind, test.class, test.hint)
					}
					wantAttempts, wantProxy := 1, test.proxy
					switch test.retries {
					case retried:
						wantAttempts = 2
					case hopeless:
						wantProxy = "" // none was used
					}
					if failure.Attempts != wantAttempts || failure.TimeRanOut || failure.NoTimeLeft {
						t.Errorf("%d attempts, want %d; the time ran out: %t, %t", failure.Attempts, wantAttempts, failure.TimeRanOut, failure.NoTimeLeft)
					}
					if failure.Proxy != wantProxy || !failure.ExtraHeaders || failure.OtherOrigin || failure.RedirectedTo != "" {
						t.Errorf("not true of this read: %+v", failure)
					}
					if failure.AttemptTimedOut != (test.kind == client.KindTimeout || test.kind == client.KindProxy && waits(test.place)) {
						t.Errorf("the time for an attempt ran out: %t", failure.AttemptTimedOut)
					}
					if (failure.Faults != nil) != (test.kind == client.KindDocument || test.kind == client.KindNotJSON) {
						t.Errorf("faults %q", failure.Faults)
					}
					mustSay(t, failure.Error(), test.words...)
					if text := failure.Error(); strings.Contains(text, proxyPassword) || strings.HasSuffix(text, ".") || strings.Contains(text, "%!") || strings.Count(text, "502 Bad Gateway") > 1 {
						t.Errorf("%q repeats something, or what it must not", text)
					}
				}
				if server != nil {
					server.SetScript(test.step)
					server.SetDefault(it.Answer())
					read(t, url, append(options, untilReady, attempts(1))...)
				} else {
					checkUntilReady(t, test.retries, url, options)
				}
			})
		}
	}
}

// waits tells whether reads of the place end with their request timeout.
func waits(p place) bool {
	s := setup{environment: make(map[string]string)}
	for _, o := range p.options {
		o(&s)
	}
	return s.RequestTimeout == soon
}

func allSay(failures []*client.Failure, words []string) bool {
	return !slices.ContainsFunc(failures, func(f *client.Failure) bool {
		return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(f.Error(), word) })
	})
}

// checkUntilReady checks that a read which waits until the instance is ready goes on, unless there is no hope.
func checkUntilReady(t *testing.T, retries retries, url string, options []option) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := 0
	c, request := prepare(t, url, append(options, untilReady, attempts(1), func(s *setup) {
		s.Admit = func(ctx context.Context) (func(), error) {
			if begun++; begun == 3 {
				cancel()
			}
			return func() {}, ctx.Err()
		}
	})...)
	_, err := c.Read(ctx, request)
	if retries != hopeless {
		mustBeCanceled(t, err)
	} else if begun != 1 {
		t.Errorf("%d attempts without hope", begun)
	}
}

func proxyAt(url string) func(*testing.T) string { return func(*testing.T) string { return url } }

// asking is an instance over TLS that asks for a client certificate first.
func asking(step it.Step) place {
	return place{url: func(t *testing.T) string { t.Helper(); return it.New(t, it.WithTLS(), it.WithDefault(step)).URL() }}
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
		if it.ReadRequest(c) == nil {
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

func endlessError(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusGone)
	flood(r.Context(), w, strings.Repeat("x", 64<<10))
}

// flood writes a text over and over, until the client leaves.
func flood(ctx context.Context, w io.Writer, text string) {
	for ctx.Err() == nil {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
	}
}

func TestStatusesAreRetriedAsDocumented(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	for status := 201; status <= 600; status++ {
		if status == 600 {
			status = 999
		}
		server.SetDefault(it.Status(status))
		failure := fail(t, server.URL(), attempts(3))
		want := 1
		if slices.Contains([]int{408, 429, 500, 502, 503, 504}, status) {
			want = 3
		}
		text := strings.TrimSpace(fmt.Sprintf("status %d %s", status, http.StatusText(status)))
		if failure.Kind != client.KindStatus || failure.StatusCode != status || failure.Attempts != want || failure.Class() != text {
			t.Errorf("status %d: %d attempts, want %d; %+v", status, failure.Attempts, want, failure)
		}
		if status != 204 && status != 304 {
			text += ": The instance was told to answer"
		}
		mustSay(t, failure.Error(), text)
	}
}

func TestNotFoundBelowARepeatedPathHasAHint(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	for _, end := range []string{"/instance", "/instance/"} {
		if failure := fail(t, server.URL()+end); failure.StatusCode != 404 || failure.Hint != client.HintPathRepeated {
			t.Errorf("%+v", failure)
		}
	}
	server.SetDefault(it.Status(403))
	if failure := fail(t, server.URL()+"/instance"); failure.Hint != 0 {
		t.Errorf("a 403 has the hint of a 404: %+v", failure)
	}
}

// Protects a plan from differing for ever, with -detailed-exitcode, because of what a server makes up for each
// request.
func TestClassIsTheSameOverTenReads(t *testing.T) {
	t.Parallel()
	const seed = 20260120
	random := rand.New(rand.NewPCG(seed, seed))
	body := it.Newer().JSON()
	response := fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
	id := func(status int, contentType, text string) func() it.Step {
		return func() it.Step { return it.Body(status, contentType, fmt.Sprintf(text, random.Uint64())) }
	}
	tests := map[string]struct {
		next  func() it.Step
		class string
	}{
		"request id in the service's message": {id(404, "application/json", `{"error":"Not Found","message":"No route (request %x)"}`), "status 404 Not Found"},
		"request id in an HTML page":          {id(503, "text/html", "<title>Error %x</title>"), "status 503 Service Unavailable"},
		"request id in a page with 200":       {id(200, "text/html", "<title>Welcome %x</title>"), "not JSON"},
		"request id in a redirect":            {func() it.Step { return it.Redirect(302, fmt.Sprintf("ftp://h/%x", random.Uint64())) }, "redirect not followed"},
		"no HTTP, and a reset":                {func() it.Step { return it.Verbatim("SSH-2.0-OpenSSH_9.9\r\n\r\n", it.Reset()) }, "not HTTP"},
		"ends anywhere": {func() it.Step {
			end := it.CloseConnection()
			if random.IntN(2) == 0 {
				end = it.Reset()
			}
			return it.Verbatim(response[:1+random.IntN(len(response)-1)], end)
		}, "connection broken"},
	}
	for name, test := range tests {
		var steps []it.Step // drawn here, where the order is always the same
		for range 40 {
			steps = append(steps, test.next())
		}
		for protocol, option := range map[string]it.Option{"plain": it.WithPath(""), "TLS": it.WithTLS()} {
			t.Run(name+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				server := it.New(t, option, it.WithScript(steps...))
				c, request := prepare(t, server.URL(), trusting(server))
				for range 10 {
					_, err := c.Read(t.Context(), request)
					if failure, ok := client.AsFailure(err); !ok || failure.Class() != test.class {
						t.Errorf("error %v, want class %q", err, test.class)
					}
				}
			})
		}
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
						if failure, ok := client.AsFailure(err); !ok || failure.Class() != "connection broken" || !strings.Contains(failure.Reason, want) {
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

// What comes on a connection after an earlier response is not the answer to this request: another attempt gets
// another connection.
func TestRestOfAnEarlierResponseIsNotTheAnswer(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	c, request := prepare(t, server.URL(), attempts(2))
	for _, step := range []it.Step{it.Answer(), verbatim("rest of an earlier response\r\n\r\n")} {
		server.SetScript(step)
		if _, err := c.Read(t.Context(), request); err != nil {
			t.Fatalf("%v", err)
		}
	}
	if n := len(server.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

// Any number of reads, with anything going wrong at random, end with the instance's own document or one failure.
func TestRandomFaultsNeverGiveAWrongDocument(t *testing.T) {
	t.Parallel()
	const seed, readers, reads = 20260120, 8, 60
	document := func(id string) it.Step { return it.Body(200, "", it.Newer().With("apiVersion", "1."+id+".0").JSON()) }
	outcomes := []func(id string) it.Step{
		document, document, document, document,
		func(id string) it.Step { return it.Redirect(307, "/good/"+id) },
		func(string) it.Step { return it.RetryAfter(503, "3600") },
		func(string) it.Step { return it.Status(404) },
		func(string) it.Step { return it.Reset() },
		func(string) it.Step { return it.CloseConnection() },
		func(string) it.Step { return it.ResetInBody() },
		func(string) it.Step { return it.ShortBody() },
		func(string) it.Step { return verbatim("SSH-2.0-OpenSSH_9.9\r\n") },
		func(string) it.Step { return it.Body(200, "", "{}") },
	}
	classes := []string{"status 503 Service Unavailable", "status 404 Not Found", "connection broken", "not HTTP", "not an instance document: fileMaxSize"}
	random := make(chan *rand.Rand, 1)
	random <- rand.New(rand.NewPCG(seed, seed))
	server := it.New(t, it.WithDefault(func(s *it.Server, w http.ResponseWriter, r *http.Request) {
		path := strings.Split(r.URL.Path, "/") // "", id, "instance", or "", "good", id
		if path[1] == "good" {
			document(path[2])(s, w, r)
			return
		}
		source := <-random
		outcome := outcomes[source.IntN(len(outcomes))]
		random <- source
		outcome(path[1])(s, w, r)
	}))
	c, request := prepare(t, server.URL(), attempts(2))
	seen := make(chan map[string]int, readers)
	for reader := range readers {
		go func() {
			classes := make(map[string]int)
			defer func() { seen <- classes }()
			for n := range reads {
				id := fmt.Sprint(reader*reads + n)
				request := request
				request.BaseURL = baseURL(t, server.URL()+"/"+id)
				result, err := c.Read(t.Context(), request)
				if failure, failed := client.AsFailure(err); failed {
					classes[failure.Class()]++
				} else if err != nil || result.Details.APIVersion.Text != "1."+id+".0" {
					t.Errorf("%s: %+v, %v", id, result, err)
				}
			}
		}()
	}
	for range readers {
		for class := range <-seen {
			if !slices.Contains(classes, class) {
				t.Errorf("an unexpected %q; seed %d", class, seed)
			}
		}
	}
}
