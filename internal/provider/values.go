package provider

import (
	"context"
	"math/big"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// isSet reports whether a value is neither null nor unknown.
func isSet(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }

// durationOr returns value as a duration. It returns defaultDuration if value is null, unknown, invalid or not positive.
func durationOr(value types.String, defaultDuration time.Duration) time.Duration {
	if duration, err := time.ParseDuration(value.ValueString()); err == nil && duration > 0 {
		return duration
	}
	return defaultDuration
}

// isKnownDuration reports whether the duration in effect is known: value is null, so that it is the default, or a valid duration. An
// invalid one has an error of its own.
func isKnownDuration(value types.String) bool { return value.IsNull() || durationOr(value, 0) > 0 }

// int64Or returns a whole number as an int64, or defaultNumber if it is null or unknown.
func int64Or(number types.Number, defaultNumber int64) int64 {
	if !isSet(number) {
		return defaultNumber
	}
	whole, _ := wholeNumberOf(number.ValueBigFloat())
	return whole
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

// wholeNumberOf returns a number as an int64, and whether it is one. It ignores the last 12 of the 512 bits with which Terraform
// calculates, because 4.2 * 1000000000 is not quite 4200000000 there.
func wholeNumberOf(number *big.Float) (int64, bool) {
	whole, accuracy := new(big.Float).SetPrec(500).Set(number).Int64()
	return whole, accuracy == big.Exact
}

// blockAs reads a block into a model. If the block is absent, all values of the model are null.
func blockAs(ctx context.Context, block types.Object, model any) diag.Diagnostics {
	return block.As(ctx, model, basetypes.ObjectAsOptions{UnhandledNullAsEmpty: true})
}
