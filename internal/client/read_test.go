package client_test

import (
	"context"
	"maps"
	"math"
	"net"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A read or a wait does not last longer than its limit, does not give up earlier than it must, and says whether the limit ended it. The
// delay before the last attempt is so short that a second is left for it, or half of the time. A wait makes as many attempts as fit, also
// after failures that are final for a read.
func TestReadsAndWaitsUseTheirTimeAndNoMore(t *testing.T) {
	t.Parallel()
	const busy, silent = "status 503 Service Unavailable", "no response in time"
	tests := map[string]struct {
		limit   time.Duration
		answers []string
		isWait  bool
		want    string
	}{
		"never ready":            {time.Hour, []string{"503"}, false, "asked at [0s 1s 2s 3s], at 3s gave up: " + busy},
		"short limit":            {2 * time.Second, []string{"503"}, false, "asked at [0s 1s 1.5s], at 1.5s out of time: " + busy},
		"shorter than a delay":   {200 * time.Millisecond, []string{"503"}, false, "asked at [0s 100ms], at 100ms out of time: " + busy},
		"ready for the last one": {2 * time.Second, []string{"503", "503", "ready"}, false, "asked at [0s 1s 1.5s], at 1.5s ready"},
		"silent":                 {time.Hour, []string{"silent"}, false, "asked at [0s 11s 22s 33s], at 43s gave up: " + silent + " (timed out)"},
		"silent, short":          {25 * time.Second, []string{"silent"}, false, "asked at [0s 11s 22s], at 25s out of time: " + silent + " (timed out)"},
		"silent, very short":     {9 * time.Second, []string{"silent"}, false, "asked at [0s], at 9s out of time: " + silent},
		"silent after a 503":     {9 * time.Second, []string{"502", "503", "silent"}, false, "asked at [0s 1s 2s], at 9s out of time: " + busy},
		"slow body":              {2 * time.Second, []string{"slow 404"}, false, "asked at [0s], at 2s gave up: status 404 Not Found"},
		"slow body, busy":        {2 * time.Second, []string{"slow 503"}, false, "asked at [0s], at 2s out of time: " + busy},
		"slow body, wait":        {2 * time.Second, []string{"slow 404"}, true, "asked at [0s], at 2s out of time: status 404 Not Found"},
		"not found":              {5 * time.Second, []string{"404"}, true, "asked at [0s 1s 2s 3s 4s 4.5s], at 4.5s out of time: status 404 Not Found"},
		"silent, short wait":     {2 * time.Second, []string{"silent"}, true, "asked at [0s], at 2s out of time: " + silent},
		"silent, wait": {time.Minute, []string{"silent"}, true,
			"asked at [0s 11s 22s 33s 44s 55s], at 1m0s out of time: " + silent},
		"ready in the end": {time.Minute, []string{"503", "503", "503", "503", "503", "ready"}, true, "asked at [0s 1s 2s 3s 4s 5s], at 5s ready"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := serve(t, steady(time.Second), script(test.answers...))
				var err error
				if test.isWait {
					err = fake.wait(t, test.limit, anything())
				} else {
					err = fake.read(t, test.limit)
				}
				check(t, "outcome", fake.outcome(err), test.want)
			})
		})
	}
}

// Ctrl-C in a delay does not hang until the delay is over, and is not called the end of the time.
func TestDelayEndsWithACancel(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer string
		isWait bool
		want   string
	}{
		"read":   {"503", false, "status 503 Service Unavailable"},
		"wait":   {"503", true, "status 503 Service Unavailable"},
		"streak": {"ready", true, "not stable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := serve(t, steady(time.Minute), script(test.answer))
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				time.AfterFunc(90*time.Millisecond, cancel) // the shortest delay in a streak is 100 ms
				read := fake.client.Read
				if test.isWait {
					read = func(ctx context.Context, request client.Request) (*client.Result, error) {
						return fake.client.Wait(ctx, request, stableFor(time.Minute))
					}
				}
				_, err := read(ctx, fake.request)
				check(t, "outcome", fake.outcome(err), "asked at [0s], at 90ms canceled: "+test.want)
			})
		})
	}
}

