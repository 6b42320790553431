package instance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/semver"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// maxExpireTimes is how many expiry entries a document may have. The service
// suggests about eight; the bound keeps a faulty instance out of a state file.
const maxExpireTimes = 1000

// foundLimit is how many characters of a value or a name an error repeats.
const foundLimit = 60

// reasonLimit is how many characters of the decoder's own words an error
// repeats: enough for every one of them, which say last what they expected.
const reasonLimit = 120

// What the contract has at a place, in the words of an error.
const (
	expectedInteger = "an integer from 0 to 9223372036854775807"
	expectedAge     = "an integer from 0 to 9223372036854775807, or a string that holds one in decimal digits"
	expectedVersion = `a string with a version of three numbers, such as "2.0.0"`
	expectedJSON    = "valid JSON in UTF-8"
)

// WholeDocument is the path of faults that have no narrower place.
const WholeDocument = "the document"

var byteOrderMark = []byte("\uFEFF")

// TrimByteOrderMark returns document without a leading byte order mark, which
// is no part of a JSON text (RFC 8259, section 8.1).
func TrimByteOrderMark(document []byte) []byte {
	return bytes.TrimPrefix(document, byteOrderMark)
}

// Parse reads an instance document of any shape: newer, older or mixed.
//
// Member names match exactly. Units are decided for each expiry entry by the
// presence of inSeconds (contract, "Expiry entry", rule 3), the merge limit by
// its own presence; neither by apiVersion. Members that the contract does not
// have are ignored.
//
// The error is always a [*DocumentError] that lists every fault; details are
// never returned together with an error. A document that is not JSON, a member
// that is missing, null, duplicate, of another type or out of range, and more
// than 1,000 entries are faults.
func Parse(document []byte, _ func(string) string) (*Details, error) {
	// The decoder's own duplicate check would stop at the first duplicate;
	// ours is in readObject, where reading can go on.
	decoder := jsontext.NewDecoder(bytes.NewBuffer(TrimByteOrderMark(document)), jsontext.AllowDuplicateNames(true))
	p := parser{decoder: decoder, entry: noEntry}

	details := Details{MaxTransfersInMerge: notDelivered, RecommendedExpireTimes: []ExpireTime{}}
	if err := p.readDocument(&details); err != nil {
		p.addSyntaxFault(err)
	}
	if len(p.faults.Faults) > 0 {
		return nil, &p.faults
	}
	if details.MaxTransfersInMerge == notDelivered {
		details.MaxTransfersInMerge = documentedMaxTransfers(details.APIVersion)
	}
	return &details, nil
}

// notDelivered marks an optional quantity that the document does not have;
// quantities that it has are never negative.
const notDelivered = -1

// documentedMaxTransfers is the merge limit of a version's instances where
// they do not deliver it. A pre-release counts as its release.
func documentedMaxTransfers(version Version) int64 {
	if version.Major >= 2 {
		return maxTransfersInMergeFrom2
	}
	return maxTransfersInMergeBefore2
}

// noEntry is parser.entry outside of the expiry entries.
const noEntry = -1

type parser struct {
	decoder *jsontext.Decoder
	entry   int // index of the expiry entry that is being read
	faults  DocumentError
}

// field is one member that the contract knows of an object. read consumes the
// member's value; its error is the decoder's, a fault is added to the parser.
type field[T any] struct {
	name     string
	optional bool
	read     func(p *parser, name string, into *T) error
}

var documentFields = []field[Details]{
	{name: "fileMaxSize", read: func(p *parser, name string, d *Details) error {
		return p.readInteger(name, &d.FileMaxSizeBytes)
	}},
	{name: "chunkSize", read: func(p *parser, name string, d *Details) error {
		return p.readInteger(name, &d.ChunkSizeBytes)
	}},
	{name: "requirePassword", read: func(p *parser, name string, d *Details) error {
		return p.readBool(name, &d.RequirePassword)
	}},
	{name: "apiVersion", read: func(p *parser, name string, d *Details) error {
		return p.readVersion(name, &d.APIVersion)
	}},
	{name: "fileMaxAge", read: func(p *parser, name string, d *Details) error {
		return p.readAge(name, &d.FileMaxAgeSeconds)
	}},
	{name: "maxTransfersInMerge", optional: true, read: func(p *parser, name string, d *Details) error {
		return p.readInteger(name, &d.MaxTransfersInMerge)
	}},
	{name: "recommendedExpireTimes", read: func(p *parser, name string, d *Details) error {
		return p.readExpireTimes(name, d)
	}},
}

// rawEntry is an expiry entry as delivered, before its units are decided.
type rawEntry struct {
	label            string
	inSeconds, value int64
}

var entryFields = []field[rawEntry]{
	{name: "label", read: func(p *parser, name string, e *rawEntry) error {
		return p.readString(name, &e.label)
	}},
	{name: "inSeconds", optional: true, read: func(p *parser, name string, e *rawEntry) error {
		return p.readInteger(name, &e.inSeconds)
	}},
	{name: "value", read: func(p *parser, name string, e *rawEntry) error {
		return p.readInteger(name, &e.value)
	}},
}

