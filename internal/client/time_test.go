package client_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// server answers the n-th request. It needs no network, so that time can be fake.
type server func(n int, r *http.Request) (*http.Response, error)

func answer(status int, body string, header ...string) (*http.Response, error) {
	response := &http.Response{
		StatusCode: status, Header: make(http.Header), Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
	for i := 0; i < len(header); i += 2 {
		response.Header.Set(header[i], header[i+1])
	}
	return response, nil
}

// statuses answers one status after the other, and then the last.
func statuses(statuses ...int) server {
	return func(n int, _ *http.Request) (*http.Response, error) {
		return answer(statuses[min(n, len(statuses))-1], "")
	}
}

func neverAnswer(_ int, r *http.Request) (*http.Response, error) {
	connection, other := net.Pipe()
	defer connection.Close()
	defer other.Close()
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{Conn: connection})
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// readyAfter answers a status until d after the first request, and then a document.
func readyAfter(d time.Duration, status int, header ...string) server {
	var ready time.Time
	return func(n int, _ *http.Request) (*http.Response, error) {
		if n == 1 {
			ready = time.Now().Add(d)
		}
		if time.Now().Before(ready) {
			return answer(status, "", header...)
		}
		return answer(200, instancetest.Older().JSON())
	}
}

// timeline is a read in fake time: when each request was made and when the read ended, since it began.
type timeline struct {
	requests []time.Duration
	end      time.Duration
	failure  *client.Failure // nil: it succeeded
}

// timed reads with the default settings of the provider, in fake time.
func timed(t *testing.T, limit time.Duration, server server, options ...option) (line timeline) {
	t.Helper()
	options = append([]option{timeout(10 * time.Second), retry(4, 500*time.Millisecond, 10*time.Second)}, options...)
	options = slices.DeleteFunc(options, func(o option) bool { return o == nil })
	c, request := prepare(t, "http://files.example.org", options...)
	start := time.Now()
	c.ServeHTTP(roundTrip(func(r *http.Request) (*http.Response, error) {
		line.requests = append(line.requests, time.Since(start))
		return server(len(line.requests), r)
	}))
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_, err := c.Read(ctx, request)
	line.end = time.Since(start)
	line.failure, _ = client.AsFailure(err)
	if err != nil && line.failure == nil {
		t.Fatalf("%v", err)
	}
	return line
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func TestRetryAfterIsHonoredWithinTheDelays(t *testing.T) {
	t.Parallel()
	const shortest, longest = 500 * time.Millisecond, 10 * time.Second
	tests := map[string]struct {
		status    int
		value     string
		low, high time.Duration
	}{
		"none":   {503, "", shortest, 2 * shortest},
		"503":    {503, "3", 3 * time.Second, 3 * time.Second},
		"429":    {429, "3", 3 * time.Second, 3 * time.Second},
		"500":    {500, "3", shortest, 2 * shortest},
		"408":    {408, "3", shortest, 2 * shortest},
		"zero":   {503, "0", shortest, 2 * shortest},
		"past":   {503, "Sat, 28 Feb 1970 12:00:00 GMT", shortest, 2 * shortest},
		"longer": {503, "3600", longest, longest},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				line := timed(t, time.Minute, readyAfter(time.Nanosecond, test.status, "Retry-After", test.value))
				if line.failure != nil || len(line.requests) != 2 || line.requests[1] < test.low || line.requests[1] > test.high {
					t.Errorf("%+v, want a delay of %s to %s", line, test.low, test.high)
				}
			})
		})
	}
}

