package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestDelays(t *testing.T) {
	t.Parallel()
	const second, samples = time.Second, 2000
	type bounds struct{ low, high time.Duration }
	tests := map[string]struct {
		retry  Retry
		delays []bounds // of the first, the second, …
	}{
		"default": {Retry{4, second / 2, 10 * second}, []bounds{
			{second / 2, second}, {second, 2 * second}, {2 * second, 4 * second}, {4 * second, 8 * second}, {5 * second, 10 * second}, {5 * second, 10 * second},
		}},
		"one delay":     {Retry{4, second, second}, []bounds{{second, second}, {second, second}, {second, second}}},
		"little room":   {Retry{4, 9 * second, 10 * second}, []bounds{{9 * second, 10 * second}, {9 * second, 10 * second}}},
		"nanoseconds":   {Retry{4, 1, 2}, []bounds{{1, 2}, {1, 2}, {1, 2}}},
		"very long":     {Retry{4, math.MaxInt64, math.MaxInt64}, []bounds{{math.MaxInt64, math.MaxInt64}, {math.MaxInt64, math.MaxInt64}}},
		"far apart":     {Retry{4, 1000, math.MaxInt64}, []bounds{{1000, 2000}, {2000, 4000}, {4000, 8000}, {8000, 16000}}},
		"many attempts": {Retry{1 << 40, second, 2 * second}, []bounds{{second, 2 * second}, {second, 2 * second}, {second, 2 * second}, {second, 2 * second}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := make([]bounds, len(test.delays))
			for range samples {
				delays := newDelays(test.retry, time.Time{})
				for n, want := range test.delays {
					delay := delays.NextBackOff()
					if delay < want.low || delay > want.high {
						t.Fatalf("delay %d is %s, want %s to %s", n+1, delay, want.low, want.high)
					}
					if seen[n].low == 0 {
						seen[n] = bounds{delay, delay}
					}
					seen[n] = bounds{min(seen[n].low, delay), max(seen[n].high, delay)}
				}
			}
			for n, want := range test.delays {
				// Jitter: of so many, some come near either end.
				room := want.high - want.low
				if seen[n].low > want.low+room/4 || seen[n].high < want.high-room/4 {
					t.Errorf("delay %d is always from %s to %s; it should spread from %s to %s", n+1, seen[n].low, seen[n].high, want.low, want.high)
				}
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	const most = time.Duration(math.MaxInt64/int64(time.Second)) * time.Second
	tests := map[string]struct {
		value string
		want  time.Duration
	}{
		"none":               {"", noRetryAfter},
		"seconds":            {"120", 2 * time.Minute},
		"zero":               {"0", 0},
		"leading zeros":      {"007", 7 * time.Second},
		"a hundred years":    {"3153600000", 3153600000 * time.Second},
		"more than int64 ns": {"9223372037", most},
		"more than int64":    {"99999999999999999999999999", most},
		"negative":           {"-5", noRetryAfter},
		"signed":             {"+5", noRetryAfter},
		"fraction":           {"1.5", noRetryAfter},
		"exponent":           {"1e3", noRetryAfter},
		"unit":               {"5s", noRetryAfter},
		"other digits":       {"٥", noRetryAfter},
		"list":               {"5, 6", noRetryAfter},
		"words":              {"soon", noRetryAfter},
		"RFC 1123 date":      {"Sun, 01 Mar 2026 12:00:30 GMT", 30 * time.Second},
		"RFC 850 date":       {"Sunday, 01-Mar-26 12:01:00 GMT", time.Minute},
		"asctime date":       {"Sun Mar  1 13:00:00 2026", time.Hour},
		"date now":           {"Sun, 01 Mar 2026 12:00:00 GMT", 0},
		"date past":          {"Sat, 28 Feb 2026 12:00:00 GMT", 0},
		"date long past":     {"Mon, 01 Jan 0001 00:00:00 GMT", 0},
		"date far":           {"Fri, 31 Dec 9999 23:59:59 GMT", math.MaxInt64},
		"date of no day":     {"Sun, 31 Feb 2026 12:00:00 GMT", noRetryAfter},
		"ISO date":           {"2026-03-01T12:00:30Z", noRetryAfter},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := retryAfter(http.Header{"Retry-After": {test.value}}, now); got != test.want {
				t.Errorf("%q: got %s, want %s", test.value, got, test.want)
			}
		})
	}
}

// FuzzRetryAfter checks that no server can stretch a delay past its bounds or
// the read's end.
func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{"", "0", "120", "-1", "99999999999999999999", "Sun, 01 Mar 2026 12:00:30 GMT", "Sunday, 01-Mar-26 12:01:00 GMT", "Sun Mar  1 13:00:00 2026", "1e9"} {
		f.Add(value, int64(time.Second/2), int64(10*time.Second), int64(time.Minute))
	}
	f.Fuzz(func(t *testing.T, value string, shortest, longest, remaining int64) {
		retry := Retry{MaxAttempts: 4, MinDelay: time.Duration(max(shortest, 1))}
		retry.MaxDelay = max(retry.MinDelay, time.Duration(longest))
		asked := retryAfter(http.Header{"Retry-After": {value}}, time.Now())
		if asked < 0 && asked != noRetryAfter {
			t.Fatalf("%q: %s", value, asked)
		}
		for _, deadline := range []time.Time{{}, time.Now().Add(time.Duration(remaining))} {
			delays := newDelays(retry, deadline)
			delays.retryAfter = asked
			for range 3 {
				delay := delays.NextBackOff()
				if delay == backoff.Stop {
					if deadline.IsZero() || !delays.timeRanOut {
						t.Errorf("%q: stopped before a deadline", value)
					}
					continue
				}
				if delay < retry.MinDelay || delay > retry.MaxDelay {
					t.Errorf("%q: the delay is %s, want %s to %s", value, delay, retry.MinDelay, retry.MaxDelay)
				}
				if !deadline.IsZero() && delay >= time.Duration(remaining) {
					t.Errorf("%q: a delay of %s where %s are left", value, delay, time.Duration(remaining))
				}
			}
		}
	})
}

// roundTrip stands for servers: it needs no network, so that time can be fake.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func answer(status int, body string, header ...string) (*http.Response, error) {
	response := &http.Response{StatusCode: status, Header: make(http.Header), Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
	for i := 0; i < len(header); i += 2 {
		response.Header.Set(header[i], header[i+1])
	}
	return response, nil
}

func neverAnswer(request *http.Request) (*http.Response, error) {
	<-request.Context().Done()
	return nil, request.Context().Err()
}

// timed reads in fake time and returns when the attempts began, and when the
// read ended, since it began.
func timed(t *testing.T, config Config, request Request, limit time.Duration, server func(attempt int, r *http.Request) (*http.Response, error)) (attempts []time.Duration, end time.Duration, err error) {
	t.Helper()
	config.RequestTimeout = 10 * time.Second
	if config.Retry == (Retry{}) {
		config.Retry = Retry{MaxAttempts: 4, MinDelay: 500 * time.Millisecond, MaxDelay: 10 * time.Second}
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	c.foreign.RegisterProtocol("http", roundTrip(func(r *http.Request) (*http.Response, error) {
		attempts = append(attempts, time.Since(start))
		return server(len(attempts), r)
	}))
	if request.BaseURL, err = ParseBaseURL("http://files.example.org"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_, err = c.Read(ctx, request)
	return attempts, time.Since(start), err
}

// Between two attempts lies what Retry-After asks for, within the bounds.
func TestDelayBetweenAttempts(t *testing.T) {
	t.Parallel()
	const shortest, longest = 500 * time.Millisecond, 10 * time.Second
	tests := map[string]struct {
		status    int
		value     string
		low, high time.Duration // of the first delay
	}{
		"no Retry-After":  {503, "", shortest, 2 * shortest},
		"seconds":         {503, "3", 3 * time.Second, 3 * time.Second},
		"seconds, 429":    {429, "3", 3 * time.Second, 3 * time.Second},
		"500":             {500, "3", shortest, 2 * shortest},
		"502":             {502, "3", shortest, 2 * shortest},
		"504":             {504, "3", shortest, 2 * shortest},
		"408":             {408, "3", shortest, 2 * shortest},
		"zero":            {503, "0", shortest, shortest},
		"past":            {429, "Sat, 01 Jan 2000 00:00:00 GMT", shortest, shortest}, // fake time begins then
		"date":            {503, "Sat, 01 Jan 2000 00:00:07 GMT", 7 * time.Second, 7 * time.Second},
		"RFC 850 date":    {503, "Saturday, 01-Jan-00 00:00:07 GMT", 7 * time.Second, 7 * time.Second},
		"asctime date":    {503, "Sat Jan  1 00:00:07 2000", 7 * time.Second, 7 * time.Second},
		"longer":          {503, "3600", longest, longest},
		"absurd":          {503, "99999999999999999999", longest, longest},
		"date, far":       {503, "Fri, 31 Dec 9999 23:59:59 GMT", longest, longest},
		"malformed":       {503, "soon", shortest, 2 * shortest},
		"negative":        {503, "-3", shortest, 2 * shortest},
		"from a redirect": {302, "3", shortest, 2 * shortest},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				attempts, _, err := timed(t, Config{}, Request{}, time.Minute, func(attempt int, _ *http.Request) (*http.Response, error) {
					switch {
					case attempt > 1 && test.status != 302 || attempt > 2:
						return answer(200, instancetest.Newer().JSON())
					case attempt > 1:
						return answer(503, "")
					}
					return answer(test.status, "", "Retry-After", test.value, "Location", "/x")
				})
				if err != nil || len(attempts) < 2 {
					t.Fatalf("attempts at %v, error %v", attempts, err)
				}
				delay := attempts[len(attempts)-1] - attempts[len(attempts)-2]
				if delay < test.low || delay > test.high {
					t.Errorf("a delay of %s, want %s to %s", delay, test.low, test.high)
				}
			})
		})
	}
}

