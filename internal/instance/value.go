package instance

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/semver"
)

// Descriptions of valid values, for messages.
const (
	expectedInteger = "an integer from 0 to 9223372036854775807"
	expectedAge     = "an integer from 0 to 9223372036854775807, as a number or a string of decimal digits"
	expectedBoolean = "true or false"
	expectedText    = "a string"
	expectedVersion = `a string with a version of three numbers, such as "2.0.0"`
)

// integer reads a number. Like the functions below, it returns false for any other value.
func integer(value jsontext.Value) (int64, bool) {
	if value.Kind() != jsontext.KindNumber {
		return 0, false
	}
	return parseNumber(string(value))
}

// age reads fileMaxAge, which is documented as a string, but is a number in most current releases.
func age(value jsontext.Value) (int64, bool) {
	if digits, ok := text(value); ok {
		return parseDigits(digits)
	}
	return integer(value)
}

func boolean(value jsontext.Value) (bool, bool) {
	kind := value.Kind()
	return kind == jsontext.KindTrue, kind == jsontext.KindTrue || kind == jsontext.KindFalse
}

func text(value jsontext.Value) (string, bool) {
	unquoted, err := jsontext.AppendUnquote(nil, value)
	return string(unquoted), err == nil
}

func version(value jsontext.Value) (Version, bool) {
	delivered, _ := text(value)
	return ParseVersion(delivered)
}

// ParseVersion parses a version (Semantic Versioning 2.0.0) of three numbers that fit in an int64, with or without a suffix.
// Returns false if invalid.
func ParseVersion(text string) (read Version, ok bool) {
	numbers, _, _ := strings.Cut(text, "+")
	numbers, _, _ = strings.Cut(numbers, "-")
	parts := strings.Split(numbers, ".")
	if len(parts) != 3 || !semver.IsValid("v"+text) { // semver.IsValid also accepts "v2" and "v2.0"
		return Version{}, false
	}
	read.Text = text
	for i, into := range []*int64{&read.Major, &read.Minor, &read.Patch} {
		if *into, ok = parseDigits(parts[i]); !ok {
			return Version{}, false
		}
	}
	return read, true
}

// elements unmarshals an object or an array of a validated document. Returns false for any other value.
func elements[T map[string]jsontext.Value | []jsontext.Value](value jsontext.Value) (read T, ok bool) {
	err := json.Unmarshal(value, &read, jsontext.AllowDuplicateNames(true)) // validate has refused them
	return read, err == nil && read != nil                                  // null unmarshals to nil
}
