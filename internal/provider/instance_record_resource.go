package provider

import (
	"context"
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

// importLimit is the time limit of an import, in which the timeouts of the configuration are not known.
var importLimit = timeLimit{"the limit of an import", time.Minute}

// instanceRecordResource stores in the state what an instance last reported. It creates nothing else.
type instanceRecordResource struct{ provider *providerData }

// recordModel is the configuration, the plan and the state of filetransfer_instance_record.
type recordModel struct {
	BaseURL    types.String `tfsdk:"base_url"`
	Expected   types.Object `tfsdk:"expected"` // an expectedModel
	StableFor  types.String `tfsdk:"stable_for"`
	Triggers   types.Map    `tfsdk:"triggers"`
	Timeouts   types.Object `tfsdk:"timeouts"`
	WaitFailed types.Bool   `tfsdk:"wait_failed"`
	detailsModel
}

// record is a recordModel with what is in its block expected.
type record struct {
	model    recordModel
	expected expectedModel
}

// getRecord reads a record from a configuration, a plan or a state. It returns false if diags then has an error, even
// one from before.
func getRecord(
	ctx context.Context, from interface {
		Get(context.Context, any) diag.Diagnostics
	}, diags *diag.Diagnostics,
) (r record, ok bool) {
	diags.Append(from.Get(ctx, &r.model)...)
	diags.Append(blockAs(ctx, r.model.Expected, &r.expected)...)
	return r, !diags.HasError()
}

// hasExpected reports whether there is a block expected, even an empty one.
func (r record) hasExpected() bool { return !r.model.Expected.IsNull() }

// isImported reports whether a state is that of an import, which has no values yet. One that somebody edited may lack
// one of the two.
func (m recordModel) isImported() bool { return m.WaitFailed.IsNull() && m.FileMaxSize.IsNull() }

func (r *instanceRecordResource) Metadata(
	_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_instance_record"
}

func (r *instanceRecordResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := detailsAttributes()
	attributes["base_url"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "Base URL of the instance. The provider reads `{base_url}/instance`. " + baseURLForm,
		Validators:          []validator.String{validateText(parseBaseURL)},
	}
	attributes["stable_for"] = optionalDuration("How long the instance must go on reporting the values in `expected`, "+
		"such as `\"30s\"`. It must be shorter than `timeouts.create` and `timeouts.update`, and requires a value in "+
		"`expected`. Without it, one answer is enough.", 0)
	attributes["triggers"] = schema.MapAttribute{
		ElementType: types.StringType,
		Optional:    true,
		MarkdownDescription: "Values that change with each deploy, such as an ID, in plain text. When one changes, the " +
			"apply waits. Requires a value in `expected`.",
	}
	attributes["wait_failed"] = computedBool("Whether the last wait failed.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Waits until an instance of the file transfer service Stend reports what you expect, and " +
			"keeps what it last reported.",
		Attributes: make(map[string]schema.Attribute, len(attributes)),
		Blocks: map[string]schema.Block{
			"expected": expectedBlock(),
			"timeouts": schema.SingleNestedBlock{
				MarkdownDescription: "How long to try to read the instance.",
				Attributes: map[string]schema.Attribute{
					"create": optionalDuration("Time limit when the record is created or replaced, for a wait or a read, such as "+
						"`\"15m\"`.", defaultWaitTimeout),
					"read": optionalDuration("Time for one refresh with its retries. A change takes effect after the next apply. An "+
						"import has a limit of one minute instead.", defaultRefreshTimeout),
					"update": optionalDuration("Time limit when the record is updated, for a wait or a read.",
						defaultWaitTimeout),
				},
			},
		},
	}
	for name, attribute := range attributes { // maps.Copy cannot: each schema package has its own type of attribute
		resp.Schema.Attributes[name] = attribute
	}
}

func (r *instanceRecordResource) Configure(
	_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse,
) {
	r.provider, _ = req.ProviderData.(*providerData) // nil while Terraform only validates
}

// ValidateConfig rejects triggers and stable_for without an expected value, and a stable_for that is too long.
func (r *instanceRecordResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	config, ok := getRecord(ctx, req.Config, &resp.Diagnostics)
	if !ok {
		return
	}
	nothingExpected := config.expected.isEmpty()
	if nothingExpected && len(config.model.Triggers.Elements()) > 0 {
		resp.Diagnostics.AddAttributeError(path.Root("triggers"), "Triggers without anything expected",
			"triggers is set, but nothing is expected, so an apply would have nothing to wait for.\n\n"+
				"Set an argument in the expected block, or remove triggers.")
	}
	stableFor := durationOr(config.model.StableFor, 0)
	create := newTimeLimit(config.model.Timeouts, "create", defaultWaitTimeout)
	update := newTimeLimit(config.model.Timeouts, "update", defaultWaitTimeout)
	areKnown := isKnown(config.model.Timeouts, "create") && isKnown(config.model.Timeouts, "update")
	switch {
	case stableFor == 0:
	case nothingExpected:
		resp.Diagnostics.AddAttributeError(path.Root("stable_for"), "stable_for without anything expected",
			"stable_for is set, but nothing is expected.\n\nSet an argument in the expected block, or remove stable_for.")
	case areKnown && stableFor >= min(create.duration, update.duration):
		resp.Diagnostics.AddAttributeError(path.Root("stable_for"), "stable_for is too long", fmt.Sprintf(
			"stable_for is %s, timeouts.create is %s and timeouts.update is %s: a wait would end before the instance was "+
				"stable for that long.\n\nMake stable_for shorter than both, or raise the timeouts.",
			formatDuration(stableFor), formatDuration(create.duration), formatDuration(update.duration)))
	}
}

// ModifyPlan plans the details of a record. It warns if the instance has reported something else than an unchanged
// expected.
func (r *instanceRecordResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
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
	planned := plannedRecord(config, plan, state)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &planned)...)
	if state == nil || !isSameInstance(planned.BaseURL, state.BaseURL) || !planned.Expected.Equal(state.Expected) {
		return
	}
	if drift := unmet(config.expected, state.detailsModel); len(drift) > 0 {
		resp.Diagnostics.Append(driftWarning(planned.BaseURL.ValueString(), drift))
	}
}

