package provider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// detailsAttribute is a computed attribute of an instance and how to get its value.
type detailsAttribute struct {
	name      string
	attribute schema.Attribute
	value     func(details *instance.Details) tftypes.Value
}

// detailsAttributes is shared by the data sources, the resource and the function.
var detailsAttributes = []detailsAttribute{
	{"file_max_size", computedInt64("Maximum size of one file, in bytes (`fileMaxSize`)."),
		func(d *instance.Details) tftypes.Value { return int64Value(d.FileMaxSizeBytes) }},
	{"chunk_size", computedInt64("Size of one chunk of an upload, in bytes (`chunkSize`)."),
		func(d *instance.Details) tftypes.Value { return int64Value(d.ChunkSizeBytes) }},
	{"require_password", schema.BoolAttribute{Computed: true,
		MarkdownDescription: "Whether the instance requires a password to create a transfer (`requirePassword`)."},
		func(d *instance.Details) tftypes.Value { return tftypes.NewValue(tftypes.Bool, d.RequirePassword) }},
	{"api_version", computedString("Version of the instance's API, which is the release of the server, such as `2.0.0` or `2.1.0-rc.1` (`apiVersion`)."),
		func(d *instance.Details) tftypes.Value { return stringValue(d.APIVersion.Text) }},
	{"api_version_major", computedInt64("First number of `api_version`."),
		func(d *instance.Details) tftypes.Value { return int64Value(d.APIVersion.Major) }},
	{"api_version_minor", computedInt64("Second number of `api_version`."),
		func(d *instance.Details) tftypes.Value { return int64Value(d.APIVersion.Minor) }},
	{"api_version_patch", computedInt64("Third number of `api_version`, without a pre-release or build suffix."),
		func(d *instance.Details) tftypes.Value { return int64Value(d.APIVersion.Patch) }},
	{"file_max_age", computedInt64("Maximum lifetime of a file, in seconds (`fileMaxAge`). From 2.0.0 on, Stend reports `15770000000` if there is no maximum."),
		func(d *instance.Details) tftypes.Value { return int64Value(d.FileMaxAgeSeconds) }},
	{"max_transfers_in_merge", computedInt64("Maximum number of transfers in a group, which the service calls a merge (`maxTransfersInMerge`). " +
		"If the instance does not report it, the documented limit: `50` from 2.0.0 on, pre-releases included, and `10` before."),
		func(d *instance.Details) tftypes.Value { return int64Value(d.MaxTransfersInMerge) }},
	{"recommended_expire_times", schema.ListAttribute{Computed: true, ElementType: expireTimeObject, // not nested attributes: terraform test cannot mock them
		MarkdownDescription: "Expiry options that the instance suggests, in its own order (`recommendedExpireTimes`). Empty if it suggests " +
			"none. Each has a `label`, `in_seconds`, and `in_minutes` (rounded down)."},
		func(d *instance.Details) tftypes.Value { return expireTimesValue(d.RecommendedExpireTimes) }},
}

var expireTimeObject = types.ObjectType{AttrTypes: map[string]attr.Type{
	"label":      types.StringType,
	"in_seconds": types.Int64Type,
	"in_minutes": types.Int64Type,
}}

// detailsObject is the type of all detailsAttributes together.
var detailsObject = func() types.ObjectType {
	object := types.ObjectType{AttrTypes: make(map[string]attr.Type, len(detailsAttributes))}
	for _, attribute := range detailsAttributes {
		object.AttrTypes[attribute.name] = attribute.attribute.GetType()
	}
	return object
}()

// instanceAttributes returns the computed attributes of a data source or resource for one instance. blockType is for an example.
func instanceAttributes(blockType string) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{"response_body": computedString("The JSON document as delivered, for fields that this version of " +
		"the provider does not know: `jsondecode(" + blockType + ".files.response_body).newField`.")}
	for _, attribute := range detailsAttributes {
		attributes[attribute.name] = attribute.attribute
	}
	return attributes
}

func computedString(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func computedInt64(description string) schema.Attribute {
	return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
}

// setInstance sets the attributes of an instance in values. details comes from detailsValues.
func setInstance(values map[string]tftypes.Value, baseURL address.BaseURL, details map[string]tftypes.Value, document []byte) {
	maps.Copy(values, details)
	values["base_url"] = stringValue(baseURL.Written)
	values["response_body"] = stringValue(string(document))
}

// The same types as tftypes; see values.go.
var (
	detailsType     = terraformType(detailsObject)
	expireTimesType = terraformType(types.ListType{ElemType: expireTimeObject})
	expireTimeType  = terraformType(expireTimeObject)
)

func terraformType(t attr.Type) tftypes.Type { return t.TerraformType(context.Background()) }

// detailsValues converts an instance's details to the values of detailsAttributes, by name.
func detailsValues(details *instance.Details) map[string]tftypes.Value {
	values := make(map[string]tftypes.Value, len(detailsAttributes)+2) // and base_url and response_body
	for _, attribute := range detailsAttributes {
		values[attribute.name] = attribute.value(details)
	}
	return values
}

func expireTimesValue(times []instance.ExpireTime) tftypes.Value {
	values := make([]tftypes.Value, len(times))
	for i, time := range times {
		values[i] = tftypes.NewValue(expireTimeType, map[string]tftypes.Value{
			"label":      stringValue(time.Label),
			"in_seconds": int64Value(time.InSeconds),
			"in_minutes": int64Value(time.InMinutes()),
		})
	}
	return tftypes.NewValue(expireTimesType, values)
}
