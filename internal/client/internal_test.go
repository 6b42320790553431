package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// These errors a server on this machine brings about only by chance, or only on Windows.
func TestKindAndReason(t *testing.T) {
	t.Parallel()
	const reset, peek = "connection reset by peer", "net/http: HTTP/1.x transport connection broken: " +
		"readLoopPeekFailLocked: %!w(<nil>)" // what Go says of a server that speaks first
	here, there := &net.TCPAddr{Port: 50151}, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}
	unreachable := &net.OpError{Op: "dial", Net: "tcp", Source: here, Addr: there, Err: errors.New("no route to host")}
	unreachableProxy := &net.OpError{Op: "proxyconnect", Net: "tcp", Err: unreachable}
	for name, test := range map[string]struct {
		err    error
		kind   Kind
		reason string
	}{
		"reset in a dial":     {&net.OpError{Op: "dial", Err: syscall.ECONNRESET}, NoValidResponse, reset},
		"write after a reset": {&net.OpError{Op: "write", Err: syscall.EPIPE}, NoValidResponse, reset},
		"reset on Windows":    {&net.OpError{Op: "read", Err: syscall.Errno(10054)}, NoValidResponse, reset},
		"abort on Windows":    {&net.OpError{Op: "read", Err: syscall.Errno(10053)}, NoValidResponse, reset},
		"no route":            {unreachable, ConnectionFailed, "dial tcp 192.0.2.1:443: no route to host"},
		"no route to a proxy": {unreachableProxy, ProxyFailed, "proxyconnect tcp: dial tcp 192.0.2.1:443: no route to host"},
		"silent CONNECT":      {context.DeadlineExceeded, NoResponseInTime, "no response in time"},
		"SOCKS proxy":         {&net.OpError{Op: "socks connect", Err: io.EOF}, ProxyFailed, "socks connect: EOF"},
		"error of this side":  {&net.OpError{Op: "local error", Err: io.EOF}, HandshakeFailed, "local error: EOF"},
		"oversized record":    {tls.RecordHeaderError{Msg: "oversized record"}, HandshakeFailed, "tls: oversized record"},
		"TLS 1.0 selected":    {errors.New("tls: unsupported version"), HandshakeFailed, "tls: unsupported version"},
		"closed while idle":   {errors.New("http: server closed idle connection"), NoValidResponse, "EOF"},
		"wrapped end":         {fmt.Errorf("transport: %w", io.EOF), NoValidResponse, "EOF"},
		"broken transport":    {errors.New("net/http: HTTP/1.x transport connection broken: x"), NoValidResponse, "x"},
		"speaks first":        {errors.New(peek), NoValidResponse, "the server sent something before it was asked"},
	} {
		kind := kind(test.err, false, false)
		if reason := reason(test.err, kind); kind != test.kind || reason != test.reason {
			t.Errorf("%s: got %q, %q, want %q, %q", name, kind, reason, test.kind, test.reason)
		}
	}
}

func TestBackoffGrowsAndIsSpreadOut(t *testing.T) {
	t.Parallel()
	const s, forever = time.Second, time.Duration(math.MaxInt64)
	type ranges [][2]time.Duration // of the first delay, the second, …, over which delays are spread
	for name, test := range map[string]struct {
		retry      Retry
		retryAfter time.Duration
		want       ranges
	}{
		"default":           {Retry{4, s, 6 * s}, 0, ranges{{s, 2 * s}, {2 * s, 4 * s}, {3 * s, 6 * s}, {3 * s, 6 * s}}},
		"close":             {Retry{4, 2 * s, 3 * s}, 0, ranges{{2 * s, 3 * s}, {2 * s, 3 * s}}},
		"reversed":          {Retry{4, s, s / 2}, 0, ranges{{s, s}, {s, s}}},
		"very long":         {Retry{4, forever, forever}, s, ranges{{forever, forever}, {forever, forever}}},
		"Retry-After":       {Retry{4, s, 60 * s}, 30 * s, ranges{{30 * s, 31 * s}, {30 * s, 32 * s}}},
		"Retry-After, long": {Retry{4, s, 10 * s}, 30 * s, ranges{{9 * s, 10 * s}, {8 * s, 10 * s}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			delays := make([][]time.Duration, len(test.want))
			for range 500 {
				backoff := backoff{retry: test.retry}
				for n := range delays {
					delays[n] = append(delays[n], backoff.next(test.retryAfter))
				}
			}
			for n, want := range test.want {
				near := (want[1] - want[0]) / 4 // of so many delays, some are near either end
				shortest, longest := slices.Min(delays[n]), slices.Max(delays[n])
				if shortest < want[0] || shortest > want[0]+near || longest > want[1] || longest < want[1]-near {
					t.Errorf("delay %d is from %s to %s, want it spread from %s to %s", n+1, shortest, longest, want[0], want[1])
				}
			}
		})
	}
}

func TestRetryAfterIsReadInEveryForm(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // in fake time, which begins at midnight
		for value, want := range map[string]time.Duration{
			"": 0, "-5": 0, "1.5": 0, "soon": 0, "120": 2 * time.Minute, "99999999999999999999": math.MaxInt32 * time.Second,
			"Sat, 01 Jan 2000 00:00:30 GMT": 30 * time.Second, "Fri, 31 Dec 1999 23:59:59 GMT": 0,
			"Sat Jan  1 01:00:00 2000": time.Hour, // the form of asctime
		} {
			for status, want := range map[int]time.Duration{503: want, 429: want, 500: 0} {
				response := &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {value}}}
				if got := retryAfter(response); got != want {
					t.Errorf("%q with the status %d: got %s, want %s", value, status, got, want)
				}
			}
		}
	})
}

// A name may have two addresses that both answer, and the second one is dropped.
func TestPeerIsTheFirst(t *testing.T) {
	t.Parallel()
	conn := new(connection)
	trace := httptrace.ContextClientTrace(conn.context(t.Context()))
	trace.ConnectDone("tcp", "[2001:db8::1]:443", io.EOF)
	trace.ConnectDone("tcp", "192.0.2.1:443", nil)
	trace.ConnectDone("tcp", "192.0.2.2:443", nil)
	if peer := conn.peer.Load(); *peer != "192.0.2.1:443" {
		t.Errorf("the peer is %s", *peer)
	}
}

// While a machine is suspended, its monotonic clock stands still, so gaps are measured without it.
func TestGapCountsByTheClockOfTheSystem(t *testing.T) {
	t.Parallel()
	var s streak
	s.add(Route{}, time.Now())
	if s.readAt != s.readAt.Round(0) {
		t.Errorf("readAt is %s, want it without a monotonic clock", s.readAt)
	}
}