// What an earlier answer asked for does not count after a later one.
func TestRetryAfterIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		attempts, _, err := timed(t, Config{}, Request{}, time.Minute, func(attempt int, _ *http.Request) (*http.Response, error) {
			if attempt == 1 {
				return answer(503, "", "Retry-After", "9")
			}
			return answer(503, "")
		})
		if len(attempts) != 4 || err == nil {
			t.Fatalf("attempts at %v, error %v", attempts, err)
		}
		if first, second := attempts[1]-attempts[0], attempts[2]-attempts[1]; first != 9*time.Second || second < time.Second || second > 2*time.Second {
			t.Errorf("delays of %s and %s, want 9s and 1s to 2s", first, second)
		}
	})
}

// No read takes longer than its deadline, whatever the instance does.
func TestReadEndsInTime(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		limit      time.Duration
		untilReady bool
		server     func(attempt int, r *http.Request) (*http.Response, error)
		kind       Kind
		ranOut     bool
		attempts   [2]int // at least and at most
		end        [2]time.Duration
	}{
		"silent": {
			time.Hour, false, func(_ int, r *http.Request) (*http.Response, error) { return neverAnswer(r) },
			KindTimeout, false, [2]int{4, 4}, [2]time.Duration{43*time.Second + 500*time.Millisecond, 47 * time.Second},
		},
		"silent, to the end": {
			25 * time.Second, false, func(_ int, r *http.Request) (*http.Response, error) { return neverAnswer(r) },
			KindTimeout, true, [2]int{3, 3}, [2]time.Duration{25 * time.Second, 25 * time.Second},
		},
		"silent, for less than an attempt": {
			9 * time.Second, false, func(_ int, r *http.Request) (*http.Response, error) { return neverAnswer(r) },
			KindNoTime, true, [2]int{1, 1}, [2]time.Duration{9 * time.Second, 9 * time.Second},
		},
		"silent until ready": {
			10 * time.Minute, true, func(_ int, r *http.Request) (*http.Response, error) { return neverAnswer(r) },
			KindTimeout, true, [2]int{30, 45}, [2]time.Duration{10*time.Minute - 500*time.Millisecond, 10 * time.Minute},
		},
		"Retry-After past the end": {
			8 * time.Second, false, func(int, *http.Request) (*http.Response, error) { return answer(503, "", "Retry-After", "60") },
			KindStatus, false, [2]int{4, 4}, [2]time.Duration{7 * time.Second, 8 * time.Second},
		},
		"Retry-After, until ready": {
			time.Minute, true, func(int, *http.Request) (*http.Response, error) { return answer(429, "", "Retry-After", "86400") },
			KindStatus, true, [2]int{7, 15}, [2]time.Duration{58 * time.Second, time.Minute},
		},
		"not HTTP until ready": {
			10 * time.Minute, true, func(int, *http.Request) (*http.Response, error) { return nil, errors.New("no HTTP") },
			KindProtocol, true, [2]int{60, 140}, [2]time.Duration{10*time.Minute - 11*time.Second, 10 * time.Minute},
		},
		"no room for a delay": {
			400 * time.Millisecond, true, func(int, *http.Request) (*http.Response, error) { return answer(503, "") },
			KindStatus, true, [2]int{1, 1}, [2]time.Duration{0, 0},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				attempts, end, err := timed(t, Config{}, Request{UntilReady: test.untilReady}, test.limit, test.server)
				failure, ok := AsFailure(err)
				if !ok || failure.Kind != test.kind || failure.TimeRanOut != test.ranOut {
					t.Fatalf("error %+v, want kind %d and the time run out: %t", err, test.kind, test.ranOut)
				}
				if n := len(attempts); n < test.attempts[0] || n > test.attempts[1] || failure.Attempts != n {
					t.Errorf("%d attempts, want %v; the failure says %d", n, test.attempts, failure.Attempts)
				}
				if end < test.end[0] || end > test.end[1] {
					t.Errorf("ended after %s, want %v", end, test.end)
				}
			})
		})
	}
}

