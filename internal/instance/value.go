package instance

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/semver"
)

// What the contract expects of a value, in the words of a message.
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

// age reads fileMaxAge: a string by the contract, a number in most of the current releases (field notes).
func age(value jsontext.Value) (int64, bool) {
	if value.Kind() == jsontext.KindString {
		return parseDigits(unquote(value))
	}
	return integer(value)
}

func boolean(value jsontext.Value) (bool, bool) {
	kind := value.Kind()
	return kind == jsontext.KindTrue, kind == jsontext.KindTrue || kind == jsontext.KindFalse
}

func text(value jsontext.Value) (string, bool) {
	if value.Kind() != jsontext.KindString {
		return "", false
	}
	return unquote(value), true
}

// version reads three numbers that each fit into int64, with or without a suffix (Semantic Versioning 2.0.0).
func version(value jsontext.Value) (Version, bool) {
	delivered, _ := text(value)
	if !semver.IsValid("v" + delivered) {
		return Version{}, false
	}
	numbers, _, _ := strings.Cut(delivered, "+")
	numbers, _, _ = strings.Cut(numbers, "-")
	parts := strings.Split(numbers, ".")
	if len(parts) != 3 { // the library accepts "2" and "2.0" as well
		return Version{}, false
	}
	read := Version{Text: delivered}
	for i, into := range []*int64{&read.Major, &read.Minor, &read.Patch} {
		var ok bool
		if *into, ok = parseDigits(parts[i]); !ok {
			return Version{}, false
		}
	}
	return read, true
}

// unquote returns the text of a JSON string that the decoder has validated.
func unquote(value jsontext.Value) string {
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1])
	}
	// No error to handle: the decoder accepts no string that this refuses.
	text, _ := jsontext.AppendUnquote(nil, value)
	return string(text)
}
