package instance

import "regexp"

// Version is a version of the service's API.
type Version struct {
	// Text is the version as reported, including any suffix.
	Text string
	// Major, Minor and Patch are its three numbers.
	Major, Minor, Patch int64
}

var versionForm = regexp.MustCompile(`^(\d+)\.(\d+)\.(\d+)([-+].*)?$`)

// ParseVersion parses a version of three numbers that fit into an int64, with or without a suffix. It returns false for any other text.
func ParseVersion(text string) (version Version, ok bool) {
	numbers := versionForm.FindStringSubmatch(text)
	if numbers == nil {
		return Version{}, false
	}
	version.Text = text
	for i, number := range []*int64{&version.Major, &version.Minor, &version.Patch} {
		var err error
		if *number, err = parseDigits(numbers[i+1]); err != nil {
			return Version{}, false
		}
	}
	return version, true
}

// documentedMergeLimit returns the maximum number of transfers in a group for a version that does not report it. A pre-release of 2.0.0
// counts as 2.0.0.
func documentedMergeLimit(version Version) int64 {
	if version.Major >= 2 {
		return 50
	}
	return 10
}
