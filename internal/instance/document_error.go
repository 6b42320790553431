package instance

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// WholeDocument is the path of a fault that concerns the whole document.
const WholeDocument = "the document"

// Fault is one thing that is wrong with a document.
type Fault struct {
	// Path is the place of the fault, such as "fileMaxSize", "recommendedExpireTimes[3].inSeconds" or [WholeDocument].
	Path string
	// Problem says what is wrong in types and known names: "expected a whole number, found a string".
	Problem string
	// Found is the string or the number that was found, as it came: it may be long, or contain a secret. For a document that is not JSON,
	// it is what the JSON library says, which may quote a character.
	Found string
}

// String returns the path and the problem. It contains no text of the document.
func (f Fault) String() string { return f.Path + ": " + f.Problem }

// DocumentError says why a document is not an instance document.
type DocumentError struct {
	// Faults lists all faults, in the documented order of the fields. A document has at most a few hundred.
	Faults []Fault
	// NotJSON is true if the document is not valid JSON. It then has one fault.
	NotJSON bool
	// EndsEarly is true if the document is empty, or the beginning of a JSON document. NotJSON is then true too.
	EndsEarly bool
	// HasNoField is true if the document is JSON, but has none of the fields of an instance document.
	HasNoField bool
}

// Error lists the faults on one line. It contains no text of the document.
func (e *DocumentError) Error() string { return strings.Join(e.Lines(), "; ") }

// Lines returns a line for each fault. They contain no text of the document.
func (e *DocumentError) Lines() (lines []string) {
	for _, fault := range e.Faults {
		lines = append(lines, fault.String())
	}
	return lines
}

func (e *DocumentError) add(fault Fault) { e.Faults = append(e.Faults, fault) }

// syntaxError converts an error of the JSON library, which also refuses duplicate members, invalid UTF-8 and text after the document.
func syntaxError(document []byte, err error) *DocumentError {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case !ok || len(strings.TrimSpace(string(document))) == 0:
		return &DocumentError{Faults: []Fault{{Path: WholeDocument, Problem: "empty"}}, NotJSON: true, EndsEarly: true}
	case errors.Is(err, jsontext.ErrDuplicateName):
		fault := Fault{Path: knownPath(syntactic.JSONPointer), Problem: "appears more than once"}
		if fault.Path == "" {
			fault = Fault{Path: WholeDocument, Problem: fmt.Sprintf("has a member twice, at byte %d", syntactic.ByteOffset)}
		}
		return &DocumentError{Faults: []Fault{fault}}
	case errors.Is(err, io.ErrUnexpectedEOF):
		fault := Fault{Path: WholeDocument, Problem: fmt.Sprintf("ends early, at byte %d", syntactic.ByteOffset)}
		return &DocumentError{Faults: []Fault{fault}, NotJSON: true, EndsEarly: true}
	default:
		// The library quotes what it found after a backquote.
		reason, _, _ := strings.Cut(syntactic.Err.Error(), " `")
		problem := fmt.Sprintf("not valid JSON at byte %d", syntactic.ByteOffset)
		fault := Fault{Path: WholeDocument, Problem: problem, Found: reason}
		return &DocumentError{Faults: []Fault{fault}, NotJSON: true}
	}
}

var entryPointer = regexp.MustCompile(`^/recommendedExpireTimes/(\d{1,5})/(\w+)$`)

// knownPath returns a JSON pointer as a path like those of [Fault]. It returns "" if the pointer leads to anything but a field of an
// instance document, because other names are text of the document.
func knownPath(pointer jsontext.Pointer) string {
	if name := strings.TrimPrefix(string(pointer), "/"); slices.Contains(documentFields, name) {
		return name
	}
	if entry := entryPointer.FindStringSubmatch(string(pointer)); entry != nil && slices.Contains(entryFields, entry[2]) {
		return fmt.Sprintf("recommendedExpireTimes[%s].%s", entry[1], entry[2])
	}
	return ""
}
