package provider

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"go.uber.org/goleak"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// fault is something that a network or an instance does, and what a user is
// told about it.
type fault struct {
	// start starts what misbehaves.
	start func(t *testing.T) target
	// provider and arguments are set in addition to what every case has.
	provider, arguments args
	// certified is a provider with the client certificate that instances want,
	// stranger one with another.
	certified, stranger bool
	// attempts is how many requests, or connections to what is not HTTP, the
	// read makes; uncounted where that is not ours to say.
	attempts  int
	uncounted bool

	// summary is all of the error's summary; empty where the instance is read.
	summary string
	// came is what came back, all of it. {origin} stands for the target's,
	// {other} for where it leads to. orElse is told instead where it is a race
	// that decides.
	came, orElse string
	// faults are the lines about a document, instead of came.
	faults []string
	// next are words of what to do next.
	next string

	// state are attributes of an instance that is read.
	state args
	// warnings are the summaries of what is told about such an instance.
	warnings []string
}

// target is what a case reads.
type target struct {
	baseURL string
	caPEM   string
	count   func() int // the attempts that arrived
	// other is an origin to which it leads.
	other string
	// secrets must not show, beyond those of every case.
	secrets []string
	// verify checks what arrived.
	verify func(t *testing.T)
}

// The headers that every case sends. What is secret of them has no piece in
// common with any other text.
var (
	faultHeaders = args{
		"Authorization": "Bearer eyJqSW9XcVoiOiJ2TmtQeFlHd1RyIn0.kQ7ZbXv3LmW9cRt5HyJ2nPd8FsGg4KuEaVoTiMx6BwUqCzDh1jSl0eNfAyrIpO-Q_8vHkZtWmX",
		"X-Api-Key":     `wK9/Zq+4"Tj\8<Vx&2=Pn~Rm`,
		"Cookie":        "sid=Gh5uYr2oLp7eWq9i; csrf=Nb3vCx8zMk1jHf6d",
	}
	faultProviderHeaders = args{"X-Provider": "Dq6wZs3xTe9cRf5v"}
	faultSecrets         = []string{
		"eyJqSW9XcVoiOiJ2TmtQeFlHd1RyIn0.kQ7ZbXv3LmW9cRt5HyJ2nPd8FsGg4KuEaVoTiMx6BwUqCzDh1jSl0eNfAyrIpO-Q_8vHkZtWmX",
		`wK9/Zq+4"Tj\8<Vx&2=Pn~Rm`, "Gh5uYr2oLp7eWq9i", "Nb3vCx8zMk1jHf6d", "Dq6wZs3xTe9cRf5v",
	}
)

// shortest piece of a secret that must not show.
const secretPiece = 8

const (
	// impatience is the request timeout where it is what ends an attempt.
	impatience = "300ms"
	// diagnosticLimit bounds a diagnostic: 20 faults of a document are a long one.
	diagnosticLimit = 6000
	// watchLimit is when a read counts as one that hangs. Every read of the
	// suite has a timeouts.read far below.
	watchLimit = 60 * time.Second
)

var (
	inTime    = args{"request_timeout": "20s"}
	timingOut = args{"request_timeout": impatience}
)

// noticesEverything reads the target of a case as one instance and as a fleet,
// and checks all that is said.
func (f fault) noticesEverything(t *testing.T) {
	t.Helper()
	target := f.start(t)
	secrets := slices.Concat(faultSecrets, target.secrets)
	ctx, log := traced(t.Context())

	provider := impatient(2).with(inTime).with(args{"base_url": target.baseURL, "request_headers": faultProviderHeaders})
	if target.caPEM != "" {
		provider["ca_cert_pem"] = target.caPEM
	}
	if cert, key := f.clientCertificate(t); key != "" {
		provider["client_cert_pem"], provider["client_key_pem"] = cert, key
		secrets = append(secrets, strings.Split(key, "\n")[1:3]...)
	}
	server, _ := configure(ctx, t, provider.with(f.provider))
	common := args{"request_headers": faultHeaders, "timeouts": args{"read": "40s"}}.with(f.arguments)

	one := readWithin(ctx, t, server, instanceName, common.with(args{"base_url": target.baseURL}))
	attempts := 0
	if target.count != nil {
		attempts = target.count()
	}
	fleet := readWithin(ctx, t, server, instancesName, common.with(args{
		"base_urls": args{"it": target.baseURL}, "allow_failures": true,
	}))

	f.checkOne(t, target, one)
	f.checkFleet(t, target, fleet)
	if attempts != f.attempts && !f.uncounted {
		t.Errorf("%d attempts arrived, want %d", attempts, f.attempts)
	}
	if target.verify != nil {
		target.verify(t)
	}
	mustBeSafe(t, one.told, secrets)
	mustBeSafe(t, fleet.told, secrets)
	mustLogNoSecret(t, log.String(), secrets)
	for _, message := range fleet.errors() {
		mustBePrintable(t, message, diagnosticLimit)
		mustHoldNoPiece(t, message, secrets)
	}
}

// clientCertificate is the certificate that the provider has, if any.
func (f fault) clientCertificate(t *testing.T) (certPEM, keyPEM string) {
	t.Helper()
	switch {
	case f.certified:
		authority := instancetest.New(t)
		return authority.ClientCertPEM(), authority.ClientKeyPEM()
	case f.stranger:
		return keyPair(t)
	default:
		return "", ""
	}
}

func (f fault) checkOne(t *testing.T, target target, got outcome) {
	t.Helper()
	if f.summary == "" {
		got.state.mustMatch(t, f.state)
		summaries := make([]string, 0, len(got.told))
		for _, one := range got.told {
			summaries = append(summaries, one.Summary)
		}
		if got.state == nil || !slices.Equal(summaries, f.warnings) {
			t.Errorf("state %v, want one, with the warnings %q, and nothing else said:\n%s", got.state, f.warnings, got.told)
		}
		return
	}
	if got.state["file_max_size"] != nil || got.state["response_body"] != nil {
		t.Errorf("there is a state although the read failed: %v", got.state)
	}
	if len(got.told) != 1 {
		t.Fatalf("%d diagnostics, want one error:\n%s", len(got.told), got.told)
	}
	one := got.told[0]
	if one.Severity != tfprotov6.DiagnosticSeverityError || one.Summary != f.summary || placeOf(one) != "base_url" {
		t.Errorf("want the error %q on base_url, got %s", f.summary, got.told)
	}
	paragraphs := strings.Split(one.Detail, "\n\n")
	if want := f.firstParagraphs(target); !slices.Contains(want, paragraphs[0]) {
		t.Errorf("what came back is told as\n\t%s\nwant\n\t%s", paragraphs[0], want[0])
	}
	if next := paragraphs[len(paragraphs)-1]; len(paragraphs) == 1 || f.next == "" || !strings.Contains(next, f.next) {
		t.Errorf("what to do next is told as\n\t%s\nwant\n\t%s", next, f.next)
	}
}

// firstParagraphs are what can have come back, in the words of a diagnostic.
func (f fault) firstParagraphs(target target) []string {
	get := "GET " + target.baseURL + "/instance"
	if f.faults != nil {
		return []string{get + " answered JSON that the provider cannot read as an instance document:\n  - " + strings.Join(f.faults, "\n  - ")}
	}
	paragraphs := f.reasons(target)
	for i, reason := range paragraphs {
		paragraphs[i] = get + ": " + reason + "."
	}
	return paragraphs
}

func (f fault) reasons(target target) []string {
	if f.faults != nil {
		return []string{"not an instance document: " + strings.Join(f.faults, "; ")}
	}
	origins := strings.NewReplacer("{origin}", target.baseURL, "{other}", target.other)
	reasons := []string{origins.Replace(f.came)}
	if f.orElse != "" {
		reasons = append(reasons, origins.Replace(f.orElse))
	}
	return reasons
}

func (f fault) checkFleet(t *testing.T, target target, got outcome) {
	t.Helper()
	if len(got.told.errors()) > 0 || got.state == nil {
		t.Fatalf("the fleet, whose failures are allowed, was not read:\n%s", got.told)
	}
	instances, _ := got.state["instances"].(args)
	failures := got.errors()
	if f.summary == "" {
		if len(instances) != 1 || len(failures) != 0 {
			t.Errorf("instances %v, errors %v, want the instance and no error", instances, failures)
		}
		return
	}
	reason, ok := strings.CutPrefix(failures["it"], "GET "+target.baseURL+"/instance: ")
	if want := f.reasons(target); len(instances) != 0 || len(failures) != 1 || !ok || !slices.Contains(want, reason) {
		t.Errorf("instances %v, errors\n\t%v\nwant none, and\n\t%s", instances, failures, want[0])
	}
}

// outcome is what reading a data source gave.
type outcome struct {
	state args // nil where there is none
	told  diagnostics
}

