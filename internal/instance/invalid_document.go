package instance

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// WholeDocument is the path of a fault that concerns the whole document.
const WholeDocument = "the document"

// Fault is one thing that is wrong with a document.
type Fault struct {
	// Path is the place of the fault, such as "fileMaxSize", "recommendedExpireTimes[3].inSeconds" or [WholeDocument].
	Path string
	// Problem says what is wrong, such as "expected a whole number from 0, found a string". It contains no text of the
	// document.
	Problem string
	// Found is the string or the number that was found, as it came: it may be long, or contain a secret.
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

// InvalidDocument says why a document is not an instance document.
type InvalidDocument struct {
	// NotJSON says why it is not JSON, such as "not valid JSON: invalid character '<' looking for beginning of value". It
	// contains at most one character of the document. It is "" if the document is JSON, which then has at least one fault.
	NotJSON   string
	EndsEarly bool    // whether it is empty, or the beginning of a JSON document
	HasFields bool    // whether it is an object that has at least one of the fields of an instance document
	Faults    []Fault // in the documented order of the fields
}

func (d *InvalidDocument) add(fault Fault) { d.Faults = append(d.Faults, fault) }

// newNotJSON returns why [json.Unmarshal] refused a document.
func newNotJSON(document []byte, err error) *InvalidDocument {
	// Unlike Unmarshal, a Decoder has errors of its own for text that ends early.
	switch decodeErr := json.NewDecoder(bytes.NewReader(document)).Decode(new(json.RawMessage)); {
	case errors.Is(decodeErr, io.EOF):
		return &InvalidDocument{NotJSON: "empty", EndsEarly: true}
	case errors.Is(decodeErr, io.ErrUnexpectedEOF):
		return &InvalidDocument{NotJSON: "incomplete JSON: it ends early", EndsEarly: true}
	default:
		return &InvalidDocument{NotJSON: "not valid JSON: " + err.Error()}
	}
}
