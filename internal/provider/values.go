package provider

import (
	"maps"
	"math/big"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The functions below read and write configurations, plans and states as tftypes values: the framework's reflection would take most
// of the time of a read. They return no errors, because the values were validated.

// goValue returns value as a Go value. Returns zero if null or unknown.
func goValue[T bool | string | *big.Float | map[string]tftypes.Value](value tftypes.Value) (converted T) {
	_ = value.As(&converted)
	return converted
}

// elementsOf returns a new map of the attributes of an object or the elements of a map. It is empty if value is null or unknown.
func elementsOf(value tftypes.Value) map[string]tftypes.Value {
	return maps.Clone(goValue[map[string]tftypes.Value](value))
}

// hasElements reports whether a map has elements. Returns false if null or unknown.
func hasElements(value tftypes.Value) bool { return len(goValue[map[string]tftypes.Value](value)) > 0 }

// isSet reports whether value is neither null nor unknown.
func isSet(value tftypes.Value) bool { return value.IsKnown() && !value.IsNull() }

// int64Or returns value as an int64. Returns defaultNumber if null or unknown.
func int64Or(value tftypes.Value, defaultNumber int64) int64 {
	if !isSet(value) {
		return defaultNumber
	}
	number, _ := goValue[*big.Float](value).Int64()
	return number
}

// durationOr returns value as a duration. Returns defaultDuration if null, unknown, invalid or not positive.
func durationOr(value tftypes.Value, defaultDuration time.Duration) time.Duration {
	if duration, err := time.ParseDuration(goValue[string](value)); err == nil && duration > 0 {
		return duration
	}
	return defaultDuration
}

// isDurationOrNull reports whether durationOr returns what value says, so that it can be compared. An invalid value is an error already.
func isDurationOrNull(value tftypes.Value) bool { return value.IsNull() || durationOr(value, 0) > 0 }

func unknownValue(t tftypes.Type) tftypes.Value { return tftypes.NewValue(t, tftypes.UnknownValue) }

func boolValue(b bool) tftypes.Value { return tftypes.NewValue(tftypes.Bool, b) }

func int64Value(n int64) tftypes.Value { return tftypes.NewValue(tftypes.Number, n) }

func stringValue(text string) tftypes.Value { return tftypes.NewValue(tftypes.String, text) }
