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
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/text/unicode/norm"

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

// providerData is what data sources and resources get of the provider block.
type providerData struct {
	client *client.Client
	// baseURL is the instance of reads that have no base URL of their own; nil without one. baseURLFault says why it
	// cannot be used: an error of the reads that need it.
	baseURL      *client.BaseURL
	baseURLFault diag.Diagnostic
	// headers are for the origin of baseURL.
	headers http.Header
	// requestTimeout is the time limit of one attempt.
	requestTimeout time.Duration
	// unknown are the arguments that are not known before apply. What stands in for them is never used: see unknownFor.
	unknown []string
}

// known tells whether a value is there: neither null nor unknown.
func known(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }

// unknownArguments lists the arguments that are not known yet, those of an object like "retry.min_delay".
func unknownArguments(prefix string, object tftypes.Value) (unknown []string) {
	for name, value := range valuesOf(object) {
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

// retry returns the rules that retry makes, with defaults for what is not set or not known yet.
func (m *providerModel) retry(ctx context.Context) (retry client.Retry, diags diag.Diagnostics) {
	var model retryModel
	if known(m.Retry) {
		diags = m.Retry.As(ctx, &model, basetypes.ObjectAsOptions{})
	}
	retry = defaultRetry
	if known(model.MaxAttempts) {
		retry.MaxAttempts, _ = model.MaxAttempts.ValueBigFloat().Int64() // validated
	}
	retry.MinDelay = durationOr(model.MinDelay, retry.MinDelay)
	retry.MaxDelay = durationOr(model.MaxDelay, retry.MaxDelay)
	if retry.MinDelay > retry.MaxDelay && !model.MinDelay.IsUnknown() && !model.MaxDelay.IsUnknown() {
		diags.AddAttributeError(path.Root("retry"), summaryRetryDelays,
			fmt.Sprintf("retry.min_delay is %s and retry.max_delay is %s (the defaults are %s and %s).\n\nMake min_delay at most max_delay.",
				formatDuration(retry.MinDelay), formatDuration(retry.MaxDelay), formatDuration(defaultRetry.MinDelay), formatDuration(defaultRetry.MaxDelay)))
	}
	return retry, diags
}

// configure makes the data for data sources and resources.
func (m *providerModel) configure(ctx context.Context, userAgent string) (*providerData, diag.Diagnostics) {
	retry, diags := m.retry(ctx)
	headers, faults := parseHeaders(path.Root("request_headers"), m.RequestHeaders)
	diags.Append(faults...)
	data := &providerData{headers: headers, requestTimeout: durationOr(m.RequestTimeout, defaultRequestTimeout)}
	data.setBaseURL(m.BaseURL)
	if len(headers) > 0 && data.baseURL == nil && data.baseURLFault == nil && !m.BaseURL.IsUnknown() {
		// Not on the attribute, as in parseHeaders.
		diags.AddWarning(summaryUnusedHeaders,
			"The provider's request_headers are sent only to the origin of its own base_url. It has none, so they are never sent.\n\n"+
				"Set the provider's base_url, or set request_headers on the data sources.")
	}
	if m.Insecure.ValueBool() {
		diags.AddAttributeWarning(path.Root("insecure"), summaryInsecure,
			"insecure is true: anyone on the network path to an instance can read and change the traffic.\n\n"+
				"To trust a private certificate authority, set ca_cert_pem instead.")
	}

	config := client.Config{
		UserAgent:      userAgent,
		RequestTimeout: data.requestTimeout,
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
		diags.AddError(summaryTLS, sentence(err.Error())+"\n\nCheck ca_cert_pem, client_cert_pem and client_key_pem.")
	}
	return data, diags
}

// setBaseURL reads the provider's base URL: the argument, which is validated, then the environment, then none. The
// environment may be meant for another configuration: a fault in it concerns only the reads that need it.
func (d *providerData) setBaseURL(argument types.String) {
	text, name := argument.ValueString(), "The provider's base_url"
	if argument.IsNull() {
		// Composed, as Terraform has all its strings: else a record's base_url would differ from it forever.
		text, name = norm.NFC.String(os.Getenv(baseURLVariable)), "The environment variable "+baseURLVariable
	}
	if text == "" {
		return
	}
	if baseURL, err := client.ParseBaseURL(text); err != nil {
		d.baseURLFault = baseURLError(path.Empty(), text, name, err)
	} else {
		d.baseURL = &baseURL
	}
}

// instance returns the instance of one read: its own base URL, or else the provider's. It returns nil with an error,
// or if the base URL is not known yet.
func (d *providerData) instance(own tftypes.Value) (*client.BaseURL, diag.Diagnostic) {
	switch {
	case own.IsKnown() && !own.IsNull():
		var text string
		_ = own.As(&text) // it is a string
		baseURL, err := client.ParseBaseURL(text)
		if err != nil {
			return nil, baseURLError(path.Root("base_url"), text, "base_url", err)
		}
		return &baseURL, nil
	case d.baseURL == nil && d.baseURLFault == nil && !slices.Contains(d.unknown, "base_url"):
		return nil, diag.NewErrorDiagnostic(summaryNoInstance, "base_url is set neither here nor in the provider block, and the environment variable "+
			baseURLVariable+" is not set.\n\nSet one of them.")
	default:
		return d.baseURL, d.baseURLFault
	}
}

// unknownFor lists the arguments of the provider that matter to a read and are not known yet: base_url to a read that
// has none of its own and, with request_headers, to every read; any other argument to every read.
func (d *providerData) unknownFor(ownBaseURL bool) []string {
	if ownBaseURL && len(d.headers) == 0 && !slices.Contains(d.unknown, "request_headers") {
		return slices.DeleteFunc(slices.Clone(d.unknown), func(name string) bool { return name == "base_url" })
	}
	return d.unknown
}

// withholdsHeaders tells whether the provider has headers that are not for the instance's origin.
func (d *providerData) withholdsHeaders(baseURL client.BaseURL) bool {
	return len(d.headers) > 0 && (d.baseURL == nil || !d.baseURL.SameOrigin(baseURL))
}

// read reads an instance with the request's headers and the provider's, if they are meant for its origin. The
// request's own override them.
func (d *providerData) read(ctx context.Context, request client.Request) (*client.Result, error) {
	headers := make(http.Header, len(d.headers)+len(request.Headers))
	if !d.withholdsHeaders(request.BaseURL) {
		maps.Copy(headers, d.headers)
	}
	maps.Copy(headers, request.Headers)
	request.Headers = headers
	return d.client.Read(maskSecrets(ctx, headers), request)
}

// maskSecrets keeps header values out of the log, whatever is logged. The client logs none; this is the second wall.
func maskSecrets(ctx context.Context, headers http.Header) context.Context {
	secrets := client.Secrets(headers)
	if len(secrets) == 0 {
		return ctx
	}
	return tflog.MaskMessageStrings(tflog.MaskAllFieldValuesStrings(ctx, secrets...), secrets...)
}

// configured returns the provider's data, which is nil while Terraform only validates.
func configured(data any, diags *diag.Diagnostics) *providerData {
	if data == nil {
		return nil
	}
	configured, ok := data.(*providerData)
	if !ok {
		diags.AddError(summaryBug, fmt.Sprintf("The provider passed itself a %T.\n\n%s", data, reportBug))
	}
	return configured
}
