package client

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Retry configures retries.
type Retry struct {
	MaxAttempts int64 // the maximum number of attempts of a read, the first included; at least 1
	// MinDelay and MaxDelay are the bounds of the delay before each retry. They are positive. A MaxDelay that is
	// shorter than MinDelay counts as MinDelay.
	MinDelay, MaxDelay time.Duration
}

// isRetriedStatus reports whether another attempt may succeed after a status. The unknown ones from 500 on are those of
// CDNs.
func isRetriedStatus(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests ||
		status >= http.StatusInternalServerError && status != http.StatusNotImplemented
}

// honorsRetryAfter reports whether Retry-After counts in a response with a status.
func honorsRetryAfter(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// retryAfter returns the delay in the Retry-After header of a response (RFC 9110, section 10.2.3). It returns 0 if
// there is none, if it is invalid or past, and for statuses in which it is not honored.
func retryAfter(response *http.Response) time.Duration {
	if !honorsRetryAfter(response.StatusCode) {
		return 0
	}
	text := response.Header.Get("Retry-After")
	if date, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(date))
	}
	seconds, _ := strconv.ParseUint(text, 10, 31) // 0 if it is invalid, the largest value if it is out of range
	return time.Duration(seconds) * time.Second
}

// backoff computes the delays between the attempts of one read, with exponential backoff and jitter: without it, all
// reads that failed at the same time would come back at the same time.
type backoff struct {
	retry    Retry
	shortest time.Duration
}

// next returns the delay before the next attempt. It is random, from shortest to twice that. The first shortest is
// MinDelay, and it doubles, up to half of MaxDelay. With Retry-After, the delay is longer, up to MaxDelay.
func (b *backoff) next(retryAfter time.Duration) time.Duration {
	longest := max(b.retry.MinDelay, b.retry.MaxDelay)
	b.shortest = max(b.retry.MinDelay, min(2*b.shortest, longest/2))
	spread := min(b.shortest, longest-b.shortest)
	return max(b.shortest, min(retryAfter, longest-spread)) + jitter(spread)
}

// jitter returns a random duration up to limit, which must not be negative.
func jitter(limit time.Duration) time.Duration {
	return rand.N(limit + 1) //nolint:gosec // nobody has to be kept from guessing it
}
