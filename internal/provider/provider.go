// Package provider implements the Terraform provider: its schemas, values and diagnostics.
package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

var (
	_ provider.ProviderWithValidateConfig = (*filetransferProvider)(nil)
	_ provider.ProviderWithFunctions      = (*filetransferProvider)(nil)
)

type filetransferProvider struct{ version string }

// providerModel is the configuration of the provider block.
type providerModel struct {
	BaseURL        types.String `tfsdk:"base_url"`
	RequestHeaders types.Map    `tfsdk:"request_headers"`
	RequestTimeout types.String `tfsdk:"request_timeout"`
	Retry          *retryModel  `tfsdk:"retry"`
	CACertPEM      types.String `tfsdk:"ca_cert_pem"`
	ClientCertPEM  types.String `tfsdk:"client_cert_pem"`
	ClientKeyPEM   types.String `tfsdk:"client_key_pem"`
	ConnectTo      types.String `tfsdk:"connect_to"`
	Insecure       types.Bool   `tfsdk:"insecure"`
}

type retryModel struct {
	MaxAttempts types.Number `tfsdk:"max_attempts"`
	MinDelay    types.String `tfsdk:"min_delay"`
	MaxDelay    types.String `tfsdk:"max_delay"`
}

// settings returns the settings of the block, with defaults for values that are null or unknown, and if m is nil.
func (m *retryModel) settings() client.Retry {
	if m == nil {
		return defaultRetry
	}
	return client.Retry{
		MaxAttempts: int64Or(m.MaxAttempts, defaultRetry.MaxAttempts),
		MinDelay:    durationOr(m.MinDelay, defaultRetry.MinDelay),
		MaxDelay:    durationOr(m.MaxDelay, defaultRetry.MaxDelay),
	}
}

// New returns a factory for the provider. version appears in its User-Agent.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &filetransferProvider{version: version} }
}

func (p *filetransferProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "filetransfer"
	resp.Version = p.version
}

func (p *filetransferProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the limits and expiry options of instances of Stend, a self-hosted service for sending files, so " +
			"that other resources can use them.",
		Attributes: map[string]schema.Attribute{
			"base_url": optionalString("Base URL of the instance that a data source reads if it sets none itself. "+baseURLForm+
				" It can also be set with the environment variable `"+baseURLVariable+"`.", textValidator(parseBaseURL)),
			"request_headers": requestHeadersAttribute("Extra request headers, for example for a reverse proxy in front of the "+
				"instance. They are sent **only** to the origin (scheme, host, and port) of this provider's `base_url`.", true),
			"request_timeout": optionalDuration("Time for one attempt, from connecting until the whole response has arrived, such as "+
				"`\"500ms\"` or `\"1m30s\"`.", defaultRequestTimeout),
			"ca_cert_pem": optionalString("Certificates of CAs to trust in addition to the system's, in PEM form.",
				textValidator(parseCACerts)),
			"client_cert_pem": optionalString("Client certificate for mutual TLS, in PEM form, with its chain if the server requires " +
				"one. It is used for every instance of this provider block, but not for proxies and redirects to other origins."),
			"client_key_pem": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "Private key of the client certificate, in PEM form, unencrypted.",
			},
			"connect_to": optionalString("Host and port to connect to instead of those in this provider's `base_url`, such as "+
				"`\"127.0.0.1:8443\"` for a tunnel. The `Host` header and TLS still use the name in `base_url`.", textValidator(parseConnectTo)),
			"insecure": optionalBool("Whether to accept any certificate. Causes a warning, because anyone on the network path can then read " +
				"and change the traffic. Default: `false`."),
		},
		Blocks: map[string]schema.Block{
			"retry": schema.SingleNestedBlock{
				MarkdownDescription: "How failures that may pass are retried: a host name that is not found, no connection, no answer in time, a " +
					"broken connection, a TLS handshake, a response that is not valid HTTP, a proxy that fails, an empty or incomplete body, and the " +
					"statuses " + client.RetriedStatuses + ". Delays grow from `min_delay` to `max_delay`, and " +
					"`Retry-After` of a " + client.RetryAfterStatuses + " makes them longer, up to `max_delay`.",
				Attributes: map[string]schema.Attribute{
					"max_attempts": optionalNumber(fmt.Sprintf("Number of attempts, including the first, from 1 to %d. A record ignores it "+
						"while it waits. Default: `%d`.", maxAttemptsLimit, defaultRetry.MaxAttempts), 1, maxAttemptsLimit),
					"min_delay": optionalDuration("Shortest delay, at most `max_delay`.", defaultRetry.MinDelay),
					"max_delay": optionalDuration("Longest delay.", defaultRetry.MaxDelay),
				},
			},
		},
	}
}

