package client_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"go.uber.org/goleak"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const (
	// long is longer than any read may take.
	long      = time.Minute
	userAgent = "terraform-provider-filetransfer/test"
	// secret is the value of a header, and proxyPassword is in the URLs of proxies. No text may repeat them.
	secret        = "Bearer s3cret/T0ken+\"<&>\""
	proxyPassword = "pr0xy-passw0rd"

	// okHead begins a response.
	okHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	// The name of an instance that is reached through a proxy.
	proxiedHTTP  = "http://" + instancetest.ProxiedHost
	proxiedHTTPS = "https://" + instancetest.ProxiedHost
)

func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		_ = os.Unsetenv(name)
	}
	log.SetOutput(io.Discard) // to which the test's own servers write
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: dialNameServer}
	_, _ = net.DefaultResolver.LookupHost(nameServers, "first.invalid") // makes a channel that a test in fake time could not share
	server, err := instancetest.Start()
	if err != nil {
		panic(err)
	}
	trusted = client.TLS{CACertPEM: server.CACertPEM()}
	certified = client.TLS{CACertPEM: server.CACertPEM(), ClientCertPEM: server.ClientCertPEM(), ClientKeyPEM: server.ClientKeyPEM()}
	server.Close()
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set("16") // most tests wait
	}
	code := m.Run()
	stopNameServers() // Go goes on with a lookup whose dial was canceled
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Println(err)
		code = 1
	}
	os.Exit(code)
}

var nameServers, stopNameServers = context.WithCancel(context.Background())

const (
	hostOfSilentNameServer  = "silent.invalid"
	hostOfFailingNameServer = "failing.invalid"
	hostWithTwoAddresses    = "two-addresses.invalid"
)

// addresses lists the hosts that the name server knows. No file of hosts on Windows names localhost.
var addresses = map[string][][4]byte{"localhost.": {{127, 0, 0, 1}}, hostWithTwoAddresses + ".": {{127, 0, 0, 1}, {127, 0, 0, 2}}}

func dialNameServer(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	context.AfterFunc(ctx, func() { _ = theirs.Close() })
	context.AfterFunc(nameServers, func() { _ = theirs.Close() })
	go func() {
		defer theirs.Close()
		var length uint16
		if binary.Read(theirs, binary.BigEndian, &length) != nil {
			return
		}
		packet := make([]byte, length)
		var message dnsmessage.Message
		if _, err := io.ReadFull(theirs, packet); err != nil || message.Unpack(packet) != nil {
			return
		}
		question := message.Questions[0]
		host := strings.ToLower(question.Name.String())
		switch {
		case host == hostOfSilentNameServer+".":
			instancetest.Await(theirs)
			return
		case host == hostOfFailingNameServer+".":
			message.RCode = dnsmessage.RCodeServerFailure
		case addresses[host] == nil:
			message.RCode = dnsmessage.RCodeNameError
		case question.Type == dnsmessage.TypeA:
			header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class}
			for _, address := range addresses[host] {
				message.Answers = append(message.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: address}})
			}
		}
		message.Response, message.Additionals = true, nil
		packed, _ := message.AppendPack(make([]byte, 2))
		binary.BigEndian.PutUint16(packed, uint16(len(packed)-2))
		_, _ = theirs.Write(packed)
	}()
	return ours, nil
}

// TLS settings that trust the certificates of instancetest, without and with a client certificate.
var trusted, certified client.TLS

// newConfig returns a configuration with two attempts: a failure with two is one that is retried.
func newConfig() client.Config {
	return client.Config{
		UserAgent:      userAgent,
		RequestTimeout: 30 * time.Second,
		TLS:            trusted,
		Retry:          client.Retry{MaxAttempts: 2, MinDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond},
	}
}

// The attempts of a read that may make two.
const final, retried = 1, 2

// environment is locked while a client is made, which is when it reads the variables of proxies. (t.Setenv would keep tests from running in
// parallel.)
var environment sync.Mutex

// newClient returns a client that is made with environment variables, such as "HTTP_PROXY=http://h". It checks all that is logged.
func newClient(t testing.TB, config client.Config, variables ...string) *client.Client {
	t.Helper()
	if config.Log == nil {
		config.Log = func(_ context.Context, message string, fields ...map[string]any) {
			checkText(t, fmt.Sprint(message, fields))
		}
	}
	environment.Lock()
	defer environment.Unlock()
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		_ = os.Setenv(name, value) //nolint:usetesting // see environment
		defer func() { _ = os.Unsetenv(name) }()
	}
	c, err := client.New(config)
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	return c
}

