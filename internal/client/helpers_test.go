package client_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
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
	"testing/synctest"
	"time"
	"unicode"

	"go.uber.org/goleak"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const (
	userAgent = "terraform-provider-filetransfer/test"
	// secret is the value of a header, and proxyUser is in the URLs of proxies. No text may repeat a part of them.
	secret    = "Bearer s3cret/T0ken"
	proxyUser = `corp%5Cpr0xy-user:pr0xy%2Fpa@ssw0rd@`

	// An instance that only a proxy reaches. No proxy is used for loopback addresses.
	proxiedHTTP  = "http://" + instancetest.ProxiedHost
	proxiedHTTPS = "https://" + instancetest.ProxiedHost
	fakeURL      = "http://files.example.org" // of an instance in fake time

	// The attempts of a read that may make two.
	final, retried = 1, 2
)

// The CA of the certificates of instancetest, and a client certificate.
var (
	roots             = x509.NewCertPool()
	clientCertificate tls.Certificate
)

func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "REQUEST_METHOD"} {
		_ = os.Unsetenv(name)
		_ = os.Unsetenv(strings.ToLower(name))
	}
	log.SetOutput(io.Discard) // to which the test's own servers write
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("there is no name server")
	}}
	server, err := instancetest.Start()
	if err != nil {
		panic(err)
	}
	server.Close()
	roots.AppendCertsFromPEM([]byte(server.CACertPEM()))
	clientCertificate, err = tls.X509KeyPair([]byte(server.ClientCertPEM()), []byte(server.ClientKeyPEM()))
	if err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// newConfig returns a configuration with two attempts: a failure with two is one that is retried.
func newConfig() client.Config {
	return client.Config{
		UserAgent: userAgent, RequestTimeout: 10 * time.Second, RootCAs: roots,
		Retry: client.Retry{MaxAttempts: 2, MinDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond},
	}
}

// environment is locked while a client is made, which is when it reads the variables of proxies. (t.Setenv would keep
// tests from running in parallel.)
var environment sync.Mutex

// newClient returns a client that is made with environment variables, such as "HTTP_PROXY=http://h". It checks all that
// is logged.
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
	return client.New(config)
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

// mustRead reads an instance.
func mustRead(t testing.TB, c *client.Client, request client.Request) *client.Result {
	t.Helper()
	result, failed := c.Read(t.Context(), request)
	if failed != nil {
		t.Fatalf("%+v", failed.Failure)
	}
	return result
}

// failedRead makes a read that fails, and returns why.
func failedRead(t testing.TB, c *client.Client, request client.Request) *client.ReadFailure {
	t.Helper()
	_, failed := c.Read(t.Context(), request)
	return checkTexts(t, failed)
}

// checkTexts checks that there is a failure whose texts are safe to print.
func checkTexts(t testing.TB, got *client.ReadFailure) *client.ReadFailure {
	t.Helper()
	if got == nil || got.Failure == nil {
		t.Fatalf("got %+v, want a failure", got)
	}
	for _, text := range append(got.Failure.Faults, got.Failure.OneLine(), got.Failure.Class(), fmt.Sprint(got.Failure.Route)) {
		checkText(t, text)
	}
	return got
}

// failing is what a read that may make two attempts meets.
type failing struct {
	class    string
	attempts int
	reason   string // a part of it
}

func checkFailure(t *testing.T, got *client.ReadFailure, want failing) {
	t.Helper()
	check(t, "Class", got.Failure.Class(), want.class)
	check(t, "Attempts", got.Attempts, want.attempts)
	if !strings.Contains(got.Failure.Reason, want.reason) {
		t.Errorf("Reason: got %q, want %q in it", got.Failure.Reason, want.reason)
	}
}

// check compares a value by its name.
func check[T comparable](t testing.TB, name string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", name, fmt.Sprint(got), fmt.Sprint(want))
	}
}

// neverShown matches the secrets of these tests, and what fmt prints for a wrong format.
var neverShown = regexp.MustCompile(`s3cret|T0ken|pr0xy|ssw0rd|%!`)

// checkText checks a text that users see.
func checkText(t testing.TB, text string) {
	t.Helper()
	unsafe := func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }
	if strings.ContainsFunc(text, unsafe) || neverShown.MatchString(text) {
		t.Errorf("%q is not safe to print", text)
	}
}

// hostOf returns the host and port of a server that does something with each connection.
func hostOf(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	return instancetest.NewRaw(t, func(c net.Conn) {
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		serve(c)
	}).Address()
}

// reply reads a request, writes a text, and ends the connection.
func reply(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(c))
		speak(text)(c)
	}
}

