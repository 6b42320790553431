package acctest

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

// NewerDetails returns checks of the details of instancetest.Newer(), by attribute, but for those that differ.
func NewerDetails(differences map[string]knownvalue.Check) map[string]knownvalue.Check {
	details := map[string]knownvalue.Check{
		"file_max_size":          knownvalue.Int64Exact(64424509440),
		"chunk_size":             knownvalue.Int64Exact(20000000),
		"require_password":       knownvalue.Bool(true),
		"api_version":            knownvalue.StringExact("2.1.5"),
		"api_version_major":      knownvalue.Int64Exact(2),
		"api_version_minor":      knownvalue.Int64Exact(1),
		"api_version_patch":      knownvalue.Int64Exact(5),
		"file_max_age":           knownvalue.Int64Exact(2592000),
		"max_transfers_in_merge": knownvalue.Int64Exact(50),
		"recommended_expire_times": knownvalue.ListExact([]knownvalue.Check{
			ExpireTime("30 minutes", 1800),
			ExpireTime("1 hour", 3600),
			ExpireTime("6 hours", 21600),
			ExpireTime("12 hours", 43200),
			ExpireTime("1 day", 86400),
			ExpireTime("1 week", 604800),
			ExpireTime("2 weeks", 1209600),
			ExpireTime("1 month", 2592000),
		}),
	}
	maps.Copy(details, differences)
	return details
}

// ExpireTime checks one of recommended_expire_times.
func ExpireTime(label string, seconds int64) knownvalue.Check {
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"label":      knownvalue.StringExact(label),
		"in_seconds": knownvalue.Int64Exact(seconds),
		"in_minutes": knownvalue.Int64Exact(seconds / 60),
	})
}
