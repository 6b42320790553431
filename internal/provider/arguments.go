package provider

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// How long a data source's read may take with all its retries.
const (
	defaultReadTimeout      = time.Minute
	defaultReadyReadTimeout = 10 * time.Minute
)

// readArguments are the arguments that all data sources have.
type readArguments struct {
	headers        http.Header
	waitUntilReady bool
	timeout        time.Duration
}

// readArgumentAttributes returns the attributes of readArguments. headersFor ends the sentence that says what the
// headers are for.
func readArgumentAttributes(headersFor string) map[string]datasourceschema.Attribute {
	return map[string]datasourceschema.Attribute{
		"request_headers": datasourceschema.MapAttribute{
			ElementType: types.StringType,
			Optional:    true,
			Sensitive:   true,
			MarkdownDescription: "Extra request headers for " + headersFor + " They are sent only to the origin (scheme, host and port) of the " +
				"instance, and override the provider's. " + headersDescription,
			Validators: []validator.Map{headersValidator{}},
		},
		"wait_until_ready": datasourceschema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to keep trying while the instance starts: on every failure (no DNS name yet, connection refused or " +
				"reset, timeout, a certificate that is not trusted yet, any status other than 200, a body that is not an instance document) " +
				"until `timeouts.read` expires, with the delays of the provider's `retry` and beyond its `max_attempts`. The read then fails " +
				"with the last failure. Use it only for a new instance: with a wrong URL the error appears only when the timeout expires. " +
				"Default: `false`.",
		},
		"timeouts": datasourceschema.SingleNestedAttribute{
			Optional:            true,
			CustomType:          timeoutsType("read"),
			MarkdownDescription: timeoutsDescription,
			Attributes: map[string]datasourceschema.Attribute{
				"read": datasourceschema.StringAttribute{
					Optional: true,
					MarkdownDescription: fmt.Sprintf("Time for the whole read with its retries. %s Default: `%q`, or `%q` with `wait_until_ready`.",
						durationDescription, formatDuration(defaultReadTimeout), formatDuration(defaultReadyReadTimeout)),
					Validators: []validator.String{durationValidator},
				},
			},
		},
	}
}

const timeoutsDescription = "How long operations may take. Default: the defaults of its attributes."

// timeoutsType is the type of terraform-plugin-framework-timeouts. Its own attribute lacks a description, and accepts
// "-5s".
func timeoutsType(operations ...string) timeouts.Type {
	attributes := make(map[string]attr.Type, len(operations))
	for _, operation := range operations {
		attributes[operation] = types.StringType
	}
	return timeouts.Type{ObjectType: types.ObjectType{AttrTypes: attributes}}
}

// attributeGetter is a configuration, a plan or a state.
type attributeGetter interface {
	GetAttribute(ctx context.Context, at path.Path, target any) diag.Diagnostics
}

// timeoutsFrom reads the timeouts.
func timeoutsFrom(ctx context.Context, data attributeGetter) (timeouts.Value, diag.Diagnostics) {
	var value timeouts.Value
	diags := data.GetAttribute(ctx, path.Root("timeouts"), &value)
	return value, diags
}

// valuesOf returns the values of an object's attributes, in a map of its own: a new state is made of it.
func valuesOf(object tftypes.Value) (values map[string]tftypes.Value, diags diag.Diagnostics) {
	if err := object.As(&values); err != nil {
		diags.AddError(summaryBug, sentence(err.Error())+"\n\n"+reportBug)
	}
	return maps.Clone(values), diags // As returns the object's own map
}

// readArgumentsFrom reads the arguments from a configuration, whose values it gets too: what is null there needs no
// conversion.
func readArgumentsFrom(ctx context.Context, config tfsdk.Config, values map[string]tftypes.Value) (readArguments, diag.Diagnostics) {
	arguments := readArguments{timeout: defaultReadTimeout}
	var diags diag.Diagnostics

	if !values["request_headers"].IsNull() {
		var headers types.Map
		diags.Append(config.GetAttribute(ctx, path.Root("request_headers"), &headers)...)
		parsed, faults := parseHeaders(path.Root("request_headers"), headers)
		diags.Append(faults...)
		arguments.headers = parsed
	}
	if !values["wait_until_ready"].IsNull() {
		diags.Append(config.GetAttribute(ctx, path.Root("wait_until_ready"), &arguments.waitUntilReady)...)
	}
	if arguments.waitUntilReady {
		arguments.timeout = defaultReadyReadTimeout
	}
	if !values["timeouts"].IsNull() {
		value, faults := timeoutsFrom(ctx, config)
		diags.Append(faults...)
		timeout, faults := value.Read(ctx, arguments.timeout)
		diags.Append(faults...)
		arguments.timeout = timeout
	}
	return arguments, diags
}
