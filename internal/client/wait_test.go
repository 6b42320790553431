package client_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// promptly runs a function that must return at once.
func promptly(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("not back after 5 s")
	}
}

// Every failure that a starting instance, or an ingress in front of it, can
// show is waited for.
func TestUntilReady(t *testing.T) {
	t.Parallel()
	html := it.Body(200, "text/html", "<h1>Starting</h1>")
	tests := map[string]struct {
		script  []it.Step
		options []option
	}{
		"not found":      {[]it.Step{it.Status(404), it.Status(404), it.Status(404)}, nil},
		"every status":   {[]it.Step{it.Status(204), it.Status(400), it.Status(401), it.Status(403), it.Status(501), it.Status(503), it.Redirect(302, "")}, nil},
		"not JSON":       {[]it.Step{html, html, it.Body(200, "", "")}, nil},
		"not a document": {[]it.Step{it.Body(200, "application/json", "{}"), it.Body(200, "application/json", "null")}, nil},
		"too large":      {[]it.Step{it.EndlessBody()}, nil},
		"broken":         {[]it.Step{it.Reset(), it.CloseConnection(), it.ResetInBody(), it.ShortBody()}, nil},
		// Only what never answers needs a short timeout; on a busy machine, others
		// could miss it.
		"silent":          {[]it.Step{it.Silent()}, []option{timeout(soon)}},
		"not HTTP":        {[]it.Step{it.Verbatim("220 smtp\r\n", it.CloseConnection())}, nil},
		"redirect":        {[]it.Step{it.Redirect(302, "file:///x"), it.Redirect(302, "http://user@files.example.org/")}, nil},
		"more than usual": {slices.Repeat([]it.Step{it.Status(503)}, 7), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, it.WithScript(test.script...))
			ctx, cancel := context.WithTimeout(t.Context(), long)
			defer cancel()
			c, request := prepare(t, server.URL(), append(test.options, untilReady, attempts(1))...)
			if _, err := c.Read(ctx, request); err != nil {
				t.Fatalf("%v", err)
			}
			if n := len(server.Requests()); n != len(test.script)+1 {
				t.Errorf("%d requests, want %d", n, len(test.script)+1)
			}
		})
	}
}

// startsLater returns the option that starts an instance at the address after a
// client has tried twice, in place of the one that is there.
func startsLater(t *testing.T, address string, there *it.Server, options ...it.Option) option {
	t.Helper()
	tries := 0
	return func(s *setup) {
		s.Log = func(context.Context, string, map[string]any) {
			if tries++; tries == 2 {
				if there != nil {
					there.Close()
				}
				it.New(t, append(options, it.WithListenAddress(address))...)
			}
		}
	}
}

func TestUntilReadyNotThereYet(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]it.Option{"HTTP": it.WithPath(""), "HTTPS": it.WithTLS()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, scheme := it.ReserveAddress(t), "http://"
			if name == "HTTPS" {
				scheme = "https://"
			}
			ctx, cancel := context.WithTimeout(t.Context(), long)
			defer cancel()
			c, request := prepare(t, scheme+address, untilReady, attempts(1), trusting(it.New(t)), startsLater(t, address, nil, server))
			if _, err := c.Read(ctx, request); err != nil {
				t.Fatalf("%v", err)
			}
		})
	}
}

func TestUntilReadyPlaceholderCertificate(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]it.Certificate{
		"self-signed": it.CertificateSelfSigned, "wrong host": it.CertificateWrongHost, "expired": it.CertificateExpired,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := it.ReserveAddress(t)
			placeholder := it.New(t, it.WithListenAddress(address), it.WithCertificate(kind))
			ctx, cancel := context.WithTimeout(t.Context(), long)
			defer cancel()
			c, request := prepare(t, placeholder.URL(), untilReady, attempts(1), trusting(placeholder), startsLater(t, address, placeholder, it.WithTLS()))
			if _, err := c.Read(ctx, request); err != nil {
				t.Fatalf("%v", err)
			}
		})
	}
}

// The deadline ends an attempt, however much of the request timeout is left.
// TestDeadlineKeepsTheLastReason has what failed before.
func TestDeadline(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]it.Step{"silent": it.Silent(), "dripping": it.DripBody()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, it.WithDefault(step))
			c, request := prepare(t, server.URL(), untilReady, timeout(long))
			ctx, cancel := context.WithTimeout(t.Context(), soon)
			defer cancel()
			promptly(t, func() {
				_, err := c.Read(ctx, request)
				failure, ok := client.AsFailure(err)
				if !ok {
					t.Errorf("error %v, want a failure", err)
					return
				}
				must(t, failure, client.KindNoTime, 1, "no response before the time for the read ran out")
				if !failure.TimeRanOut {
					t.Error("the failure does not say that the time ran out")
				}
			})
		})
	}
}

