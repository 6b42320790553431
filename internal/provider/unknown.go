package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// unknownArguments returns the names of the unknown arguments of a provider block, in any order. Those of the block
// retry are written "retry.min_delay".
func unknownArguments(config providerModel, retry retryModel) (unknown []string) {
	for name, value := range map[string]attr.Value{
		"base_url":           config.BaseURL,
		"request_headers":    config.RequestHeaders,
		"request_timeout":    config.RequestTimeout,
		"ca_cert_pem":        config.CACertPEM,
		"client_cert_pem":    config.ClientCertPEM,
		"client_key_pem":     config.ClientKeyPEM,
		"connect_to":         config.ConnectTo,
		"insecure":           config.Insecure,
		"retry":              config.Retry,
		"retry.max_attempts": retry.MaxAttempts,
		"retry.min_delay":    retry.MinDelay,
		"retry.max_delay":    retry.MaxDelay,
	} {
		if value.IsUnknown() {
			unknown = append(unknown, name)
		}
	}
	for _, value := range config.RequestHeaders.Elements() {
		if value.IsUnknown() {
			return append(unknown, "request_headers")
		}
	}
	return unknown
}

// checkKnownArguments checks that the arguments of the provider that a read needs are known. If not, it returns true if
// the read may be deferred, else an error, whose last sentence otherRemedy continues. A read with its own base URL
// needs that of the provider only if request_headers or connect_to are set.
func (d *providerData) checkKnownArguments(
	ownBaseURL, deferralAllowed bool, otherRemedy string,
) (deferred bool, notKnown diag.Diagnostic) {
	forOrigin := func(name string) bool { return name == "request_headers" || name == "connect_to" }
	unknown := slices.Sorted(slices.Values(d.unknown))
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
