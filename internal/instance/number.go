package instance

import (
	"cmp"
	"strconv"
	"strings"
)

// parseNumber returns the value of a JSON number (RFC 8259, section 6) that is an integer from 0 to math.MaxInt64, in
// any notation: 20000000, 20000000.0 or 2e7. Returns false otherwise.
func parseNumber(number string) (value int64, ok bool) {
	// Work on the digits: a float64 is exact only up to 2^53, and a big.Rat writes out an exponent of a billion.
	unsigned, negative := strings.CutPrefix(number, "-")
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(unsigned), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, true
	}
	significant := strings.TrimRight(digits, "0")
	// An exponent beyond 32 bits is out of range: no document has enough digits to make up for it.
	exponent, err := strconv.ParseInt(cmp.Or(exponentText, "0"), 10, 32)
	exponent += int64(len(digits) - len(significant) - len(fraction))
	if negative || err != nil || exponent < 0 || exponent > 18 { // 10^19 is beyond int64
		return 0, false
	}
	return parseDigits(significant + strings.Repeat("0", int(exponent)))
}

// parseDigits parses decimal digits as an integer from 0 to math.MaxInt64. Returns false for all else, such as a sign.
func parseDigits(text string) (value int64, ok bool) {
	parsed, err := strconv.ParseUint(text, 10, 63)
	return int64(parsed), err == nil
}
