package provider

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// detailsAttributes are the attributes that describe an instance, wherever one
// is described.
func detailsAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"file_max_size": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "Maximum size of one file, in bytes (`fileMaxSize`). Never null; `0` is what the instance says.",
		},
		"chunk_size": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "Size of one chunk of an upload, in bytes (`chunkSize`). Never null.",
		},
		"require_password": schema.BoolAttribute{
			Computed:            true,
			MarkdownDescription: "Whether the instance requires a password to create a transfer (`requirePassword`). Never null.",
		},
		"api_version": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Version of the instance's API as delivered, such as `2.0.0` or `2.1.0-rc.1` (`apiVersion`). Never null.",
		},
		"api_version_major": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "First number of `api_version`. Never null.",
		},
		"api_version_minor": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "Second number of `api_version`. Never null.",
		},
		"api_version_patch": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "Third number of `api_version`, without a pre-release or build suffix. Never null.",
		},
		"file_max_age": schema.Int64Attribute{
			Computed: true,
			MarkdownDescription: "Maximum lifetime of a file, in seconds (`fileMaxAge`), whether the instance delivers a number or a string. " +
				"Instances that keep files without end deliver a very large number. Never null.",
		},
		"max_transfers_in_merge": schema.Int64Attribute{
			Computed: true,
			MarkdownDescription: "Maximum number of transfers in a group, a merge (`maxTransfersInMerge`). Where the instance does not deliver " +
				"it, the documented limit of its version: `50` from 2.0.0 on, `10` before. Never null.",
		},
		"recommended_expire_times": schema.ListNestedAttribute{
			Computed: true,
			MarkdownDescription: "Durations before expiry that a client may offer, in the order delivered (`recommendedExpireTimes`). " +
				"Empty where the instance suggests none. Never null.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"label": schema.StringAttribute{
					Computed:            true,
					MarkdownDescription: "The instance's text for the duration, in its own language (`label`). Never null.",
				},
				"in_seconds": schema.Int64Attribute{
					Computed: true,
					MarkdownDescription: "Duration in seconds: `inSeconds` where the entry has it, else `value`, which is in seconds then. " +
						"Never null.",
				},
				"in_minutes": schema.Int64Attribute{
					Computed:            true,
					MarkdownDescription: "Duration in whole minutes, rounded down. Never null.",
				},
			}},
		},
	}
}

// terraformTypes returns the types of attributes, for values built without the
// framework's reflection: that takes most of the time of a read.
func terraformTypes[A interface{ GetType() attr.Type }](attributes map[string]A) tftypes.Object {
	types := make(map[string]tftypes.Type, len(attributes))
	for name, attribute := range attributes {
		types[name] = attribute.GetType().TerraformType(context.Background())
	}
	return tftypes.Object{AttributeTypes: types}
}

var (
	detailsType     = terraformTypes(detailsAttributes())
	expireTimesType = detailsType.AttributeTypes["recommended_expire_times"].(tftypes.List) //nolint:forcetypeassert // see detailsAttributes
)

// detailsValues converts an instance's details to the values of
// detailsAttributes. It is the one conversion, for every data source and
// function.
func detailsValues(details *instance.Details) map[string]tftypes.Value {
	times := make([]tftypes.Value, len(details.RecommendedExpireTimes))
	for i, time := range details.RecommendedExpireTimes {
		times[i] = tftypes.NewValue(expireTimesType.ElementType, map[string]tftypes.Value{
			"label":      tftypes.NewValue(tftypes.String, time.Label),
			"in_seconds": int64Value(time.InSeconds),
			"in_minutes": int64Value(time.InMinutes()),
		})
	}
	return map[string]tftypes.Value{
		"file_max_size":            int64Value(details.FileMaxSizeBytes),
		"chunk_size":               int64Value(details.ChunkSizeBytes),
		"require_password":         tftypes.NewValue(tftypes.Bool, details.RequirePassword),
		"api_version":              tftypes.NewValue(tftypes.String, details.APIVersion.Text),
		"api_version_major":        int64Value(details.APIVersion.Major),
		"api_version_minor":        int64Value(details.APIVersion.Minor),
		"api_version_patch":        int64Value(details.APIVersion.Patch),
		"file_max_age":             int64Value(details.FileMaxAgeSeconds),
		"max_transfers_in_merge":   int64Value(details.MaxTransfersInMerge),
		"recommended_expire_times": tftypes.NewValue(expireTimesType, times),
	}
}

func int64Value(n int64) tftypes.Value {
	return tftypes.NewValue(tftypes.Number, new(big.Float).SetInt64(n))
}

// instanceWarnings are the doubts about one instance.
type instanceWarnings struct {
	// source is what was read: a URL.
	source   string
	warnings []instance.Warning
}

func warningLine(warning instance.Warning) string {
	if warning.Kind == instance.ContradictoryUnits {
		return fmt.Sprintf("%s (%q): inSeconds is %d, in whole minutes %d, but value is %d",
			warning.Path, warning.Label, warning.InSeconds, instance.ExpireTime{InSeconds: warning.InSeconds}.InMinutes(), warning.Value)
	}
	return fmt.Sprintf("%s (%q): %d", warning.Path, warning.Label, warning.Value)
}
