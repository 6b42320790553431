package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// smallestPlausible has the smallest values that are likely to be meant, in bytes and seconds. The service's shortest
// expiry option lasts 1,800 seconds.
var smallestPlausible = map[string]int64{"file_max_size": 1_000_000, "chunk_size": 65_536, "file_max_age": 1_800}

// misread says how a server comes to report such values.
const misread = `of 5e+09 or "5 GB", it reads 5`

// smallLimits returns the values that are too small to be meant, without and with their units.
func smallLimits(details *instance.Details) (limits, withUnits []string) {
	check := func(name string, value, smallest int64, unit string) {
		if value < smallest {
			limits = append(limits, fmt.Sprintf("%s is %d", name, value))
			withUnits = append(withUnits, name+" is "+count(value, unit))
		}
	}
	check("file_max_size", details.FileMaxSizeBytes, smallestPlausible["file_max_size"], "byte")
	check("chunk_size", details.ChunkSizeBytes, smallestPlausible["chunk_size"], "byte")
	check("file_max_age", details.FileMaxAgeSeconds, smallestPlausible["file_max_age"], "second")
	for i, option := range details.RecommendedExpireTimes {
		check(fmt.Sprintf("recommended_expire_times[%d].in_seconds", i), option.InSeconds, 60, "second")
	}
	return limits, withUnits
}

// smallLimitsWarning returns a warning about the values that one instance reports, or nil.
func smallLimitsWarning(baseURL string, details *instance.Details) diag.Diagnostic {
	small, withUnits := smallLimits(details)
	return newSmallLimitsWarning(fmt.Sprintf("%s (%s)", baseURL, firstText(small)), withUnits)
}

// fleetSmallLimitsWarning returns a warning with a line for each of several instances, or nil.
func fleetSmallLimitsWarning(reads []*instanceRead) diag.Diagnostic {
	var names, lines []string
	for _, read := range reads {
		if _, withUnits := smallLimits(read.result.Details); len(withUnits) > 0 {
			names = append(names, read.name())
			lines = append(lines, read.name()+": "+strings.Join(withUnits, ", "))
		}
	}
	return newSmallLimitsWarning(firstText(names), lines)
}

// newSmallLimitsWarning returns a warning that lists values that are too small to be meant, or nil if there are none.
// Terraform repeats the warning of a plan after the apply, which may have mended them, so the words are about the time
// at which they were read.
func newSmallLimitsWarning(subject string, limits []string) diag.Diagnostic {
	if len(limits) == 0 {
		return nil
	}
	return diag.NewWarningDiagnostic("Implausibly small limits: "+subject,
		"When this was read, these values were so small that the server had probably misread its settings:"+
			bullets(limits)+
			"\n\nThe service reads only the digits at the beginning of a setting: "+misread+". Write the settings of the "+
			"server as plain digits, in bytes and seconds. As FILE_MAX_AGE, 0 means \"no limit\" to some releases, and "+
			"\"nothing\" to others. Some unreleased builds report expiry options in minutes.")
}
