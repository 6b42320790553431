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
				"they are never sent.\n\nSet the provider's base_url. Headers that are not secret can be set on the data sources, too, which store them in the state.")
	}
	if hasNone && d.connectTo != "" {
		diags.AddAttributeWarning(path.Root("connect_to"), "connect_to without a base URL",
			"The provider's connect_to is only for the origin of its own base_url. This provider block has none, so "+
				"connect_to is never used.\n\nSet the provider's base_url, or remove connect_to.")
	}
	if config.Insecure.ValueBool() {
		summary := "Certificates are not verified"
		if d.baseURL.Written != "" { // Terraform merges warnings with equal summaries
			summary += ": " + d.baseURL.Written
		}
		diags.AddAttributeWarning(path.Root("insecure"), summary,
			"insecure is true: anyone on the network path to an instance can read and change the traffic.\n\n"+
				"Set ca_cert_pem to the CA of the instance's certificate instead.")
	}
	return diags
}

// valueWarnings returns the warnings about the values that one instance reports.
func valueWarnings(baseURL string, result *client.Result) diag.Diagnostics {
	small, withUnits := smallLimits(result.Details)
	return diag.Diagnostics{
		ambiguityWarning(baseURL, result.Ambiguities),
		smallLimitsWarning(fmt.Sprintf("%s (%s)", baseURL, firstOf(small)), withUnits),
	}
}

// fleetWarnings returns the warnings about the values that several instances report, with a line for each instance.
func fleetWarnings(reads []*instanceRead) diag.Diagnostics {
	var ambiguous, ambiguities, small, limits []string
	for _, read := range reads {
		if options := read.result.Ambiguities; len(options) > 0 {
			ambiguous = append(ambiguous, read.name())
			ambiguities = append(ambiguities, fmt.Sprintf("%s: %s; %s", read.name(), count(len(options), "option"), options[0]))
		}
		if _, withUnits := smallLimits(read.result.Details); len(withUnits) > 0 {
			small = append(small, read.name())
			limits = append(limits, read.name()+": "+strings.Join(withUnits, ", "))
		}
	}
	return diag.Diagnostics{
		ambiguityWarning(firstOf(ambiguous), ambiguities),
		smallLimitsWarning(firstOf(small), limits),
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

// smallLimitsWarning returns a warning that lists limits that are too small to be meant, or nil if there are none. Terraform repeats the
// warning of a plan after the apply, which may have mended the limits, so the words are about the time at which they were read.
func smallLimitsWarning(subject string, limits []string) diag.Diagnostic {
	if len(limits) == 0 {
		return nil
	}
	return diag.NewWarningDiagnostic("Implausibly small limits: "+subject,
		"When this was read, these limits were so small that the server had probably misread its settings:"+listed(limits)+"\n\nThe service reads only the digits at the beginning of a setting: of 5e+09 or \"5 GB\", it reads 5. Write the "+
			"settings of the server as plain digits, in bytes and seconds. The values are passed on as reported.")
}

// smallLimits returns the limits with which nobody runs a server on purpose, without and with their units. The service's shortest expiry
// option lasts 1,800 seconds.
func smallLimits(details *instance.Details) (limits, withUnits []string) {
	for _, limit := range []struct {
		name         string
		value, least int64
		unit         string
	}{
		{name: "file_max_size", value: details.FileMaxSizeBytes, least: 1_000_000, unit: "byte"},
		{name: "chunk_size", value: details.ChunkSizeBytes, least: 65_536, unit: "byte"},
		{name: "file_max_age", value: details.FileMaxAgeSeconds, least: 1_800, unit: "second"},
	} {
		if limit.value < limit.least {
			limits = append(limits, fmt.Sprintf("%s is %d", limit.name, limit.value))
			withUnits = append(withUnits, limit.name+" is "+count(int(limit.value), limit.unit))
		}
	}
	return limits, withUnits
}

// driftWarning returns a warning that an instance has reported something else than is expected. Terraform shows it in the plan, and again
// after the apply, even after one that succeeded.
func driftWarning(baseURL string, found []client.Difference) diag.Diagnostic {
	texts := textsOf(found)
	return diag.NewAttributeWarningDiagnostic(path.Root("expected").AtName(found[0].Name),
		fmt.Sprintf("Not as expected when last read: %s (%s)", baseURL, firstOf(texts)),
		"When this plan was made, the instance had last reported other values:"+bullets(texts)+"\n\nAn apply waits until the instance "+
			"reports what is expected. Terraform repeats this warning after the apply, also after one that has succeeded.")
}

// changedWarning returns a warning about values that are not as planned, or nil.
func (d *providerData) changedWarning(planned recordModel, reported detailsModel) diag.Diagnostic {
	var changes []string
	for _, difference := range d.differences(planned.detailsModel, reported) {
		change := fmt.Sprintf("%s is %s, planned %s", difference.Name, difference.Reported, difference.Expected)
		if difference.Name == "recommended_expire_times" {
			change = difference.Name + " differs from the planned list"
		}
		changes = append(changes, change)
	}
	if len(changes) == 0 {
		return nil
	}
	return diag.NewWarningDiagnostic(
		fmt.Sprintf("Other details changed while the apply waited: %s (%s)", planned.BaseURL.ValueString(), firstOf(changes)),
		"The instance reports what is expected. These values have changed too, but this apply had to keep them as planned:"+
			bullets(changes)+"\n\nThe next plan picks them up. To have a value in the same apply, add it to expected.")
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

// failuresWarning returns a warning that lists the instances that could not be read.
func failuresWarning(failed []*instanceRead, total int) diag.Diagnostic {
	var names, lines []string
	for _, read := range failed {
		names = append(names, read.name())
		lines = append(lines, fmt.Sprintf("%q: %s (%s)", read.key, read.report.err, count(read.report.err.Attempts, "attempt")))
	}
	return diag.NewWarningDiagnostic("Instances could not be read: "+firstOf(names), paragraphs(fmt.Sprintf(
		"%d of %d could not be read. Because allow_failures is true, they are in the attribute errors instead of instances:%s",
		len(failed), total, listed(lines)), moreHelp))
}
