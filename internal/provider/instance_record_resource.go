package provider

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

var (
	_ resource.ResourceWithConfigure      = (*instanceRecordResource)(nil)
	_ resource.ResourceWithValidateConfig = (*instanceRecordResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*instanceRecordResource)(nil)
	_ resource.ResourceWithImportState    = (*instanceRecordResource)(nil)
)

const (
	defaultWaitTimeout    = 10 * time.Minute
	defaultRefreshTimeout = 15 * time.Second
	updateTimeout         = "timeouts.update" // the argument that limits a wait in an update
)

// instanceRecordResource stores in the state what an instance last reported. It creates nothing else.
type instanceRecordResource struct{ provider *providerData }

// recordModel is the configuration, the plan and the state of filetransfer_instance_record.
type recordModel struct {
	BaseURL      types.String `tfsdk:"base_url"`
	Expected     types.Object `tfsdk:"expected"` // an expectedModel
	StableFor    types.String `tfsdk:"stable_for"`
	Triggers     types.Map    `tfsdk:"triggers"`
	Timeouts     types.Object `tfsdk:"timeouts"` // a recordTimeoutsModel
	WaitFailed   types.Bool   `tfsdk:"wait_failed"`
	ResponseBody types.String `tfsdk:"response_body"`
	detailsModel
}

type recordTimeoutsModel struct {
	Create types.String `tfsdk:"create"`
	Read   types.String `tfsdk:"read"`
	Update types.String `tfsdk:"update"`
}

// record is a recordModel with the models of its blocks.
type record struct {
	recordModel
	expected expectedModel
	timeouts recordTimeoutsModel
}

// getRecord reads a record from a configuration, a plan or a state.
func getRecord(ctx context.Context, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}, diags *diag.Diagnostics) (r record, ok bool) {
	diags.Append(from.Get(ctx, &r.recordModel)...)
	diags.Append(blockAs(ctx, r.Expected, &r.expected)...)
	diags.Append(blockAs(ctx, r.Timeouts, &r.timeouts)...)
	return r, !diags.HasError()
}

func newInstanceRecordResource() resource.Resource { return &instanceRecordResource{} }

func (r *instanceRecordResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance_record"
}

func (r *instanceRecordResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := detailsAttributes()
	attributes["response_body"] = computedString("The JSON document as delivered. Unknown in a plan that creates " +
		"the record, changes to another instance, or changes an attribute in `expected`.")
	attributes["base_url"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "Base URL of the instance. The provider reads `{base_url}/instance`. " + baseURLForm,
		Validators:          []validator.String{baseURLValidator},
	}
	attributes["stable_for"] = durationAttribute("How long the instance must go on reporting the values in `expected` "+
		"before a wait ends. An answer that fails or differs starts the time again. A positive duration, shorter than "+
		"`timeouts.create` and `timeouts.update`. Requires an argument in `expected`.", "one answer is enough")
	attributes["triggers"] = schema.MapAttribute{
		ElementType: types.StringType,
		Optional:    true,
		MarkdownDescription: "Values that change with the server. When one changes, the apply waits. Requires an argument in " +
			"`expected`. Stored in plain text. Default: none.",
	}
	attributes["wait_failed"] = schema.BoolAttribute{
		Computed:            true,
		MarkdownDescription: "Whether the last wait failed.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Waits until an instance of the file transfer service Stend reports the values in `expected`, " +
			"and keeps what it last reported.",
		Attributes: make(map[string]schema.Attribute, len(attributes)),
		Blocks: map[string]schema.Block{
			"expected": expectedBlock(),
			"timeouts": schema.SingleNestedBlock{
				MarkdownDescription: "Time limits.",
				Attributes: map[string]schema.Attribute{
					"create": durationAttribute("Time to wait when the record is created. A positive duration such as `\"1m30s\"`.",
						inMarkdown(defaultWaitTimeout)),
					"read": durationAttribute("Time for one refresh with its retries. A positive duration. A refresh uses the value "+
						"of the last apply.",
						inMarkdown(defaultRefreshTimeout)),
					"update": durationAttribute("Time for every other wait. A positive duration.", inMarkdown(defaultWaitTimeout)),
				},
			},
		},
	}
	for name, attribute := range attributes { // maps.Copy cannot: each schema package has its own type of attribute
		resp.Schema.Attributes[name] = attribute
	}
}

func (r *instanceRecordResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.provider = providerDataOf(req.ProviderData, &resp.Diagnostics)
}

