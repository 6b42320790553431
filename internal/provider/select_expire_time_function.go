package provider

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

var _ function.Function = (*selectExpireTimeFunction)(nil)

type selectExpireTimeFunction struct{}

func newSelectExpireTimeFunction() function.Function { return &selectExpireTimeFunction{} }

func (*selectExpireTimeFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "select_expire_time"
}

const labelLimit = 60 // characters

// expireTimeArgument is the type of an element of recommended_expire_times as an argument. Its numbers are NumberType,
// so that a fraction gives our error, not the framework's.
var expireTimeArgument = types.ObjectType{AttrTypes: map[string]attr.Type{
	"label":      types.StringType,
	"in_seconds": types.NumberType,
	"in_minutes": types.NumberType,
}}

func (*selectExpireTimeFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Select the longest expiry option within a maximum",
		MarkdownDescription: "Returns the longest expiry option in `expire_times` whose `in_seconds` is at most `max_seconds`. Their " +
			"order does not matter. Of equally long options, it returns the first. It is an error if none is short enough.",
		Parameters: []function.Parameter{
			function.ListParameter{
				Name:                "expire_times",
				ElementType:         expireTimeArgument,
				MarkdownDescription: "The expiry options, as in `recommended_expire_times` of an instance. Neither an option nor one of its fields may be null.",
			},
			function.NumberParameter{
				Name:                "max_seconds",
				MarkdownDescription: "The longest duration that is allowed, in seconds.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: expireTimeArgument.AttrTypes},
	}
}

func (*selectExpireTimeFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	// Terraform ends the text of an error with a period itself.
	var times []types.Object
	var maxSeconds *big.Float
	if resp.Error = req.Arguments.Get(ctx, &times, &maxSeconds); resp.Error != nil {
		return
	}
	var longest, shortest types.Object // null until there is one
	for i, time := range times {
		if fault := expireTimeFault(time); fault != "" {
			resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("The entry at index %d %s", i, fault))
			return
		}
		if time.IsUnknown() || time.Attributes()["in_seconds"].IsUnknown() {
			resp.Error = resp.Result.Set(ctx, types.ObjectUnknown(expireTimeArgument.AttrTypes))
			return
		}
		if shortest.IsNull() || inSeconds(time).Cmp(inSeconds(shortest)) < 0 {
			shortest = time
		}
		if inSeconds(time).Cmp(maxSeconds) <= 0 && (longest.IsNull() || inSeconds(time).Cmp(inSeconds(longest)) > 0) {
			longest = time
		}
	}
	switch {
	case len(times) == 0:
		resp.Error = function.NewArgumentFuncError(0, "The list is empty: there is no expiry option to select")
	case longest.IsNull():
		label, _ := shortest.Attributes()["label"].(types.String)
		resp.Error = function.NewArgumentFuncError(1, fmt.Sprintf(
			"No expiry option is at most %s seconds long: the shortest, %q, is %s seconds long",
			maxSeconds.Text('g', maxDigits), safetext.Clean(label.ValueString(), labelLimit), inSeconds(shortest).Text('f', 0)))
	default:
		resp.Error = resp.Result.Set(ctx, longest)
	}
}

// expireTimeFault says what is wrong with an element, or returns "".
func expireTimeFault(time types.Object) string {
	if time.IsNull() {
		return "is null"
	}
	for _, name := range []string{"label", "in_seconds", "in_minutes"} {
		value, ok := time.Attributes()[name] // an element that is not known has none
		if ok && value.IsNull() {
			return "has no " + name + ": it is null"
		}
		if number, ok := value.(types.Number); ok && !number.IsNull() && !number.IsUnknown() {
			if _, accuracy := number.ValueBigFloat().Int64(); accuracy != big.Exact {
				return fmt.Sprintf("has an %s of %s, which is not a whole number of 64 bits", name, number.ValueBigFloat().Text('g', maxDigits))
			}
		}
	}
	return ""
}

// inSeconds returns the duration of an element without a fault.
func inSeconds(time types.Object) *big.Float {
	seconds, _ := time.Attributes()["in_seconds"].(types.Number)
	return seconds.ValueBigFloat()
}
