package instance

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

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

// Fault is one thing wrong with a document. Its texts are safe to print: see [Parse].
type Fault struct {
	// Path is where: "fileMaxSize", "recommendedExpireTimes[3].inSeconds", or [WholeDocument].
	Path string
	// Problem is what is wrong there: "expected a string, found null".
	Problem string
}

func (f Fault) String() string { return f.Path + ": " + f.Problem }

const maxFaults = 20

// DocumentError says why a document is not an instance document. It lists the faults in the order of the guide. A text
// that is not JSON, or that is not read to its end, has one fault: the first in the text.
type DocumentError struct {
	// Faults are the first 20 faults.
	Faults []Fault
	// Omitted is how many more there are.
	Omitted int
	// NotJSON is true if the text is not JSON at all. A document is not read past a duplicate member or past too many
	// levels, and counts as JSON.
	NotJSON bool
}

// Error lists the faults on one line.
func (e *DocumentError) Error() string {
	return "not an instance document: " + strings.Join(e.Lines(), "; ")
}

// Lines returns one line for each listed fault, and a last line with the number of omitted faults if there are any.
func (e *DocumentError) Lines() []string {
	var lines []string
	for _, fault := range e.Faults {
		lines = append(lines, fault.String())
	}
	if e.Omitted > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.Omitted))
	}
	return lines
}

// add adds a fault to the list, or counts it if the list is full.
func (p *parser) add(path, problem string) {
	if len(p.faults.Faults) == maxFaults {
		p.faults.Omitted++
		return
	}
	p.faults.Faults = append(p.faults.Faults, Fault{Path: path, Problem: problem})
}

func (p *parser) addUnexpected(path, expected string, found jsontext.Value) {
	p.add(path, "expected "+expected+", found "+p.describe(found))
}

func notJSON(path, problem string) error {
	return &DocumentError{Faults: []Fault{{Path: path, Problem: problem}}, NotJSON: true}
}

// invalid makes an error of the decoder's.
func (p *parser) invalid(err error) error {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok { // io.EOF: nothing but white space
		return notJSON(WholeDocument, "empty")
	}
	path := p.path(syntactic.JSONPointer)
	reason := p.clean(syntactic.Err.Error(), reasonLimit)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &DocumentError{Faults: []Fault{{Path: path, Problem: "appears more than once"}}}
	case errors.Is(err, io.ErrUnexpectedEOF):
		reason = "unexpected end of the document"
	}
	return notJSON(path, fmt.Sprintf("%s at byte %d", reason, syntactic.ByteOffset))
}

// path turns a JSON pointer into the notation of our paths, "a[3].b", safe to print.
func (p *parser) path(pointer jsontext.Pointer) string {
	var path strings.Builder
	for token := range pointer.Tokens() {
		if _, err := strconv.ParseUint(token, 10, 64); err == nil {
			path.WriteString("[" + token + "]")
		} else {
			path.WriteString("." + token)
		}
	}
	return cmp.Or(p.clean(strings.TrimPrefix(path.String(), "."), textLimit), WholeDocument)
}

// describe says what a value is, in words that are safe to print.
func (p *parser) describe(value jsontext.Value) string {
	switch value.Kind() {
	case jsontext.KindString:
		// Quoted before it is cleaned: a line break at the end may be the fault, and must not vanish from the message.
		found, _ := text(value)
		return "the string " + safetext.Clean(strconv.Quote(p.redact(found)), textLimit)
	case jsontext.KindNumber:
		return "the number " + p.clean(string(value), textLimit)
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "an array"
	default: // null, true or false
		return value.Kind().String()
	}
}

// clean makes a text from the document safe to print.
func (p *parser) clean(text string, limit int) string {
	return safetext.CleanSecrets(text, p.redact, limit)
}