// newRequest returns a request with the secret in a header.
func newRequest(t testing.TB, url string) client.Request {
	t.Helper()
	base, err := address.Parse(url)
	if err != nil {
		t.Fatalf("%q: %v", url, err)
	}
	return client.Request{BaseURL: base, Headers: http.Header{"Authorization": {secret}}}
}

// read makes a read that may last long.
func read(t testing.TB, c *client.Client, request client.Request) (*client.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	return c.Read(ctx, request)
}

// mustRead reads an instance.
func mustRead(t testing.TB, c *client.Client, request client.Request) *client.Result {
	t.Helper()
	result, err := read(t, c, request)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// readError makes a read that fails, and returns its error.
func readError(t testing.TB, c *client.Client, request client.Request) *client.ReadError {
	t.Helper()
	_, err := read(t, c, request)
	return checkReadError(t, err, request)
}

// checkReadError checks what holds for all errors that have a failure, and returns err as a ReadError.
func checkReadError(t testing.TB, err error, request client.Request) *client.ReadError {
	t.Helper()
	got := readErrorOf(err)
	if got == nil || got.Failure == nil {
		t.Fatalf("error %#v, want one with a failure", err)
	}
	failure := got.Failure
	check(t, "URL", got.URL, request.BaseURL.DocumentURL.String())
	check(t, "URL of the failure", failure.Asked.URL, got.URL)
	checkContains(t, "Error()", got.Error(), "GET "+got.URL+": "+failure.Reason)
	check(t, "whether there is a reason", failure.Reason != "", true)
	for _, text := range append(failure.Faults, got.Error(), failure.Class(), fmt.Sprint(failure.Asked)) {
		checkText(t, text)
	}
	return got
}

// readErrorOf returns the ReadError of a read, or the one that a WaitError wraps.
func readErrorOf(err error) *client.ReadError {
	read, _ := errors.AsType[*client.ReadError](err)
	return read
}

// waitErrorOf returns the error of a wait, which has to have failed.
func waitErrorOf(t testing.TB, err error) *client.WaitError {
	t.Helper()
	wait, ok := errors.AsType[*client.WaitError](err)
	if !ok {
		t.Fatalf("error %v, want a WaitError", err)
	}
	return wait
}

// failing is what a read from a server meets. Reason is a part of the reason of the failure.
type failing struct {
	url      string
	kind     client.Kind
	attempts int
	reason   string
}

// checkFailures reads from each server with two attempts at most.
func checkFailures(t *testing.T, tests map[string]failing, variables ...string) {
	t.Helper()
	c := newClient(t, newConfig(), variables...)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFailure(t, readError(t, c, newRequest(t, test.url)), test)
		})
	}
}

func checkFailure(t *testing.T, got *client.ReadError, want failing) {
	t.Helper()
	check(t, "Kind", got.Failure.Kind, want.kind)
	check(t, "Attempts", got.Attempts, want.attempts)
	check(t, "Ending", got.Ending, client.GaveUp)
	checkContains(t, "Reason", got.Failure.Reason, want.reason)
}

// anything is the condition that an instance answers.
func anything() client.Condition {
	return client.Condition{Differences: func(*instance.Details) []client.Difference { return nil }}
}

// ownHeaders returns the headers that the client itself sends.
func ownHeaders() http.Header {
	return http.Header{
		"Accept": {"application/json"}, "Cache-Control": {"no-cache"}, "User-Agent": {userAgent}, "Accept-Encoding": {"gzip"}, "Connection": {"close"},
	}
}

// check compares a value by its name.
func check[T comparable](t testing.TB, name string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", name, fmt.Sprint(got), fmt.Sprint(want))
	}
}

func checkContains(t testing.TB, name, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s: got %q, want %q in it", name, text, part)
	}
}

// neverShown matches the secrets of these tests, and what fmt prints for a wrong format.
var neverShown = regexp.MustCompile(`s3cret|T0ken|pr0xy|%!`)

// checkText checks a text that users see.
func checkText(t testing.TB, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("%q is not printable at byte %d", text, i)
	}
	if found := neverShown.FindString(text); found != "" {
		t.Errorf("%q has %q, which must not be shown", text, found)
	}
}

// rawServer starts a server that does not read a request first. It is at a URL of the scheme.
func rawServer(t *testing.T, scheme string, serve func(net.Conn)) (url string) {
	t.Helper()
	return scheme + "://" + instancetest.NewRaw(t, serve).Address()
}

// verbatim answers a text as it is, and closes the connection.
func verbatim(text string) instancetest.Step {
	return instancetest.Verbatim(text, instancetest.CloseConnection())
}