// A read does not last longer than its limit, does not give up earlier than it must, and says whether the limit ended it.
func TestReadUsesItsTimeAndNoMore(t *testing.T) {
	t.Parallel()
	const second, silent, busy = time.Second, "no response in time", "status 503 Service Unavailable"
	untrusted := func(int, *http.Request) (*http.Response, error) {
		return nil, &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	}
	tests := map[string]struct {
		limit           time.Duration
		option          option
		server          server
		stableReason    string // of the failure, or "" for success
		ending          client.Ending
		attemptTimedOut bool
		requests        [2]int // at least, and at most
		end             [2]time.Duration
	}{
		"silent": {limit: time.Hour, server: neverAnswer, stableReason: silent, attemptTimedOut: true,
			requests: [2]int{4, 4}, end: [2]time.Duration{43*second + second/2, 47 * second}},
		"silent to the end": {limit: 25 * second, server: neverAnswer, stableReason: silent, ending: client.TimeRanOut, attemptTimedOut: true,
			requests: [2]int{3, 3}, end: [2]time.Duration{25 * second, 25 * second}},
		"silent for one attempt": {limit: 9 * second, server: neverAnswer, stableReason: silent, ending: client.TimeRanOut,
			requests: [2]int{1, 1}, end: [2]time.Duration{9 * second, 9 * second}},
		"silent until ready": {limit: 600 * second, option: untilReady, server: neverAnswer, stableReason: silent, ending: client.TimeRanOut,
			attemptTimedOut: true, requests: [2]int{30, 60}, end: [2]time.Duration{600 * second, 600 * second}},
		"not trusted until ready": {limit: 600 * second, option: untilReady, server: untrusted, stableReason: "certificate not trusted",
			ending: client.NoTimeLeft, requests: [2]int{60, 140}, end: [2]time.Duration{599 * second, 600 * second}},
		"Retry-After, until ready": {limit: 60 * second, option: untilReady,
			server: readyAfter(time.Hour, 429, "Retry-After", "86400"), stableReason: "status 429 Too Many Requests",
			ending: client.NoTimeLeft, requests: [2]int{7, 7}, end: [2]time.Duration{59 * second, 59 * second}},
		"Retry-After past the end": {limit: 8 * second, server: readyAfter(time.Hour, 503, "Retry-After", "60"), stableReason: busy,
			ending: client.NoTimeLeft, requests: [2]int{2, 2}, end: [2]time.Duration{7 * second, 7 * second}},
		"Retry-After just in time": {limit: 8 * second, server: readyAfter(time.Hour, 503, "Retry-After", "7"), stableReason: busy,
			ending: client.NoTimeLeft, requests: [2]int{3, 3}, end: [2]time.Duration{7*second + second/2, 7*second + second/2}},
		"Retry-After, then none": {limit: 60 * second, server: func(n int, _ *http.Request) (*http.Response, error) {
			return answer(503, "", "Retry-After", []string{"9", ""}[min(n, 2)-1])
		}, stableReason: busy, requests: [2]int{4, 4}, end: [2]time.Duration{12 * second, 15 * second}},
		"very little time": {limit: second / 5, option: untilReady, server: statuses(503), stableReason: busy, ending: client.NoTimeLeft,
			requests: [2]int{2, 2}, end: [2]time.Duration{second / 10, second / 10}},
		"ready just before the end": {limit: 8 * second, option: retry(4, 5*second, 5*second),
			server: readyAfter(6500*time.Millisecond, 503), requests: [2]int{3, 3}, end: [2]time.Duration{7 * second, 7 * second}},
		"attempts used up": {limit: 60 * second, server: statuses(503), stableReason: busy,
			requests: [2]int{4, 4}, end: [2]time.Duration{3*second + second/2, 7 * second}},
		"one attempt": {limit: 60 * second, option: attempts(1), server: statuses(503), stableReason: busy,
			requests: [2]int{1, 1}, end: [2]time.Duration{0, 0}},
		"last attempt has nothing new": {limit: 9 * second, server: then(neverAnswer, 502, 503), stableReason: busy, ending: client.TimeRanOut,
			requests: [2]int{3, 3}, end: [2]time.Duration{9 * second, 9 * second}},
		"ready after a minute": {limit: 600 * second, option: untilReady, server: readyAfter(time.Minute, 503),
			requests: [2]int{10, 20}, end: [2]time.Duration{60 * second, 70 * second}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				line := timed(t, test.limit, test.server, test.option)
				n := len(line.requests)
				if n < test.requests[0] || n > test.requests[1] || line.end < test.end[0] || line.end > test.end[1] {
					t.Errorf("%+v, want %d requests, and an end at %v", line, test.requests, test.end)
				}
				failure := line.failure
				if failure == nil {
					failure = &client.Failure{Attempts: n}
				}
				if failure.StableReason != test.stableReason || failure.Ending != test.ending || failure.AttemptTimedOut != test.attemptTimedOut ||
					failure.Attempts != n {
					t.Errorf("%+v, want stableReason %q, ending %d", failure, test.stableReason, test.ending)
				}
			})
		})
	}
}

// then answers the statuses of script, and then as next does.
func then(next server, script ...int) server {
	return func(n int, r *http.Request) (*http.Response, error) {
		if n <= len(script) {
			return answer(script[n-1], "")
		}
		return next(n, r)
	}
}

