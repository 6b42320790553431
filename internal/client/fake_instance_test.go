package client_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const fakeURL = "http://files.example.org"

// answerFunc answers the n-th request.
type answerFunc func(n int, r *http.Request) (*http.Response, error)

// fakeInstance is the instance at fakeURL without a network, so that time can be fake, and a client that reads it.
type fakeInstance struct {
	client   *client.Client
	request  client.Request
	answer   answerFunc
	start    time.Time
	requests []time.Duration // when they came, since start
}

// serve starts a fake instance now.
func serve(t *testing.T, config client.Config, answer answerFunc) *fakeInstance {
	t.Helper()
	fake := &fakeInstance{newClient(t, config), newRequest(t, fakeURL), answer, time.Now(), nil}
	fake.client.ServeHTTP(fake)
	return fake
}

func (f *fakeInstance) RoundTrip(request *http.Request) (*http.Response, error) {
	f.requests = append(f.requests, f.elapsed())
	return f.answer(len(f.requests), request)
}

func (f *fakeInstance) elapsed() time.Duration { return time.Since(f.start) }

// read makes a read that may last as long as limit.
func (f *fakeInstance) read(t *testing.T, limit time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_, err := f.client.Read(ctx, f.request)
	return f.ended(t, err)
}

// wait makes a wait that may last as long as limit.
func (f *fakeInstance) wait(t *testing.T, limit time.Duration, until client.Condition) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_, err := f.client.Wait(ctx, f.request, until)
	return f.ended(t, err)
}

// ended checks what holds for the errors of all reads and waits, and returns err.
func (f *fakeInstance) ended(t *testing.T, err error) error {
	t.Helper()
	if got := readErrorOf(err); got != nil {
		check(t, "Attempts", got.Attempts, len(f.requests))
	}
	return err
}

// outcome says when requests came, and how the read with this error has just ended, as in "asked at [0s 1s], at 1s gave up: status
// 404 Not Found". "(timed out)" means that the attempt took longer than the request timeout.
func (f *fakeInstance) outcome(err error) string {
	outcome := fmt.Sprintf("asked at %v, at %s ", f.requests, f.elapsed())
	if err == nil {
		return outcome + "ready"
	}
	got := readErrorOf(err)
	outcome += map[client.Ending]string{client.GaveUp: "gave up", client.OutOfTime: "out of time", client.Canceled: "canceled"}[got.Ending]
	if got.Failure != nil {
		outcome += ": " + got.Failure.Class()
	}
	if got.Failure != nil && got.Failure.TimedOut {
		outcome += " (timed out)"
	}
	return outcome
}

// script answers one request after the other, and then as the last: with a status such as "503", "ready" with a document as
// stableFor expects it, "old" with another document, or "silent" not at all.
func script(answers ...string) answerFunc {
	return func(n int, r *http.Request) (*http.Response, error) {
		switch answer := answers[min(n, len(answers))-1]; answer {
		case "ready":
			return response(200, instancetest.Newer().JSON())
		case "old":
			return response(200, instancetest.Older().JSON())
		case "silent":
			connection, other := net.Pipe()
			defer connection.Close()
			defer other.Close()
			httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{Conn: connection})
			<-r.Context().Done()
			return nil, r.Context().Err()
		default:
			status, _ := strconv.Atoi(answer)
			return response(status, "")
		}
	}
}

// response returns a response with the names and values of headers.
func response(status int, body string, headers ...string) (*http.Response, error) {
	header := make(http.Header)
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
}

// steady is a configuration with the same delay after each failure.
func steady(delay time.Duration) client.Config {
	config := newConfig()
	config.RequestTimeout = 10 * time.Second
	config.Retry = client.Retry{MaxAttempts: 4, MinDelay: delay, MaxDelay: delay}
	return config
}

// stableFor is the condition that an instance has the chunk size of instancetest.Newer() for as long.
func stableFor(d time.Duration) client.Condition {
	return client.Condition{StableFor: d, Differences: func(details *instance.Details) []client.Difference {
		if details.ChunkSizeBytes == 20000000 {
			return nil
		}
		return []client.Difference{
			{Name: "chunk_size", Reported: "10000000", Expected: "20000000"}, {Name: "api_version", Reported: "1.3.2", Expected: "2.1.5"},
		}
	}}
}
