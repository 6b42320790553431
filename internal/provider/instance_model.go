package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// detail is one detail of an instance: a computed attribute of the data sources, the record and the function.
type detail struct {
	name      string
	valueType attr.Type
	// expectable is true if the block expected has an argument of this name.
	expectable  bool
	description string
	value       func(*instance.Details) tftypes.Value
}

// allDetails is shared by the data sources, the record and the function.
var allDetails = []detail{
	{"file_max_size", types.Int64Type, true, "Maximum size of one file, in bytes (`fileMaxSize`).",
		func(d *instance.Details) tftypes.Value { return int64Value(d.FileMaxSizeBytes) }},
	{"chunk_size", types.Int64Type, true, "Size of one chunk of an upload, in bytes (`chunkSize`).",
		func(d *instance.Details) tftypes.Value { return int64Value(d.ChunkSizeBytes) }},
	{"require_password", types.BoolType, true, "Whether the instance requires a password to create a transfer (`requirePassword`).",
		func(d *instance.Details) tftypes.Value { return boolValue(d.RequirePassword) }},
	{"api_version", types.StringType, true, "Version of the instance's API, which is the release of the server, such as `2.0.0` or `2.1.0-rc.1` (`apiVersion`).",
		func(d *instance.Details) tftypes.Value { return stringValue(d.APIVersion.Text) }},
	{"api_version_major", types.Int64Type, false, "First number of `api_version`.",
		func(d *instance.Details) tftypes.Value { return int64Value(d.APIVersion.Major) }},
	{"api_version_minor", types.Int64Type, false, "Second number of `api_version`.",
		func(d *instance.Details) tftypes.Value { return int64Value(d.APIVersion.Minor) }},
	{"api_version_patch", types.Int64Type, false, "Third number of `api_version`, without a pre-release or build suffix.",
		func(d *instance.Details) tftypes.Value { return int64Value(d.APIVersion.Patch) }},
	{"file_max_age", types.Int64Type, true, "Maximum lifetime of a file, in seconds (`fileMaxAge`). From 2.0.0 on, Stend reports `15770000000` if there is no maximum.",
		func(d *instance.Details) tftypes.Value { return int64Value(d.FileMaxAgeSeconds) }},
	{"max_transfers_in_merge", types.Int64Type, true, "Maximum number of transfers in a group, which the service calls a merge (`maxTransfersInMerge`). " +
		"If the instance does not report it, the documented limit: `50` from 2.0.0 on, pre-releases included, and `10` before.",
		func(d *instance.Details) tftypes.Value { return int64Value(d.MaxTransfersInMerge) }},
	{"recommended_expire_times", types.ListType{ElemType: expireTimeObject}, false, // not nested attributes: terraform test cannot mock them
		"Expiry options that the instance suggests, in its own order (`recommendedExpireTimes`). Empty if it suggests none. Each has a `label`, " +
			"`in_seconds`, and `in_minutes` (rounded down).",
		func(d *instance.Details) tftypes.Value { return expireTimesValue(d.RecommendedExpireTimes) }},
}

var expireTimeObject = types.ObjectType{AttrTypes: map[string]attr.Type{
	"label":      types.StringType,
	"in_seconds": types.Int64Type,
	"in_minutes": types.Int64Type,
}}

// detailsType is the type of all details together.
var detailsType = func() types.ObjectType {
	object := types.ObjectType{AttrTypes: make(map[string]attr.Type, len(allDetails))}
	for _, detail := range allDetails {
		object.AttrTypes[detail.name] = detail.valueType
	}
	return object
}()

// computed returns the computed attribute of a detail.
func (d detail) computed() schema.Attribute {
	switch valueType := d.valueType.(type) {
	case basetypes.Int64Type:
		return schema.Int64Attribute{Computed: true, MarkdownDescription: d.description}
	case basetypes.BoolType:
		return schema.BoolAttribute{Computed: true, MarkdownDescription: d.description}
	case basetypes.ListType:
		return schema.ListAttribute{Computed: true, MarkdownDescription: d.description, ElementType: valueType.ElemType}
	default:
		return schema.StringAttribute{Computed: true, MarkdownDescription: d.description}
	}
}

// computedAttributes returns the attributes of all details, and response_body with the description.
func computedAttributes(responseBody string) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{"response_body": schema.StringAttribute{Computed: true, MarkdownDescription: responseBody}}
	for _, detail := range allDetails {
		attributes[detail.name] = detail.computed()
	}
	return attributes
}

// instanceValues returns the values of computedAttributes and base_url.
func instanceValues(baseURL address.BaseURL, result *client.Result) map[string]tftypes.Value {
	values := detailValues(result.Details)
	values["base_url"] = stringValue(baseURL.Written)
	values["response_body"] = stringValue(string(result.Document))
	return values
}

// detailValues returns the values of allDetails, by name.
func detailValues(details *instance.Details) map[string]tftypes.Value {
	values := make(map[string]tftypes.Value, len(allDetails)+2) // and base_url and response_body
	for _, detail := range allDetails {
		values[detail.name] = detail.value(details)
	}
	return values
}

// These are the tftypes forms of the types above; see values.go.
var (
	expireTimesType = terraformType(types.ListType{ElemType: expireTimeObject})
	expireTimeType  = terraformType(expireTimeObject)
)

func terraformType(t attr.Type) tftypes.Type { return t.TerraformType(context.Background()) }

func expireTimesValue(expireTimes []instance.ExpireTime) tftypes.Value {
	values := make([]tftypes.Value, len(expireTimes))
	for i, expireTime := range expireTimes {
		values[i] = tftypes.NewValue(expireTimeType, map[string]tftypes.Value{
			"label":      stringValue(expireTime.Label),
			"in_seconds": int64Value(expireTime.InSeconds),
			"in_minutes": int64Value(expireTime.InMinutes()),
		})
	}
	return tftypes.NewValue(expireTimesType, values)
}
