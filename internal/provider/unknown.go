package provider

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// unknownArguments lists the arguments that are not known yet, those of an object like "retry.min_delay".
func unknownArguments(prefix string, object tftypes.Value) (unknown []string) {
	for name, value := range elementsOf(object) {
		switch {
		case value.IsFullyKnown():
		case value.IsKnown() && value.Type().Is(tftypes.Object{}):
			unknown = append(unknown, unknownArguments(prefix+name+".", value)...)
		default:
			unknown = append(unknown, prefix+name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// unknownFor lists the arguments of the provider that matter to a read and are not known yet. Without request_headers and
// connect_to, base_url does not matter to a read that has a base URL of its own. Every other argument matters to every read.
func (d *providerData) unknownFor(ownBaseURL bool) []string {
	forOrigin := func(name string) bool { return name == "request_headers" || name == "connect_to" }
	if ownBaseURL && len(d.headers) == 0 && d.connectTo == "" && !slices.ContainsFunc(d.unknown, forOrigin) {
		return slices.DeleteFunc(slices.Clone(d.unknown), func(name string) bool { return name == "base_url" })
	}
	return d.unknown
}

// awaitArguments decides what becomes of a read: it is deferred where that is allowed, or fails, if arguments of the provider
// that matter to it are not known before apply. Otherwise it goes on. otherRemedy is one more thing to do.
func (d *providerData) awaitArguments(ownBaseURL, deferralAllowed bool, otherRemedy string) (deferred bool, fault diag.Diagnostic) {
	unknown := d.unknownFor(ownBaseURL)
	if len(unknown) == 0 || deferralAllowed {
		return len(unknown) > 0, nil
	}
	return false, diag.NewErrorDiagnostic(summaryUnknown,
		"The instance cannot be read while the plan is made, because these arguments of the provider are known only after apply:\n  - "+
			strings.Join(unknown, "\n  - ")+
			"\n\nGive them values that are known when the plan is made, create what they depend on first (terraform apply -target=...)"+
			otherRemedy+".")
}
