package instance

import (
	"math"
	"strings"
	"testing"
)

func TestParseNumber(t *testing.T) {
	t.Parallel()

	accepted := map[string]int64{
		"0": 0, "-0": 0, "-0.0e-5": 0, "0.0e99999999999999999999": 0, "0e-99999999999999999999": 0,
		"20000000": 20000000, "20000000.0": 20000000, "6e10": 60000000000, "6E+10": 60000000000, "6e0010": 60000000000,
		"7e-0": 7, "1.577e3": 1577, "1.5000e1": 15, "120e-1": 12, "0.001e5": 100, "1e18": 1000000000000000000,
		"9007199254740993.0": 9007199254740993, "9223372036854775807": math.MaxInt64,
		"9.223372036854775807e18": math.MaxInt64, "92233720368547758070e-1": math.MaxInt64,
		"1" + strings.Repeat("0", 300) + "e-300":  1,
		"0." + strings.Repeat("0", 299) + "7e300": 7,
	}
	for number, want := range accepted {
		if value, ok := parseNumber(number); !ok || value != want {
			t.Errorf("parseNumber(%q) = %d, %t, want %d", number, value, ok, want)
		}
	}
	for _, number := range []string{
		"-1", "-1.0", "-1e3", "0.5", "15e-1", "1.577e2", "1e-400", "1e19", "1e400",
		"9223372036854775808", "9.223372036854775808e18", "9999999999999999999", strings.Repeat("9", 1000),
		"1e2147483647", "1e2147483648", "1e-2147483649", "1e9223372036854775808", "1.5e-9223372036854775808",
	} {
		if value, ok := parseNumber(number); ok {
			t.Errorf("parseNumber(%q) = %d, want it refused", number, value)
		}
	}
}

func TestParseDigits(t *testing.T) {
	t.Parallel()

	accepted := map[string]int64{
		"0": 0, "2592000": 2592000, strings.Repeat("0", 100) + "7": 7, "9223372036854775807": math.MaxInt64,
	}
	for text, want := range accepted {
		if value, ok := parseDigits(text); !ok || value != want {
			t.Errorf("parseDigits(%q) = %d, %t, want %d", text, value, ok, want)
		}
	}
	for _, text := range []string{
		"", "+1", "-1", "-0", " 1", "1\n", "1_000", "1e3", "1.0", "0x1F", "9223372036854775808",
		"١٢", "\uff11", // digits of other scripts, and full-width ones
	} {
		if value, ok := parseDigits(text); ok {
			t.Errorf("parseDigits(%q) = %d, want it refused", text, value)
		}
	}
}
