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
const maxExpireTimes = 1000

var byteOrderMark = []byte("\uFEFF")

// TrimByteOrderMark returns document without a leading byte order mark, which is no part of a JSON text (RFC 8259,
// section 8.1).
func TrimByteOrderMark(document []byte) []byte {
	return bytes.TrimPrefix(document, byteOrderMark)
}

// Parse reads an instance document in any response format: newer, older or mixed.
//
// Member names match exactly. Units are decided for each expiry entry by the presence of inSeconds (contract, "Expiry
// entry", rule 3), the merge limit by its own presence; neither by apiVersion. Members that the contract does not
// have are ignored.
//
// The error is always a [*DocumentError]; details are never returned together with an error. A document that is not
// JSON, a member that is missing, null, duplicate, of another type or out of range, and more than 1,000 entries are
// faults. In a value that the contract does not have, the first duplicate member is listed.
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
	p := parser{
		document: document,
		redact:   redact,
		// The decoder's own check would stop at the first duplicate: see readName.
		decoder: jsontext.NewDecoder(bytes.NewBuffer(document), jsontext.AllowDuplicateNames(true)),
		// Room for the names of the root and of an entry, so that a usual document costs few allocations.
		names: []memberNames{1: {few: make([][]byte, 0, 8)}, 2: {few: make([][]byte, 0, 4)}},
	}
	raw := rawDetails{Details: Details{RecommendedExpireTimes: make([]ExpireTime, 0, 8)}}
	if err := p.readDocument(&raw); err != nil {
		p.addSyntaxFault(err)
	}
	if len(p.faults.Faults) > 0 {
		faults := p.faults // a copy: a pointer into the parser would keep the whole document in memory
		return nil, &faults
	}
	switch {
	case raw.maxTransfersInMerge != nil:
		raw.MaxTransfersInMerge = *raw.maxTransfersInMerge
	case raw.APIVersion.Major >= 2: // a pre-release of 2.0.0 counts as 2.0.0
		raw.MaxTransfersInMerge = maxTransfersInMergeFrom2
	default:
		raw.MaxTransfersInMerge = maxTransfersInMergeBefore2
	}
	return &raw.Details, nil
}

// rawDetails are Details before defaults replace what the document does not have.
type rawDetails struct {
	Details
	maxTransfersInMerge *int64
}

var documentFields = []field[rawDetails]{
	required("fileMaxSize", expectedInteger, integer, func(d *rawDetails) *int64 { return &d.FileMaxSizeBytes }),
	required("chunkSize", expectedInteger, integer, func(d *rawDetails) *int64 { return &d.ChunkSizeBytes }),
	required("requirePassword", expectedBoolean, boolean, func(d *rawDetails) *bool { return &d.RequirePassword }),
	required("apiVersion", expectedVersion, version, func(d *rawDetails) *Version { return &d.APIVersion }),
	required("fileMaxAge", expectedAge, age, func(d *rawDetails) *int64 { return &d.FileMaxAgeSeconds }),
	optional("maxTransfersInMerge", expectedInteger, integer, func(d *rawDetails) **int64 { return &d.maxTransfersInMerge }),
	{name: "recommendedExpireTimes", read: readExpireTimes},
}

// rawEntry is an expiry entry as delivered, before its units are decided.
type rawEntry struct {
	label     string
	inSeconds *int64
	value     int64
}

var entryFields = []field[rawEntry]{
	required("label", expectedText, text, func(e *rawEntry) *string { return &e.label }),
	optional("inSeconds", expectedInteger, integer, func(e *rawEntry) **int64 { return &e.inSeconds }),
	required("value", expectedInteger, integer, func(e *rawEntry) *int64 { return &e.value }),
}

// field is a member of an object that the contract has. read consumes the member's value; its error is the decoder's,
// while a fault is added to the parser.
type field[T any] struct {
	name     string
	optional bool
	read     func(p *parser, into *T) error
}

// required is a field whose absence is a fault. at tells where its value goes.
func required[T, V any](name, expected string, parse func(jsontext.Value) (V, bool), at func(*T) *V) field[T] {
	return field[T]{name: name, read: func(p *parser, into *T) error {
		return readValue(p, at(into), expected, parse)
	}}
}

// optional is a field that may be absent, which leaves the pointer nil. A null is a fault all the same.
func optional[T, V any](name, expected string, parse func(jsontext.Value) (V, bool), at func(*T) **V) field[T] {
	parsePointer := func(value jsontext.Value) (*V, bool) {
		parsed, ok := parse(value)
		return &parsed, ok
	}
	f := required(name, expected, parsePointer, at)
	f.optional = true
	return f
}

type parser struct {
	document []byte
	decoder  *jsontext.Decoder
	redact   func(string) string
	faults   DocumentError
	// names has the member names of the objects that are being read, by their depth.
	names []memberNames
}

func (p *parser) readDocument(raw *rawDetails) error {
	if err := readObject(p, "a JSON object", documentFields, raw); err != nil {
		return err
	}
	// What follows counts even if the root is wrong anyway: the number in "404 page not found" is valid JSON, the text
	// is not.
	end := p.decoder.InputOffset()
	_, err := p.decoder.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		p.faults.addCause(Fault{WholeDocument, fmt.Sprintf("more text after the JSON value, at byte %d", end)})
	}
	return err
}

