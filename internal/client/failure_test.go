package client_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// soon is the request timeout of tests that wait for it.
const soon = 400 * time.Millisecond

func TestStatuses(t *testing.T) {
	t.Parallel()
	retried := []int{408, 429, 500, 502, 503, 504}
	final := []int{
		201, 202, 203, 204, 205, 206, 226, 300, 301, 302, 303, 304, 305, 307, 308, // redirects without a Location
		400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 425, 426, 428, 431, 451, 499,
		501, 505, 506, 507, 508, 510, 511, 520, 599, 999,
	}
	attemptsFor := make(map[int]int)
	for _, status := range retried {
		attemptsFor[status] = 4
	}
	for _, status := range final {
		attemptsFor[status] = 1
	}
	for status, attempts := range attemptsFor {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			server := it.New(t, it.WithDefault(it.Status(status)))
			failure := failing(t, server.URL())
			must(t, failure, client.KindStatus, attempts, fmt.Sprintf("status %d", status), http.StatusText(status))
			if failure.StatusCode != status {
				t.Errorf("status %d, want %d", failure.StatusCode, status)
			}
			if status != 204 && status != 304 && !strings.Contains(failure.Reason, "The instance was told to answer") {
				t.Errorf("the reason %q lacks the service's message", failure.Reason)
			}
			if failure.PathRepeated {
				t.Error("the base URL does not end in /instance")
			}
			if n := len(server.Requests()); n != 2*attempts {
				t.Errorf("%d requests in two reads, want %d", n, 2*attempts)
			}
			if n := server.Connections(); n != 2 {
				t.Errorf("%d connections for two clients", n)
			}
		})
	}
}

func TestMaxAttempts(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{1, 2, 7} {
		t.Run(strconv.FormatInt(n, 10), func(t *testing.T) {
			t.Parallel()
			server := it.New(t, it.WithDefault(it.Status(503)))
			must(t, failOnce(t, server.URL(), attempts(n)), client.KindStatus, int(n))
			if got := len(server.Requests()); got != int(n) {
				t.Errorf("%d requests, want %d", got, n)
			}
		})
	}
}

func TestRetriesUntilGood(t *testing.T) {
	t.Parallel()
	// Only what never ends needs a short timeout; on a busy machine, others could
	// miss it.
	inTime, hurried := timeout(long), timeout(soon)
	tests := map[string]struct {
		script  []it.Step
		timeout option
	}{
		"statuses":          {[]it.Step{it.Status(503), it.Status(429), it.Status(408)}, inTime},
		"reset":             {[]it.Step{it.Reset()}, inTime},
		"closed":            {[]it.Step{it.CloseConnection()}, inTime},
		"reset in the body": {[]it.Step{it.ResetInBody()}, inTime},
		"short body":        {[]it.Step{it.ShortBody(), it.ShortBody()}, inTime},
		"cut head":          {[]it.Step{it.Verbatim("HTTP/1.1 200 O", it.Reset()), it.Verbatim("HTTP/1.1 200 OK\r\nConte", it.CloseConnection())}, inTime},
		"silent":            {[]it.Step{it.Silent()}, hurried},
		"dripping head":     {[]it.Step{it.DripHeader()}, hurried},
		"dripping body":     {[]it.Step{it.DripBody()}, hurried},
		"after a redirect":  {[]it.Step{it.Redirect(302, "/x"), it.Status(502)}, inTime},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, it.WithScript(test.script...))
			read(t, server.URL(), test.timeout)
			if n := len(server.Requests()); n != len(test.script)+1 {
				t.Errorf("%d requests, want %d", n, len(test.script)+1)
			}
		})
	}
}