// errors is the attribute of a fleet.
func (o outcome) errors() map[string]string {
	failures := make(map[string]string)
	errors, _ := o.state["errors"].(args)
	for key, message := range errors {
		failures[key], _ = message.(string)
	}
	return failures
}

// readWithin reads a data source, and fails the test when that hangs.
func readWithin(ctx context.Context, t *testing.T, server tfprotov6.ProviderServer, typeName string, arguments args) outcome {
	t.Helper()
	objectType := instanceType()
	if typeName == instancesName {
		objectType = instancesType()
	}
	config := dynamicValue(t, valueOf(t, objectType, arguments))
	type answer struct {
		resp *tfprotov6.ReadDataSourceResponse
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		resp, err := server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: typeName, Config: &config})
		answers <- answer{resp, err}
	}()
	watch := time.NewTimer(watchLimit)
	defer watch.Stop()
	select {
	case got := <-answers:
		if got.err != nil {
			t.Fatal(got.err)
		}
		outcome := outcome{told: got.resp.Diagnostics}
		if got.resp.State != nil {
			state, err := got.resp.State.Unmarshal(objectType)
			if err != nil {
				t.Fatal(err)
			}
			outcome.state, _ = plain(t, state).(args)
		}
		return outcome
	case <-watch.C:
		t.Fatalf("reading %s hangs", typeName)
		return outcome{}
	}
}

// mustBeSafe checks that diagnostics can be printed anywhere.
func mustBeSafe(t *testing.T, told diagnostics, secrets []string) {
	t.Helper()
	for _, one := range told {
		mustBePrintable(t, one.Summary, 100)
		mustBePrintable(t, one.Detail, diagnosticLimit)
	}
	mustHoldNoPiece(t, told.String(), secrets)
}

func mustBePrintable(t *testing.T, text string, limit int) {
	t.Helper()
	if n := utf8.RuneCountInString(text); n > limit {
		t.Errorf("a text of %d characters, want at most %d: %.200s", n, limit, text)
	}
	for _, r := range text {
		if r == utf8.RuneError || r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U in %q", r, text)
			return
		}
	}
}

// mustHoldNoPiece checks that no piece of a secret shows.
func mustHoldNoPiece(t *testing.T, text string, secrets []string) {
	t.Helper()
	for _, secret := range secrets {
		for start := range len(secret) - secretPiece + 1 {
			if piece := secret[start : start+secretPiece]; strings.Contains(text, piece) {
				t.Errorf("%q, a piece of a secret, shows in:\n%s", piece, text)
				return
			}
		}
	}
}

// mustLogNoSecret checks what was logged at TRACE level.
func mustLogNoSecret(t *testing.T, log string, secrets []string) {
	t.Helper()
	if !strings.Contains(log, `"@level":"trace"`) || !strings.Contains(log, `the instance"`) {
		t.Errorf("the log lacks what happened, so it proves nothing:\n%.2000s", log)
	}
	entries, err := tflogtest.MultilineJSONDecode(strings.NewReader(log))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, log)
	}
	for _, entry := range entries {
		for _, name := range slices.Sorted(maps.Keys(entry)) {
			text := fmt.Sprint(entry[name])
			mustBePrintable(t, text, diagnosticLimit)
			mustHoldNoPiece(t, text, secrets)
		}
	}
}

// answering is an instance that does the same with every request.
func answering(step instancetest.Step, options ...instancetest.Option) func(t *testing.T) target {
	return func(t *testing.T) target {
		t.Helper()
		server := instancetest.New(t, append(options, instancetest.WithDefault(step))...)
		return target{baseURL: server.URL(), caPEM: server.CACertPEM(), count: func() int { return len(server.Requests()) }}
	}
}

// verbatim is an instance that reads a request, sends this text, and closes
// the connection.
func verbatim(text string) func(t *testing.T) target {
	return answering(instancetest.Verbatim(text, instancetest.CloseConnection()))
}

// delivering is an instance with this document.
func delivering(document string) func(t *testing.T) target {
	return answering(instancetest.Body(http.StatusOK, "application/json", document))
}

// compressed is an instance with a body that claims to be gzip.
func compressed(status int, body []byte) func(t *testing.T) target {
	return answering(instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
}

func gzipped(size int) []byte {
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	chunk := bytes.Repeat([]byte(" "), 1<<16)
	for written := 0; written < size; written += len(chunk) {
		_, _ = writer.Write(chunk) // a bytes.Buffer takes everything
	}
	_ = writer.Close()
	return compressed.Bytes()
}

// bomb becomes 64 MiB.
var bomb = sync.OnceValue(func() []byte { return gzipped(64 << 20) })

// raw is a server that speaks no HTTP of its own. The target has another
// scheme than the server where that is given.
func raw(serve func(net.Conn), scheme ...string) func(t *testing.T) target {
	return func(t *testing.T) target {
		t.Helper()
		server := instancetest.NewRaw(t, serve)
		origin := server.Origin()
		if len(scheme) > 0 {
			origin = scheme[0] + "://" + server.Address()
		}
		return target{baseURL: origin, caPEM: server.CACertPEM(), count: server.Connections}
	}
}

// rawTLS is a server that speaks nothing but TLS.
func rawTLS(serve func(net.Conn), protocols ...string) func(t *testing.T) target {
	return func(t *testing.T) target {
		t.Helper()
		server := instancetest.NewRawTLS(t, serve, protocols...)
		return target{baseURL: server.Origin(), caPEM: server.CACertPEM(), count: server.Connections}
	}
}

// rawHTTP2 is a server that agrees on HTTP/2 and does what it likes with every
// request.
func rawHTTP2(answer func(framer *http2.Framer, stream uint32, c net.Conn)) func(t *testing.T) target {
	return func(t *testing.T) target {
		t.Helper()
		server := instancetest.NewRawTLS(t, func(c net.Conn) {
			if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
				return
			}
			framer := http2.NewFramer(c, c)
			if framer.WriteSettings() != nil {
				return
			}
			for {
				frame, err := framer.ReadFrame()
				if err != nil {
					return
				}
				switch frame := frame.(type) {
				case *http2.SettingsFrame:
					if !frame.IsAck() && framer.WriteSettingsAck() != nil {
						return
					}
				case *http2.HeadersFrame:
					answer(framer, frame.StreamID, c)
				}
			}
		}, "h2")
		return target{baseURL: server.Origin(), caPEM: server.CACertPEM(), count: server.Connections}
	}
}

// writeHead begins a good response.
func writeHead(framer *http2.Framer, stream uint32, more ...hpack.HeaderField) {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range append([]hpack.HeaderField{{Name: ":status", Value: "200"}}, more...) {
		_ = encoder.WriteField(field)
	}
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true})
}

// The summaries that a user sees, and the reasons that come more than once.
const (
	notResolved  = "Host name of the instance not found"
	notReachable = "Instance not reachable"
	noProxy      = "Instance not reachable through the proxy"
	tooSlow      = "Instance did not answer in time"
	broken       = "Connection to the instance broke"
	notTrusted   = "Certificate of the instance not trusted"
	noHandshake  = "TLS handshake with the instance failed"
	notHTTP      = "Response of the instance is not valid HTTP"
	notFollowed  = "Redirect of the instance not followed"
	tooLarge     = "Response of the instance too large"
	notJSON      = "Response of the instance is not JSON"
	notADocument = "Response is not an instance document"
	withStatus   = "Instance answered with status "

	noAnswer     = "the server closed or reset the connection before it had answered"
	halfAnAnswer = "the connection broke before the whole response had arrived"
	noConnection = "no connection within " + impatience
	noResponse   = "no complete response within " + impatience
	notHTTPAs    = "the response is not valid HTTP: "
	tooLongHead  = notHTTPAs + "server response headers exceeded 262144 bytes; aborted"
	tooManyBytes = "a body of more than 1048576 bytes"
)

// wholeInstance is in the state of an instance that was read.
var wholeInstance = args{"file_max_size": int64(64424509440), "api_version": "2.1.5", "max_transfers_in_merge": int64(50)}

// okHead begins a good HTTP/1 response.
const okHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

// fails is a case that ends in an error.
func fails(start func(t *testing.T) target, attempts int, summary, came, next string) fault {
	return fault{start: start, attempts: attempts, summary: summary, came: came, next: next}
}

// breaks is a case in which the connection ends too early.
func breaks(start func(t *testing.T) target, came string) fault {
	return fails(start, 2, broken, came, "why it closed the connection")
}

// refuses is a case in which what came is no HTTP.
func refuses(start func(t *testing.T) target, came string) fault {
	return fails(start, 1, notHTTP, came, "the port on which the instance serves HTTP")
}

// reads is a case that is none: the instance is read.
func reads(start func(t *testing.T) target) fault {
	return fault{start: start, attempts: 1, state: wholeInstance}
}

