// Package instance reads the document that an instance of the file transfer service returns for GET {base_url}/instance.
// It uses no network, no Terraform and no clock.
package instance

import "fmt"

// Details is the configuration that an instance reports, in one form for all releases of the service. All numbers are from
// 0 to [math.MaxInt64].
type Details struct {
	// FileMaxSizeBytes is the maximum size of one file (fileMaxSize).
	FileMaxSizeBytes int64
	// ChunkSizeBytes is the size of one chunk (chunkSize).
	ChunkSizeBytes int64
	// RequirePassword reports whether a password is required to create a transfer (requirePassword).
	RequirePassword bool
	// APIVersion is the version of the instance's API (apiVersion).
	APIVersion Version
	// FileMaxAgeSeconds is the maximum lifetime of a file (fileMaxAge).
	FileMaxAgeSeconds int64
	// MaxTransfersInMerge is the maximum number of transfers in a group (maxTransfersInMerge). An instance that does not
	// report it has the limit that the documentation of the service gives for its version.
	MaxTransfersInMerge int64
	// RecommendedExpireTimes lists the expiry options that the instance suggests (recommendedExpireTimes), in its order. It
	// is never nil.
	RecommendedExpireTimes []ExpireTime
}

// ExpireTime is an expiry option: a lifetime that the instance suggests.
type ExpireTime struct {
	// Label is the localized name of the duration.
	Label string
	// InSeconds is the duration in seconds.
	InSeconds int64
	// Ambiguity says why the unit of the duration is uncertain, and how it was read. It is empty if the unit is certain. Of the
	// document, it contains only numbers.
	Ambiguity string
}

// InMinutes returns the duration in minutes, rounded down.
func (e ExpireTime) InMinutes() int64 { return e.InSeconds / secondsPerMinute }

const secondsPerMinute = 60

// newExpireTime returns an expiry option. The unit of value depends on the presence of inSeconds, which is nil if absent
// (rules 1 to 3 of the documentation).
func newExpireTime(label string, inSeconds *int64, value int64) ExpireTime {
	if inSeconds == nil {
		option := ExpireTime{Label: label, InSeconds: value}
		if value < secondsPerMinute {
			option.Ambiguity = fmt.Sprintf("its value is %d, without inSeconds, and was read as seconds", value)
		}
		return option
	}
	option := ExpireTime{Label: label, InSeconds: *inSeconds}
	if option.InMinutes() != value {
		option.Ambiguity = fmt.Sprintf("its inSeconds is %d and was used, but its value is %d minutes", *inSeconds, value)
	}
	return option
}

// documentedMergeLimit returns the maximum number of transfers in a group for a version that does not report it. A
// pre-release of 2.0.0 counts as 2.0.0.
func documentedMergeLimit(version Version) int64 {
	if version.Major >= 2 {
		return 50
	}
	return 10
}
