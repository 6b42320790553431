package client_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"maps"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A read does not last longer than its limit, does not give up earlier than it must, and says whether the limit ended it. The delay
// before the last attempt is so short that a second is left for it, or half of the time.
func TestReadUsesItsTimeAndNoMore(t *testing.T) {
	t.Parallel()
	const busy = "status 503 Service Unavailable"
	tests := map[string]struct {
		limit   time.Duration
		answers []string
		want    string
	}{
		"never ready":            {time.Hour, []string{"503"}, "asked at [0s 1s 2s 3s], at 3s gave up: " + busy},
		"short limit":            {2 * time.Second, []string{"503"}, "asked at [0s 1s 1.5s], at 1.5s out of time: " + busy},
		"shorter than a delay":   {200 * time.Millisecond, []string{"503"}, "asked at [0s 100ms], at 100ms out of time: " + busy},
		"ready for the last one": {2 * time.Second, []string{"503", "503", "ready"}, "asked at [0s 1s 1.5s], at 1.5s ready"},

		"silent":             {time.Hour, []string{"silent"}, "asked at [0s 11s 22s 33s], at 43s gave up: no response in time (timed out)"},
		"silent, short":      {25 * time.Second, []string{"silent"}, "asked at [0s 11s 22s], at 25s out of time: no response in time (timed out)"},
		"silent, very short": {9 * time.Second, []string{"silent"}, "asked at [0s], at 9s out of time: no response in time"},
		"silent after a 503": {9 * time.Second, []string{"502", "503", "silent"}, "asked at [0s 1s 2s], at 9s out of time: " + busy},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			fake := serve(t, steady(time.Second), script(test.answers...))
			check(t, name+": outcome", fake.outcome(fake.read(t, test.limit)), test.want)
		})
	}
}

// A wait makes as many attempts as fit, also after failures that are final for a read.
func TestWaitUsesItsTimeAndNoMore(t *testing.T) {
	t.Parallel()
	untrusted := func(int, *http.Request) (*http.Response, error) {
		return nil, &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	}
	tests := map[string]struct {
		limit  time.Duration
		answer answerFunc
		want   string
	}{
		"not found": {5 * time.Second, script("404"), "asked at [0s 1s 2s 3s 4s 4.5s], at 4.5s out of time: status 404 Not Found"},
		"untrusted": {2 * time.Second, untrusted, "asked at [0s 1s 1.5s], at 1.5s out of time: certificate not trusted"},
		"silent":    {time.Minute, script("silent"), "asked at [0s 11s 22s 33s 44s 55s], at 1m0s out of time: no response in time (timed out)"},
		"ready":     {time.Minute, script("503", "503", "503", "503", "503", "ready"), "asked at [0s 1s 2s 3s 4s 5s], at 5s ready"},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			fake := serve(t, steady(time.Second), test.answer)
			check(t, name+": outcome", fake.outcome(fake.wait(t, test.limit, anything())), test.want)
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
		least, longest time.Duration // of the first delay
	}{
		"503":        {503, "5", 5 * time.Second, 6 * time.Second},
		"429":        {429, "4", 4 * time.Second, 6 * time.Second},
		"very long":  {503, "3600", 6 * time.Second, 6 * time.Second},
		"very short": {503, "1", 2 * time.Second, 6 * time.Second},
		"408":        {408, "5", 2 * time.Second, 4 * time.Second},
		"500":        {500, "5", 2 * time.Second, 4 * time.Second},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			config := steady(2 * time.Second)
			config.Retry.MaxAttempts, config.Retry.MaxDelay = 9, 6*time.Second
			fake := serve(t, config, func(int, *http.Request) (*http.Response, error) {
				return response(test.status, "", "Retry-After", test.retryAfter)
			})
			delays := make(map[time.Duration]bool)
			for range 20 {
				fake.requests = nil
				_ = fake.read(t, time.Minute)
				delays[fake.requests[1]-fake.requests[0]] = true
			}
			shortest, longest := slices.Min(slices.Collect(maps.Keys(delays))), slices.Max(slices.Collect(maps.Keys(delays)))
			if shortest < test.least || longest > test.longest || len(delays) == 1 && test.least < test.longest {
				t.Errorf("%s: %d delays from %s to %s, want them spread from %s to %s", name, len(delays), shortest, longest, test.least, test.longest)
			}
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
		fake.answer = func(n int, r *http.Request) (*http.Response, error) {
			go take() // as soon as this attempt is over
			return script("503")(n, r)
		}
		err := fake.read(t, time.Minute)
		check(t, "outcome", fake.outcome(err), "asked at [0s], at 1m0s out of time: status 503 Service Unavailable")
		fake.start, fake.requests = time.Now(), nil
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
		fake := serve(t, config, func(n int, r *http.Request) (*http.Response, error) {
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
		checkCanceled(t, fake.ended(t, err))
		check(t, "outcome", fake.outcome(err), "asked at [], at 0s canceled")
	})
}

// An attempt that the cancellation interrupted says nothing about the instance. The one before it does, if it failed.
func TestCanceledWaitSaysWhatTheLastAttemptMet(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answers   []string
		lastClass string
	}{
		"while the first waits for an answer": {[]string{"silent"}, ""},
		"while a later one does":              {[]string{"404", "404", "silent"}, "status 404 Not Found"},
		"between two":                         {[]string{"401"}, "status 401 Unauthorized"},
		"while it stays as expected":          {[]string{"503", "ready"}, ""},
		"as it always was as expected":        {[]string{"ready"}, ""},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			fake := serve(t, steady(time.Second), script(test.answers...))
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(2500*time.Millisecond, cancel)
			_, err := fake.client.Wait(ctx, fake.request, stableFor(time.Minute))
			checkCanceled(t, fake.ended(t, err))
			class := ""
			if failure := readErrorOf(err).Failure; failure != nil {
				class = failure.Class()
			}
			check(t, name+": Class of the last failure", class, test.lastClass)
			check(t, name+": end", fake.elapsed(), 2500*time.Millisecond)
		})
	}
}
