package client_test

import (
	"context"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"go.uber.org/goleak"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		_ = os.Unsetenv(name)
	}
	log.SetOutput(io.Discard) // net/http logs what a server sends unasked
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: dialNameServer}
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set("16") // most tests wait
	}
	goleak.VerifyTestMain(suite{m})
}

// suite is all tests. Name servers stop with them.
type suite struct{ *testing.M }

var nameServers, stopNameServers = context.WithCancel(context.Background())

func (s suite) Run() int {
	defer stopNameServers()
	return s.M.Run()
}

// The name server knows no host. It answers for every name but these.
const (
	hostOfSilentNameServer  = "silent.invalid"
	hostOfFailingNameServer = "failing.invalid"
)

func dialNameServer(ctx context.Context, _, _ string) (net.Conn, error) {
	if nameServers.Err() != nil {
		return nil, net.ErrClosed
	}
	ours, theirs := net.Pipe()
	for _, over := range []context.Context{ctx, nameServers} {
		context.AfterFunc(over, func() { _ = theirs.Close() })
	}
	go func() {
		defer theirs.Close()
		var length uint16
		if binary.Read(theirs, binary.BigEndian, &length) != nil {
			return
		}
		packet := make([]byte, length)
		var query dnsmessage.Message
		if _, err := io.ReadFull(theirs, packet); err != nil || query.Unpack(packet) != nil {
			return
		}
		query.Response, query.RCode, query.Additionals = true, dnsmessage.RCodeNameError, nil
		switch name := query.Questions[0].Name.String(); {
		case strings.HasPrefix(name, hostOfSilentNameServer):
			_, _ = io.Copy(io.Discard, theirs)
			return
		case strings.HasPrefix(name, hostOfFailingNameServer):
			query.RCode = dnsmessage.RCodeServerFailure
		}
		answer, _ := query.AppendPack(make([]byte, 2))
		binary.BigEndian.PutUint16(answer, uint16(len(answer)-2))
		_, _ = theirs.Write(answer)
	}()
	return ours, nil
}

const (
	// long is longer than any read may take.
	long = time.Minute
	// soon is the request timeout of tests that wait for it.
	soon = 250 * time.Millisecond
	// prompt is what takes no time, even on a busy machine.
	prompt = 5 * time.Second

	mebibyte  = 1 << 20
	userAgent = "terraform-provider-filetransfer/test"
	// secret is the value of a header that no text may repeat.
	secret = "Bearer s3cret/T0ken+\"<&>\""
)

// setup is a client's configuration, its environment, and a read.
type setup struct {
	client.Config
	client.Request
	environment map[string]string
}

type option func(*setup)

func timeout(d time.Duration) option { return func(s *setup) { s.RequestTimeout = d } }
func attempts(n int64) option        { return func(s *setup) { s.Retry.MaxAttempts = n } }
func hurried(s *setup)               { s.RequestTimeout = soon }
func untilReady(s *setup)            { s.UntilReady = true }
func insecure(s *setup)              { s.TLS = client.TLS{Insecure: true} }

// shortened makes a request timeout that was chosen to be waited for as short as it can be where only success counts.
func shortened(s *setup) {
	if s.RequestTimeout < prompt {
		s.RequestTimeout = soon
	}
}

func retry(attempts int64, shortest, longest time.Duration) option {
	return func(s *setup) { s.Retry = client.Retry{MaxAttempts: attempts, MinDelay: shortest, MaxDelay: longest} }
}

// proxied sets an environment variable for the client alone.
func proxied(variable, value string) option {
	return func(s *setup) { s.environment[variable] = value }
}

func trusting(server *it.Server) option {
	return func(s *setup) { s.TLS.CACertPEM = server.CACertPEM() }
}

func withClientCert(server *it.Server) option {
	return func(s *setup) {
		s.TLS.ClientCertPEM, s.TLS.ClientKeyPEM = server.ClientCertPEM(), server.ClientKeyPEM()
	}
}

func withHeaders(t testing.TB, headers map[string]string) option {
	t.Helper()
	parsed, faults := client.ParseHeaders(headers)
	if len(faults) > 0 {
		t.Fatalf("headers: %v", faults)
	}
	return func(s *setup) { s.Headers = parsed }
}

// environment is held while a client is made, which is when it looks for proxies.
var environment sync.Mutex

// prepare returns a client and a read of the instance. The client does not wait long before it tries again.
func prepare(t testing.TB, url string, options ...option) (*client.Client, client.Request) {
	t.Helper()
	s := setup{
		Config: client.Config{
			UserAgent:      userAgent,
			Log:            func(context.Context, string, ...map[string]any) {},
			RequestTimeout: 30 * time.Second,
			Retry:          client.Retry{MaxAttempts: 4, MinDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond},
		},
		Request:     client.Request{BaseURL: baseURL(t, url)},
		environment: make(map[string]string),
	}
	for _, o := range options {
		o(&s)
	}
	environment.Lock()
	for name, value := range s.environment {
		_ = os.Setenv(name, value) //nolint:usetesting // t.Setenv would keep tests from running in parallel
	}
	c, err := client.New(s.Config)
	for name := range s.environment {
		_ = os.Unsetenv(name)
	}
	environment.Unlock()
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c, s.Request
}