// Retry-After alone would send all readers back at the same time. Of other statuses than 429 and 503, it counts for nothing. The first
// delay without it is 2 to 4 s.
func TestRetryAfterIsHonoredWithinTheDelays(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status         int
		retryAfter     string
		maxDelay       time.Duration
		least, longest time.Duration // of the first delay
	}{
		"503":       {503, "5", 6 * time.Second, 5 * time.Second, 6 * time.Second},
		"429":       {429, "4", 6 * time.Second, 4 * time.Second, 6 * time.Second},
		"long":      {503, "30", time.Minute, 30 * time.Second, 34 * time.Second},
		"very long": {503, "3600", 6 * time.Second, 6 * time.Second, 6 * time.Second},
		"500":       {500, "5", 6 * time.Second, 2 * time.Second, 4 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				config := steady(2 * time.Second)
				config.Retry.MaxAttempts, config.Retry.MaxDelay = 9, test.maxDelay
				fake := serve(t, config, func(int, *http.Request) *http.Response {
					return response(test.status, "", "Retry-After", test.retryAfter)
				})
				delays := make(map[time.Duration]bool)
				for range 20 {
					_ = fake.read(t, time.Hour)
					delays[fake.requests[1]-fake.requests[0]] = true
				}
				shortest, longest := slices.Min(slices.Collect(maps.Keys(delays))), slices.Max(slices.Collect(maps.Keys(delays)))
				if shortest < test.least || longest > test.longest || len(delays) == 1 && test.least < test.longest {
					t.Errorf("%d delays from %s to %s, want them spread from %s to %s", len(delays), shortest, longest, test.least, test.longest)
				}
			})
		})
	}
}

// Attempts for which a read waits in vain are not counted as made.
func TestWaitForASlotIsNoAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := serve(t, steady(time.Second), nil)
		fake.request.Semaphore = make(chan struct{}, 1)
		take := func() { fake.request.Semaphore <- struct{}{} } // for good
		fake.answer = func(n int, r *http.Request) *http.Response {
			go take() // as soon as this attempt is over
			return script("503")(n, r)
		}
		err := fake.read(t, time.Minute)
		check(t, "outcome", fake.outcome(err), "asked at [0s], at 1m0s out of time: status 503 Service Unavailable")
		err = fake.read(t, time.Minute)
		check(t, "outcome without a slot", fake.outcome(err), "asked at [], at 1m0s out of time: not asked in time")
	})
}

// The wait for a slot is no part of the request timeout, and the slot is free again during delays.
func TestSlotIsHeldForOneAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		semaphore := make(chan struct{}, 1)
		semaphore <- struct{}{}
		time.AfterFunc(time.Minute, func() { <-semaphore }) // longer than the request timeout
		config := steady(time.Second)
		fake := serve(t, config, func(n int, r *http.Request) *http.Response {
			check(t, "number of slots held during a request", len(semaphore), 1)
			return script("503", "503", "404")(n, r)
		})
		fake.request.Semaphore = semaphore
		err := fake.read(t, time.Hour)
		check(t, "outcome", fake.outcome(err), "asked at [1m0s 1m1s 1m2s], at 1m2s gave up: status 404 Not Found")
		check(t, "number of slots held at the end", len(semaphore), 0)
	})
}

func TestReadThatHasNoTimeOrIsCanceledMakesNoRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := serve(t, newConfig(), script("ready"))
		err := fake.read(t, -time.Second)
		check(t, "outcome", fake.outcome(err), "asked at [], at 0s out of time: not asked in time")
		check(t, "Reason", readErrorOf(err).Failure.Reason, "no request was sent before the time ran out")
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = fake.client.Read(canceled, fake.request)
		check(t, "Ending", readErrorOf(err).Ending, client.Canceled)
		check(t, "outcome", fake.outcome(err), "asked at [], at 0s canceled")
	})
}

// silence is a server that accepts connections and answers none.
type silence struct {
	*instancetest.RawServer

	accepted, closed chan struct{} // an element for each connection that the client has opened, and closed
}

// newSilence starts a server that does something with each connection, and then waits until the client closes it.
func newSilence(t *testing.T, begin func(net.Conn)) silence {
	t.Helper()
	s := silence{nil, make(chan struct{}, 100), make(chan struct{}, 100)}
	s.RawServer = instancetest.NewRaw(t, func(c net.Conn) {
		s.accepted <- struct{}{}
		begin(c)
		instancetest.Await(c)
		s.closed <- struct{}{}
	})
	return s
}

// receive waits for an element of a channel, as long as long.
func receive(t *testing.T, what string, elements <-chan struct{}) {
	t.Helper()
	select {
	case <-elements:
	case <-time.After(long):
		t.Fatalf("waited %s in vain for %s", long, what)
	}
}

