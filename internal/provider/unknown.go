package provider

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// unknownArguments returns the names of the unknown arguments of a provider block, sorted. Those of the block retry are
// written "retry.min_delay".
func unknownArguments(config tftypes.Value) (unknown []string) {
	_ = tftypes.Walk(config, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		if !value.IsKnown() {
			var names []string
			for _, step := range at.Steps() {
				if name, ok := step.(tftypes.AttributeName); ok { // not a key of request_headers
					names = append(names, string(name))
				}
			}
			unknown = append(unknown, strings.Join(names, "."))
		}
		return true, nil
	})
	slices.Sort(unknown)
	return slices.Compact(unknown)
}

// checkKnownArguments checks that the arguments of the provider that a read needs are known. If not, it returns true if
// the read may be deferred, else an error, whose last sentence otherRemedy continues. A read with its own base URL
// needs that of the provider only if request_headers or connect_to are set.
func (d *providerData) checkKnownArguments(
	ownBaseURL, deferralAllowed bool, otherRemedy string,
) (deferred bool, notKnown diag.Diagnostic) {
	forOrigin := func(name string) bool { return name == "request_headers" || name == "connect_to" }
	unknown := slices.Clone(d.unknown)
	if ownBaseURL && len(d.headers) == 0 && d.connectTo == "" && !slices.ContainsFunc(unknown, forOrigin) {
		unknown = slices.DeleteFunc(unknown, func(name string) bool { return name == "base_url" })
	}
	if len(unknown) == 0 || deferralAllowed {
		return len(unknown) > 0, nil
	}
	return false, diag.NewErrorDiagnostic("Provider configuration not known yet",
		"The instance cannot be read while the plan is made, because these arguments of the provider are known only after "+
			"apply:"+bullets(unknown)+"\n\nGive them values that are known when the plan is made, create what they depend "+
			"on first (terraform apply -target=...)"+otherRemedy+".")
}