func slowFaults() map[string]fault {
	slow := func(start func(t *testing.T) target, came string) fault {
		slow := fails(start, 2, tooSlow, came, "raise the provider's request_timeout")
		slow.provider = timingOut
		return slow
	}
	dripping := func(before, again string) func(t *testing.T) target {
		return raw(func(c net.Conn) {
			if instancetest.ReadRequest(c) != nil {
				return
			}
			_, err := io.WriteString(c, before)
			for err == nil {
				_ = c.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
				if _, gone := c.Read(make([]byte, 1)); errors.Is(gone, io.EOF) {
					return
				}
				_, err = io.WriteString(c, again)
			}
		})
	}
	drippingError := fails(dripping("HTTP/1.1 503 Service Unavailable\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbusy\r\n", "1\r\n \r\n"),
		2, withStatus+"503", "status 503 Service Unavailable: busy", "check its log")
	drippingError.provider = timingOut
	silence := instancetest.Silent()
	return map[string]fault{
		"silent server":               slow(answering(silence), noResponse),
		"silent server, HTTP/2":       slow(answering(silence, instancetest.WithTLS()), noResponse),
		"silent in the TLS handshake": slow(raw(instancetest.Await, "https"), noConnection),
		"dripping headers":            slow(answering(instancetest.DripHeader()), noResponse),
		"dripping status line":        slow(dripping("HTTP/1.1 200 O", "K"), noResponse),
		"dripping 1xx":                slow(dripping("", "HTTP/1.1 103 Early Hints\r\n\r\n"), noResponse),
		"dripping body":               slow(answering(instancetest.DripBody()), noResponse),
		"dripping body, HTTP/2":       slow(answering(instancetest.DripBody(), instancetest.WithTLS()), noResponse),
		"dripping chunks":             slow(dripping(okHead+"Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"), noResponse),
		"dripping redirect":           slow(dripping("HTTP/1.1 302 Found\r\nLocation: /x\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"), noResponse),
		"dripping error":              drippingError,
		"headers, then silence":       slow(answering(instancetest.Verbatim(okHead+"Content-Length: 10\r\n\r\n", silence)), noResponse),
		"document, then silence":      slow(answering(instancetest.Verbatim(okHead+"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", silence)), noResponse),
		"HTTP/2 headers, then silence": oneConnection(slow(rawHTTP2(func(framer *http2.Framer, stream uint32, _ net.Conn) {
			writeHead(framer, stream)
		}), noResponse)),
	}
}

func lengthFaults() map[string]fault {
	document := instancetest.Newer().JSON()
	large := func(start func(t *testing.T) target) fault {
		return fails(start, 1, tooLarge, tooManyBytes, "check that base_url names an instance")
	}
	chunked := okHead + "Transfer-Encoding: chunked\r\n\r\n"
	const notGzip = "the body is not valid gzip, although its Content-Encoding says so"
	return map[string]fault{
		"body shorter than announced":         breaks(answering(instancetest.ShortBody()), halfAnAnswer),
		"body shorter than announced, HTTP/2": breaks(answering(instancetest.ShortBody(), instancetest.WithTLS()), "the server reset the HTTP/2 stream (INTERNAL_ERROR)"),
		"body of 64 GiB announced":            breaks(verbatim(okHead+"Content-Length: 68719476736\r\n\r\n"+document), halfAnAnswer),
		"chunks without an end":               breaks(verbatim(chunked+"2\r\n{}\r\n"), halfAnAnswer),
		"body until the connection ends":      reads(verbatim(okHead + "\r\n" + document)),
		"body longer than announced": reads(verbatim(okHead + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(document)) + document +
			strings.Repeat("HTTP/1.1 200 OK\r\n\r\n", 10))),
		"body longer than announced and so cut": fails(verbatim(okHead+"Content-Length: 15\r\n\r\n"+document), 1, notJSON,
			`the body is not JSON: found the end of the document at byte 15 (Content-Type "application/json", starting with: {"fileMaxSize":)`,
			"address of the instance's API"),
		"endless body":                 large(answering(instancetest.EndlessBody())),
		"endless body, HTTP/2":         large(answering(instancetest.EndlessBody(), instancetest.WithTLS())),
		"body of one byte too many":    large(delivering(document + strings.Repeat(" ", 1<<20+1-len(document)))),
		"body just not too large":      reads(delivering(document + strings.Repeat(" ", 1<<20-len(document)))),
		"gzip bomb":                    large(compressed(http.StatusOK, bomb())),
		"gzip bomb in an error":        fails(compressed(http.StatusNotFound, bomb()), 1, withStatus+"404", "status 404 Not Found", "path of base_url"),
		"gzip cut short":               breaks(compressed(http.StatusOK, bomb()[:20]), halfAnAnswer),
		"gzip damaged":                 refuses(compressed(http.StatusOK, append(bytes.Clone(bomb()[:10]), 0xff, 0xff, 0xff, 0xff)), notGzip),
		"no gzip at all":               refuses(compressed(http.StatusOK, []byte(document)), notGzip),
		"endless header":               refuses(raw(endless(okHead+"X-Long: ", "x")), tooLongHead),
		"endless headers":              refuses(raw(endless(okHead, "X-Long: x\r\n")), tooLongHead),
		"endless 1xx":                  refuses(raw(endless("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")), tooLongHead),
		"endless chunk size":           refuses(raw(endless(chunked, "0")), notHTTPAs+"header line too long"),
		"endless chunk extension":      refuses(raw(endless(chunked+"1;", "x")), notHTTPAs+"header line too long"),
		"endless trailer":              refuses(raw(endless(chunked+"2\r\n{}\r\n0\r\n", "X-Long: x\r\n")), notHTTPAs+"suspiciously long trailer after chunked body"),
		"length that is no number":     refuses(verbatim(okHead+"Content-Length: many\r\n\r\n{}"), notHTTPAs+`bad Content-Length "many"`),
		"negative length":              refuses(verbatim(okHead+"Content-Length: -1\r\n\r\n{}"), notHTTPAs+`bad Content-Length "-1"`),
		"two lengths":                  refuses(verbatim(okHead+"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "), notHTTPAs+`message cannot contain multiple Content-Length headers; got ["2" "3"]`),
		"chunk size that is no number": refuses(verbatim(chunked+"many\r\n"), notHTTPAs+"invalid byte in chunk length"),
		"unknown transfer encoding":    refuses(verbatim(okHead+"Transfer-Encoding: smoke-signals\r\n\r\n{}"), notHTTPAs+`unsupported transfer encoding: "smoke-signals"`),
	}
}

// endless sends the second text for as long as it is read.
func endless(before, again string) func(net.Conn) {
	again = strings.Repeat(again, 1+4096/len(again))
	return func(c net.Conn) {
		if instancetest.ReadRequest(c) != nil {
			return
		}
		for _, err := io.WriteString(c, before); err == nil; {
			_, err = io.WriteString(c, again)
		}
	}
}

