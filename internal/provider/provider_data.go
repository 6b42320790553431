package provider

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// baseURLVariable is the environment variable behind base_url.
const baseURLVariable = "FILETRANSFER_BASE_URL"

const defaultRequestTimeout = 10 * time.Second

var defaultRetry = client.Retry{MaxAttempts: 4, MinDelay: 500 * time.Millisecond, MaxDelay: 10 * time.Second}

// providerModel is the provider block.
type providerModel struct {
	BaseURL        types.String `tfsdk:"base_url"`
	RequestHeaders types.Map    `tfsdk:"request_headers"`
	RequestTimeout types.String `tfsdk:"request_timeout"`
	Retry          types.Object `tfsdk:"retry"`
	CACertPEM      types.String `tfsdk:"ca_cert_pem"`
	ClientCertPEM  types.String `tfsdk:"client_cert_pem"`
	ClientKeyPEM   types.String `tfsdk:"client_key_pem"`
	Insecure       types.Bool   `tfsdk:"insecure"`
}

type retryModel struct {
	MaxAttempts types.Number `tfsdk:"max_attempts"`
	MinDelay    types.String `tfsdk:"min_delay"`
	MaxDelay    types.String `tfsdk:"max_delay"`
}

// providerData is what the data sources get of the provider block.
type providerData struct {
	client *client.Client
	// baseURL is the instance of data sources that name none; nil without one.
	baseURL *providerBaseURL
	// headers are for the origin of baseURL.
	headers http.Header
	// oneAttempt is true where the configuration allows no more.
	oneAttempt bool
	// unknown are the arguments that are not known before apply. Until then
	// their defaults stand in the client.
	unknown []string
}

// tlsArguments are the arguments of the provider that matter to TLS only.
var tlsArguments = []string{"ca_cert_pem", "client_cert_pem", "client_key_pem", "insecure"}

type providerBaseURL struct {
	text   string // as written
	parsed client.BaseURL
}

// known tells whether a value is there: neither null nor unknown.
func known(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }

// fullyKnown tells whether neither the headers nor one of their values is
// unknown.
func fullyKnown(headers types.Map) bool {
	return !headers.IsUnknown() && !slices.ContainsFunc(slices.Collect(maps.Values(headers.Elements())), attr.Value.IsUnknown)
}

// unknownArguments lists the arguments that are not known yet.
func (m *providerModel) unknownArguments(retry retryModel) []string {
	unknown := map[string]bool{
		"base_url":           m.BaseURL.IsUnknown(),
		"request_headers":    !fullyKnown(m.RequestHeaders),
		"request_timeout":    m.RequestTimeout.IsUnknown(),
		"retry.max_attempts": m.Retry.IsUnknown() || retry.MaxAttempts.IsUnknown(),
		"retry.min_delay":    m.Retry.IsUnknown() || retry.MinDelay.IsUnknown(),
		"retry.max_delay":    m.Retry.IsUnknown() || retry.MaxDelay.IsUnknown(),
		"ca_cert_pem":        m.CACertPEM.IsUnknown(),
		"client_cert_pem":    m.ClientCertPEM.IsUnknown(),
		"client_key_pem":     m.ClientKeyPEM.IsUnknown(),
		"insecure":           m.Insecure.IsUnknown(),
	}
	maps.DeleteFunc(unknown, func(_ string, isUnknown bool) bool { return !isUnknown })
	return slices.Sorted(maps.Keys(unknown))
}

// retryModel returns the retry object, with nothing set where it is null or
// unknown.
func (m *providerModel) retryModel(ctx context.Context) (model retryModel, diags diag.Diagnostics) {
	if known(m.Retry) {
		diags = m.Retry.As(ctx, &model, basetypes.ObjectAsOptions{})
	}
	return model, diags
}

// retry returns the retry rules, with defaults for what is not set or not
// known yet.
func (m *providerModel) retry(ctx context.Context) (client.Retry, diag.Diagnostics) {
	model, diags := m.retryModel(ctx)
	retry := defaultRetry
	if known(model.MaxAttempts) {
		retry.MaxAttempts, _ = model.MaxAttempts.ValueBigFloat().Int64() // validated
	}
	retry.MinDelay = durationOr(model.MinDelay, retry.MinDelay)
	retry.MaxDelay = durationOr(model.MaxDelay, retry.MaxDelay)
	if retry.MinDelay > retry.MaxDelay && !model.MinDelay.IsUnknown() && !model.MaxDelay.IsUnknown() {
		at := path.Root("retry").AtName("min_delay")
		if !known(model.MinDelay) {
			at = path.Root("retry").AtName("max_delay")
		}
		diags.AddAttributeError(at, "Retry delays the wrong way round",
			fmt.Sprintf("min_delay is %s, which is longer than max_delay, %s (the defaults are %s and %s).\n\nMake min_delay at most max_delay.",
				formatDuration(retry.MinDelay), formatDuration(retry.MaxDelay), formatDuration(defaultRetry.MinDelay), formatDuration(defaultRetry.MaxDelay)))
	}
	return retry, diags
}

