package client_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const fakeURL = "http://files.example.org"

// answerFunc answers the n-th request.
type answerFunc func(n int, r *http.Request) (*http.Response, error)

// fakeInstance is an instance without a network, so that time can be fake.
type fakeInstance struct {
	answer   answerFunc
	start    time.Time
	requests []time.Duration // when they came, since start
}

// serve has an instance answer all requests of a client. It starts now.
func serve(c *client.Client, answer answerFunc) *fakeInstance {
	fake := &fakeInstance{answer: answer, start: time.Now()}
	c.ServeHTTP(fake)
	return fake
}

func (f *fakeInstance) RoundTrip(request *http.Request) (*http.Response, error) {
	f.requests = append(f.requests, f.elapsed())
	return f.answer(len(f.requests), request)
}

func (f *fakeInstance) elapsed() time.Duration { return time.Since(f.start) }

// response returns a response with the names and values of headers.
func response(status int, body string, headers ...string) (*http.Response, error) {
	header := make(http.Header)
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
}

// statuses answers one status after the other, and then the last.
func statuses(statuses ...int) answerFunc {
	return func(n int, _ *http.Request) (*http.Response, error) {
		return response(statuses[min(n, len(statuses))-1], "")
	}
}

// statusesThenSilence answers one status after the other, and then nothing.
func statusesThenSilence(statuses ...int) answerFunc {
	return func(n int, r *http.Request) (*http.Response, error) {
		if n <= len(statuses) {
			return response(statuses[n-1], "")
		}
		connection, other := net.Pipe()
		defer connection.Close()
		defer other.Close()
		httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{Conn: connection})
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
}

// readyAfter answers a status until d after the first request, and then a document.
func readyAfter(d time.Duration, status int, headers ...string) answerFunc {
	var ready time.Time
	return func(n int, _ *http.Request) (*http.Response, error) {
		if n == 1 {
			ready = time.Now().Add(d)
		}
		if time.Now().Before(ready) {
			return response(status, "", headers...)
		}
		return response(200, instancetest.Older().JSON())
	}
}

