package instance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// maxExpireTimes is the maximum number of expiry options. Instances have about eight; the limit keeps garbage out of the state.
const maxExpireTimes = 100

// maxDepth is the maximum nesting depth. An instance document has three levels.
const maxDepth = 100

var byteOrderMark = []byte("\uFEFF")

// TrimByteOrderMark returns document without a leading byte order mark, which JSON does not allow (RFC 8259, section 8.1).
func TrimByteOrderMark(document []byte) []byte {
	return bytes.TrimPrefix(document, byteOrderMark)
}

// Parse parses an instance document of any release.
//
// Member names are case-sensitive, and unknown members are ignored. The unit of an expiry option depends on whether it has
// inSeconds, not on apiVersion. Without maxTransfersInMerge, the documented limit of apiVersion applies.
//
// The error is always a [*DocumentError]; the details are then nil. If the document is not a JSON object, has a duplicate member at
// any depth, or is nested more than 100 levels deep, that is its only fault. Otherwise, each required member that is missing, each
// known member that is null, of another type or out of range, and a list of more than 100 expiry options is a fault.
//
// The strings in a [Fault] and a [Warning] are safe to print: one line of printable characters, of limited length. What they repeat
// of the document is passed through redact before it is cut, so that no part of a secret remains. A nil redact changes nothing. All
// other strings in [Details] are as reported.
func Parse(document []byte, redact func(string) string) (*Details, error) {
	if redact == nil {
		redact = func(text string) string { return text }
	}
	document = TrimByteOrderMark(document)
	p := parser{redact: redact}
	if err := p.validate(document); err != nil {
		return nil, err
	}
	details := p.readDetails(bytes.TrimSpace(document))
	if len(p.faults.Faults) > 0 {
		return nil, &p.faults
	}
	return details, nil
}

type parser struct {
	redact func(string) string
	faults DocumentError
}

// validate checks that a document is JSON, has no duplicate members, and is at most maxDepth deep: decoding a value recurses.
// A duplicate in an unknown member is a fault too, because jsondecode(response_body) would drop one of the two.
func (p *parser) validate(document []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(document))
	for first := true; ; first = false {
		complete, end := !first && decoder.StackDepth() == 0, decoder.InputOffset()
		_, err := decoder.ReadToken()
		switch {
		case complete && errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return p.invalid(err)
		case complete:
			return notJSON(WholeDocument, fmt.Sprintf("more text after the JSON value, at byte %d", end))
		case decoder.StackDepth() > maxDepth:
			return &DocumentError{Faults: []Fault{{p.path(decoder.StackPointer()), fmt.Sprintf("more than %d levels deep", maxDepth)}}}
		}
	}
}

// readDetails reads a validated document. It reads the members in the documented order, which is the order of the faults.
func (p *parser) readDetails(document jsontext.Value) *Details {
	fields, ok := elements[map[string]jsontext.Value](document)
	if !ok {
		p.add(WholeDocument, p.unexpected("a JSON object", document))
		return nil
	}
	root := object{parser: p, members: fields}
	details := &Details{
		FileMaxSizeBytes:  required(root, "fileMaxSize", expectedInteger, integer),
		ChunkSizeBytes:    required(root, "chunkSize", expectedInteger, integer),
		RequirePassword:   required(root, "requirePassword", expectedBoolean, boolean),
		APIVersion:        required(root, "apiVersion", expectedVersion, version),
		FileMaxAgeSeconds: required(root, "fileMaxAge", expectedAge, age),
	}
	details.MaxTransfersInMerge = documentedMergeLimit(details.APIVersion)
	if limit := optional(root, "maxTransfersInMerge", expectedInteger, integer); limit != nil {
		details.MaxTransfersInMerge = *limit
	}
	p.readExpireTimes(required(root, "recommendedExpireTimes", "an array of expiry entries", elements[[]jsontext.Value]), details)
	return details
}

// readExpireTimes sets the expiry options of details, and adds warnings about their units.
func (p *parser) readExpireTimes(entries []jsontext.Value, details *Details) {
	if len(entries) > maxExpireTimes {
		p.add("recommendedExpireTimes", fmt.Sprintf("expected at most %d entries, found %d", maxExpireTimes, len(entries)))
		entries = slices.Clone(entries[:maxExpireTimes]) // lets the garbage collector free the others
	}
	details.RecommendedExpireTimes = make([]ExpireTime, 0, len(entries))
	var withoutSeconds []Warning
	for i, element := range entries {
		path := fmt.Sprintf("recommendedExpireTimes[%d]", i)
		fields, ok := elements[map[string]jsontext.Value](element)
		if !ok {
			p.add(path, p.unexpected("an object", element))
			continue
		}
		entry := object{parser: p, prefix: path + ".", members: fields}
		label := required(entry, "label", expectedText, text)
		inSeconds := optional(entry, "inSeconds", expectedInteger, integer)
		value := required(entry, "value", expectedInteger, integer)

		expireTime := ExpireTime{Label: label, InSeconds: value}
		if inSeconds != nil {
			expireTime.InSeconds = *inSeconds
		}
		details.RecommendedExpireTimes = append(details.RecommendedExpireTimes, expireTime)
		about := func(kind WarningKind, units string) Warning {
			return Warning{kind, fmt.Sprintf("%s (%q): %s%d", path, p.line(label, textLimit), units, value)}
		}
		switch {
		case inSeconds == nil:
			withoutSeconds = append(withoutSeconds, about(MixedUnits, ""))
			if value < secondsPerMinute {
				details.Warnings = append(details.Warnings, about(SuspiciouslyShort, ""))
			}
		case value != expireTime.InMinutes():
			details.Warnings = append(details.Warnings, about(ContradictoryUnits,
				fmt.Sprintf("inSeconds is %d, in whole minutes %d, but value is ", *inSeconds, expireTime.InMinutes())))
		}
	}
	if len(withoutSeconds) < len(details.RecommendedExpireTimes) {
		details.Warnings = append(details.Warnings, withoutSeconds...)
	}
}

// object is a JSON object and its place in the document.
type object struct {
	parser  *parser
	prefix  string // begins the paths of its members: "" or "recommendedExpireTimes[3]."
	members map[string]jsontext.Value
}

// required returns the value of a member. Returns zero and adds a fault if absent or invalid.
func required[T any](from object, name, expected string, read func(jsontext.Value) (T, bool)) (value T) {
	if _, ok := from.members[name]; !ok {
		from.parser.add(from.prefix+name, Missing)
	} else if delivered := optional(from, name, expected, read); delivered != nil {
		value = *delivered
	}
	return value
}

// optional returns the value of a member. Returns nil if absent or invalid; an invalid value, such as null, is a fault.
func optional[T any](from object, name, expected string, read func(jsontext.Value) (T, bool)) *T {
	delivered, ok := from.members[name]
	if !ok {
		return nil
	}
	value, ok := read(delivered)
	if !ok {
		problem := from.parser.unexpected(expected, delivered)
		isLimit := from.prefix == "" && (expected == expectedInteger || expected == expectedAge)
		if isLimit && delivered.Kind() == jsontext.KindNull {
			problem += ": the server could not read this setting as a number"
		}
		from.parser.add(from.prefix+name, problem)
		return nil
	}
	return &value
}