// Attempts for which a read waits in vain are not counted as made.
func TestWaitForASlotIsNoAttempt(t *testing.T) {
	t.Parallel()
	for made, stableReason := range []string{"no response in time", "status 503 Service Unavailable", "status 503 Service Unavailable"} {
		t.Run(strconv.Itoa(made), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				semaphore := make(chan struct{}, 1)
				take := func() { semaphore <- struct{}{} } // for good
				if made == 0 {
					take()
				}
				line := timed(t, time.Minute, func(n int, _ *http.Request) (*http.Response, error) {
					if n == made {
						go take() // as soon as this attempt is over
					}
					return answer(503, "")
				}, func(s *setup) { s.Semaphore = semaphore })
				if f := line.failure; f == nil || f.StableReason != stableReason || f.Ending != client.TimeRanOut || f.Attempts != made ||
					len(line.requests) != made || line.end != time.Minute {
					t.Errorf("%+v, %v", line, line.failure)
				}
			})
		})
	}
}

// The wait for a slot is no part of the request timeout, and the slot is free again during delays.
func TestSlotIsHeldForOneAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		semaphore := make(chan struct{}, 1)
		semaphore <- struct{}{}
		time.AfterFunc(time.Minute, func() { <-semaphore }) // longer than the request timeout
		line := timed(t, time.Hour, func(n int, r *http.Request) (*http.Response, error) {
			if len(semaphore) != 1 {
				t.Error("no slot is held during a request")
			}
			return statuses(503, 503, 404)(n, r)
		}, func(s *setup) {
			s.Semaphore = semaphore
			s.Log = func(_ context.Context, message string, _ ...map[string]any) {
				if len(semaphore) != 0 {
					t.Errorf("%q while a slot is held", message)
				}
			}
		})
		if len(semaphore) != 0 || len(line.requests) != 3 || line.requests[0] != time.Minute || line.failure == nil || line.failure.StatusCode != 404 {
			t.Errorf("%d slots still held; %+v", len(semaphore), line)
		}
	})
}

func TestReadThatHasNoTimeOrIsCanceledMakesNoRequest(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	c, request := prepare(t, server.URL())
	past, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := c.Read(past, request)
	if failure, ok := client.AsFailure(err); !ok || failure.StableReason != "no response in time" || failure.Ending != client.TimeRanOut || failure.Attempts != 0 ||
		failure.ExtraHeaders {
		t.Errorf("%+v", failure)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Read(canceled, request)
	checkCanceled(t, err)
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// A dial can notice the end of a read before the read's context does.
func TestReadThatEndsBeforeItsContextSaysThatTimeRanOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, request := prepare(t, "http://files.example.org")
		c.ServeHTTP(roundTrip(func(*http.Request) (*http.Response, error) { return answer(503, "") }))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Read(lateContext{ctx, time.Now()}, request)
		if failure, ok := client.AsFailure(err); !ok || failure.Ending != client.TimeRanOut || failure.Attempts != 1 {
			t.Errorf("%+v", failure)
		}
	})
}

// lateContext ends after its deadline.
type lateContext struct {
	context.Context //nolint:containedctx // it is one
	deadline        time.Time
}

func (c lateContext) Deadline() (time.Time, bool) { return c.deadline, true }

// An attempt that the cancellation interrupted is not the last that failed.
func TestCanceledReadSaysWhatTheLastAttemptMet(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		server   server
		attempts int
		last     string
	}{
		"while the first waits for an answer": {neverAnswer, 1, ""},
		"while a later one does": {func(n int, r *http.Request) (*http.Response, error) {
			if n < 3 {
				return answer(404, "")
			}
			return neverAnswer(n, r)
		}, 3, "status 404 Not Found"},
		"between two":               {statuses(401), 3, "status 401 Unauthorized"},
		"while it waits for a slot": {nil, 0, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, request := prepare(t, "http://files.example.org", untilReady, retry(1, time.Second, time.Second))
				if test.server == nil {
					request.Semaphore = make(chan struct{}) // has none
				}
				n := 0
				c.ServeHTTP(roundTrip(func(r *http.Request) (*http.Response, error) {
					n++
					return test.server(n, r)
				}))
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(2500*time.Millisecond, cancel)
				_, err := c.Read(ctx, request)
				checkCanceled(t, err)
				canceled, ok := errors.AsType[*client.CanceledError](err)
				if !ok || canceled.Attempts != test.attempts || (canceled.Last == nil) != (test.last == "") ||
					canceled.Error() != "reading http://files.example.org/instance was canceled" {
					t.Fatalf("%+v", err)
				}
				if canceled.Last != nil && canceled.Last.Error() != "GET http://files.example.org/instance: "+test.last {
					t.Errorf("%q", canceled.Last)
				}
			})
		})
	}
}