// providerConfig is the configuration that the provider has by default.
func providerConfig() client.Config {
	config := newConfig()
	config.RequestTimeout = 10 * time.Second
	config.Retry = client.Retry{MaxAttempts: 4, MinDelay: 500 * time.Millisecond, MaxDelay: 10 * time.Second}
	return config
}

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
				c := newClient(t, providerConfig())
				fake := serve(c, readyAfter(time.Nanosecond, test.status, "Retry-After", test.value))
				mustRead(t, c, newRequest(t, fakeURL))
				if delay := fake.elapsed(); len(fake.requests) != 2 || delay < test.low || delay > test.high {
					t.Errorf("%d requests, with a delay of %s, want 2, with %s to %s", len(fake.requests), delay, test.low, test.high)
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
		limit    time.Duration
		wait     bool
		retry    client.Retry
		answer   answerFunc
		class    string // of the failure, or "" for success
		ending   client.Ending
		timedOut bool
		requests [2]int // at least, and at most
		end      [2]time.Duration
	}{
		"silent": {limit: time.Hour, answer: statusesThenSilence(), class: silent, timedOut: true,
			requests: [2]int{4, 4}, end: [2]time.Duration{43*second + second/2, 47 * second}},
		"silent to the end": {limit: 25 * second, answer: statusesThenSilence(), class: silent, ending: client.TimeRanOut, timedOut: true,
			requests: [2]int{3, 3}, end: [2]time.Duration{25 * second, 25 * second}},
		"silent for one attempt": {limit: 9 * second, answer: statusesThenSilence(), class: silent, ending: client.TimeRanOut,
			requests: [2]int{1, 1}, end: [2]time.Duration{9 * second, 9 * second}},
		"silent until ready": {limit: 600 * second, wait: true, answer: statusesThenSilence(), class: silent, ending: client.TimeRanOut,
			timedOut: true, requests: [2]int{30, 60}, end: [2]time.Duration{600 * second, 600 * second}},
		"not trusted until ready": {limit: 600 * second, wait: true, answer: untrusted, class: "certificate not trusted",
			ending: client.NoTimeLeft, requests: [2]int{60, 140}, end: [2]time.Duration{599 * second, 600 * second}},
		"Retry-After, until ready": {limit: 60 * second, wait: true,
			answer: readyAfter(time.Hour, 429, "Retry-After", "86400"), class: "status 429 Too Many Requests",
			ending: client.NoTimeLeft, requests: [2]int{7, 7}, end: [2]time.Duration{59 * second, 59 * second}},
		"Retry-After past the end": {limit: 8 * second, answer: readyAfter(time.Hour, 503, "Retry-After", "60"), class: busy,
			ending: client.NoTimeLeft, requests: [2]int{2, 2}, end: [2]time.Duration{7 * second, 7 * second}},
		"Retry-After just in time": {limit: 8 * second, answer: readyAfter(time.Hour, 503, "Retry-After", "7"), class: busy,
			ending: client.NoTimeLeft, requests: [2]int{3, 3}, end: [2]time.Duration{7*second + second/2, 7*second + second/2}},
		"Retry-After, then none": {limit: 60 * second, answer: func(n int, _ *http.Request) (*http.Response, error) {
			return response(503, "", "Retry-After", []string{"9", ""}[min(n, 2)-1])
		}, class: busy, requests: [2]int{4, 4}, end: [2]time.Duration{12 * second, 15 * second}},
		"very little time": {limit: second / 5, wait: true, answer: statuses(503), class: busy, ending: client.NoTimeLeft,
			requests: [2]int{2, 2}, end: [2]time.Duration{second / 10, second / 10}},
		"ready just before the end": {limit: 8 * second, retry: client.Retry{MaxAttempts: 4, MinDelay: 5 * second, MaxDelay: 5 * second},
			answer: readyAfter(6500*time.Millisecond, 503), requests: [2]int{3, 3}, end: [2]time.Duration{7 * second, 7 * second}},
		"attempts used up": {limit: 60 * second, answer: statuses(503), class: busy,
			requests: [2]int{4, 4}, end: [2]time.Duration{3*second + second/2, 7 * second}},
		"one attempt": {limit: 60 * second, retry: client.Retry{MaxAttempts: 1, MinDelay: second, MaxDelay: second}, answer: statuses(503), class: busy,
			requests: [2]int{1, 1}, end: [2]time.Duration{0, 0}},
		"last attempt has nothing new": {limit: 9 * second, answer: statusesThenSilence(502, 503), class: busy, ending: client.TimeRanOut,
			requests: [2]int{3, 3}, end: [2]time.Duration{9 * second, 9 * second}},
		"ready after a minute": {limit: 600 * second, wait: true, answer: readyAfter(time.Minute, 503),
			requests: [2]int{10, 20}, end: [2]time.Duration{60 * second, 70 * second}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				config := providerConfig()
				config.Retry = cmp.Or(test.retry, config.Retry)
				c, request := newClient(t, config), newRequest(t, fakeURL)
				fake := serve(c, test.answer)
				ctx, cancel := context.WithTimeout(t.Context(), test.limit)
				defer cancel()
				var err error
				if test.wait {
					_, err = c.Wait(ctx, request, client.Condition{})
				} else {
					_, err = c.Read(ctx, request)
				}
				if n := len(fake.requests); n < test.requests[0] || n > test.requests[1] {
					t.Errorf("number of requests: got %d, want %d to %d", n, test.requests[0], test.requests[1])
				}
				if end := fake.elapsed(); end < test.end[0] || end > test.end[1] {
					t.Errorf("end: got %s, want %s to %s", end, test.end[0], test.end[1])
				}
				if test.class == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				got := checkReadError(t, err, request)
				check(t, "Class", got.Failure.Class, test.class)
				check(t, "Ending", got.Ending, test.ending)
				check(t, "OutOfTime()", got.OutOfTime(), test.ending != client.GaveUp)
				check(t, "TimedOut", got.Failure.TimedOut, test.timedOut)
				check(t, "Attempts", got.Attempts, len(fake.requests))
			})
		})
	}
}

