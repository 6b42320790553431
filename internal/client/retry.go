package client

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Retry configures retries.
type Retry struct {
	// MaxAttempts is the maximum number of attempts, including the first. At least 1.
	MaxAttempts int64
	// MinDelay and MaxDelay bound the delay before each retry. Must be positive.
	MinDelay, MaxDelay time.Duration
}

// lastAttemptTime is the time reserved for the last attempt of a read, unless half of the remaining time is less.
const lastAttemptTime = time.Second

// delays computes the delay before each retry of one read: exponential backoff with jitter.
//
// Each delay is random between half of a bound and the bound, which starts at 2*MinDelay and doubles, up to MaxDelay. Retry-After
// replaces it within MinDelay and MaxDelay. A delay that would leave too little time is shortened, so that one more attempt fits.
type delays struct {
	retry    Retry
	deadline time.Time // of the read, or zero
	// most is the upper bound of the last random delay.
	most time.Duration
	// shortened is true once a delay was shortened, so that only one attempt is left.
	shortened bool
}

// next returns the delay before the next attempt. retryAfter is the delay that the server asked for, or 0. Returns false if the
// last attempt was made.
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

// retryAfter returns the delay in a Retry-After header (RFC 9110, section 10.2.3), in seconds or as an HTTP date. Returns 0 if
// absent, invalid or in the past; the usual backoff then applies.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	if date, err := http.ParseTime(text); err == nil {
		return max(0, date.Sub(now))
	}
	seconds, _ := strconv.ParseInt(text, 10, 32) // 0 if invalid, the nearest value if out of range
	return time.Duration(max(0, seconds)) * time.Second
}

// isTransient reports whether another attempt may get another status. CDNs have statuses of their own from 520 on.
func isTransient(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests ||
		status >= http.StatusInternalServerError && status != http.StatusNotImplemented
}
