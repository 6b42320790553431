package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// valueWarnings returns the warnings about the values that one instance reports.
func valueWarnings(baseURL string, result *client.Result) (diags diag.Diagnostics) {
	if len(result.Ambiguities) > 0 {
		diags.Append(ambiguityWarning(baseURL, result.Ambiguities))
	}
	if limits := implausibleLimits(result.Details); len(limits) > 0 {
		var texts, lines []string
		for _, limit := range limits {
			texts, lines = append(texts, limit.String()), append(lines, limit.withUnit())
		}
		diags.Append(implausibleLimitsWarning(fmt.Sprintf("%s (%s)", baseURL, firstOf(texts)), lines))
	}
	return diags
}

// fleetWarnings returns the warnings about the values that several instances report, with a line for each instance.
func fleetWarnings(reads []*instanceRead) (diags diag.Diagnostics) {
	var ambiguous, ambiguities, implausible, implausibilities []string
	for _, read := range reads {
		if options := read.result.Ambiguities; len(options) > 0 {
			ambiguous = append(ambiguous, read.name())
			ambiguities = append(ambiguities, fmt.Sprintf("%s: %s; %s", read.name(), count(len(options), "option"), options[0]))
		}
		var limits []string
		for _, limit := range implausibleLimits(read.result.Details) {
			limits = append(limits, limit.withUnit())
		}
		if len(limits) > 0 {
			implausible = append(implausible, read.name())
			implausibilities = append(implausibilities, read.name()+": "+strings.Join(limits, ", "))
		}
	}
	if len(ambiguous) > 0 {
		diags.Append(ambiguityWarning(firstOf(ambiguous), ambiguities))
	}
	if len(implausible) > 0 {
		diags.Append(implausibleLimitsWarning(firstOf(implausible), implausibilities))
	}
	return diags
}

// ambiguityWarning returns a warning that lists expiry options whose unit is uncertain.
func ambiguityWarning(subject string, ambiguities []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Expiry options with an ambiguous unit: "+subject,
		"The unit of these expiry options is not certain:"+listed(ambiguities)+"\n\n"+
			"Compare them with what the instance offers its users. If one option without inSeconds is in minutes, all of them "+
			"are, and each lasts 60 times as long as it was read.")
}

// implausibleLimitsWarning returns a warning that lists limits that are too small to be meant.
func implausibleLimitsWarning(subject string, limits []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Implausibly small limits: "+subject,
		"These limits are so small that the server has probably read its settings in another way than they were meant:"+listed(limits)+"\n\n"+
			"The service reads only the digits at the beginning of a setting: of 5e+09 or \"5 GB\", it reads 5. Write the settings of the "+
			"server as plain digits. The values are passed on as reported.")
}

// smallLimit is a limit that is too small to be meant.
type smallLimit struct {
	name  string // of the attribute
	value int64
	unit  string
}

func (l smallLimit) String() string { return fmt.Sprintf("%s is %d", l.name, l.value) }

func (l smallLimit) withUnit() string { return l.String() + " " + l.unit }

// implausibleLimits returns the limits with which nobody runs a server on purpose.
func implausibleLimits(details *instance.Details) (limits []smallLimit) {
	const leastSize, leastAge = 1024, 60
	if details.FileMaxSizeBytes < leastSize {
		limits = append(limits, smallLimit{"file_max_size", details.FileMaxSizeBytes, "bytes"})
	}
	if details.ChunkSizeBytes < leastSize {
		limits = append(limits, smallLimit{"chunk_size", details.ChunkSizeBytes, "bytes"})
	}
	if details.FileMaxAgeSeconds < leastAge {
		limits = append(limits, smallLimit{"file_max_age", details.FileMaxAgeSeconds, "seconds"})
	}
	return limits
}