func documentFaults() map[string]fault {
	const api = "the address of the instance's API"
	document := func(body string, faults ...string) fault {
		wrong := fails(delivering(body), 1, notADocument, "", "its operator has to fix the fields named")
		wrong.faults = faults
		return wrong
	}
	text := func(body, came string) fault {
		return fails(delivering(body), 1, notJSON, "the body is not JSON: found "+came, api)
	}
	with := func(name, value string) string {
		return instancetest.Newer().With(name, instancetest.Raw(value)).JSON()
	}
	labelled := func(label string) string {
		return with("recommendedExpireTimes", `[{"label":"`+label+`","inSeconds":60,"value":1}]`)
	}
	escaped := reads(delivering(labelled(`\u001b[31m\u0000\u0007\u202ered`)))
	escaped.state = args{"recommended_expire_times": []any{args{
		"label": "\x1b[31m\x00\a\u202ered", "in_seconds": int64(60), "in_minutes": int64(1),
	}}}
	entries := func(n int) string { return "[" + strings.Repeat("0,", n-1) + "0]" }
	var members strings.Builder
	for i := range 90_000 {
		fmt.Fprintf(&members, `"%x":0,`, i)
	}
	return map[string]fault{
		"empty body":                         text("", "an empty document (Content-Type \"application/json\")"),
		"large: deeply nested unknown field": text(with("x", strings.Repeat("[", 300_000)+strings.Repeat("]", 300_000)), "exceeded max depth at byte 10578"+startingWith(instancetest.Newer().JSON())),
		"large: deeply nested root":          text(strings.Repeat("[", 1<<20), "exceeded max depth at byte 10000"+startingWith(strings.Repeat("[", 1<<20))),
		"large: deeply nested objects":       text(strings.Repeat(`{"a":`, 1<<17), "exceeded max depth at byte 50000"+startingWith(strings.Repeat(`{"a":`, 1<<17))),
		"large: half a million entries": document(with("recommendedExpireTimes", entries(500_000)), firstOf(1001, func(i int) string {
			return fmt.Sprintf("recommendedExpireTimes[%d]: expected an object, found the number 0", i)
		})...),
		"1,001 entries":                         document(with("recommendedExpireTimes", "["+strings.TrimSuffix(strings.Repeat(`{"label":"x","value":60},`, 1001), ",")+"]"), "recommendedExpireTimes: expected at most 1000 entries, found 1001"),
		"large: 90,000 unknown members":         reads(delivering("{" + members.String() + instancetest.Newer().JSON()[1:])),
		"large: 100,000 members of one name":    document("{"+strings.Repeat(`"x":0,`, 100_000)+instancetest.Newer().JSON()[1:], firstOf(99_999, func(int) string { return "x: expected this field once, found it again" })...),
		"large: number of a million digits":     document(with("fileMaxSize", strings.Repeat("9", 1_000_000)), "fileMaxSize: expected an integer from 0 to 9223372036854775807, found the number "+strings.Repeat("9", 59)+"…"),
		"exponent without measure":              document(with("fileMaxSize", "1e999999999"), "fileMaxSize: expected an integer from 0 to 9223372036854775807, found the number 1e999999999"),
		"large: string of a million characters": document(with("fileMaxSize", `"`+strings.Repeat("x", 1_000_000)+`"`), `fileMaxSize: expected an integer from 0 to 9223372036854775807, found the string "`+strings.Repeat("x", 58)+"…"),
		"invalid UTF-8 in a label":              text(labelled("\xff\xfe"), "invalid UTF-8 at byte 176"+startingWith(labelled(""))),
		"invalid UTF-8 in an unknown member":    text(with("x", "\"\xc3\x28\""), "invalid UTF-8 at byte 580"+startingWith(instancetest.Newer().JSON())),
		"lone surrogate":                        text(labelled(`\ud800`), "invalid surrogate pair `\\ud800\",\"inS` in string at byte 176"+startingWith(labelled(`\ud800`))),
		"control character in a label":          text(labelled("\x1b[31mred"), `invalid character '\x1b' in string (expecting non-control character) at byte 176`+startingWith(labelled("[31mred"))),
		"NUL in a label":                        text(labelled("\x00"), `invalid character '\x00' in string (expecting non-control character) at byte 176`+startingWith(labelled(""))),
		"NUL between tokens":                    text("{\x00}", `invalid character '\x00' at start of value at byte 1`+startingWith("{}")),
		"escaped control character in label":    escaped,
		"escaped control character in a text":   document(with("fileMaxSize", `"\u001b]0;x\u0007\u202e\n9"`), `fileMaxSize: expected an integer from 0 to 9223372036854775807, found the string "\x1b]0;x\a\u202e\n9"`),
		"control characters in a name":          document(with("x", `0,"\u001b[2J":0,"\u001b[2J":0`), "[2J: expected this field once, found it again"),
		"control characters in plain text":      text("\x1b]0;owned\x07\x1b[2J\u202egood\u2028bye\r\n\x9b31m", `invalid character '\x1b' at start of value at byte 0`+startingWith("]0;owned[2Jgood bye 31m")),
		"UTF-16":                                text("\xff\xfe{\x00}\x00", `invalid character '\xff' at start of value at byte 0`+startingWith("{}")),
		"web page":                              fails(answering(instancetest.Body(200, "text/html; charset=utf-8", "<!doctype html><title>Files</title><script>alert(1)</script><h1>Welcome &amp; log in</h1>")), 1, notJSON, `the body is not JSON: found invalid character '<' at start of value at byte 0 (Content-Type "text/html; charset=utf-8", starting with: Welcome & log in)`, api),
		"encoding that was not asked for": fails(answering(instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "\x0b\x02\x80")
		})), 1, notJSON, `the body is not JSON: found invalid character '\v' at start of value at byte 0 (no Content-Type, Content-Encoding "br")`, api),
		"two documents": text(instancetest.Newer().JSON()+instancetest.Newer().JSON(), "more text after byte 575"+startingWith(instancetest.Newer().JSON())),
		"null":          document("null", "the document: expected a JSON object, found null"),
		"number":        document("42", "the document: expected a JSON object, found the number 42"),
	}
}

// startingWith is how the reason describes a body that is not JSON.
func startingWith(body string) string {
	const limit = 200
	if len(body) > limit {
		body = body[:limit-1] + "…"
	}
	return ` (Content-Type "application/json", starting with: ` + body + ")"
}

// firstOf are the lines for n faults of one document.
func firstOf(n int, line func(i int) string) []string {
	const most = 20
	var lines []string
	for i := range min(n, most) {
		lines = append(lines, line(i))
	}
	return append(lines, fmt.Sprintf("and %d more", n-most))
}

func resetFaults() map[string]fault {
	half := "HTTP/1.1 200 OK\r\nContent-Type: applicat"
	reset := instancetest.Reset()
	refused := fails(func(t *testing.T) target {
		t.Helper()
		return target{baseURL: "http://" + instancetest.ReserveAddress(t)}
	}, 0, notReachable, syscall.ECONNREFUSED.Error(), "Check host and port in base_url")
	return map[string]fault{
		"connection refused":                 refused,
		"reset at once":                      breaks(raw(instancetest.ResetConnection), noAnswer),
		"closed at once":                     breaks(raw(func(net.Conn) {}), noAnswer),
		"reset in the TLS handshake":         breaks(raw(resetAfterReading, "https"), noAnswer),
		"closed in the TLS handshake":        breaks(raw(func(c net.Conn) { _, _ = c.Read(make([]byte, 1<<16)) }, "https"), noAnswer),
		"reset after the TLS handshake":      breaks(rawTLS(instancetest.ResetConnection), noAnswer),
		"closed after the TLS handshake":     breaks(rawTLS(func(net.Conn) {}), noAnswer),
		"reset before the headers":           breaks(answering(reset), noAnswer),
		"reset before the headers, HTTP/2":   breaks(answering(reset, instancetest.WithTLS()), noAnswer),
		"closed before the headers":          breaks(answering(instancetest.CloseConnection()), noAnswer),
		"closed before the headers, HTTP/2":  breaks(answering(instancetest.CloseConnection(), instancetest.WithTLS()), noAnswer),
		"reset within the status line":       breaks(answering(instancetest.Verbatim("HTTP/1.1 20", reset)), noAnswer),
		"closed within the status line":      breaks(verbatim("HTTP/1.1 20"), noAnswer),
		"reset within the headers":           breaks(answering(instancetest.Verbatim(half, reset)), noAnswer),
		"closed within the headers":          breaks(verbatim(half), noAnswer),
		"closed after a 1xx":                 breaks(verbatim("HTTP/1.1 103 Early Hints\r\n\r\n"), noAnswer),
		"reset between headers and body":     breaks(answering(instancetest.Verbatim(okHead+"Content-Length: 10\r\n\r\n", reset)), halfAnAnswer),
		"reset within the body":              breaks(answering(instancetest.ResetInBody()), halfAnAnswer),
		"reset within the body, HTTP/2":      breaks(answering(instancetest.ResetInBody(), instancetest.WithTLS()), halfAnAnswer),
		"reset within a chunk":               breaks(answering(instancetest.Verbatim(okHead+"Transfer-Encoding: chunked\r\n\r\n10\r\n{", reset)), halfAnAnswer),
		"reset before the last chunk":        breaks(answering(instancetest.Verbatim(okHead+"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", reset)), halfAnAnswer),
		"reset within a body without length": breaks(answering(instancetest.Verbatim(okHead+"\r\n{", reset)), halfAnAnswer),
		"reset within an error": fails(answering(instancetest.Verbatim("HTTP/1.1 404 Not Found\r\nContent-Length: 99\r\n\r\nsorry", reset)), 1,
			withStatus+"404", "status 404 Not Found: sorry", "path of base_url"),
	}
}

// resetAfterReading resets a connection on which something has arrived.
func resetAfterReading(c net.Conn) {
	_, _ = c.Read(make([]byte, 1))
	instancetest.ResetConnection(c)
}

