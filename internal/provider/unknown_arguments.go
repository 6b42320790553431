package provider

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

// unknownArguments returns the names of the unknown arguments of a provider block.
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

// notKnownYet returns an error that lists the unknown arguments of the provider that a read of these base URLs needs, or nil if it needs
// none. A zero base URL stands for the provider's own while that is unknown. The error ends with otherRemedy, a sentence or "".
//
// base_url, connect_to and request_headers matter only to reads of the provider's origin, or while any read could be one.
func (d *providerData) notKnownYet(otherRemedy string, baseURLs ...address.BaseURL) diag.Diagnostic {
	isUnknown := func(name string) bool { return slices.Contains(d.unknown, name) }
	hasSettings := len(d.headers) > 0 || d.connectTo != "" || isUnknown("request_headers") || isUnknown("connect_to")
	readsOrigin := isUnknown("base_url") && hasSettings || slices.ContainsFunc(baseURLs, func(baseURL address.BaseURL) bool {
		return baseURL.Origin == d.baseURL.Origin // also the provider's own, while it is unknown
	})
	needed := slices.DeleteFunc(slices.Clone(d.unknown), func(name string) bool {
		isAboutOrigin := name == "base_url" || name == "connect_to" || name == "request_headers"
		return isAboutOrigin && !readsOrigin
	})
	if len(needed) == 0 {
		return nil
	}
	return diag.NewErrorDiagnostic("Provider configuration not known yet",
		"The instance cannot be read yet, because these arguments of the provider are known only after apply:"+bullets(needed)+
			"\n\nGive them values that are known when the plan is made, or create what they depend on first (terraform apply "+
			"-target=...)."+otherRemedy)
}

// deferOrRefuse defers a read that needs unknown arguments of the provider, or adds an error. It returns true if it did.
func (d *providerData) deferOrRefuse(req datasource.ReadRequest, resp *datasource.ReadResponse, baseURLs ...address.BaseURL) bool {
	unknown := d.notKnownYet(" Or let the data source depend on the same resource (depends_on), so that it is read during the apply.", baseURLs...)
	switch {
	case unknown == nil:
		return false
	case !req.ClientCapabilities.DeferralAllowed:
		resp.Diagnostics.Append(unknown)
	default:
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		// The framework has no function that makes a whole state unknown.
		resp.State.Raw = tftypes.NewValue(req.Config.Raw.Type(), tftypes.UnknownValue)
	}
	return true
}
