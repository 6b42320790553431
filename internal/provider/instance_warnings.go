package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// valueWarnings returns the warnings about the values that one instance reports.
func valueWarnings(baseURL string, result *client.Result) diag.Diagnostics {
	limits, withUnits := implausibleLimits(result.Details)
	return diag.Diagnostics{
		ambiguityWarning(baseURL, result.Ambiguities),
		implausibleLimitsWarning(fmt.Sprintf("%s (%s)", baseURL, firstOf(limits)), withUnits),
	}
}

// fleetWarnings returns the warnings about the values that several instances report, with a line for each instance.
func fleetWarnings(reads []*instanceRead) diag.Diagnostics {
	var ambiguous, ambiguities, implausible, implausibilities []string
	for _, read := range reads {
		if options := read.result.Ambiguities; len(options) > 0 {
			ambiguous = append(ambiguous, read.name())
			ambiguities = append(ambiguities, fmt.Sprintf("%s: %s; %s", read.name(), count(len(options), "option"), options[0]))
		}
		if _, limits := implausibleLimits(read.result.Details); len(limits) > 0 {
			implausible = append(implausible, read.name())
			implausibilities = append(implausibilities, read.name()+": "+strings.Join(limits, ", "))
		}
	}
	return diag.Diagnostics{
		ambiguityWarning(firstOf(ambiguous), ambiguities),
		implausibleLimitsWarning(firstOf(implausible), implausibilities),
	}
}

// ambiguityWarning returns a warning that lists expiry options whose unit is uncertain, or nil if there are none.
func ambiguityWarning(subject string, ambiguities []string) diag.Diagnostic {
	if len(ambiguities) == 0 {
		return nil
	}
	return diag.NewWarningDiagnostic("Expiry options with an ambiguous unit: "+subject,
		"The unit of these expiry options is not certain:"+listed(ambiguities)+"\n\n"+
			"Compare them with what the instance offers its users. If one option without inSeconds is in minutes, all of them "+
			"are, and each lasts 60 times as long as it was read.")
}

// implausibleLimitsWarning returns a warning that lists limits that are too small to be meant, or nil if there are none.
func implausibleLimitsWarning(subject string, limits []string) diag.Diagnostic {
	if len(limits) == 0 {
		return nil
	}
	return diag.NewWarningDiagnostic("Implausibly small limits: "+subject,
		"These limits are so small that the server has probably read its settings in another way than they were meant:"+listed(limits)+"\n\n"+
			"The service reads only the digits at the beginning of a setting: of 5e+09 or \"5 GB\", it reads 5. Write the settings of the "+
			"server as plain digits. The values are passed on as reported.")
}

// implausibleLimits returns the limits with which nobody runs a server on purpose, without and with their units.
func implausibleLimits(details *instance.Details) (limits, withUnits []string) {
	for _, limit := range []struct {
		name         string
		value, least int64
		unit         string
	}{
		{"file_max_size", details.FileMaxSizeBytes, 1024, "byte"},
		{"chunk_size", details.ChunkSizeBytes, 1024, "byte"},
		{"file_max_age", details.FileMaxAgeSeconds, 60, "second"},
	} {
		if limit.value < limit.least {
			limits = append(limits, fmt.Sprintf("%s is %d", limit.name, limit.value))
			withUnits = append(withUnits, limit.name+" is "+count(int(limit.value), limit.unit))
		}
	}
	return limits, withUnits
}