func foreignFaults() map[string]fault {
	const plain = "If the instance serves plain HTTP, write base_url with http://."
	first := refuses(raw(func(c net.Conn) {
		_, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.9\r\n")
		instancetest.Await(c)
	}), notHTTPAs+`malformed HTTP response "SSH-2.0-OpenSSH_9.9"`)
	first.orElse, first.uncounted = notHTTPAs+"it came before the request", true
	return map[string]fault{
		"SSH before the request":    first,
		"SSH":                       refuses(verbatim("SSH-2.0-OpenSSH_9.9\r\n"), notHTTPAs+`malformed HTTP response "SSH-2.0-OpenSSH_9.9"`),
		"SMTP":                      refuses(verbatim("220 mail.example ESMTP\r\n"), notHTTPAs+`malformed HTTP status code "mail.example"`),
		"control characters":        refuses(verbatim("\x1b[2J\x1b]0;owned\x07\u202e\xff\r\n\r\n"), notHTTPAs+`malformed HTTP response "\x1b[2J\x1b]0;owned\a\u202e\xff"`),
		"binary":                    refuses(verbatim("\x00\x01\x02\xff\xfe\r\n\r\n"), notHTTPAs+`malformed HTTP response "\x00\x01\x02\xff\xfe"`),
		"endless line":              refuses(raw(endless("", "x")), tooLongHead),
		"HTTP/0.9":                  refuses(verbatim("<html>hello</html>"), notHTTPAs+`malformed HTTP response "<html>hello</html>"`),
		"ICY":                       refuses(verbatim("ICY 200 OK\r\n\r\n"), notHTTPAs+`malformed HTTP version "ICY"`),
		"status that is no number":  refuses(verbatim("HTTP/1.1 OK\r\n\r\n"), notHTTPAs+`malformed HTTP status code "OK"`),
		"status of two digits":      refuses(verbatim("HTTP/1.1 20 OK\r\n\r\n"), notHTTPAs+`malformed HTTP status code "20"`),
		"header without a colon":    refuses(verbatim("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"), notHTTPAs+`malformed MIME header: missing colon: "nonsense"`),
		"control character in head": refuses(verbatim("HTTP/1.1 200 OK\r\nX: \x1b[31m\x00\r\n\r\n"), notHTTPAs+`malformed MIME header line: "X: \x1b[31m\x00"`),
		"HTTP/2 without TLS":        refuses(verbatim("\x00\x00\x00\x04\x00\x00\x00\x00\x00"), notHTTPAs+`malformed HTTP response "\x00\x00\x00\x04\x00\x00\x00\x00\x00"`),
		"SSH where TLS is expected": fails(raw(func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-x\r\n"); instancetest.Await(c) }, "https"), 1, noHandshake, "the server does not speak TLS on this port", plain),
		"HTTP where TLS is expected": fails(func(t *testing.T) target {
			t.Helper()
			server := instancetest.New(t)
			return target{baseURL: "https://" + server.Address(), count: server.Connections}
		}, 1, noHandshake, "the server does not speak TLS on this port", plain),
		"TLS where HTTP is expected": fails(func(t *testing.T) target {
			t.Helper()
			server := instancetest.New(t, instancetest.WithTLS())
			return target{baseURL: "http://" + server.Address(), count: server.Connections}
		}, 1, withStatus+"400", "status 400 Bad Request: Client sent an HTTP request to an HTTPS server.", "Check base_url"),
	}
}

func http2Faults() map[string]fault {
	type answer = func(framer *http2.Framer, stream uint32, c net.Conn)
	reset := func(code http2.ErrCode) answer {
		return func(framer *http2.Framer, stream uint32, _ net.Conn) { _ = framer.WriteRSTStream(stream, code) }
	}
	goAway := func(last uint32, code http2.ErrCode) answer {
		return func(framer *http2.Framer, _ uint32, c net.Conn) {
			_ = framer.WriteGoAway(last, code, []byte("\x1b[31mdebug"))
			_ = c.Close()
		}
	}
	body := func(length, body string) answer {
		return func(framer *http2.Framer, stream uint32, _ net.Conn) {
			writeHead(framer, stream, hpack.HeaderField{Name: "content-length", Value: length})
			_ = framer.WriteData(stream, true, []byte(body))
		}
	}
	block := func(block []byte) answer {
		return func(framer *http2.Framer, stream uint32, _ net.Conn) {
			const frame = 16 << 10
			first := block[:min(len(block), frame)]
			_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: first, EndHeaders: len(first) == len(block)})
			for rest := block[len(first):]; len(rest) > 0; {
				next := rest[:min(len(rest), frame)]
				rest = rest[len(next):]
				_ = framer.WriteContinuation(stream, len(rest) == 0, next)
			}
		}
	}
	verbatim := func(text string) answer {
		return func(_ *http2.Framer, _ uint32, c net.Conn) { _, _ = io.WriteString(c, text) }
	}
	once := func(fault fault) fault { // net/http makes further attempts of its own, within ours
		fault.provider, fault.uncounted = timingOut, true
		return fault
	}
	slow := func(start func(t *testing.T) target) fault {
		return once(fails(start, 0, tooSlow, noResponse, "raise the provider's request_timeout"))
	}
	return map[string]fault{
		"HTTP/2":                         reads(answering(overHTTP2(instancetest.Answer()), instancetest.WithTLS())),
		"HTTP/2 stream reset":            oneConnection(breaks(rawHTTP2(reset(http2.ErrCodeInternal)), "the server reset the HTTP/2 stream (INTERNAL_ERROR)")),
		"HTTP/2 stream cancelled":        oneConnection(breaks(rawHTTP2(reset(http2.ErrCodeCancel)), "the server reset the HTTP/2 stream (CANCEL)")),
		"HTTP/2 stream reset, no reason": oneConnection(breaks(rawHTTP2(reset(0xbad)), "the server reset the HTTP/2 stream (unknown error code 0xbad)")),
		"HTTP/2 stream always refused":   slow(rawHTTP2(reset(http2.ErrCodeRefusedStream))),
		"HTTP/2 stream reset within the body": oneConnection(breaks(rawHTTP2(func(framer *http2.Framer, stream uint32, c net.Conn) {
			writeHead(framer, stream)
			_ = framer.WriteData(stream, false, []byte(`{"fileMaxSize":`))
			reset(http2.ErrCodeInternal)(framer, stream, c)
		}), "the server reset the HTTP/2 stream (INTERNAL_ERROR)")),
		"HTTP/2 GOAWAY":                 breaks(rawHTTP2(goAway(1, http2.ErrCodeEnhanceYourCalm)), noAnswer),
		"HTTP/2 GOAWAY before a stream": slow(rawHTTP2(goAway(0, http2.ErrCodeNo))),
		"HTTP/2 closed":                 breaks(rawHTTP2(func(_ *http2.Framer, _ uint32, c net.Conn) { _ = c.Close() }), noAnswer),
		"HTTP/2 body shorter":           oneConnection(breaks(rawHTTP2(body("99", "{}")), halfAnAnswer)),
		"HTTP/2 body longer":            refuses(rawHTTP2(body("1", "{}")), notHTTPAs+"server replied with more than declared Content-Length; truncated"),
		"HTTP/2 without a status":       refuses(rawHTTP2(block([]byte{0x87})), notHTTPAs+"malformed response from server: missing status pseudo header"), // :scheme https
		"HTTP/2 headers without sense":  refuses(rawHTTP2(block(bytes.Repeat([]byte{0xff}, 12))), notHTTPAs+"connection error: COMPRESSION_ERROR"),
		"HTTP/2 endless headers":        refuses(rawHTTP2(block(append([]byte{0x88}, bytes.Repeat([]byte("\x00\x01x\x01y"), 100_000)...))), notHTTPAs+"connection error: PROTOCOL_ERROR"),
		"HTTP/2 given up":               refuses(rawHTTP2(verbatim("HTTP/1.1 200 OK\r\n\r\n")), notHTTPAs+"failed reading the frame payload: http2: frame too large, note that the frame header looked like an HTTP/1.1 header"),
		"HTTP/2 promised only": refuses(rawTLS(func(c net.Conn) {
			_, _ = io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
			instancetest.Await(c)
		}, "h2"), notHTTPAs+"failed reading the frame payload: http2: frame too large, note that the frame header looked like an HTTP/1.1 header"),
	}
}

// overHTTP2 refuses other requests.
func overHTTP2(step instancetest.Step) instancetest.Step {
	return func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
		if r.Proto != "HTTP/2.0" {
			instancetest.Status(http.StatusHTTPVersionNotSupported)(s, w, r)
			return
		}
		step(s, w, r)
	}
}

// oneConnection is for attempts that share one.
func oneConnection(fault fault) fault {
	fault.attempts = 1
	return fault
}

