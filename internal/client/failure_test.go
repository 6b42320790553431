package client_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// failing is a base URL, and why reading from it fails. The reason is a part of the failure's.
type failing struct {
	url    string
	kind   *client.Kind
	reason string
}

// checkFailures reads from each URL with two attempts at most, and checks the failure and the number of attempts.
func checkFailures(t *testing.T, attempts int, tests map[string]failing) {
	t.Helper()
	c := newClient(t, newConfig())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFailure(t, readError(t, c, newRequest(t, test.url)), test.kind, attempts, test.reason)
		})
	}
}

// respondsWith starts a server that answers each request with a text as it is, and closes the connection.
func respondsWith(t testing.TB, text string) (url string) {
	t.Helper()
	return serverURL(t, verbatim(text))
}

const (
	closedEarly = "the server closed or reset the connection before it had answered"
	brokenBody  = "the connection broke before the whole response had arrived"
)

func TestBrokenConnectionsAreRetried(t *testing.T) {
	t.Parallel()
	const inHandshake = "the server closed or reset the connection during the TLS handshake"
	const wantedCertificate = "the server asked for a client certificate, and closed or reset the connection"
	overTLS := func(step instancetest.Step) string {
		return instancetest.New(t, instancetest.WithoutCertificateRequest(), instancetest.WithDefault(step)).URL()
	}
	// What breaks before a server that asked for a client certificate has answered may mean that it wanted one.
	asking := func(step instancetest.Step) string {
		return instancetest.New(t, instancetest.WithTLS(), instancetest.WithDefault(step)).URL()
	}
	checkFailures(t, retried, map[string]failing{
		"no such host":        {"http://nonexistent.invalid", client.KindResolve, "the host name could not be resolved: no such host"},
		"failing name server": {"http://" + hostOfFailingNameServer, client.KindNameServer, "the name servers answered with a failure"},
		"nothing listens":     {"http://" + instancetest.ReserveAddress(t), client.KindConnect, "connection refused"},
		"closed at once":      {rawServer(t, "http", closeNow), client.KindBroken, closedEarly},
		"reset at once":       {rawServer(t, "http", instancetest.ResetConnection), client.KindBroken, closedEarly},

		"closed in the handshake":         {rawServer(t, "https", closeNow), client.KindBroken, inHandshake},
		"reset in the handshake":          {rawServer(t, "https", instancetest.ResetConnection), client.KindBroken, "closed or reset"},
		"TLS, closed":                     {overTLS(instancetest.CloseConnection()), client.KindBroken, closedEarly},
		"certificate wanted, closed":      {asking(instancetest.CloseConnection()), client.KindClientCertificate, wantedCertificate},
		"certificate wanted, reset":       {asking(instancetest.Reset()), client.KindClientCertificate, wantedCertificate},
		"certificate wanted, in the head": {asking(verbatim(okHead)), client.KindBroken, closedEarly},
		"certificate wanted, in the body": {asking(verbatim(okHead + "Content-Length: 9\r\n\r\n{")), client.KindBroken, brokenBody},

		"in the head":       {respondsWith(t, okHead), client.KindBroken, closedEarly},
		"in the last chunk": {respondsWith(t, okHead+"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"), client.KindBroken, brokenBody},
		"empty":             {serverURL(t, instancetest.Body(200, "", " \n")), client.KindEmptyBody, "the body is empty (no Content-Type)"},
		"empty, gzip":       {respondsWith(t, okHead+"Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"), client.KindEmptyBody, "the body is empty"},
		"no length":         {respondsWith(t, okHead+"\r\n{\"fileMaxSize\": 1"), client.KindCutShort, "the body is incomplete JSON"},
		"no length, gzip":   {respondsWith(t, okHead+"Content-Encoding: gzip\r\n\r\n"+compressed("{}")[:12]), client.KindCutShort, "the body, in gzip, ends early"},
	})
}

// A connection that breaks is worth another attempt wherever it breaks, up to the last byte, and has one class, which is stored.
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
			c := newClient(t, newConfig())
			for n := range len(response) {
				for how, end := range map[string]instancetest.Step{"closed": instancetest.CloseConnection(), "reset": instancetest.Reset()} {
					c.CloseIdleConnections() // what breaks after another request is retried anyway
					cut := instancetest.Verbatim(response[:n], end)
					server.SetScript(cut, cut)
					got := readError(t, c, newRequest(t, server.URL()))
					check(t, fmt.Sprintf("class, %s after %q", how, response[:n]), got.Failure.Class, "connection broken")
				}
			}
		})
	}
}

