package provider

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// expectedModel is the block expected of a record. Each argument has the name of the detail that it sets in a plan.
type expectedModel struct {
	APIVersion          types.String `tfsdk:"api_version"`
	ChunkSize           types.Number `tfsdk:"chunk_size"`
	FileMaxAge          types.Number `tfsdk:"file_max_age"`
	FileMaxSize         types.Number `tfsdk:"file_max_size"`
	MaxTransfersInMerge types.Number `tfsdk:"max_transfers_in_merge"`
	RequirePassword     types.Bool   `tfsdk:"require_password"`
}

// expectedBlock is a block because Terraform would silently drop a misspelled argument of an object.
func expectedBlock() schema.SingleNestedBlock {
	limit := func(description string) schema.Attribute { return optionalNumber(description, 0, math.MaxInt64) }
	return schema.SingleNestedBlock{
		MarkdownDescription: "Values that the instance must report exactly. A value that you leave out is not checked. An apply waits only if there is this " +
			"block. With an empty one, a creation or a move waits for any instance document.",
		Attributes: map[string]schema.Attribute{
			"api_version":            optionalString("Release of the server, such as `2.2.3`.", textValidator(parseVersion)),
			"chunk_size":             limit("Size of one chunk of an upload, in bytes."),
			"file_max_age":           limit("Maximum lifetime of a file, in seconds."),
			"file_max_size":          limit("Maximum size of one file, in bytes."),
			"max_transfers_in_merge": limit("Maximum number of transfers in a group."),
			"require_password":       optionalBool("Whether a password is required to create a transfer."),
		},
	}
}

// isEmpty reports whether no argument is set. One that is not known yet is set.
func (m expectedModel) isEmpty() bool { return m == expectedModel{} }

// overlay returns details with those replaced that are expected, which may be unknown.
func (m expectedModel) overlay(details detailsModel) detailsModel {
	setUnlessNull(&details.ChunkSize, int64Value(m.ChunkSize))
	setUnlessNull(&details.FileMaxAge, int64Value(m.FileMaxAge))
	setUnlessNull(&details.FileMaxSize, int64Value(m.FileMaxSize))
	setUnlessNull(&details.MaxTransfersInMerge, int64Value(m.MaxTransfersInMerge))
	setUnlessNull(&details.RequirePassword, m.RequirePassword)
	setUnlessNull(&details.APIVersion, m.APIVersion)
	if m.APIVersion.IsUnknown() {
		unknown := types.Int64Unknown()
		details.APIVersionMajor, details.APIVersionMinor, details.APIVersionPatch = unknown, unknown, unknown
	} else if version, ok := instance.ParseVersion(m.APIVersion.ValueString()); ok {
		details.APIVersionMajor = types.Int64Value(version.Major)
		details.APIVersionMinor = types.Int64Value(version.Minor)
		details.APIVersionPatch = types.Int64Value(version.Patch)
	}
	return details
}

// setUnlessNull sets a detail to what is expected, unless that is null.
func setUnlessNull[T attr.Value](detail *T, expected T) {
	if !expected.IsNull() {
		*detail = expected
	}
}

// unexpected returns the details that are not as expected. A detail that expected leaves out is not compared.
func (d *providerData) unexpected(expected expectedModel, reported detailsModel) []client.Difference {
	return d.differences(expected.overlay(reported), reported)
}

// differences returns the details that are not as expected, sorted by name, in texts that are safe to print. It leaves out the numbers of a
// version, which api_version shows.
func (d *providerData) differences(expected, reported detailsModel) (found []client.Difference) {
	want, got := expected.values(), reported.values()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !want[name].Equal(got[name]) && !strings.HasPrefix(name, "api_version_") {
			found = append(found, client.Difference{
				Name: name, Reported: d.redacted(valueText(got[name])), Expected: d.redacted(valueText(want[name])),
			})
		}
	}
	return found
}

// valueText returns a value as text, or "nothing" if it is null, as in a state that somebody edited.
func valueText(value attr.Value) string {
	if value.IsNull() {
		return "nothing"
	}
	if text, ok := value.(types.String); ok {
		return text.ValueString()
	}
	return value.String()
}