func statusFaults() map[string]fault {
	faults := map[string]fault{
		"101":              fails(answering(instancetest.Verbatim("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", instancetest.Silent())), 1, withStatus+"101", "status 101 Switching Protocols", "An instance answers 200"),
		"100 and then 200": reads(answering(manyInformational(1))),
		"many 1xx":         reads(answering(manyInformational(500))),
		"many 1xx, HTTP/2": reads(answering(instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
			for range 500 {
				w.WriteHeader(http.StatusEarlyHints)
			}
			_, _ = io.WriteString(w, instancetest.Newer().JSON())
		}), instancetest.WithTLS())),
		"status of no class":   fails(verbatim("HTTP/1.1 999 Request Denied\r\nContent-Length: 0\r\n\r\n"), 1, withStatus+"999", "status 999", "check its log"),
		"status with a reason": fails(verbatim("HTTP/1.1 418 \x1b[2Jshort and stout\r\nContent-Length: 0\r\n\r\n"), 1, withStatus+"418", "status 418 I'm a teapot", "what a proxy in front of the instance allows"),
	}
	for _, status := range []int{201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 304, 305, 307, 308} {
		came := fmt.Sprintf("status %d %s", status, http.StatusText(status))
		if status != 204 && status != 304 {
			came += fmt.Sprintf(": The instance was told to answer %d", status)
		}
		faults[fmt.Sprintf("%d without a location", status)] = fails(answering(instancetest.Status(status)), 1, withStatus+fmt.Sprint(status), came, "An instance answers 200")
	}
	transient := []int{408, 429, 500, 502, 503, 504}
	next := map[int]string{401: "send what it wants with request_headers", 403: "send what it wants with request_headers", 404: "path of base_url", 407: "The proxy wants credentials", 429: "-parallelism"}
	for status := 400; status < 600; status++ {
		if http.StatusText(status) == "" {
			continue
		}
		attempts, words := 1, "what a proxy in front of the instance allows"
		if slices.Contains(transient, status) {
			attempts = 2
		}
		if special, ok := next[status]; ok {
			words = special
		} else if status >= 500 {
			words = "check its log"
		}
		faults[fmt.Sprint(status)] = fails(answering(instancetest.Status(status)), attempts, withStatus+fmt.Sprint(status),
			fmt.Sprintf("status %d %s: The instance was told to answer %d", status, http.StatusText(status), status), words)
	}
	return faults
}

// manyInformational answers with 1xx before the document.
func manyInformational(n int) instancetest.Step {
	document := instancetest.Newer().JSON()
	return instancetest.Verbatim(strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", n)+okHead+
		fmt.Sprintf("Content-Length: %d\r\n\r\n", len(document))+document, instancetest.CloseConnection())
}

func redirectFaults() map[string]fault {
	refused := func(start func(t *testing.T) target, came string) fault {
		return fails(start, 1, notFollowed, came, "Set base_url to the address at which the instance itself answers.")
	}
	to := func(location string) func(t *testing.T) target {
		return answering(instancetest.Redirect(http.StatusFound, location))
	}
	secure := func(location string) func(t *testing.T) target {
		return answering(instancetest.Redirect(http.StatusFound, location), instancetest.WithTLS())
	}
	// away redirects every request to another instance, where nothing that is
	// meant for the first one may arrive.
	away := func(step instancetest.Step, options ...instancetest.Option) func(t *testing.T) target {
		return func(t *testing.T) target {
			t.Helper()
			other := instancetest.New(t, append(options, instancetest.WithDefault(step))...)
			server := instancetest.New(t, append(options, instancetest.WithDefault(
				instancetest.Redirect(http.StatusTemporaryRedirect, other.Origin()+"/x?token=Zt4yBn8mKw2q#fragment")))...)
			return target{
				baseURL: server.URL(), caPEM: server.CACertPEM(), other: other.Origin(), secrets: []string{"Zt4yBn8mKw2q"},
				count: func() int { return len(server.Requests()) },
				verify: func(t *testing.T) {
					t.Helper()
					if len(other.Requests()) == 0 {
						t.Error("the redirect was not followed")
					}
					for _, request := range other.Requests() {
						mustBeBare(t, request)
					}
				},
			}
		}
	}
	loop := refused(to("/instance"), "redirected to {origin}/instance: more than 5 redirects")
	loop.attempts = 6
	rest := refused(to("/somewhere?token=Zt4yBn8mKw2q"), "redirected to {origin}/somewhere: more than 5 redirects")
	rest.attempts = 6
	gone := fails(away(instancetest.Status(http.StatusServiceUnavailable)), 2, withStatus+"503",
		"redirected to {other}/x: status 503 Service Unavailable: The instance was told to answer 503", "check its log")
	document := instancetest.Body(http.StatusOK, "application/json", instancetest.Newer().JSON())
	withCertificate := reads(away(document, instancetest.WithTLS()))
	withCertificate.certified = true
	unreachable := fails(func(t *testing.T) target {
		t.Helper()
		address := instancetest.ReserveAddress(t)
		target := to("http://" + address + "/x")(t)
		target.other = "http://" + address
		return target
	}, 2, notReachable, "redirected to {other}/x: "+syscall.ECONNREFUSED.Error(), "Check host and port in base_url")
	return map[string]fault{
		"redirect loop":                      loop,
		"redirects without an end":           rest,
		"redirect to another origin":         reads(away(document)),
		"redirect to another origin, HTTP/2": withCertificate,
		"redirect to an instance that fails": gone,
		"redirect to nowhere":                unreachable,
		"redirect to a file":                 refused(to("file:///etc/passwd"), "a redirect to file:, which is neither http nor https"),
		"redirect to FTP":                    refused(to("ftp://files.example/x"), "a redirect to ftp://files.example/x, which is neither http nor https"),
		"redirect to a script":               refused(to("javascript:alert(1)"), "a redirect to javascript:, which is neither http nor https"),
		"redirect to data":                   refused(to("data:application/json,{}"), "a redirect to data:, which is neither http nor https"),
		"redirect to a socket":               refused(to("unix:///run/docker.sock"), "a redirect to unix:, which is neither http nor https"),
		"redirect from https to http":        refused(secure("http://files.example/x?token=Zt4yBn8mKw2q"), "a redirect from https to http://files.example/x, which would give up TLS"),
		"redirect without a host":            refused(to("http:///x"), "a redirect to a URL without a host"),
		"redirect with user info":            refused(to("http://user:Zt4yBn8mKw2q@files.example/x"), "a redirect to a URL with user info, at http://files.example/x"),
		"redirect to nonsense":               refused(to("http://[::1/%zz"), "a redirect to a URL that is not valid"),
		"redirect with control characters":   refuses(to("http://files.example/\x1b[31m"), notHTTPAs+`malformed MIME header line: "Location: http://files.example/\x1b[31m"`),
		"redirect with escaped control":      refused(to("ftp://files.example/%1b%5b31m%e2%80%ae"), "a redirect to ftp://files.example/%1b%5b31m%e2%80%ae, which is neither http nor https"),
		"redirect as long as headers can be": refused(to("ftp://files.example/"+strings.Repeat("x", 200_000)), "a redirect to ftp://files.example/"+strings.Repeat("x", 179)+"…, which is neither http nor https"),
	}
}

// mustBeBare checks that nothing came along that is meant for another origin.
func mustBeBare(t *testing.T, request instancetest.Request) {
	t.Helper()
	for _, name := range []string{"Authorization", "X-Api-Key", "Cookie", "X-Provider", "Referer"} {
		if request.Header.Get(name) != "" {
			t.Errorf("another origin was sent %s", name)
		}
	}
	if request.ClientCertificate {
		t.Error("another origin was shown the client certificate")
	}
}

// TestFaults is not parallel to other tests: the leak detector sees the
// goroutines of all of them.
func TestFaults(t *testing.T) {
	// net/http logs what a server sends unasked; the provider's main function
	// does the same as this with it.
	log.SetOutput(io.Discard)
	t.Cleanup(func() { log.SetOutput(os.Stderr) })

	leaks := goleak.IgnoreCurrent()
	t.Run("every", func(t *testing.T) {
		for name, fault := range allFaults(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				fault.noticesEverything(t)
			})
		}
	})
	goleak.VerifyNone(t, leaks)
}

func allFaults(t *testing.T) map[string]fault {
	t.Helper()
	all := make(map[string]fault)
	for _, some := range []map[string]fault{
		slowFaults(), lengthFaults(), documentFaults(), resetFaults(), foreignFaults(), http2Faults(), statusFaults(), redirectFaults(), certificateFaults(), echoFaults(),
	} {
		for name, fault := range some {
			if _, taken := all[name]; taken {
				t.Fatalf("two cases are named %s", name)
			}
			all[name] = fault
		}
	}
	return all
}