func (p *parser) readDocument(details *Details) error {
	if err := p.readRoot(details); err != nil {
		return err
	}
	// What follows counts even if the root is wrong anyway: the number in
	// "404 page not found" is valid JSON, the text is not.
	end := p.decoder.InputOffset()
	_, err := p.decoder.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		p.faults.makeRoom()
		p.addFault("", "nothing after the JSON value", "more text after byte "+strconv.FormatInt(end, 10))
		p.faults.NotJSON = true
	}
	return err
}

func (p *parser) readRoot(details *Details) error {
	if p.decoder.PeekKind() != jsontext.KindBeginObject {
		return p.readUnexpected("", "a JSON object")
	}
	return readObject(p, documentFields, details)
}

// readObject reads the object that comes next into a T, and adds a fault for
// every duplicate and every missing member.
func readObject[T any](p *parser, fields []field[T], into *T) error {
	if _, err := p.decoder.ReadToken(); err != nil {
		return err
	}
	var seen uint // bit i: fields[i]
	var unknown map[string]struct{}
	for p.decoder.PeekKind() != jsontext.KindEndObject {
		name, err := p.readName()
		if err != nil {
			return err
		}
		known := indexOf(fields, name)
		switch {
		case known >= 0 && seen&(1<<known) == 0:
			seen |= 1 << known
			err = fields[known].read(p, fields[known].name, into)
		case known >= 0:
			err = p.skipDuplicate(string(name))
		default:
			key := string(name)
			if _, duplicate := unknown[key]; duplicate {
				err = p.skipDuplicate(key)
				break
			}
			if unknown == nil {
				unknown = make(map[string]struct{})
			}
			unknown[key] = struct{}{}
			err = p.skipUnknown(key)
		}
		if err != nil {
			return err
		}
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return err
	}
	for i := range fields {
		if !fields[i].optional && seen&(1<<i) == 0 {
			p.addFault(fields[i].name, "this field, which the contract requires", "nothing: the field is missing")
		}
	}
	return nil
}

func indexOf[T any](fields []field[T], name []byte) int {
	for i := range fields {
		if fields[i].name == string(name) {
			return i
		}
	}
	return -1
}

// readName reads a member's name. The result is valid until the next read.
func (p *parser) readName() ([]byte, error) {
	quoted, err := p.decoder.ReadValue()
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], nil
	}
	return jsontext.AppendUnquote(nil, quoted)
}

func (p *parser) skipDuplicate(name string) error {
	p.addFault(name, "this field once", "it again")
	return p.decoder.SkipValue()
}

// skipUnknown skips the value of a member that the contract does not have. A
// duplicate member in its depth is a fault all the same: response_body holds
// the value, and a reader of that would lose one of the two.
func (p *parser) skipUnknown(name string) error {
	value, err := p.decoder.ReadValue()
	if err != nil {
		return err
	}
	if kind := value.Kind(); kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray {
		return nil
	}
	_, err = jsontext.NewDecoder(bytes.NewBuffer(value)).ReadValue()
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
		p.addFault(name+dotted(syntactic.JSONPointer), "this field once", "it again")
	}
	return nil
}

func (p *parser) readInteger(name string, into *int64) error {
	value, err := p.decoder.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() == jsontext.KindNumber {
		if n, ok := parseNumber(string(value)); ok {
			*into = n
			return nil
		}
	}
	p.addFault(name, expectedInteger, describe(value))
	return nil
}

// readAge reads fileMaxAge: a string by the contract, a number in most of the
// current releases (field notes).
func (p *parser) readAge(name string, into *int64) error {
	value, err := p.decoder.ReadValue()
	if err != nil {
		return err
	}
	var n int64
	ok := false
	switch value.Kind() {
	case jsontext.KindNumber:
		n, ok = parseNumber(string(value))
	case jsontext.KindString:
		n, ok = parseDigits(unquote(value))
	}
	if !ok {
		p.addFault(name, expectedAge, describe(value))
		return nil
	}
	*into = n
	return nil
}

func (p *parser) readBool(name string, into *bool) error {
	value, err := p.decoder.ReadValue()
	if err != nil {
		return err
	}
	switch value.Kind() {
	case jsontext.KindTrue:
		*into = true
	case jsontext.KindFalse:
		*into = false
	default:
		p.addFault(name, "true or false", describe(value))
	}
	return nil
}

func (p *parser) readString(name string, into *string) error {
	value, err := p.decoder.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() != jsontext.KindString {
		p.addFault(name, "a string", describe(value))
		return nil
	}
	*into = unquote(value)
	return nil
}

func (p *parser) readVersion(name string, into *Version) error {
	value, err := p.decoder.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() != jsontext.KindString {
		p.addFault(name, expectedVersion, describe(value))
		return nil
	}
	version, ok := parseVersion(unquote(value))
	if !ok {
		p.addFault(name, expectedVersion, describe(value))
		return nil
	}
	*into = version
	return nil
}

