package provider

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Tests in this package call functions and methods of the provider with its models. Acceptance tests (TestAcc...), in the package
// provider_test, run configurations through Terraform or OpenTofu.

// newTestData returns the data of a valid provider block.
func newTestData(t testing.TB, config providerModel, retry retryModel) *providerData {
	t.Helper()
	data, diags := providerDataFor(t, config, retry)
	requireNoDiagnostics(t, diags)
	return data
}

func providerDataFor(t testing.TB, config providerModel, retry retryModel) (*providerData, diag.Diagnostics) {
	t.Helper()
	if config.RequestHeaders.IsNull() {
		config.RequestHeaders = types.MapNull(types.StringType)
	}
	config.Retry = objectOf(t, providerState(), "retry", retry)
	unknown := unknownArguments(withModel(t, providerState(), &config).Raw)
	return newProviderData(config, retry, unknown, "terraform-provider-filetransfer/1.2.3 Terraform/1.11.4")
}

// impatient returns a block retry with short delays.
func impatient(maxAttempts float64) retryModel {
	return retryModel{numberOf(maxAttempts), types.StringValue("1ms"), types.StringValue("2ms")}
}

// providerState, instanceState, instancesState and recordState are without values.
func providerState() tfsdk.State {
	var resp provider.SchemaResponse
	new(filetransferProvider).Schema(context.Background(), provider.SchemaRequest{}, &resp)
	return tfsdk.State{Schema: resp.Schema}
}

func instanceState() tfsdk.State {
	var resp datasource.SchemaResponse
	newInstanceDataSource().Schema(context.Background(), datasource.SchemaRequest{}, &resp)
	return tfsdk.State{Schema: resp.Schema}
}

func instancesState() tfsdk.State {
	var resp datasource.SchemaResponse
	newInstancesDataSource().Schema(context.Background(), datasource.SchemaRequest{}, &resp)
	return tfsdk.State{Schema: resp.Schema}
}

func recordState() tfsdk.State {
	var resp resource.SchemaResponse
	newInstanceRecordResource().Schema(context.Background(), resource.SchemaRequest{}, &resp)
	return tfsdk.State{Schema: resp.Schema}
}

// nullModel returns a model in which every value is null.
func nullModel[T any](t testing.TB, state tfsdk.State) T {
	t.Helper()
	return modelOf[T](t, state, nil)
}

// modelOf returns a model in which every value is null or unknown.
func modelOf[T any](t testing.TB, state tfsdk.State, value any) (model T) {
	t.Helper()
	of := state.Schema.Type().TerraformType(t.Context()).(tftypes.Object)
	values := make(map[string]tftypes.Value)
	for name, attributeType := range of.AttributeTypes {
		values[name] = tftypes.NewValue(attributeType, value)
	}
	state.Raw = tftypes.NewValue(of, values)
	requireNoDiagnostics(t, state.Get(t.Context(), &model))
	return model
}

// withModel returns a state with the values of a model. A nil model is no state.
func withModel(t testing.TB, state tfsdk.State, model any) tfsdk.State {
	t.Helper()
	state.Raw = tftypes.NewValue(state.Schema.Type().TerraformType(t.Context()), nil)
	if model != nil {
		requireNoDiagnostics(t, state.Set(t.Context(), model))
	}
	return state
}

// readDataSource reads a data source with a model as its configuration.
func readDataSource(ctx context.Context, t testing.TB, d datasource.DataSource, state tfsdk.State, model any, deferralAllowed bool) datasource.ReadResponse {
	t.Helper()
	resp := datasource.ReadResponse{State: withModel(t, state, nil)}
	d.Read(ctx, datasource.ReadRequest{
		Config:             tfsdk.Config{Schema: state.Schema, Raw: withModel(t, state, model).Raw},
		ClientCapabilities: datasource.ReadClientCapabilities{DeferralAllowed: deferralAllowed},
	}, &resp)
	return resp
}

// readInstance reads filetransfer_instance.
func readInstance(ctx context.Context, t testing.TB, data *providerData, set func(*instanceModel)) (state instanceModel, diags diag.Diagnostics) {
	t.Helper()
	model := nullModel[instanceModel](t, instanceState())
	set(&model)
	resp := readDataSource(ctx, t, &instanceDataSource{dataSource{data}}, instanceState(), &model, false)
	if !resp.Diagnostics.HasError() {
		requireNoDiagnostics(t, resp.State.Get(t.Context(), &state))
	}
	return state, resp.Diagnostics
}

