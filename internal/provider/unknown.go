package provider

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// unknownArguments returns the names of the unknown arguments in object, in any order. Nested ones are written "retry.min_delay".
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

// requireKnownArguments checks that the provider arguments that a read needs are known. If not, it returns true if the read may be
// deferred, else an error. otherRemedy continues the last sentence of that error. A read needs all arguments, except that one with
// its own base URL needs base_url only to know whether request_headers or connect_to apply.
func (d *providerData) requireKnownArguments(ownBaseURL, deferralAllowed bool, otherRemedy string) (deferred bool, notKnown diag.Diagnostic) {
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
