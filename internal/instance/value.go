package instance

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/semver"
)

// valueType describes the valid values of a member, and reads them.
type valueType[T any] struct {
	// expected is the valid values in words.
	expected string
	// read returns false for any other value.
	read func(jsontext.Value) (value T, ok bool)
	// nullMeans says why an instance reports null, if that is known.
	nullMeans string
}

const (
	integers        = "an integer from 0 to 9223372036854775807"
	unreadableLimit = "the server could not read this setting as a number"
)

var (
	integerValue = valueType[int64]{expected: integers, read: readInteger}
	// limitValue is a limit in the settings of the server.
	limitValue = valueType[int64]{expected: integers, read: readInteger, nullMeans: unreadableLimit}
	ageValue   = valueType[int64]{
		expected:  integers + ", as a number or a string of decimal digits",
		read:      readAge,
		nullMeans: unreadableLimit,
	}
	booleanValue = valueType[bool]{expected: "true or false", read: readBoolean}
	stringValue  = valueType[string]{expected: "a string", read: readString}
	versionValue = valueType[Version]{
		expected: `a string with a version of three numbers, such as "2.0.0"`,
		read:     readVersion,
	}
	documentValue    = valueType[objectMembers]{expected: "a JSON object", read: readElements[objectMembers]}
	entryValue       = valueType[objectMembers]{expected: "an object", read: readElements[objectMembers]}
	expireTimesValue = valueType[arrayElements]{
		expected: "an array of expiry entries",
		read:     readElements[arrayElements],
	}
)

type (
	objectMembers map[string]jsontext.Value
	arrayElements []jsontext.Value
)

func readInteger(value jsontext.Value) (int64, bool) {
	if value.Kind() != jsontext.KindNumber {
		return 0, false
	}
	return parseNumber(string(value))
}

// readAge reads fileMaxAge, which is documented as a string, but is a number in most current releases.
func readAge(value jsontext.Value) (int64, bool) {
	if digits, ok := readString(value); ok {
		return parseDigits(digits)
	}
	return readInteger(value)
}

func readBoolean(value jsontext.Value) (isTrue, ok bool) {
	isTrue = value.Kind() == jsontext.KindTrue
	return isTrue, isTrue || value.Kind() == jsontext.KindFalse
}

func readString(value jsontext.Value) (string, bool) {
	unquoted, err := jsontext.AppendUnquote(nil, value)
	return string(unquoted), err == nil
}

func readVersion(value jsontext.Value) (Version, bool) {
	reported, _ := readString(value)
	return ParseVersion(reported)
}

// readElements unmarshals an object or an array.
func readElements[T objectMembers | arrayElements](value jsontext.Value) (elements T, ok bool) {
	err := json.Unmarshal(value, &elements, jsontext.AllowDuplicateNames(true)) // validate has refused them
	return elements, err == nil && elements != nil                              // null unmarshals to nil
}

// ParseVersion parses a version (Semantic Versioning 2.0.0) of three int64 numbers. Returns false if invalid.
func ParseVersion(text string) (version Version, ok bool) {
	numbers, _, _ := strings.Cut(text, "+")
	numbers, _, _ = strings.Cut(numbers, "-")
	parts := strings.Split(numbers, ".")
	if len(parts) != 3 || !semver.IsValid("v"+text) { // semver.IsValid also accepts "v2" and "v2.0"
		return Version{}, false
	}
	version.Text = text
	for i, number := range []*int64{&version.Major, &version.Minor, &version.Patch} {
		if *number, ok = parseDigits(parts[i]); !ok {
			return Version{}, false
		}
	}
	return version, true
}

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