// Attempts for which a read waits in vain are not counted as made.
func TestWaitForASlotIsNoAttempt(t *testing.T) {
	t.Parallel()
	for made, class := range []string{"no response in time", "status 503 Service Unavailable", "status 503 Service Unavailable"} {
		t.Run(strconv.Itoa(made), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, request := newClient(t, providerConfig()), newRequest(t, fakeURL)
				request.Semaphore = make(chan struct{}, 1)
				take := func() { request.Semaphore <- struct{}{} } // for good
				if made == 0 {
					take()
				}
				fake := serve(c, func(n int, _ *http.Request) (*http.Response, error) {
					if n == made {
						go take() // as soon as this attempt is over
					}
					return response(503, "")
				})
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				_, err := c.Read(ctx, request)
				got := client.AsReadError(err)
				check(t, "Class", got.Failure.Class, class)
				check(t, "Ending", got.Ending, client.TimeRanOut)
				check(t, "Attempts", got.Attempts, made)
				check(t, "number of requests", len(fake.requests), made)
				check(t, "end", fake.elapsed(), time.Minute)
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
		config := providerConfig()
		config.Log = func(_ context.Context, message string, _ ...map[string]any) {
			check(t, "number of slots held at "+message, len(semaphore), 0)
		}
		c, request := newClient(t, config), newRequest(t, fakeURL)
		request.Semaphore, request.Headers = semaphore, nil
		fake := serve(c, func(n int, r *http.Request) (*http.Response, error) {
			check(t, "number of slots held during a request", len(semaphore), 1)
			return statuses(503, 503, 404)(n, r)
		})
		_, err := c.Read(t.Context(), request)
		check(t, "StatusCode", checkReadError(t, err, request).Failure.StatusCode, 404)
		check(t, "first request", fake.requests[0], time.Minute)
		check(t, "number of slots held at the end", len(semaphore), 0)
	})
}

func TestReadThatHasNoTimeOrIsCanceledMakesNoRequest(t *testing.T) {
	t.Parallel()
	c, request := newClient(t, newConfig()), newRequest(t, fakeURL)
	fake := serve(c, statuses(200))
	past, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := c.Read(past, request)
	got := client.AsReadError(err)
	check(t, "Class", got.Failure.Class, "no response in time")
	check(t, "Ending", got.Ending, client.TimeRanOut)
	check(t, "Attempts", got.Attempts, 0)
	check(t, "HeadersSent", got.Failure.HeadersSent, false)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Read(canceled, request)
	checkCanceled(t, err)
	check(t, "number of requests", len(fake.requests), 0)
}

// A dial can notice the end of a read before the read's context does.
func TestReadThatEndsBeforeItsContextSaysThatTimeRanOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, request := newClient(t, newConfig()), newRequest(t, fakeURL)
		serve(c, statuses(503))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Read(lateContext{ctx, time.Now()}, request)
		got := checkReadError(t, err, request)
		check(t, "Ending", got.Ending, client.TimeRanOut)
		check(t, "Attempts", got.Attempts, 1)
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
		answer    answerFunc
		noSlot    bool
		lastClass string
	}{
		"while the first waits for an answer": {statusesThenSilence(), false, ""},
		"while a later one does":              {statusesThenSilence(404, 404), false, "status 404 Not Found"},
		"between two":                         {statuses(401), false, "status 401 Unauthorized"},
		"while it waits for a slot":           {nil, true, ""},
		"while it stays as expected":          {script("down", "ready"), false, "status 503 Service Unavailable"},
		"as it always was as expected":        {script("ready"), false, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				config := providerConfig()
				config.Retry = client.Retry{MaxAttempts: 1, MinDelay: time.Second, MaxDelay: time.Second}
				c, request := newClient(t, config), newRequest(t, fakeURL)
				if test.noSlot {
					request.Semaphore = make(chan struct{})
				}
				fake := serve(c, test.answer)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(2500*time.Millisecond, cancel)
				_, err := c.Wait(ctx, request, stableFor(time.Minute))
				checkCanceled(t, err)
				got := client.AsReadError(err)
				check(t, "Error()", got.Error(), "GET "+fakeURL+"/instance: canceled")
				check(t, "OutOfTime()", got.OutOfTime(), false)
				check(t, "Attempts", got.Attempts, len(fake.requests))
				check(t, "Streak.Attempts", got.Streak.Attempts, 0) // it has not ended
				check(t, "end", fake.elapsed(), 2500*time.Millisecond)
				lastClass := ""
				if got.Failure != nil {
					lastClass = got.Failure.Class
				}
				check(t, "Class of the last failure", lastClass, test.lastClass)
			})
		})
	}
}
