// Package provider implements the Terraform provider: its schemas, values and diagnostics.
package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ provider.Provider = (*filetransferProvider)(nil)

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

// New returns a factory for the provider. version appears in its User-Agent.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &filetransferProvider{version: version} }
}

func (p *filetransferProvider) Metadata(
	_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse,
) {
	resp.TypeName = "filetransfer"
	resp.Version = p.version
}

func (p *filetransferProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the limits and expiry options of instances of Stend, a self-hosted service for sending " +
			"files, so that other resources can use them.",
		Attributes: map[string]schema.Attribute{
			"base_url": optionalString("Base URL of the instance that a data source reads if it sets none itself. "+
				baseURLForm, validateText(parseBaseURL)),
			"request_headers": requestHeadersAttribute("Extra request headers, for example for a gateway. They are sent "+
				"**only** to the origin (scheme, host, and port) of this provider's `base_url`.", true),
			"request_timeout": optionalDuration("Time for one attempt, from connecting until the whole response has arrived, "+
				"such as `\"500ms\"` or `\"1m30s\"`.", defaultRequestTimeout),
			"ca_cert_pem": optionalString("Certificates of CAs to trust in addition to the system's, in PEM form."),
			"client_cert_pem": optionalString("Client certificate for mutual TLS, in PEM form, with its chain if the server " +
				"requires one. It is offered to every instance that this provider block reads."),
			"client_key_pem": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "Private key of the client certificate, in PEM form, unencrypted.",
			},
			"connect_to": optionalString("Host and port to connect to instead of those in this provider's `base_url`, such as "+
				"`\"127.0.0.1:8443\"` for a tunnel. TLS and the `Host` header keep the name in `base_url`.",
				validateText(parseConnectTo)),
			"insecure": optionalBool("Whether to accept any certificate, including that of an `https` proxy. Causes a " +
				"warning. Default: `false`."),
		},
		Blocks: map[string]schema.Block{
			"retry": schema.SingleNestedBlock{
				MarkdownDescription: "How temporary failures are retried: failed connections and TLS handshakes (but not " +
					"untrusted certificates), incomplete responses, and the statuses 408, 429, and 500 and above except 501. " +
					"Delays grow from `min_delay` to `max_delay`. `Retry-After` of a 429 or 503 makes them longer, up to " +
					"`max_delay`.",
				Attributes: map[string]schema.Attribute{
					"max_attempts": optionalWholeNumber(fmt.Sprintf("Number of attempts, including the first, from 1 to 100. A "+
						"record ignores it while it waits. Default: `%d`.", defaultRetry.MaxAttempts), 1, 100),
					"min_delay": optionalDuration("Shortest delay.", defaultRetry.MinDelay),
					"max_delay": optionalDuration("Longest delay, but at least `min_delay`.",
						defaultRetry.MaxDelay),
				},
			},
		},
	}
}

// Configure makes no connections. Unknown arguments are an error only in a read.
func (p *filetransferProvider) Configure(
	ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse,
) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	userAgent := fmt.Sprintf("terraform-provider-filetransfer/%s Terraform/%s", p.version, req.TerraformVersion)
	data, diags := newProviderData(config, unknownArguments(req.Config.Raw), userAgent)
	resp.Diagnostics.Append(diags...)
	if !resp.Diagnostics.HasError() {
		resp.DataSourceData, resp.ResourceData = data, data
	}
}

func (p *filetransferProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &instanceDataSource{} },
		func() datasource.DataSource { return &instancesDataSource{} },
	}
}

func (p *filetransferProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &instanceRecordResource{} }}
}
