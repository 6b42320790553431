// Package instance reads the document that an instance of the file transfer service returns for GET {base_url}/instance. It uses no
// network, no Terraform and no clock.
package instance

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