func TestPathRepeated(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	for _, end := range []string{"/instance", "/instance/"} {
		failure := failing(t, server.URL()+end)
		must(t, failure, client.KindStatus, 1, "status 404", "Route GET:/instance/instance not found")
		if !failure.PathRepeated {
			t.Errorf("a 404 from a base URL that ends in %s has no hint", end)
		}
	}
	server.SetDefault(it.Status(503))
	if failing(t, server.URL()+"/instance").PathRepeated {
		t.Error("a 503 has the hint for a 404")
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	const (
		closed = "closed or reset the connection before it had answered" // over HTTP/2, the server has asked for a client certificate
		before = "the server " + closed
		during = "the connection broke before the whole response had arrived"
	)
	noResponse := fmt.Sprintf("no complete response within %s", soon)
	document := it.Newer().JSON()
	verbatim := func(text string) it.Step { return it.Verbatim(text, it.CloseConnection()) }
	head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	tests := map[string]struct {
		step     it.Step
		kind     client.Kind
		attempts int
		words    []string
		http1    bool // cannot happen over HTTP/2
	}{
		"silent":               {it.Silent(), client.KindTimeout, 1, []string{noResponse}, false},
		"dripping head":        {it.DripHeader(), client.KindTimeout, 1, []string{noResponse}, true},
		"dripping body":        {it.DripBody(), client.KindTimeout, 1, []string{noResponse}, false},
		"reset":                {it.Reset(), client.KindBroken, 2, []string{closed}, false},
		"closed":               {it.CloseConnection(), client.KindBroken, 2, []string{closed}, false},
		"reset in the head":    {it.Verbatim(head, it.Reset()), client.KindBroken, 2, []string{before}, true},
		"closed in the head":   {verbatim(head), client.KindBroken, 2, []string{before}, true},
		"reset in the body":    {it.ResetInBody(), client.KindBroken, 2, []string{during}, false},
		"body cut short":       {it.ShortBody(), client.KindBroken, 2, []string{during}, true},
		"chunk cut short":      {verbatim(head + "Transfer-Encoding: chunked\r\n\r\n40\r\n{"), client.KindBroken, 2, []string{during}, true},
		"no last chunk":        {verbatim(head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"), client.KindBroken, 2, []string{during}, true},
		"gzip cut short":       {verbatim(head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00"), client.KindBroken, 2, []string{during}, true},
		"not gzip":             {verbatim(head + "Content-Encoding: gzip\r\n\r\n" + document), client.KindProtocol, 1, []string{"not valid gzip"}, true},
		"bad chunk":            {verbatim(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), client.KindProtocol, 1, []string{"not valid HTTP", "chunk"}, true},
		"two lengths":          {verbatim(head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "), client.KindProtocol, 1, []string{"not valid HTTP", "Content-Length"}, true},
		"bad length":           {verbatim(head + "Content-Length: -2\r\n\r\n{}"), client.KindProtocol, 1, []string{"not valid HTTP", "Content-Length"}, true},
		"not HTTP":             {verbatim("SSH-2.0-OpenSSH_9.9\r\n\x1b[2J"), client.KindProtocol, 1, []string{"not valid HTTP", "SSH-2.0-OpenSSH_9.9"}, true},
		"no head":              {verbatim(document), client.KindProtocol, 1, []string{"not valid HTTP", "status code"}, true},
		"no head, short":       {verbatim("pong"), client.KindProtocol, 1, []string{"not valid HTTP", `"pong"`}, true},
		"bad status":           {verbatim("HTTP/1.1 OK 200\r\n\r\n"), client.KindProtocol, 1, []string{"not valid HTTP", "status code", "OK"}, true},
		"other transfer":       {verbatim(head + "Transfer-Encoding: rot13\r\n\r\n{}"), client.KindProtocol, 1, []string{"not valid HTTP", "rot13"}, true},
		"endless 1xx":          {verbatim(strings.Repeat("HTTP/1.1 103 Early Hints\r\nX: "+strings.Repeat("x", 1000)+"\r\n\r\n", 300)), client.KindProtocol, 1, []string{"not valid HTTP", "exceeded"}, true},
		"switched protocol":    {it.Verbatim("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", it.Silent()), client.KindStatus, 1, []string{"status 101 Switching Protocols"}, true},
		"101 without more":     {it.Verbatim("HTTP/1.1 101 Switching Protocols\r\n\r\n", it.Silent()), client.KindStatus, 1, []string{"status 101 Switching Protocols"}, true},
		"head of 300 KiB":      {bigHead(300 << 10), client.KindProtocol, 1, []string{"not valid HTTP", "response headers exceeded 262144 bytes"}, true},
		"head of 1 MiB":        {bigHead(mebibyte), client.KindProtocol, 1, []string{"not valid HTTP"}, false},
		"1 MiB and a byte":     {it.AnswerDocument(padded(mebibyte + 1)), client.KindTooLarge, 1, []string{"a body of more than 1048576 bytes"}, false},
		"endless body":         {it.EndlessBody(), client.KindTooLarge, 1, []string{"a body of more than 1048576 bytes"}, false},
		"gzip bomb":            {gzipped(strings.Repeat(" ", 64*mebibyte)), client.KindTooLarge, 1, []string{"a body of more than 1048576 bytes"}, false},
		"1 MiB and a byte, gz": {gzipped(padded(mebibyte + 1)), client.KindTooLarge, 1, []string{"a body of more than 1048576 bytes"}, false},
		"empty body":           {it.Body(200, "application/json", ""), client.KindNotJSON, 1, []string{"not JSON", "an empty document", "application/json"}, false},
		"empty gzip":           {verbatim(head + "Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"), client.KindNotJSON, 1, []string{"not JSON", "an empty document"}, true},
		"web page": {
			it.Body(200, "text/html", "<!doctype html><html><head><title>Files</title><script>var a = '<b>'</script></head><body><h1>Sign&nbsp;in</h1>\n<p>to&#32;go on"),
			client.KindNotJSON, 1, []string{"not JSON", `Content-Type "text/html"`, "starting with: Sign in to go on"}, false,
		},
		"no content type":      {it.Body(200, "", "nothing"), client.KindNotJSON, 1, []string{"not JSON", "no Content-Type", "starting with: nothing"}, false},
		"other encoding":       {verbatim(head + "Content-Encoding: br\r\n\r\n\x8b\x02\x80{}\x03"), client.KindNotJSON, 1, []string{"not JSON", `Content-Encoding "br"`}, true},
		"escape sequences":     {it.Body(200, "text/\u202eplain", "\x1b[2J\x1b]0;title\x07red\u202e"), client.KindNotJSON, 1, []string{"not JSON", `"text/plain"`, "[2J]0;titlered"}, false},
		"escape in a header":   {it.Body(200, "text/\x1b[31mplain", "{}"), client.KindProtocol, 1, []string{"not valid HTTP", `text/\x1b[31mplain`}, true},
		"cut JSON":             {it.Body(200, "application/json", document[:len(document)/2]), client.KindNotJSON, 1, []string{"not JSON", "the end of the document"}, false},
		"fault before cut":     {it.Body(200, "application/json", `{"fileMaxSize":null,"chunkSize":}`), client.KindNotJSON, 1, []string{"the body is not JSON: found invalid character", "in chunkSize"}, false},
		"fault before more":    {it.Body(200, "application/json", `{"fileMaxSize":null}x`), client.KindNotJSON, 1, []string{"the body is not JSON: found invalid character", "at byte 20 (Content-Type"}, false},
		"two byte order marks": {it.AnswerDocument("\ufeff\ufeff" + document), client.KindNotJSON, 1, []string{"the body is not JSON: found invalid character"}, false},
		"document and more":    {it.AnswerDocument(document + "}"), client.KindNotJSON, 1, []string{"not JSON"}, false},
		"not a document":       {it.AnswerDocument(it.Newer().Without("fileMaxSize").With("chunkSize", "x")), client.KindDocument, 1, []string{"not an instance document", "fileMaxSize", "chunkSize", `the string "x"`}, false},
		"null limit":           {it.AnswerDocument(it.Newer().With("fileMaxSize", nil)), client.KindDocument, 1, []string{"fileMaxSize", "null"}, false},
		"an error with 200":    {it.Body(200, "application/json", `{"statusCode":404,"error":"Not Found","message":"x"}`), client.KindDocument, 1, []string{"fileMaxSize"}, false},
		"invalid UTF-8":        {it.AnswerDocument(it.Newer().With("apiVersion", it.Raw("\"\xff\""))), client.KindNotJSON, 1, []string{"UTF-8"}, false},
		"longer than said":     {verbatim(head + "Content-Length: 1\r\n\r\n" + document), client.KindNotJSON, 1, []string{"not JSON"}, true},
		"error page":           {it.Body(502, "text/html", "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr>nginx</body></html>"), client.KindStatus, 2, []string{"status 502 Bad Gateway: 502 Bad Gateway nginx"}, false},
		"page with a title":    {it.Body(403, "text/html", "<title>Blocked</title><img src=x>"), client.KindStatus, 1, []string{"status 403 Forbidden: Blocked"}, false},
		"error text":           {it.Body(400, "text/plain", "Client sent\r\n\tan HTTP request\x00"), client.KindStatus, 1, []string{"status 400 Bad Request: Client sent an HTTP request"}, false},
		"error without body":   {it.Body(401, "", ""), client.KindStatus, 1, []string{"status 401 Unauthorized"}, false},
		"error, cut body":      {it.Verbatim("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nNothing here", it.Reset()), client.KindStatus, 1, []string{"status 404 Not Found: Nothing here"}, true},
		"error, silent body":   {it.Verbatim("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nNo", it.Silent()), client.KindStatus, 1, []string{"status 403 Forbidden: No"}, true},
		"error, endless body":  {it.Func(endlessError), client.KindStatus, 1, []string{"status 410 Gone: xxx", "…"}, false},
	}
	for name, test := range tests {
		protos := map[string]it.Option{"HTTP/1": it.WithTLSHTTP1(), "HTTP/2": it.WithTLS()}
		if test.http1 {
			delete(protos, "HTTP/2")
		}
		for proto, protocol := range protos {
			t.Run(name+" over "+proto, func(t *testing.T) {
				t.Parallel()
				server := it.New(t, protocol, it.WithDefault(test.step))
				options := []option{trusting(server), attempts(2)}
				if test.kind == client.KindTimeout || strings.Contains(name, "silent") {
					options = append(options, attempts(1), timeout(soon))
				}
				failure := failing(t, server.URL(), options...)
				must(t, failure, test.kind, test.attempts, test.words...)
				if n := len(server.Requests()); n != 2*test.attempts {
					t.Errorf("%d requests in two reads, want %d", n, 2*test.attempts)
				}
				if failure.TimeRanOut {
					t.Error("the time of the read ran out, says the failure")
				}
				if (failure.Details != nil) != (failure.Kind == client.KindDocument || failure.Kind == client.KindNotJSON) {
					t.Errorf("details %v", failure.Details)
				}
			})
		}
	}
}

// bigHead answers a head of that many bytes.
func bigHead(size int) it.Step {
	return it.Func(func(w http.ResponseWriter, _ *http.Request) {
		for i := range 16 {
			w.Header().Set("X-Big-"+strconv.Itoa(i), strings.Repeat("x", size/16))
		}
	})
}

func endlessError(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusGone)
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	for r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func endlessHead(w http.ResponseWriter, _ *http.Request) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nX: "))
	for chunk := bytes.Repeat([]byte("x"), 64<<10); err == nil; {
		_, err = c.Write(chunk)
	}
}

func TestConnectionFaults(t *testing.T) {
	t.Parallel()
	nowhere := it.ReserveAddress(t)
	http1, tls1, tls2 := it.New(t), it.New(t, it.WithTLSHTTP1()), it.New(t, it.WithTLS())
	mutual1, mutual2 := it.New(t, it.WithTLSHTTP1(), it.WithClientCertificate()), it.New(t, it.WithClientCertificate())
	expired, wrongHost := it.New(t, it.WithCertificate(it.CertificateExpired)), it.New(t, it.WithCertificate(it.CertificateWrongHost))
	selfSigned := it.New(t, it.WithCertificate(it.CertificateSelfSigned))
	foreign := func(s *setup) { // no certificate that the server would take
		s.TLS.ClientCertPEM, s.TLS.ClientKeyPEM = selfMadeCertificate(t)
	}
	silent, closing := listen(t, nil), listen(t, func(c net.Conn) { _ = c.Close() })
	toHTTPS := func(url string) string { return "https" + strings.TrimPrefix(url, "http") }
	toHTTP := func(url string) string { return "http" + strings.TrimPrefix(url, "https") }
	tests := map[string]struct {
		url      string
		kind     client.Kind
		attempts int
		words    []string
		options  []option
	}{
		"nothing listens":             {"http://" + nowhere, client.KindConnect, 2, []string{"connection refused"}, nil},
		"nothing listens, TLS":        {"https://" + nowhere, client.KindConnect, 2, []string{"connection refused"}, nil},
		"no such host":                {"http://nonexistent.invalid", client.KindResolve, 2, []string{"the host name could not be resolved"}, nil},
		"no such host, TLS":           {"https://nonexistent.invalid:8443/x", client.KindResolve, 2, []string{"the host name could not be resolved"}, nil},
		"HTTP on a TLS port":          {toHTTP(tls1.URL()), client.KindStatus, 1, []string{"status 400", "HTTP request to an HTTPS server"}, nil},
		"HTTP on an HTTP/2 port":      {toHTTP(tls2.URL()), client.KindStatus, 1, []string{"status 400", "HTTP request to an HTTPS server"}, nil},
		"TLS on an HTTP port":         {toHTTPS(http1.URL()), client.KindTLS, 1, []string{"does not speak TLS"}, nil},
		"silent in the handshake":     {"https://" + silent, client.KindTimeout, 1, []string{"no connection within " + soon.String()}, []option{timeout(soon), attempts(1)}},
		"silent":                      {"http://" + silent, client.KindTimeout, 1, []string{"no complete response within " + soon.String()}, []option{timeout(soon), attempts(1)}},
		"closed in the handshake":     {"https://" + closing, client.KindBroken, 2, []string{"closed or reset the connection before it had answered"}, nil},
		"closed at once":              {"http://" + closing, client.KindBroken, 2, []string{"closed or reset the connection before it had answered"}, nil},
		"expired":                     {expired.URL(), client.KindCertificate, 1, []string{"certificate has expired", "valid from", time.Now().Add(-time.Hour).UTC().Format(time.DateOnly)}, nil},
		"wrong host":                  {wrongHost.URL(), client.KindCertificate, 1, []string{"127.0.0.1"}, nil},
		"wrong host name":             {strings.Replace(wrongHost.URL(), "127.0.0.1", "localhost", 1), client.KindCertificate, 1, []string{"elsewhere.example", "localhost"}, nil},
		"self-signed":                 {selfSigned.URL(), client.KindCertificate, 1, []string{"unknown authority"}, nil},
		"unknown authority":           {tls2.URL(), client.KindCertificate, 1, []string{"unknown authority"}, []option{func(s *setup) { s.TLS.CACertPEM = "" }}},
		"no client certificate":       {mutual1.URL(), client.KindTLS, 1, []string{"certificate required"}, nil},
		"no client certificate, h2":   {mutual2.URL(), client.KindTLS, 1, []string{"the server asked for a client certificate, and closed"}, nil},
		"other client certificate":    {mutual1.URL(), client.KindTLS, 1, []string{"refused the TLS handshake", "unknown certificate authority"}, []option{foreign}},
		"other client certificate h2": {mutual2.URL(), client.KindTLS, 1, []string{"the server asked for a client certificate, and closed"}, []option{foreign}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := append([]option{trusting(http1), attempts(2)}, test.options...)
			must(t, failing(t, test.url, options...), test.kind, test.attempts, test.words...)
		})
	}
}

// The same instance may fail by one kind of these today and by the other
// tomorrow, by how many reads were before it: a state must not tell them apart.
func TestStateText(t *testing.T) {
	t.Parallel()
	const inTime = "GET https://files.example.org/instance: no response in time"
	for kind := client.KindResolve; kind <= client.KindRequest; kind++ {
		t.Run(strconv.Itoa(int(kind)), func(t *testing.T) {
			t.Parallel()
			for _, redirectedTo := range []string{"", "https://files.example.net/x"} {
				failure := client.Failure{Kind: kind, URL: "https://files.example.org/instance", RedirectedTo: redirectedTo, Reason: "what came back"}
				want := failure.Error()
				if kind == client.KindTimeout || kind == client.KindNoTime {
					want = inTime
				}
				if got := failure.StateText(); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
}

// listen accepts connections and leaves them to serve, or to themselves.
func listen(t *testing.T, serve func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var open []net.Conn
		for {
			c, err := listener.Accept()
			if err != nil {
				break
			}
			open = append(open, c)
			if serve != nil {
				serve(c)
			}
		}
		for _, c := range open {
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return listener.Addr().String()
}

// A connection that ends at any byte of a response is a broken connection: an
// attempt that failed, and no answer.
func TestBrokenAtEveryByte(t *testing.T) {
	t.Parallel()
	body := it.Newer().JSON()
	responses := map[string]string{
		"length":  fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body),
		"chunked": fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body),
	}
	for name, response := range responses {
		head := strings.Index(response, "\r\n\r\n") + len("\r\n\r\n")
		for how, end := range map[string]func() it.Step{"closed": it.CloseConnection, "reset": it.Reset} {
			for tls, option := range map[string]it.Option{"HTTP": it.WithPath(""), "HTTPS": it.WithTLSHTTP1()} {
				t.Run(name+" "+how+" "+tls, func(t *testing.T) {
					t.Parallel()
					server := it.New(t, option)
					c, request := prepare(t, server.URL(), trusting(server), attempts(1))
					for length := range response {
						if length > head+20 && length < len(response)-20 || tls == "HTTPS" && length%7 != 0 {
							continue // one byte of the document is like another; handshakes take time
						}
						server.SetDefault(it.Verbatim(response[:length], end()))
						_, err := c.Read(t.Context(), request)
						failure, ok := client.AsFailure(err)
						if !ok || failure.Kind != client.KindBroken {
							t.Errorf("after %q: %v", response[:length], err)
							continue
						}
						want := "before it had answered"
						if length >= head {
							want = "before the whole response had arrived"
						}
						if !strings.Contains(failure.Reason, want) {
							t.Errorf("after %q: %q does not say %q", response[:length], failure.Reason, want)
						}
					}
					server.SetDefault(it.Verbatim(response, it.CloseConnection()))
					if _, err := c.Read(t.Context(), request); err != nil {
						t.Errorf("the whole response: %v", err)
					}
				})
			}
		}
	}
}

// What a server sends without end costs no more than the bound of a body.
//
//nolint:paralleltest // it measures what the whole process allocates
func TestMemoryIsBounded(t *testing.T) {
	tests := map[string]it.Step{
		"64 MiB":              it.AnswerDocument(strings.Repeat(" ", 64*mebibyte)),
		"64 MiB, gzip":        gzipped(strings.Repeat(" ", 64*mebibyte)),
		"endless":             it.EndlessBody(),
		"endless error":       it.Func(endlessError),
		"said to be endless":  it.Verbatim("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n{", it.CloseConnection()),
		"head without an end": it.Func(endlessHead),
	}
	for name, step := range tests {
		t.Run(name, func(t *testing.T) {
			server := it.New(t, it.WithDefault(step))
			c, request := prepare(t, server.URL(), attempts(1))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := c.Read(t.Context(), request)
			runtime.ReadMemStats(&after)
			if _, ok := client.AsFailure(err); !ok {
				t.Errorf("error %v", err)
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 16*mebibyte {
				t.Errorf("%d KiB were allocated", allocated>>10)
			}
		})
	}
}
