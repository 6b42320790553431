// Package instance parses the document that an instance of the file transfer service returns for GET
// {base_url}/instance. The guide "Supported versions of Stend" (templates/guides/supported-versions.md.tmpl) describes
// its shapes, and how deployed releases differ. The package uses no network, no Terraform and no clock.
package instance

// Details holds the configuration that an instance reports, in one form for all releases. All numbers are from 0 to
// [math.MaxInt64]. The comment of a field that an instance may leave out says what it is then.
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
	// MaxTransfersInMerge is the maximum number of transfers in a group. Defaults to the documented limit of APIVersion.
	MaxTransfersInMerge int64
	// RecommendedExpireTimes lists the expiry options that the instance suggests, in its order. Never nil.
	RecommendedExpireTimes []ExpireTime

	// Warnings lists the expiry options whose unit is ambiguous.
	Warnings []Warning
}

// Version is a parsed apiVersion.
type Version struct {
	// Text is the version as reported, including any suffix.
	Text string
	// Major, Minor and Patch are its three numbers.
	Major, Minor, Patch int64
}

// ExpireTime is an expiry option: a lifetime that the instance suggests.
type ExpireTime struct {
	// Label is the localized name of the duration.
	Label string
	// InSeconds is the duration in seconds.
	InSeconds int64
}

// InMinutes returns the duration in minutes, rounded down.
func (e ExpireTime) InMinutes() int64 { return e.InSeconds / secondsPerMinute }

const secondsPerMinute = 60

// documentedMergeLimit returns the default of maxTransfersInMerge for version. A pre-release of 2.0.0 counts as 2.0.0.
func documentedMergeLimit(version Version) int64 {
	if version.Major >= 2 {
		return 50
	}
	return 10
}

// WarningKind is a kind of ambiguity in the unit of an expiry option.
type WarningKind int

const (
	// ContradictoryUnits means that value is not inSeconds in minutes, rounded down. inSeconds was used.
	ContradictoryUnits WarningKind = iota + 1
	// SuspiciouslyShort means that an option has no inSeconds, and a value under 60. It was read as seconds.
	SuspiciouslyShort
	// MixedUnits means that an option has no inSeconds, but others have. value was read as seconds, but may be minutes.
	MixedUnits
)

// Warning reports an ambiguous expiry option.
type Warning struct {
	Kind WarningKind
	// Entry is the option, safe to print (see [Parse]): `recommendedExpireTimes[2] ("1 day"): 30`.
	Entry string
}
