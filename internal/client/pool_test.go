package client_test

import (
	"sync"
	"testing"
	"time"

	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestSequentialReadsShareAConnection(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]it.Option{"HTTP/1": it.WithPath(""), "HTTPS": it.WithTLSHTTP1(), "HTTP/2": it.WithTLS()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, option)
			c, request := prepare(t, server.URL(), trusting(server))
			for range 5 {
				// What went wrong costs no connection either, nor does a retry.
				server.SetScript(it.Status(503), it.Status(429), it.Body(502, "text/html", "<p>"+padded(5000)), it.Answer(), it.Status(404), gzipped(padded(5000)))
				for i, good := range []bool{true, false, true} {
					if _, err := c.Read(t.Context(), request); (err == nil) != good {
						t.Fatalf("read %d: %v", i, err)
					}
				}
			}
			if n := server.Connections(); n != 1 {
				t.Errorf("%d connections, want 1", n)
			}
			if n := len(server.Requests()); n != 30 {
				t.Errorf("%d requests, want 30", n)
			}
		})
	}
}

// The first read over TLS goes ahead alone: the others then share its
// connection, where net/http by itself would open one for each.
func TestConcurrentReadsOverHTTP2(t *testing.T) {
	t.Parallel()
	const reads = 50
	server := it.New(t, it.WithTLS(), it.WithDefault(it.Delay(5*time.Millisecond, it.Answer())))
	c, request := prepare(t, server.URL(), trusting(server))
	var running sync.WaitGroup
	for range reads {
		running.Go(func() {
			if _, err := c.Read(t.Context(), request); err != nil {
				t.Errorf("%v", err)
			}
		})
	}
	running.Wait()
	if n, m := server.Connections(), server.Handshakes(); n != 1 || m != 1 {
		t.Errorf("%d connections and %d handshakes, want one", n, m)
	}
	if n := len(server.Requests()); n != reads {
		t.Errorf("%d requests, want %d", n, reads)
	}
	if n := server.PeakRequests(); n < 2 || n > 32 {
		t.Errorf("%d requests at once, want several and at most 32", n)
	}
}

func TestConcurrentReadsOverHTTP1(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]it.Option{"HTTP": it.WithPath(""), "HTTPS": it.WithTLSHTTP1()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const reads = 200
			server := it.New(t, option, it.WithDefault(it.Delay(2*time.Millisecond, it.Answer())))
			c, request := prepare(t, server.URL(), trusting(server))
			var running sync.WaitGroup
			for range reads {
				running.Go(func() {
					if _, err := c.Read(t.Context(), request); err != nil {
						t.Errorf("%v", err)
					}
				})
			}
			running.Wait()
			if n := server.Connections(); n > 32 {
				t.Errorf("%d connections, want at most 32", n)
			}
			if n := len(server.Requests()); n != reads {
				t.Errorf("%d requests, want %d", n, reads)
			}
			if n := server.PeakRequests(); n < 2 {
				t.Errorf("%d requests at once", n)
			}
		})
	}
}

// One instance that does not answer takes no place from another.
func TestOriginsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	stuck, good := it.New(t, it.WithDefault(it.Silent())), it.New(t)
	c, request := prepare(t, stuck.URL(), attempts(1), timeout(soon))
	var running sync.WaitGroup
	for range 40 {
		running.Go(func() {
			if _, err := c.Read(t.Context(), request); err == nil {
				t.Error("a silent instance was read")
			}
		})
	}
	other := request
	other.BaseURL = baseURL(t, good.URL())
	promptly(t, func() {
		if _, err := c.Read(t.Context(), other); err != nil {
			t.Errorf("%v", err)
		}
	})
	promptly(t, running.Wait)
	if n := stuck.Connections(); n > 40 {
		t.Errorf("%d connections", n)
	}
}
