package client

import (
	"context"
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

// backoff computes the delay before each retry of one read: exponential backoff with jitter.
//
// Each delay is random between half of a bound and the bound, which starts at 2*MinDelay and doubles, up to MaxDelay.
// With Retry-After, it is the longer of both and a random time up to the bound, up to MaxDelay in all. A delay that would
// leave too little time is shortened, so that one more attempt fits.
type backoff struct {
	retry    Retry
	deadline time.Time // of the read, or zero
	// bound is the upper bound of the last random delay.
	bound time.Duration
	// lastAttempt is true once a delay was shortened, so that only one attempt is left.
	lastAttempt bool
}

func newBackoff(ctx context.Context, retry Retry) *backoff {
	deadline, _ := ctx.Deadline()
	return &backoff{retry: retry, deadline: deadline}
}

// next returns the delay before the next attempt, or false after the last. The server asked for retryAfter, or 0.
func (b *backoff) next(retryAfter time.Duration) (delay time.Duration, ok bool) {
	if b.lastAttempt {
		return 0, false
	}
	b.bound = 2 * min(max(b.bound, b.retry.MinDelay), b.retry.MaxDelay/2)
	delay = b.bound/2 + rand.N(b.bound/2+1) //nolint:gosec // jitter is no secret
	if retryAfter > 0 {                     // which sends all readers back at the same time
		delay = max(delay, min(retryAfter, b.retry.MaxDelay))
		delay += rand.N(min(b.bound, b.retry.MaxDelay-delay) + 1) //nolint:gosec // the same
	}
	delay = max(b.retry.MinDelay, min(delay, b.retry.MaxDelay))
	if b.deadline.IsZero() {
		return delay, true
	}
	remaining := time.Until(b.deadline)
	if latest := remaining - min(lastAttemptTime, remaining/2); delay > latest {
		b.lastAttempt = true
		delay = max(0, latest)
	}
	return delay, true
}

// parseRetryAfter returns the delay in a Retry-After header (RFC 9110, section 10.2.3). Returns 0 if invalid or past.
func parseRetryAfter(text string, now time.Time) time.Duration {
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