// padded returns an instance document of size bytes.
func padded(size int) string {
	document := instancetest.Newer().JSON()
	return document + strings.Repeat(" ", size-len(document))
}

// serverURL starts an instance that does a step with each request.
func serverURL(t testing.TB, step instancetest.Step) string {
	t.Helper()
	return instancetest.New(t, instancetest.WithDefault(step)).URL()
}

// compressed returns a body in gzip.
func compressed(body string) string {
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	_, _ = io.WriteString(writer, body)
	_ = writer.Close()
	return compressed.String()
}

// gzipped answers a body in gzip.
func gzipped(body string) instancetest.Step {
	return instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, compressed(body))
	})
}

func closeNow(c net.Conn) { _ = c.Close() }

// resetAfterRequest resets a connection once something has arrived: before, the client could still be connecting.
func resetAfterRequest(c net.Conn) {
	_, _ = c.Read(make([]byte, 1))
	instancetest.ResetConnection(c)
}

// answers waits for the first bytes of a client, and writes a text. Then it waits for the client to leave.
func answers(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = c.Read(make([]byte, 4096))
		_, _ = io.WriteString(c, text)
		instancetest.Await(c)
	}
}

// answersAndCloses waits for the first bytes of a client, writes a text, and closes the connection.
func answersAndCloses(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = c.Read(make([]byte, 4096))
		_, _ = io.WriteString(c, text)
	}
}

// answersAndResets waits for the first bytes of a client, writes a text, and resets the connection.
func answersAndResets(text string) func(net.Conn) {
	return func(c net.Conn) {
		answersAndCloses(text)(c)
		instancetest.ResetConnection(c)
	}
}

// socks is the part of a SOCKS5 proxy that gives one answer to every request.
func socks(answer byte) func(net.Conn) {
	return func(c net.Conn) { greetedBySOCKS(c, answer) }
}

// greetedBySOCKS answers the request of a client to a SOCKS5 proxy (RFC 1928), and returns it in the form "user:password@host:80".
func greetedBySOCKS(c net.Conn, answer byte) (request string) {
	next := func(length byte) string {
		field := make([]byte, length)
		_, _ = io.ReadFull(c, field)
		return string(field)
	}
	text := func() string { return next(next(1)[0]) }
	next(1) // the version
	if methods := text(); strings.Contains(methods, "\x02") {
		_, _ = c.Write([]byte{5, 2})
		next(1)
		request = text() + ":" + text() + "@"
		_, _ = c.Write([]byte{1, 0})
	} else {
		_, _ = c.Write([]byte{5, 0})
	}
	if kind := next(4)[3]; kind == 3 {
		request += text()
	} else {
		request += net.IP(next(4)).String()
	}
	port := next(2)
	_, _ = c.Write([]byte{5, answer, 0, 1, 0, 0, 0, 0, 0, 0})
	return fmt.Sprintf("%s:%d", request, int(port[0])<<8+int(port[1]))
}

// newSOCKS starts a SOCKS5 proxy that connects to one server, whatever it is asked for. It returns its address, and what it is asked for.
func newSOCKS(t *testing.T, server *instancetest.Server) (address string, requests <-chan string) {
	t.Helper()
	received := make(chan string, 100)
	return instancetest.NewRaw(t, func(c net.Conn) {
		received <- greetedBySOCKS(c, 0)
		target, err := net.Dial("tcp", server.Address())
		if err != nil {
			return
		}
		defer target.Close()
		go func() { _, _ = io.Copy(target, c) }()
		_, _ = io.Copy(c, target)
	}).Address(), received
}

const fakeURL = "http://files.example.org"

// answerFunc answers the n-th request. A nil response is none: the connection stays open.
type answerFunc func(n int, r *http.Request) *http.Response

// fakeInstance is the instance at fakeURL behind connections without a network, so that time can be fake, and a client that reads it.
type fakeInstance struct {
	client   *client.Client
	request  client.Request
	answer   answerFunc
	start    time.Time
	requests []time.Duration // when they came, since start
}

// serve starts a fake instance now.
func serve(t *testing.T, config client.Config, answer answerFunc) *fakeInstance {
	t.Helper()
	fake := &fakeInstance{request: newRequest(t, fakeURL), answer: answer, start: time.Now()}
	config.Dial = fake.dial
	fake.client = newClient(t, config)
	t.Cleanup(func() { time.Sleep(time.Minute) }) // of fake time, in which the instance notices that the client has left
	return fake
}

