package instance

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// valueType is a type of values in the document.
type valueType[T any] struct {
	// expected describes the valid values to a user.
	expected string
	// read returns false if a value is not valid.
	read func(jsontext.Value) (value T, ok bool)
	// nullMeans says what a null means, if that is known.
	nullMeans string
}

const unreadableSetting = ": the server could not read this setting as a number"

var (
	integerType = valueType[int64]{expected: "a whole number", read: readInteger}
	limitType   = valueType[int64]{expected: "a whole number", read: readInteger, nullMeans: unreadableSetting}
	// ageType is a string in the documentation, but a number in most current releases.
	ageType     = valueType[int64]{expected: "a whole number", read: readAge, nullMeans: unreadableSetting}
	booleanType = valueType[bool]{expected: "true or false", read: readBoolean}
	stringType  = valueType[string]{expected: "a string", read: readString}
	versionType = valueType[Version]{expected: `a version of three numbers, such as "2.0.0"`, read: readVersion}

	documentType = valueType[map[string]jsontext.Value]{expected: "a JSON object", read: unmarshal[map[string]jsontext.Value]}
	entryType    = valueType[map[string]jsontext.Value]{expected: "an object", read: unmarshal[map[string]jsontext.Value]}
	arrayType    = valueType[[]jsontext.Value]{expected: "an array", read: unmarshal[[]jsontext.Value]}
)

func readInteger(value jsontext.Value) (int64, bool) {
	if value.Kind() != jsontext.KindNumber {
		return 0, false
	}
	return parseNumber(string(value))
}

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
	text, _ := readString(value)
	return ParseVersion(text)
}

func unmarshal[T map[string]jsontext.Value | []jsontext.Value](value jsontext.Value) (members T, ok bool) {
	err := json.Unmarshal(value, &members)
	return members, err == nil && members != nil // null unmarshals to nil
}

// Version is a version of the service's API.
type Version struct {
	// Text is the version as reported, including any suffix.
	Text string
	// Major, Minor and Patch are its three numbers.
	Major, Minor, Patch int64
}

var versionForm = regexp.MustCompile(`^(\d+)\.(\d+)\.(\d+)([-+].*)?$`)

// ParseVersion parses a version of three numbers that fit into an int64, with or without a suffix. It returns false for any other
// text.
func ParseVersion(text string) (version Version, ok bool) {
	numbers := versionForm.FindStringSubmatch(text)
	if numbers == nil {
		return Version{}, false
	}
	version.Text = text
	for i, number := range []*int64{&version.Major, &version.Minor, &version.Patch} {
		if *number, ok = parseDigits(numbers[i+1]); !ok {
			return Version{}, false
		}
	}
	return version, true
}

// parseNumber returns the value of a JSON number (RFC 8259, section 6) that is a whole number from 0 to [math.MaxInt64], in
// any notation: 20000000, 20000000.0 or 2e7. It returns false for any other number.
//
// It works on the digits. A float64 is exact only up to 2^53, a big.Float rounds 1e-2147483649 to 0 and takes seconds for a
// million digits, and a big.Rat writes out an exponent of a billion.
func parseNumber(number string) (value int64, ok bool) {
	unsigned, negative := strings.CutPrefix(number, "-")
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(unsigned), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, true
	}
	significant := strings.TrimRight(digits, "0")
	// An exponent beyond 32 bits is out of range, because no document has enough digits to make up for it.
	exponent, err := strconv.ParseInt(cmp.Or(exponentText, "0"), 10, 32)
	zeros := exponent + int64(len(digits)-len(significant)-len(fraction))
	if negative || err != nil || zeros < 0 || zeros > 18 { // 10^19 is beyond int64
		return 0, false
	}
	return parseDigits(significant + strings.Repeat("0", int(zeros)))
}

// parseDigits parses decimal digits as a number from 0 to [math.MaxInt64]. It returns false for anything else, such as a sign.
func parseDigits(text string) (value int64, ok bool) {
	parsed, err := strconv.ParseUint(text, 10, 63)
	return int64(parsed), err == nil
}
