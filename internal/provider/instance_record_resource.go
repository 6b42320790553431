package provider

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
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
	defaultRecordTimeout  = 10 * time.Minute
	defaultRefreshTimeout = 10 * time.Second
)

// instanceRecordResource stores in the state what an instance last reported. It creates nothing else.
type instanceRecordResource struct{ provider *providerData }

func newInstanceRecordResource() resource.Resource { return &instanceRecordResource{} }

func (r *instanceRecordResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance_record"
}

func (r *instanceRecordResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := instanceAttributes("filetransfer_instance_record")
	attributes["base_url"] = schema.StringAttribute{
		Required: true,
		MarkdownDescription: "Base URL of the instance: `{base_url}/instance` is read. " + baseURLForm + " If it changes, the record waits for " +
			"the new instance, and is updated in place.",
		Validators: []validator.String{baseURLValidator},
	}
	attributes["triggers"] = schema.MapAttribute{
		ElementType: types.StringType,
		Optional:    true,
		MarkdownDescription: "Values that change with the server, such as the ID of its deployment. When one changes, the apply waits until the instance " +
			"reports the values in `expected`, even if it reported them before. Requires an argument in `expected`. If a wait fails, the state has no " +
			"triggers, so that the next apply waits again. The values are stored in plain text. Default: none.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Waits until an instance of the file transfer service Stend reports the values in `expected`, and keeps what it last reported " +
			"(`GET {base_url}/instance`). An instance that is down does not stop a plan: the values stay as they are, with a warning.",
		Attributes: make(map[string]schema.Attribute, len(attributes)),
		Blocks: map[string]schema.Block{
			"expected": expectedBlock,
			"timeouts": timeoutsBlock("Time limits. If only these change, the apply does not read the instance.", map[string]datasourceschema.Attribute{
				"create": durationAttribute("Time to wait for the instance when the record is created. A positive duration such as "+
					"`\"1m30s\"`.", inMarkdown(defaultRecordTimeout)),
				"read": durationAttribute("Time for one refresh with its retries. A positive duration.", inMarkdown(defaultRefreshTimeout)),
				"update": durationAttribute("Time to wait for the instance when `base_url` or `triggers` change, or when the instance does not report the "+
					"values in `expected`. A positive duration.", inMarkdown(defaultRecordTimeout)),
			}),
		},
	}
	for name, attribute := range attributes { // maps.Copy cannot: each schema package has its own type of attribute
		resp.Schema.Attributes[name] = attribute
	}
}

func (r *instanceRecordResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.provider, _ = req.ProviderData.(*providerData) // nil while Terraform only validates
}

// ValidateConfig rejects triggers without an expected value: any response would end the wait.
func (r *instanceRecordResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config := elementsOf(req.Config.Raw)
	if hasElements(config["triggers"]) && config["expected"].IsKnown() && len(expectedValues(config["expected"])) == 0 {
		resp.Diagnostics.AddAttributeError(path.Root("triggers"), summaryTriggers,
			"triggers is set, but nothing is expected: the first answer would end the wait, also one of the old server.\n\n"+
				"Set an argument in the block expected, or remove triggers.")
	}
}

// ModifyPlan plans the expected values. Other computed values are unknown if the base URL is unknown or leads to another instance,
// and keep their state otherwise, so that nothing downstream changes.
func (r *instanceRecordResource) ModifyPlan(_ context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() { // destroy
		return
	}
	planned, state := elementsOf(req.Plan.Raw), elementsOf(req.State.Raw)
	target := effective(planned["base_url"])
	reads := target == "" || target != effective(state["base_url"])
	for name, attribute := range req.Plan.Schema.GetAttributes() {
		switch {
		case !attribute.IsComputed():
		case reads:
			planned[name] = tftypes.NewValue(planned[name].Type(), tftypes.UnknownValue)
		default:
			planned[name] = state[name]
		}
	}
	maps.Copy(planned, expectedValues(planned["expected"]))
	resp.Plan.Raw = tftypes.NewValue(req.Plan.Raw.Type(), planned)
	if reads || !planned["expected"].Equal(state["expected"]) {
		return
	}
	if found := expectedDifferences(state["expected"], state); len(found) > 0 {
		resp.Diagnostics.Append(r.driftWarning(planned, found))
	}
}

// driftWarning returns a warning that an instance does not report the expected values, although these are unchanged. Terraform
// shows it in plans, applies (even if the record is replaced) and refreshes.
func (r *instanceRecordResource) driftWarning(planned map[string]tftypes.Value, found []client.Difference) diag.Diagnostic {
	limit := "timeouts.update"
	if planned["timeouts"].IsFullyKnown() {
		limit += fmt.Sprintf(" (%s)", formatDuration(timeoutOf(planned, "update", defaultRecordTimeout)))
	}
	for i := range found {
		found[i].Reported = r.provider.clean(found[i].Reported)
	}
	return diag.NewAttributeWarningDiagnostic(expectedPath(found), summaryDrift+": "+goValue[string](planned["base_url"]),
		paragraphs("The instance reported other values:"+differenceList(found),
			"An apply waits until it reports what is expected, for "+limit+" at most, or for timeouts.create if it replaces the record.",
			strings.Join(append(digitsRemedies(found), failureWords[client.KindUnexpected].text), " ")))
}

// effective returns [address.BaseURL.Effective]. Returns "" if unknown or invalid.
func effective(baseURL tftypes.Value) string {
	parsed, _ := address.ParseBaseURL(goValue[string](baseURL))
	return parsed.Effective
}

func (r *instanceRecordResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(r.record(ctx, "create", req.Plan.Raw, &resp.State)...)
}

