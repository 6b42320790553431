package client

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// cacheAge is the age of a response in a cache, from its Age header (RFC 9111, section 5.1). A response that came from the
// instance itself has none.
type cacheAge struct {
	known   bool
	seconds int64
}

// newCacheAge returns the first Age of a response, because that is what RFC 9111 says about several. An age that is too large
// is read as 68 years.
func newCacheAge(header http.Header) cacheAge {
	first, _, _ := strings.Cut(header.Get("Age"), ",")
	first = strings.TrimSpace(first)
	if first == "" || strings.Trim(first, "0123456789") != "" {
		return cacheAge{}
	}
	seconds, _ := strconv.ParseInt(first, 10, 32) // the only error left is that of the range
	return cacheAge{known: true, seconds: seconds}
}

// latest and earliest return the times between which a response was made that has arrived now. An age of 12 means that it is
// between 12 and 13 seconds old.
func (a cacheAge) latest(now time.Time) time.Time {
	return now.Add(-time.Duration(a.seconds) * time.Second)
}

func (a cacheAge) earliest(now time.Time) time.Time { return a.latest(now).Add(-time.Second) }
