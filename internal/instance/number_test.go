package instance

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestParseNumber(t *testing.T) {
	t.Parallel()

	// Numbers of ordinary size are the seeds of FuzzParseNumber.
	accepted := map[string]int64{
		"-0":                                      0,
		"0.0e99999999999999999999":                0,
		"0e-99999999999999999999":                 0,
		"1" + strings.Repeat("0", 300) + "e-300":  1,
		"0." + strings.Repeat("0", 299) + "7e300": 7,
		"5." + strings.Repeat("0", 1000):          5,
	}
	for number, want := range accepted {
		if value, ok := parseNumber(number); !ok || value != want {
			t.Errorf("parseNumber(%q) = %d, %t, want %d", number, value, ok, want)
		}
	}
	refused := []string{
		"1e2147483647", "1e2147483648", "1e-2147483649", "1e9223372036854775808", "1.5e-9223372036854775808",
		strings.Repeat("9", 1000),
	}
	for _, number := range refused {
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
		"", "+1", "-1", "-0", " 1", "1 ", "1\n", "1\x00", "1 000", "1_000", "1e3", "1.0", "0x1F",
		"9223372036854775808", strings.Repeat("9", 1000),
		"١٢", "\uff11", // digits of other scripts, and full-width ones
	} {
		if value, ok := parseDigits(text); ok {
			t.Errorf("parseDigits(%q) = %d, want it refused", text, value)
		}
	}
}

// jsonNumber is the grammar of RFC 8259, section 6.
var jsonNumber = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]+))?$`)

// FuzzParseNumber compares with exact rational numbers, which are correct and,
// for an exponent of a few hundred, affordable.
func FuzzParseNumber(f *testing.F) {
	for _, number := range []string{
		"0", "-0", "-0.0e-5", "-0e7", "20000000", "20000000.0", "6e10", "6E+10", "6e0010", "7e0", "7e-0", "6e+0010",
		"1.577e10", "1.577e3", "1.577e2", "120e-1", "15e-1", "0.5", "0.001e5", "1.5000e1",
		"-1", "-1.0", "-1e3", "-9223372036854775808", "1e18", "1e19", "1e400", "1e-400",
		"9223372036854775807", "9223372036854775807.0", "9.223372036854775807e18", "92233720368547758070e-1",
		"9.2233720368547758e18", "9223372036854775808", "9223372036854775808.0", "9.223372036854775808e18",
		"9999999999999999999", "9007199254740993.0",
	} {
		f.Add(number)
	}
	f.Fuzz(func(t *testing.T, number string) {
		const maxExponent = 500
		match := jsonNumber.FindStringSubmatch(number)
		if match == nil || len(number) > 1000 {
			t.Skip("not a number that a decoder passes on, or too long")
		}
		if match[1] != "" {
			exponent, err := strconv.Atoi(match[1])
			if err != nil || exponent < -maxExponent || exponent > maxExponent {
				t.Skip("a rational number of that size costs too much")
			}
		}
		exact, ok := new(big.Rat).SetString(number)
		if !ok {
			t.Fatalf("%q is no rational number", number)
		}
		wantOK := exact.IsInt() && exact.Sign() >= 0 && exact.Num().IsInt64()

		got, ok := parseNumber(number)
		if ok != wantOK {
			t.Fatalf("parseNumber(%q) ok = %t, want %t", number, ok, wantOK)
		}
		if ok && got != exact.Num().Int64() {
			t.Errorf("parseNumber(%q) = %d, want %s", number, got, exact.Num())
		}
	})
}