// ValidateConfig rejects triggers and stable_for without an expected value, and a stable_for longer than a timeout.
func (r *instanceRecordResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config, ok := getRecord(ctx, req.Config, &resp.Diagnostics)
	if !ok {
		return
	}
	nothingExpected, timeouts := config.expected.isEmpty(), config.timeouts
	if nothingExpected && len(config.Triggers.Elements()) > 0 {
		resp.Diagnostics.AddAttributeError(path.Root("triggers"), "Triggers without anything expected",
			"triggers is set, but nothing is expected: the first answer would end the wait, also one of the old server.\n\n"+
				"Set an argument in the block expected, or remove triggers.")
	}
	stableFor := durationOr(config.StableFor, 0)
	create, update := durationOr(timeouts.Create, defaultWaitTimeout), durationOr(timeouts.Update, defaultWaitTimeout)
	timeoutsKnown := isDurationOrNull(timeouts.Create) && isDurationOrNull(timeouts.Update)
	switch {
	case stableFor == 0:
	case nothingExpected:
		resp.Diagnostics.AddAttributeError(path.Root("stable_for"), "stable_for without anything expected",
			"stable_for is set, but nothing is expected.\n\nSet an argument in the block expected, or remove stable_for.")
	case timeoutsKnown && stableFor >= min(create, update):
		resp.Diagnostics.AddAttributeError(path.Root("stable_for"), "stable_for is too long", fmt.Sprintf(
			"stable_for is %s, timeouts.create is %s and timeouts.update is %s: a wait would end before the instance was "+
				"stable for that long.\n\nMake stable_for shorter than both.",
			formatDuration(stableFor), formatDuration(create), formatDuration(update)))
	}
}

// ModifyPlan plans the expected values. Other computed values keep their state, so that nothing downstream changes.
// They are unknown if the record is new, or if the base URL is unknown or leads to another instance.
func (r *instanceRecordResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() { // destroy
		return
	}
	var state *recordModel // nil in a creation
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	planned, ok := getRecord(ctx, req.Plan, &resp.Diagnostics)
	if !ok {
		return
	}
	planned.WaitFailed = types.BoolValue(false)
	// Details that are not kept stay as the framework has planned them: unknown.
	keepsDetails := state != nil && isSameInstance(planned.BaseURL, state.BaseURL)
	if keepsDetails {
		planned.ResponseBody, planned.detailsModel = state.ResponseBody, state.detailsModel
	}
	planned.expected.plan(&planned.detailsModel)
	if keepsDetails && !maps.EqualFunc(planned.values(), state.values(), attr.Value.Equal) {
		planned.ResponseBody = types.StringUnknown() // the document will change too, because a value in it will
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &planned.recordModel)...)
	if keepsDetails && planned.Expected.Equal(state.Expected) {
		if differences := r.provider.differences(planned.expected.details(), state.detailsModel); len(differences) > 0 {
			resp.Diagnostics.Append(driftWarning(planned, differences))
		}
	}
}

// isSameInstance reports whether two base URLs are valid and have the same effective URL.
func isSameInstance(a, b types.String) bool {
	parsedA, errA := address.ParseBaseURL(a.ValueString())
	parsedB, errB := address.ParseBaseURL(b.ValueString())
	return errA == nil && errB == nil && parsedA.Effective == parsedB.Effective
}

// Create waits for the instance. If the wait fails, nothing is recorded.
func (r *instanceRecordResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	planned, ok := getRecord(ctx, req.Plan, &resp.Diagnostics)
	if !ok {
		return
	}
	result, diags := r.wait(ctx, planned, "timeouts.create", planned.timeouts.Create)
	resp.Diagnostics.Append(diags...)
	if diags.HasError() {
		return
	}
	planned.fillUnknown(result)
	resp.Diagnostics.Append(resp.State.Set(ctx, &planned.recordModel)...)
}

// Update waits if mustWait says so. If the wait fails, the state remembers that, so that the next apply waits again,
// even one that takes the change back.
func (r *instanceRecordResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var state recordModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	planned, ok := getRecord(ctx, req.Plan, &resp.Diagnostics)
	if !ok {
		return
	}
	if planned.mustWait(state) {
		result, diags := r.wait(ctx, planned, updateTimeout, planned.timeouts.Update)
		resp.Diagnostics.Append(diags...)
		if diags.HasError() {
			resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("wait_failed"), true)...)
			return
		}
		resp.Diagnostics.Append(r.changedWarning(planned, result))
		planned.fillUnknown(result)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &planned.recordModel)...)
}

