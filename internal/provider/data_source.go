package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
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

// readArgumentAttributes returns the arguments of all data sources. requestHeaders is the description of request_headers.
func readArgumentAttributes(requestHeaders string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"request_headers": requestHeadersAttribute(requestHeaders),
		"wait_until_ready": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to wait for the first answer of a new instance: almost every failure is retried until `timeouts.read` expires. " +
				"Use it only while an instance is new. Default: `false`.",
		},
	}
}

// readTimeoutBlocks returns the blocks of all data sources.
func readTimeoutBlocks() map[string]schema.Block {
	return map[string]schema.Block{"timeouts": schema.SingleNestedBlock{
		MarkdownDescription: "Time limits.",
		Attributes: map[string]schema.Attribute{
			"read": durationAttribute("Time for the whole read with its retries. A positive duration such as `\"1m30s\"`.",
				inMarkdown(defaultReadTimeout)+", or "+inMarkdown(defaultReadyReadTimeout)+" with `wait_until_ready`"),
		},
	}}
}

func (d *dataSource) operation(purpose purpose, config map[string]tftypes.Value) readOperation {
	op := readOperation{provider: d.provider, purpose: purpose, timeoutArgument: "timeouts.read"}
	op.waits = goValue[bool](config["wait_until_ready"])
	timeout := defaultReadTimeout
	if op.waits {
		timeout = defaultReadyReadTimeout
	}
	op.timeout = timeoutOf(config, "read", timeout)
	return op
}

// deferOrRefuse defers a read, or adds an error, if the read needs arguments of the provider that are unknown. Returns true if it did.
func (d *dataSource) deferOrRefuse(ownBaseURL bool, req datasource.ReadRequest, resp *datasource.ReadResponse) bool {
	deferred, unknown := d.provider.requireKnownArguments(ownBaseURL, req.ClientCapabilities.DeferralAllowed,
		", or let the data source depend on the same resource (depends_on), so that it is read during apply")
	resp.Diagnostics.Append(unknown)
	if deferred {
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		resp.State.Raw = unknownValue(req.Config.Raw.Type())
	}
	return deferred || unknown != nil
}
