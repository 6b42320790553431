package provider

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

const (
	baseURLVariable       = "FILETRANSFER_BASE_URL"
	defaultRequestTimeout = 15 * time.Second
	maxAttemptsLimit      = 100
)

var defaultRetry = client.Retry{MaxAttempts: 4, MinDelay: 500 * time.Millisecond, MaxDelay: 10 * time.Second}

// providerData holds the configured provider block for data sources and resources.
type providerData struct {
	client *client.Client
	// baseURL is the default base URL, or zero.
	baseURL address.BaseURL
	// invalidBaseURL is the error for an invalid base URL, or nil. Only reads that use the base URL report it.
	invalidBaseURL diag.Diagnostic
	// headers and connectTo apply only to the origin of baseURL. connectTo may be "".
	headers        http.Header
	connectTo      string
	requestTimeout time.Duration
	// hasCACerts and hasClientCert are for advice: an argument that is set already is not to be set.
	hasCACerts, hasClientCert bool
	// unknown lists the arguments that are not known yet. Their defaults are never used; see checkKnownArguments.
	unknown []string
}

// providerDataOf returns what Configure of a data source or resource gets: nil while Terraform only validates.
func providerDataOf(shared any, diags *diag.Diagnostics) *providerData {
	data, ok := shared.(*providerData)
	if !ok && shared != nil {
		diags.AddError("Unexpected provider data", fmt.Sprintf("Expected %T, got %T. This is a bug in the provider: please "+
			"report it.", data, shared))
	}
	return data
}

// newProviderData returns the data for the configuration of a provider block, of which these arguments are unknown.
func newProviderData(config providerModel, retry retryModel, unknown []string, userAgent string) (*providerData, diag.Diagnostics) {
	headers, diags := parseHeaders(path.Root("request_headers"), config.RequestHeaders)
	data := &providerData{
		headers:        headers,
		requestTimeout: durationOr(config.RequestTimeout, defaultRequestTimeout),
		hasCACerts:     isSet(config.CACertPEM),
		hasClientCert:  isSet(config.ClientCertPEM) && isSet(config.ClientKeyPEM),
		unknown:        unknown,
	}
	data.setBaseURL(config.BaseURL)
	if isSet(config.ConnectTo) {
		var err error
		data.connectTo, err = address.ParseHostPort(config.ConnectTo.ValueString())
		diags.Append(syntaxError(path.Root("connect_to"), summaryConnectTo, "connect_to", err))
	}
	if diags.HasError() {
		return nil, diags
	}
	diags.Append(data.warnings(config)...)
	tls := client.TLS{CACertPEM: config.CACertPEM.ValueString(), Insecure: config.Insecure.ValueBool()}
	if data.hasClientCert {
		tls.ClientCertPEM, tls.ClientKeyPEM = config.ClientCertPEM.ValueString(), config.ClientKeyPEM.ValueString()
	}
	var err error
	data.client, err = client.New(client.Config{
		UserAgent:      userAgent,
		RequestTimeout: data.requestTimeout,
		Retry:          retry.settings(),
		TLS:            tls,
		ConnectTo:      map[string]string{data.baseURL.Origin: data.connectTo},
		Log:            tflog.Debug,
	})
	if err != nil {
		diags.AddError(summaryTLS, sentence(err.Error())+"\n\nCheck ca_cert_pem, client_cert_pem and client_key_pem.")
	}
	return data, diags
}

// warnings returns warnings about arguments that have no effect, or a dangerous one.
func (d *providerData) warnings(config providerModel) (diags diag.Diagnostics) {
	noBaseURL := d.lacksBaseURL() && !config.BaseURL.IsUnknown()
	if noBaseURL && len(d.headers) > 0 {
		// Without a path: Terraform would print the lines of the attribute, which may contain a secret.
		diags.AddWarning("Request headers without an instance to send them to",
			"The provider's request_headers are sent only to the origin of its own base_url. This provider block has none, so "+
				"they are never sent.\n\nSet the provider's base_url, or set request_headers on the data sources.")
	}
	if noBaseURL && d.connectTo != "" {
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
				"To trust a private certificate authority, set ca_cert_pem instead.")
	}
	return diags
}

// setBaseURL sets the provider's base URL from the argument or, if it is null, the environment variable. An invalid
// variable is an error only in reads that use it: it may be meant for another configuration.
func (d *providerData) setBaseURL(argument types.String) {
	text, name := argument.ValueString(), "The provider's base_url"
	if argument.IsNull() {
		text, name = os.Getenv(baseURLVariable), "The environment variable "+baseURLVariable
	}
	if text != "" {
		var err error
		d.baseURL, err = address.ParseBaseURL(text)
		d.invalidBaseURL = syntaxError(path.Empty(), summaryBaseURL, name, err)
	}
}

// lacksBaseURL reports whether no base URL is set, valid or not.
func (d *providerData) lacksBaseURL() bool { return d.baseURL.Written == "" && d.invalidBaseURL == nil }

// baseURLFor returns the base URL to read, own or the provider's, or an error. Returns zero if it is not known yet.
func (d *providerData) baseURLFor(own types.String) (address.BaseURL, diag.Diagnostic) {
	switch {
	case isSet(own):
		baseURL, err := address.ParseBaseURL(own.ValueString())
		return baseURL, syntaxError(path.Root("base_url"), summaryBaseURL, "base_url", err)
	case d.lacksBaseURL() && !slices.Contains(d.unknown, "base_url"):
		return address.BaseURL{}, diag.NewErrorDiagnostic("No instance to read", "base_url is set neither here nor in the "+
			"provider block, and the environment variable "+baseURLVariable+" is not set.\n\nSet one of them. To use a provider "+
			"block with an alias, set the argument provider.")
	default:
		return d.baseURL, d.invalidBaseURL
	}
}

// withHeaders adds the provider's headers to a request to the origin of its base URL. Existing ones take precedence.
func (d *providerData) withHeaders(request client.Request) client.Request {
	if d.baseURL.Origin == request.BaseURL.Origin {
		headers := maps.Clone(d.headers)
		maps.Copy(headers, request.Headers)
		request.Headers = headers
	}
	return request
}

// unknownArguments returns the names of the unknown arguments of a provider block, sorted, such as "retry.min_delay".
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

// checkKnownArguments returns true if an argument that a read needs is unknown and it may be deferred, or an error, whose
// text otherRemedy ends. A read with its own base URL needs the provider's only with request_headers or connect_to.
func (d *providerData) checkKnownArguments(ownBaseURL, deferralAllowed bool, otherRemedy string) (deferred bool, notKnown diag.Diagnostic) {
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
