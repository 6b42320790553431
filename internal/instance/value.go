package instance

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// valueType is a type of values in the document.
type valueType[T any] struct {
	// expected describes the valid values to a user.
	expected string
	// read returns an error if a value is not valid: [strconv.ErrRange] if it is only too large.
	read func(jsontext.Value) (T, error)
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

var errInvalid = errors.New("not a valid value")

func readInteger(value jsontext.Value) (int64, error) {
	if value.Kind() != jsontext.KindNumber {
		return 0, errInvalid
	}
	return parseNumber(string(value))
}

func readAge(value jsontext.Value) (int64, error) {
	if digits, err := readString(value); err == nil {
		return parseDigits(digits)
	}
	return readInteger(value)
}

func readBoolean(value jsontext.Value) (bool, error) {
	switch value.Kind() {
	case jsontext.KindTrue:
		return true, nil
	case jsontext.KindFalse:
		return false, nil
	default:
		return false, errInvalid
	}
}

func readString(value jsontext.Value) (string, error) {
	unquoted, err := jsontext.AppendUnquote(nil, value)
	return string(unquoted), err
}

func readVersion(value jsontext.Value) (Version, error) {
	text, _ := readString(value)
	if version, ok := ParseVersion(text); ok {
		return version, nil
	}
	return Version{}, errInvalid
}

func unmarshal[T map[string]jsontext.Value | []jsontext.Value](value jsontext.Value) (members T, err error) {
	err = json.Unmarshal(value, &members)
	if members == nil { // also after a null
		return nil, errInvalid
	}
	return members, err
}

// parseNumber returns the value of a JSON number (RFC 8259, section 6) that is a whole number from 0 to [math.MaxInt64], in any notation:
// 20000000, 20000000.0 or 2e7. The error is [strconv.ErrRange] for a whole number that is larger.
//
// It works on the digits. A float64 is exact only up to 2^53, a big.Float rounds 1e-2147483649 to 0 and takes seconds for a million digits,
// and a big.Rat writes out an exponent of a billion.
func parseNumber(number string) (int64, error) {
	unsigned, negative := strings.CutPrefix(number, "-")
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(unsigned), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, nil
	}
	significant := strings.TrimRight(digits, "0")
	// An exponent beyond 32 bits becomes the largest of its sign. No document has enough digits to make up for that.
	exponent, _ := strconv.ParseInt(cmp.Or(exponentText, "0"), 10, 32)
	zeros := exponent + int64(len(digits)-len(significant)-len(fraction))
	switch {
	case negative || zeros < 0:
		return 0, errInvalid
	case zeros > 18: // 10^19 is beyond int64
		return 0, strconv.ErrRange
	default:
		return parseDigits(significant + strings.Repeat("0", int(zeros)))
	}
}

// parseDigits parses decimal digits as a number from 0 to [math.MaxInt64]. It refuses anything else, such as a sign. The error is
// [strconv.ErrRange] for a number that is larger.
func parseDigits(text string) (int64, error) {
	parsed, err := strconv.ParseUint(text, 10, 63)
	return int64(parsed), err
}
