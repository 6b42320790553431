package client_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
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
	const forbidden = "status 403 Forbidden"
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
		"status, cut off": {5 * time.Second, []string{"503", "stalled"}, false, "asked at [0s 1s], at 5s out of time: " + forbidden},
		"status, silent":  {time.Hour, []string{"stalled"}, false, "asked at [0s], at 10s gave up: " + forbidden + " (timed out)"},
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

// talksTo returns a dial to a server that answers a request with a text, and then waits for the client to leave.
func talksTo(text string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		if text != "" {
			_, _ = http.ReadRequest(bufio.NewReader(theirs))
			_, _ = io.WriteString(theirs, text)
		}
		instancetest.Await(theirs)
	}()
	return ours, nil
}

// Whatever stays silent, an attempt ends in time, and nothing of it goes on, although net/http separates a dial from
// its request. Otherwise, the bubble would not end.
func TestSilentServersHoldNoRead(t *testing.T) {
	t.Parallel()
	const fakeHTTPS, httpProxy, httpsProxy = "https://files.example.org", "HTTP_PROXY=", "HTTPS_PROXY="
	type row struct {
		url, variable, text string
		limit               time.Duration
	}
	inFakeTime(t, map[string]row{
		"response":      {fakeURL, "", "", time.Hour},
		"body":          {fakeURL, "", ok + "Content-Length: 9999\r\n\r\n{", time.Hour},
		"http proxy":    {fakeURL, httpProxy + "http://proxy.example", "", time.Hour},
		"CONNECT":       {fakeHTTPS, httpsProxy + "http://proxy.example", "", 50 * time.Second},
		"CONNECT, long": {fakeHTTPS, httpsProxy + "http://proxy.example", "", time.Hour}, // net/http gives it a minute
		"https proxy":   {fakeHTTPS, httpsProxy + "https://proxy.example", "", time.Hour},
		"SOCKS proxy":   {fakeHTTPS, httpsProxy + "socks5://proxy.example", "", time.Hour},
		"dial":          {"http://dial.example.org", "", "", time.Hour},
	}, func(t *testing.T, test row) { //nolint:thelper // it is the test itself
		config := newConfig()
		config.Retry.MaxAttempts, config.RequestTimeout = 1, test.limit
		config.Dial = func(ctx context.Context, _, hostPort string) (net.Conn, error) {
			if hostPort == "dial.example.org:80" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return talksTo(test.text)
		}
		began := time.Now()
		got := failedRead(t, newClient(t, config, test.variable), newRequest(t, test.url))
		checkFailure(t, got, failing{"no response in time", 1, "no response in time"})
		limit := test.limit
		if strings.HasSuffix(t.Name(), "long") {
			limit = time.Minute
		}
		check(t, "duration", time.Since(began), limit)
		check(t, "TimedOut", got.Failure.TimedOut, limit == test.limit)
	})
}

// Fleets of a thousand instances stay within the limit of open files, and what waits for a delay keeps no others
// waiting. Other reads do not wait for fleets.
func TestAttemptsOfFleetsAreLimited(t *testing.T) {
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
		c, single := newClient(t, config), newRequest(t, fakeURL)
		fleet := single
		fleet.InFleet = true
		var group sync.WaitGroup
		for range 40 {
			group.Go(func() { _, _ = c.Read(t.Context(), fleet) })
		}
		synctest.Wait()
		_, failed := c.Read(limited(t, 50*time.Millisecond), fleet) // for which there is no place
		const reason = "no request was sent before the time ran out, because other instances had not answered yet"
		checkFailure(t, checkTexts(t, failed), failing{"no response in time", 0, reason})
		_, failed = c.Read(t.Context(), single)
		checkFailure(t, checkTexts(t, failed), failing{"no valid response", retried, ""})
		group.Wait()
		const ms = time.Millisecond
		want := map[time.Duration]int{0: 32, 50 * ms: 1, 100 * ms: 8, 1100 * ms: 32, 1150 * ms: 1, 1200 * ms: 8}
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
		check(t, "failure", newFake(t, config, script("503", "ready")).read(t.Context()), nil)
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
