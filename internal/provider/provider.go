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
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
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
	Retry          types.Object `tfsdk:"retry"` // a retryModel
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

// settings returns the settings of the block, with defaults for values that are null or unknown.
func (m retryModel) settings() client.Retry {
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
		MarkdownDescription: "Reads the limits and expiry options of Stend, a self-hosted service for sending files, and " +
			"feeds them into other resources.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Base URL used by data sources that do not set their own. " + baseURLForm +
					" Environment variable: `" + baseURLVariable + "`. Default: none.",
				Validators: []validator.String{baseURLValidator},
			},
			"request_headers": requestHeadersAttribute("Extra request headers, for example for a reverse proxy in front of "+
				"the instance. Sent **only** to the origin (scheme, host and port) of this provider's `base_url`.", true),
			"request_timeout": durationAttribute("Time for one attempt, from connecting until the whole response has arrived. "+
				"A positive duration such as `\"500ms\"` or `\"1m30s\"`.", inMarkdown(defaultRequestTimeout)),
			"ca_cert_pem": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Certificates of certificate authorities to trust in addition to the system's, in PEM form. " +
					"Default: none.",
				Validators: []validator.String{caCertsValidator},
			},
			"client_cert_pem": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Client certificate for mutual TLS, in PEM form, with its chain if the server requires one. " +
					"Used for every instance of this provider block, not for proxies and redirects to other origins. Requires `client_key_pem`. " +
					"Default: none.",
			},
			"client_key_pem": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "Private key of the client certificate, in PEM form, unencrypted. Default: none.",
			},
			"connect_to": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Host and port to connect to instead of those of this provider's `base_url`, such as " +
					"`\"127.0.0.1:8443\"` for a tunnel. It is used only for the origin of `base_url`, without a proxy. The `Host` header " +
					"and TLS still use the name in `base_url`. Default: none.",
				Validators: []validator.String{connectToValidator},
			},
			"insecure": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to accept any certificate, with a warning. Anyone on the network path can then " +
					"read and change the traffic. Set `ca_cert_pem` instead. Default: `false`.",
			},
		},
		Blocks: map[string]schema.Block{
			"retry": schema.SingleNestedBlock{
				MarkdownDescription: "How transient failures are retried: no connection, a timeout, a connection that breaks, an " +
					"empty or incomplete response, and the statuses 408, 429, and 500 and above, except 501. Delays grow from " +
					"`min_delay` to `max_delay`, with jitter. `Retry-After` of a 429 or 503 makes them longer, up to `max_delay`.",
				Attributes: map[string]schema.Attribute{
					"max_attempts": schema.NumberAttribute{
						Optional: true,
						MarkdownDescription: fmt.Sprintf("Number of attempts, the first included, from 1 to %d. `1` switches retries "+
							"off. Ignored with `wait_until_ready` and while a record waits. Default: `%d`.",
							maxAttemptsLimit, defaultRetry.MaxAttempts),
						Validators: []validator.Number{wholeNumber{1, maxAttemptsLimit}},
					},
					"min_delay": durationAttribute("Shortest delay, at most `max_delay`. A positive duration.", inMarkdown(defaultRetry.MinDelay)),
					"max_delay": durationAttribute("Longest delay. A positive duration.", inMarkdown(defaultRetry.MaxDelay)),
				},
			},
		},
	}
}

// ValidateConfig checks arguments against each other.
func (p *filetransferProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var config providerModel
	var retry retryModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(blockAs(ctx, config.Retry, &retry)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(checkDelays(retry), checkClientCertificate(config.ClientCertPEM, config.ClientKeyPEM))
}

// checkDelays returns an error if min_delay is longer than max_delay, at the one that is set.
func checkDelays(retry retryModel) diag.Diagnostic {
	settings := retry.settings()
	known := isDurationOrNull(retry.MinDelay) && isDurationOrNull(retry.MaxDelay)
	if !known || settings.MinDelay <= settings.MaxDelay {
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
	at := pemPath(path.Root("client_cert_pem"), certificate.ValueString())
	switch {
	case isSet(certificate) && key.IsNull():
		return errorAt(at, "Client certificate without its key", "client_cert_pem is set, but client_key_pem is not.\n\n"+
			"Set both, or neither. If one PEM file contains both, pass it to both arguments.")
	case isSet(key) && certificate.IsNull():
		// At the missing argument: Terraform would print the lines of the key.
		return diag.NewAttributeErrorDiagnostic(path.Root("client_cert_pem"), "Client key without its certificate",
			"client_key_pem is set, but client_cert_pem is not.\n\nSet both, or neither.")
	case !isSet(certificate) || !isSet(key):
		return nil
	}
	if _, err := client.ParseClientCert(certificate.ValueString(), key.ValueString()); err != nil {
		return errorAt(at, summaryTLS, sentence(err.Error())+"\n\nSet client_cert_pem to a certificate, followed by its "+
			"chain if it has one, and client_key_pem to its own, unencrypted private key, both in PEM form as in their files: "+
			"file(\"client.pem\").")
	}
	return nil
}

// Configure makes no connections. Unknown arguments are an error only in a read that needs them.
func (p *filetransferProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config providerModel
	var retry retryModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(blockAs(ctx, config.Retry, &retry)...)
	if resp.Diagnostics.HasError() {
		return
	}
	userAgent := fmt.Sprintf("terraform-provider-filetransfer/%s Terraform/%s", p.version, req.TerraformVersion)
	data, diags := newProviderData(config, retry, unknownArguments(req.Config.Raw), userAgent) //nolint:contextcheck // a handshake has its own context
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.DataSourceData, resp.ResourceData = data, data
}

func (p *filetransferProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{newInstanceDataSource, newInstancesDataSource}
}

func (p *filetransferProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{newParseInstanceFunction}
}

func (p *filetransferProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newInstanceRecordResource}
}
