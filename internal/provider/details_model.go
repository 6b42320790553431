package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// detailsModel holds the details of an instance. It is embedded in other models, or becomes an object.
type detailsModel struct {
	FileMaxSize            types.Int64  `tfsdk:"file_max_size"`
	ChunkSize              types.Int64  `tfsdk:"chunk_size"`
	RequirePassword        types.Bool   `tfsdk:"require_password"`
	APIVersion             types.String `tfsdk:"api_version"`
	FileMaxAge             types.Int64  `tfsdk:"file_max_age"`
	MaxTransfersInMerge    types.Int64  `tfsdk:"max_transfers_in_merge"`
	RecommendedExpireTimes types.List   `tfsdk:"recommended_expire_times"`
}

// detailsAttributes returns the attributes of detailsModel.
func detailsAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"file_max_size": computedInt64("Maximum size of one file, in bytes (`fileMaxSize`)."),
		"chunk_size":    computedInt64("Size of one chunk of an upload, in bytes (`chunkSize`)."),
		"require_password": computedBool("Whether the instance requires a password to create a transfer " +
			"(`requirePassword`)."),
		"api_version": computedString("Release of the server, such as `2.2.3` (`apiVersion`)."),
		"file_max_age": computedInt64("Maximum lifetime of a file, in seconds (`fileMaxAge`). " +
			"`15770000000` means no maximum."),
		"max_transfers_in_merge": computedInt64("Maximum number of transfers in a group, which Stend calls a merge " +
			"(`maxTransfersInMerge`). If it is not reported: `50` from 2.0.0 on, `10` before."),
		"recommended_expire_times": schema.ListAttribute{ // not nested attributes: terraform test cannot mock them
			Computed:    true,
			ElementType: expireTimeType,
			MarkdownDescription: "Expiry options that the instance suggests, in its order (`recommendedExpireTimes`), each " +
				"with `label`, `in_seconds`, and `in_minutes` (rounded down).",
		},
	}
}

var expireTimeType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"label":      types.StringType,
	"in_seconds": types.Int64Type,
	"in_minutes": types.Int64Type,
}}

var detailsTypes = schema.Schema{Attributes: detailsAttributes()}.Type().(types.ObjectType).AttrTypes

func newDetailsModel(details *instance.Details) detailsModel {
	return detailsModel{
		FileMaxSize:            types.Int64Value(details.FileMaxSizeBytes),
		ChunkSize:              types.Int64Value(details.ChunkSizeBytes),
		RequirePassword:        types.BoolValue(details.RequirePassword),
		APIVersion:             normalizedString(details.APIVersion),
		FileMaxAge:             types.Int64Value(details.FileMaxAgeSeconds),
		MaxTransfersInMerge:    types.Int64Value(details.MaxTransfersInMerge),
		RecommendedExpireTimes: expireTimesValue(details.RecommendedExpireTimes),
	}
}

// normalizedString returns text in the form of Unicode in which Terraform stores strings, so that it equals what is in
// a state.
func normalizedString(text string) types.String { return types.StringValue(norm.NFC.String(text)) }

// expireTimesValue makes the list without the framework's reflection, which would take most of the time of a read.
func expireTimesValue(expireTimes []instance.ExpireTime) types.List {
	elements := make([]attr.Value, len(expireTimes))
	for i, expireTime := range expireTimes {
		elements[i] = types.ObjectValueMust(expireTimeType.AttrTypes, map[string]attr.Value{
			"label":      normalizedString(expireTime.Label),
			"in_seconds": types.Int64Value(expireTime.InSeconds),
			"in_minutes": types.Int64Value(expireTime.InMinutes()),
		})
	}
	return types.ListValueMust(expireTimeType, elements)
}

// values returns the details by name. With types.ObjectValueFrom instead, which uses reflection, a read of many
// instances would make a third more allocations.
func (m detailsModel) values() map[string]attr.Value {
	return map[string]attr.Value{
		"file_max_size":            m.FileMaxSize,
		"chunk_size":               m.ChunkSize,
		"require_password":         m.RequirePassword,
		"api_version":              m.APIVersion,
		"file_max_age":             m.FileMaxAge,
		"max_transfers_in_merge":   m.MaxTransfersInMerge,
		"recommended_expire_times": m.RecommendedExpireTimes,
	}
}
