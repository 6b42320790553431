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
	"maps"
	"net"
	"net/http"
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
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
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
	goleak.VerifyTestMain(allTests{m})
}

// allTests stops the name servers when all tests are over: net/http goes on with a dial whose request was canceled.
type allTests struct{ *testing.M }

func (m allTests) Run() int {
	defer stopNameServers()
	return m.M.Run()
}

var nameServers, stopNameServers = context.WithCancel(context.Background())

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
	context.AfterFunc(ctx, func() { _ = theirs.Close() })
	context.AfterFunc(nameServers, func() { _ = theirs.Close() })
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
	// short is the request timeout of reads that exceed it. Even on a busy machine, they get as far as their failure says.
	short = 2 * time.Second

	mebibyte  = 1 << 20
	userAgent = "terraform-provider-filetransfer/test"
	// secret is the value of a header that no text may repeat.
	secret = "Bearer s3cret/T0ken+\"<&>\""
	// head begins a response.
	head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
)

// setup is what options change: the configuration of a client, its environment variables, and a request.
type setup struct {
	client.Config
	client.Request
	environment map[string]string
}

type option func(*setup)

func timeout(d time.Duration) option { return func(s *setup) { s.RequestTimeout = d } }
func attempts(n int64) option        { return func(s *setup) { s.Retry.MaxAttempts = n } }
func untilReady(s *setup)            { s.UntilReady = true }

func retry(attempts int64, shortest, longest time.Duration) option {
	return func(s *setup) { s.Retry = client.Retry{MaxAttempts: attempts, MinDelay: shortest, MaxDelay: longest} }
}

// proxied sets an environment variable for the client alone.
func proxied(variable, value string) option {
	return func(s *setup) { s.environment[variable] = value }
}

// connecting sends the connections for the origin of a URL to an address.
func connecting(t *testing.T, url, address string) option {
	t.Helper()
	return func(s *setup) { s.ConnectTo = map[string]string{baseURL(t, url).Origin: address} }
}

func trusting(server *instancetest.Server) option {
	return func(s *setup) { s.TLS.CACertPEM = server.CACertPEM() }
}

func withClientCert(server *instancetest.Server) option {
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

// environment is locked while a client is made, which is when it reads the variables of proxies.
var environment sync.Mutex

// prepare returns a client with short delays, and a request for the instance at url.
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

// read reads an instance, which must succeed.
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

// readFailure reads an instance with the secret as a header, and returns the failure, after checking what holds for each.
func readFailure(t testing.TB, url string, options ...option) *client.Failure {
	t.Helper()
	var log recordedLog
	options = append([]option{withHeaders(t, map[string]string{"Authorization": secret}), log.record}, options...)
	c, request := prepare(t, url, options...)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	result, err := c.Read(ctx, request)
	failure, ok := client.AsFailure(err)
	if !ok || result != nil {
		t.Fatalf("got %+v and error %v, want a failure", result, err)
	}
	if failure.URL != request.BaseURL.String() || failure.Reason == "" || failure.StableReason == "" || !failure.ExtraHeaders ||
		failure.Error() != failure.Target()+": "+failure.Reason || !strings.Contains(failure.Target(), failure.URL) {
		t.Errorf("the failure of %s lacks something: %+v", request.BaseURL, failure)
	}
	if strings.HasSuffix(failure.Error(), ".") || strings.Contains(failure.Error(), "%!") {
		t.Errorf("%q is not well-formed", failure)
	}
	isDocument := failure.Kind == client.KindNotJSON || failure.Kind == client.KindDocument && failure.Hint != client.HintNoDocument
	if (failure.Faults != nil) != isDocument {
		t.Errorf("faults %q of %q", failure.Faults, failure)
	}
	if failure.Kind == client.KindUnexpected && failure.Differences == nil {
		t.Errorf("no differences of %q", failure)
	}
	checkContains(t, log.String(), "Could not read the instance")
	lines := strings.Split(strings.TrimSuffix(log.String(), "\n"), "\n")
	for _, text := range slices.Concat([]string{failure.Error(), failure.StableReason}, failure.Faults, lines) {
		checkPrintable(t, text)
		checkWithoutSecret(t, text, request.Headers.Get("Authorization"))
		checkWithoutSecret(t, text, proxyPassword)
		if address := ofThisMachine.FindString(text); address != "" {
			t.Errorf("%q has an address of this machine (%s)", text, address)
		}
	}
	return failure
}

// ofThisMachine matches addresses that differ from run to run. A text may give the time of day: 04:53:46 is no port.
var ofThisMachine = regexp.MustCompile(`->|:53: `)

// proxyPassword is in the user info of proxies, and never printed.
const proxyPassword = "pr0xy-passw0rd"

func checkContains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not contain %q", text, part)
		}
	}
}

func checkPrintable(t testing.TB, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("not printable at byte %d: %q", i, text)
	}
	if len(text) > 3000 {
		t.Errorf("a text of %d bytes: %.200s…", len(text), text)
	}
}

var longWord = regexp.MustCompile(`\w{6,}`)

// checkWithoutSecret looks for every part of a secret.
func checkWithoutSecret(t testing.TB, text, secret string) {
	t.Helper()
	for _, part := range longWord.FindAllString(secret, -1) {
		if part != "Bearer" && strings.Contains(text, part) {
			t.Errorf("%q has %q of a secret", text, part)
		}
	}
}

// checkCanceled checks that a read returned because its context was canceled.
func checkCanceled(t testing.TB, err error) {
	t.Helper()
	if _, failed := client.AsFailure(err); failed || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// promptly runs a function that must not be held up.
func promptly(t testing.TB, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(long):
		t.Fatalf("not back after %s", long)
	}
}

// recordedLog is what a client logs.
type recordedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

// record is an option that makes a client log here.
func (l *recordedLog) record(s *setup) {
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

func (l *recordedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// rawServer starts a server that does not read a request first. It is at a URL of the scheme.
func rawServer(t *testing.T, scheme string, serve func(net.Conn)) (url string) {
	t.Helper()
	return scheme + "://" + instancetest.NewRaw(t, serve).Address()
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

// verbatim answers a text as it is, and closes the connection.
func verbatim(text string) instancetest.Step {
	return instancetest.Verbatim(text, instancetest.CloseConnection())
}

// padded returns an instance document of size bytes.
func padded(size int) string {
	document := instancetest.Newer().JSON()
	return document + strings.Repeat(" ", size-len(document))
}

// gzipped answers a body with gzip, whatever the request accepts.
func gzipped(body string) instancetest.Step {
	var compressed bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&compressed, gzip.BestSpeed)
	_, _ = writer.Write([]byte(body))
	_ = writer.Close()
	return instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(compressed.Bytes())
	})
}

func redirect(w http.ResponseWriter, location string) {
	w.Header()["Location"] = []string{location}
	w.WriteHeader(http.StatusFound)
}

func sameHeader(a, b http.Header) bool { return maps.EqualFunc(a, b, slices.Equal[[]string]) }
