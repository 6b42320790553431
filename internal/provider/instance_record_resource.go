package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

var (
	_ resource.ResourceWithConfigure   = (*instanceRecordResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*instanceRecordResource)(nil)
	_ resource.ResourceWithImportState = (*instanceRecordResource)(nil)
)

// How long operations on a record may take with all their retries.
const (
	defaultRecordTimeout  = 10 * time.Minute
	defaultRefreshTimeout = 30 * time.Second
)

// instanceRecordResource keeps what an instance last said. It creates nothing outside of the state.
type instanceRecordResource struct {
	provider *providerData
}

func newInstanceRecordResource() resource.Resource { return &instanceRecordResource{} }

func (r *instanceRecordResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance_record"
}

var recordSchema = sync.OnceValue(func() schema.Schema {
	duration := func(what string, standard time.Duration) schema.Attribute {
		return schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: fmt.Sprintf("%s %s Default: `%q`.", what, durationDescription, formatDuration(standard)),
			Validators:          []validator.String{durationValidator},
		}
	}
	attributes := map[string]schema.Attribute{
		"base_url": schema.StringAttribute{
			Optional: true,
			Computed: true,
			MarkdownDescription: "Base URL of the instance: `{base_url}/instance` is read. " + baseURLDescription + " A change reads the new " +
				"instance, in place. Default: the provider's `base_url`, which is followed like an argument.",
			Validators: []validator.String{baseURLValidator},
		},
		"timeouts": schema.SingleNestedAttribute{
			Optional:            true,
			CustomType:          timeoutsType("create", "read", "update"),
			MarkdownDescription: timeoutsDescription + " A change of these alone reads nothing.",
			Attributes: map[string]schema.Attribute{
				"create": duration("Time to wait for the instance when the record is created.", defaultRecordTimeout),
				"read":   duration("Time for one refresh with its retries.", defaultRefreshTimeout),
				"update": duration("Time to wait for the new instance when `base_url` changes.", defaultRecordTimeout),
			},
		},
		"response_body": schema.StringAttribute{Computed: true, MarkdownDescription: responseBodyDescription},
	}
	for _, attribute := range detailsAttributes {
		attributes[attribute.name] = attribute.inResource()
	}
	return schema.Schema{
		MarkdownDescription: "Keeps what an instance of the file transfer service last reported (`GET {base_url}/instance`). Creating it waits until " +
			"the instance answers. Afterwards an instance that is down does not stop a plan: the values stay as they are, with a warning. " +
			"Destroying it only forgets them. The instance itself is never changed.",
		Attributes: attributes,
	}
})

var recordType = sync.OnceValue(func() tftypes.Type { return terraformType(recordSchema().Type()) })

func (r *instanceRecordResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = recordSchema()
}

