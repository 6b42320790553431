package provider

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
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
	return schema.SingleNestedBlock{
		MarkdownDescription: "Values that the instance must report exactly. What you leave out is not checked.",
		Attributes: map[string]schema.Attribute{
			"api_version":            optionalString("Release of the server, such as `2.2.3`.", validateText(parseVersion)),
			"chunk_size":             optionalLimit("Size of one chunk of an upload, in bytes."),
			"file_max_age":           optionalLimit("Maximum lifetime of a file, in seconds."),
			"file_max_size":          optionalLimit("Maximum size of one file, in bytes."),
			"max_transfers_in_merge": optionalLimit("Maximum number of transfers in a group."),
			"require_password":       optionalBool("Whether a password is required to create a transfer."),
		},
	}
}

// isEmpty reports whether no argument is set. One that is not known yet is set.
func (m expectedModel) isEmpty() bool { return m == expectedModel{} }

// override returns details with those replaced that are expected, which may be unknown.
func (m expectedModel) override(details detailsModel) detailsModel {
	setUnlessNull(&details.APIVersion, m.APIVersion)
	setUnlessNull(&details.ChunkSize, int64Value(m.ChunkSize))
	setUnlessNull(&details.FileMaxAge, int64Value(m.FileMaxAge))
	setUnlessNull(&details.FileMaxSize, int64Value(m.FileMaxSize))
	setUnlessNull(&details.MaxTransfersInMerge, int64Value(m.MaxTransfersInMerge))
	setUnlessNull(&details.RequirePassword, m.RequirePassword)
	return details
}

// setUnlessNull sets a detail to what is expected, unless that is null.
func setUnlessNull[T attr.Value](detail *T, expected T) {
	if !expected.IsNull() {
		*detail = expected
	}
}

// difference is a detail that is not what it should be.
type difference struct {
	name             string
	reported, wanted attr.Value
}

// expectedText says what a value is, and what was expected.
func (d difference) expectedText() string {
	return fmt.Sprintf("%s is %s, expected %s", d.name, valueText(d.reported), valueText(d.wanted))
}

// isMisread reports whether the server has probably misread this setting.
func (d difference) isMisread() bool {
	reported, isNumber := d.reported.(types.Int64)
	return isNumber && reported.ValueInt64() < smallestPlausible[d.name]
}

// valueText returns a value as text that is safe to print. It may repeat a secret, as the state then does.
func valueText(value attr.Value) string {
	text := value.String()
	if value, ok := value.(types.String); ok {
		text = value.ValueString() // without quotation marks
	}
	return safetext.Cut(safetext.Line(text), 200)
}

// unmet returns the details that are not as expected, sorted by name. A detail that expected leaves out is not
// compared.
func unmet(expected expectedModel, reported detailsModel) []difference {
	return differences(expected.override(reported), reported)
}

// differences returns the details in which two models differ, sorted by name.
func differences(wanted, reported detailsModel) (differences []difference) {
	want, got := wanted.values(), reported.values()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !want[name].Equal(got[name]) {
			differences = append(differences, difference{name, got[name], want[name]})
		}
	}
	return differences
}
