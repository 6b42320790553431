package provider

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
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
	const description = "As the attribute. Default: any."
	limit := schema.NumberAttribute{ // see wholeNumber
		Optional:            true,
		MarkdownDescription: description,
		Validators:          []validator.Number{wholeNumber{0, math.MaxInt64}},
	}
	return schema.SingleNestedBlock{
		MarkdownDescription: "Values that the instance must report, exactly.",
		Attributes: map[string]schema.Attribute{
			"api_version": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: description,
				Validators:          []validator.String{versionValidator},
			},
			"chunk_size":             limit,
			"file_max_age":           limit,
			"file_max_size":          limit,
			"max_transfers_in_merge": limit,
			"require_password":       schema.BoolAttribute{Optional: true, MarkdownDescription: description},
		},
	}
}

var versionValidator = stringValidator{
	"a version of three numbers, with or without a suffix",
	func(at path.Path, text string) diag.Diagnostic {
		if _, ok := instance.ParseVersion(text); ok {
			return nil
		}
		return diag.NewAttributeErrorDiagnostic(at, "Invalid version", fmt.Sprintf("%s is %s.\n\nWrite the version that "+
			`the instance reports, which has three numbers and may have a suffix: "2.1.0" or "2.1.0-rc.1".`,
			at, quoteShort(text)))
	},
}

// isEmpty reports whether nothing is expected. What is unknown is expected.
func (m expectedModel) isEmpty() bool { return m == expectedModel{} }

// details returns the details that are expected. All others are null.
func (m expectedModel) details() (details detailsModel) {
	m.plan(&details)
	return details
}

// plan sets the details that are expected, which may be unknown, and leaves the others.
func (m expectedModel) plan(details *detailsModel) {
	planValue(&details.ChunkSize, int64Value(m.ChunkSize))
	planValue(&details.FileMaxAge, int64Value(m.FileMaxAge))
	planValue(&details.FileMaxSize, int64Value(m.FileMaxSize))
	planValue(&details.MaxTransfersInMerge, int64Value(m.MaxTransfersInMerge))
	planValue(&details.RequirePassword, m.RequirePassword)
	planValue(&details.APIVersion, m.APIVersion)
	if m.APIVersion.IsUnknown() {
		unknown := types.Int64Unknown()
		details.APIVersionMajor, details.APIVersionMinor, details.APIVersionPatch = unknown, unknown, unknown
	} else if version, ok := instance.ParseVersion(m.APIVersion.ValueString()); ok {
		details.APIVersionMajor = types.Int64Value(version.Major)
		details.APIVersionMinor = types.Int64Value(version.Minor)
		details.APIVersionPatch = types.Int64Value(version.Patch)
	}
}

func planValue[T attr.Value](detail *T, expected T) {
	if !expected.IsNull() {
		*detail = expected
	}
}

// int64Value returns a whole number, which may be null or unknown, as an int64.
func int64Value(number types.Number) types.Int64 {
	switch {
	case number.IsNull():
		return types.Int64Null()
	case number.IsUnknown():
		return types.Int64Unknown()
	default:
		return types.Int64Value(int64Or(number, 0))
	}
}

// differences returns the details that differ from the expected ones, which must be known, by name and safe to print.
func (d *providerData) differences(expected, reported detailsModel) (found []client.Difference) {
	want, got := expected.values(), reported.values()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if want[name].IsNull() || want[name].Equal(got[name]) || followsFromVersion(name) {
			continue
		}
		found = append(found, client.Difference{
			Name: name, Reported: d.redactedText(got[name]), Expected: valueText(want[name]),
			Remedy: differenceRemedy(name, got[name], want[name]),
		})
	}
	return found
}

// followsFromVersion reports whether a detail is one of the numbers in api_version.
func followsFromVersion(name string) bool { return strings.HasPrefix(name, "api_version_") }

// redactedText returns a reported value as text, safe to print: an instance may echo a secret in a string.
func (d *providerData) redactedText(reported attr.Value) string {
	if text, ok := reported.(types.String); ok && !text.IsNull() {
		return d.client.RedactedLine(text.ValueString(), d.headers) // whatever the origin
	}
	return valueText(reported)
}

// valueText returns a string, number or bool as text. Returns "not reported" if null, as in a state edited by hand.
func valueText(value attr.Value) string {
	if value.IsNull() {
		return "not reported"
	}
	if text, ok := value.(types.String); ok {
		return text.ValueString()
	}
	return value.String()
}

// noMaximumAge is the file_max_age of an instance without a maximum, in seconds.
const noMaximumAge int64 = 15770000000

// differenceRemedy returns what a difference can come from, or "".
func differenceRemedy(name string, reported, expected attr.Value) string {
	want, isNumber := expected.(types.Int64)
	got, isReported := reported.(types.Int64)
	if !isNumber || !isReported {
		return ""
	}
	wantNumber, gotNumber := want.ValueInt64(), got.ValueInt64()
	switch {
	case gotNumber > 0 && float64(gotNumber)*1000 < float64(wantNumber):
		return `The server may have read only the digits at the beginning of a value: 5 of "5 GB", or of "5e+09", as Helm ` +
			`writes the number 5000000000; 30 of "30d". Write the whole number, as a string.`
	case name == "file_max_age" && wantNumber == 0 && gotNumber == noMaximumAge:
		return fmt.Sprintf("From 2.0.0 on, Stend reports %d if there is no maximum: expect that number.", noMaximumAge)
	default:
		return ""
	}
}

// expectedPath returns the path of the first difference. With the path of the block, Terraform would show no line.
func expectedPath(differences []client.Difference) path.Path {
	return path.Root("expected").AtName(differences[0].Name)
}

func differenceList(differences []client.Difference) (list string) {
	for _, difference := range differences {
		list += bullet + difference.String()
	}
	return list
}

// differenceRemedies returns the remedies of all differences, each once.
func differenceRemedies(differences []client.Difference) string {
	var remedies []string
	for _, difference := range differences {
		if difference.Remedy != "" && !slices.Contains(remedies, difference.Remedy) {
			remedies = append(remedies, difference.Remedy)
		}
	}
	return strings.Join(remedies, " ")
}
