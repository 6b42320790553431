package client_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A release behind one address: the old server answers, and its connections live on after the switch.
func TestEachAttemptOfAWaitHasAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	const name = it.ProxiedHost
	direct := func(scheme string) func(*testing.T, *it.Balancer) (string, []option) {
		return func(_ *testing.T, b *it.Balancer) (string, []option) { return scheme + "://" + b.Address(), nil }
	}
	through := func(scheme string) func(*testing.T, *it.Balancer) (string, []option) {
		return func(t *testing.T, b *it.Balancer) (string, []option) {
			t.Helper()
			proxy := it.NewProxy(t, it.WithProxyTarget(b)).URL()
			return scheme + "://" + name, []option{proxied("HTTP_PROXY", proxy), proxied("HTTPS_PROXY", proxy)}
		}
	}
	connectTo := func(t *testing.T, b *it.Balancer) (string, []option) {
		t.Helper()
		return "https://" + name, []option{connecting(t, "https://"+name, b.Address())}
	}
	tests := map[string]struct {
		instance it.Option
		place    func(*testing.T, *it.Balancer) (url string, options []option)
	}{
		"HTTP":            {it.WithPath(""), direct("http")},
		"HTTPS":           {it.WithTLS(), direct("https")},
		"mutual TLS":      {it.WithClientCertificate(), direct("https")},
		"connect_to":      {it.WithTLS(), connectTo},
		"proxy, HTTPS":    {it.WithTLS(), through("https")},
		"proxy, mutually": {it.WithClientCertificate(), through("https")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := it.New(t, test.instance)
			after := it.New(t, test.instance, it.WithDocument(it.Newer().With("chunkSize", 7)))
			b := it.NewBalancer(t, before)
			url, options := test.place(t, b)
			c, request := prepare(t, url, append(options, trusting(before), withClientCert(before), untilReady)...)
			plain := request
			plain.UntilReady = false
			for range 10 { // leaves a connection to the old server in the pool
				if _, err := c.Read(t.Context(), plain); err != nil {
					t.Fatal(err)
				}
			}
			// net/http gives up a connection if its own goroutines are slow, on a very busy machine.
			pooled := b.Connections()
			if pooled > 3 {
				t.Errorf("%d connections for ten plain reads, want 1", pooled)
			}
			ctx, cancel := context.WithTimeout(t.Context(), long)
			defer cancel()
			asked := 0
			request.Differences = func(details *instance.Details) []client.Difference {
				if details.ChunkSizeBytes == 7 {
					return nil
				}
				switch asked++; asked {
				case 3:
					b.Switch(after)
				case 9:
					cancel() // or it would stay with the old server for long
				}
				return []client.Difference{{Name: "chunk_size", Reported: "20000000", Expected: "7"}}
			}
			if _, err := c.Read(ctx, request); err != nil {
				t.Fatal(err)
			}
			n, m, others := len(before.Requests()), len(after.Requests()), b.Connections()-pooled
			if n != 13 || m != 1 || others != 4 {
				t.Errorf("%d requests to the old server, %d to the new one, the last four on %d connections; want 13, 1 and 4", n, m, others)
			}
		})
	}
}

// What a proxy connects to is up to it. Its connections from us are new ones.
func TestEachAttemptOfAWaitHasAConnectionOfItsOwnToAProxy(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithScript(it.Status(503), it.Status(404)))
	proxy := it.NewProxy(t, it.WithProxyTarget(server))
	read(t, "http://"+it.ProxiedHost, proxied("HTTP_PROXY", proxy.URL()), untilReady)
	if n := proxy.Connections(); n != 3 {
		t.Errorf("%d connections to the proxy for three attempts", n)
	}
}

// A wait that ends in another failure tells what was not as expected before: that is often the cause.
func TestLaterFailureDoesNotHideWhatWasNotAsExpected(t *testing.T) {
	t.Parallel()
	differences := []client.Difference{{Name: "chunk_size", Reported: "2", Expected: "20000000"}}
	tests := map[string]struct {
		steps []it.Step
		want  []client.Difference
	}{
		"another failure last": {[]it.Step{it.Answer(), it.Answer(), it.Status(502)}, differences},
		"not as expected last": {[]it.Step{it.Status(502), it.Answer()}, differences},
		"only other failures":  {[]it.Step{it.Status(502), it.Status(502)}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, it.WithScript(test.steps...))
			failure := fail(t, server.URL(), attempts(int64(len(test.steps))), func(s *setup) {
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
	for age, want := range map[string]uint64{"300": 300, "0": 0, "": 0, "-5": 0, "old": 0} {
		answers := func(status int, body string) it.Step {
			return it.Func(func(w http.ResponseWriter, _ *http.Request) {
				if age != "" {
					w.Header().Set("Age", age)
				}
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			})
		}
		for name, step := range map[string]it.Step{
			"status": answers(404, "gone"), "document": answers(200, "{}"), "not JSON": answers(200, "hello"),
		} {
			server := it.New(t, it.WithDefault(step))
			if failure := fail(t, server.URL(), attempts(1)); failure.CacheAgeSeconds != want {
				t.Errorf("%s with Age %q: %d seconds, want %d", name, age, failure.CacheAgeSeconds, want)
			}
		}
	}
}
