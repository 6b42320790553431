package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
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

// providerData is the configured provider block, for data sources and resources.
type providerData struct {
	client *client.Client
	// baseURL is the provider's base URL, or zero.
	baseURL address.BaseURL
	// invalidBaseURL says why the base URL cannot be used, or is nil. Only reads that use the base URL report it.
	invalidBaseURL diag.Diagnostic
	// headers and connectTo apply only to the origin of baseURL. connectTo may be "".
	headers        http.Header
	connectTo      string
	requestTimeout time.Duration
	// hasClientCertificate is true if client_cert_pem and client_key_pem are set.
	hasClientCertificate bool
	// unusableCAs says how many certificates of ca_cert_pem cannot be used, or is "".
	unusableCAs string
	// unknown lists the arguments that are not known yet (see unknownFor).
	unknown []string
}

// providerDataOf returns what Configure of a data source or resource gets, which is nil while Terraform only validates.
func providerDataOf(shared any, diags *diag.Diagnostics) *providerData {
	data, ok := shared.(*providerData)
	if !ok && shared != nil {
		diags.AddError("Unexpected provider data", fmt.Sprintf("Expected %T, got %T. This is a bug in the provider: please "+
			"report it.", data, shared))
	}
	return data
}

// newProviderData returns the data for the configuration of a provider block, of which some arguments may be unknown.
func newProviderData(config providerModel, retry retryModel, unknown []string, userAgent string) (*providerData, diag.Diagnostics) {
	headers, diags := parseHeaders(path.Root("request_headers"), config.RequestHeaders)
	data := &providerData{
		headers:        headers,
		requestTimeout: durationOr(config.RequestTimeout, defaultRequestTimeout),
		unknown:        unknown,
	}
	data.setBaseURL(config.BaseURL)
	if isSet(config.ConnectTo) {
		var err error
		if data.connectTo, err = address.ParseHostPort(config.ConnectTo.ValueString()); err != nil {
			diags.AddAttributeError(path.Root("connect_to"), "Invalid connect_to",
				"connect_to "+describeInvalidHostPort(config.ConnectTo.ValueString(), err))
		}
	}
	if diags.HasError() {
		return nil, diags
	}
	diags.Append(data.warnings(config)...)
	if usable, total := client.CountCACerts(config.CACertPEM.ValueString()); usable < total {
		data.unusableCAs = fmt.Sprintf("%d of %d blocks in ca_cert_pem cannot be used.", total-usable, total)
	}
	tls := client.TLS{CACertPEM: config.CACertPEM.ValueString(), Insecure: config.Insecure.ValueBool()}
	if isSet(config.ClientCertPEM) && isSet(config.ClientKeyPEM) {
		tls.ClientCertPEM, tls.ClientKeyPEM = config.ClientCertPEM.ValueString(), config.ClientKeyPEM.ValueString()
		data.hasClientCertificate = true
	}
	var err error
	data.client, err = client.New(client.Config{
		UserAgent:      userAgent,
		RequestTimeout: data.requestTimeout,
		Retry:          retry.settings(),
		TLS:            tls,
		ConnectTo:      data.connectTo, ConnectToOrigin: data.baseURL.Origin,
		Log: tflog.Debug,
	})
	if err != nil {
		diags.AddError("Invalid TLS configuration", sentence(firstCharacters(err.Error()))+
			"\n\nCheck ca_cert_pem, client_cert_pem and client_key_pem.")
	}
	return data, diags
}

// warnings returns warnings about arguments that have no effect, or a dangerous one.
func (d *providerData) warnings(config providerModel) (diags diag.Diagnostics) {
	noBaseURL := d.lacksBaseURL() && !config.BaseURL.IsUnknown()
	if noBaseURL && len(d.headers) > 0 {
		// Without a path, because Terraform would print the lines of the attribute, which may contain a secret.
		diags.AddWarning("Request headers without an instance to send them to",
			"The provider's request_headers are sent only to the origin of its own base_url. This provider block has none, so "+
				"they are never sent.\n\nSet the provider's base_url. Headers that are not secret can be set on the data sources, too, which store them in the state.")
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
				"Set ca_cert_pem to the authority of the instance's certificate instead.")
	}
	return diags
}

// setBaseURL sets the base URL from the argument, or else from the environment.
func (d *providerData) setBaseURL(argument types.String) {
	text, name := argument.ValueString(), "The provider's base_url"
	if argument.IsNull() {
		text, name = os.Getenv(baseURLVariable), "The environment variable "+baseURLVariable
	}
	if text == "" {
		return
	}
	d.baseURL, d.invalidBaseURL = parseBaseURL(name, text)
}

// lacksBaseURL reports whether no base URL is set, valid or not.
func (d *providerData) lacksBaseURL() bool { return d.baseURL.Written == "" && d.invalidBaseURL == nil }