func certificateFaults() map[string]fault {
	untrusted := func(kind instancetest.Certificate, came string) fault {
		return fails(func(t *testing.T) target {
			t.Helper()
			server := instancetest.New(t, instancetest.WithCertificate(kind))
			return target{baseURL: server.URL(), caPEM: server.CACertPEM(), count: server.Connections}
		}, 1, notTrusted, came, "set the provider's ca_cert_pem to that authority's certificate")
	}
	expired := untrusted(instancetest.CertificateExpired, "{other}")
	startExpired := expired.start
	expired.start = func(t *testing.T) target {
		t.Helper()
		target := startExpired(t)
		target.other = "the certificate has expired or is not valid yet: it is valid from " + validity(t, target.baseURL)
		target.count = nil
		return target
	}
	expired.uncounted = true
	unknown := untrusted(instancetest.CertificateValid, "certificate signed by unknown authority")
	startUnknown := unknown.start
	unknown.start = func(t *testing.T) target {
		t.Helper()
		target := startUnknown(t)
		target.caPEM, _ = keyPair(t) // of somebody else
		return target
	}
	clientCertificate := func(options ...instancetest.Option) func(t *testing.T) target {
		return func(t *testing.T) target {
			t.Helper()
			server := instancetest.New(t, append(options, instancetest.WithClientCertificate())...)
			return target{baseURL: server.URL(), caPEM: server.CACertPEM(), count: server.Connections}
		}
	}
	const wants = "If the server wants a client certificate, set the provider's client_cert_pem and client_key_pem."
	strange := fails(clientCertificate(), 1, noHandshake, "the server asked for a client certificate and closed the connection", wants)
	strange.stranger = true
	known := reads(clientCertificate())
	known.certified = true
	return map[string]fault{
		"expired certificate":                 expired,
		"self-signed certificate":             untrusted(instancetest.CertificateSelfSigned, "certificate signed by unknown authority"),
		"certificate of another host":         untrusted(instancetest.CertificateWrongHost, "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"),
		"untrusted authority":                 unknown,
		"client certificate required":         fails(clientCertificate(), 1, noHandshake, "the server asked for a client certificate and closed the connection", wants),
		"client certificate required, HTTP/1": fails(clientCertificate(instancetest.WithTLSHTTP1()), 1, noHandshake, "the server refused the TLS handshake (certificate required)", wants),
		"client certificate of somebody else": strange,
		"client certificate as required":      known,
		"only TLS 1.1": fails(raw(func(c net.Conn) {
			_ = tls.Server(c, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &tls.Certificate{}, nil }}).HandshakeContext(context.Background())
			instancetest.Await(c)
		}, "https"), 1, noHandshake, "the server refused the TLS handshake (protocol version not supported)", wants),
		"host name that cannot be": fails(func(*testing.T) target {
			// Longer than a label of the DNS can be, so that no name server is asked.
			return target{baseURL: "http://" + strings.Repeat("x", 64) + ".invalid"}
		}, 0, notResolved, "the host name could not be resolved (no such host)", "Check the host name in base_url"),
	}
}

// validity returns from when to when the certificate of a server is valid.
func validity(t *testing.T, origin string) string {
	t.Helper()
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	c, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(origin, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	leaf := c.(*tls.Conn).ConnectionState().PeerCertificates[0]
	return leaf.NotBefore.UTC().Format(time.DateOnly) + " to " + leaf.NotAfter.UTC().Format(time.DateOnly)
}

// keyPair makes a certificate that nobody trusts.
func keyPair(t *testing.T) (certPEM, keyPEM string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(1, 0, 0), Subject: pkix.Name{CommonName: "stranger"}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
}

// echoFaults are servers that repeat the headers that they were sent.
func echoFaults() map[string]fault {
	// The helpers take what to make of the headers, all in one line.
	answer := func(status int, contentType string, body func(headers string) string) func(t *testing.T) target {
		return answering(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
			instancetest.Body(status, contentType, body(headersOf(r)))(s, w, r)
		})
	}
	unpolite := func(text func(headers string) string) func(t *testing.T) target {
		return answering(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
			instancetest.Verbatim(text(headersOf(r)), instancetest.CloseConnection())(s, w, r)
		})
	}
	redirect := func(location func(headers string) string) func(t *testing.T) target {
		return answering(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
			instancetest.Redirect(http.StatusFound, location(headersOf(r)))(s, w, r)
		})
	}
	inField := func(name string, encode func(headers string) string) func(t *testing.T) target {
		return answer(http.StatusOK, "application/json", func(headers string) string {
			return instancetest.Newer().With(name, instancetest.Raw(encode(headers))).JSON()
		})
	}
	asJSON := func(text string) string {
		encoded, _ := json.Marshal(text) // a string always encodes
		return string(encoded)
	}
	asPHP := func(text string) string { return strings.ReplaceAll(asJSON(text), "/", `\/`) }
	asEscapes := func(text string) string {
		var escaped strings.Builder
		for _, r := range text {
			fmt.Fprintf(&escaped, `\u%04x`, r)
		}
		return `"` + escaped.String() + `"`
	}
	message := func(encode func(string) string) func(string) string {
		return func(headers string) string { return `{"statusCode":500,"message":` + encode(headers) + "}" }
	}
	same := func(headers string) string { return headers }
	const redacted = "Authorization: (redacted) | X-Api-Key: (redacted) | Cookie: (redacted) | X-Provider: (redacted)"
	const integer = "fileMaxSize: expected an integer from 0 to 9223372036854775807, found the string "

	failing := func(start func(t *testing.T) target, came string) fault {
		return fails(start, 2, withStatus+"500", "status 500 Internal Server Error: "+came, "check its log")
	}
	wrong := func(start func(t *testing.T) target, fault string) fault {
		wrong := fails(start, 1, notADocument, "", "its operator has to fix the fields named")
		wrong.faults = []string{fault}
		return wrong
	}
	noJSON := func(start func(t *testing.T) target, came string) fault {
		return fails(start, 1, notJSON, "the body is not JSON: found "+came, "the address of the instance's API")
	}
	refused := func(start func(t *testing.T) target, came string) fault {
		return fails(start, 1, notFollowed, came, "Set base_url to the address at which the instance itself answers.")
	}
	loop := refused(redirect(func(headers string) string { return "/" + url.PathEscape(headers) }), "redirected to {origin}/"+redacted+": more than 5 redirects")
	loop.attempts = 6
	warned := reads(inField("recommendedExpireTimes", func(headers string) string {
		return `[{"label":` + asJSON(headers) + `,"inSeconds":60,"value":60},{"label":` + asEscapes(headers) + `,"value":59}]`
	}))
	warned.warnings = []string{"Expiry entries contradict themselves", "Expiry options shorter than a minute"}
	faults := map[string]fault{
		"echo in the message of an error":     failing(answer(500, "application/json", message(asJSON)), redacted),
		"echo in a message of PHP":            failing(answer(500, "application/json", message(asPHP)), redacted),
		"echo in a message with escapes":      failing(answer(500, "application/json", message(asEscapes)), redacted),
		"echo in a web page":                  failing(answer(500, "text/html", func(headers string) string { return "<p>" + html.EscapeString(headers) }), redacted),
		"echo in plain text":                  failing(answer(500, "text/plain", same), redacted),
		"echo with control characters within": failing(answer(500, "text/plain", func(headers string) string { return strings.Join(strings.Split(headers, ""), "\x01") }), redacted),
		"echo in a body that is not JSON":     noJSON(answer(200, "text/plain", same), `invalid character 'A' at start of value at byte 0 (Content-Type "text/plain", starting with: `+redacted+")"),
		"echo in the content type":            noJSON(answering(instancetest.Func(func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Type", headersOf(r)) })), `an empty document (Content-Type "`+redacted[:79]+`…")`),
		"echo in the content encoding": noJSON(answering(instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", headersOf(r))
			w.Header()["Content-Type"] = nil
		})), `an empty document (no Content-Type, Content-Encoding "`+redacted[:79]+`…")`),
		"echo in broken JSON":              noJSON(answer(200, "application/json", func(headers string) string { return "{" + asJSON(headers) }), `the end of the document at byte 266 (Content-Type "application/json", starting with: {"`+redacted+`")`),
		"echo in the path of a redirect":   refused(redirect(func(headers string) string { return "ftp://files.example/" + url.PathEscape(headers) }), "a redirect to ftp://files.example/"+redacted+", which is neither http nor https"),
		"echo in the path of redirects":    loop,
		"echo in the query of a redirect":  refused(redirect(func(headers string) string { return "ftp://files.example/?" + url.QueryEscape(headers) }), "a redirect to ftp://files.example/, which is neither http nor https"),
		"echo in the host of a redirect":   refused(redirect(func(string) string { return "ftp://" + strings.ToLower(faultSecrets[2]) + ".example/" }), "a redirect to ftp://(redacted).example/, which is neither http nor https"),
		"echo in the scheme of a redirect": refused(redirect(func(string) string { return faultSecrets[2] + ":x" }), "a redirect to (redacted):, which is neither http nor https"),
		"echo in the user of a redirect":   refused(redirect(func(string) string { return "http://" + faultSecrets[2] + "@files.example/" }), "a redirect to a URL with user info, at http://files.example/"),
		"echo in a header that is none":    refuses(unpolite(func(headers string) string { return "HTTP/1.1 200 OK\r\n\x01" + headers + "\r\n\r\n" }), notHTTPAs+`malformed MIME header line: "\x01`+redacted+`"`),
		"echo in the status line":          refuses(unpolite(func(string) string { return "HTTP/1.1 " + faultSecrets[1] + " x\r\n\r\n" }), notHTTPAs+`malformed HTTP status code "(redacted)"`),
		"echo instead of HTTP":             refuses(unpolite(func(headers string) string { return headers + "\r\n\r\n" }), notHTTPAs+`malformed HTTP status code "(redac…`),
		"echo in the length":               refuses(unpolite(func(headers string) string { return okHead + "Content-Length: " + headers + "\r\n\r\n{}" }), notHTTPAs+`bad Content-Length "`+redacted+`"`),
		"echo in the transfer encoding":    refuses(unpolite(func(headers string) string { return okHead + "Transfer-Encoding: " + headers + "\r\n\r\n{}" }), notHTTPAs+`unsupported transfer encoding: "`+redacted+`"`),
		"echo in the reason of a status":   failing(unpolite(func(headers string) string { return "HTTP/1.1 500 " + headers + "\r\nContent-Length: 4\r\n\r\nbusy" }), "busy"),
		"echo in a field":                  wrong(inField("fileMaxSize", asJSON), integer+`"Authorization: (redacted)…`),
		"echo in a field of PHP":           wrong(inField("fileMaxSize", asPHP), integer+`"Authorization: (redacted)…`),
		"echo in a field with escapes":     wrong(inField("fileMaxSize", asEscapes), integer+`"Authorization: (redacted)…`),
		"echo in the version":              wrong(inField("apiVersion", asJSON), `apiVersion: expected a string with a version of three numbers, such as "2.0.0", found the string "Authorization: (redacted)…`),
		"echo in the name of a field":      wrong(inField("x", func(headers string) string { return "0," + asJSON(headers) + ":0," + asEscapes(headers) + ":0" }), "Authorization: (redacted)…: expected this field once, found it again"),
		"echo in labels":                   warned,
		"echo after the document": reads(unpolite(func(headers string) string {
			return okHead + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(instancetest.Newer().JSON())) + instancetest.Newer().JSON() + headers
		})),
	}
	// What is repeated is cut, and not only between secrets.
	for _, pad := range []int{0, 13, 39, 51} {
		dashes := strings.Repeat("-", pad)
		faults[fmt.Sprintf("echo in a field after %d characters", pad)] = wrong(inField("fileMaxSize", func(string) string {
			return asJSON(dashes + faultSecrets[0])
		}), integer+`"`+dashes+"(redacted)…")
	}
	return faults
}