// A read that runs out of time fails with the last failure that had a reason of
// its own.
func TestDeadlineKeepsTheLastReason(t *testing.T) {
	t.Parallel()
	const untrusted = -1 // in place of a status
	tests := map[string]struct {
		script []int // statuses; then it is silent
		kind   Kind
		reason string
	}{
		"none":        {nil, KindNoTime, "no response before the time for the read ran out"},
		"status":      {[]int{502}, KindStatus, "status 502 Bad Gateway"},
		"last of two": {[]int{502, 503}, KindStatus, "status 503 Service Unavailable"},
		"certificate": {[]int{untrusted}, KindCertificate, "certificate signed by unknown authority"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const limit = 9 * time.Second // less than an attempt may take
				_, end, err := timed(t, Config{}, Request{UntilReady: true}, limit, func(attempt int, r *http.Request) (*http.Response, error) {
					switch {
					case attempt > len(test.script):
						return neverAnswer(r)
					case test.script[attempt-1] == untrusted:
						return nil, &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
					default:
						return answer(test.script[attempt-1], "")
					}
				})
				failure, ok := AsFailure(err)
				if !ok || failure.Kind != test.kind || failure.Reason != test.reason || !failure.TimeRanOut {
					t.Fatalf("error %+v, want kind %d, %q and that the time ran out", err, test.kind, test.reason)
				}
				if failure.Attempts != len(test.script)+1 || end != limit {
					t.Errorf("%d attempts in %s, want %d in %s", failure.Attempts, end, len(test.script)+1, limit)
				}
			})
		})
	}
}