func baseURL(t testing.TB, text string) address.BaseURL {
	t.Helper()
	u, err := address.ParseBaseURL(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return u
}

// read reads an instance that must be good.
func read(t testing.TB, url string, options ...option) *client.Result {
	t.Helper()
	c, request := prepare(t, url, options...)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	result, err := c.Read(ctx, request)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return result
}

// fail reads an instance that must fail, and checks what holds for every failure.
func fail(t testing.TB, url string, options ...option) *client.Failure {
	t.Helper()
	return failEachTime(t, 1, url, options...)[0]
}

// failEachTime reads an instance several times at once, with clients of their own and the secret as a header. The
// stableReason must be the same each time, because a state may keep it.
func failEachTime(t testing.TB, times int, url string, options ...option) []*client.Failure {
	t.Helper()
	failures := make([]*client.Failure, times)
	var running sync.WaitGroup
	for i := range failures {
		var log logged
		options := append([]option{withHeaders(t, map[string]string{"Authorization": secret}), log.option()}, options...)
		c, request := prepare(t, url, options...)
		running.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), long)
			defer cancel()
			result, err := c.Read(ctx, request)
			failure, ok := client.AsFailure(err)
			if !ok || result != nil {
				t.Errorf("got %+v and error %v, want a failure", result, err)
				return
			}
			failures[i] = failure
			checkFailure(t, failure, request, log.String())
		})
	}
	running.Wait()
	if slices.Contains(failures, nil) {
		t.FailNow()
	}
	for _, failure := range failures {
		if failure.StableReason != failures[0].StableReason {
			t.Errorf("two stable reasons for one cause: %q (%v) and %q (%v)", failures[0].StableReason, failures[0], failure.StableReason, failure)
		}
	}
	return failures
}

// failPatiently is failEachTime. A busy machine may not get as far within a request timeout of soon as words of the failure say:
// then it gets more time.
func failPatiently(t testing.TB, says string, times int, url string, options ...option) []*client.Failure {
	t.Helper()
	failures := failEachTime(t, times, url, options...)
	otherwise := func(failure *client.Failure) bool { return !strings.Contains(failure.Error(), says) }
	for patience := 4 * soon; hurries(options) && patience < prompt && slices.ContainsFunc(failures, otherwise); patience *= 4 {
		failures = failEachTime(t, times, url, append(options, timeout(patience))...)
	}
	return failures
}

// hurries tells whether the request timeout of options is soon.
func hurries(options []option) bool {
	s := setup{environment: make(map[string]string)}
	for _, o := range options {
		o(&s)
	}
	return s.RequestTimeout == soon
}

// ofThisMachine matches addresses that differ from run to run. A text may give the time of day: 04:53:46 is no port.
var ofThisMachine = regexp.MustCompile(`->|:53: `)

func checkFailure(t testing.TB, failure *client.Failure, request client.Request, log string) {
	t.Helper()
	if failure.URL != request.BaseURL.String() || failure.Reason == "" || failure.StableReason == "" ||
		failure.Error() != failure.Target()+": "+failure.Reason || !strings.Contains(failure.Target(), failure.URL) {
		t.Errorf("the failure of %s lacks something: %+v", request.BaseURL, failure)
	}
	if !strings.Contains(log, "Could not read the instance") {
		t.Errorf("the log does not tell of the failure:\n%s", log)
	}
	lines := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
	for _, text := range slices.Concat([]string{failure.Error(), failure.StableReason}, failure.Faults, lines) {
		mustBePrintable(t, text)
		mustBeWithoutSecret(t, text, request.Headers.Get("Authorization"))
		if address := ofThisMachine.FindString(text); address != "" {
			t.Errorf("%q has an address of this machine (%s)", text, address)
		}
	}
}

func mustSay(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q does not say %q", text, word)
		}
	}
}

func mustBePrintable(t testing.TB, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("not printable at byte %d: %q", i, text)
	}
	if len(text) > 3000 {
		t.Errorf("a text of %d bytes: %.200s…", len(text), text)
	}
}

var longWord = regexp.MustCompile(`\w{6,}`)

// mustBeWithoutSecret looks for every part of a header's value.
func mustBeWithoutSecret(t testing.TB, text, value string) {
	t.Helper()
	for _, part := range longWord.FindAllString(value, -1) {
		if part != "Bearer" && strings.Contains(text, part) {
			t.Errorf("%q has %q of the header's value", text, part)
		}
	}
}

// mustBeCanceled checks that a read returned because its context was canceled.
func mustBeCanceled(t testing.TB, err error) {
	t.Helper()
	if _, failed := client.AsFailure(err); failed || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// promptly runs a function that must return at once.
func promptly(t testing.TB, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(prompt):
		t.Fatalf("not back after %s", prompt)
	}
}

// logged collects what a client logs.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) option() option {
	return func(s *setup) {
		before := s.Log
		s.Log = func(ctx context.Context, message string, fields ...map[string]any) {
			before(ctx, message, fields...)
			l.mu.Lock()
			defer l.mu.Unlock()
			l.text.WriteString(message)
			for _, name := range slices.Sorted(maps.Keys(fields[0])) {
				fmt.Fprintf(&l.text, " %s=%v", name, fields[0][name])
			}
			l.text.WriteByte('\n')
		}
	}
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// withSelfMadeCertificate has a client certificate that no authority signed: that of a server of net/http/httptest.
func withSelfMadeCertificate(t testing.TB) option {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	server.Close()
	own := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return func(s *setup) {
		s.TLS.ClientCertPEM = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]}))
		s.TLS.ClientKeyPEM = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	}
}
