package provider

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// unknownArguments lists the arguments that are not known yet, those of an object like "retry.min_delay", in any order.
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
	return unknown
}

// requireKnownArguments decides what becomes of a read while arguments of the provider that matter to it are not known: it is deferred
// where that is allowed, or fails. Otherwise it goes on. Without request_headers and connect_to, base_url does not matter to a
// read that has a base URL of its own. Every other argument matters to every read. otherRemedy is one more thing to do.
func (d *providerData) requireKnownArguments(ownBaseURL, deferralAllowed bool, otherRemedy string) (deferred bool, fault diag.Diagnostic) {
	forOrigin := func(name string) bool { return name == "request_headers" || name == "connect_to" }
	unknown := slices.Sorted(slices.Values(d.unknown))
	if ownBaseURL && len(d.headers) == 0 && d.connectTo == "" && !slices.ContainsFunc(unknown, forOrigin) {
		unknown = slices.DeleteFunc(unknown, func(name string) bool { return name == "base_url" })
	}
	if len(unknown) == 0 || deferralAllowed {
		return len(unknown) > 0, nil
	}
	return false, diag.NewErrorDiagnostic(summaryUnknown,
		"The instance cannot be read while the plan is made, because these arguments of the provider are known only after apply:\n  - "+
			strings.Join(unknown, "\n  - ")+
			"\n\nGive them values that are known when the plan is made, create what they depend on first (terraform apply -target=...)"+
			otherRemedy+".")
}
