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

	type result struct {
		value int64
		ok    bool
	}
	is := func(value int64) result { return result{value: value, ok: true} }
	refused := result{}

	tests := map[string]struct {
		number string
		want   result
	}{
		"zero":                          {"0", is(0)},
		"negative zero":                 {"-0", is(0)},
		"negative zero, fraction":       {"-0.00", is(0)},
		"negative zero, exponent":       {"-0e7", is(0)},
		"zero, exponent beyond int64":   {"0.0e99999999999999999999", is(0)},
		"zero, exponent below int64":    {"0e-99999999999999999999", is(0)},
		"integer":                       {"20000000", is(20000000)},
		"zero fraction":                 {"20000000.0", is(20000000)},
		"long zero fraction":            {"5." + strings.Repeat("0", 1000), is(5)},
		"exponent":                      {"6e10", is(60000000000)},
		"capital exponent":              {"6E10", is(60000000000)},
		"signed exponent":               {"6e+10", is(60000000000)},
		"exponent with leading zeros":   {"6e0010", is(60000000000)},
		"zero exponent":                 {"7e0", is(7)},
		"negative zero exponent":        {"7e-0", is(7)},
		"fraction and exponent":         {"1.577e10", is(15770000000)},
		"fraction used up":              {"1.577e3", is(1577)},
		"negative exponent":             {"120e-1", is(12)},
		"negative exponent, to one":     {"1" + strings.Repeat("0", 300) + "e-300", is(1)},
		"leading zeros in fraction":     {"0.001e5", is(100)},
		"tiny, scaled up":               {"0." + strings.Repeat("0", 299) + "7e300", is(7)},
		"fraction's zeros do not count": {"1.5000e1", is(15)},
		"largest":                       {"9223372036854775807", is(math.MaxInt64)},
		"largest, zero fraction":        {"9223372036854775807.0", is(math.MaxInt64)},
		"largest, exponent":             {"9.223372036854775807e18", is(math.MaxInt64)},
		"largest, negative exponent":    {"92233720368547758070e-1", is(math.MaxInt64)},
		"largest multiple of ten":       {"9.2233720368547758e18", is(9223372036854775800)},
		"power of ten in range":         {"1e18", is(1e18)},
		"beyond 53 bits":                {"9007199254740993.0", is(9007199254740993)},

		"negative":                        {"-1", refused},
		"negative, fraction":              {"-1.0", refused},
		"negative, exponent":              {"-1e3", refused},
		"smallest":                        {"-9223372036854775808", refused},
		"fraction":                        {"0.5", refused},
		"fraction left over":              {"1.577e2", refused},
		"fraction by exponent":            {"15e-1", refused},
		"smallest fraction":               {"1e-2147483648", refused},
		"fraction, exponent below 32 bit": {"1e-2147483649", refused},
		"one beyond":                      {"9223372036854775808", refused},
		"one beyond, zero fraction":       {"9223372036854775808.0", refused},
		"one beyond, exponent":            {"9.223372036854775808e18", refused},
		"nineteen digits beyond":          {"9999999999999999999", refused},
		"power of ten beyond":             {"1e19", refused},
		"largest exponent of 32 bits":     {"1e2147483647", refused},
		"exponent beyond 32 bits":         {"1e2147483648", refused},
		"largest exponent of 64 bits":     {"1e9223372036854775807", refused},
		"smallest exponent of 64 bits":    {"1.5e-9223372036854775808", refused},
		"exponent beyond 64 bits":         {"1e9223372036854775808", refused},
		"many digits":                     {strings.Repeat("9", 1000), refused},
		"beyond floats":                   {"1e400", refused},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value, ok := parseNumber(test.number)
			if !ok {
				value = 0 // means nothing then
			}
			if got := (result{value, ok}); got != test.want {
				t.Errorf("parseNumber(%q) = %+v, want %+v", test.number, got, test.want)
			}
		})
	}
}

func TestParseDigits(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]int64{
		"0": 0, "2592000": 2592000, strings.Repeat("0", 100) + "7": 7, "9223372036854775807": math.MaxInt64,
	} {
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
		"0", "-0", "-0.0e-5", "20000000", "20000000.0", "1.577e10", "6E+10", "120e-1", "15e-1", "-1", "-9223372036854775808",
		"9223372036854775807", "9223372036854775808", "9.223372036854775807e18", "9.223372036854775808e18",
		"92233720368547758070e-1", "0.001e5", "1e19", "1e400", "1e-400", "1" + strings.Repeat("0", 300) + "e-300",
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
