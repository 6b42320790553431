package instance

import (
	"cmp"
	"strconv"
	"strings"
)

// parseNumber returns the value of a JSON number (RFC 8259, section 6) that is exactly an integer from 0 to
// math.MaxInt64, in whatever form it is written: 20000000, 20000000.0 and 2e7 are the same. ok is false for any other
// value.
func parseNumber(number string) (value int64, ok bool) {
	// number = sign digits * 10^exponent. A float has only 53 bits, and a rational with an exponent of a billion needs a
	// billion digits.
	unsigned, negative := strings.CutPrefix(number, "-")
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(unsigned), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, true
	}
	significant := strings.TrimRight(digits, "0")
	// 32 bits are enough for every exponent of a value in int64: the mantissa of a document is shorter than 2^31 digits.
	exponent, err := strconv.ParseInt(cmp.Or(exponentText, "0"), 10, 32)
	exponent += int64(len(digits) - len(significant) - len(fraction))
	if negative || err != nil || exponent < 0 || exponent > 18 { // 10^19 is beyond int64
		return 0, false
	}
	return parseDigits(significant + strings.Repeat("0", int(exponent)))
}

// parseDigits returns the value of a text of decimal digits, from 0 to math.MaxInt64. ok is false for any other text: no
// sign, no white space, no exponent.
func parseDigits(text string) (value int64, ok bool) {
	parsed, err := strconv.ParseUint(text, 10, 63)
	return int64(parsed), err == nil
}