// Whatever stays silent, an attempt ends in time, and its connection is closed: net/http separates a dial from the context of its request.
// A wait ends at once when it is canceled.
func TestSilentServersHoldNoRead(t *testing.T) {
	t.Parallel()
	nothing := func(net.Conn) {}
	tests := map[string]struct {
		url, variable string // the variable of the proxy that is the silent server, or ""
		begin         func(net.Conn)
		kind          client.Kind
		reason        string
	}{
		"response":      {"http://", "", nothing, client.NoResponseInTime, "no response in time"},
		"head":          {"http://", "", answers("HTTP/1.1 200 OK\r\nX: "), client.NoResponseInTime, "no response in time"},
		"body":          {"http://", "", answers(okHead + "Content-Length: 9999\r\n\r\n{"), client.NoResponseInTime, "no response in time: it began, but did not end"},
		"error":         {"http://", "", answers("HTTP/1.1 403 X\r\nContent-Length: 100\r\n\r\nNo"), client.Status, "status 403 X"},
		"TLS":           {"https://", "", nothing, client.NoResponseInTime, "no response in time"},
		"CONNECT":       {proxiedHTTPS, "HTTPS_PROXY=http://", nothing, client.ProxyFailed, "no answer of the proxy in time"},
		"https proxy":   {proxiedHTTPS, "HTTPS_PROXY=https://", nothing, client.ProxyFailed, "no answer of the proxy in time"},
		"SOCKS proxy":   {proxiedHTTPS, "HTTPS_PROXY=socks5://", nothing, client.ProxyFailed, "no answer of the proxy in time"},
		"behind SOCKS":  {proxiedHTTPS, "HTTPS_PROXY=socks5://", socks(0), client.NoResponseInTime, "no response in time"},
		"forward proxy": {proxiedHTTP, "HTTP_PROXY=http://", nothing, client.NoResponseInTime, "no response in time"},
	}
	for name, test := range tests {
		for certificate, tls := range map[string]client.TLS{"": trusted, ", with a client certificate": certified} {
			t.Run(name+certificate, func(t *testing.T) {
				t.Parallel()
				server := newSilence(t, test.begin)
				url, variable := test.url+server.Address(), "NO_PROXY="
				if test.variable != "" {
					url, variable = test.url, test.variable+server.Address()
				}
				config := newConfig()
				config.TLS, config.Retry.MaxAttempts, config.RequestTimeout = tls, 1, time.Second
				request := newRequest(t, url)
				began := time.Now()
				got := readError(t, newClient(t, config, variable), request)
				checkFailure(t, got, failing{"", test.kind, final, test.reason})
				if test.kind != client.Status { // which had arrived before
					check(t, "CutOff", got.Failure.CutOff, client.CutOffByRequestTimeout)
				}
				receive(t, "a connection to be closed", server.closed)
				if lasted := time.Since(began); lasted > 10*time.Second {
					t.Errorf("the connection was closed after %s, want 1 s", lasted)
				}

				receive(t, "a connection", server.accepted)
				config.RequestTimeout = math.MaxInt64
				checkCanceledAtOnce(t, newClient(t, config, variable), request, server.accepted)
			})
		}
	}
}

// checkCanceledAtOnce cancels a wait as soon as a channel has an element.
func checkCanceledAtOnce(t *testing.T, c *client.Client, request client.Request, begun <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := c.Wait(ctx, request, anything())
		check(t, "Ending", readErrorOf(err).Ending, client.Canceled)
		if failure := readErrorOf(err).Failure; failure != nil && failure.Kind != client.Status { // a status had arrived before
			t.Errorf("failure of an attempt that was canceled: got %q, want none", failure)
		}
	}()
	receive(t, "a connection", begun)
	cancel()
	receive(t, "the end of a wait that was canceled", ended)
}

// A name server that stays silent is no server that stays silent, although Go connects to it as well. The second attempt looks up the name
// in another way.
func TestSilentNameServer(t *testing.T) {
	t.Parallel()
	config := newConfig()
	config.RequestTimeout = time.Second
	c, request := newClient(t, config), newRequest(t, "https://"+hostOfSilentNameServer)
	got := readError(t, c, request)
	checkFailure(t, got, failing{"", client.HostNotResolved, retried, "no answer from a name server in time"})
	check(t, "CutOff", got.Failure.CutOff, client.CutOffByRequestTimeout)
	check(t, "Asked", got.Failure.Asked, client.Asked{URL: "https://" + hostOfSilentNameServer + "/instance"})
}

// The largest durations add up to none that is negative.
func TestLargestDurations(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Status(503)))
	config := newConfig()
	config.RequestTimeout = math.MaxInt64
	config.Retry = client.Retry{MaxAttempts: math.MaxInt64, MinDelay: math.MaxInt64, MaxDelay: math.MaxInt64}
	c, request := newClient(t, config), newRequest(t, server.URL())
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	_, err := c.Read(ctx, request)
	got := checkReadError(t, err, request)
	check(t, "Attempts", got.Attempts, 2)
	check(t, "Ending", got.Ending, client.OutOfTime)

	server.SetDefault(instancetest.Answer())
	_, err = c.Wait(t.Context(), request, stableFor(0))
	check(t, "error of a wait", err, nil)
	ctx, cancel = context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = c.Wait(ctx, request, stableFor(math.MaxInt64))
	check(t, "Ending of a wait", readErrorOf(err).Ending, client.OutOfTime)
}
