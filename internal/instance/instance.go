// Package instance reads the document that an instance of the file transfer service returns for GET {base_url}/instance. It uses no
// network, no Terraform and no clock.
package instance

import (
	"fmt"
	"slices"
)

// Details is the configuration that an instance reports, in one form for all releases of the service. All numbers are from 0 to
// [math.MaxInt64].
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
	// MaxTransfersInMerge is the maximum number of transfers in a group (maxTransfersInMerge). An instance that does not report it has the
	// limit that the documentation of the service gives for its version.
	MaxTransfersInMerge int64
	// RecommendedExpireTimes lists the expiry options that the instance suggests (recommendedExpireTimes), in its order. It is never nil.
	RecommendedExpireTimes []ExpireTime
}

// ExpireTime is an expiry option: a lifetime that the instance suggests.
type ExpireTime struct {
	// Label is the localized name of the duration.
	Label string
	// InSeconds is the duration in seconds.
	InSeconds int64
	// Ambiguity says why the unit of the duration is uncertain, and how it was read. It is empty if the unit is certain. Of the document,
	// it contains only numbers.
	Ambiguity string
}

// InMinutes returns the duration in minutes, rounded down.
func (e ExpireTime) InMinutes() int64 { return e.InSeconds / secondsPerMinute }

const secondsPerMinute = 60

// entry is an expiry option as delivered.
type entry struct {
	label     string
	inSeconds *int64 // nil if absent
	value     int64
}

func (e entry) hasSeconds() bool { return e.inSeconds != nil }

// newExpireTimes returns the expiry options. The unit of a value depends on the shape of its entry, as in the documentation of the service:
// with inSeconds, the value is in minutes. Without it, the value is in seconds.
func newExpireTimes(entries []entry) []ExpireTime {
	someHaveSeconds := slices.ContainsFunc(entries, entry.hasSeconds)
	options := make([]ExpireTime, 0, len(entries))
	for _, e := range entries {
		option := ExpireTime{Label: e.label, InSeconds: e.value}
		switch {
		case e.hasSeconds():
			option.InSeconds = *e.inSeconds
			if option.InMinutes() != e.value {
				option.Ambiguity = fmt.Sprintf("its inSeconds is %d and was used, but its value is %d minutes", *e.inSeconds, e.value)
			}
		case someHaveSeconds:
			option.Ambiguity = fmt.Sprintf(
				"its value is %d, without the inSeconds that other options have, and was read as seconds", e.value)
		case e.value < secondsPerMinute:
			option.Ambiguity = fmt.Sprintf("its value is %d, without inSeconds, and was read as seconds", e.value)
		}
		options = append(options, option)
	}
	return options
}

// valuesAreMinutes reports whether the values of entries are in minutes although none has inSeconds, which is a fault of release 1.1.1 of
// the service. Its shortest option is half an hour, so a value below 60 shows that this is the release, and not another build that reports
// its version.
func valuesAreMinutes(entries []entry, version Version) bool {
	return version.Text == "1.1.1" && !slices.ContainsFunc(entries, entry.hasSeconds) &&
		slices.ContainsFunc(entries, func(e entry) bool { return e.value < secondsPerMinute })
}

// documentedMergeLimit returns the maximum number of transfers in a group for a version that does not report it. A pre-release of 2.0.0
// counts as 2.0.0.
func documentedMergeLimit(version Version) int64 {
	if version.Major >= 2 {
		return 50
	}
	return 10
}
