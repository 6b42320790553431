package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// valueValidator makes a validator from a function of values that are neither null nor unknown.
type valueValidator[T attr.Value] func(at path.Path, value T) diag.Diagnostics

var (
	_ validator.String = valueValidator[types.String](nil)
	_ validator.Map    = valueValidator[types.Map](nil)
	_ validator.Number = valueValidator[types.Number](nil)
)

// Nothing shows the descriptions of validators. Those of the attributes say what is valid.

func (v valueValidator[T]) Description(context.Context) string         { return "" }
func (v valueValidator[T]) MarkdownDescription(context.Context) string { return "" }

func (v valueValidator[T]) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	v.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (v valueValidator[T]) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	v.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (v valueValidator[T]) ValidateNumber(_ context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	v.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (v valueValidator[T]) check(at path.Path, value attr.Value, diags *diag.Diagnostics) {
	if isSet(value) {
		diags.Append(v(at, value.(T))...)
	}
}

// textValidator makes a validator from a parser.
func textValidator[T any](parse parser[T]) valueValidator[types.String] {
	return func(at path.Path, value types.String) (diags diag.Diagnostics) {
		if _, invalid := parse(at.String(), value.ValueString()); invalid != nil {
			diags.Append(diag.WithPath(at, invalid))
		}
		return diags
	}
}

// wholeNumber validates whole numbers.
func wholeNumber(least, most int64) valueValidator[types.Number] {
	validValues := fmt.Sprintf("a whole number from %d to %d", least, most)
	return func(at path.Path, value types.Number) (diags diag.Diagnostics) {
		number := value.ValueBigFloat()
		if whole, ok := wholeNumberOf(number); ok && least <= whole && whole <= most {
			return nil
		}
		found := "a number with a huge exponent"
		if exponent := number.MantExp(nil); -64 <= exponent && exponent <= 128 { // writing out a huge one takes seconds
			found = number.Text('g', 40)
		}
		diags.AddAttributeError(at, "Invalid number", fmt.Sprintf("%s is %s.\n\nWrite %s.", at, found, validValues))
		return diags
	}
}

var baseURLsValidator valueValidator[types.Map] = func(at path.Path, baseURLs types.Map) diag.Diagnostics {
	_, invalid := parseBaseURLs(at, baseURLs)
	return invalid
}

var headersValidator valueValidator[types.Map] = func(at path.Path, headers types.Map) diag.Diagnostics {
	_, invalid := parseHeaders(at, headers)
	return invalid
}
