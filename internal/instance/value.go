package instance

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/semver"
)

// What is expected of a value, in the words of a message.
const (
	expectedInteger = "an integer from 0 to 9223372036854775807"
	expectedAge     = "an integer from 0 to 9223372036854775807, as a number or a string of decimal digits"
	expectedBoolean = "true or false"
	expectedText    = "a string"
	expectedVersion = `a string with a version of three numbers, such as "2.0.0"`
)

func integer(value jsontext.Value) (int64, bool) {
	if value.Kind() != jsontext.KindNumber {
		return 0, false
	}
	return parseNumber(string(value))
}

// age reads fileMaxAge: a string as documented, a number in most of the current releases.
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

// ParseVersion reads a version of three numbers that each fit into int64, with or without a suffix (Semantic Versioning
// 2.0.0). ok is false for any other text.
func ParseVersion(text string) (read Version, ok bool) {
	numbers, _, _ := strings.Cut(text, "+")
	numbers, _, _ = strings.Cut(numbers, "-")
	parts := strings.Split(numbers, ".")
	if len(parts) != 3 || !semver.IsValid("v"+text) { // which "2" and "2.0" are as well
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

// elements reads an object or an array of a validated document.
func elements[T map[string]jsontext.Value | []jsontext.Value](value jsontext.Value) (read T, ok bool) {
	err := json.Unmarshal(value, &read, jsontext.AllowDuplicateNames(true)) // validate found none
	return read, err == nil && read != nil                                  // null is neither
}