// headersOf returns what was sent in all headers of the suite, in one line.
func headersOf(r *http.Request) string {
	var all []string
	for _, name := range []string{"Authorization", "X-Api-Key", "Cookie", "X-Provider"} {
		all = append(all, name+": "+r.Header.Get(name))
	}
	return strings.Join(all, " | ")
}

// TestFaultsOfProxies: proxies come from the environment, which a process has
// only one of.
func TestFaultsOfProxies(t *testing.T) { //nolint:paralleltest // it sets the environment
	const (
		secure = "https://" + instancetest.ProxiedHost
		plain  = "http://" + instancetest.ProxiedHost
		secret = "Xk3vBn7mQw9z"
	)
	// through sets the proxy, with credentials, and reads an instance behind it.
	through := func(t *testing.T, baseURL, address string, count func() int) target {
		t.Helper()
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
			t.Setenv(name, "http://me:"+secret+"@"+address)
		}
		t.Setenv("NO_PROXY", "")
		return target{baseURL: baseURL, count: count, secrets: []string{secret}}
	}
	refusing := func(baseURL string, status int) func(t *testing.T) target {
		return func(t *testing.T) target {
			t.Helper()
			proxy := instancetest.NewProxy(t, instancetest.WithProxyRefusal(status))
			return through(t, baseURL, proxy.Address(), func() int { return len(proxy.Requests()) })
		}
	}
	speaking := func(serve func(net.Conn)) func(t *testing.T) target {
		return func(t *testing.T) target {
			t.Helper()
			proxy := instancetest.NewRaw(t, serve)
			return through(t, secure, proxy.Address(), proxy.Connections)
		}
	}
	answer := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			if instancetest.ReadRequest(c) == nil {
				_, _ = io.WriteString(c, text)
			}
		}
	}
	const brokeTunnel = "the proxy broke the connection, or does not speak HTTP"
	const check = "Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY"
	refused := "the proxy refused to connect to the instance: status "
	silent := fails(speaking(instancetest.Await), 2, tooSlow, noConnection, "raise the provider's request_timeout")
	silent.provider = timingOut
	tests := map[string]fault{
		"refuses":               fails(refusing(secure, 403), 1, noProxy, refused+"403 Forbidden", check),
		"wants credentials":     fails(refusing(secure, 407), 1, noProxy, refused+"407 Proxy Authentication Required", check),
		"cannot connect":        fails(refusing(secure, 502), 2, noProxy, refused+"502 Bad Gateway", check),
		"is overloaded":         fails(refusing(secure, 503), 2, noProxy, refused+"503 Service Unavailable", check),
		"refuses without TLS":   fails(refusing(plain, 403), 1, withStatus+"403", "status 403 Forbidden: Forbidden", "something in front of it does"),
		"wants them, no TLS":    fails(refusing(plain, 407), 1, withStatus+"407", "status 407 Proxy Authentication Required: Proxy Authentication Required", "The proxy wants credentials"),
		"is silent":             silent,
		"resets":                fails(speaking(resetAfterReading), 2, noProxy, brokeTunnel, check),
		"closes":                fails(speaking(answer("")), 2, noProxy, brokeTunnel, check),
		"is not HTTP":           fails(speaking(answer("SSH-2.0-OpenSSH_9.9\r\n")), 2, noProxy, brokeTunnel, check),
		"sends endless headers": fails(speaking(endless("HTTP/1.1 200 OK\r\n", "X: x\r\n")), 2, noProxy, brokeTunnel, check),
		"tunnels to nothing":    fails(speaking(answer("HTTP/1.1 200 OK\r\n\r\n")), 2, broken, noAnswer, "why it closed the connection"),
		"is not there": fails(func(t *testing.T) target {
			t.Helper()
			return through(t, secure, instancetest.ReserveAddress(t), nil)
		}, 0, noProxy, "the proxy could not be reached: "+syscall.ECONNREFUSED.Error(), check),
		"is not a URL": fails(func(t *testing.T) target {
			t.Helper()
			return through(t, secure, "%zz", nil)
		}, 0, noProxy, "the proxy URL in the environment variable HTTPS_PROXY is not valid", check),
	}
	leaks := goleak.IgnoreCurrent()
	for name, fault := range tests { //nolint:paralleltest // as above
		t.Run(name, func(t *testing.T) {
			fault.noticesEverything(t)
		})
	}
	goleak.VerifyNone(t, leaks)
}

// TestAccFaults has one of each class of faults go through Terraform itself.
func TestAccFaults(t *testing.T) {
	t.Parallel()
	faults := allFaults(t)
	for _, name := range []string{
		"silent server", "body shorter than announced", "gzip bomb", "large: half a million entries", "control characters in plain text",
		"escaped control character in label", "reset before the headers", "SSH", "HTTP/2 stream reset", "503", "redirect to a file",
		"expired certificate", "echo in a web page",
	} {
		fault, ok := faults[name]
		if !ok {
			t.Fatalf("there is no case %q", name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := fault.start(t)
			config := fmt.Sprintf(`
				provider "filetransfer" {
				  request_timeout = %q
				  retry           = { max_attempts = 2, min_delay = "1ms", max_delay = "2ms" }
				  ca_cert_pem     = %q
				  base_url        = %q
				  request_headers = jsondecode(%q)
				}
				data "filetransfer_instance" "it" {
				  base_url        = %q
				  request_headers = jsondecode(%q)
				}
				`, fault.timeout(), target.caPEM, target.baseURL, asJSON(t, faultProviderHeaders), target.baseURL, asJSON(t, faultHeaders))
			if fault.summary == "" {
				resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories(), Steps: []resource.TestStep{{Config: config}}})
				return
			}
			said := mustFail(t, resource.TestStep{Config: config})
			mustMention(t, said, "Error: "+fault.summary, "with data.filetransfer_instance.it,", fault.next)
			mustMention(t, said, fault.firstParagraphs(target)[0])
			mustHoldNoPiece(t, said, slices.Concat(faultSecrets, target.secrets))
			if unsafe := strings.IndexFunc(said, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); unsafe >= 0 {
				t.Errorf("%q is printed", said[unsafe:min(unsafe+10, len(said))])
			}
		})
	}
}

// timeout is the provider's request_timeout.
func (f fault) timeout() any { return inTime.with(f.provider)["request_timeout"] }

func asJSON(t *testing.T, value any) string {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}