func (r *instanceRecordResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.provider = configured(req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan plans a read only if base_url changes. All other computed values are known in a plan, so that nothing
// downstream changes.
func (r *instanceRecordResource) ModifyPlan(_ context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || r.provider == nil { // destroyed, or only validated
		return
	}
	planned, diags := valuesOf(req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	config, diags := valuesOf(req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	state := map[string]tftypes.Value{}
	if !req.State.Raw.IsNull() {
		state, diags = valuesOf(req.State.Raw)
		resp.Diagnostics.Append(diags...)
	}
	if resp.Diagnostics.HasError() {
		return
	}

	if config["base_url"].IsNull() { // else it is in the plan
		baseURL, diags := r.provider.instance(config["base_url"])
		resp.Diagnostics.Append(diags...)
		recorded, exists := state["base_url"]
		switch {
		case resp.Diagnostics.HasError():
			return
		case baseURL != nil:
			planned["base_url"] = stringValue(baseURL.Written())
		// The provider's base_url is not known yet: follow it once it is. An update cannot wait for that: it is
		// planned again during apply, when it is known, and that plan must not contradict this one.
		case exists && planned["timeouts"].Equal(state["timeouts"]):
			planned["base_url"] = recorded
		default:
			planned["base_url"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		}
	}
	read := !planned["base_url"].Equal(state["base_url"])
	for name, value := range planned {
		switch {
		case name == "base_url" || name == "timeouts":
		case read:
			planned[name] = tftypes.NewValue(value.Type(), tftypes.UnknownValue)
		default:
			planned[name] = state[name]
		}
	}
	resp.Plan.Raw = tftypes.NewValue(recordType(), planned)
}

func (r *instanceRecordResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(markDefault(ctx, resp.Private, req.Config)...)
	resp.Diagnostics.Append(r.record(ctx, req.Plan, &resp.State, "create")...)
}

func (r *instanceRecordResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.Diagnostics.Append(markDefault(ctx, resp.Private, req.Config)...)
	if req.Plan.Raw.IsFullyKnown() { // only timeouts change, see ModifyPlan
		resp.State.Raw = req.Plan.Raw
		return
	}
	resp.Diagnostics.Append(r.record(ctx, req.Plan, &resp.State, "update")...)
}

// record waits for the planned instance, and records what it says.
func (r *instanceRecordResource) record(ctx context.Context, plan tfsdk.Plan, state *tfsdk.State, operation string) diag.Diagnostics {
	values, diags := valuesOf(plan.Raw)
	if diags.HasError() {
		return diags
	}
	own := values["base_url"]
	if !own.IsKnown() { // the provider's, which was not known when the plan was made
		own = tftypes.NewValue(tftypes.String, nil)
	}
	baseURL, faults := r.provider.instance(own)
	diags.Append(faults...)
	if diags.HasError() {
		return diags
	}
	if unknown := r.provider.unknownFor(!own.IsNull()); len(unknown) > 0 {
		diags.Append(unknownError(unknown, ""))
		return diags
	}
	timeout := timeoutOf(values["timeouts"], operation, defaultRecordTimeout)
	result, err := r.read(ctx, *baseURL, true, timeout)
	if err != nil {
		diags.Append(readError(path.Root("base_url"), err, r.situation(*baseURL, true, "timeouts."+operation, timeout)))
		return diags
	}
	diags.Append(setRecord(state, values, *baseURL, result)...)
	return diags
}

// Read refreshes a record. A failure keeps every value, except just after an import, when there is none yet.
func (r *instanceRecordResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	values, diags := valuesOf(req.State.Raw)
	resp.Diagnostics.Append(diags...)
	usesDefault, diags := req.Private.GetKey(ctx, defaultKey)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	imported := values["response_body"].IsNull()
	if unknown := r.provider.unknownFor(usesDefault == nil && !values["base_url"].IsNull()); len(unknown) > 0 {
		switch {
		case imported && req.ClientCapabilities.DeferralAllowed:
			resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonProviderConfigUnknown}
		case imported:
			resp.Diagnostics.Append(unknownError(unknown, ""))
		}
		return
	}
	baseURL, diags := r.provider.instance(values["base_url"])
	if diags.HasError() { // by the rules of another version of the provider
		resp.Diagnostics.Append(keptWarning("", diags.Errors()[0]))
		return
	}
	timeout := timeoutOf(values["timeouts"], "read", defaultRefreshTimeout)
	result, err := r.read(ctx, *baseURL, false, timeout)
	if err == nil {
		resp.Diagnostics.Append(setRecord(&resp.State, values, *baseURL, result)...)
		return
	}
	failure := readError(path.Empty(), err, r.situation(*baseURL, false, "timeouts.read", timeout))
	if imported || errors.Is(err, context.Canceled) {
		resp.Diagnostics.Append(failure)
		return
	}
	resp.Diagnostics.Append(keptWarning(baseURL.Written(), failure))
}

// keptWarning says that a refresh failed. The instance is part of the summary: of warnings with the same summary,
// Terraform shows only the first.
func keptWarning(baseURL string, failure diag.Diagnostic) diag.Diagnostic {
	summary := summaryKept
	if baseURL != "" {
		summary += ": " + baseURL
	}
	return diag.NewWarningDiagnostic(summary,
		"The instance could not be read, so this record keeps what the instance last reported.\n\n"+failure.Detail())
}

// defaultKey marks, in a record's private state, that its configuration has no base_url. A refresh, which does not
// get the configuration, then depends on the provider's base_url.
const defaultKey = "default_base_url"

// markDefault sets or removes the mark of defaultKey.
func markDefault(ctx context.Context, private interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}, config tfsdk.Config) diag.Diagnostics {
	values, diags := valuesOf(config.Raw)
	var mark []byte // removes it
	if values["base_url"].IsNull() {
		mark = []byte("true")
	}
	diags.Append(private.SetKey(ctx, defaultKey, mark)...)
	return diags
}

// timeoutOf returns the time for an operation. Whatever is in a state, a refresh goes on: what is no duration counts
// as not set.
func timeoutOf(timeouts tftypes.Value, operation string, standard time.Duration) time.Duration {
	var values map[string]tftypes.Value
	var text *string
	if timeouts.As(&values) != nil || values[operation].As(&text) != nil {
		return standard
	}
	return durationOr(types.StringPointerValue(text), standard)
}

// read reads the instance of a record. Its headers are the provider's.
func (r *instanceRecordResource) read(ctx context.Context, baseURL client.BaseURL, untilReady bool, timeout time.Duration) (*client.Result, error) {
	headers := r.provider.headersFor(baseURL, nil)
	ctx, cancel := context.WithTimeout(maskSecrets(ctx, headers), timeout)
	defer cancel()
	return r.provider.client.Read(ctx, client.Request{BaseURL: baseURL, Headers: headers, UntilReady: untilReady})
}

// setRecord sets a state to values and what an instance says.
func setRecord(state *tfsdk.State, values map[string]tftypes.Value, baseURL client.BaseURL, result *client.Result) diag.Diagnostics {
	maps.Copy(values, detailsValues(result.Details))
	values["base_url"] = stringValue(baseURL.Written())
	values["response_body"] = stringValue(string(result.Document))
	state.Raw = tftypes.NewValue(recordType(), values)
	return warningDiagnostics([]instanceWarnings{{baseURL.String(), result.Details.Warnings}})
}

func (r *instanceRecordResource) situation(baseURL client.BaseURL, waits bool, timeoutArgument string, timeout time.Duration) situation {
	return situation{
		baseURLArgument: "base_url",
		timeoutArgument: timeoutArgument,
		timeout:         timeout,
		requestTimeout:  r.provider.requestTimeout,
		waits:           waits,
		headersWithheld: r.provider.withholdsHeaders(baseURL),
	}
}

// Delete forgets the record: the framework removes it from the state.
func (r *instanceRecordResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState imports a record by its base URL. Terraform then refreshes it.
func (r *instanceRecordResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if _, err := client.ParseBaseURL(req.ID); err != nil {
		resp.Diagnostics.Append(baseURLError(path.Empty(), req.ID, "The import ID, which is the base URL of an instance,", err))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("base_url"), req.ID)...)
}
