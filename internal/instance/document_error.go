package instance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// WholeDocument is the path of a fault that concerns the whole document.
const WholeDocument = "the document"

// MaxFaults is the maximum number of faults that a [DocumentError] keeps.
const MaxFaults = 20

// Fault is one thing that is wrong with a document.
type Fault struct {
	// Path is the place of the fault, such as "fileMaxSize", "recommendedExpireTimes[3].inSeconds" or [WholeDocument].
	Path string
	// Problem says what is wrong, such as "expected a whole number from 0, found a string". It contains no text of the
	// document.
	Problem string
	// Found is the string or the number that was found, as it came: it may be long, or contain a secret. For a document
	// that is not JSON, it is what encoding/json says, which may quote a character.
	Found string
}

// newFault returns the fault of a value that a parse function refused.
func newFault(path string, raw json.RawMessage, err error) Fault {
	fault := Fault{Path: path, Problem: err.Error()}
	switch kind(raw) {
	case "a string":
		fault.Found, _ = parseString(raw)
	case "a number":
		fault.Found = string(raw)
	}
	return fault
}

// String returns the path and the problem. It contains no text of the document.
func (f Fault) String() string { return f.Path + ": " + f.Problem }

// DocumentError says why a document is not an instance document.
type DocumentError struct {
	Faults     []Fault // the first faults, at most MaxFaults, in the documented order of the fields
	More       int     // number of faults beyond these
	NotJSON    bool    // whether the document is not JSON; it then has one fault
	EndsEarly  bool    // whether it is empty, or the beginning of a JSON document; NotJSON is then true, too
	HasNoField bool    // whether it is JSON, but has none of the fields of an instance document
}

// Error lists the faults on one line. It contains no text of the document.
func (e *DocumentError) Error() string {
	var texts []string
	for _, fault := range e.Faults {
		texts = append(texts, fault.String())
	}
	if e.More > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(texts, "; ")
}

func (e *DocumentError) add(fault Fault) {
	if len(e.Faults) < MaxFaults {
		e.Faults = append(e.Faults, fault)
	} else {
		e.More++
	}
}

// newSyntaxError returns the error for a document that [json.Unmarshal] refused.
func newSyntaxError(document []byte, err *json.SyntaxError) *DocumentError {
	invalid := &DocumentError{NotJSON: true, EndsEarly: true}
	// Unlike Unmarshal, a Decoder has errors of its own for text that ends early.
	switch decodeErr := json.NewDecoder(bytes.NewReader(document)).Decode(new(json.RawMessage)); {
	case errors.Is(decodeErr, io.EOF):
		invalid.add(Fault{Path: WholeDocument, Problem: "empty"})
	case errors.Is(decodeErr, io.ErrUnexpectedEOF):
		invalid.add(Fault{Path: WholeDocument, Problem: "ends early"})
	default:
		invalid.EndsEarly = false
		invalid.add(Fault{Path: WholeDocument, Problem: "not valid JSON", Found: err.Error()})
	}
	return invalid
}
