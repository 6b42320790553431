package provider

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// The summaries of all diagnostics but those in failureWords. Each has a section in the troubleshooting guide.
const (
	summaryCACerts       = "Invalid CA certificates"
	summaryBaseURL       = "Invalid base URL"
	summaryBug           = "Unexpected data in the provider"
	summaryCanceled      = "Read canceled"
	summaryContradictory = "Expiry options contradict themselves"
	summaryDuration      = "Invalid duration"
	summaryFailures      = "Instances could not be read"
	summaryHeader        = "Invalid request header"
	summaryInsecure      = "Certificates are not verified"
	summaryKept          = "Instance not read, last known details kept"
	summaryNoCert        = "Client key without its certificate"
	summaryNoInstance    = "No instance to read"
	summaryNoKey         = "Client certificate without its key"
	summaryNumber        = "Invalid number"
	summaryRetryDelays   = "min_delay is longer than max_delay"
	summaryShort         = "Expiry options shorter than a minute"
	summaryTLS           = "Invalid TLS configuration"
	summaryUnknown       = "Provider configuration not known yet"
	summaryUnusedHeaders = "Request headers without an instance to send them to"
)

const reportBug = "This is a bug in the provider; please report it."

// maxListed is how many entries or keys a warning lists.
const maxListed = 20

// sentence makes a sentence of a text.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "…") {
		text += "."
	}
	return text
}

// errorAt makes an error on an attribute, or on the whole block if the path is empty.
func errorAt(at path.Path, summary, detail string) diag.Diagnostic {
	if at.Equal(path.Empty()) {
		return diag.NewErrorDiagnostic(summary, detail)
	}
	return diag.NewAttributeErrorDiagnostic(at, summary, detail)
}

// deferOrFail ends a read that needs arguments of the provider that are not known before apply. It returns false if
// there are none.
func deferOrFail(req datasource.ReadRequest, resp *datasource.ReadResponse, unknown []string) bool {
	switch {
	case len(unknown) == 0:
		return false
	case req.ClientCapabilities.DeferralAllowed:
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		resp.State.Raw = tftypes.NewValue(req.Config.Raw.Type(), tftypes.UnknownValue)
	default:
		resp.Diagnostics.Append(unknownError(unknown,
			", or let the data source depend on the same resource (depends_on), so that it is read during apply"))
	}
	return true
}

// unknownError names arguments of the provider that are not known before apply. otherRemedy is one more thing to do.
func unknownError(unknown []string, otherRemedy string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(summaryUnknown,
		"The instance cannot be read while the plan is made, because these arguments of the provider are known only after apply:\n  - "+
			strings.Join(unknown, "\n  - ")+
			"\n\nGive them values that are known when the plan is made, create what they depend on first (terraform apply -target=...)"+
			otherRemedy+".")
}

// instanceWarnings are the warnings about one instance.
type instanceWarnings struct {
	// source is what was read: a URL, or the keys of a fleet.
	source   string
	warnings []instance.Warning
}

// warningDiagnostics makes one warning of each kind, listing its entries.
func warningDiagnostics(instances ...instanceWarnings) diag.Diagnostics {
	var diags diag.Diagnostics
	if list := listWarnings(instances, instance.ContradictoryUnits); list != "" {
		diags.AddWarning(summaryContradictory,
			"The inSeconds and value (in minutes) of these expiry options do not agree. They were read by inSeconds:"+list+
				"\n\nAsk the operator of the instance to fix its expiry options.")
	}
	if list := listWarnings(instances, instance.SuspiciouslyShort); list != "" {
		diags.AddWarning(summaryShort,
			"These expiry options have no inSeconds, so their value was read as seconds, as the service's documentation says. A few early "+
				"releases (1.1.0, 1.1.1 and 1.2.0 among them) report minutes instead: the durations may really be 60 times as long:"+list+
				"\n\nCompare them with what the instance offers its users.")
	}
	return diags
}

// listWarnings lists the warnings of one kind under their instances, or returns "".
func listWarnings(instances []instanceWarnings, kind instance.WarningKind) string {
	var lines []string
	for _, of := range instances {
		heading := "\n\n" + of.source
		for _, warning := range of.warnings {
			if warning.Kind != kind {
				continue
			}
			line := fmt.Sprintf("%s\n  - %s (%q): ", heading, warning.Path, warning.Label)
			heading = ""
			if kind == instance.ContradictoryUnits {
				minutes := instance.ExpireTime{InSeconds: warning.InSeconds}.InMinutes()
				line += fmt.Sprintf("inSeconds is %d, in whole minutes %d, but value is ", warning.InSeconds, minutes)
			}
			lines = append(lines, line+strconv.FormatInt(warning.Value, 10))
		}
	}
	return listed(lines, "", "\n  - ")
}

// listed joins the first maxListed texts, and says how many more there are.
func listed(texts []string, separator, beforeMore string) string {
	list := strings.Join(texts[:min(len(texts), maxListed)], separator)
	if more := len(texts) - maxListed; more > 0 {
		list += fmt.Sprintf("%sand %d more", beforeMore, more)
	}
	return list
}
