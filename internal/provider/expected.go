package provider

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// expectedBlock returns the block expected. Each argument has the name of the detail that it sets in a plan.
//
// It is a block because Terraform rejects unknown arguments of a block, but silently drops those of an object: a typo would go
// unnoticed.
func expectedBlock() schema.SingleNestedBlock {
	block := schema.SingleNestedBlock{
		MarkdownDescription: "Values that the instance must report, exactly, such as its release and the settings that this configuration gives it. " +
			"They are known at plan time. When one changes, the apply waits until the instance reports them all, or fails after the timeout and lists " +
			"each difference.",
		Attributes: make(map[string]schema.Attribute),
	}
	for _, detail := range allDetails {
		if detail.expectable {
			block.Attributes[detail.name] = detail.argument()
		}
	}
	return block
}

// argument returns the argument of a detail in the block expected.
func (d detail) argument() schema.Attribute {
	meaning, _, _ := strings.Cut(d.description, ". ") // without notes on what an instance reports
	description := strings.TrimSuffix(meaning, ".") + ". Default: any."
	switch d.valueType.(type) {
	case basetypes.Int64Type: // a NumberAttribute; see wholeNumber
		return schema.NumberAttribute{Optional: true, MarkdownDescription: description, Validators: []validator.Number{wholeNumber(0, math.MaxInt64)}}
	case basetypes.BoolType:
		return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
	default:
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: []validator.String{versionValidator}}
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
				values[name] = unknownValue(tftypes.Number)
			}
		}
	}
	return values
}

// expectsAnything reports whether an expected block has an argument, which may be unknown.
func expectsAnything(expected tftypes.Value) bool { return len(expectedValues(expected)) > 0 }

// differences returns the reported values that differ from expected, sorted by name and safe to print. expected must be known.
func (d *providerData) differences(expected tftypes.Value, reported map[string]tftypes.Value) (found []client.Difference) {
	arguments := elementsOf(expected)
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if want := arguments[name]; !want.IsNull() && !want.Equal(reported[name]) {
			found = append(found, client.Difference{Name: name, Reported: d.redactedText(reported[name]), Expected: valueText(want)})
		}
	}
	return found
}

// redactedText returns a reported value as text, safe to print. Strings are redacted, because an instance may echo a secret; numbers and
// bools cannot.
func (d *providerData) redactedText(reported tftypes.Value) string {
	if reported.IsNull() || !reported.Type().Is(tftypes.String) {
		return valueText(reported)
	}
	return d.client.RedactedLine(valueText(reported), d.headers) // whatever the origin
}

// valueText returns a string, number or bool as text. Returns "not reported" if null, as in a state edited by hand.
func valueText(value tftypes.Value) string {
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

// differenceRemedies returns what a difference can come from, each once.
func differenceRemedies(found []client.Difference) (remedies []string) {
	for _, difference := range found {
		reported, _ := strconv.ParseInt(difference.Reported, 10, 64) // 0 if not a number
		expected, _ := strconv.ParseInt(difference.Expected, 10, 64)
		remedy := ""
		switch tooSmall := reported > 0 && float64(reported)*1000 < float64(expected); {
		case tooSmall && strings.HasPrefix(difference.Expected, difference.Reported):
			remedy = `The server may have read only the digits at the beginning of a value: 5 of "5 GB" or of "5e+09", as Helm writes the number ` +
				"5000000000. Write the whole number, as a string."
		case tooSmall:
			remedy = `The server may have read a value without its unit: 30 of "30d". Write the whole number.`
		case difference.Name == "file_max_age" && difference.Expected == "0" && difference.Reported == noMaximumAge:
			remedy = "From 2.0.0 on, Stend reports " + noMaximumAge + " if there is no maximum: expect that number."
		}
		if remedy != "" && !slices.Contains(remedies, remedy) {
			remedies = append(remedies, remedy)
		}
	}
	return remedies
}

// noMaximumAge is the file_max_age of an instance without a maximum, in seconds.
const noMaximumAge = "15770000000"