// plannedRecord returns what is planned for a configuration. plan is what the framework plans, and state is nil in a
// creation.
//
// The arguments are those of the configuration, because Terraform before 1.3.8 plans a removed block as it was. In an
// update of the same instance, details that are not expected stay as they are, even if the apply waits. If they
// were unknown, Terraform would replace what uses one of them in an argument that forces replacement, and destroy it
// before the wait.
func plannedRecord(config record, plan recordModel, state *recordModel) recordModel {
	planned, details := config.model, plan.detailsModel // which the framework makes unknown for a new instance
	if state != nil && isSameInstance(config.model.BaseURL, state.BaseURL) {
		details = state.detailsModel
	}
	planned.detailsModel = config.expected.override(details)
	planned.WaitFailed = types.BoolValue(false)
	return planned
}

// isSameInstance reports whether two base URLs are valid and name the same instance.
func isSameInstance(a, b types.String) bool {
	parsedA, errA := address.Parse(a.ValueString())
	parsedB, errB := address.Parse(b.ValueString())
	return errA == nil && errB == nil && parsedA.Normalized == parsedB.Normalized
}

// Create reads the instance, or waits for it. If that fails, nothing is recorded.
func (r *instanceRecordResource) Create(
	ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse,
) {
	planned, ok := getRecord(ctx, req.Plan, &resp.Diagnostics)
	if !ok {
		return
	}
	limit := newTimeLimit(planned.model.Timeouts, "create", defaultWaitTimeout)
	result, failure := r.readOrWait(ctx, planned, limit, planned.hasExpected())
	if failure != nil {
		resp.Diagnostics.Append(failure)
		return
	}
	resp.Diagnostics.Append(smallLimitsWarning(planned.model.BaseURL.ValueString(), result.Details))
	planned.model.detailsModel = newDetailsModel(result.Details)
	resp.Diagnostics.Append(resp.State.Set(ctx, &planned.model)...)
}

// Update waits if it must, or reads another instance of which nothing is expected. If a wait fails, the state remembers
// that, so that the next apply waits again, even one that takes the change back.
func (r *instanceRecordResource) Update(
	ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse,
) {
	var state recordModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	planned, ok := getRecord(ctx, req.Plan, &resp.Diagnostics)
	if !ok {
		return
	}
	if asksInstance(planned, state) {
		limit := newTimeLimit(planned.model.Timeouts, "update", defaultWaitTimeout)
		result, failure := r.readOrWait(ctx, planned, limit, planned.hasExpected())
		if failure != nil {
			resp.Diagnostics.Append(failure)
			if planned.hasExpected() {
				resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("wait_failed"), true)...)
			}
			return
		}
		resp.Diagnostics.Append(smallLimitsWarning(planned.model.BaseURL.ValueString(), result.Details))
		reported := newDetailsModel(result.Details)
		// For the same instance, the plan had all details, and Terraform demands what was planned.
		if isSameInstance(planned.model.BaseURL, state.BaseURL) {
			resp.Diagnostics.Append(changedWarning(planned.model, reported))
		} else {
			planned.model.detailsModel = reported
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &planned.model)...)
}

// asksInstance reports whether an update asks the instance.
func asksInstance(planned record, state recordModel) bool {
	triggers := planned.model.Triggers
	switch {
	case !isSameInstance(planned.model.BaseURL, state.BaseURL):
		return true
	case planned.expected.isEmpty():
		return false
	default:
		return !planned.model.Expected.Equal(state.Expected) || state.WaitFailed.ValueBool() ||
			len(unmet(planned.expected, state.detailsModel)) > 0 ||
			len(triggers.Elements()) > 0 && !triggers.Equal(state.Triggers)
	}
}

