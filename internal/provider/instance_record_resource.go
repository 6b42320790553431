package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

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
)

// instanceRecordResource stores in the state what an instance last reported. It creates nothing else.
type instanceRecordResource struct{ provider *providerData }

// recordModel is the configuration, the plan and the state of filetransfer_instance_record.
type recordModel struct {
	BaseURL    types.String `tfsdk:"base_url"`
	Expected   types.Object `tfsdk:"expected"` // an expectedModel
	StableFor  types.String `tfsdk:"stable_for"`
	Triggers   types.Map    `tfsdk:"triggers"`
	Timeouts   types.Object `tfsdk:"timeouts"` // a recordTimeoutsModel
	WaitFailed types.Bool   `tfsdk:"wait_failed"`
	detailsModel
}

type recordTimeoutsModel struct {
	Create types.String `tfsdk:"create"`
	Read   types.String `tfsdk:"read"`
	Update types.String `tfsdk:"update"`
}

// record is a recordModel with the models of its blocks.
type record struct {
	model    recordModel
	expected expectedModel
	timeouts recordTimeoutsModel
}

// recordSource is a configuration, a plan or a state, each of which the framework has a type for.
type recordSource interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}

// getRecord reads a record. It returns false if diags then has an error, even one from before.
func getRecord(ctx context.Context, from recordSource, diags *diag.Diagnostics) (r record, ok bool) {
	diags.Append(from.Get(ctx, &r.model)...)
	diags.Append(blockAs(ctx, r.model.Expected, &r.expected)...)
	diags.Append(blockAs(ctx, r.model.Timeouts, &r.timeouts)...)
	return r, !diags.HasError()
}

func (r *instanceRecordResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance_record"
}