// Update reads the instance if the base URL leads to another one, triggers are new or changed, or the state is not as expected. For
// the same instance, all values were planned: any other change is left to the next refresh, with a warning. A wait that fails
// leaves no triggers in the state, so that the next apply waits again, even one that takes the change back.
func (r *instanceRecordResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	sameInstance := req.Plan.Raw.IsFullyKnown() // ModifyPlan leaves values unknown only if the instance may be another
	planned, state := elementsOf(req.Plan.Raw), elementsOf(req.State.Raw)
	triggered := hasElements(planned["triggers"]) && !planned["triggers"].Equal(state["triggers"])
	if !sameInstance || triggered || len(expectedDifferences(planned["expected"], state)) > 0 {
		resp.Diagnostics.Append(r.record(ctx, "update", req.Plan.Raw, &resp.State)...)
	}
	switch {
	case resp.Diagnostics.HasError():
		state["triggers"] = tftypes.NewValue(state["triggers"].Type(), nil)
		resp.State.Raw = tftypes.NewValue(req.State.Raw.Type(), state)
	case sameInstance:
		resp.Diagnostics.Append(r.changedWarning(planned, elementsOf(resp.State.Raw)))
		resp.State.Raw = req.Plan.Raw
	}
}

// changedWarning returns a warning about details that differ from the plan, which an apply must keep. Returns nil if none do.
// It leaves out the numbers of api_version, which follow from it.
func (r *instanceRecordResource) changedWarning(planned, reported map[string]tftypes.Value) diag.Diagnostic {
	var list []string
	for _, attribute := range detailsAttributes {
		name, was, is := attribute.name, planned[attribute.name], reported[attribute.name]
		switch {
		case is.Equal(was) || strings.HasPrefix(name, "api_version_"):
		case is.Type().Is(tftypes.List{}):
			list = append(list, name)
		default:
			list = append(list, fmt.Sprintf("%s is %s, planned %s", name, r.provider.clean(inWords(is)), r.provider.clean(inWords(was))))
		}
	}
	if len(list) == 0 {
		return nil
	}
	asExpected := ""
	if len(expectedValues(planned["expected"])) > 0 {
		asExpected = "The instance reports what is expected. "
	}
	return diag.NewWarningDiagnostic(summaryChanged+": "+goValue[string](planned["base_url"]),
		asExpected+"These details have changed too, but this apply had to keep them as planned:\n  - "+strings.Join(list, "\n  - ")+
			"\n\nThe next plan records them. To have a detail in the same apply, add it to expected, if that has an argument for it.")
}

// Read refreshes a record. A failure keeps all values, with a warning. Right after an import, which has none, it is an error.
func (r *instanceRecordResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	values := elementsOf(req.State.Raw)
	imported := values["response_body"].IsNull() // not read yet
	switch deferred, fault := r.provider.requireKnownArguments(true, req.ClientCapabilities.DeferralAllowed, ""); {
	case !imported && (deferred || fault != nil):
		return
	case deferred:
		resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonProviderConfigUnknown}
		return
	}
	diags := r.record(ctx, "read", req.State.Raw, &resp.State)
	if canceled := ctx.Err() != nil; diags.HasError() && !imported && !canceled {
		diags = diag.Diagnostics{keptWarning(values["base_url"], diags[0])}
	}
	resp.Diagnostics.Append(diags...)
}

// record reads an instance, and sets state to the values of record with the details of the instance. For "create" and "update", it
// waits until the instance is ready and as expected.
func (r *instanceRecordResource) record(ctx context.Context, operation string, record tftypes.Value, state *tfsdk.State) diag.Diagnostics {
	if _, fault := r.provider.requireKnownArguments(true, false, ""); fault != nil {
		return diag.Diagnostics{fault}
	}
	values := elementsOf(record)
	baseURL, fault := r.provider.baseURLFor(values["base_url"])
	if fault != nil { // only if another version of the provider accepted it in a state
		return diag.Diagnostics{fault}
	}
	at, timeout, expected := path.Empty(), defaultRefreshTimeout, tftypes.Value{} // a refresh has no configuration to point to
	waits := operation != "read"
	if waits {
		at, timeout, expected = path.Root("base_url"), defaultRecordTimeout, values["expected"]
	}
	var reported map[string]tftypes.Value
	request := client.Request{BaseURL: baseURL, UntilReady: waits, Differences: func(details *instance.Details) []client.Difference {
		reported = detailsValues(details)
		return expectedDifferences(expected, reported)
	}}
	op := readOperation{
		provider: r.provider, timeout: timeoutOf(values, operation, timeout), timeoutArgument: "timeouts." + operation,
		headersArgument: "the provider's request_headers", waits: waits,
	}
	ctx, cancel := context.WithTimeout(ctx, op.timeout)
	defer cancel()
	result, err := r.provider.client.Read(ctx, r.provider.withHeaders(request))
	if err != nil {
		if failure, ok := client.AsFailure(err); ok && failure.Kind == client.KindUnexpected {
			at = expectedPath(failure.Differences)
		}
		return diag.Diagnostics{readError(at, err, op)}
	}
	setInstance(values, baseURL, reported, result.Document)
	state.Raw = tftypes.NewValue(record.Type(), values)
	return warningDiagnostics(instanceWarnings{baseURL.Written, baseURL.String(), result.Details.Warnings})
}

// keptWarning returns a warning that a refresh failed.
func keptWarning(baseURL tftypes.Value, failure diag.Diagnostic) diag.Diagnostic {
	summary := summaryKept
	if parsed, err := address.ParseBaseURL(goValue[string](baseURL)); err == nil { // an invalid one may contain a secret
		summary += ": " + parsed.Written
	}
	return diag.NewWarningDiagnostic(summary,
		"The instance could not be read, so this record keeps what the instance last reported.\n\n"+failure.Detail())
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