// speak writes a text at once, and ends the connection.
func speak(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		endWrites(c)
	}
}

// endWrites ends a connection in such a way that the other side sees no reset.
func endWrites(c net.Conn) {
	_ = c.(interface{ CloseWrite() error }).CloseWrite()
	instancetest.Await(c)
}

// answerFunc answers the n-th request. A nil response is none: the connection stays open.
type answerFunc func(n int, r *http.Request) *http.Response

// fakeInstance is an instance without a network, so that time can be fake, and a client that reads it.
type fakeInstance struct {
	client   *client.Client
	request  client.Request
	answer   answerFunc
	start    time.Time
	requests []time.Duration // when they came, since start
}

func newFake(t *testing.T, config client.Config, answer answerFunc) *fakeInstance {
	t.Helper()
	fake := &fakeInstance{request: newRequest(t, fakeURL), answer: answer}
	config.Dial = fake.dial
	fake.client = newClient(t, config)
	return fake
}

func (f *fakeInstance) dial(context.Context, string, string) (net.Conn, error) {
	f.requests = append(f.requests, time.Since(f.start)) // here, because no test waits for the other goroutine
	n, answer := len(f.requests), f.answer
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		request, err := http.ReadRequest(bufio.NewReader(theirs))
		if err != nil {
			return
		}
		if response := answer(n, request); response == nil || response.Write(theirs) != nil { //nolint:bodyclose // Write closes it
			instancetest.Await(theirs)
		}
	}()
	return ours, nil
}

// read makes a read in a context.
func (f *fakeInstance) read(ctx context.Context) *client.ReadFailure {
	f.start, f.requests = time.Now(), nil
	_, failed := f.client.Read(ctx, f.request)
	return failed
}

// wait makes a wait in a context for the chunk size of instancetest.Newer.
func (f *fakeInstance) wait(ctx context.Context, stableFor time.Duration) *client.ReadFailure {
	f.start, f.requests = time.Now(), nil
	_, failed := f.client.Wait(ctx, f.request, stableFor, func(details *instance.Details) []string {
		if details.ChunkSizeBytes == 20000000 {
			return nil
		}
		return []string{"chunk_size is 10000000, expected 20000000", "api_version is 1.3.2, expected 2.1.5"}
	})
	return failed
}

// limited returns a context for a test in fake time.
func limited(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// canceled returns a context that is canceled after some time.
func canceled(t *testing.T, after time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(after, cancel)
	return ctx
}

// outcome says when requests came, and how the read has just ended, as in "asked at [0s 1s], at 1s gave
// up: status 404 Not Found". "(timed out)" means that the attempt took longer than the request timeout.
func (f *fakeInstance) outcome(got *client.ReadFailure) string {
	outcome := fmt.Sprintf("asked at %v, at %s ", f.requests, time.Since(f.start))
	if got == nil {
		return outcome + "ready"
	}
	outcome += [...]string{"gave up", "out of time", "canceled"}[got.Ending]
	if got.Attempts != len(f.requests) {
		outcome += fmt.Sprintf(" after %d attempts", got.Attempts)
	}
	if got.Failure != nil {
		outcome += ": " + got.Failure.Class()
	}
	if got.Failure != nil && got.Failure.TimedOut {
		outcome += " (timed out)"
	}
	return outcome
}

// script answers one request after the other, and then as the last: with a status such as "503", "ready" with the
// document that a wait expects, "copy" with one from a cache, "old" with another document, "stalled" with a 403 whose
// body does not come, or "silent" not at all.
func script(answers ...string) answerFunc {
	return func(n int, _ *http.Request) *http.Response {
		switch answer := answers[min(n, len(answers))-1]; answer {
		case "ready":
			return response(200, instancetest.Newer().JSON(), nil)
		case "copy":
			return response(200, instancetest.Newer().JSON(), http.Header{"Age": {"60"}})
		case "old":
			return response(200, instancetest.Older().JSON(), nil)
		case "silent":
			return nil
		case "stalled": // after the head
			stalled := response(403, "", nil)
			stalled.ContentLength = 9
			return stalled
		default:
			status, _ := strconv.Atoi(answer)
			return response(status, "", nil)
		}
	}
}

func response(status int, body string, header http.Header) *http.Response {
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: header,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// steady is a configuration with the same delay after each failure, and four attempts.
func steady(delay time.Duration) client.Config {
	config := newConfig()
	config.Retry = client.Retry{MaxAttempts: 4, MinDelay: delay, MaxDelay: delay}
	return config
}

// inFakeTime runs a test in fake time for each row of a table.
func inFakeTime[T any](t *testing.T, tests map[string]T, run func(t *testing.T, test T)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { run(t, test) })
		})
	}
}