// ValidateConfig checks arguments against each other.
func (p *filetransferProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(checkDelays(config.Retry), checkClientCertificate(config.ClientCertPEM, config.ClientKeyPEM))
}

// checkDelays returns an error if min_delay is longer than max_delay, at the one that is set.
func checkDelays(retry *retryModel) diag.Diagnostic {
	settings := retry.settings()
	if settings.MinDelay <= settings.MaxDelay || !isKnownDuration(retry.MinDelay) || !isKnownDuration(retry.MaxDelay) {
		return nil
	}
	at := path.Root("retry").AtName("min_delay")
	if retry.MinDelay.IsNull() {
		at = path.Root("retry").AtName("max_delay")
	}
	return diag.NewAttributeErrorDiagnostic(at, "min_delay is longer than max_delay", fmt.Sprintf(
		"retry.min_delay is %s and retry.max_delay is %s (the defaults are %s and %s).\n\nMake min_delay at most max_delay.",
		formatDuration(settings.MinDelay), formatDuration(settings.MaxDelay),
		formatDuration(defaultRetry.MinDelay), formatDuration(defaultRetry.MaxDelay)))
}

// checkClientCertificate returns an error if a certificate and a key do not belong together.
func checkClientCertificate(certificate, key types.String) diag.Diagnostic {
	const summary = "Invalid client certificate"
	at := path.Root("client_cert_pem") // never at the key, whose lines Terraform would print
	switch {
	case isSet(certificate) && key.IsNull():
		return diag.NewAttributeErrorDiagnostic(at, summary, "client_cert_pem is set, but client_key_pem is not.\n\n"+
			"Set both, or neither. If one PEM file has both, pass it to both arguments.")
	case isSet(key) && certificate.IsNull():
		return diag.NewAttributeErrorDiagnostic(at, summary,
			"client_key_pem is set, but client_cert_pem is not.\n\nSet both, or neither.")
	case !isSet(certificate) || !isSet(key):
		return nil
	}
	if _, err := client.ParseKeyPair(certificate.ValueString(), key.ValueString()); err != nil {
		return diag.NewAttributeErrorDiagnostic(at, summary, sentence(firstCharacters(err.Error()))+"\n\nSet client_cert_pem to a certificate, "+
			"followed by its chain if it has one, and client_key_pem to its own, unencrypted private key, both in PEM form, for example with "+
			`file("client.pem") and file("client.key").`)
	}
	return nil
}

// Configure makes no connections. Unknown arguments are an error only in a read that needs them.
func (p *filetransferProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	userAgent := fmt.Sprintf("terraform-provider-filetransfer/%s Terraform/%s", p.version, req.TerraformVersion)
	data, diags := newProviderData(config, unknownArguments(req.Config.Raw), userAgent)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.DataSourceData, resp.ResourceData = data, data
}

func (p *filetransferProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &instanceDataSource{} },
		func() datasource.DataSource { return &instancesDataSource{} },
	}
}

func (p *filetransferProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{func() function.Function { return &parseInstanceFunction{} }}
}

func (p *filetransferProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &instanceRecordResource{} }}
}
