package provider

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

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

// Default limits for operations on a record, retries included.
const (
	defaultWaitTimeout    = 10 * time.Minute
	defaultRefreshTimeout = 10 * time.Second
)

// instanceRecordResource stores in the state what an instance last reported. It creates nothing else.
type instanceRecordResource struct{ provider *providerData }

func newInstanceRecordResource() resource.Resource { return &instanceRecordResource{} }

func (r *instanceRecordResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance_record"
}

func (r *instanceRecordResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := computedAttributes("The JSON document as delivered. Unknown in a plan that changes a value in `expected`. Do not use it in an " +
		"argument that forces replacement: each release would replace that resource. Use the other attributes there.")
	attributes["base_url"] = schema.StringAttribute{
		Required: true,
		MarkdownDescription: "Base URL of the instance: `{base_url}/instance` is read. " + baseURLForm + " If it changes, the record waits for " +
			"the new instance, and is updated in place.",
		Validators: []validator.String{baseURLValidator},
	}
	attributes["stable_for"] = durationAttribute("How long the instance must go on reporting the values in `expected` before a wait ends. It is asked about once "+
		"a second, each time on a new connection. An answer that fails or differs starts the time again. A positive duration, shorter than `timeouts.create` and "+
		"`timeouts.update`. Requires an argument in `expected`.", "one answer is enough")
	attributes["triggers"] = schema.MapAttribute{
		ElementType: types.StringType,
		Optional:    true,
		MarkdownDescription: "Values that change with the server, such as the ID of its deployment. When one changes, the apply waits until the instance " +
			"reports the values in `expected`, even if it reported them before. A value that is known before the server has changed, such as a hash of " +
			"its settings, needs `depends_on` too. Requires an argument in `expected`. The values are stored in plain text. Default: none.",
	}
	attributes["wait_failed"] = schema.BoolAttribute{
		Computed:            true,
		MarkdownDescription: "Whether the last wait failed. The next apply then waits again, whatever it changes.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Waits until an instance of the file transfer service Stend reports the values in `expected`, and keeps what it last reported " +
			"(`GET {base_url}/instance`). An instance that is down does not stop a plan: the values stay as they are, with a warning.",
		Attributes: make(map[string]schema.Attribute, len(attributes)),
		Blocks: map[string]schema.Block{
			"expected": expectedBlock(),
			"timeouts": schema.SingleNestedBlock{
				MarkdownDescription: "Time limits. If only these change, the apply does not wait.",
				Attributes: map[string]schema.Attribute{
					"create": durationAttribute("Time to wait for the instance when the record is created. A positive duration such as "+
						"`\"1m30s\"`.", inMarkdown(defaultWaitTimeout)),
					"read": durationAttribute("Time for one refresh with its retries. A positive duration. A refresh uses the value of the last apply.",
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

// ValidateConfig rejects triggers and stable_for without an expected value, and a stable_for that does not fit in the timeouts.
func (r *instanceRecordResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config := elementsOf(req.Config.Raw)
	nothingExpected := config["expected"].IsKnown() && !expectsAnything(config["expected"])
	if nothingExpected && hasElements(config["triggers"]) {
		resp.Diagnostics.AddAttributeError(path.Root("triggers"), summaryTriggers,
			"triggers is set, but nothing is expected: the first answer would end the wait, also one of the old server.\n\n"+
				"Set an argument in the block expected, or remove triggers.")
	}
	stableFor := durationOr(config["stable_for"], 0)
	timeouts := elementsOf(config["timeouts"])
	create, update := timeoutOf(config, "create", defaultWaitTimeout), timeoutOf(config, "update", defaultWaitTimeout)
	switch {
	case stableFor == 0:
	case nothingExpected:
		resp.Diagnostics.AddAttributeError(path.Root("stable_for"), summaryStable,
			"stable_for is set, but nothing is expected.\n\nSet an argument in the block expected, or remove stable_for.")
	case config["timeouts"].IsKnown() && isDurationOrNull(timeouts["create"]) && isDurationOrNull(timeouts["update"]) &&
		stableFor >= min(create, update):
		resp.Diagnostics.AddAttributeError(path.Root("stable_for"), summaryStableLong,
			fmt.Sprintf("stable_for is %s, timeouts.create is %s and timeouts.update is %s: a wait would end before the instance was stable for that "+
				"long.\n\nMake stable_for shorter than both.", formatDuration(stableFor), formatDuration(create), formatDuration(update)))
	}
}

// ModifyPlan plans the expected values. Other computed values keep their state, so that nothing downstream changes, or are unknown if
// the base URL is unknown or leads to another instance.
func (r *instanceRecordResource) ModifyPlan(_ context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() { // destroy
		return
	}
	planned, state := elementsOf(req.Plan.Raw), elementsOf(req.State.Raw)
	plannedURL := normalizedURL(planned["base_url"])
	sameInstance := plannedURL != "" && plannedURL == normalizedURL(state["base_url"])
	for name, attribute := range req.Plan.Schema.GetAttributes() {
		switch {
		case !attribute.IsComputed():
		case sameInstance:
			planned[name] = state[name]
		default:
			planned[name] = unknownValue(planned[name].Type())
		}
	}
	planned["wait_failed"] = boolValue(false)
	for name, value := range expectedValues(planned["expected"]) {
		if sameInstance && !value.Equal(state[name]) { // the document will change too, because a value in it will
			planned["response_body"] = unknownValue(tftypes.String)
		}
		planned[name] = value
	}
	resp.Plan.Raw = tftypes.NewValue(req.Plan.Raw.Type(), planned)
	if sameInstance && planned["expected"].Equal(state["expected"]) {
		if found := r.provider.differences(state["expected"], state); len(found) > 0 {
			resp.Diagnostics.Append(driftWarning(planned, found))
		}
	}
}

// driftWarning returns a warning that an instance does not report the expected values, although these are unchanged. Terraform
// shows it in plans, applies (even if the record is replaced) and refreshes.
func driftWarning(planned map[string]tftypes.Value, found []client.Difference) diag.Diagnostic {
	limit := "timeouts.update"
	if planned["timeouts"].IsFullyKnown() {
		limit += fmt.Sprintf(" (%s)", formatDuration(timeoutOf(planned, "update", defaultWaitTimeout)))
	}
	// Terraform merges warnings with equal summaries: two records of one instance may differ in different values.
	return diag.NewAttributeWarningDiagnostic(expectedPath(found), fmt.Sprintf("%s: %s (%s)", summaryDrift, goValue[string](planned["base_url"]), found[0]),
		paragraphs("When this run began, the instance reported other values:"+differenceList(found),
			"An apply waits until it reports what is expected, for "+limit+" at most, or for timeouts.create if it replaces the record.",
			strings.Join(append(differenceRemedies(found), failureWords[client.KindUnexpected].text), " ")))
}

// normalizedURL returns [address.BaseURL.Effective]. Returns "" if unknown or invalid.
func normalizedURL(baseURL tftypes.Value) string {
	parsed, _ := address.ParseBaseURL(goValue[string](baseURL))
	return parsed.Effective
}

func (r *instanceRecordResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	planned := elementsOf(req.Plan.Raw)
	reported, diags := r.wait(ctx, planned, "create")
	resp.Diagnostics.Append(diags...)
	if !diags.HasError() {
		resp.State.Raw = fillUnknown(req.Plan.Raw.Type(), planned, reported)
	}
}

// Update waits if the plan has unknown values, which only the instance knows, or if mustWait says so. If the wait fails, the state
// remembers that, so that the next apply waits again, even one that takes the change back.
func (r *instanceRecordResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	planned, state := elementsOf(req.Plan.Raw), elementsOf(req.State.Raw)
	if req.Plan.Raw.IsFullyKnown() && !r.mustWait(planned, state) {
		resp.State.Raw = req.Plan.Raw
		return
	}
	reported, diags := r.wait(ctx, planned, "update")
	resp.Diagnostics.Append(diags...)
	if diags.HasError() {
		state["wait_failed"] = boolValue(true)
		resp.State.Raw = tftypes.NewValue(req.State.Raw.Type(), state)
		return
	}
	resp.Diagnostics.Append(r.changedWarning(planned, reported))
	resp.State.Raw = fillUnknown(req.Plan.Raw.Type(), planned, reported)
}

// mustWait reports whether an update has to wait for the expected values: the last wait failed, expected or triggers changed, or the
// state is not as expected.
func (r *instanceRecordResource) mustWait(planned, state map[string]tftypes.Value) bool {
	expected, triggers := planned["expected"], planned["triggers"]
	return expectsAnything(expected) && (goValue[bool](state["wait_failed"]) || !expected.Equal(state["expected"]) ||
		hasElements(triggers) && !triggers.Equal(state["triggers"]) || len(r.provider.differences(expected, state)) > 0)
}

// fillUnknown returns a plan with its unknown values replaced by what the instance reported.
func fillUnknown(recordType tftypes.Type, planned, reported map[string]tftypes.Value) tftypes.Value {
	for name, value := range planned {
		if !value.IsKnown() {
			planned[name] = reported[name]
		}
	}
	return tftypes.NewValue(recordType, planned)
}

// changedWarning returns a warning about details that the instance reports otherwise than planned: an apply must store what was
// planned. Returns nil if there are none. It leaves out the numbers of api_version, which follow from it.
func (r *instanceRecordResource) changedWarning(planned, reported map[string]tftypes.Value) diag.Diagnostic {
	var changed []string
	for _, detail := range allDetails {
		name, want, got := detail.name, planned[detail.name], reported[detail.name]
		switch {
		case !want.IsKnown() || got.Equal(want) || strings.HasPrefix(name, "api_version_"):
		case got.Type().Is(tftypes.List{}):
			changed = append(changed, name)
		default:
			changed = append(changed, fmt.Sprintf("%s is %s, planned %s", name, r.provider.redactedText(got), r.provider.redactedText(want)))
		}
	}
	if body := planned["response_body"]; body.IsKnown() && !body.Equal(reported["response_body"]) {
		changed = append(changed, "response_body")
	}
	if len(changed) == 0 {
		return nil
	}
	asExpected := ""
	if expectsAnything(planned["expected"]) {
		asExpected = "The instance reports what is expected. "
	}
	return diag.NewWarningDiagnostic(summaryChanged+": "+goValue[string](planned["base_url"]),
		asExpected+"These details have changed too, but this apply had to keep them as planned:\n  - "+strings.Join(changed, "\n  - ")+
			"\n\nThe next apply records them. To have a detail in the same apply, add it to expected, if that has an argument for it.")
}

// Read refreshes a record. A failure keeps the values, with a warning. The first read after an import has no values to keep, so there
// it is an error. A record that was read before keeps its values, without a warning, while arguments of the provider are unknown.
func (r *instanceRecordResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := elementsOf(req.State.Raw)
	imported := state["response_body"].IsNull() // not read yet
	switch deferred, unknown := r.provider.requireKnownArguments(true, req.ClientCapabilities.DeferralAllowed, ""); {
	case !imported && (deferred || unknown != nil):
		return
	case deferred:
		resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonProviderConfigUnknown}
		return
	}
	reported, diags := r.read(ctx, state["base_url"], client.Request{}, readOperation{
		purpose: refreshRecord, timeoutArgument: "timeouts.read", timeout: timeoutOf(state, "read", defaultRefreshTimeout),
	})
	switch canceled := ctx.Err() != nil; {
	case !diags.HasError():
		maps.Copy(state, reported)
		if imported {
			state["wait_failed"] = boolValue(false)
		}
		resp.State.Raw = tftypes.NewValue(req.State.Raw.Type(), state)
	case !imported && !canceled:
		diags = diag.Diagnostics{keptWarning(state, diags[0])}
	}
	resp.Diagnostics.Append(diags...)
}

// wait waits until an instance reports what is expected, and returns what it reported, by attribute. operation is "create" or
// "update", whose timeout limits it.
func (r *instanceRecordResource) wait(ctx context.Context, planned map[string]tftypes.Value, operation string) (map[string]tftypes.Value, diag.Diagnostics) {
	op := readOperation{
		purpose: waitForRecord, waits: true, timeoutArgument: "timeouts." + operation, timeout: timeoutOf(planned, operation, defaultWaitTimeout),
		stableFor: durationOr(planned["stable_for"], 0),
	}
	return r.read(ctx, planned["base_url"], client.Request{
		UntilReady: true,
		StableFor:  op.stableFor,
		Differences: func(details *instance.Details) []client.Difference {
			return r.provider.differences(planned["expected"], detailValues(details))
		},
	}, op)
}

// read reads the instance at baseURL, and returns what it reported, by attribute.
func (r *instanceRecordResource) read(
	ctx context.Context, baseURL tftypes.Value, request client.Request, op readOperation,
) (map[string]tftypes.Value, diag.Diagnostics) {
	if _, unknown := r.provider.requireKnownArguments(true, false, ""); unknown != nil {
		return nil, diag.Diagnostics{unknown}
	}
	parsed, invalid := r.provider.baseURLFor(baseURL)
	if invalid != nil { // only if another version of the provider accepted it in a state
		return nil, diag.Diagnostics{invalid}
	}
	request.BaseURL, op.provider = parsed, r.provider
	ctx, cancel := context.WithTimeout(ctx, op.timeout)
	defer cancel()
	result, err := r.provider.client.Read(ctx, r.provider.withHeaders(request))
	if err != nil {
		return nil, diag.Diagnostics{readError(faultPath(err, op), err, op)}
	}
	return instanceValues(parsed, result), warningDiagnostics(instanceWarnings{parsed.Written, parsed.String(), result.Details.Warnings})
}

// faultPath returns the path of the argument at fault.
func faultPath(err error, op readOperation) path.Path {
	failure, ok := client.AsFailure(err)
	switch {
	case op.purpose == refreshRecord: // it has no configuration to point to
		return path.Empty()
	case ok && failure.Kind == client.KindUnexpected:
		return expectedPath(failure.Differences)
	case ok && failure.Kind == client.KindUnstable:
		return path.Root("stable_for")
	default:
		return path.Root("base_url")
	}
}

// keptWarning returns a warning that a refresh failed.
func keptWarning(state map[string]tftypes.Value, failure diag.Diagnostic) diag.Diagnostic {
	summary, notChecked := summaryKept, ""
	if parsed, err := address.ParseBaseURL(goValue[string](state["base_url"])); err == nil { // an invalid one may contain a secret
		summary += ": " + parsed.Written
	}
	if expectsAnything(state["expected"]) {
		notChecked = " Whether it reports what is expected was not checked."
	}
	return diag.NewWarningDiagnostic(summary,
		"The instance could not be read, so this record keeps what the instance last reported, as of the last apply."+notChecked+"\n\n"+failure.Detail())
}

// Delete does nothing: the framework removes the record from the state.
func (r *instanceRecordResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState imports a record by its base URL. Terraform then refreshes it.
func (r *instanceRecordResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if _, err := address.ParseBaseURL(req.ID); err != nil {
		resp.Diagnostics.Append(syntaxError(path.Empty(), summaryBaseURL, "The import ID, which is the base URL of an instance,", err))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("base_url"), req.ID)...)
}
