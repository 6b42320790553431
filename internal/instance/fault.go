package instance

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// textLimit is how many characters of a name, a path or a value a message repeats.
const textLimit = 60

// reasonLimit is how many characters of the decoder's own messages are repeated: enough for all of them, because
// they end with what the decoder expected.
const reasonLimit = 120

// WholeDocument is the path of faults that have no narrower place.
const WholeDocument = "the document"

const duplicate = "appears more than once"

// addFault adds a fault of the name or the value that was read last.
func (p *parser) addFault(problem string) {
	if !p.faults.omitNext() {
		p.faults.Faults = append(p.faults.Faults, Fault{p.path(p.decoder.StackPointer()), problem})
	}
}

// addMissing adds a fault of the object that was read last.
func (p *parser) addMissing(name string) {
	if !p.faults.omitNext() {
		path := p.path(p.decoder.StackPointer().AppendToken(name))
		p.faults.Faults = append(p.faults.Faults, Fault{path, "required, but missing"})
	}
}

func (p *parser) addUnexpected(expected string, value jsontext.Value) {
	if !p.faults.omitNext() {
		path := p.path(p.decoder.StackPointer())
		p.faults.Faults = append(p.faults.Faults, Fault{path, "expected " + expected + ", found " + p.describe(value)})
	}
}

// addSyntaxFault adds the decoder's error.
func (p *parser) addSyntaxFault(err error) {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok { // io.EOF: nothing but white space
		p.faults.addCause(Fault{WholeDocument, "empty"})
		return
	}
	reason := p.safe(syntactic.Err.Error(), reasonLimit)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		reason = "unexpected end of the document"
	}
	p.faults.addCause(Fault{p.path(syntactic.JSONPointer), fmt.Sprintf("%s at byte %d", reason, syntactic.ByteOffset)})
}

// path turns a JSON pointer into the notation of our paths, "a[3].b", safe to print.
func (p *parser) path(pointer jsontext.Pointer) string {
	var path strings.Builder
	for token := range pointer.Tokens() {
		token = p.safe(token, textLimit)
		if _, err := strconv.ParseUint(token, 10, 64); err == nil {
			path.WriteString("[" + token + "]")
		} else {
			path.WriteString("." + token)
		}
		if utf8.RuneCountInString(path.String()) > textLimit+1 { // more than is shown, whatever follows
			break
		}
	}
	if cut := safetext.Clean(strings.TrimPrefix(path.String(), "."), textLimit); cut != "" {
		return cut
	}
	return WholeDocument
}

// describe says what a value is, in words that are safe to print.
func (p *parser) describe(value jsontext.Value) string {
	switch value.Kind() {
	case jsontext.KindString:
		// Quoted before it is cleaned: a line break at the end may be the fault, and must not vanish from the message.
		return "the string " + safetext.Clean(strconv.Quote(p.redact(unquote(value))), textLimit)
	case jsontext.KindNumber:
		return "the number " + p.safe(string(value), textLimit)
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "an array"
	default: // null, true or false
		return string(value)
	}
}

// safe makes a text from the document safe to print. Redacting comes first: a cut could leave half a secret.
func (p *parser) safe(text string, limit int) string {
	return safetext.Clean(p.redact(text), limit)
}