// A failure counts attempts that were made, not those that were waited for.
func TestAttemptsThatWereMade(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		admitted int // attempts, before the read waits in vain
		kind     Kind
		reason   string
	}{
		"none": {0, KindNoTime, "no request was made before the time for the read ran out"},
		"one":  {1, KindStatus, "status 503 Service Unavailable"},
		"two":  {2, KindStatus, "status 503 Service Unavailable"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				admit := func(ctx context.Context) (func(), error) {
					if asked++; asked <= test.admitted {
						return func() {}, nil
					}
					<-ctx.Done()
					return nil, ctx.Err()
				}
				attempts, end, err := timed(t, Config{}, Request{Admit: admit}, time.Minute, func(int, *http.Request) (*http.Response, error) {
					return answer(503, "")
				})
				failure, ok := AsFailure(err)
				if !ok || failure.Kind != test.kind || failure.Reason != test.reason || !failure.TimeRanOut {
					t.Fatalf("error %+v, want kind %d, %q and that the time ran out", err, test.kind, test.reason)
				}
				if failure.Attempts != test.admitted || len(attempts) != test.admitted || end != time.Minute {
					t.Errorf("the failure says %d attempts, %d were made, want %d; ended after %s", failure.Attempts, len(attempts), test.admitted, end)
				}
			})
		})
	}
}