// readOrWait reads the instance of a record, or waits until it reports what is expected. It returns an error if that
// fails, if an argument of the provider is not known yet, or if the base URL is not valid, as in a state that somebody
// edited.
func (r *instanceRecordResource) readOrWait(
	ctx context.Context, planned record, limit timeLimit, waits bool,
) (result *client.Result, failure diag.Diagnostic) {
	baseURL, invalid := parseBaseURL("base_url", planned.model.BaseURL.ValueString())
	if invalid != nil {
		return nil, withPath(path.Root("base_url"), invalid)
	}
	if unknown := r.provider.checkKnown(""); unknown != nil {
		return nil, unknown
	}
	report := failureReport{
		provider: r.provider, request: r.provider.newRequest(baseURL, nil), limit: limit, baseURL: path.Root("base_url"),
	}
	if waits {
		report.isWait, report.stableFor = true, durationOr(planned.model.StableFor, 0)
		limited, cancel := context.WithTimeout(ctx, limit.duration)
		defer cancel()
		result, report.failed = r.provider.client.Wait(limited, report.request, report.stableFor,
			func(details *instance.Details) []string {
				report.unmet = unmet(planned.expected, newDetailsModel(details))
				return texts(report.unmet, difference.expectedText)
			})
	} else {
		result, report.failed = r.provider.read(ctx, report.request, limit)
	}
	if report.failed != nil {
		return nil, report.diagnostic()
	}
	return result, nil
}

// Read refreshes a record. A failure keeps the values, with a warning. The first read after an import has no values to
// keep, so there it is an error.
func (r *instanceRecordResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, ok := getRecord(ctx, req.State, &resp.Diagnostics)
	if !ok {
		return
	}
	limit := newTimeLimit(state.model.Timeouts, "read", defaultRefreshTimeout)
	imported := state.model.isImported()
	if imported {
		limit = importLimit
		state.model.WaitFailed = types.BoolValue(false)
		if req.ClientCapabilities.DeferralAllowed && r.provider.checkKnown("") != nil {
			resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonProviderConfigUnknown}
			return
		}
	}
	result, failure := r.readOrWait(ctx, state, limit, false)
	switch {
	case failure == nil:
		resp.Diagnostics.Append(smallLimitsWarning(state.model.BaseURL.ValueString(), result.Details))
		state.model.detailsModel = newDetailsModel(result.Details)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state.model)...)
	case imported || ctx.Err() != nil:
		resp.Diagnostics.Append(failure)
	default:
		resp.Diagnostics.Append(keptWarning(state.model.BaseURL.ValueString(), failure))
	}
}

// Delete does nothing: the framework removes the record from the state.
func (r *instanceRecordResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState imports a record by its base URL. Terraform then refreshes it.
func (r *instanceRecordResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	if _, invalid := parseBaseURL("The import ID", req.ID); invalid != nil {
		resp.Diagnostics.Append(invalid)
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("base_url"), req.ID)...)
}

// driftWarning returns a warning that an instance has reported something else than is expected. Terraform shows the
// warnings of a plan again after the apply, so their words are about the time of the plan.
func driftWarning(baseURL string, unmet []difference) diag.Diagnostic {
	lines := texts(unmet, difference.expectedText)
	return diag.NewAttributeWarningDiagnostic(path.Root("expected").AtName(unmet[0].name),
		fmt.Sprintf("Not as expected when last read: %s (%s)", baseURL, firstText(lines)),
		"When this plan was made, the instance had last reported other values:"+bullets(lines)+
			"\n\nAn apply waits until the instance reports what is expected. Terraform repeats this warning after the apply, "+
			"even after one that has succeeded.")
}

// keptWarning returns a warning that a refresh failed.
func keptWarning(baseURL string, failure diag.Diagnostic) diag.Diagnostic {
	summary := "Instance not read, last known values kept"
	if _, err := address.Parse(baseURL); err == nil { // another text may contain a secret
		summary += ": " + baseURL
	}
	return diag.NewWarningDiagnostic(summary,
		"When this plan was made, the instance could not be read, so the record kept what it had last reported, which "+
			"replacing it would lose. Terraform repeats this after the apply. If that waited for the instance, it is over."+
			"\n\n"+failure.Detail())
}

// changedWarning returns a warning about values that are not as planned, or nil.
func changedWarning(planned recordModel, reported detailsModel) diag.Diagnostic {
	changed := differences(planned.detailsModel, reported)
	if len(changed) == 0 {
		return nil
	}
	lines := texts(changed, func(d difference) string {
		if d.name == "recommended_expire_times" {
			return d.name + " differs from the planned list"
		}
		return fmt.Sprintf("%s is %s, planned %s", d.name, valueText(d.reported), valueText(d.wanted))
	})
	return diag.NewWarningDiagnostic(
		fmt.Sprintf("Other details changed while the apply waited: %s (%s)", planned.BaseURL.ValueString(), firstText(lines)),
		"The instance reports what is expected. These values have changed too, but this apply had to keep them as planned:"+
			bullets(lines)+"\n\nThe next plan picks them up. To have a limit in the same apply, add it to expected.")
}
