package provider

import (
	"context"
	"time"

	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
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

func (r *instanceRecordResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := instanceAttributes("filetransfer_instance_record.files",
		"A change reads the new instance, in place. Default: the provider's `base_url`, which is followed like an argument.")
	attributes["timeouts"] = timeoutsAttribute(" A change of these alone reads nothing.", map[string]datasourceschema.Attribute{
		"create": durationAttribute("Time to wait for the instance when the record is created.", literal(defaultRecordTimeout)),
		"read":   durationAttribute("Time for one refresh with its retries.", literal(defaultRefreshTimeout)),
		"update": durationAttribute("Time to wait for the new instance when `base_url` changes.", literal(defaultRecordTimeout)),
	})
	resp.Schema = schema.Schema{
		MarkdownDescription: "Keeps what an instance of the file transfer service last reported (`GET {base_url}/instance`). Creating it waits until " +
			"the instance answers. Afterwards an instance that is down does not stop a plan: the values stay as they are, with a warning. " +
			"Destroying it only forgets them. The instance itself is never changed.",
		Attributes: make(map[string]schema.Attribute, len(attributes)),
	}
	for name, attribute := range attributes {
		resp.Schema.Attributes[name] = attribute
	}
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
	planned, config, state := valuesOf(req.Plan.Raw), valuesOf(req.Config.Raw), valuesOf(req.State.Raw)
	if config["base_url"].IsNull() { // else it is in the plan
		baseURL, fault := r.provider.instance(config["base_url"])
		switch {
		case fault != nil && len(state) > 0: // no error: Terraform makes this plan before it destroys, too
			resp.Diagnostics.AddWarning(fault.Summary(), fault.Detail()+"\n\nUntil then this record keeps the base_url it has.")
			planned["base_url"] = state["base_url"]
		case fault != nil:
			resp.Diagnostics.Append(fault)
			return
		case baseURL != nil:
			planned["base_url"] = stringValue(baseURL.Written())
		// The provider's base_url is not known yet: follow it once it is. An update cannot wait for that: it is
		// planned again during apply, when it is known, and that plan must not contradict this one.
		case len(state) > 0 && planned["timeouts"].Equal(state["timeouts"]):
			planned["base_url"] = state["base_url"]
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
	resp.Plan.Raw = tftypes.NewValue(req.Plan.Raw.Type(), planned)
}

func (r *instanceRecordResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(markDefault(ctx, resp.Private, req.Config)...)
	resp.Diagnostics.Append(r.record(ctx, "create", req.Plan, &resp.State)...)
}

func (r *instanceRecordResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.Diagnostics.Append(markDefault(ctx, resp.Private, req.Config)...)
	if req.Plan.Raw.IsFullyKnown() { // only timeouts change, see ModifyPlan
		resp.State.Raw = req.Plan.Raw
		return
	}
	resp.Diagnostics.Append(r.record(ctx, "update", req.Plan, &resp.State)...)
}

// record waits for the planned instance, and records what it says. Its base URL is unknown if it is the provider's and
// that was not known when the plan was made.
func (r *instanceRecordResource) record(ctx context.Context, operation string, plan tfsdk.Plan, state *tfsdk.State) diag.Diagnostics {
	own := valuesOf(plan.Raw)["base_url"]
	baseURL, fault := r.provider.instance(own)
	if fault != nil {
		return diag.Diagnostics{fault}
	}
	if unknown := r.provider.unknownFor(own.IsKnown()); len(unknown) > 0 {
		return diag.Diagnostics{unknownError(unknown, "")}
	}
	return r.read(ctx, operation, *baseURL, plan, state)
}

// Read refreshes a record. A failure keeps every value, except just after an import, when there is none yet.
func (r *instanceRecordResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	values := valuesOf(req.State.Raw)
	imported := values["response_body"].IsNull()
	usesDefault, diags := req.Private.GetKey(ctx, defaultKey)
	resp.Diagnostics.Append(diags...)
	if unknown := r.provider.unknownFor(usesDefault == nil && !values["base_url"].IsNull()); len(unknown) > 0 {
		switch {
		case imported && req.ClientCapabilities.DeferralAllowed:
			resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonProviderConfigUnknown}
		case imported:
			resp.Diagnostics.Append(unknownError(unknown, ""))
		}
		return
	}
	baseURL, fault := r.provider.instance(values["base_url"])
	if fault != nil { // by the rules of another version of the provider
		resp.Diagnostics.Append(keptWarning("", fault))
		return
	}
	diags = r.read(ctx, "read", *baseURL, tfsdk.Plan(req.State), &resp.State)
	if canceled := ctx.Err() != nil; diags.HasError() && !imported && !canceled {
		diags = diag.Diagnostics{keptWarning(baseURL.Written(), diags[0])}
	}
	resp.Diagnostics.Append(diags...)
}

// read reads the instance of a record, and sets the state to the plan with what the instance says. A refresh, which
// plans to keep the state, does not wait for the instance.
func (r *instanceRecordResource) read(
	ctx context.Context, operation string, baseURL client.BaseURL, plan tfsdk.Plan, state *tfsdk.State,
) diag.Diagnostics {
	at, waits, standard := path.Root("base_url"), true, defaultRecordTimeout
	if operation == "read" { // which has no configuration to be on
		at, waits, standard = path.Empty(), false, defaultRefreshTimeout
	}
	timeout, _ := timeoutOf(ctx, plan, operation, standard) // validated; whatever is in a state, a refresh goes on
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	result, err := r.provider.read(ctx, client.Request{BaseURL: baseURL, UntilReady: waits})
	if err != nil {
		s := r.provider.situation(baseURL, timeout, waits)
		s.canWait, s.timeoutArgument = false, "timeouts."+operation
		return diag.Diagnostics{readError(at, err, s)}
	}
	values := valuesOf(plan.Raw)
	setInstance(values, baseURL, result)
	state.Raw = tftypes.NewValue(plan.Raw.Type(), values)
	return warningDiagnostics(instanceWarnings{baseURL.String(), result.Details.Warnings})
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
	var mark []byte // removes it
	if valuesOf(config.Raw)["base_url"].IsNull() {
		mark = []byte("true")
	}
	return private.SetKey(ctx, defaultKey, mark)
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
