package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// warnings returns warnings about arguments of the provider that have no effect, or a dangerous one.
func (d *providerData) warnings(config providerModel) (diags diag.Diagnostics) {
	hasNone := noInstance.Equal(d.noBaseURL) // an invalid one has an error of its own
	if hasNone && len(d.headers) > 0 {
		// Without a path, because Terraform would print the lines of the attribute, which may contain a secret.
		diags.AddWarning("Request headers without an instance to send them to",
			"The provider's request_headers are sent only to the origin of its own base_url. This provider block has none, so "+
				"they are never sent.\n\nSet the provider's base_url. Headers that are not secret can be set on the data "+
				"sources, too, which store them in the state.")
	}
	if hasNone && isSet(config.ConnectTo) {
		diags.AddAttributeWarning(path.Root("connect_to"), "connect_to without a base URL",
			"The provider's connect_to is only for the origin of its own base_url. This provider block has none, so "+
				"connect_to is never used.\n\nSet the provider's base_url, or remove connect_to.")
	}
	if config.Insecure.ValueBool() {
		summary := "Certificates are not verified"
		if d.baseURL.Raw != "" { // Terraform merges warnings with equal summaries
			summary += ": " + d.baseURL.Raw
		}
		diags.AddAttributeWarning(path.Root("insecure"), summary,
			"insecure is true: anyone on the network path to an instance can read and change the traffic.\n\n"+
				"Set ca_cert_pem to the CA of the instance's certificate instead.")
	}
	return diags
}

// smallLimits returns the values that are too small to be meant, without and with their units. The service's shortest
// expiry option lasts 1,800 seconds.
func smallLimits(details *instance.Details) (limits, withUnits []string) {
	add := func(name string, value int64, unit string) {
		limits = append(limits, fmt.Sprintf("%s is %d", name, value))
		withUnits = append(withUnits, name+" is "+count(value, unit))
	}
	if details.FileMaxSizeBytes < 1_000_000 {
		add("file_max_size", details.FileMaxSizeBytes, "byte")
	}
	if details.ChunkSizeBytes < 65_536 {
		add("chunk_size", details.ChunkSizeBytes, "byte")
	}
	if details.FileMaxAgeSeconds < 1_800 {
		add("file_max_age", details.FileMaxAgeSeconds, "second")
	}
	for i, option := range details.RecommendedExpireTimes {
		if option.InSeconds < 60 {
			add(fmt.Sprintf("recommended_expire_times[%d].in_seconds", i), option.InSeconds, "second")
		}
	}
	return limits, withUnits
}

// smallLimitsWarning returns a warning about the values that one instance reports, or nil.
func smallLimitsWarning(baseURL string, result *client.Result) diag.Diagnostic {
	small, withUnits := smallLimits(result.Details)
	return newSmallLimitsWarning(fmt.Sprintf("%s (%s)", baseURL, firstText(small)), withUnits)
}

// fleetWarning returns a warning about the values that several instances report, with a line for each instance, or nil.
func fleetWarning(reads []*instanceRead) diag.Diagnostic {
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
			bullets(limits, 0)+
			"\n\nThe service reads only the digits at the beginning of a setting: of 5e+09 or \"5 GB\", it reads 5. Write the "+
			"settings of the server as plain digits, in bytes and seconds. To some releases, 0 means \"no limit\", and to "+
			"others \"nothing\". Some unreleased builds report expiry options in minutes.")
}

// driftWarning returns a warning that an instance has reported something else than is expected. Terraform shows it in
// the plan, and again after the apply, even after one that succeeded.
func driftWarning(baseURL string, unmet []difference) diag.Diagnostic {
	texts := expectedTexts(unmet)
	return diag.NewAttributeWarningDiagnostic(path.Root("expected").AtName(unmet[0].name),
		fmt.Sprintf("Not as expected when last read: %s (%s)", baseURL, firstText(texts)),
		"When this plan was made, the instance had last reported other values:"+bullets(texts, 0)+
			"\n\nAn apply waits until the instance reports what is expected. Terraform repeats this warning after the apply, "+
			"even after one that has succeeded.")
}

// changedWarning returns a warning about values that are not as planned, or nil.
func (d *providerData) changedWarning(planned recordModel, reported detailsModel) diag.Diagnostic {
	var changes []string
	for _, difference := range d.diff(planned.detailsModel, reported) {
		change := fmt.Sprintf("%s is %s, planned %s", difference.name, difference.reported, difference.wanted)
		if difference.name == "recommended_expire_times" {
			change = difference.name + " differs from the planned list"
		}
		changes = append(changes, change)
	}
	if len(changes) == 0 {
		return nil
	}
	return diag.NewWarningDiagnostic(
		fmt.Sprintf("Other details changed while the apply waited: %s (%s)",
			planned.BaseURL.ValueString(), firstText(changes)),
		"The instance reports what is expected. These values have changed too, but this apply had to keep them as planned:"+
			bullets(changes, 0)+"\n\nThe next plan picks them up. To have a limit in the same apply, add it to expected.")
}

// keptWarning returns a warning that a refresh failed.
func keptWarning(baseURL string, failure diag.Diagnostic) diag.Diagnostic {
	summary := "Instance not read, last known values kept"
	if _, err := address.Parse(baseURL); err == nil { // another text may contain a secret
		summary += ": " + baseURL
	}
	return diag.NewWarningDiagnostic(summary,
		"The instance could not be read, so the record keeps what it last reported.\n\n"+failure.Detail())
}

// failuresWarning returns a warning that lists the instances that could not be read, each with the evidence of an
// error.
func (d *providerData) failuresWarning(failed []*instanceRead, total int) diag.Diagnostic {
	var names, lines []string
	for _, read := range failed {
		failure := read.report.err.Failure
		names = append(names, read.name())
		lines = append(lines, fmt.Sprintf("%q: %s: %s (%s)", read.key, d.requestText(failure.Route, read.request),
			failure.OneLine(), count(read.report.err.Attempts, "attempt")))
	}
	return diag.NewWarningDiagnostic("Instances could not be read: "+firstText(names), paragraphs(fmt.Sprintf(
		"%d of %d could not be read. "+
			"Because allow_failures is true, they are in the attribute errors instead of instances:%s",
		len(failed), total, bullets(lines, 0)), moreHelp))
}
