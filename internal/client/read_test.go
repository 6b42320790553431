package client_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A read or a wait does not last longer than its limit, does not give up earlier than it must, and says whether the
// limit ended it. A wait makes as many attempts as fit, also after failures that are final for a read.
func TestReadsAndWaitsUseTheirTimeAndNoMore(t *testing.T) {
	t.Parallel()
	const busy, silent, notFound = "status 503 Service Unavailable", "no response in time", "status 404 Not Found"
	type row struct {
		limit   time.Duration
		answers []string
		isWait  bool
		want    string
	}
	inFakeTime(t, map[string]row{
		"never ready": {time.Hour, []string{"503"}, false, "asked at [0s 1s 2s 3s], at 3s gave up: " + busy},
		"ready":       {time.Hour, []string{"503", "503", "503", "ready"}, false, "asked at [0s 1s 2s 3s], at 3s ready"},
		"delay":       {1500 * time.Millisecond, []string{"503"}, false, "asked at [0s 1s], at 1.5s out of time: " + busy},
		"silent": {
			time.Hour, []string{"silent"}, false, "asked at [0s 11s 22s 33s], at 43s gave up: " + silent + " (timed out)",
		},
		"silent, cut off": {
			25 * time.Second, []string{"silent"}, false, "asked at [0s 11s 22s], at 25s out of time: " + silent + " (timed out)",
		},
		"cut off at once": {9 * time.Second, []string{"silent"}, false, "asked at [0s], at 9s out of time: " + silent},
		"cut off, 2nd":    {5 * time.Second, []string{"503", "silent"}, false, "asked at [0s 1s], at 5s out of time: " + busy},
		"no time":         {-1, []string{"ready"}, false, "asked at [], at 0s out of time: " + silent},
		"wait":            {3 * time.Second / 2, []string{"404"}, true, "asked at [0s 1s], at 1.5s out of time: " + notFound},
		"wait, ready": {
			time.Minute, []string{"404", "404", "404", "404", "ready"}, true, "asked at [0s 1s 2s 3s 4s], at 4s ready",
		},
		"wait, silent": {16 * time.Second, []string{"silent"}, true, "asked at [0s 11s], at 16s out of time: " + silent},
	}, func(t *testing.T, test row) { //nolint:thelper // it is the test itself
		fake := newFake(t, steady(time.Second), script(test.answers...))
		if test.isWait {
			check(t, "outcome", fake.outcome(fake.wait(limited(t, test.limit), 0)), test.want)
		} else {
			check(t, "outcome", fake.outcome(fake.read(limited(t, test.limit))), test.want)
		}
	})
}

// Ctrl-C ends a delay, and an attempt, of which it says nothing.
func TestReadsAndWaitsEndWithACancel(t *testing.T) {
	t.Parallel()
	type row struct{ answer, failure string }
	inFakeTime(t, map[string]row{
		"delay": {"503", ": status 503 Service Unavailable"}, "attempt": {"silent", ""},
	}, func(t *testing.T, test row) { //nolint:thelper // it is the test itself
		config := steady(time.Minute)
		config.RequestTimeout = math.MaxInt64
		fake, want := newFake(t, config, script(test.answer)), "asked at [0s], at 10s canceled"+test.failure
		check(t, "outcome of a read", fake.outcome(fake.read(canceled(t, 10*time.Second))), want)
		check(t, "outcome of a wait", fake.outcome(fake.wait(canceled(t, 10*time.Second), 0)), want)
	})
}

// talksTo returns a dial to a server that writes a text at once, and then waits for the client to leave.
func talksTo(text string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		go func() { _, _ = io.WriteString(theirs, text) }()
		instancetest.Await(theirs)
	}()
	return ours, nil
}

// Whatever stays silent, an attempt ends in time, and nothing of it goes on, although net/http separates a dial from
// its request. Otherwise, the bubble would not end.
func TestSilentServersHoldNoRead(t *testing.T) {
	t.Parallel()
	const fakeHTTPS, httpProxy, httpsProxy = "https://files.example.org", "HTTP_PROXY=", "HTTPS_PROXY="
	type row struct{ url, variable, text string }
	inFakeTime(t, map[string]row{
		"response":    {fakeURL, "", ""},
		"body":        {fakeURL, "", ok + "Content-Length: 9999\r\n\r\n{"},
		"CONNECT":     {fakeHTTPS, httpsProxy + "http://proxy.example", ""},
		"https proxy": {fakeHTTPS, httpsProxy + "https://proxy.example", ""},
		"SOCKS proxy": {fakeHTTPS, httpsProxy + "socks5://proxy.example", ""},
		"dial":        {"http://dial.example.org", "", ""},
	}, func(t *testing.T, test row) { //nolint:thelper // it is the test itself
		config := newConfig()
		config.Retry.MaxAttempts = 1
		config.Dial = func(ctx context.Context, _, hostPort string) (net.Conn, error) {
			if hostPort == "dial.example.org:80" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return talksTo(test.text)
		}
		began := time.Now()
		got := readError(t, newClient(t, config, test.variable), newRequest(t, test.url))
		checkFailure(t, got, failing{"no response in time", 1, "no response in time"})
		check(t, "duration", time.Since(began), config.RequestTimeout)
	})
}

