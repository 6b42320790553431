package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

func TestNewDetailsModel(t *testing.T) {
	t.Parallel()
	got := newDetailsModel(&instance.Details{
		FileMaxSizeBytes:    1,
		ChunkSizeBytes:      2,
		RequirePassword:     true,
		APIVersion:          instance.Version{Text: "3.4.5-rc.1", Major: 3, Minor: 4, Patch: 5},
		FileMaxAgeSeconds:   6,
		MaxTransfersInMerge: 7,
		RecommendedExpireTimes: []instance.ExpireTime{
			{Label: "1 anne\u0301e", InSeconds: 119},
			{Label: "now", InSeconds: 0},
		},
	})
	want := detailsModel{
		FileMaxSize:         types.Int64Value(1),
		ChunkSize:           types.Int64Value(2),
		RequirePassword:     types.BoolValue(true),
		APIVersion:          types.StringValue("3.4.5-rc.1"),
		APIVersionMajor:     types.Int64Value(3),
		APIVersionMinor:     types.Int64Value(4),
		APIVersionPatch:     types.Int64Value(5),
		FileMaxAge:          types.Int64Value(6),
		MaxTransfersInMerge: types.Int64Value(7),
		RecommendedExpireTimes: types.ListValueMust(expireTimeType, []attr.Value{
			types.ObjectValueMust(expireTimeType.AttrTypes, map[string]attr.Value{
				"label": types.StringValue("1 ann\u00e9e"), "in_seconds": types.Int64Value(119), "in_minutes": types.Int64Value(1), // in NFC, as Terraform stores it
			}),
			types.ObjectValueMust(expireTimeType.AttrTypes, map[string]attr.Value{
				"label": types.StringValue("now"), "in_seconds": types.Int64Value(0), "in_minutes": types.Int64Value(0),
			}),
		}),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the model differs, want (-), got (+):\n%s", diff)
	}

	// Each value is the attribute of the same name.
	model := nullModel[instanceModel](t, instanceState())
	model.detailsModel = got
	state := withModel(t, instanceState(), &model)
	if len(got.values()) != len(detailsTypes) {
		t.Errorf("there are %d values for %d attributes", len(got.values()), len(detailsTypes))
	}
	for name, value := range got.values() {
		attribute := model.values()[name]
		requireNoDiagnostics(t, state.GetAttribute(t.Context(), path.Root(name), &attribute))
		if !attribute.Equal(value) {
			t.Errorf("values has %s = %s, and the attribute is %s", name, value, attribute)
		}
	}

	none := newDetailsModel(&instance.Details{})
	if list := none.RecommendedExpireTimes; list.IsNull() || len(list.Elements()) > 0 {
		t.Errorf("without options, recommended_expire_times is %s, want an empty list", list)
	}
}

// TestModelsFitTheSchemas finds attributes without a field, and fields without an attribute.
func TestModelsFitTheSchemas(t *testing.T) {
	t.Parallel()
	var resp provider.SchemaResponse
	new(filetransferProvider).Schema(t.Context(), provider.SchemaRequest{}, &resp)
	providerState := tfsdk.State{Schema: resp.Schema}
	instanceModel := nullModel[instanceModel](t, instanceState())
	instancesModel := nullModel[instancesModel](t, instancesState())
	recordModel := nullModel[recordModel](t, recordState())
	providerModel := nullModel[providerModel](t, providerState)
	withModel(t, instanceState(), &instanceModel)
	withModel(t, instancesState(), &instancesModel)
	withModel(t, recordState(), &recordModel)
	withModel(t, providerState, &providerModel)
	objectOf(t, "expected", expectedModel{})
	objectOf(t, "timeouts", recordTimeoutsModel{})
	_, diags := types.ObjectValueFrom(t.Context(), providerModel.Retry.AttributeTypes(t.Context()), retryModel{})
	requireNoDiagnostics(t, diags)
}
