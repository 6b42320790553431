package provider

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

var _ function.Function = (*selectExpireTimeFunction)(nil)

type selectExpireTimeFunction struct{}

func newSelectExpireTimeFunction() function.Function { return &selectExpireTimeFunction{} }

func (*selectExpireTimeFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "select_expire_time"
}

const (
	// maxDigits is how many digits of a number an error shows: more than one of 64 bits has.
	maxDigits = 20
	// labelLimit is how many characters of a label an error shows.
	labelLimit = 60
)

// The arguments of select_expire_time, by position.
const (
	expireTimesArgument = 0
	maxSecondsArgument  = 1
)

// expireTimeModel is an element of recommended_expire_times.
type expireTimeModel struct {
	Label     types.String `tfsdk:"label"`
	InSeconds types.Int64  `tfsdk:"in_seconds"`
	InMinutes types.Int64  `tfsdk:"in_minutes"`
}

// expireTimeArgument is the type of such an element as an argument. Its numbers are NumberType, so that a fraction
// gives our error, not the framework's.
var expireTimeArgument = types.ObjectType{AttrTypes: map[string]attr.Type{
	"label":      types.StringType,
	"in_seconds": types.NumberType,
	"in_minutes": types.NumberType,
}}

func (*selectExpireTimeFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Select the longest expiry option within a maximum",
		MarkdownDescription: "Returns the longest entry of `expire_times` whose `in_seconds` is at most `max_seconds`, whatever the order of the " +
			"list, and the first of several that are equally long. It is an error when there is none.",
		Parameters: []function.Parameter{
			function.ListParameter{
				Name:                "expire_times",
				ElementType:         expireTimeArgument,
				MarkdownDescription: "The options, as in `recommended_expire_times` of an instance. Neither an entry nor one of its fields may be null.",
			},
			function.NumberParameter{
				Name:                "max_seconds",
				MarkdownDescription: "The longest duration that is allowed, in seconds.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: expireTimeObject.AttrTypes},
	}
}

func (*selectExpireTimeFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	// Terraform ends the text of an error with a period itself.
	var elements []types.Object
	var maxSeconds *big.Float
	if resp.Error = req.Arguments.Get(ctx, &elements, &maxSeconds); resp.Error != nil {
		return
	}
	times := make([]expireTimeModel, len(elements))
	for i, element := range elements {
		if element.IsUnknown() {
			resp.Error = resp.Result.Set(ctx, types.ObjectUnknown(expireTimeObject.AttrTypes))
			return
		}
		if fault := expireTimeFrom(ctx, element, &times[i]); fault != "" {
			resp.Error = function.NewArgumentFuncError(expireTimesArgument, fmt.Sprintf("The entry at index %d %s", i, fault))
			return
		}
		if times[i].InSeconds.IsUnknown() {
			resp.Error = resp.Result.Set(ctx, types.ObjectUnknown(expireTimeObject.AttrTypes))
			return
		}
	}
	if len(times) == 0 {
		resp.Error = function.NewArgumentFuncError(expireTimesArgument, "The list is empty: there is no expiry option to select")
		return
	}
	longest, ok := longestWithin(times, maxSeconds)
	if !ok {
		shortest := shortestOf(times)
		resp.Error = function.NewArgumentFuncError(maxSecondsArgument, fmt.Sprintf(
			"No expiry option is at most %s seconds long: the shortest, %q, has %d seconds",
			maxSeconds.Text('g', maxDigits), safetext.Clean(shortest.Label.ValueString(), labelLimit), shortest.InSeconds.ValueInt64()))
		return
	}
	resp.Error = resp.Result.Set(ctx, longest)
}

// expireTimeFrom reads an element, or says what is wrong with it.
func expireTimeFrom(ctx context.Context, element types.Object, into *expireTimeModel) (fault string) {
	if element.IsNull() {
		return "is null"
	}
	for _, name := range []string{"label", "in_seconds", "in_minutes"} {
		if element.Attributes()[name].IsNull() {
			return "has no " + name + ": it is null"
		}
	}
	var argument struct {
		Label     types.String `tfsdk:"label"`
		InSeconds types.Number `tfsdk:"in_seconds"`
		InMinutes types.Number `tfsdk:"in_minutes"`
	}
	if diags := element.As(ctx, &argument, basetypes.ObjectAsOptions{}); diags.HasError() {
		return "cannot be read: " + diags[0].Detail()
	}
	into.Label = argument.Label
	if into.InSeconds, fault = wholeNumber("in_seconds", argument.InSeconds); fault != "" {
		return fault
	}
	into.InMinutes, fault = wholeNumber("in_minutes", argument.InMinutes)
	return fault
}

// wholeNumber returns a number as an integer of 64 bits, or says that it is none.
func wholeNumber(name string, number types.Number) (whole types.Int64, fault string) {
	if number.IsUnknown() {
		return types.Int64Unknown(), ""
	}
	value, accuracy := number.ValueBigFloat().Int64()
	if accuracy != big.Exact {
		return whole, fmt.Sprintf("has an %s of %s, which is not a whole number of 64 bits", name, number.ValueBigFloat().Text('g', maxDigits))
	}
	return types.Int64Value(value), ""
}

// longestWithin returns the longest of times that is at most maxSeconds, the first of equals.
func longestWithin(times []expireTimeModel, maxSeconds *big.Float) (longest expireTimeModel, ok bool) {
	for _, time := range times {
		seconds := time.InSeconds.ValueInt64()
		if new(big.Float).SetInt64(seconds).Cmp(maxSeconds) > 0 {
			continue
		}
		if !ok || seconds > longest.InSeconds.ValueInt64() {
			longest, ok = time, true
		}
	}
	return longest, ok
}

func shortestOf(times []expireTimeModel) expireTimeModel {
	shortest := times[0]
	for _, time := range times[1:] {
		if time.InSeconds.ValueInt64() < shortest.InSeconds.ValueInt64() {
			shortest = time
		}
	}
	return shortest
}
