package provider

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// How long a data source's read may take with all its retries.
const (
	defaultReadTimeout      = time.Minute
	defaultReadyReadTimeout = 10 * time.Minute
)

// The functions below make arguments that several schemas have. An attribute of the framework is the same interface in
// every kind of schema: the provider block and the resource use the data sources' attributes too.

// durationAttribute returns an argument with a duration. Its description is made of what it means and its default.
func durationAttribute(meaning, standard string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: meaning + " A positive duration such as `\"500ms\"`, `\"10s\"` or `\"1m30s\"`. Default: " + standard + ".",
		Validators:          []validator.String{durationValidator},
	}
}

// literal formats a duration as a description shows it.
func literal(duration time.Duration) string { return fmt.Sprintf("`%q`", formatDuration(duration)) }

func requestHeadersAttribute(meaning string) schema.MapAttribute {
	return schema.MapAttribute{
		ElementType:         types.StringType,
		Optional:            true,
		Sensitive:           true,
		MarkdownDescription: meaning + " " + headersDescription,
		Validators:          []validator.Map{headersValidator},
	}
}

// timeoutsAttribute returns the argument timeouts of terraform-plugin-framework-timeouts, whose own one accepts "-5s".
func timeoutsAttribute(addition string, operations map[string]schema.Attribute) schema.SingleNestedAttribute {
	attributes := make(map[string]attr.Type, len(operations))
	for operation := range operations {
		attributes[operation] = types.StringType
	}
	return schema.SingleNestedAttribute{
		Optional:            true,
		CustomType:          timeouts.Type{ObjectType: types.ObjectType{AttrTypes: attributes}},
		MarkdownDescription: "How long operations may take. Default: each attribute has its own." + addition,
		Attributes:          operations,
	}
}

// attributeGetter is a configuration, a plan or a state.
type attributeGetter interface {
	GetAttribute(ctx context.Context, at path.Path, target any) diag.Diagnostics
}

// timeoutOf returns the time for an operation: that in timeouts, or the default.
func timeoutOf(ctx context.Context, data attributeGetter, operation string, standard time.Duration) (time.Duration, diag.Diagnostics) {
	var value timeouts.Value
	if diags := data.GetAttribute(ctx, path.Root("timeouts"), &value); diags.HasError() {
		return standard, diags
	}
	switch operation {
	case "create":
		return value.Create(ctx, standard)
	case "update":
		return value.Update(ctx, standard)
	default:
		return value.Read(ctx, standard)
	}
}

// readArguments are the arguments that all data sources have.
type readArguments struct {
	headers        http.Header
	waitUntilReady bool
	timeout        time.Duration
}

// readArgumentAttributes returns the attributes of readArguments. headersFor ends the sentence that says what the
// headers are for.
func readArgumentAttributes(headersFor string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"request_headers": requestHeadersAttribute("Extra request headers for " + headersFor + " They are sent only to the origin (scheme, " +
			"host and port) of the instance, and override the provider's."),
		"wait_until_ready": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to keep trying while the instance starts: on every failure (no DNS name yet, connection refused or " +
				"reset, timeout, a certificate that is not trusted yet, any status other than 200, a body that is not an instance document) " +
				"until `timeouts.read` expires, with the delays of the provider's `retry` and beyond its `max_attempts`. The read then fails " +
				"with the last failure. Use it only for a new instance: with a wrong URL the error appears only when the timeout expires. " +
				"Default: `false`.",
		},
		"timeouts": timeoutsAttribute("", map[string]schema.Attribute{
			"read": durationAttribute("Time for the whole read with its retries.",
				literal(defaultReadTimeout)+", or "+literal(defaultReadyReadTimeout)+" with `wait_until_ready`"),
		}),
	}
}

// readArgumentsFrom reads the arguments from a configuration.
func readArgumentsFrom(ctx context.Context, config tfsdk.Config) (_ readArguments, diags diag.Diagnostics) {
	var headers types.Map
	var waitUntilReady types.Bool
	diags.Append(config.GetAttribute(ctx, path.Root("request_headers"), &headers)...)
	diags.Append(config.GetAttribute(ctx, path.Root("wait_until_ready"), &waitUntilReady)...)
	headerFields, faults := parseHeaders(path.Root("request_headers"), headers)
	diags.Append(faults...)
	standard := defaultReadTimeout
	if waitUntilReady.ValueBool() {
		standard = defaultReadyReadTimeout
	}
	timeout, faults := timeoutOf(ctx, config, "read", standard)
	diags.Append(faults...)
	return readArguments{headerFields, waitUntilReady.ValueBool(), timeout}, diags
}
