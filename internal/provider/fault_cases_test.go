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
	"math/big"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

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

	noAnswer = "the server closed or reset the connection before it had answered"
	// askedAndClosed is noAnswer over HTTP/2, where it may be a refusal: instancetest always asks.
	askedAndClosed = "the server asked for a client certificate, and closed or reset the connection before it had answered"
	halfAnAnswer   = "the connection broke before the whole response had arrived"
	noConnection   = "no connection within " + impatience
	noResponse     = "no complete response within " + impatience
	notHTTPAs      = "the response is not valid HTTP: "
	tooLongHead    = notHTTPAs + "server response headers exceeded 262144 bytes; aborted"
	tooManyBytes   = "a body of more than 1048576 bytes"
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
	// once is for what has to happen within the timeout, also on a machine that
	// is busy: a handshake, the head of a response.
	once := func(fault fault) fault {
		fault.attempts, fault.provider = 1, oneAttempt().with(args{"request_timeout": "1s"})
		fault.came = strings.ReplaceAll(fault.came, impatience, "1s")
		return fault
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
	drippingError = once(drippingError)
	silence := instancetest.Silent()
	return map[string]fault{
		"silent server":               slow(answering(silence), noResponse),
		"silent server, HTTP/2":       once(slow(answering(silence, instancetest.WithTLS()), noResponse)),
		"silent in the TLS handshake": slow(raw(instancetest.Await, "https"), noConnection),
		"dripping headers":            slow(answering(instancetest.DripHeader()), noResponse),
		"dripping status line":        slow(dripping("HTTP/1.1 200 O", "K"), noResponse),
		"dripping 1xx":                slow(dripping("", "HTTP/1.1 103 Early Hints\r\n\r\n"), noResponse),
		"dripping body":               slow(answering(instancetest.DripBody()), noResponse),
		"dripping body, HTTP/2":       once(slow(answering(instancetest.DripBody(), instancetest.WithTLS()), noResponse)),
		"dripping chunks":             slow(dripping(okHead+"Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"), noResponse),
		"dripping redirect":           slow(dripping("HTTP/1.1 302 Found\r\nLocation: /x\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"), noResponse),
		"dripping error":              drippingError,
		"headers, then silence":       slow(answering(instancetest.Verbatim(okHead+"Content-Length: 10\r\n\r\n", silence)), noResponse),
		"document, then silence":      slow(answering(instancetest.Verbatim(okHead+"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", silence)), noResponse),
		"HTTP/2 headers, then silence": once(slow(rawHTTP2(func(framer *http2.Framer, stream uint32, _ net.Conn) {
			writeHead(framer, stream)
			// The connection is alive, or the client would give it up.
			for frame, err := framer.ReadFrame(); err == nil; frame, err = framer.ReadFrame() {
				if ping, ok := frame.(*http2.PingFrame); ok && !ping.IsAck() {
					_ = framer.WritePing(true, ping.Data)
				}
			}
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
		"body shorter than announced": breaks(answering(instancetest.ShortBody()), halfAnAnswer),
		"body shorter than announced, HTTP/2": breaks(
			answering(instancetest.ShortBody(), instancetest.WithTLS()), "the server reset the HTTP/2 stream (INTERNAL_ERROR)",
		),
		"body of 64 GiB announced":       breaks(verbatim(okHead+"Content-Length: 68719476736\r\n\r\n"+document), halfAnAnswer),
		"chunks without an end":          breaks(verbatim(chunked+"2\r\n{}\r\n"), halfAnAnswer),
		"body until the connection ends": reads(verbatim(okHead + "\r\n" + document)),
		"body longer than announced": reads(verbatim(okHead + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(document)) + document +
			strings.Repeat("HTTP/1.1 200 OK\r\n\r\n", 10))),
		"body longer than announced and so cut": fails(verbatim(okHead+"Connection: close\r\nContent-Length: 15\r\n\r\n"+document), 1, notJSON,
			`the body is not JSON: found the end of the document at byte 15 in fileMaxSize (Content-Type "application/json", starting with: {"fileMaxSize":)`,
			"address of the instance's API"),
		"endless body":              large(answering(instancetest.EndlessBody())),
		"endless body, HTTP/2":      large(answering(instancetest.EndlessBody(), instancetest.WithTLS())),
		"body of one byte too many": large(delivering(document + strings.Repeat(" ", 1<<20+1-len(document)))),
		"body just not too large":   reads(delivering(document + strings.Repeat(" ", 1<<20-len(document)))),
		"gzip bomb":                 large(compressed(http.StatusOK, bomb())),
		"gzip bomb in an error":     fails(compressed(http.StatusNotFound, bomb()), 1, withStatus+"404", "status 404 Not Found", "path of base_url"),
		"gzip cut short":            breaks(compressed(http.StatusOK, bomb()[:20]), halfAnAnswer),
		"gzip damaged":              refuses(compressed(http.StatusOK, append(bytes.Clone(bomb()[:10]), 0xff, 0xff, 0xff, 0xff)), notGzip),
		"no gzip at all":            refuses(compressed(http.StatusOK, []byte(document)), notGzip),
		"endless header":            refuses(raw(endless(okHead+"X-Long: ", "x")), tooLongHead),
		"endless headers":           refuses(raw(endless(okHead, "X-Long: x\r\n")), tooLongHead),
		"endless 1xx":               refuses(raw(endless("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")), tooLongHead),
		"endless chunk size":        refuses(raw(endless(chunked, "0")), notHTTPAs+"header line too long"),
		"endless chunk extension":   refuses(raw(endless(chunked+"1;", "x")), notHTTPAs+"header line too long"),
		"endless trailer": refuses(
			raw(endless(chunked+"2\r\n{}\r\n0\r\n", "X-Long: x\r\n")), notHTTPAs+"suspiciously long trailer after chunked body",
		),
		"length that is no number": refuses(verbatim(okHead+"Content-Length: many\r\n\r\n{}"), notHTTPAs+`bad Content-Length "many"`),
		"negative length":          refuses(verbatim(okHead+"Content-Length: -1\r\n\r\n{}"), notHTTPAs+`bad Content-Length "-1"`),
		"two lengths": refuses(
			verbatim(okHead+"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "),
			notHTTPAs+`message cannot contain multiple Content-Length headers; got ["2" "3"]`,
		),
		"chunk size that is no number": refuses(verbatim(chunked+"many\r\n"), notHTTPAs+"invalid byte in chunk length"),
		"unknown transfer encoding": refuses(
			verbatim(okHead+"Transfer-Encoding: smoke-signals\r\n\r\n{}"), notHTTPAs+`unsupported transfer encoding: "smoke-signals"`,
		),
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
		"empty body": text("", "an empty document (Content-Type \"application/json\")"),
		"large: deeply nested unknown field": text(
			with("x", strings.Repeat("[", 300_000)+strings.Repeat("]", 300_000)),
			"exceeded max depth at byte 10578 in x"+strings.Repeat("[0]", 19)+"…"+startingWith(instancetest.Newer().JSON()),
		),
		"large: deeply nested root": text(strings.Repeat("[", 1<<20), "exceeded max depth at byte 10000 in "+strings.Repeat("[0]", 19)+"[0…"+startingWith(strings.Repeat("[", 1<<20))),
		"large: deeply nested objects": text(
			strings.Repeat(`{"a":`, 1<<17), "exceeded max depth at byte 50000 in "+strings.Repeat("a.", 29)+"…"+startingWith(strings.Repeat(`{"a":`, 1<<17)),
		),
		"large: half a million entries": document(with("recommendedExpireTimes", entries(500_000)), firstOf(1001, func(i int) string {
			return fmt.Sprintf("recommendedExpireTimes[%d]: expected an object, found the number 0", i)
		})...),
		"1,001 entries": document(
			with("recommendedExpireTimes", "["+strings.TrimSuffix(strings.Repeat(`{"label":"x","value":60},`, 1001), ",")+"]"),
			"recommendedExpireTimes: expected at most 1000 entries, found 1001",
		),
		"large: 90,000 unknown members": reads(delivering("{" + members.String() + instancetest.Newer().JSON()[1:])),
		"large: 100,000 members of one name": document(
			"{"+strings.Repeat(`"x":0,`, 100_000)+instancetest.Newer().JSON()[1:],
			firstOf(99_999, func(int) string { return "x: expected this field once, found it again" })...,
		),
		"large: number of a million digits": document(
			with("fileMaxSize", strings.Repeat("9", 1_000_000)),
			"fileMaxSize: expected an integer from 0 to 9223372036854775807, found the number "+strings.Repeat("9", 59)+"…",
		),
		"exponent without measure": document(
			with("fileMaxSize", "1e999999999"),
			"fileMaxSize: expected an integer from 0 to 9223372036854775807, found the number 1e999999999",
		),
		"large: string of a million characters": document(
			with("fileMaxSize", `"`+strings.Repeat("x", 1_000_000)+`"`),
			`fileMaxSize: expected an integer from 0 to 9223372036854775807, found the string "`+strings.Repeat("x", 58)+"…",
		),
		"invalid UTF-8 in a label":           text(labelled("\xff\xfe"), "invalid UTF-8 at byte 176 in recommendedExpireTimes[0].label"+startingWith(labelled(""))),
		"invalid UTF-8 in an unknown member": text(with("x", "\"\xc3\x28\""), "invalid UTF-8 at byte 580 in x"+startingWith(instancetest.Newer().JSON())),
		"lone surrogate": text(
			labelled(`\ud800`), "invalid surrogate pair `\\ud800\",\"inS` in string at byte 176 in recommendedExpireTimes[0].label"+startingWith(labelled(`\ud800`)),
		),
		"control character in a label": text(
			labelled("\x1b[31mred"),
			`invalid character '\x1b' in string (expecting non-control character) at byte 176 in recommendedExpireTimes[0].label`+startingWith(labelled("[31mred")),
		),
		"NUL in a label": text(
			labelled("\x00"),
			`invalid character '\x00' in string (expecting non-control character) at byte 176 in recommendedExpireTimes[0].label`+startingWith(labelled("")),
		),
		"NUL between tokens":                 text("{\x00}", `invalid character '\x00' at start of value at byte 1`+startingWith("{}")),
		"escaped control character in label": escaped,
		"escaped control character in a text": document(
			with("fileMaxSize", `"\u001b]0;x\u0007\u202e\n9"`),
			`fileMaxSize: expected an integer from 0 to 9223372036854775807, found the string "\x1b]0;x\a\u202e\n9"`,
		),
		"control characters in a name": document(with("x", `0,"\u001b[2J":0,"\u001b[2J":0`), "[2J: expected this field once, found it again"),
		"control characters in plain text": text(
			"\x1b]0;owned\x07\x1b[2J\u202egood\u2028bye\r\n\x9b31m",
			`invalid character '\x1b' at start of value at byte 0`+startingWith("]0;owned[2Jgood bye 31m"),
		),
		"UTF-16": text("\xff\xfe{\x00}\x00", `invalid character '\xff' at start of value at byte 0`+startingWith("{}")),
		"web page": fails(
			answering(instancetest.Body(200, "text/html; charset=utf-8", "<!doctype html><title>Files</title><script>alert(1)</script><h1>Welcome &amp; log in</h1>")),
			1, notJSON,
			`the body is not JSON: found invalid character '<' at start of value at byte 0 (Content-Type "text/html; charset=utf-8", starting with: Welcome & log in)`,
			api,
		),
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
		"connection refused":                refused,
		"reset at once":                     breaks(raw(instancetest.ResetConnection), noAnswer),
		"closed at once":                    breaks(raw(func(net.Conn) {}), noAnswer),
		"reset in the TLS handshake":        breaks(raw(resetAfterReading, "https"), noAnswer),
		"closed in the TLS handshake":       breaks(raw(func(c net.Conn) { _, _ = c.Read(make([]byte, 1<<16)) }, "https"), noAnswer),
		"reset after the TLS handshake":     breaks(rawTLS(instancetest.ResetConnection), noAnswer),
		"closed after the TLS handshake":    breaks(rawTLS(func(net.Conn) {}), noAnswer),
		"reset before the headers":          breaks(answering(reset), noAnswer),
		"reset before the headers, HTTP/2":  breaks(answering(reset, instancetest.WithTLS()), askedAndClosed),
		"closed before the headers":         breaks(answering(instancetest.CloseConnection()), noAnswer),
		"closed before the headers, HTTP/2": breaks(answering(instancetest.CloseConnection(), instancetest.WithTLS()), askedAndClosed),
		"reset within the status line":      breaks(answering(instancetest.Verbatim("HTTP/1.1 20", reset)), noAnswer),
		"closed within the status line":     breaks(verbatim("HTTP/1.1 20"), noAnswer),
		"reset within the headers":          breaks(answering(instancetest.Verbatim(half, reset)), noAnswer),
		"closed within the headers":         breaks(verbatim(half), noAnswer),
		"closed after a 1xx":                breaks(verbatim("HTTP/1.1 103 Early Hints\r\n\r\n"), noAnswer),
		"reset between headers and body":    breaks(answering(instancetest.Verbatim(okHead+"Content-Length: 10\r\n\r\n", reset)), halfAnAnswer),
		"reset within the body":             breaks(answering(instancetest.ResetInBody()), halfAnAnswer),
		"reset within the body, HTTP/2":     breaks(answering(instancetest.ResetInBody(), instancetest.WithTLS()), halfAnAnswer),
		"reset within a chunk":              breaks(answering(instancetest.Verbatim(okHead+"Transfer-Encoding: chunked\r\n\r\n10\r\n{", reset)), halfAnAnswer),
		"reset before the last chunk": breaks(
			answering(instancetest.Verbatim(okHead+"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", reset)), halfAnAnswer,
		),
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
		"SSH before the request": first,
		"SSH":                    refuses(verbatim("SSH-2.0-OpenSSH_9.9\r\n"), notHTTPAs+`malformed HTTP response "SSH-2.0-OpenSSH_9.9"`),
		"SMTP":                   refuses(verbatim("220 mail.example ESMTP\r\n"), notHTTPAs+`malformed HTTP status code "mail.example"`),
		"control characters": refuses(
			verbatim("\x1b[2J\x1b]0;owned\x07\u202e\xff\r\n\r\n"), notHTTPAs+`malformed HTTP response "\x1b[2J\x1b]0;owned\a\u202e\xff"`,
		),
		"binary":                    refuses(verbatim("\x00\x01\x02\xff\xfe\r\n\r\n"), notHTTPAs+`malformed HTTP response "\x00\x01\x02\xff\xfe"`),
		"endless line":              refuses(raw(endless("", "x")), tooLongHead),
		"HTTP/0.9":                  refuses(verbatim("<html>hello</html>"), notHTTPAs+`malformed HTTP response "<html>hello</html>"`),
		"ICY":                       refuses(verbatim("ICY 200 OK\r\n\r\n"), notHTTPAs+`malformed HTTP version "ICY"`),
		"status that is no number":  refuses(verbatim("HTTP/1.1 OK\r\n\r\n"), notHTTPAs+`malformed HTTP status code "OK"`),
		"status of two digits":      refuses(verbatim("HTTP/1.1 20 OK\r\n\r\n"), notHTTPAs+`malformed HTTP status code "20"`),
		"header without a colon":    refuses(verbatim("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"), notHTTPAs+`malformed MIME header: missing colon: "nonsense"`),
		"control character in head": refuses(verbatim("HTTP/1.1 200 OK\r\nX: \x1b[31m\x00\r\n\r\n"), notHTTPAs+`malformed MIME header line: "X: \x1b[31m\x00"`),
		"HTTP/2 without TLS": refuses(
			verbatim("\x00\x00\x00\x04\x00\x00\x00\x00\x00"), notHTTPAs+`malformed HTTP response "\x00\x00\x00\x04\x00\x00\x00\x00\x00"`,
		),
		"SSH where TLS is expected": fails(
			raw(func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-x\r\n"); instancetest.Await(c) }, "https"), 1, noHandshake,
			"the server does not speak TLS on this port", plain,
		),
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
		return func(framer *http2.Framer, _ uint32, _ net.Conn) {
			_ = framer.WriteGoAway(last, code, []byte("\x1b[31mdebug"))
		}
	}
	closing := func(answer answer) answer {
		return func(framer *http2.Framer, stream uint32, c net.Conn) {
			answer(framer, stream, c)
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
	repeated := func(fault fault) fault { // net/http makes further attempts of its own, within ours
		fault.provider, fault.uncounted = oneAttempt().with(args{"request_timeout": "1s"}), true
		return fault
	}
	slow := func(start func(t *testing.T) target) fault {
		return repeated(fails(start, 0, tooSlow, strings.ReplaceAll(noResponse, impatience, "1s"), "raise the provider's request_timeout"))
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
		"HTTP/2 GOAWAY":                 breaks(rawHTTP2(closing(goAway(1, http2.ErrCodeEnhanceYourCalm))), noAnswer),
		"HTTP/2 GOAWAY before a stream": slow(rawHTTP2(goAway(0, http2.ErrCodeNo))),
		"HTTP/2 closed":                 breaks(rawHTTP2(func(_ *http2.Framer, _ uint32, c net.Conn) { _ = c.Close() }), noAnswer),
		"HTTP/2 body shorter":           oneConnection(breaks(rawHTTP2(body("99", "{}")), halfAnAnswer)),
		"HTTP/2 body longer":            refuses(rawHTTP2(body("1", "{}")), notHTTPAs+"server replied with more than declared Content-Length; truncated"),
		"HTTP/2 without a status":       refuses(rawHTTP2(block([]byte{0x87})), notHTTPAs+"malformed response from server: missing status pseudo header"), // :scheme https
		"HTTP/2 headers without sense":  refuses(rawHTTP2(block(bytes.Repeat([]byte{0xff}, 12))), notHTTPAs+"connection error: COMPRESSION_ERROR"),
		"HTTP/2 endless headers": refuses(
			rawHTTP2(block(append([]byte{0x88}, bytes.Repeat([]byte("\x00\x01x\x01y"), 100_000)...))),
			notHTTPAs+"connection error: PROTOCOL_ERROR",
		),
		"HTTP/2 given up": refuses(
			rawHTTP2(verbatim("HTTP/1.1 200 OK\r\n\r\n")),
			notHTTPAs+"failed reading the frame payload: http2: frame too large, note that the frame header looked like an HTTP/1.1 header",
		),
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
		"101": fails(
			answering(instancetest.Verbatim("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", instancetest.Silent())),
			1, withStatus+"101", "status 101 Switching Protocols", "An instance answers 200",
		),
		"100 and then 200": reads(answering(manyInformational(1))),
		"many 1xx":         reads(answering(manyInformational(500))),
		"many 1xx, HTTP/2": reads(answering(instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
			for range 500 {
				w.WriteHeader(http.StatusEarlyHints)
			}
			_, _ = io.WriteString(w, instancetest.Newer().JSON())
		}), instancetest.WithTLS())),
		"status of no class": fails(verbatim("HTTP/1.1 999 Request Denied\r\nContent-Length: 0\r\n\r\n"), 1, withStatus+"999", "status 999", "check its log"),
		"status with a reason": fails(
			verbatim("HTTP/1.1 418 \x1b[2Jshort and stout\r\nContent-Length: 0\r\n\r\n"), 1, withStatus+"418", "status 418 I'm a teapot",
			"what a proxy in front of the instance allows",
		),
	}
	for _, status := range []int{201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 304, 305, 307, 308} {
		came := fmt.Sprintf("status %d %s", status, http.StatusText(status))
		if status != 204 && status != 304 {
			came += fmt.Sprintf(": The instance was told to answer %d", status)
		}
		faults[fmt.Sprintf("%d without a location", status)] = fails(answering(instancetest.Status(status)), 1, withStatus+fmt.Sprint(status), came, "An instance answers 200")
	}
	transient := []int{408, 429, 500, 502, 503, 504}
	next := map[int]string{
		401: "send what it wants with request_headers",
		403: "send what it wants with request_headers",
		404: "path of base_url",
		407: "The proxy wants credentials",
		429: "-parallelism",
	}
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
		"redirect from https to http": refused(
			secure("http://files.example/x?token=Zt4yBn8mKw2q"),
			"a redirect from https to http://files.example/x, which would give up TLS",
		),
		"redirect without a host": refused(to("http:///x"), "a redirect to a URL without a host"),
		"redirect with user info": refused(
			to("http://user:Zt4yBn8mKw2q@files.example/x"), "a redirect to a URL with user info, at http://files.example/x",
		),
		"redirect to nonsense": refused(to("http://[::1/%zz"), "a redirect to a URL that is not valid"),
		"redirect with control characters": refuses(
			to("http://files.example/\x1b[31m"), notHTTPAs+`malformed MIME header line: "Location: http://files.example/\x1b[31m"`,
		),
		"redirect with escaped control": refused(
			to("ftp://files.example/%1b%5b31m%e2%80%ae"),
			"a redirect to ftp://files.example/%1b%5b31m%e2%80%ae, which is neither http nor https",
		),
		"redirect as long as headers can be": refused(
			to("ftp://files.example/"+strings.Repeat("x", 200_000)),
			"a redirect to ftp://files.example/"+strings.Repeat("x", 179)+"…, which is neither http nor https",
		),
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
	strange := fails(clientCertificate(), 1, noHandshake, askedAndClosed, wants)
	strange.stranger = true
	known := reads(clientCertificate())
	known.certified = true
	return map[string]fault{
		"expired certificate":     expired,
		"self-signed certificate": untrusted(instancetest.CertificateSelfSigned, "certificate signed by unknown authority"),
		"certificate of another host": untrusted(
			instancetest.CertificateWrongHost, "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
		),
		"untrusted authority": unknown,
		"client certificate required": fails(
			clientCertificate(), 1, noHandshake, askedAndClosed, wants,
		),
		"client certificate required, HTTP/1": fails(
			clientCertificate(instancetest.WithTLSHTTP1()), 1, noHandshake, "the server refused the TLS handshake (certificate required)",
			wants,
		),
		"client certificate of somebody else": strange,
		"client certificate as required":      known,
		"only TLS 1.1": fails(raw(func(c net.Conn) {
			old := tls.Server(c, &tls.Config{
				MinVersion:     tls.VersionTLS10,
				MaxVersion:     tls.VersionTLS11,
				GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &tls.Certificate{}, nil },
			})
			_ = old.HandshakeContext(context.Background())
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
		"echo in the message of an error": failing(answer(500, "application/json", message(asJSON)), redacted),
		"echo in a message of PHP":        failing(answer(500, "application/json", message(asPHP)), redacted),
		"echo in a message with escapes":  failing(answer(500, "application/json", message(asEscapes)), redacted),
		"echo in a web page": failing(
			answer(500, "text/html", func(headers string) string { return "<p>" + html.EscapeString(headers) }), redacted,
		),
		"echo in plain text": failing(answer(500, "text/plain", same), redacted),
		"echo with control characters within": failing(
			answer(500, "text/plain", func(headers string) string { return strings.Join(strings.Split(headers, ""), "\x01") }), redacted,
		),
		"echo in a body that is not JSON": noJSON(
			answer(200, "text/plain", same),
			`invalid character 'A' at start of value at byte 0 (Content-Type "text/plain", starting with: `+redacted+")",
		),
		"echo in the content type": noJSON(
			answering(instancetest.Func(func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Type", headersOf(r)) })),
			`an empty document (Content-Type "`+redacted[:79]+`…")`,
		),
		"echo in the content encoding": noJSON(answering(instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", headersOf(r))
			w.Header()["Content-Type"] = nil
		})), `an empty document (no Content-Type, Content-Encoding "`+redacted[:79]+`…")`),
		"echo in broken JSON": noJSON(
			answer(200, "application/json", func(headers string) string { return "{" + asJSON(headers) }),
			`the end of the document at byte 266 in Authorization: (redacted)… (Content-Type "application/json", starting with: {"`+redacted+`")`,
		),
		"echo in the path of a redirect": refused(
			redirect(func(headers string) string { return "ftp://files.example/" + url.PathEscape(headers) }),
			"a redirect to ftp://files.example/"+redacted+", which is neither http nor https",
		),
		"echo in the path of redirects": loop,
		"echo in the query of a redirect": refused(
			redirect(func(headers string) string { return "ftp://files.example/?" + url.QueryEscape(headers) }),
			"a redirect to ftp://files.example/, which is neither http nor https",
		),
		"echo in the host of a redirect": refused(
			redirect(func(string) string { return "ftp://" + strings.ToLower(faultSecrets[2]) + ".example/" }),
			"a redirect to ftp://(redacted).example/, which is neither http nor https",
		),
		"echo in the scheme of a redirect": refused(
			redirect(func(string) string { return faultSecrets[2] + ":x" }), "a redirect to (redacted):, which is neither http nor https",
		),
		"echo in the user of a redirect": refused(
			redirect(func(string) string { return "http://" + faultSecrets[2] + "@files.example/" }),
			"a redirect to a URL with user info, at http://files.example/",
		),
		"echo in a header that is none": refuses(
			unpolite(func(headers string) string { return "HTTP/1.1 200 OK\r\n\x01" + headers + "\r\n\r\n" }),
			notHTTPAs+`malformed MIME header line: "\x01`+redacted+`"`,
		),
		"echo in the status line": refuses(
			unpolite(func(string) string { return "HTTP/1.1 " + faultSecrets[1] + " x\r\n\r\n" }),
			notHTTPAs+`malformed HTTP status code "(redacted)"`,
		),
		"echo instead of HTTP": refuses(
			unpolite(func(headers string) string { return headers + "\r\n\r\n" }), notHTTPAs+`malformed HTTP status code "(redacted)"`,
		),
		"echo in the length": refuses(
			unpolite(func(headers string) string { return okHead + "Content-Length: " + headers + "\r\n\r\n{}" }),
			notHTTPAs+`bad Content-Length "`+redacted+`"`,
		),
		"echo in the transfer encoding": refuses(
			unpolite(func(headers string) string { return okHead + "Transfer-Encoding: " + headers + "\r\n\r\n{}" }),
			notHTTPAs+`unsupported transfer encoding: "`+redacted+`"`,
		),
		"echo in the reason of a status": failing(
			unpolite(func(headers string) string { return "HTTP/1.1 500 " + headers + "\r\nContent-Length: 4\r\n\r\nbusy" }), "busy",
		),
		"echo in a field":              wrong(inField("fileMaxSize", asJSON), integer+`"Authorization: (redacted)…`),
		"echo in a field of PHP":       wrong(inField("fileMaxSize", asPHP), integer+`"Authorization: (redacted)…`),
		"echo in a field with escapes": wrong(inField("fileMaxSize", asEscapes), integer+`"Authorization: (redacted)…`),
		"echo in the version": wrong(
			inField("apiVersion", asJSON),
			`apiVersion: expected a string with a version of three numbers, such as "2.0.0", found the string "Authorization: (redacted)…`,
		),
		"echo in the name of a field": wrong(
			inField("x", func(headers string) string { return "0," + asJSON(headers) + ":0," + asEscapes(headers) + ":0" }),
			"Authorization: (redacted)…: expected this field once, found it again",
		),
		"echo in labels": warned,
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