// readExpireTimes reads recommendedExpireTimes.
func readExpireTimes(p *parser, raw *rawDetails) error {
	if ok, err := p.begin(jsontext.KindBeginArray, "an array of expiry entries"); !ok {
		return err
	}
	var entry rawEntry // one for all entries, which saves an allocation for each
	count := 0
	for ; p.decoder.PeekKind() != jsontext.KindEndArray; count++ {
		var err error
		if count < maxExpireTimes {
			err = p.readExpireTime(&entry, &raw.Details)
		} else {
			err = p.decoder.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	_, err := p.decoder.ReadToken()
	if err == nil && count > maxExpireTimes {
		p.addFault(fmt.Sprintf("expected at most %d entries, found %d", maxExpireTimes, count))
	}
	return err
}

// readExpireTime reads one expiry entry and decides its units.
func (p *parser) readExpireTime(raw *rawEntry, details *Details) error {
	*raw = rawEntry{}
	if err := readObject(p, "an object", entryFields, raw); err != nil {
		return err
	}
	entry := ExpireTime{Label: raw.label, InSeconds: raw.value}
	var doubt WarningKind
	switch {
	case raw.inSeconds != nil:
		entry.InSeconds = *raw.inSeconds
		if raw.value != entry.InMinutes() {
			doubt = ContradictoryUnits
		}
	case raw.value < secondsPerMinute:
		doubt = SuspiciouslyShort
	}
	details.RecommendedExpireTimes = append(details.RecommendedExpireTimes, entry)
	if doubt != 0 && len(p.faults.Faults) == 0 { // after a fault there are no details to warn about
		details.Warnings = append(details.Warnings, Warning{
			Kind: doubt, Path: p.path(p.decoder.StackPointer()), Label: p.safe(raw.label, textLimit),
			Value: raw.value, InSeconds: entry.InSeconds,
		})
	}
	return nil
}

// readObject reads the value that comes next, which has to be an object, into a T.
func readObject[T any](p *parser, expected string, fields []field[T], into *T) error {
	if ok, err := p.begin(jsontext.KindBeginObject, expected); !ok {
		return err
	}
	depth := p.decoder.StackDepth()
	for p.decoder.PeekKind() != jsontext.KindEndObject {
		name, isNew, err := p.readName()
		if err != nil {
			return err
		}
		known := slices.IndexFunc(fields, func(f field[T]) bool { return f.name == string(name) })
		switch {
		case !isNew:
			p.addFault(duplicate)
			err = p.decoder.SkipValue()
		case known >= 0:
			err = fields[known].read(p, into)
		default:
			err = p.skipUnknown()
		}
		if err != nil {
			return err
		}
	}
	_, err := p.decoder.ReadToken()
	for _, field := range fields {
		if !field.optional && !p.names[depth].has([]byte(field.name)) {
			p.addMissing(field.name)
		}
	}
	return err
}

// skipUnknown skips the value of a member that the contract does not have. A duplicate member at any depth in it is a
// fault all the same: response_body contains the value, and whoever decodes it would lose one of the two.
//
// Only the first duplicate is a fault, so that the paths of all faults together are no longer than the document. A loop
// instead of a recursion, because a hostile document can be nested 10,000 levels deep.
func (p *parser) skipUnknown() error {
	depth, found := p.decoder.StackDepth(), false
	for {
		var err error
		switch {
		case !found && p.decoder.PeekKind() == jsontext.KindBeginObject:
			_, err = p.begin(jsontext.KindBeginObject, "an object")
		case !found && p.atName():
			var isNew bool
			if _, isNew, err = p.readName(); err == nil && !isNew {
				p.addFault(duplicate)
				found = true
			}
		default:
			_, err = p.decoder.ReadToken()
		}
		if err != nil || p.decoder.StackDepth() == depth {
			return err
		}
	}
}

// begin reads the start of an object or an array. If another value comes next, ok is false, and the value is skipped
// and a fault.
func (p *parser) begin(kind jsontext.Kind, expected string) (ok bool, err error) {
	if p.decoder.PeekKind() != kind {
		value, err := p.decoder.ReadValue()
		if err == nil {
			p.addUnexpected(expected, value)
		}
		return false, err
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return false, err
	}
	// The slices of an earlier object at this depth are used again: a document may have very many small objects.
	depth := p.decoder.StackDepth()
	for len(p.names) <= depth {
		p.names = append(p.names, memberNames{})
	}
	p.names[depth] = memberNames{few: p.names[depth].few[:0]}
	return true, nil
}

// atName reports whether a member name comes next.
func (p *parser) atName() bool {
	kind, length := p.decoder.StackIndex(p.decoder.StackDepth())
	return kind == jsontext.KindBeginObject && length%2 == 0 && p.decoder.PeekKind() == jsontext.KindString
}

// readName reads a member's name, and reports whether the object did not have it before. This is the one place where
// duplicates are noticed.
func (p *parser) readName() (name []byte, isNew bool, err error) {
	quoted, err := p.decoder.ReadValue()
	if err != nil {
		return nil, false, err
	}
	// A part of the document, because the decoder's slice is valid only until its next read.
	end := int(p.decoder.InputOffset())
	name = p.document[end-len(quoted)+1 : end-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(unquote(quoted))
	}
	return name, p.names[p.decoder.StackDepth()].add(name), nil
}

// readValue reads the value that comes next into a V. If parse refuses it, it is a fault and into is not changed.
func readValue[V any](p *parser, into *V, expected string, parse func(jsontext.Value) (V, bool)) error {
	value, err := p.decoder.ReadValue()
	if err != nil {
		return err
	}
	if parsed, ok := parse(value); ok {
		*into = parsed
	} else {
		p.addUnexpected(expected, value)
	}
	return nil
}
