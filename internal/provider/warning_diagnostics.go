package provider

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

type instanceWarnings struct {
	// name identifies the instance in a summary.
	name string
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

// listWarnings returns the first instance with a warning of a kind, and a list of all by source, or "" if none has one.
func listWarnings(instances []instanceWarnings, kind instance.WarningKind) (first, list string) {
	var lines []string
	for _, read := range instances {
		heading := "\n\n" + read.source
		for _, warning := range read.warnings {
			if warning.Kind != kind {
				continue
			}
			first = cmp.Or(first, read.name)
			lines = append(lines, heading+bullet+warning.Entry)
			heading = ""
		}
	}
	return first, listed(lines, "", bullet)
}

// driftWarning returns a warning that an instance does not report the expected values, although these are unchanged.
// Terraform shows it in plans and applies (even if the record is replaced), but not with -refresh-only.
func driftWarning(planned record, differences []client.Difference) diag.Diagnostic {
	limit, timeout := updateTimeout, planned.timeouts.Update
	if !timeout.IsUnknown() {
		limit += fmt.Sprintf(" (%s)", formatDuration(durationOr(timeout, defaultWaitTimeout)))
	}
	// Terraform merges warnings with equal summaries: two records of one instance may differ in different values.
	summary := fmt.Sprintf("Instance did not report what is expected: %s (%s)",
		planned.BaseURL.ValueString(), differences[0])
	return diag.NewAttributeWarningDiagnostic(expectedPath(differences), summary, paragraphs(
		"When it was last read, the instance reported other values:"+differenceList(differences),
		"An apply waits until it reports what is expected, for "+limit+" at most, or for timeouts.create if it replaces "+
			"the record.",
		sentences(differenceRemedies(differences), adviceUnexpected)))
}

// changedWarning returns a warning about details that are not as planned, which an apply must store, or nil. It leaves
// out the numbers of api_version, and response_body, which a gateway may change in every answer.
func (r *instanceRecordResource) changedWarning(planned record, result *client.Result) diag.Diagnostic {
	var changed []string
	want, got := planned.values(), newDetailsModel(result.Details).values()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch {
		case want[name].IsUnknown() || got[name].Equal(want[name]) || followsFromVersion(name):
		case name == "recommended_expire_times":
			changed = append(changed, name)
		case want[name].IsNull(): // in a state that somebody edited
			changed = append(changed, fmt.Sprintf("%s is %s, planned nothing", name, r.provider.redactedText(got[name])))
		default:
			changed = append(changed,
				fmt.Sprintf("%s is %s, planned %s", name, r.provider.redactedText(got[name]), r.provider.redactedText(want[name])))
		}
	}
	if len(changed) == 0 {
		return nil
	}
	asExpected := ""
	if !planned.expected.isEmpty() {
		asExpected = "The instance reports what is expected. "
	}
	return diag.NewWarningDiagnostic("Other details changed while the apply waited: "+planned.BaseURL.ValueString(),
		asExpected+"These details have changed too, but this apply had to keep them as planned:"+bullets(changed)+
			"\n\nThe next apply records them. To have a detail in the same apply, add it to expected, if that has an "+
			"argument for it.")
}

// keptWarning returns a warning that a refresh failed.
func keptWarning(state record, failure diag.Diagnostic) diag.Diagnostic {
	summary, notChecked := "Instance not read, last known details kept", ""
	if parsed, err := address.ParseBaseURL(state.BaseURL.ValueString()); err == nil { // an invalid one may contain a secret
		summary += ": " + parsed.Written
	}
	if !state.expected.isEmpty() {
		notChecked = " Whether it reports what is expected was not checked."
	}
	return diag.NewWarningDiagnostic(summary,
		"The instance could not be read, so this record keeps what the instance last reported, as of the last apply."+
			notChecked+"\n\n"+failure.Detail())
}