// baseURLFor returns the base URL to read, which is a data source's own or else the provider's. It returns zero if that is not known yet.
func (d *providerData) baseURLFor(own types.String) (address.BaseURL, diag.Diagnostic) {
	switch {
	case isSet(own):
		return parseBaseURL("base_url", own.ValueString())
	case d.lacksBaseURL() && !slices.Contains(d.unknown, "base_url"):
		return address.BaseURL{}, diag.NewErrorDiagnostic("No instance to read", "base_url is set neither here nor in the "+
			"provider block, and the environment variable "+baseURLVariable+" is not set.\n\nSet one of them. To use a provider "+
			"block with an alias, set the argument provider.")
	default:
		return d.baseURL, d.invalidBaseURL
	}
}

// requestFor returns a request for an instance with extra headers, to which it adds the provider's if they are for its origin.
func (d *providerData) requestFor(baseURL address.BaseURL, extra http.Header) client.Request {
	headers := make(http.Header)
	if d.baseURL.Origin == baseURL.Origin {
		maps.Copy(headers, d.headers)
	}
	maps.Copy(headers, extra)
	return client.Request{BaseURL: baseURL, Headers: headers}
}

// parseBaseURL parses a base URL. name says in the error where it comes from.
func parseBaseURL(name, text string) (address.BaseURL, diag.Diagnostic) {
	baseURL, err := address.Parse(text)
	if err != nil {
		return baseURL, diag.NewErrorDiagnostic(summaryBaseURL, name+" "+describeInvalidURL(text, err))
	}
	return baseURL, nil
}

// read reads an instance within a time limit. It returns a result, or the message about what failed.
func (d *providerData) read(ctx context.Context, request client.Request, limit timeLimit) (*client.Result, *readReport) {
	ctx, cancel := context.WithTimeout(ctx, limit.duration)
	defer cancel()
	result, err := d.client.Read(ctx, request)
	if err != nil {
		readErr, _ := errors.AsType[*client.ReadError](err)
		return nil, &readReport{readErr, d, request, limit}
	}
	return result, nil
}

// redacted returns text from an instance on one line that is safe to print, without the provider's secrets in it.
func (d *providerData) redacted(text string) string { return d.client.SafeLine(text, d.headers) }

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

// unknownFor returns the arguments of the provider that are not known yet, and that a read of these base URLs needs. A base URL is zero if
// it is the provider's own, and that is unknown.
//
// request_headers and connect_to are only for the origin of the provider's base_url, so they matter to no other instance, and base_url
// matters to one with a URL of its own only because of them.
func (d *providerData) unknownFor(baseURLs ...address.BaseURL) []string {
	isUnknown := func(name string) bool { return slices.Contains(d.unknown, name) }
	hasProvidersOrigin := func(baseURL address.BaseURL) bool { return baseURL.Origin == d.baseURL.Origin }
	hasOriginSettings := len(d.headers) > 0 || d.connectTo != "" || isUnknown("request_headers") || isUnknown("connect_to")

	isNeeded := func(name string) bool {
		switch name {
		case "base_url":
			return hasOriginSettings || slices.Contains(baseURLs, address.BaseURL{})
		case "request_headers", "connect_to":
			return isUnknown("base_url") || slices.ContainsFunc(baseURLs, hasProvidersOrigin)
		default:
			return true
		}
	}
	return slices.DeleteFunc(slices.Clone(d.unknown), func(name string) bool { return !isNeeded(name) })
}

// deferOrRefuse defers a read that needs unknown arguments of the provider, or adds an error. It returns true if it did.
func (d *providerData) deferOrRefuse(req datasource.ReadRequest, resp *datasource.ReadResponse, baseURLs ...address.BaseURL) bool {
	unknown := d.unknownFor(baseURLs...)
	if len(unknown) == 0 {
		return false
	}
	if !req.ClientCapabilities.DeferralAllowed {
		resp.Diagnostics.Append(notKnownYet(unknown, " Or let the data source depend on the same resource (depends_on), so that it "+
			"is read during the apply."))
		return true
	}
	resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
	// The framework has no function that makes a whole state unknown.
	resp.State.Raw = tftypes.NewValue(req.Config.Raw.Type(), tftypes.UnknownValue)
	return true
}

// notKnownYet returns an error about unknown arguments of the provider. otherRemedy is a sentence at its end, or "".
func notKnownYet(unknown []string, otherRemedy string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Provider configuration not known yet",
		"The instance cannot be read yet, because these arguments of the provider are known only after apply:"+bullets(unknown)+
			"\n\nGive them values that are known when the plan is made, or create what they depend on first (terraform apply "+
			"-target=...)."+otherRemedy)
}
