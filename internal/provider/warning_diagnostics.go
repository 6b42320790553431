package provider

import (
	"cmp"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

type instanceWarnings struct {
	// instance identifies the instance in a summary.
	instance string
	// source is the URL that was read, or the keys of base_urls.
	source   string
	warnings []instance.Warning
}

// warningTexts holds the texts of the warnings. explanation comes before the list of expiry options, remedy after it.
var warningTexts = []struct {
	kind                         instance.WarningKind
	summary, explanation, remedy string
}{
	{instance.ContradictoryUnits, "Expiry options contradict themselves",
		"The inSeconds and value (in minutes) of these expiry options do not agree. They were read by inSeconds:",
		"Ask the operator of the instance to fix its expiry options."},
	{instance.SuspiciouslyShort, "Expiry options shorter than a minute",
		"These expiry options have no inSeconds, so their value was read as seconds, as the service's documentation says. " +
			"A few early releases, whose api_version is 1.1.0, 1.1.1 or 1.2.0, report minutes instead: the durations may " +
			"really be 60 times as long:",
		"Compare all options of the instance with what it offers its users: if these are minutes, all are."},
	{instance.MixedUnits, "Expiry options without inSeconds beside others with it",
		"These expiry options have no inSeconds, and others of the same instance have. Their value was read as seconds; it " +
			"may be minutes, as it is in the others:",
		"Compare them with what the instance offers its users, and ask its operator to fix its expiry options."},
}

// warningDiagnostics returns at most one warning of each kind, which lists its entries.
func warningDiagnostics(instances ...instanceWarnings) (diags diag.Diagnostics) {
	for _, text := range warningTexts {
		if first, list := listWarnings(instances, text.kind); list != "" {
			diags.AddWarning(text.summary+": "+first, paragraphs(text.explanation+list, text.remedy))
		}
	}
	return diags
}

// listWarnings returns the first instance with a warning of a kind, and all warnings of that kind, grouped by source.
// Returns "" if there are none.
func listWarnings(instances []instanceWarnings, kind instance.WarningKind) (first, list string) {
	var lines []string
	for _, read := range instances {
		heading := "\n\n" + read.source
		for _, warning := range read.warnings {
			if warning.Kind != kind {
				continue
			}
			first = cmp.Or(first, read.instance)
			lines = append(lines, heading+bullet+warning.Entry)
			heading = ""
		}
	}
	return first, listed(lines, "", bullet)
}
