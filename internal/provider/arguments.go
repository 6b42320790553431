package provider

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// How long a read may take with all its retries.
const (
	defaultReadTimeout      = time.Minute
	defaultReadyReadTimeout = 10 * time.Minute
)

// readArguments are the arguments that every data source has.
type readArguments struct {
	headers        http.Header
	waitUntilReady bool
	timeout        time.Duration
}

// readArgumentAttributes returns the attributes of readArguments. headersFor
// ends the sentence that says what the headers are for.
func readArgumentAttributes(headersFor string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"request_headers": schema.MapAttribute{
			ElementType: types.StringType,
			Optional:    true,
			Sensitive:   true,
			MarkdownDescription: "Extra request headers for " + headersFor + " They are sent only to the origin (scheme, host and port) of the " +
				"instance that is read, and win over the provider's. " +
				headersDescription,
			Validators: []validator.Map{headersValidator{}},
		},
		"wait_until_ready": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to keep trying on every failure that a starting instance can show (no DNS name yet, connection " +
				"refused or reset, timeout, a certificate that is not trusted yet, any status other than 200, a body that is not an " +
				"instance document) until `timeouts.read` runs out, at the delays of the provider's `retry` and past its `max_attempts`. " +
				"The read then fails with the last failure. Default: `false`.",
		},
		"timeouts": timeoutsAttribute(),
	}
}

// timeoutsAttribute is the attribute of terraform-plugin-framework-timeouts
// but for the description that it lacks, and its check, which lets "-5s" pass.
func timeoutsAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		CustomType: timeouts.Type{
			ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"read": types.StringType}},
		},
		MarkdownDescription: "How long operations may take. Default: the default of its attribute.",
		Attributes: map[string]schema.Attribute{
			"read": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: fmt.Sprintf("Time for the whole read with its retries. %s Default: `%q`, or `%q` with `wait_until_ready`.",
					durationDescription, formatDuration(defaultReadTimeout), formatDuration(defaultReadyReadTimeout)),
				Validators: []validator.String{durationValidator{}},
			},
		},
	}
}

// configValues returns the values of a configuration, in a map of its own: a
// state is made of it.
func configValues(config tfsdk.Config) (values map[string]tftypes.Value, diags diag.Diagnostics) {
	if err := config.Raw.As(&values); err != nil {
		diags.AddError("Unexpected configuration", sentence(err)+"\n\nThis is a bug in the provider; please report it.")
	}
	return maps.Clone(values), diags // As returns the configuration's own map
}

// readArgumentsFrom reads the arguments from a configuration, whose values it
// gets too: what is null there needs no conversion.
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
		var value timeouts.Value
		diags.Append(config.GetAttribute(ctx, path.Root("timeouts"), &value)...)
		timeout, faults := value.Read(ctx, arguments.timeout)
		diags.Append(faults...)
		arguments.timeout = timeout
	}
	return arguments, diags
}

// configuredProvider returns the provider's data, which is nil while Terraform
// only validates.
func configuredProvider(req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) *providerData {
	if req.ProviderData == nil {
		return nil
	}
	data, ok := req.ProviderData.(*providerData)
	if !ok {
		resp.Diagnostics.AddError("Unexpected provider data",
			fmt.Sprintf("The provider passed a %T to its data source. This is a bug in the provider; please report it.", req.ProviderData))
	}
	return data
}