func TestDeadlinePassedBefore(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	c, request := prepare(t, server.URL())
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := c.Read(ctx, request)
	failure, ok := client.AsFailure(err)
	if !ok || failure.Kind != client.KindNoTime || !failure.TimeRanOut {
		t.Errorf("error %+v", err)
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// Cancelling stops a read at once, wherever it is.
func TestCancel(t *testing.T) {
	t.Parallel()
	silent := listen(t, nil)
	tests := map[string]struct {
		url  string // or that of an instance with the step
		step it.Step
	}{
		"waiting for the head": {"", it.Silent()},
		"in the head":          {"", it.DripHeader()},
		"in the body":          {"", it.DripBody()},
		"in an error's body":   {"", it.Verbatim("HTTP/1.1 503 X\r\nContent-Length: 9\r\n\r\n", it.Silent())},
		"in a redirect's body": {"", it.Verbatim("HTTP/1.1 302 X\r\nLocation: /\r\nContent-Length: 9\r\n\r\n", it.Silent())},
		"in the handshake":     {"https://" + silent, nil},
		"in a delay":           {"", it.Status(503)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			url := test.url
			if url == "" {
				url = it.New(t, it.WithDefault(func(s *it.Server, w http.ResponseWriter, r *http.Request) {
					time.AfterFunc(20*time.Millisecond, cancel)
					test.step(s, w, r)
				})).URL()
			} else {
				time.AfterFunc(20*time.Millisecond, cancel)
			}
			c, request := prepare(t, url, timeout(long), delays(long, long), untilReady)
			promptly(t, func() {
				_, err := c.Read(ctx, request)
				cancelled(t, err)
			})
		})
	}
}

func TestCancelledBefore(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	c, request := prepare(t, server.URL())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Read(ctx, request)
	cancelled(t, err)
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// A read that waits for a place among the requests to an origin, or for the
// first of them to have a connection, can be cancelled as well.
func TestCancelInLane(t *testing.T) {
	t.Parallel()
	const places = 32
	tests := map[string]struct {
		url    func(t *testing.T) string
		others int
	}{
		"no place":          {func(t *testing.T) string { t.Helper(); return it.New(t, it.WithDefault(it.Silent())).URL() }, places},
		"no connection yet": {func(t *testing.T) string { t.Helper(); return "https://" + listen(t, nil) }, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, request := prepare(t, test.url(t), timeout(long))
			others, cancelOthers := context.WithCancel(t.Context())
			var running, admitted sync.WaitGroup
			admitted.Add(test.others)
			holding := request
			holding.Admit = func(context.Context) (func(), error) {
				admitted.Done() // its place is next
				return func() {}, nil
			}
			for range test.others {
				running.Go(func() {
					_, err := c.Read(others, holding)
					cancelled(t, err)
				})
			}
			admitted.Wait()

			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(20*time.Millisecond, cancel)
			var returned atomic.Bool
			request.Admit = func(context.Context) (func(), error) {
				return func() { returned.Store(true) }, nil
			}
			promptly(t, func() {
				_, err := c.Read(ctx, request)
				cancelled(t, err)
			})
			if !returned.Load() {
				t.Error("a read that was cancelled while it waited keeps its admission")
			}
			cancelOthers()
			promptly(t, running.Wait)
		})
	}
}

// Admit is asked for every attempt, and is free again during delays.
func TestAdmit(t *testing.T) {
	t.Parallel()
	var asked, inside atomic.Int64
	during := func(next it.Step) it.Step {
		return func(s *it.Server, w http.ResponseWriter, r *http.Request) {
			if n := inside.Load(); n != 1 {
				t.Errorf("%d attempts are admitted while a request is under way", n)
			}
			next(s, w, r)
		}
	}
	server := it.New(t, it.WithScript(during(it.Reset()), during(it.Status(503)), during(it.Status(429))), it.WithDefault(during(it.Answer())))
	c, request := prepare(t, server.URL(), func(s *setup) {
		s.Log = func(_ context.Context, message string, _ map[string]any) {
			if n := inside.Load(); n != 0 {
				t.Errorf("%q while %d attempts are admitted", message, n)
			}
		}
		s.Admit = func(ctx context.Context) (func(), error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			asked.Add(1)
			inside.Add(1)
			return func() { inside.Add(-1) }, nil
		}
	})
	if _, err := c.Read(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if asked.Load() != 4 || inside.Load() != 0 {
		t.Errorf("asked %d times, want 4; %d not released", asked.Load(), inside.Load())
	}
}

func TestAdmitRefuses(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithScript(it.Status(503)))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := 0
	c, request := prepare(t, server.URL(), func(s *setup) {
		s.Admit = func(ctx context.Context) (func(), error) {
			if asked++; asked == 2 {
				cancel()
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return func() {}, nil
		}
	})
	promptly(t, func() {
		_, err := c.Read(ctx, request)
		cancelled(t, err)
	})
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// The handshake counts into the request timeout, but not the wait for a place.
func TestRequestTimeoutStartsWithTheAttempt(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	c, request := prepare(t, server.URL(), attempts(1), timeout(soon), func(s *setup) {
		s.Admit = func(ctx context.Context) (func(), error) {
			waited, cancel := context.WithTimeout(ctx, soon+soon/4)
			defer cancel()
			<-waited.Done()
			return func() {}, nil
		}
	})
	if _, err := c.Read(t.Context(), request); err != nil {
		t.Errorf("%v", err)
	}
}

// Reads that wait for permission to make an attempt take no place at their
// origin: any number of them leaves room for one that needs no permission.
func TestAdmitKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	const many = 40 // more than there are places at one origin
	c, request := prepare(t, it.New(t).URL())
	waiting, giveUp := context.WithCancel(t.Context())
	var asked, running sync.WaitGroup
	asked.Add(many)
	held := request
	held.Admit = func(ctx context.Context) (func(), error) {
		asked.Done()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for range many {
		running.Go(func() {
			_, err := c.Read(waiting, held)
			cancelled(t, err)
		})
	}
	asked.Wait()
	promptly(t, func() {
		if _, err := c.Read(t.Context(), request); err != nil {
			t.Errorf("%v", err)
		}
	})
	giveUp()
	promptly(t, running.Wait)
}
