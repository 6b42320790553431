package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"go.uber.org/goleak"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// proxyVariables are the environment variables that choose a proxy.
var proxyVariables = []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"}

func TestMain(m *testing.M) {
	for _, name := range proxyVariables {
		_ = os.Unsetenv(name)
	}
	log.SetOutput(io.Discard) // net/http logs what a server sends unasked
	goleak.VerifyTestMain(m)
}

// long is longer than any read may take.
const long = time.Minute

// secret is the value of a header that no text may repeat.
const secret = "Bearer s3cret/T0ken+\"<&>\""

const userAgent = "terraform-provider-filetransfer/test"

// setup is a client's configuration and a read.
type setup struct {
	client.Config
	client.Request
}

type option func(*setup)

func timeout(d time.Duration) option { return func(s *setup) { s.RequestTimeout = d } }
func attempts(n int64) option        { return func(s *setup) { s.Retry.MaxAttempts = n } }
func untilReady(s *setup)            { s.UntilReady = true }

func delays(shortest, longest time.Duration) option {
	return func(s *setup) { s.Retry.MinDelay, s.Retry.MaxDelay = shortest, longest }
}

// trusting trusts the CA of all loopback instances.
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

// prepare returns a client and a read of the instance. The client does not
// wait long before it tries again.
func prepare(t testing.TB, url string, options ...option) (*client.Client, client.Request) {
	t.Helper()
	s := setup{
		Config: client.Config{
			UserAgent:      userAgent,
			RequestTimeout: 10 * time.Second,
			Retry:          client.Retry{MaxAttempts: 4, MinDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond},
		},
		Request: client.Request{BaseURL: baseURL(t, url)},
	}
	for _, o := range options {
		o(&s)
	}
	c, err := client.New(s.Config)
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c, s.Request
}

func baseURL(t testing.TB, text string) client.BaseURL {
	t.Helper()
	u, err := client.ParseBaseURL(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return u
}

// read reads an instance that must be good.
func read(t testing.TB, url string, options ...option) *client.Result {
	t.Helper()
	c, request := prepare(t, url, options...)
	result, err := c.Read(t.Context(), request)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return result
}

// logged collects what a client logs.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) option() option {
	return func(s *setup) {
		s.Log = func(_ context.Context, message string, fields map[string]any) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.text.WriteString(message)
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				fmt.Fprintf(&l.text, " %s=%v", name, fields[name])
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

// failing reads an instance that must fail, sending the secret. It does so
// twice, with clients of their own, because the texts must not differ from run
// to run.
func failing(t testing.TB, url string, options ...option) *client.Failure {
	t.Helper()
	first, second := failOnce(t, url, options...), failOnce(t, url, options...)
	if first.Error() != second.Error() || !slices.Equal(first.Details, second.Details) || first.Kind != second.Kind || first.StatusCode != second.StatusCode {
		t.Errorf("two runs differ:\n%v\n%v", first, second)
	}
	return first
}

func failOnce(t testing.TB, url string, options ...option) *client.Failure {
	t.Helper()
	var log logged
	options = append([]option{withHeaders(t, map[string]string{"Authorization": secret}), log.option()}, options...)
	c, request := prepare(t, url, options...)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	result, err := c.Read(ctx, request)
	failure, ok := client.AsFailure(err)
	if !ok {
		t.Fatalf("got %+v and error %v, want a failure", result, err)
	}
	if result != nil {
		t.Errorf("there is a result together with the failure: %+v", result)
	}
	if failure.URL != request.BaseURL.String() {
		t.Errorf("the failure's URL is %q, want %q", failure.URL, request.BaseURL)
	}
	if !strings.Contains(failure.Error(), failure.URL) || !strings.Contains(failure.Error(), failure.Reason) || failure.Reason == "" {
		t.Errorf("the error %q lacks its URL or its reason %q", failure, failure.Reason)
	}
	for _, text := range append([]string{failure.Error(), failure.Summary(), failure.Reason, failure.RedirectedTo}, failure.Details...) {
		mustBePrintable(t, text)
		mustBeWithoutSecret(t, text, request.Headers.Get("Authorization"))
		mustBeWithoutLocalPort(t, text, url)
	}
	for line := range strings.Lines(log.String()) {
		mustBePrintable(t, strings.TrimSuffix(line, "\n"))
		mustBeWithoutSecret(t, line, request.Headers.Get("Authorization"))
	}
	if !strings.Contains(log.String(), "Could not read the instance") {
		t.Errorf("the log does not tell of the failure:\n%s", &log)
	}
	return failure
}

// must checks what a failure is and says.
func must(t testing.TB, failure *client.Failure, kind client.Kind, attempts int, words ...string) {
	t.Helper()
	if failure.Kind != kind {
		t.Errorf("the failure %q is of kind %d, want %d", failure, failure.Kind, kind)
	}
	if failure.Attempts != attempts {
		t.Errorf("%d attempts, want %d: %v", failure.Attempts, attempts, failure)
	}
	for _, word := range words {
		if !strings.Contains(failure.Error(), word) {
			t.Errorf("the failure %q does not say %q", failure, word)
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

// mustBeWithoutSecret looks for every part of a header's value.
func mustBeWithoutSecret(t testing.TB, text, value string) {
	t.Helper()
	for _, part := range regexp.MustCompile(`\w{6,}`).FindAllString(value, -1) {
		if part != "Bearer" && strings.Contains(strings.ToLower(text), strings.ToLower(part)) {
			t.Errorf("%q has %q of the header's value", text, part)
		}
	}
}

// mustBeWithoutLocalPort looks for addresses other than the server's.
func mustBeWithoutLocalPort(t testing.TB, text, url string) {
	t.Helper()
	for _, address := range regexp.MustCompile(`127\.0\.0\.1:\d+->|->|:53\b`).FindAllString(text, -1) {
		t.Errorf("%q has an address of the machine (%s), which differs from run to run; the instance is %s", text, address, url)
	}
}

// cancelled checks that a read returned because its context was cancelled.
func cancelled(t testing.TB, err error) {
	t.Helper()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if failure, ok := client.AsFailure(err); ok {
		t.Errorf("a cancelled read gives the failure %v", failure)
	}
}
