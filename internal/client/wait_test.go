package client_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Behind a load balancer or after a change of DNS, an old connection would still lead to the old server.
func TestEachAttemptOfAWaitHasAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		server              instancetest.Option
		connectTo, useProxy bool
	}{
		"HTTP":              {server: instancetest.WithPath("")},
		"HTTPS":             {server: instancetest.WithTLS()},
		"mutual TLS":        {server: instancetest.WithClientCertificate()},
		"connect_to":        {server: instancetest.WithTLS(), connectTo: true},
		"proxy, HTTP":       {server: instancetest.WithPath(""), useProxy: true},
		"proxy, HTTPS":      {server: instancetest.WithTLS(), useProxy: true},
		"proxy, mutual TLS": {server: instancetest.WithClientCertificate(), useProxy: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, test.server)
			proxy := instancetest.NewProxy(t, instancetest.WithProxyTarget(server))
			url, connections := server.URL(), server.Connections
			options := []option{trusting(server), withClientCert(server)}
			if test.connectTo || test.useProxy {
				url = strings.Replace(url, server.Address(), instancetest.ProxiedHost, 1)
			}
			if test.connectTo {
				options = append(options, connecting(t, url, server.Address()))
			}
			if test.useProxy {
				options = append(options, proxied("HTTP_PROXY", proxy.URL()), proxied("HTTPS_PROXY", proxy.URL()))
				connections = proxy.Connections // what it connects to is up to the proxy
			}
			c, request := prepare(t, url, options...)
			if _, err := c.Read(t.Context(), request); err != nil { // leaves a connection in the pool
				t.Fatal(err)
			}
			before := connections()
			server.SetScript(instancetest.Status(503), instancetest.Status(404), instancetest.Answer())
			request.UntilReady = true
			if _, err := c.Read(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			if n := connections() - before; n != 3 {
				t.Errorf("%d connections for three attempts", n)
			}
		})
	}
}

// Values that were not as expected before another failure are often its cause.
func TestLaterFailureDoesNotHideWhatWasNotAsExpected(t *testing.T) {
	t.Parallel()
	differences := []client.Difference{{Name: "chunk_size", Reported: "2", Expected: "20000000"}}
	tests := map[string]struct {
		steps []instancetest.Step
		want  []client.Difference
	}{
		"another failure last": {[]instancetest.Step{instancetest.Answer(), instancetest.Answer(), instancetest.Status(502)}, differences},
		"not as expected last": {[]instancetest.Step{instancetest.Status(502), instancetest.Answer()}, differences},
		"only other failures":  {[]instancetest.Step{instancetest.Status(502), instancetest.Status(502)}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithScript(test.steps...))
			failure := readFailure(t, server.URL(), attempts(int64(len(test.steps))), func(s *setup) {
				s.Differences = func(*instance.Details) []client.Difference { return slices.Clone(differences) }
			})
			if !slices.Equal(failure.Differences, test.want) {
				t.Errorf("differences %v of %v, want %v", failure.Differences, failure, test.want)
			}
		})
	}
}

// An answer with an Age comes from a cache (RFC 9111, section 5.1).
func TestFailureTellsWhetherACacheAnswered(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		age, body string
		status    int
		want      int64
	}{
		"status":       {"300", "gone", 404, 300},
		"document":     {"300", "{}", 200, 300},
		"not JSON":     {"300", "hello", 200, 300},
		"age 0":        {"0", "gone", 404, 0},
		"negative age": {"-5", "gone", 404, 0},
		"no number":    {"old", "gone", 404, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithDefault(instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Age", test.age)
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			})))
			if got := readFailure(t, server.URL(), attempts(1)).CacheAgeSeconds; got != test.want {
				t.Errorf("%d seconds, want %d", got, test.want)
			}
		})
	}
}
