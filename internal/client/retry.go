package client

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Retry says how attempts follow each other.
type Retry struct {
	// MaxAttempts counts the first; at least 1.
	MaxAttempts int64
	// MinDelay and MaxDelay limit the delay before every further attempt. Positive.
	MinDelay, MaxDelay time.Duration
}

// lastAttemptTime is how long before the end of a read its last attempt starts, or less if less than twice that is
// left.
const lastAttemptTime = time.Second

// delays computes the delay before each further attempt of one read.
//
// They grow exponentially and are random ("exponential backoff and jitter"): the n-th is between MinDelay*2^(n-1) and
// twice that; once that would exceed MaxDelay, between half of MaxDelay and MaxDelay. A Retry-After of the server
// replaces them within the same limits. A delay that would last past the read's end is shortened, so that one last
// attempt uses the time that is left.
type delays struct {
	retry    Retry
	deadline time.Time // of the read; zero: none
	// most is how long the last delay could be at most.
	most time.Duration
	// shortened is true after the delay before the last attempt.
	shortened bool
}

// next returns the next delay. retryAfter is the one that the server asked for, or 0. ok is false after the attempt that used the
// rest of the read's time.
func (d *delays) next(retryAfter time.Duration) (delay time.Duration, ok bool) {
	if d.shortened {
		return 0, false
	}
	d.most = 2 * min(max(d.most, d.retry.MinDelay), d.retry.MaxDelay/2)
	delay = d.most/2 + rand.N(d.most/2+1) //nolint:gosec // jitter is no secret
	if retryAfter > 0 {
		delay = retryAfter
	}
	delay = max(d.retry.MinDelay, min(delay, d.retry.MaxDelay))
	if d.deadline.IsZero() {
		return delay, true
	}
	remaining := time.Until(d.deadline)
	if latest := remaining - min(lastAttemptTime, remaining/2); delay > latest {
		d.shortened = true
		delay = max(0, latest)
	}
	return delay, true
}

// retryAfter returns the delay that a Retry-After header asks for (RFC 9110, section 10.2.3): seconds, or any form of
// HTTP date. It is 0 if there is none, none that can be read, or one that is over: that must not cancel the backoff.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	if date, err := http.ParseTime(text); err == nil {
		return max(0, date.Sub(now))
	}
	seconds, _ := strconv.ParseInt(text, 10, 32) // 0 if it is no number, the nearest if it is out of range
	return time.Duration(max(0, seconds)) * time.Second
}

// isTransient tells whether another attempt may get another status. Content networks have statuses of their own from 520 on.
func isTransient(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests ||
		status >= http.StatusInternalServerError && status != http.StatusNotImplemented
}