// An instance that gets ready is read soon after.
func TestUntilReadyFindsReadyInstance(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{time.Second, time.Minute, 9 * time.Minute} {
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ready := time.Now().Add(after)
				_, end, err := timed(t, Config{}, Request{UntilReady: true}, 10*time.Minute, func(int, *http.Request) (*http.Response, error) {
					if time.Now().Before(ready) {
						return answer(404, "no route")
					}
					return answer(200, instancetest.Older().JSON())
				})
				if err != nil || end < after || end > after+10*time.Second {
					t.Errorf("ended after %s, error %v", end, err)
				}
			})
		})
	}
}

// What is ready just before the end is still found when the server's delay
// would have gone past it.
func TestLastAttemptBeforeTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ready := time.Now().Add(3 * time.Second)
		_, end, err := timed(t, Config{}, Request{}, 8*time.Second, func(int, *http.Request) (*http.Response, error) {
			if time.Now().Before(ready) {
				return answer(503, "", "Retry-After", "10")
			}
			return answer(200, instancetest.Older().JSON())
		})
		if err != nil || end != 4*time.Second {
			t.Errorf("ended after %s, error %v", end, err)
		}
	})
}

// Cancelling ends a delay, and an attempt, in no time.
func TestCancelTakesNoTime(t *testing.T) {
	t.Parallel()
	servers := map[string]func(int, *http.Request) (*http.Response, error){
		"in a delay":    func(int, *http.Request) (*http.Response, error) { return answer(503, "", "Retry-After", "10") },
		"in an attempt": func(_ int, r *http.Request) (*http.Response, error) { return neverAnswer(r) },
	}
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, err := New(Config{RequestTimeout: time.Minute, Retry: Retry{MaxAttempts: 4, MinDelay: time.Minute, MaxDelay: time.Hour}})
				if err != nil {
					t.Fatal(err)
				}
				c.foreign.RegisterProtocol("http", roundTrip(func(r *http.Request) (*http.Response, error) { return server(1, r) }))
				baseURL, err := ParseBaseURL("http://files.example.org")
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				start := time.Now()
				time.AfterFunc(3*time.Second, cancel)
				_, err = c.Read(ctx, Request{BaseURL: baseURL})
				if _, failed := AsFailure(err); failed || !errors.Is(err, context.Canceled) || time.Since(start) != 3*time.Second {
					t.Errorf("after %s: %v", time.Since(start), err)
				}
			})
		})
	}
}
