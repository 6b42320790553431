package client

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// These say in words what the two functions below do, so keep them in step. The unknown statuses from 500 on are those of CDNs.
const (
	RetriedStatuses    = "408, 429, and 500 and above except 501"
	RetryAfterStatuses = "429 or 503" // in which Retry-After is honored
)

func isRetriedStatus(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests ||
		status >= http.StatusInternalServerError && status != http.StatusNotImplemented
}

func honorsRetryAfter(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// retryAfterOf returns the delay in the Retry-After header of a response (RFC 9110, section 10.2.3). It returns 0 if there is none, if it
// is invalid or past, and for statuses in which it is not honored.
func retryAfterOf(response *http.Response) time.Duration {
	if !honorsRetryAfter(response.StatusCode) {
		return 0
	}
	text := response.Header.Get("Retry-After")
	if date, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(date))
	}
	seconds, _ := strconv.ParseInt(text, 10, 32) // 0 if it is invalid, the nearest value if it is out of range
	return time.Duration(max(0, seconds)) * time.Second
}

// reservedForLastAttempt is the time that is kept for a last attempt, unless half of the time that is left is less.
const reservedForLastAttempt = time.Second

// backoff computes the delays between the attempts of one read, with exponential backoff and jitter.
//
// Each delay is random, from shortest to twice that. The first shortest is MinDelay, and it doubles, up to half of MaxDelay. With
// Retry-After, the delay is the larger of backoff and Retry-After, plus jitter, at most MaxDelay. If a delay would take all the time that
// is left, it is made shorter, so that one last attempt fits.
type backoff struct {
	retry    Retry
	deadline time.Time // of the read, or zero
	shortest time.Duration
	isLast   bool // a delay was made shorter
}

func newBackoff(ctx context.Context, retry Retry) *backoff {
	deadline, _ := ctx.Deadline()
	return &backoff{retry: retry, deadline: deadline}
}

// next returns the delay before the next attempt, or false if there is no time for one. The server asked to wait for retryAfter.
func (b *backoff) next(retryAfter time.Duration) (delay time.Duration, ok bool) {
	if b.isLast {
		return 0, false
	}
	b.shortest = min(max(2*b.shortest, b.retry.MinDelay), b.retry.MaxDelay/2)
	delay = b.shortest + jitter(b.shortest)
	if retryAfter > 0 { // the jitter keeps all clients from coming back at the same time
		delay = max(delay, min(retryAfter, b.retry.MaxDelay))
		delay += jitter(min(2*b.shortest, b.retry.MaxDelay-delay))
	}
	delay = max(delay, b.retry.MinDelay) // which may be more than half of MaxDelay
	if b.deadline.IsZero() {
		return delay, true
	}
	remaining := time.Until(b.deadline)
	if latest := remaining - min(reservedForLastAttempt, remaining/2); delay > latest {
		b.isLast = true
		delay = latest
	}
	return delay, true
}

// jitter returns a random duration up to limit, which must not be negative.
func jitter(limit time.Duration) time.Duration {
	return rand.N(limit + 1) //nolint:gosec // it is no secret
}
