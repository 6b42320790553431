// Package instance reads the document that an instance of the file transfer service returns for GET
// {base_url}/instance. It uses no network, no Terraform and no clock.
package instance

import (
	"regexp"
	"strconv"
	"strings"
)

// Details is the configuration that an instance reports, in one form for all releases of the service. All numbers are
// from 0 to [math.MaxInt64].
type Details struct {
	FileMaxSizeBytes  int64  // maximum size of one file
	ChunkSizeBytes    int64  // size of one chunk
	RequirePassword   bool   // whether a password is required to create a transfer
	APIVersion        string // version of the API, including any suffix
	FileMaxAgeSeconds int64  // maximum lifetime of a file
	// MaxTransfersInMerge is the maximum number of transfers in a group. An instance that does not report it has the
	// limit that the documentation of the service gives for its version.
	MaxTransfersInMerge    int64
	RecommendedExpireTimes []ExpireTime // expiry options in the order of the instance, never nil
}

// ExpireTime is an expiry option: a lifetime that the instance suggests.
type ExpireTime struct {
	Label     string // localized name of the duration
	InSeconds int64  // duration in seconds
}

const secondsPerMinute = 60

// InMinutes returns the duration in minutes, rounded down.
func (e ExpireTime) InMinutes() int64 { return e.InSeconds / secondsPerMinute }

var versionForm = regexp.MustCompile(`^\d+\.\d+\.\d+([-+].*)?$`)

// ValidVersion reports whether text is a version of three numbers, with or without a suffix, such as "2.0.0" or
// "2.0.0-rc.1".
func ValidVersion(text string) bool { return versionForm.MatchString(text) }

// documentedMergeLimit returns the maximum number of transfers in a group for an instance that does not report it: 50
// from 2.0.0 on, and 10 before (the documentation of the service, "Limits"). A pre-release of 2.0.0 counts as 2.0.0.
func documentedMergeLimit(version string) int64 {
	text, _, _ := strings.Cut(version, ".")
	if major, _ := strconv.ParseInt(text, 10, 64); major >= 2 { // a number beyond int64 is parsed as the largest
		return 50
	}
	return 10
}
