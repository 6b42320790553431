package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Default limits for a read by a data source, retries included.
const (
	defaultReadTimeout      = time.Minute
	defaultReadyReadTimeout = 10 * time.Minute
)

// dataSource is embedded in all data sources.
type dataSource struct{ provider *providerData }

func (d *dataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.provider = providerDataOf(req.ProviderData, &resp.Diagnostics)
}

// readModel holds the arguments of all data sources about how to read. Their models embed it.
type readModel struct {
	RequestHeaders types.Map    `tfsdk:"request_headers"`
	WaitUntilReady types.Bool   `tfsdk:"wait_until_ready"`
	Timeouts       types.Object `tfsdk:"timeouts"` // a readTimeoutsModel
}

type readTimeoutsModel struct {
	Read types.String `tfsdk:"read"`
}

// readAttributes returns the attributes of readModel. requestHeaders is the description of request_headers.
func readAttributes(requestHeaders string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"request_headers": requestHeadersAttribute(requestHeaders, false),
		"wait_until_ready": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to wait for the first answer of a new instance. Almost every failure is then " +
				"retried until `timeouts.read` expires. Default: `false`.",
		},
	}
}

// readBlocks returns the blocks of readModel. terraform-plugin-framework-timeouts would accept negative durations.
func readBlocks() map[string]schema.Block {
	return map[string]schema.Block{"timeouts": schema.SingleNestedBlock{
		MarkdownDescription: "Time limits.",
		Attributes: map[string]schema.Attribute{
			"read": durationAttribute("Time for the whole read with its retries. A positive duration such as `\"1m30s\"`.",
				inMarkdown(defaultReadTimeout)+", or "+inMarkdown(defaultReadyReadTimeout)+" with `wait_until_ready`"),
		},
	}}
}

// operation returns the settings of a read with a configuration.
func (d *dataSource) operation(ctx context.Context, purpose purpose, config readModel) (readOperation, diag.Diagnostics) {
	var timeouts readTimeoutsModel
	diags := blockAs(ctx, config.Timeouts, &timeouts)
	headers, invalid := parseHeaders(path.Root("request_headers"), config.RequestHeaders)
	defaultTimeout := defaultReadTimeout
	if config.WaitUntilReady.ValueBool() {
		defaultTimeout = defaultReadyReadTimeout
	}
	return readOperation{
		provider: d.provider, purpose: purpose, waits: config.WaitUntilReady.ValueBool(), headers: headers,
		timeoutArgument: "timeouts.read", timeout: durationOr(timeouts.Read, defaultTimeout),
	}, append(diags, invalid...)
}

// deferOrRefuse defers a read that needs unknown arguments of the provider, or adds an error. Returns true if it did.
func (d *dataSource) deferOrRefuse(ownBaseURL bool, req datasource.ReadRequest, resp *datasource.ReadResponse) bool {
	deferred, unknown := d.provider.checkKnownArguments(ownBaseURL, req.ClientCapabilities.DeferralAllowed,
		", or let the data source depend on the same resource (depends_on), so that it is read during apply")
	resp.Diagnostics.Append(unknown)
	if deferred {
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		// The framework has no function that makes a whole state unknown.
		resp.State.Raw = tftypes.NewValue(req.Config.Raw.Type(), tftypes.UnknownValue)
	}
	return deferred || unknown != nil
}