func TestFailedHandshakesAreFinal(t *testing.T) {
	t.Parallel()
	const noTLS = "does not speak TLS on this port"
	withCertificate := func(kind instancetest.Certificate) string {
		return instancetest.New(t, instancetest.WithCertificate(kind)).URL()
	}
	mutual := instancetest.New(t, instancetest.WithClientCertificate())
	plain := instancetest.New(t)
	checkFailures(t, final, map[string]failing{
		"expired":     {withCertificate(instancetest.CertificateExpired), client.KindCertificateExpired, "certificate has expired"},
		"wrong name":  {withCertificate(instancetest.CertificateWrongHost), client.KindCertificateName, "127.0.0.1"},
		"self-signed": {withCertificate(instancetest.CertificateSelfSigned), client.KindCertificateSelfSigned, "the certificate is self-signed"},

		"plain HTTP":            {"https://" + plain.Address(), client.KindNoTLS, noTLS},
		"another protocol":      {rawServer(t, "https", sends("220 mail.example ESMTP\r\n")), client.KindNoTLS, noTLS},
		"old versions, alert":   {rawServer(t, "https", sends(alert(70))), client.KindTLSVersion, "refused the TLS handshake: protocol version not supported"},
		"old versions, hello":   {rawServer(t, "https", sends(oldServerHello)), client.KindTLSVersion, "unsupported protocol version"},
		"unrecognized name":     {rawServer(t, "https", sends(alert(112))), client.KindTLSHostName, "unrecognized name"},
		"no certificate":        {rawServer(t, "https", sends(alert(80))), client.KindTLSHostName, "refused the TLS handshake: internal error"},
		"certificate required":  {rawServer(t, "https", sends(alert(116))), client.KindClientCertificate, "refused the TLS handshake: certificate required"},
		"other alert":           {rawServer(t, "https", sends(alert(40))), client.KindTLS, "refused the TLS handshake: handshake failure"},
		"no HTTP/1.1":           {instancetest.NewRawTLS(t, instancetest.Await, "h3").Origin(), client.KindTLSProtocol, "no application protocol"},
		"no client certificate": {mutual.URL(), client.KindClientCertificate, "refused the TLS handshake: certificate required"},
	})
	config := newConfig()
	config.TLS = client.TLS{}
	got := readError(t, newClient(t, config), newRequest(t, mutual.URL()))
	checkFailure(t, got, client.KindCertificate, final, "unknown authority")
}

