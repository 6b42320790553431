package instance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// maxExpireTimes is the maximum number of expiry options. Instances have about eight; a state has no use for more.
const maxExpireTimes = 100

// maxDepth is the maximum nesting depth. An instance document has three levels.
const maxDepth = 100

var byteOrderMark = []byte("\uFEFF")

// TrimByteOrderMark returns document without a byte order mark, which JSON does not allow (RFC 8259, section 8.1).
func TrimByteOrderMark(document []byte) []byte {
	return bytes.TrimPrefix(document, byteOrderMark)
}

// Parse parses an instance document of any release.
//
// Member names are case-sensitive, and unknown members are ignored. The unit of an expiry option depends on whether it
// has inSeconds, not on apiVersion. Without maxTransfersInMerge, the documented limit of apiVersion applies.
//
// The error is always a [*DocumentError]; the details are then nil. If the document is not a JSON object, has a
// duplicate member at any depth, or is nested more than 100 levels deep, that is its only fault. Otherwise, each
// required member that is missing, each known member that is null, of another type or out of range, and a list of more
// than 100 expiry options is a fault.
//
// The strings in a [Fault] and a [Warning] are safe to print: one line of printable characters, of limited length. The
// parts of the document in them are passed through redact before they are cut, so that no part of a secret remains. If
// it returns "", a fault names only types and known fields. A nil redact changes nothing. All other strings in [Details]
// are as reported.
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

// validate checks that a document is JSON, is at most maxDepth deep, because decoding a value recurses, and has no
// duplicate members, at any depth, because jsondecode(response_body) would drop one of the two.
func (p *parser) validate(document []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(document))
	for {
		if _, err := decoder.ReadToken(); err != nil {
			return p.invalid(err)
		}
		depth := decoder.StackDepth()
		if depth > maxDepth {
			return &DocumentError{Faults: []Fault{{
				Path:    p.path(decoder.StackPointer()),
				Problem: fmt.Sprintf("more than %d levels deep", maxDepth),
			}}}
		}
		if depth == 0 { // the value is complete
			break
		}
	}
	end := decoder.InputOffset()
	switch _, err := decoder.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return p.invalid(err)
	default:
		return notJSON(WholeDocument, fmt.Sprintf("more text after the JSON value, at byte %d", end))
	}
}

// The fields of an instance document, and of an expiry option.
var (
	documentFields = []string{
		"fileMaxSize", "chunkSize", "requirePassword", "apiVersion", "fileMaxAge", "maxTransfersInMerge",
		"recommendedExpireTimes",
	}
	entryFields = []string{"label", "inSeconds", "value"}
)

// readDetails reads a validated document. The members are in the documented order, and so are the faults.
func (p *parser) readDetails(document jsontext.Value) *Details {
	members, ok := readValue(p, WholeDocument, document, documentValue)
	p.faults.HasNoField = !slices.ContainsFunc(documentFields, func(name string) bool { return members[name] != nil })
	if !ok {
		return nil
	}
	root := object{parser: p, members: members}
	details := &Details{
		FileMaxSizeBytes:  required(root, "fileMaxSize", limitValue),
		ChunkSizeBytes:    required(root, "chunkSize", limitValue),
		RequirePassword:   required(root, "requirePassword", booleanValue),
		APIVersion:        required(root, "apiVersion", versionValue),
		FileMaxAgeSeconds: required(root, "fileMaxAge", ageValue),
	}
	details.MaxTransfersInMerge = documentedMergeLimit(details.APIVersion)
	if limit := optional(root, "maxTransfersInMerge", limitValue); limit != nil {
		details.MaxTransfersInMerge = *limit
	}
	p.readExpireTimes(required(root, "recommendedExpireTimes", expireTimesValue), details)
	return details
}

// readExpireTimes sets the expiry options of details, and adds warnings about their units.
func (p *parser) readExpireTimes(entries arrayElements, details *Details) {
	if len(entries) > maxExpireTimes {
		p.add("recommendedExpireTimes",
			fmt.Sprintf("expected at most %d entries, found %d", maxExpireTimes, len(entries)))
		entries = entries[:maxExpireTimes]
	}
	details.RecommendedExpireTimes = make([]ExpireTime, 0, len(entries))
	var withoutSeconds []Warning
	for i, element := range entries {
		path := fmt.Sprintf("recommendedExpireTimes[%d]", i)
		members, ok := readValue(p, path, element, entryValue)
		if !ok {
			continue
		}
		entry := object{parser: p, prefix: path + ".", members: members}
		label := required(entry, "label", stringValue)
		inSeconds := optional(entry, "inSeconds", integerValue)
		value := required(entry, "value", integerValue)
		warning := func(kind WarningKind, numbers string) Warning {
			return Warning{Kind: kind, Entry: fmt.Sprintf("%s (%q): %s", path, p.line(label), numbers)}
		}

		expireTime := ExpireTime{Label: label, InSeconds: value}
		if inSeconds == nil {
			number := strconv.FormatInt(value, 10)
			withoutSeconds = append(withoutSeconds, warning(MixedUnits, number))
			if value < secondsPerMinute {
				details.Warnings = append(details.Warnings, warning(SuspiciouslyShort, number))
			}
		} else {
			expireTime.InSeconds = *inSeconds
			if minutes := expireTime.InMinutes(); minutes != value {
				details.Warnings = append(details.Warnings, warning(ContradictoryUnits, fmt.Sprintf(
					"inSeconds is %d, in whole minutes %d, but value is %d", *inSeconds, minutes, value)))
			}
		}
		details.RecommendedExpireTimes = append(details.RecommendedExpireTimes, expireTime)
	}
	if len(withoutSeconds) < len(details.RecommendedExpireTimes) {
		details.Warnings = append(details.Warnings, withoutSeconds...)
	}
}

// object is a JSON object and its place in the document.
type object struct {
	parser  *parser
	prefix  string // begins the paths of its members: "" or "recommendedExpireTimes[3]."
	members objectMembers
}

// required returns the value of a member. Returns zero and adds a fault if absent or invalid.
func required[T any](from object, name string, as valueType[T]) (value T) {
	if _, ok := from.members[name]; !ok {
		from.parser.add(from.prefix+name, "required, but missing")
	} else if reported := optional(from, name, as); reported != nil {
		value = *reported
	}
	return value
}

// optional returns the value of a member. Returns nil if absent, and adds a fault and returns nil if invalid.
func optional[T any](from object, name string, as valueType[T]) *T {
	if reported, ok := from.members[name]; ok {
		if value, ok := readValue(from.parser, from.prefix+name, reported, as); ok {
			return &value
		}
	}
	return nil
}

// readValue returns a value of a validated document. Adds a fault and returns false if invalid.
func readValue[T any](p *parser, path string, reported jsontext.Value, as valueType[T]) (value T, ok bool) {
	value, ok = as.read(reported)
	if !ok {
		problem := "expected " + as.expected + ", found " + p.describe(reported)
		if reported.Kind() == jsontext.KindNull && as.nullMeans != "" {
			problem += ": " + as.nullMeans
		}
		p.add(path, problem)
	}
	return value, ok
}
