package provider

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// expectedBlock is the block expected. Each argument has the name of the attribute that it sets in a plan.
//
// It is a block because Terraform rejects unknown arguments of a block, but silently drops those of an object: a typo would go
// unnoticed.
var expectedBlock = schema.SingleNestedBlock{
	MarkdownDescription: "Values that the instance must report, such as its release and the settings that this configuration gives it. They are known " +
		"at plan time. The apply waits until the instance reports them, or fails after the timeout and lists each difference. The next apply waits again.",
	Attributes: map[string]schema.Attribute{
		"api_version": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Release of the server, exactly as the instance reports it. Default: any.",
			Validators:          []validator.String{versionValidator},
		},
		"chunk_size":             expectedNumber("Size of one chunk of an upload, in bytes."),
		"file_max_age":           expectedNumber("Maximum lifetime of a file, in seconds."),
		"file_max_size":          expectedNumber("Maximum size of one file, in bytes."),
		"max_transfers_in_merge": expectedNumber("Maximum number of transfers in a group."),
		"require_password": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether the instance requires a password to create a transfer. Default: any.",
		},
	},
}

func expectedNumber(description string) schema.NumberAttribute {
	return schema.NumberAttribute{
		Optional:            true,
		MarkdownDescription: description + " Default: any.",
		Validators:          []validator.Number{wholeNumber(0, math.MaxInt64)},
	}
}

var versionValidator = check{
	"a version of three numbers, with or without a suffix",
	func(at path.Path, value tftypes.Value, diags *diag.Diagnostics) {
		text := goValue[string](value)
		if _, ok := instance.ParseVersion(text); !ok {
			diags.AddAttributeError(at, summaryVersion, fmt.Sprintf("%s is %s.\n\nWrite the version that the instance reports, which has "+
				`three numbers and may have a suffix: "2.1.0" or "2.1.0-rc.1".`, at, shown(text)))
		}
	},
}

// expectedValues returns the attributes that an expected block sets in a plan. Unknown arguments give unknown attributes.
func expectedValues(expected tftypes.Value) map[string]tftypes.Value {
	values := elementsOf(expected)
	maps.DeleteFunc(values, func(_ string, value tftypes.Value) bool { return value.IsNull() })
	if text, ok := values["api_version"]; ok {
		version, _ := instance.ParseVersion(goValue[string](text))
		for name, number := range map[string]int64{
			"api_version_major": version.Major, "api_version_minor": version.Minor, "api_version_patch": version.Patch,
		} {
			values[name] = int64Value(number)
			if !text.IsKnown() {
				values[name] = tftypes.NewValue(tftypes.Number, tftypes.UnknownValue)
			}
		}
	}
	return values
}

// expectedDifferences returns the reported values that differ from expected, sorted by name. expected must be known.
func expectedDifferences(expected tftypes.Value, reported map[string]tftypes.Value) (found []client.Difference) {
	arguments := elementsOf(expected)
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if want := arguments[name]; !want.IsNull() && !want.Equal(reported[name]) {
			found = append(found, client.Difference{Name: name, Reported: inWords(reported[name]), Expected: inWords(want)})
		}
	}
	return found
}

// inWords returns a string, number or bool as text. Returns "not reported" if null, as in a state edited by hand.
func inWords(value tftypes.Value) string {
	switch {
	case value.IsNull():
		return "not reported"
	case value.Type().Is(tftypes.Bool):
		return strconv.FormatBool(goValue[bool](value))
	case value.Type().Is(tftypes.Number):
		return goValue[*big.Float](value).Text('f', 0)
	default:
		return goValue[string](value)
	}
}

// expectedPath returns the path of the first difference. With the path of the block, Terraform would show no line.
func expectedPath(found []client.Difference) path.Path {
	return path.Root("expected").AtName(found[0].Name)
}

func differenceList(found []client.Difference) (list string) {
	for _, difference := range found {
		list += "\n  - " + difference.String()
	}
	return list
}

// digitsRemedies returns a remedy if a number is less than a thousandth of the expected one: the server may have read only the
// leading digits of its setting.
func digitsRemedies(found []client.Difference) []string {
	for _, difference := range found {
		reported, _ := strconv.ParseInt(difference.Reported, 10, 64) // 0 if not a number
		expected, _ := strconv.ParseInt(difference.Expected, 10, 64)
		if reported > 0 && (expected-1)/1000 >= reported { // less than a thousandth
			return []string{`The server may have read only the digits at the beginning of a value: 5 of "5 GB" or of "5e+09", as Helm writes the number ` +
				"5000000000. Write the whole number, as a string."}
		}
	}
	return nil
}
