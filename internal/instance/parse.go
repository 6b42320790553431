package instance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// maxExpireTimes is how many expiry entries a document may have. The service suggests about eight; the bound keeps
// the output of a faulty instance out of a state file.
const maxExpireTimes = 100

// maxDepth is how many objects and arrays may be in each other. Those of an instance document are three.
const maxDepth = 100

var byteOrderMark = []byte("\uFEFF")

// TrimByteOrderMark returns document without a leading byte order mark, which is no part of a JSON text (RFC 8259,
// section 8.1).
func TrimByteOrderMark(document []byte) []byte {
	return bytes.TrimPrefix(document, byteOrderMark)
}

// Parse reads an instance document in any response shape: newer, older or mixed.
//
// Member names match exactly. Units are decided for each expiry entry by the presence of inSeconds, the merge limit by
// its own presence; neither by apiVersion. Members that the guide does not have are ignored.
//
// The error is always a [*DocumentError]; details are never returned together with an error. A text that is not JSON, a
// duplicate member at any depth, and more than 100 levels of objects and arrays are the only fault of their document. In any
// other document, each member of the guide that is missing, null, of another type or out of range is a fault, and so are
// more than 100 entries.
//
// Every text in a [Fault] and a [Warning] is safe to print: one line of printable characters, cut to a bounded length.
// Whatever of it comes from the document (member names, values, labels) goes through redact first, each text as a
// whole, so that no cut can leave a part of a secret. A nil redact changes nothing. The texts in [Details] other than
// its warnings are as delivered.
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

// validate checks that a document is JSON without duplicate members, and not too deep to be read by recursion: a goroutine keeps
// the stack that it once needed. Whoever decodes response_body would lose one of two members, so that a duplicate is a fault even
// where an instance document has no member.
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

// readDetails reads a validated document. Its calls are in the guide's order, which is the order of faults.
func (p *parser) readDetails(document jsontext.Value) *Details {
	fields, ok := elements[map[string]jsontext.Value](document)
	if !ok {
		p.addUnexpected(WholeDocument, "a JSON object", document)
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

// readExpireTimes adds the expiry entries, and warnings about their units, to details.
func (p *parser) readExpireTimes(entries []jsontext.Value, details *Details) {
	if len(entries) > maxExpireTimes {
		p.add("recommendedExpireTimes", fmt.Sprintf("expected at most %d entries, found %d", maxExpireTimes, len(entries)))
		entries = slices.Clone(entries[:maxExpireTimes]) // the others may take much memory
	}
	details.RecommendedExpireTimes = make([]ExpireTime, 0, len(entries))
	var withoutSeconds []Warning
	for i, element := range entries {
		path := fmt.Sprintf("recommendedExpireTimes[%d]", i)
		fields, ok := elements[map[string]jsontext.Value](element)
		if !ok {
			p.addUnexpected(path, "an object", element)
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
			return Warning{kind, fmt.Sprintf("%s (%q): %s%d", path, p.clean(label, textLimit), units, value)}
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

// object is a JSON object of a validated document.
type object struct {
	parser  *parser
	prefix  string // of the paths of its members: "" or "recommendedExpireTimes[3]."
	members map[string]jsontext.Value
}

// required reads a member whose absence is a fault. After a fault the value is zero.
func required[T any](from object, name, expected string, read func(jsontext.Value) (T, bool)) (value T) {
	if _, ok := from.members[name]; !ok {
		from.parser.add(from.prefix+name, "required, but missing")
	} else if delivered := optional(from, name, expected, read); delivered != nil {
		value = *delivered
	}
	return value
}

// optional reads a member that may be absent. After a fault, too, it is nil; a null is a fault.
func optional[T any](from object, name, expected string, read func(jsontext.Value) (T, bool)) *T {
	delivered, ok := from.members[name]
	if !ok {
		return nil
	}
	value, ok := read(delivered)
	if !ok {
		from.parser.addUnexpected(from.prefix+name, expected, delivered)
		return nil
	}
	return &value
}