// mustWait reports whether an update waits: for a value that only the instance knows (the document is then unknown in
// the plan), or, where anything is expected, because the last wait failed, or because expected or triggers changed.
func (r record) mustWait(state recordModel) bool {
	if r.ResponseBody.IsUnknown() || r.expected.isEmpty() {
		return r.ResponseBody.IsUnknown()
	}
	triggered := len(r.Triggers.Elements()) > 0 && !r.Triggers.Equal(state.Triggers)
	return triggered || state.WaitFailed.ValueBool() || !r.Expected.Equal(state.Expected)
}

// fillUnknown makes a plan the state after a wait. Either all details that are not expected are unknown in it, or none:
// Terraform plans again before it applies.
func (m *recordModel) fillUnknown(reported *client.Result) {
	if m.RecommendedExpireTimes.IsUnknown() { // nobody can expect these
		m.detailsModel = newDetailsModel(reported.Details)
	}
	if m.ResponseBody.IsUnknown() {
		m.ResponseBody = types.StringValue(string(reported.Document))
	}
}

// Read refreshes a record. A failure keeps the values, with a warning. The first read after an import has no values to
// keep, so there it is an error.
func (r *instanceRecordResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, ok := getRecord(ctx, req.State, &resp.Diagnostics)
	if !ok {
		return
	}
	imported := state.ResponseBody.IsNull() // not read yet
	if imported {
		state.WaitFailed = types.BoolValue(false)
		if deferred, _ := r.provider.checkKnownArguments(true, req.ClientCapabilities.DeferralAllowed, ""); deferred {
			resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonProviderConfigUnknown}
			return
		}
	}
	result, diags := r.read(ctx, state.BaseURL, readOperation{
		provider: r.provider, purpose: refreshRecord, timeoutArgument: "timeouts.read",
		timeout: durationOr(state.timeouts.Read, defaultRefreshTimeout),
	})
	switch canceled := ctx.Err() != nil; {
	case !diags.HasError():
		resp.Diagnostics.Append(diags...)
		state.detailsModel, state.ResponseBody = newDetailsModel(result.Details), types.StringValue(string(result.Document))
		resp.Diagnostics.Append(resp.State.Set(ctx, &state.recordModel)...)
	case imported || canceled:
		resp.Diagnostics.Append(diags...)
	default:
		resp.Diagnostics.Append(keptWarning(state, diags[0]))
	}
}

// wait waits until an instance reports what is expected.
func (r *instanceRecordResource) wait(ctx context.Context, planned record, timeoutArgument string, timeout types.String) (*client.Result, diag.Diagnostics) {
	return r.read(ctx, planned.BaseURL, readOperation{
		provider: r.provider, purpose: waitForRecord, waits: true,
		timeoutArgument: timeoutArgument, timeout: durationOr(timeout, defaultWaitTimeout),
		until: client.Condition{
			StableFor: durationOr(planned.StableFor, 0),
			Differences: func(details *instance.Details) []client.Difference {
				return r.provider.differences(planned.expected.details(), newDetailsModel(details))
			},
		},
	})
}

func (r *instanceRecordResource) read(ctx context.Context, baseURL types.String, op readOperation) (*client.Result, diag.Diagnostics) {
	if _, unknown := r.provider.checkKnownArguments(true, false, ""); unknown != nil {
		return nil, diag.Diagnostics{unknown}
	}
	parsed, invalid := r.provider.baseURLFor(baseURL)
	if invalid != nil { // only if another version of the provider accepted it in a state
		return nil, diag.Diagnostics{invalid}
	}
	ctx, cancel := context.WithTimeout(ctx, op.timeout)
	defer cancel()
	result, err := op.read(ctx, parsed)
	if err != nil {
		return nil, diag.Diagnostics{readDiagnostic(pathAtFault(err, op), err, op)}
	}
	return result, warningDiagnostics(instanceWarnings{parsed.Written, parsed.String(), result.Details.Warnings})
}

// Delete does nothing: the framework removes the record from the state.
func (r *instanceRecordResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState imports a record by its base URL. Terraform then refreshes it.
func (r *instanceRecordResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if _, err := address.ParseBaseURL(req.ID); err != nil {
		resp.Diagnostics.Append(syntaxError(
			path.Empty(), summaryBaseURL, "The import ID, which is the base URL of an instance,", err))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("base_url"), req.ID)...)
}