// configure makes the data for the data sources.
func (m *providerModel) configure(ctx context.Context, userAgent string) (*providerData, diag.Diagnostics) {
	retry, diags := m.retry(ctx)
	retryModel, _ := m.retryModel(ctx)
	data := &providerData{
		unknown:    m.unknownArguments(retryModel),
		oneAttempt: retry.MaxAttempts == 1,
	}
	if !m.BaseURL.IsUnknown() {
		var baseURLDiags diag.Diagnostics
		data.baseURL, baseURLDiags = baseURLFrom(m.BaseURL, os.Getenv)
		diags.Append(baseURLDiags...)
	}
	if fullyKnown(m.RequestHeaders) {
		var faults diag.Diagnostics
		data.headers, faults = parseHeaders(path.Root("request_headers"), m.RequestHeaders)
		diags.Append(faults...)
	}
	if len(data.headers) > 0 && data.baseURL == nil && !m.BaseURL.IsUnknown() && !diags.HasError() {
		// Not on the attribute, as in parseHeaders.
		diags.AddWarning("Request headers without an instance to send them to",
			"The provider's request_headers are sent only to the origin of its own base_url, and it has none, so they are never sent.\n\n"+
				"Set the provider's base_url, or set request_headers on the data sources.")
	}
	if m.Insecure.ValueBool() {
		diags.AddAttributeWarning(path.Root("insecure"), "Certificates are not verified",
			"insecure is true: anybody on the way to an instance can read and change what is sent and answered.\n\n"+
				"To trust a private certificate authority, set ca_cert_pem instead.")
	}
	if diags.HasError() {
		return nil, diags
	}

	config := client.Config{
		UserAgent:      userAgent,
		RequestTimeout: durationOr(m.RequestTimeout, defaultRequestTimeout),
		Retry:          retry,
		TLS:            client.TLS{CACertPEM: m.CACertPEM.ValueString(), Insecure: m.Insecure.ValueBool()},
		Log: func(ctx context.Context, message string, fields map[string]any) {
			tflog.Debug(ctx, message, fields)
		},
	}
	if known(m.ClientCertPEM) && known(m.ClientKeyPEM) {
		config.TLS.ClientCertPEM, config.TLS.ClientKeyPEM = m.ClientCertPEM.ValueString(), m.ClientKeyPEM.ValueString()
	}
	var err error
	if data.client, err = client.New(config); err != nil { //nolint:contextcheck // a handshake has its own context
		diags.AddError("TLS material not usable", sentence(err)+"\n\nCheck ca_cert_pem, client_cert_pem and client_key_pem.")
	}
	return data, diags
}

// baseURLFrom reads the provider's base URL: the argument, then the
// environment, then none.
func baseURLFrom(argument types.String, getenv func(string) string) (*providerBaseURL, diag.Diagnostics) {
	var diags diag.Diagnostics
	text, source := argument.ValueString(), "base_url"
	if argument.IsNull() {
		text, source = getenv(baseURLVariable), "The environment variable "+baseURLVariable
		if text == "" {
			return nil, diags
		}
	}
	parsed, err := client.ParseBaseURL(text)
	if err != nil {
		diags.Append(baseURLError(path.Root("base_url"), text, source, err))
		return nil, diags
	}
	return &providerBaseURL{text: text, parsed: parsed}, diags
}

// headersFor merges the headers for one read: the provider's where they are
// meant for the instance's origin, and the read's own, which win.
func (d *providerData) headersFor(baseURL client.BaseURL, own http.Header) http.Header {
	headers := make(http.Header, len(d.headers)+len(own))
	if d.baseURL != nil && d.baseURL.parsed.SameOrigin(baseURL) {
		maps.Copy(headers, d.headers)
	}
	maps.Copy(headers, own)
	return headers
}

// unknownFor lists the arguments of the provider that a read needs and that
// are not known yet. base_url is nil where the data source names no instance.
func (d *providerData) unknownFor(baseURL *client.BaseURL, untilReady bool) []string {
	return slices.DeleteFunc(slices.Clone(d.unknown), func(name string) bool {
		switch name {
		case "base_url":
			// Headers go to the origin of base_url only: whether that is the
			// origin of this read depends on it too.
			return baseURL != nil && len(d.headers) == 0 && !slices.Contains(d.unknown, "request_headers")
		case "request_headers":
			return baseURL != nil && !slices.Contains(d.unknown, "base_url") &&
				(d.baseURL == nil || !d.baseURL.parsed.SameOrigin(*baseURL))
		case "retry.max_attempts":
			return untilReady
		case "retry.min_delay", "retry.max_delay": // no delay without another attempt
			return d.oneAttempt && !untilReady
		default:
			return slices.Contains(tlsArguments, name) && baseURL != nil && !baseURL.UsesTLS()
		}
	})
}

// unknownBehind lists the arguments of the provider that are not known yet and
// that a failed read turns out to need: a redirect led from plain HTTP to a
// certificate that is not trusted. The client certificate is not for where a
// redirect leads.
func (d *providerData) unknownBehind(err error) []string {
	failure, ok := client.AsFailure(err)
	if !ok || failure.Kind != client.KindCertificate {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(d.unknown), func(name string) bool { return name != "ca_cert_pem" && name != "insecure" })
}

// maskSecrets keeps header values out of the log, whatever is logged. The
// client logs none; this is the second wall.
func maskSecrets(ctx context.Context, headers http.Header) context.Context {
	var values []string
	for _, header := range headers {
		for _, value := range header {
			if len(value) >= client.MinSecret {
				values = append(values, value)
			}
		}
	}
	if len(values) == 0 {
		return ctx
	}
	return tflog.MaskMessageStrings(tflog.MaskAllFieldValuesStrings(ctx, values...), values...)
}
