package client

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Retry says how attempts follow each other.
type Retry struct {
	// MaxAttempts counts the first; at least 1.
	MaxAttempts int64
	// MinDelay and MaxDelay bound the delay before every further attempt.
	MinDelay, MaxDelay time.Duration
}

// noRetryAfter is Failure.retryAfter where the server asked for no delay.
const noRetryAfter = time.Duration(-1)

// delays computes the delay before each further attempt of one read.
//
// They grow exponentially and are random ("exponential backoff and jitter"):
// the n-th is between MinDelay*2^(n-1) and twice that; once that would exceed
// MaxDelay, between half of MaxDelay and MaxDelay.
// What a server asks for with Retry-After takes their place within the same
// bounds.
type delays struct {
	retry       Retry
	deadline    time.Time // of the read; zero: none
	exponential backoff.ExponentialBackOff
	// retryAfter is what the last answer asked for.
	retryAfter time.Duration
	// timeRanOut is true after the read's time left no room for an attempt.
	timeRanOut bool
}

func newDelays(retry Retry, deadline time.Time) *delays {
	return &delays{
		retry:    retry,
		deadline: deadline,
		exponential: backoff.ExponentialBackOff{
			// A third up and down of 1.5 is from 1 to 2: never below MinDelay,
			// and still spread out when MaxDelay is reached.
			InitialInterval:     retry.MinDelay + retry.MinDelay/2,
			RandomizationFactor: 1.0 / 3,
			Multiplier:          2,
			MaxInterval:         retry.MaxDelay - retry.MaxDelay/4,
		},
		retryAfter: noRetryAfter,
	}
}

// NextBackOff returns the next delay, or backoff.Stop when the read's time
// leaves no room for one more attempt.
func (d *delays) NextBackOff() time.Duration {
	next := d.exponential.NextBackOff()
	if d.retryAfter != noRetryAfter {
		next = d.retryAfter
	}
	next = max(d.retry.MinDelay, min(next, d.retry.MaxDelay))
	if d.deadline.IsZero() {
		return next
	}
	remaining := time.Until(d.deadline)
	if next >= remaining {
		// Waiting past the end is of no use. An earlier attempt may be: what
		// is waited for can be ready by then.
		next = max(d.retry.MinDelay, remaining/2)
	}
	if next >= remaining {
		d.timeRanOut = true
		return backoff.Stop
	}
	return next
}

// Reset starts anew.
func (d *delays) Reset() { d.exponential.Reset() }

// retryAfter returns what a Retry-After header asks for (RFC 9110, section
// 10.2.3): seconds, or any form of HTTP date. It is noRetryAfter where there is
// none, or none that can be read.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	if text != "" && strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		const most = int64(1<<63-1) / int64(time.Second)
		if err != nil || seconds > most { // more than int64 holds
			seconds = most
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return noRetryAfter
	}
	return max(0, date.Sub(now))
}