func TestInvalidResponsesAreFinal(t *testing.T) {
	t.Parallel()
	const headTooLarge = "a response head of more than 16384 bytes"
	mailServer := sends("220 mail.example ESMTP\r\n")
	document := instancetest.Newer().JSON()
	gzipHead := okHead + "Content-Encoding: gzip\r\n\r\n"
	hint := "HTTP/1.1 103 X\r\nX: " + strings.Repeat("x", 1000) + "\r\n\r\n"
	checkFailures(t, final, map[string]failing{
		"speaks first":      {rawServer(t, "http", mailServer), client.KindNotHTTP, notHTTP},
		"speaks first, TLS": {instancetest.NewRawTLS(t, mailServer).Origin(), client.KindNotHTTP, notHTTP},
		"in TLS":            {rawServer(t, "http", answers(alert(10))), client.KindHTTPSOnly, "answered in TLS, not in plain HTTP"},
		"HTTP/2": {rawServer(t, "http", answers("\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\r\n\r\n")),
			client.KindHTTP2Only, "the server answered in HTTP/2"},

		"not HTTP":      {respondsWith(t, "SSH-2.0-OpenSSH_9.9\r\n\x1b[2J"), client.KindNotHTTP, "SSH-2.0-OpenSSH_9.9"},
		"no head":       {respondsWith(t, document), client.KindNotHTTP, notHTTP},
		"long line":     {respondsWith(t, strings.Repeat("x", 300)), client.KindNotHTTP, notHTTP + `malformed HTTP response "` + strings.Repeat("x", 274) + "…"},
		"bad status":    {respondsWith(t, "HTTP/1.1 OK 200\r\n\r\n"), client.KindNotHTTP, `status code "OK"`},
		"bad length":    {respondsWith(t, okHead+"Content-Length: -2\r\n\r\n{}"), client.KindDamaged, "Content-Length"},
		"two lengths":   {respondsWith(t, okHead+"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), client.KindDamaged, "multiple Content-Length headers"},
		"no colon":      {respondsWith(t, okHead+"no header\r\n\r\n{}"), client.KindDamaged, `missing colon: "no header"`},
		"tls in a head": {respondsWith(t, "HTTP/1.1 200 OK\r\n tls: protocol version\r\n\r\n"), client.KindDamaged, "tls: protocol version"},
		"unprintable":   {respondsWith(t, okHead+"X: \x1b[31m\r\n\r\n{}"), client.KindDamaged, `\x1b[31m`},
		"status 000":    {respondsWith(t, "HTTP/1.1 000 X\r\n\r\n{}"), client.KindNotHTTP, "the response is not valid HTTP: the status is 0"},
		"bad chunk":     {respondsWith(t, okHead+"Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), client.KindDamaged, "chunk"},
		"not gzip":      {respondsWith(t, gzipHead+document), client.KindDamaged, "not valid gzip"},
		"cut gzip":      {respondsWith(t, fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\n%s", okHead, compressed("{}")[:12])), client.KindDamaged, "not valid gzip"},
		"cut gzip, chunked": {respondsWith(t, okHead+"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n"+compressed("{}")[:12]+"\r\n0\r\n\r\n"),
			client.KindDamaged, "not valid gzip"},
		"padded gzip":    {respondsWith(t, gzipHead+compressed("{}")+strings.Repeat("\x00", 10)), client.KindDamaged, "not valid gzip"},
		"corrupt gzip":   {respondsWith(t, gzipHead+"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"), client.KindDamaged, "not valid gzip"},
		"head of 17 KiB": {respondsWith(t, okHead+"X: "+strings.Repeat("x", 17<<10)+"\r\n\r\n"), client.KindLargeHead, headTooLarge},
		"30 KiB of 1xx":  {respondsWith(t, strings.Repeat(hint, 30)), client.KindLargeHead, headTooLarge},
	})
}

func TestBodiesThatAreNoInstanceAreFinal(t *testing.T) {
	t.Parallel()
	body := func(contentType, text string) string { return serverURL(t, instancetest.Body(200, contentType, text)) }
	const asJSON = "application/json"
	const notUTF8 = "the body is in another encoding than UTF-8, such as UTF-16 or Latin-1: "
	checkFailures(t, final, map[string]failing{
		"a byte too long": {serverURL(t, instancetest.AnswerDocument(padded(64<<10+1))), client.KindLargeBody, "a body of more than 65536 bytes"},
		"web page": {body("text/html", "<!doctype html><html><title>Sign&nbsp;in &ndash; Files</title><body><h1>Hello"),
			client.KindWebPage, `the body is an HTML page titled "Sign in – Files", not JSON (Content-Type "text/html")`},
		"web page without a title": {body("text/html", "<p>"),
			client.KindWebPage, `the body is not JSON: invalid character '<' at start of value at byte 0 (Content-Type "text/html")`},
		"web page by its type": {body("text/html", "hello"), client.KindWebPage, "the body is not JSON"},
		"a comment after it":   {body(asJSON, instancetest.Newer().JSON()+"<!-- cached -->"), client.KindEncodedBody, "the body is not JSON: invalid character '<'"},
		"text":                 {body("", "nothing"), client.KindNotJSON, "(no Content-Type); it begins with: nothing"},
		"text after JSON": {body("", "{} a."),
			client.KindNotJSON, "the body is not JSON: invalid character 'a' at start of value at byte 3 (no Content-Type); it begins with: {} a"},
		"escape sequences":     {body("text/\u202eplain", "\x1b[2J\x1b]0;title\x07red\u202e"), client.KindNotJSON, "[2J]0;titlered"},
		"longest Content-Type": {body("text/"+strings.Repeat("x", 75), "a"), client.KindNotJSON, strings.Repeat("x", 75) + `")`},
		"cut Content-Type":     {body("text/"+strings.Repeat("x", 76), "a"), client.KindNotJSON, strings.Repeat("x", 74) + `…")`},

		"Brotli":                  {respondsWith(t, okHead+"Content-Encoding: br\r\n\r\n\x8b\x02\x80{}\x03"), client.KindEncodedBody, `Content-Encoding "br"`},
		"gzip without its header": {respondsWith(t, okHead+"\r\n"+compressed("{}")), client.KindEncodedBody, "the body is in gzip once more than its Content-Encoding says"},
		"gzip twice":              {respondsWith(t, okHead+"Content-Encoding: gzip\r\n\r\n"+compressed(compressed("{}"))), client.KindEncodedBody, "the body is in gzip once more than"},
		"Latin-1":                 {body(asJSON, "{\"label\": \"1 a\xf1o\"}"), client.KindEncodedBody, notUTF8},
		"identity":                {respondsWith(t, okHead+"Content-Encoding: Identity\r\n\r\nhello"), client.KindNotJSON, "it begins with: hello"},
		"UTF-16":                  {body(asJSON, "\xff\xfe{\x00}\x00"), client.KindEncodedBody, notUTF8},
		"UTF-16, big-endian":      {body(asJSON, "\xfe\xff"), client.KindEncodedBody, notUTF8},
		"UTF-16 without a mark":   {body(asJSON, "{\x00}\x00"), client.KindEncodedBody, notUTF8},
		"the same, big-endian":    {body(asJSON, "\x00{\x00}"), client.KindEncodedBody, notUTF8},

		"error with status 200": {body(asJSON, `{"error":"Not Found","message":"Route GET:/x not found"}`),
			client.KindOtherJSON, "although with status 200: Route GET:/x not found"},
		"other JSON":                {body(asJSON, `{"success":false,"msg":"backend is starting"}`), client.KindOtherJSON, `{"success":false,"msg":"backend is starting"}`},
		"an array":                  {body(asJSON, `["starting"]`), client.KindOtherJSON, `JSON without any field of an instance document: ["starting"]`},
		"message and another fault": {body(asJSON, `{"fileMaxSize":"x","message":"y"}`), client.KindDocument, "fileMaxSize: expected an integer"},
		"two faults": {body(asJSON, instancetest.Newer().Without("fileMaxSize").With("chunkSize", "x").JSON()),
			client.KindDocument, "fileMaxSize: required, but missing; chunkSize: expected an integer"},
		"many faults": {body(asJSON, instancetest.Newer().With("recommendedExpireTimes", instancetest.Raw("[1, 2, 3, 4, 5]")).JSON()),
			client.KindDocument, "found the number 4; recom…"},
	})
}

func TestStatusesAreRetriedAsDocumented(t *testing.T) {
	t.Parallel()
	for attempts, statuses := range map[int][]int{
		final:   {201, 204, 206, 300, 302, 304, 306, 400, 401, 404, 407, 409, 425, 428, 430, 451, 499, 501},
		retried: {408, 429, 500, 502, 503, 504, 505, 511, 520, 524, 599, 999},
	} {
		tests := make(map[string]failing)
		for _, status := range statuses {
			text := "status " + strconv.Itoa(status)
			tests[text] = failing{serverURL(t, instancetest.Status(status)), client.KindStatus, text}
		}
		checkFailures(t, attempts, tests)
	}
}

func TestClassNamesTheFirstField(t *testing.T) {
	t.Parallel()
	for field, document := range map[string]instancetest.Document{
		"chunkSize":   instancetest.Newer().Without("apiVersion").Without("chunkSize"),
		"fileMaxSize": instancetest.Document{}.With("message", "an error with status 200"),
	} {
		failure := readError(t, newClient(t, newConfig()), newRequest(t, serverURL(t, instancetest.AnswerDocument(document)))).Failure
		check(t, "Class", failure.Class, "not an instance document: "+field)
	}
}

// Nothing is said twice. The class is the status alone. Nothing is shown of an endless body, because the cut may leave part of a secret.
func TestReasonOfAStatus(t *testing.T) {
	t.Parallel()
	body := instancetest.Body
	const answered407 = "status 407 Proxy Authentication Required: The instance was told to answer 407"
	tests := map[string]struct {
		answer instancetest.Step
		want   string
	}{
		"message":                    {body(404, "application/json", `{"error":"Not Found","message":"Route GET:/x."}`), "status 404 Not Found: Route GET:/x"},
		"message that is its text":   {body(404, "application/json", `{"message":"Not Found."}`), "status 404 Not Found"},
		"message that has more":      {body(404, "application/json", `{"message":"Not Found here."}`), "status 404 Not Found: Not Found here"},
		"title that is the status":   {body(502, "text/html", "<title>502 Bad Gateway</title><h1>502 Bad Gateway"), "status 502 Bad Gateway"},
		"title that begins with it":  {body(403, "text/html", "<title>403 Forbidden by policy</title>"), "status 403 Forbidden: by policy"},
		"nothing to be seen":         {body(404, "text/plain", " \u200b\n"), "status 404 Not Found"},
		"status without a text":      {body(599, "text/plain", "no"), "status 599: no"},
		"endless body":               {instancetest.EndlessBody(410, "x"), "status 410 Gone"},
		"challenge that is no proxy": {instancetest.Status(403, "Proxy-Authenticate", "Basic"), "status 403 Forbidden: The instance was told to answer 403"},
		"challenge of a server":      {instancetest.Status(401, "WWW-Authenticate", "NTLM"), "status 401 Unauthorized: The instance was told to answer 401 (the server accepts NTLM)"},
		"challenge of a proxy":       {instancetest.Status(407, "Proxy-Authenticate", "Negotiate"), answered407 + " (the proxy accepts Negotiate)"},
		"no challenge":               {instancetest.Status(407), answered407},
		"body that breaks":           {verbatim("HTTP/1.1 404 X\r\nContent-Length: 99\r\n\r\nGone"), "status 404 Not Found"},
		"switched protocol":          {instancetest.Verbatim("HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", instancetest.Silent()), "status 101 Switching Protocols"},
	}
	c := newClient(t, newConfig())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure := readError(t, c, newRequest(t, serverURL(t, test.answer))).Failure
			status, _, _ := strings.Cut(test.want, ": ")
			check(t, "Reason", failure.Reason, test.want)
			check(t, "Class", failure.Class, status)
		})
	}
}

func TestStatusThatSaysWhatTheServerExpects(t *testing.T) {
	t.Parallel()
	const nginxPlain = "plain HTTP request was sent to HTTPS port"
	const nginxCertificate = "No required SSL certificate was sent"
	const goPlain = "Client sent an HTTP request to an HTTPS server"
	title := func(status int, text string) string {
		return serverURL(t, instancetest.Body(status, "text/html", "<title>"+text+"</title>"))
	}
	checkFailures(t, final, map[string]failing{
		"TLS, nginx": {title(400, "400 The "+nginxPlain), client.KindHTTPSOnly, nginxPlain},
		"TLS, Go":    {serverURL(t, instancetest.Body(400, "", goPlain+".")), client.KindHTTPSOnly, "status 400 Bad Request: " + goPlain},
		"TLS, Apache": {serverURL(t, instancetest.Body(400, "text/html", "<title>400 Bad Request</title><p>Reason: You're speaking plain HTTP to an "+
			"SSL-enabled server port.<br />")), client.KindHTTPSOnly, "status 400 Bad Request"},
		"TLS, Tomcat":                    {serverURL(t, instancetest.Body(400, "", "Bad Request\r\nThis combination of host and port requires TLS.\r\n")), client.KindHTTPSOnly, "requires TLS"},
		"the same words, another status": {title(403, "The "+nginxPlain), client.KindStatus, "status 403"},
		"a client certificate":           {title(400, "400 "+nginxCertificate), client.KindClientCertificate, nginxCertificate},
		"certificate, another status":    {title(403, nginxCertificate), client.KindStatus, nginxCertificate},
	})
}

// Connected and Answered are true of the last request. HeadersSent is checked too.
func TestFailureTellsHowFarTheRequestCame(t *testing.T) {
	t.Parallel()
	withoutHeaders := newRequest(t, serverURL(t, instancetest.Status(401)))
	withoutHeaders.Headers = nil
	check(t, "Answered", readError(t, newClient(t, newConfig()), withoutHeaders).Failure.Answered, true)
	for want, urls := range map[string][]string{
		"connected: false, answered: false": {
			"http://nonexistent.invalid", "https://" + instancetest.ReserveAddress(t), serverURL(t, instancetest.Redirect(302, "http://nonexistent.invalid")),
		},
		"connected: true, answered: false": {rawServer(t, "http", closeNow), rawServer(t, "https", sends("220 mail.example ESMTP\r\n"))},
		"connected: true, answered: true":  {serverURL(t, instancetest.Status(404)), respondsWith(t, okHead+"Content-Length: 9\r\n\r\n{")},
	} {
		for _, url := range urls {
			failure := readError(t, newClient(t, newConfig()), newRequest(t, url)).Failure
			check(t, failure.Reason, fmt.Sprintf("connected: %t, answered: %t", failure.Connected, failure.Answered), want)
		}
	}
}

func TestSilentServersHoldNoRead(t *testing.T) {
	t.Parallel()
	silentAfter := func(text string) string { return serverURL(t, instancetest.Verbatim(text, instancetest.Silent())) }
	for name, test := range map[string]failing{
		"name server": {"https://" + hostOfSilentNameServer, client.KindNameServer, "the lookup ran out of time"},
		"handshake":   {rawServer(t, "https", instancetest.Await), client.KindTimeout, "connected, but no TLS handshake in time"},
		"response":    {serverURL(t, instancetest.Silent()), client.KindTimeout, "connected, but no response in time"},
		"body":        {serverURL(t, instancetest.Drip(okHead+"Content-Length: 9999\r\n\r\n")), client.KindTimeout, "no complete response in time"},
		"redirect":    {silentAfter("HTTP/1.1 302 X\r\nLocation: /elsewhere\r\nContent-Length: 9\r\n\r\n"), client.KindTimeout, "no complete response in time"},
		"error":       {silentAfter("HTTP/1.1 403 X\r\nContent-Length: 100\r\n\r\nNo"), client.KindStatus, "status 403 Forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure := failureOfHeldRead(t, short, test.url)
			check(t, "Kind", failure.Kind, test.kind)
			check(t, "TimedOut", failure.TimedOut, test.kind == client.KindTimeout)
			check(t, "RedirectedTo", failure.RedirectedTo, "") // the redirect itself took the time
			checkContains(t, "Reason", failure.Reason, test.reason)
		})
	}
}

// Endless responses end at a limit of their size, long before the request timeout.
func TestEndlessResponsesHoldNoRead(t *testing.T) {
	t.Parallel()
	const chunked = "Transfer-Encoding: chunked\r\n\r\n"
	tests := map[string]struct {
		begin, repeated string
		kind            *client.Kind
	}{
		"header":    {"HTTP/1.1 200 OK\r\nX: ", "x", client.KindLargeHead},
		"1xx":       {"", "HTTP/1.1 103 Early Hints\r\n\r\n", client.KindLargeHead},
		"body":      {okHead + "\r\n", " ", client.KindLargeBody},
		"extension": {okHead + chunked + "1;", "x", client.KindDamaged},
		"trailer":   {okHead + chunked + "0\r\nX: ", "x", client.KindBroken}, // as one that is cut, to net/http
		"gzip":      {okHead + "Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x10\x00\x00\x00\x00\x00\x00", "x", client.KindLargeBody},
		"redirect":  {"HTTP/1.1 302 X\r\nLocation: /\r\n" + chunked, "1\r\n \r\n", client.KindRedirectLoop},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := rawServer(t, "http", writesForever(test.begin, test.repeated))
			check(t, "Kind", failureOfHeldRead(t, long, url).Kind, test.kind)
		})
	}
	proxy := rawServer(t, "http", writesForever("HTTP/1.1 200 OK\r\nX: ", "x"))
	check(t, "Kind", failureOfHeldRead(t, long, proxiedHTTPS, "HTTPS_PROXY="+proxy).Kind, client.KindProxy)
}

// On a reused connection, invalid bytes may be the rest of an earlier response, so the read tries again on another connection. A head
// that is too large is final there too.
func TestInvalidResponsesOnAReusedConnection(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithScript(
		instancetest.Answer(), verbatim("rest of an earlier response\r\n\r\n"), instancetest.Answer(), // the second read makes two attempts
		verbatim(okHead+strings.Repeat("a:\r\n", 16<<10))))
	c, request := newClient(t, newConfig()), newRequest(t, server.URL())
	mustRead(t, c, request)
	mustRead(t, c, request)
	checkFailure(t, readError(t, c, request), client.KindLargeHead, final, "")
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