// If a server speaks before it is asked, its answer counts. [http.Transport] drops it if it comes before the request.
func TestAnswerBeforeTheRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		document, dials := instancetest.Newer().JSON(), 0
		config := newConfig()
		config.Retry.MaxAttempts = 1
		config.Dial = func(context.Context, string, string) (net.Conn, error) {
			dials++
			return talksTo(fmt.Sprintf(ok+"Content-Length: %d\r\n\r\n%s", len(document), document))
		}
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
			if dials < 4 {
				synctest.Wait() // until the answer has come
			}
		}})
		_, err := newClient(t, config).Read(ctx, newRequest(t, fakeURL))
		check(t, "error", err, nil)
		check(t, "whether the request was sent again", dials >= 4, true)
	})
}

// Reads of a thousand instances stay within the limit of open files, and those that wait for a delay keep no others
// waiting.
func TestAttemptsAtOnceAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mutex sync.Mutex
		dials, start := make(map[time.Duration]int), time.Now()
		config := steady(time.Second)
		config.Retry.MaxAttempts = 2
		config.Dial = func(context.Context, string, string) (net.Conn, error) {
			mutex.Lock()
			dials[time.Since(start)]++
			mutex.Unlock()
			time.Sleep(100 * time.Millisecond)
			return nil, net.ErrClosed
		}
		c, request := newClient(t, config), newRequest(t, fakeURL)
		var group sync.WaitGroup
		for range 40 {
			group.Go(func() { _, _ = c.Read(t.Context(), request) })
		}
		synctest.Wait()
		_, err := c.Read(limited(t, 50*time.Millisecond), request) // for which there is no place
		checkFailure(t, checkError(t, err), failing{"no response in time", 0, "no request was sent before the time ran out"})
		group.Wait()
		const ms = time.Millisecond
		want := map[time.Duration]int{0: 32, 100 * ms: 8, 1100 * ms: 32, 1200 * ms: 8}
		check(t, "number of attempts by the time of their start", fmt.Sprint(dials), fmt.Sprint(want))
	})
}

func TestRetryAfterIsHonored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := steady(time.Second)
		config.Retry.MaxDelay = time.Minute
		fake := newFake(t, config, func(int, *http.Request) *http.Response {
			return response(429, "", http.Header{"Retry-After": {"30"}})
		})
		_ = fake.read(limited(t, time.Hour))
		check(t, "whether a read waits for so long", fake.requests[1] >= 30*time.Second, true)
		_ = fake.wait(limited(t, time.Hour), 0)
		check(t, "whether a wait waits for so long", fake.requests[1] >= 30*time.Second, true)
	})
}

func TestLogTellsOfARead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := steady(time.Second)
		var log strings.Builder
		config.Log = func(_ context.Context, message string, fields ...map[string]any) {
			fmt.Fprintln(&log, message, fields)
		}
		check(t, "error", newFake(t, config, script("503", "ready")).read(t.Context()), nil)
		const first = "[map[address: attempt:1 url:" + fakeURL + "/instance] map["
		const busy = "reason:status 503 Service Unavailable]]\n"
		check(t, "log", log.String(), "Asked the instance "+first+busy+"Trying again "+first+"delay:1s "+busy+
			"Asked the instance [map[address: attempt:2 url:"+fakeURL+"/instance] map[]]\n")
	})
}

func BenchmarkRead(b *testing.B) {
	for name, option := range map[string]instancetest.Option{
		"HTTP": instancetest.WithPlainHTTP(), "HTTPS": instancetest.WithTLS(),
	} {
		b.Run(name, func(b *testing.B) {
			config := newConfig()
			config.Log = func(context.Context, string, ...map[string]any) {}
			c, request := newClient(b, config), newRequest(b, instancetest.New(b, option).URL())
			b.ReportAllocs()
			for b.Loop() {
				mustRead(b, c, request)
			}
		})
	}
}