func (r *instanceRecordResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := detailsAttributes()
	attributes["base_url"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "Base URL of the instance. The provider reads `{base_url}/instance`. " + baseURLForm,
		Validators:          []validator.String{baseURLValidator},
	}
	attributes["stable_for"] = optionalDuration("How long the instance must go on reporting the values in `expected` before a "+
		"wait ends, such as `\"30s\"`. It must be shorter than `timeouts.create` and `timeouts.update`. Without it, one answer is "+
		"enough. Requires a value in `expected`.", 0)
	attributes["triggers"] = schema.MapAttribute{
		ElementType: types.StringType,
		Optional:    true,
		MarkdownDescription: "Values that change with each deploy, such as an ID, in plain text. When one changes, the apply waits. " +
			"Requires a value in `expected`.",
	}
	attributes["wait_failed"] = computedBool("Whether the last wait failed. If so, and if anything is expected, the next apply waits again.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Waits until an instance of the file transfer service Stend reports what you expect, and keeps what it " +
			"last reported.",
		Attributes: make(map[string]schema.Attribute, len(attributes)),
		Blocks: map[string]schema.Block{
			"expected": expectedBlock(),
			"timeouts": schema.SingleNestedBlock{
				MarkdownDescription: "How long to try to read the instance.",
				Attributes: map[string]schema.Attribute{
					"create": optionalDuration("Time to wait when the record is created or replaced, such as `\"15m\"`.", defaultWaitTimeout),
					"read": optionalDuration("Time for one refresh with its retries. A change takes effect after the next apply.",
						defaultRefreshTimeout),
					"update": optionalDuration("Time to wait when the record is updated.", defaultWaitTimeout),
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
	if nothingExpected && len(config.model.Triggers.Elements()) > 0 {
		resp.Diagnostics.AddAttributeError(path.Root("triggers"), "Triggers without anything expected",
			"triggers is set, but nothing is expected, so the first answer would end the wait, even one from the old server.\n\n"+
				"Set an argument in the block expected, or remove triggers.")
	}
	stableFor := durationOr(config.model.StableFor, 0)
	create, update := durationOr(timeouts.Create, defaultWaitTimeout), durationOr(timeouts.Update, defaultWaitTimeout)
	timeoutsKnown := isKnownDuration(timeouts.Create) && isKnownDuration(timeouts.Update)
	switch {
	case stableFor == 0:
	case nothingExpected:
		resp.Diagnostics.AddAttributeError(path.Root("stable_for"), "stable_for without anything expected",
			"stable_for is set, but nothing is expected.\n\nSet an argument in the block expected, or remove stable_for.")
	case timeoutsKnown && stableFor >= min(create, update):
		resp.Diagnostics.AddAttributeError(path.Root("stable_for"), "stable_for is too long", fmt.Sprintf(
			"stable_for is %s, timeouts.create is %s and timeouts.update is %s: a wait would end before the instance was "+
				"stable for that long.\n\nMake stable_for shorter than both, or raise the timeouts.",
			formatDuration(stableFor), formatDuration(create), formatDuration(update)))
	}
}

// ModifyPlan plans the details of a record. It warns if the instance has reported something else than an unchanged expected.
func (r *instanceRecordResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() { // destroy
		return
	}
	var plan recordModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	var state *recordModel // nil in a creation
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	config, ok := getRecord(ctx, req.Config, &resp.Diagnostics)
	if !ok {
		return
	}
	// The arguments come from the configuration, because Terraform before 1.3.8 plans a block that was removed as it was.
	planned := config.model
	planned.detailsModel = config.plannedDetails(plan.detailsModel, state)
	planned.WaitFailed = types.BoolValue(false)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &planned)...)
	if resp.Diagnostics.HasError() || state == nil || !config.model.Expected.Equal(state.Expected) {
		return
	}
	if found := r.driftFrom(config, *state); len(found) > 0 {
		resp.Diagnostics.Append(driftWarning(config.model.BaseURL.ValueString(), found))
	}
}

// plannedDetails returns the details of a plan: those in the state, overlaid with those that are expected. If the record is new or gets
// another instance, they are those that the framework proposes, which are all unknown, overlaid in the same way.
//
// The others stay as they are even if the apply waits. If they were unknown, Terraform would replace what uses one of them in an argument
// that forces replacement, and destroy it before the wait.
func (r record) plannedDetails(proposed detailsModel, state *recordModel) detailsModel {
	if state == nil || !isSameInstance(r.model.BaseURL, state.BaseURL) {
		return r.expected.overlay(proposed)
	}
	return r.expected.overlay(state.detailsModel)
}

// mustWait reports whether an update waits.
func (r *instanceRecordResource) mustWait(planned record, state recordModel) bool {
	switch {
	case !isSameInstance(planned.model.BaseURL, state.BaseURL):
		return true
	case planned.expected.isEmpty():
		return false
	case !planned.model.Expected.Equal(state.Expected), state.WaitFailed.ValueBool(), len(r.driftFrom(planned, state)) > 0:
		return true
	default:
		return len(planned.model.Triggers.Elements()) > 0 && !planned.model.Triggers.Equal(state.Triggers)
	}
}

// driftFrom returns how what the instance of a record last reported differs from what is expected. It returns nothing for another instance.
func (r *instanceRecordResource) driftFrom(planned record, state recordModel) []client.Difference {
	if !isSameInstance(planned.model.BaseURL, state.BaseURL) {
		return nil
	}
	return r.provider.unexpected(planned.expected, state.detailsModel)
}

// isSameInstance reports whether two base URLs are valid and have the same effective URL.
func isSameInstance(a, b types.String) bool {
	parsedA, errA := address.Parse(a.ValueString())
	parsedB, errB := address.Parse(b.ValueString())
	return errA == nil && errB == nil && parsedA.Effective == parsedB.Effective
}

// Create waits for the instance. If the wait fails, nothing is recorded.
func (r *instanceRecordResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	planned, ok := getRecord(ctx, req.Plan, &resp.Diagnostics)
	if !ok {
		return
	}
	limit := timeLimit{"timeouts.create", durationOr(planned.timeouts.Create, defaultWaitTimeout)}
	reported, ok := r.wait(ctx, planned, limit, &resp.Diagnostics)
	if !ok {
		return
	}
	planned.model.detailsModel = reported
	resp.Diagnostics.Append(resp.State.Set(ctx, &planned.model)...)
}

// Update waits if it must. If the wait fails, the state remembers that, so that the next apply waits again, even one that takes the change
// back.
func (r *instanceRecordResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var state recordModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	planned, ok := getRecord(ctx, req.Plan, &resp.Diagnostics)
	if !ok {
		return
	}
	if r.mustWait(planned, state) {
		limit := timeLimit{"timeouts.update", durationOr(planned.timeouts.Update, defaultWaitTimeout)}
		reported, ok := r.wait(ctx, planned, limit, &resp.Diagnostics)
		if !ok {
			resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("wait_failed"), true)...)
			return
		}
		if isSameInstance(planned.model.BaseURL, state.BaseURL) {
			// The plan had all details, and Terraform demands what was planned.
			resp.Diagnostics.Append(r.changedWarning(planned.model, reported))
		} else {
			planned.model.detailsModel = reported
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &planned.model)...)
}

// wait waits until an instance reports what is expected, and returns its details. It returns false if it added an error.
func (r *instanceRecordResource) wait(ctx context.Context, planned record, limit timeLimit, diags *diag.Diagnostics) (detailsModel, bool) {
	request, unusable := r.usableRequest(planned.model.BaseURL)
	if unusable != nil {
		diags.Append(unusable)
		return detailsModel{}, false
	}
	stableFor := durationOr(planned.model.StableFor, 0)
	waitCtx, cancel := context.WithTimeout(ctx, limit.duration)
	defer cancel()
	result, err := r.provider.client.Wait(waitCtx, request, client.Condition{
		StableFor: stableFor,
		Differences: func(details *instance.Details) []client.Difference {
			return r.provider.unexpected(planned.expected, newDetailsModel(details))
		},
	})
	if waitErr, ok := errors.AsType[*client.WaitError](err); ok {
		report := waitReport{readReport{waitErr.Read, r.provider, request, limit}, waitErr, stableFor}
		diags.AddAttributeError(report.path(), report.summary(), report.detail())
		return detailsModel{}, false
	}
	diags.Append(valueWarnings(request.BaseURL.Written, result)...)
	return newDetailsModel(result.Details), true
}

