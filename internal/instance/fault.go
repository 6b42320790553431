package instance

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// textLimit is the maximum number of characters of a name, path or value in a message.
const textLimit = 60

// reasonLimit is the same for the decoder's messages. It is enough for all: their important part comes last.
const reasonLimit = 120

// WholeDocument is the Path of a fault that concerns the whole document.
const WholeDocument = "the document"

// Fault describes one thing that is wrong in a document. It is safe to print; see [Parse].
type Fault struct {
	// Path is the place of the fault: "fileMaxSize", "recommendedExpireTimes[3].inSeconds" or [WholeDocument].
	Path string
	// Problem describes the fault: "expected a string, found null".
	Problem string
}

func (f Fault) String() string { return f.Path + ": " + f.Problem }

const maxFaults = 20

// DocumentError reports why a document is not an instance document. If it was not parsed to its end, it has one fault.
type DocumentError struct {
	// Faults lists the faults in the documented order of the members, at most 20.
	Faults []Fault
	// Omitted is the number of faults not in Faults.
	Omitted int
	// NotJSON is true if the document is not valid JSON. After a duplicate member or too deep nesting, nothing was parsed.
	NotJSON bool
	// EndsEarly is true if the document is the beginning of a JSON document. NotJSON is then true too.
	EndsEarly bool
	// HasNoField is true if the document is JSON, and has none of the fields of an instance document.
	HasNoField bool
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

// add appends a fault, or counts it if the list is full.
func (p *parser) add(path, problem string) {
	if len(p.faults.Faults) == maxFaults {
		p.faults.Omitted++
		return
	}
	p.faults.Faults = append(p.faults.Faults, Fault{Path: path, Problem: problem})
}

func notJSON(path, problem string) *DocumentError {
	return &DocumentError{Faults: []Fault{{Path: path, Problem: problem}}, NotJSON: true}
}

// invalid converts an error from the decoder to a [*DocumentError].
func (p *parser) invalid(err error) error {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok { // io.EOF: the document is empty or all white space
		return notJSON(WholeDocument, "empty")
	}
	path := p.path(syntactic.JSONPointer)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &DocumentError{Faults: []Fault{{Path: path, Problem: "appears more than once"}}}
	case errors.Is(err, io.ErrUnexpectedEOF):
		endsEarly := notJSON(path, fmt.Sprintf("ends early at byte %d", syntactic.ByteOffset))
		endsEarly.EndsEarly = true
		return endsEarly
	default:
		reason, _, _ := strings.Cut(syntactic.Err.Error(), " `") // before text of the document, except for a character
		return notJSON(path, fmt.Sprintf("%s at byte %d", safetext.Line(reason, reasonLimit), syntactic.ByteOffset))
	}
}

// path returns a JSON pointer as a Fault.Path, such as "a[3].b", safe to print. Unless it names a field, a part is text of
// the document, and "…" if redact leaves nothing of it.
func (p *parser) path(pointer jsontext.Pointer) string {
	var path strings.Builder
	for token := range pointer.Tokens() {
		shown := token
		if token != "" && !slices.Contains(documentFields, token) && !slices.Contains(entryFields, token) {
			shown = cmp.Or(p.line(token), "…")
		}
		if _, err := strconv.ParseUint(token, 10, 64); err == nil {
			path.WriteString("[" + shown + "]")
		} else {
			path.WriteString("." + shown)
		}
	}
	return cmp.Or(safetext.Line(strings.TrimPrefix(path.String(), "."), textLimit), WholeDocument)
}

// describe returns the type of a JSON value, and what redact leaves of a string or a number, safe to print.
func (p *parser) describe(value jsontext.Value) string {
	switch value.Kind() {
	case jsontext.KindString:
		found, _ := readString(value)
		if shown := p.redact(found); shown != "" || found == "" {
			// Quote first: cleaning would drop a line break at the end, which may be the fault.
			return "the string " + safetext.Line(strconv.Quote(shown), textLimit)
		}
		return "a string"
	case jsontext.KindNumber:
		if shown := p.line(string(value)); shown != "" {
			return "the number " + shown
		}
		return "a number"
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "an array"
	default: // null, true or false
		return value.Kind().String()
	}
}

// line returns text from the document on one line, redacted, cut and safe to print.
func (p *parser) line(text string) string {
	return safetext.RedactedLine(text, p.redact, textLimit)
}
