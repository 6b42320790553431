package client_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestFailuresBelowHTTP(t *testing.T) {
	t.Parallel()
	body := func(contentType, text string) string { return serverURL(t, instancetest.Body(200, contentType, text)) }
	respondsWith := func(text string) string { return serverURL(t, verbatim(text)) }
	endless := func(begin, repeated string) string { return rawServer(t, "http", writesForever(begin, repeated)) }
	gzipHead := okHead + "Content-Encoding: gzip\r\n"
	checkFailures(t, map[string]failing{
		"no such host":        {"http://nonexistent.invalid", client.HostNotResolved, retried, "nonexistent.invalid"},
		"failing name server": {"http://" + hostOfFailingNameServer, client.HostNotResolved, retried, hostOfFailingNameServer},
		"nothing listens":     {"http://" + instancetest.ReserveAddress(t), client.ConnectionFailed, retried, ""},
		"closed at once":      {rawServer(t, "http", closeNow), client.ConnectionBroken, retried, ""},
		"reset at once":       {rawServer(t, "http", resetAfterRequest), client.ConnectionBroken, retried, ""},
		"closed":              {serverURL(t, instancetest.CloseConnection()), client.ConnectionBroken, retried, "EOF"},
		"reset":               {serverURL(t, instancetest.Reset()), client.ConnectionBroken, retried, ""},
		"closed in the head":  {respondsWith(okHead), client.ConnectionBroken, retried, "EOF"},
		"closed in the body":  {respondsWith(okHead + "Content-Length: 15\r\n\r\n{"), client.ConnectionBroken, retried, "EOF"},

		"in TLS":             {rawServer(t, "http", answers("\x15\x03\x01\x00\x02\x02\x0a")), client.InvalidResponse, retried, "malformed HTTP"},
		"HTTP/2":             {rawServer(t, "http", answers("\x00\x00\x12\x04\x00\x00\x00\x00\x00\r\n\r\n")), client.InvalidResponse, retried, "malformed HTTP"},
		"another protocol":   {respondsWith("SSH-2.0-OpenSSH_9.9\r\n\x1b[2J"), client.InvalidResponse, retried, "SSH-2.0-OpenSSH_9.9"},
		"two lengths":        {respondsWith(okHead + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), client.InvalidResponse, retried, "Content-Length"},
		"invalid header":     {respondsWith(okHead + "X \x1b[31m\r\n\r\n{}"), client.InvalidResponse, retried, "malformed"},
		"invalid chunk":      {respondsWith(okHead + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), client.InvalidResponse, retried, "chunk"},
		"cut in the trailer": {respondsWith(okHead + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"), client.ConnectionBroken, retried, "unexpected EOF"},
		"head of 17 KiB":     {respondsWith(okHead + "X: " + strings.Repeat("x", 17<<10) + "\r\n\r\n"), client.InvalidResponse, retried, "16384 bytes"},
		"endless header":     {endless("HTTP/1.1 200 OK\r\nX: ", "x"), client.InvalidResponse, retried, "16384 bytes"},
		"endless 1xx":        {endless("", "HTTP/1.1 103 Early Hints\r\n\r\n"), client.InvalidResponse, retried, "16384 bytes"},
		"endless chunk":      {endless(okHead+"Transfer-Encoding: chunked\r\n\r\n1;", "x"), client.InvalidResponse, retried, ""},

		"not gzip":     {respondsWith(gzipHead + "\r\n" + instancetest.Newer().JSON()), client.InvalidResponse, retried, "gzip"},
		"damaged gzip": {respondsWith(gzipHead + "\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"), client.InvalidResponse, retried, "flate"},
		"cut gzip":     {respondsWith(gzipHead + "Content-Length: 12\r\n\r\n" + compressed("{}")[:12]), client.InvalidResponse, retried, "gzip: the compressed data is damaged"},

		// Without a length, a connection that breaks looks like this.
		"gzip of no bytes":     {respondsWith(gzipHead + "Content-Length: 0\r\n\r\n"), client.NotJSON, retried, "the body is empty"},
		"byte order mark":      {body("", "\ufeff"), client.NotJSON, retried, "the body is empty"},
		"empty body":           {body("", " \n"), client.NotJSON, retried, "the body is empty"},
		"body that ends early": {respondsWith(okHead + "\r\n{\"fileMaxSize\": 1"), client.NotJSON, retried, "the body is incomplete JSON: "},

		"64 KiB and a byte":       {serverURL(t, instancetest.AnswerDocument(padded(64<<10+1))), client.ResponseTooLarge, final, "more than 65536 bytes"},
		"64 KiB and a byte, gzip": {serverURL(t, gzipped(padded(64<<10+1))), client.ResponseTooLarge, final, "more than 65536 bytes"},
		"endless body":            {endless(okHead+"\r\n", " "), client.ResponseTooLarge, final, ""},
		"endless error":           {endless("HTTP/1.1 410 X\r\n\r\n", "x"), client.Status, final, "status 410 X"},
		"endless redirect":        {endless("HTTP/1.1 302 X\r\nLocation: /\r\n\r\n", "x"), client.RedirectNotFollowed, final, ""},
		"switched protocol": {serverURL(t, instancetest.Verbatim("HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", instancetest.Silent())),
			client.Status, final, "status 101 X"},
	})
	proxy := "HTTPS_PROXY=" + endless("HTTP/1.1 200 OK\r\nX: ", "x")
	checkFailures(t, map[string]failing{"endless head of a proxy": {proxiedHTTPS, client.ProxyFailed, retried, ""}}, proxy)
}

func TestBodiesThatAreNoInstanceAreFinal(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer instancetest.Step
		class  string
		reason string
	}{
		"web page": {instancetest.Body(200, "text/html", "<!doctype html><title>Sign&nbsp;in</title><h1>Hello"),
			"not JSON", `the body is not valid JSON at byte 0: invalid character '<' at start of value (Content-Type "text/html"); its text: Sign in`},
		"text":     {instancetest.Body(200, "", "nothing"), "not JSON", `(Content-Type ""); its text: nothing`},
		"Brotli":   {verbatim(okHead + "Content-Encoding: br\r\n\r\n\x8b\x02\x80{}\x03"), "not JSON", `Content-Encoding "br"`},
		"Latin-1":  {instancetest.Body(200, "", "{\"label\": \"1 a\xf1o\"}"), "not JSON", "the body is not valid JSON at byte 14: invalid UTF-8"},
		"two JSON": {instancetest.Body(200, "", "{} a."), "not JSON", "its text: {} a."},

		"other JSON": {instancetest.Body(200, "", `{"success":false,"msg":"backend is starting"}`),
			"not an instance document: fileMaxSize", `JSON that is not an instance document: {"success":false,"msg":"backend is starting"}`},
		"error with status 200": {instancetest.Body(200, "", `{"error":"Not Found","message":"Route GET:/x not found"}`),
			"not an instance document: fileMaxSize", "JSON that is not an instance document: Route GET:/x not found"},
		"array": {instancetest.Body(200, "", `["starting"]`), "not an instance document: the document", `["starting"]`},
		"two faults": {instancetest.AnswerDocument(instancetest.Newer().Without("fileMaxSize").With("chunkSize", "1\nx")),
			"not an instance document: fileMaxSize", `fileMaxSize: required, but missing; chunkSize: expected a whole number, found a string "1\nx"`},
		"long value": {instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", strings.Repeat("x", 59))), // 61 characters in quotes
			"not an instance document: apiVersion", `"` + strings.Repeat("x", 58) + "…"},
		"release before 1.1.0": {instancetest.AnswerDocument(instancetest.Older().Without("fileMaxAge").Without("recommendedExpireTimes")),
			"not an instance document: fileMaxAge", "fileMaxAge: required, but missing; recommendedExpireTimes: required, but missing"},
		"many faults": {instancetest.AnswerDocument(instancetest.Newer().With("recommendedExpireTimes",
			instancetest.Raw("["+strings.Repeat(`"`+strings.Repeat("x", 100)+`",`, 30)+"1]"))),
			"not an instance document: recommendedExpireTimes[0]", "…"},
	}
	c := newClient(t, newConfig())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := readError(t, c, newRequest(t, serverURL(t, test.answer)))
			check(t, "Attempts", got.Attempts, final)
			check(t, "Class", got.Failure.Class(), test.class)
			checkContains(t, "Error()", got.Error(), test.reason)
			reason := strings.TrimPrefix(got.Error(), "GET "+got.URL+": ")
			check(t, "whether it has at most 600 characters", utf8.RuneCountInString(reason) <= 600, true)
		})
	}
}

func TestRetriedStatuses(t *testing.T) {
	t.Parallel()
	for attempts, statuses := range map[int][]int{
		final:   {201, 204, 206, 300, 302, 304, 306, 400, 401, 404, 407, 409, 425, 428, 430, 451, 499, 501},
		retried: {408, 429, 500, 502, 503, 504, 505, 511, 520, 524, 599, 999},
	} {
		tests := make(map[string]failing)
		for _, status := range statuses {
			text := "status " + strconv.Itoa(status)
			tests[text] = failing{serverURL(t, instancetest.Status(status)), client.Status, attempts, text}
		}
		checkFailures(t, tests)
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