// readInstances reads filetransfer_instances.
func readInstances(
	ctx context.Context, t testing.TB, data *providerData, baseURLs map[string]string, set func(*instancesModel),
) (state instancesModel, diags diag.Diagnostics) {
	t.Helper()
	model := nullModel[instancesModel](t, instancesState())
	model.BaseURLs = mapOf(baseURLs)
	set(&model)
	resp := readDataSource(ctx, t, &instancesDataSource{dataSource{data}}, instancesState(), &model, false)
	if !resp.Diagnostics.HasError() {
		requireNoDiagnostics(t, resp.State.Get(t.Context(), &state))
	}
	return state, resp.Diagnostics
}

// newRecord returns a record of an instance with the document instancetest.Newer(), in which nothing is expected.
func newRecord(t testing.TB, baseURL string) recordModel {
	t.Helper()
	record := nullModel[recordModel](t, recordState())
	record.BaseURL = types.StringValue(baseURL)
	record.WaitFailed = types.BoolValue(false)
	record.ResponseBody = types.StringValue(instancetest.Newer().JSON())
	record.detailsModel = detailsOf(t, instancetest.Newer())
	return record
}

// detailsOf returns the details in a document.
func detailsOf(t testing.TB, document instancetest.Document) detailsModel {
	t.Helper()
	return newDetailsModel(parse(t, document))
}

func parse(t testing.TB, document instancetest.Document) *instance.Details {
	t.Helper()
	details, err := instance.Parse([]byte(document.JSON()), nil)
	if err != nil {
		t.Fatal(err)
	}
	return details
}

// refreshRecordModel refreshes a record.
func refreshRecordModel(ctx context.Context, t testing.TB, data *providerData, record recordModel) (refreshed recordModel, diags diag.Diagnostics) {
	t.Helper()
	resp := resource.ReadResponse{State: withModel(t, recordState(), &record)}
	(&instanceRecordResource{data}).Read(ctx, resource.ReadRequest{State: resp.State}, &resp)
	requireNoDiagnostics(t, resp.State.Get(t.Context(), &refreshed))
	return refreshed, resp.Diagnostics
}

// updateRecord updates a record as planned.
func updateRecord(ctx context.Context, t testing.TB, data *providerData, planned, record recordModel) (updated recordModel, diags diag.Diagnostics) {
	t.Helper()
	state := withModel(t, recordState(), &record)
	resp := resource.UpdateResponse{State: state}
	plan := tfsdk.Plan{Schema: state.Schema, Raw: withModel(t, state, &planned).Raw}
	(&instanceRecordResource{data}).Update(ctx, resource.UpdateRequest{Plan: plan, State: state}, &resp)
	requireNoDiagnostics(t, resp.State.Get(t.Context(), &updated))
	return updated, resp.Diagnostics
}

func numberOf(number float64) types.Number {
	return types.NumberValue(big.NewFloat(number))
}

func mapOf(values map[string]string) types.Map {
	result, _ := types.MapValueFrom(context.Background(), types.StringType, values)
	return result
}

// objectOf returns a model as a block of a schema.
func objectOf(t testing.TB, state tfsdk.State, block string, model any) types.Object {
	t.Helper()
	of := state.Schema.GetBlocks()[block].Type().(types.ObjectType)
	object, diags := types.ObjectValueFrom(t.Context(), of.AttrTypes, model)
	requireNoDiagnostics(t, diags)
	return object
}

// textOf returns diagnostics as text.
func textOf(diags diag.Diagnostics) string {
	var text strings.Builder
	for _, one := range diags {
		at := ""
		if withPath, ok := one.(diag.DiagnosticWithPath); ok {
			at = " at " + withPath.Path().String()
		}
		text.WriteString(one.Severity().String() + at + ": " + one.Summary() + "\n" + one.Detail() + "\n\n")
	}
	return text.String()
}

func requireNoDiagnostics(t testing.TB, diags diag.Diagnostics) {
	t.Helper()
	if len(diags) > 0 {
		t.Fatalf("diagnostics:\n%s", textOf(diags))
	}
}

// requireDiagnostic checks that there is one diagnostic, that it is as textOf has it up to its summary, such as
// "Error at base_url: Invalid base URL", and that its detail has these parts.
func requireDiagnostic(t testing.TB, diags diag.Diagnostics, beginning string, parts ...string) {
	t.Helper()
	got := textOf(diags)
	if len(diags) != 1 || !strings.HasPrefix(got, beginning+"\n") {
		t.Fatalf("the diagnostics are not one %q:\n%s", beginning, got)
	}
	requireTexts(t, got, parts...)
}

// requireTexts checks that a text has these parts.
func requireTexts(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}

// requireNoTexts checks that a text has none of these parts.
func requireNoTexts(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if at := strings.Index(text, part); at >= 0 {
			t.Errorf("%q is in:\n%s", part, text[max(0, at-500):min(len(text), at+500)]) // a log is long
		}
	}
}
