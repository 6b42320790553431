package instance

import (
	"math"
	"strconv"
	"strings"
)

// parseNumber returns the value of a JSON number (RFC 8259, section 6) that is exactly an integer from 0 to
// math.MaxInt64, in whatever form it is written: 20000000, 20000000.0 and 2e7 are the same. ok is false for any other
// value.
func parseNumber(number string) (value int64, ok bool) {
	if value, err := strconv.ParseInt(number, 10, 64); err == nil {
		return value, value >= 0
	}

	// number = sign digits * 10^exponent. A float has only 53 bits, and a rational with an exponent of a billion needs a
	// billion digits.
	unsigned, negative := strings.CutPrefix(number, "-")
	mantissa, exponentText, scaled := strings.Cut(strings.ToLower(unsigned), "e")
	if !scaled {
		exponentText = "0"
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, true
	}
	if negative {
		return 0, false
	}
	// 32 bits are enough for every exponent of a value in int64: the mantissa of a document is shorter than 2^31 digits.
	exponent, err := strconv.ParseInt(exponentText, 10, 32)
	if err != nil {
		return 0, false
	}
	significant := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(significant) - len(fraction))
	value, err = strconv.ParseInt(significant, 10, 64)
	if err != nil || exponent < 0 {
		return 0, false
	}
	for ; exponent > 0; exponent-- { // at most 18 times, as value is not 0
		if value > math.MaxInt64/10 {
			return 0, false
		}
		value *= 10
	}
	return value, true
}

// parseDigits returns the value of a text of decimal digits, from 0 to math.MaxInt64. ok is false for any other text: no
// sign, no white space, no exponent.
func parseDigits(text string) (value int64, ok bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	value, err := strconv.ParseInt(text, 10, 64)
	return value, err == nil
}