// usableRequest returns a request for an instance. It returns an error if an argument of the provider is unknown, or if the base URL is not
// valid, as in a state that somebody edited.
func (r *instanceRecordResource) usableRequest(baseURL types.String) (client.Request, diag.Diagnostic) {
	parsed, invalid := parseBaseURL("base_url", baseURL.ValueString())
	if invalid != nil {
		return client.Request{}, invalid
	}
	if unknown := r.provider.unknownFor(parsed); len(unknown) > 0 {
		return client.Request{}, notKnownYet(unknown, "")
	}
	return r.provider.requestFor(parsed, nil), nil
}

// Read refreshes a record. A failure keeps the values, with a warning. The first read after an import has no values to keep, so there it is
// an error.
func (r *instanceRecordResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, ok := getRecord(ctx, req.State, &resp.Diagnostics)
	if !ok {
		return
	}
	imported := state.model.WaitFailed.IsNull() && state.model.FileMaxSize.IsNull() // an edited state may have one of them
	if imported {
		state.model.WaitFailed = types.BoolValue(false)
		baseURL, _ := address.Parse(state.model.BaseURL.ValueString()) // ImportState has checked it
		if req.ClientCapabilities.DeferralAllowed && len(r.provider.unknownFor(baseURL)) > 0 {
			resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonProviderConfigUnknown}
			return
		}
	}
	result, failure := r.refresh(ctx, state)
	switch {
	case failure == nil:
		resp.Diagnostics.Append(valueWarnings(state.model.BaseURL.ValueString(), result)...)
		state.model.detailsModel = newDetailsModel(result.Details)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state.model)...)
	case imported || ctx.Err() != nil:
		resp.Diagnostics.Append(failure)
	default:
		resp.Diagnostics.Append(keptWarning(state.model.BaseURL.ValueString(), failure))
	}
}

// refresh reads the instance of a record.
func (r *instanceRecordResource) refresh(ctx context.Context, state record) (*client.Result, diag.Diagnostic) {
	request, unusable := r.usableRequest(state.model.BaseURL)
	if unusable != nil {
		return nil, unusable
	}
	limit := timeLimit{"timeouts.read", durationOr(state.timeouts.Read, defaultRefreshTimeout)}
	result, report := r.provider.read(ctx, request, limit)
	if report != nil {
		return nil, diag.NewErrorDiagnostic(report.summary(), report.detail(""))
	}
	return result, nil
}

// driftWarning returns a warning that an instance has reported something else than is expected. Terraform shows it in the plan, and again
// after the apply, even after one that succeeded.
func driftWarning(baseURL string, found []client.Difference) diag.Diagnostic {
	texts := textsOf(found)
	return diag.NewAttributeWarningDiagnostic(path.Root("expected").AtName(found[0].Name),
		fmt.Sprintf("Not as expected when last read: %s (%s)", baseURL, firstOf(texts)),
		"When this plan was made, the instance had last reported other values:"+bullets(texts)+"\n\nAn apply waits until the instance "+
			"reports what is expected. Terraform repeats this warning after the apply, also after one that has succeeded.")
}

// changedWarning returns a warning about values that are not as planned, or nil.
func (r *instanceRecordResource) changedWarning(planned recordModel, reported detailsModel) diag.Diagnostic {
	var changes []string
	for _, difference := range r.provider.differences(planned.detailsModel, reported) {
		change := fmt.Sprintf("%s is %s, planned %s", difference.Name, difference.Reported, difference.Expected)
		if difference.Name == "recommended_expire_times" {
			change = difference.Name + " differs from the planned list"
		}
		changes = append(changes, change)
	}
	if len(changes) == 0 {
		return nil
	}
	return diag.NewWarningDiagnostic(
		fmt.Sprintf("Other details changed while the apply waited: %s (%s)", planned.BaseURL.ValueString(), firstOf(changes)),
		"The instance reports what is expected. These values have changed too, but this apply had to keep them as planned:"+
			bullets(changes)+"\n\nThe next plan picks them up. To have a value in the same apply, add it to expected.")
}

// keptWarning returns a warning that a refresh failed.
func keptWarning(baseURL string, failure diag.Diagnostic) diag.Diagnostic {
	summary := "Instance not read, last known values kept"
	if _, err := address.Parse(baseURL); err == nil { // another text may contain a secret
		summary += ": " + baseURL
	}
	return diag.NewWarningDiagnostic(summary,
		"The instance could not be read, so this run goes on with what it last reported.\n\n"+failure.Detail())
}

// Delete does nothing: the framework removes the record from the state.
func (r *instanceRecordResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState imports a record by its base URL. Terraform then refreshes it.
func (r *instanceRecordResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if _, invalid := parseBaseURL("The import ID", req.ID); invalid != nil {
		resp.Diagnostics.Append(invalid)
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("base_url"), req.ID)...)
}
