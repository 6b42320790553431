package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// A parse function returns a JSON value as a Go value, or an error that says what was expected and what kind of value
// was found, without text of the document.
var (
	parseBoolean = parseAs[bool]("true or false")
	parseString  = parseAs[string]("a string")
	parseArray   = parseAs[[]json.RawMessage]("an array")
	parseObject  = parseAs[map[string]json.RawMessage]("a JSON object")
)

// parseAs returns a parse function that refuses null, which [json.Unmarshal] accepts for every type.
func parseAs[T any](expected string) func(json.RawMessage) (T, error) {
	return func(raw json.RawMessage) (value T, err error) {
		var pointer *T
		if err := json.Unmarshal(raw, &pointer); err != nil || pointer == nil {
			return value, unexpected(raw, expected)
		}
		return *pointer, nil
	}
}

func parseVersion(raw json.RawMessage) (string, error) {
	version, err := parseString(raw)
	if err != nil || !ValidVersion(version) {
		return "", unexpected(raw, `a version of three numbers, such as "2.0.0"`)
	}
	return version, nil
}

// parseWholeNumber parses a JSON number from 0 to [math.MaxInt64] that has neither a fraction nor an exponent.
func parseWholeNumber(raw json.RawMessage) (int64, error) {
	return parseDigits(raw, string(raw))
}

// parseLimit parses a number that the server takes from its settings. It reports null for a setting that is not a
// number.
func parseLimit(raw json.RawMessage) (int64, error) {
	limit, err := parseWholeNumber(raw)
	if string(raw) == "null" {
		err = fmt.Errorf("%w: the server could not read this setting as a number", err)
	}
	return limit, err
}

// parseAge parses a limit that is a string of digits in the documentation, but a number in most current releases.
func parseAge(raw json.RawMessage) (int64, error) {
	if digits, err := parseString(raw); err == nil {
		return parseDigits(raw, digits)
	}
	return parseLimit(raw)
}

// parseDigits parses the decimal digits that raw consists of or contains.
func parseDigits(raw json.RawMessage, digits string) (int64, error) {
	number, err := strconv.ParseUint(digits, 10, 63) // unlike ParseInt, it refuses a sign
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, unexpected(raw, fmt.Sprintf("a whole number from 0 to %d", int64(math.MaxInt64)))
	case err != nil:
		return 0, unexpected(raw, "a whole number from 0")
	default:
		return int64(number), nil
	}
}

func unexpected(raw json.RawMessage, expected string) error {
	return fmt.Errorf("expected %s, found %s", expected, kind(raw))
}

// kind returns the kind of a JSON value in words.
func kind(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 'n', 't', 'f':
		return string(raw) // null, true or false
	default:
		return "a number"
	}
}
