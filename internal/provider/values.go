package provider

import (
	"maps"
	"math/big"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Configurations, plans and states are read and written as Terraform's own values, without the framework's reflection:
// that would take most of the time of a read. What was validated needs no error here.

// goValue converts a value to Go. Null and unknown are the zero value.
func goValue[T bool | string | *big.Float | map[string]tftypes.Value](value tftypes.Value) (converted T) {
	_ = value.As(&converted)
	return converted
}

// elementsOf returns the attributes of an object or the elements of a map, in a map of its own. Null and unknown have none.
func elementsOf(value tftypes.Value) map[string]tftypes.Value {
	return maps.Clone(goValue[map[string]tftypes.Value](value))
}

// hasElements tells whether a map is known to have any.
func hasElements(value tftypes.Value) bool { return len(goValue[map[string]tftypes.Value](value)) > 0 }

// isSet tells whether a value is there: neither null nor unknown.
func isSet(value tftypes.Value) bool { return value.IsKnown() && !value.IsNull() }

// int64Or returns a whole number, or the default if it is not set or not known yet.
func int64Or(value tftypes.Value, defaultNumber int64) int64 {
	if !isSet(value) {
		return defaultNumber
	}
	number, _ := goValue[*big.Float](value).Int64()
	return number
}

// durationOr returns a duration, or the default if it is not set or not known yet.
func durationOr(value tftypes.Value, defaultDuration time.Duration) time.Duration {
	if duration, err := time.ParseDuration(goValue[string](value)); err == nil && duration > 0 {
		return duration
	}
	return defaultDuration
}

func int64Value(n int64) tftypes.Value { return tftypes.NewValue(tftypes.Number, n) }

func stringValue(text string) tftypes.Value { return tftypes.NewValue(tftypes.String, text) }