func (f *fakeInstance) dial(context.Context, string, string) (net.Conn, error) {
	f.requests = append(f.requests, f.elapsed()) // here, because no test waits for the other goroutine
	n, answer := len(f.requests), f.answer
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		request, err := http.ReadRequest(bufio.NewReader(theirs))
		if err != nil {
			return
		}
		if response := answer(n, request); response != nil { //nolint:bodyclose // Write closes it
			_ = response.Write(theirs)
			return
		}
		instancetest.Await(theirs)
	}()
	return ours, nil
}

func (f *fakeInstance) elapsed() time.Duration { return time.Since(f.start) }

// read makes a read that may last as long as limit.
func (f *fakeInstance) read(t *testing.T, limit time.Duration) error {
	t.Helper()
	return f.within(t, limit, func(ctx context.Context) (*client.Result, error) { return f.client.Read(ctx, f.request) })
}

// wait makes a wait that may last as long as limit.
func (f *fakeInstance) wait(t *testing.T, limit time.Duration, until client.Condition) error {
	t.Helper()
	return f.within(t, limit, func(ctx context.Context) (*client.Result, error) { return f.client.Wait(ctx, f.request, until) })
}

func (f *fakeInstance) within(t *testing.T, limit time.Duration, read func(context.Context) (*client.Result, error)) error {
	t.Helper()
	f.start, f.requests = time.Now(), nil
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_, err := read(ctx)
	if err != nil {
		check(t, "Attempts", readErrorOf(err).Attempts, len(f.requests))
	}
	return err
}

// outcome says when requests came, and how the read with this error has just ended, as in "asked at [0s 1s], at 1s gave up: status 404 Not
// Found". "(timed out)" means that the attempt took longer than the request timeout.
func (f *fakeInstance) outcome(err error) string {
	outcome := fmt.Sprintf("asked at %v, at %s ", f.requests, f.elapsed())
	if err == nil {
		return outcome + "ready"
	}
	got := readErrorOf(err)
	outcome += map[client.Ending]string{client.GaveUp: "gave up", client.OutOfTime: "out of time", client.Canceled: "canceled"}[got.Ending]
	if got.Failure != nil {
		outcome += ": " + got.Failure.Class()
	}
	if got.Failure != nil && got.Failure.CutOff == client.CutOffByRequestTimeout {
		outcome += " (timed out)"
	}
	return outcome
}

// script answers one request after the other, and then as the last: with a status such as "503", "ready" with a document as stableFor
// expects it, "copy" with such a document from a cache, of a time before the wait, "old" with another document, "slow 503" with a status at
// once, and a body that takes six seconds, or "silent" not at all.
func script(answers ...string) answerFunc {
	return func(n int, _ *http.Request) *http.Response {
		switch answer := answers[min(n, len(answers))-1]; answer {
		case "ready":
			return response(200, instancetest.Newer().JSON())
		case "copy":
			return response(200, instancetest.Newer().JSON(), "Age", "60")
		case "old":
			return response(200, instancetest.Older().JSON())
		case "silent":
			return nil
		default:
			text, isSlow := strings.CutPrefix(answer, "slow ")
			status, _ := strconv.Atoi(text)
			if !isSlow {
				return response(status, "")
			}
			slow := response(status, "x")
			slow.Body = slowBody{slow.Body}
			return slow
		}
	}
}

// slowBody takes six seconds to be read.
type slowBody struct{ io.ReadCloser }

func (b slowBody) Read(buffer []byte) (int, error) {
	time.Sleep(3 * time.Second)
	return b.ReadCloser.Read(buffer)
}

// response returns a response with the names and values of headers.
func response(status int, body string, headers ...string) *http.Response {
	header := make(http.Header)
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			header.Add(headers[i], headers[i+1])
		}
	}
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// steady is a configuration with the same delay after each failure.
func steady(delay time.Duration) client.Config {
	config := newConfig()
	config.RequestTimeout = 10 * time.Second
	config.Retry = client.Retry{MaxAttempts: 4, MinDelay: delay, MaxDelay: delay}
	return config
}

// stableFor is the condition that an instance has the chunk size of instancetest.Newer() for as long.
func stableFor(d time.Duration) client.Condition {
	return client.Condition{StableFor: d, Differences: func(details *instance.Details) []client.Difference {
		if details.ChunkSizeBytes == 20000000 {
			return nil
		}
		return []client.Difference{
			{Name: "chunk_size", Reported: "10000000", Expected: "20000000"}, {Name: "api_version", Reported: "1.3.2", Expected: "2.1.5"},
		}
	}}
}
