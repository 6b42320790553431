// Package instance knows what an instance of the file transfer service says about itself: the document that GET
// {base_url}/instance answers. What that is, in every shape and as deployed releases depart from it, stands in the guide
// "Supported versions of Stend", in "The instance document" (templates/guides/supported-versions.md.tmpl).
//
// It is pure: no network, no Terraform, no clock.
package instance

// Details is an instance's configuration, the same for every response shape. All quantities are from 0 to
// [math.MaxInt64]. The comment on a field that an instance may leave out says what it then is.
type Details struct {
	// FileMaxSizeBytes is the maximum size of one file (fileMaxSize).
	FileMaxSizeBytes int64
	// ChunkSizeBytes is the size of one chunk (chunkSize).
	ChunkSizeBytes int64
	// RequirePassword tells whether a password is required to create a transfer (requirePassword).
	RequirePassword bool
	// APIVersion is the version of the instance's API (apiVersion).
	APIVersion Version
	// FileMaxAgeSeconds is the maximum lifetime of a file (fileMaxAge).
	FileMaxAgeSeconds int64
	// MaxTransfersInMerge is the maximum number of transfers in a group (maxTransfersInMerge). If the instance does not
	// deliver it, it is the documented limit of its version.
	MaxTransfersInMerge int64
	// RecommendedExpireTimes are the durations before expiry that a client may offer (recommendedExpireTimes), in the
	// order delivered. Never nil.
	RecommendedExpireTimes []ExpireTime

	// Warnings are about entries that were read by a rule, although the document is ambiguous.
	Warnings []Warning
}

// Version is an apiVersion.
type Version struct {
	// Text is the version as delivered, with any suffix.
	Text string
	// Major, Minor and Patch are its three numbers.
	Major, Minor, Patch int64
}

// ExpireTime is one suggested duration before expiry.
type ExpireTime struct {
	// Label is the instance's own, localized text for the duration.
	Label string
	// InSeconds is the duration in seconds.
	InSeconds int64
}

// InMinutes is the duration in whole minutes, rounded down.
func (e ExpireTime) InMinutes() int64 { return e.InSeconds / secondsPerMinute }

const secondsPerMinute = 60

// documentedMergeLimit is the maximum number of transfers in a group for an instance that does not deliver its own.
// A pre-release of 2.0.0 counts as 2.0.0.
func documentedMergeLimit(version Version) int64 {
	if version.Major >= 2 {
		return 50
	}
	return 10
}

// WarningKind tells warnings apart: a user gets one warning of each kind, which lists its entries.
type WarningKind int

const (
	// ContradictoryUnits: an entry's inSeconds and value contradict each other (value is not inSeconds / 60 rounded
	// down). It was read by inSeconds.
	ContradictoryUnits WarningKind = iota + 1
	// SuspiciouslyShort: an entry without inSeconds is shorter than a minute. It was read in seconds, as
	// documented; a few early releases put minutes there.
	SuspiciouslyShort
	// MixedUnits: an entry has no inSeconds, and others of its list have. It was read in seconds, and may be in minutes.
	MixedUnits
)

// Warning is about one ambiguous expiry entry.
type Warning struct {
	Kind WarningKind
	// Entry is its place, label and units, safe to print (see [Parse]): recommendedExpireTimes[2] ("1 day"): 30.
	Entry string
}