// parseVersion reads a version of three numbers, with or without a suffix
// (Semantic Versioning 2.0.0). Each number fits into int64.
func parseVersion(text string) (version Version, ok bool) {
	if !semver.IsValid("v" + text) {
		return Version{}, false
	}
	numbers, _, _ := strings.Cut(text, "+")
	numbers, _, _ = strings.Cut(numbers, "-")
	parts := strings.Split(numbers, ".")
	if len(parts) != 3 { // the library takes "2" and "2.0" as well
		return Version{}, false
	}
	version.Text = text
	for i, into := range []*int64{&version.Major, &version.Minor, &version.Patch} {
		number, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil {
			return Version{}, false
		}
		*into = number
	}
	return version, true
}

func (p *parser) readExpireTimes(name string, details *Details) error {
	const expected = "an array of expiry entries"
	if p.decoder.PeekKind() != jsontext.KindBeginArray {
		return p.readUnexpected(name, expected)
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return err
	}
	count := 0
	for ; p.decoder.PeekKind() != jsontext.KindEndArray; count++ {
		var err error
		if count < maxExpireTimes {
			err = p.readExpireTime(count, details)
		} else {
			err = p.decoder.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	if count > maxExpireTimes {
		p.addFault(name, fmt.Sprintf("at most %d entries", maxExpireTimes), fmt.Sprintf("%d", count))
	}
	_, err := p.decoder.ReadToken()
	return err
}

// readExpireTime reads one expiry entry and decides its units.
func (p *parser) readExpireTime(index int, details *Details) error {
	p.entry = index
	defer func() { p.entry = noEntry }()

	if p.decoder.PeekKind() != jsontext.KindBeginObject {
		return p.readUnexpected("", "an object")
	}
	entry := rawEntry{inSeconds: notDelivered}
	if err := readObject(p, entryFields, &entry); err != nil {
		return err
	}

	time := ExpireTime{Label: entry.label, InSeconds: entry.inSeconds}
	var doubt WarningKind
	switch {
	case entry.inSeconds == notDelivered:
		time.InSeconds = entry.value
		if entry.value < secondsPerMinute {
			doubt = SuspiciouslyShort
		}
	case entry.value != time.InMinutes():
		doubt = ContradictoryUnits
	}
	if doubt != 0 {
		details.Warnings = append(details.Warnings, Warning{
			Kind: doubt, Path: p.path(""), Label: entry.label, Value: entry.value, InSeconds: time.InSeconds,
		})
	}
	details.RecommendedExpireTimes = append(details.RecommendedExpireTimes, time)
	return nil
}

// readUnexpected reads a value that has the wrong type and adds the fault.
func (p *parser) readUnexpected(name, expected string) error {
	value, err := p.decoder.ReadValue()
	if err != nil {
		return err
	}
	p.addFault(name, expected, describe(value))
	return nil
}

func (p *parser) addFault(name, expected, found string) {
	p.faults.add(Fault{Path: p.path(name), Expected: expected, Found: found})
}

func (p *parser) addSyntaxFault(err error) {
	p.faults.NotJSON = true
	p.faults.makeRoom() // this fault is the cause: it is listed whatever else is
	fault := Fault{Path: WholeDocument, Expected: expectedJSON, Found: safetext.Clean(err.Error(), reasonLimit)}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if place := strings.TrimPrefix(dotted(syntactic.JSONPointer), "."); place != "" {
			fault.Path = place
		}
		found := syntactic.Err.Error()
		if errors.Is(err, io.ErrUnexpectedEOF) {
			found = "the end of the document"
		}
		fault.Found = safetext.Clean(found, reasonLimit) + " at byte " + strconv.FormatInt(syntactic.ByteOffset, 10)
	} else if errors.Is(err, io.EOF) {
		fault.Found = "an empty document"
	}
	p.faults.add(fault)
}

// path is where a member of the object that is being read stands, or that
// object itself.
func (p *parser) path(name string) string {
	name = safetext.Clean(name, foundLimit)
	switch {
	case p.entry == noEntry && name == "":
		return WholeDocument
	case p.entry == noEntry:
		return name
	case name == "":
		return fmt.Sprintf("recommendedExpireTimes[%d]", p.entry)
	default:
		return fmt.Sprintf("recommendedExpireTimes[%d].%s", p.entry, name)
	}
}

// dotted turns a JSON pointer into the notation of our paths: ".a[3].b".
func dotted(pointer jsontext.Pointer) string {
	var path strings.Builder
	for token := range pointer.Tokens() {
		if _, err := strconv.ParseUint(token, 10, 64); err == nil {
			path.WriteString("[" + token + "]")
		} else {
			path.WriteString("." + token)
		}
		if path.Len() > foundLimit {
			break
		}
	}
	return safetext.Clean(path.String(), foundLimit)
}

// describe says what a value is, in words that are safe to print.
func describe(value jsontext.Value) string {
	switch value.Kind() {
	case jsontext.KindNull:
		return "null"
	case jsontext.KindString:
		// Quoted before it is cleaned: a line break at the end may be the fault,
		// and must not vanish from the error.
		return "the string " + safetext.Clean(strconv.Quote(unquote(value)), foundLimit)
	case jsontext.KindNumber:
		return "the number " + safetext.Clean(string(value), foundLimit)
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "an array"
	default:
		return string(value)
	}
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
