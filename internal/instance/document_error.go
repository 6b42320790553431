package instance

import (
	"fmt"
	"strings"
)

// maxFaults is how many faults of one document are listed.
const maxFaults = 20

// DocumentError says why a document is not an instance document. It lists the faults in the order of the document;
// a missing field is listed where its object ends.
type DocumentError struct {
	// Faults are the first 20 faults. If the text is not JSON, the last of them says why.
	Faults []Fault
	// Omitted is how many more there are.
	Omitted int
	// NotJSON is true if the text is not JSON at all, so that the other faults do not explain the cause.
	NotJSON bool
}

// Fault is one thing wrong with a document. Its texts are safe to print: see [Parse].
type Fault struct {
	// Path is where: "fileMaxSize", "recommendedExpireTimes[3].inSeconds", or [WholeDocument].
	Path string
	// Problem is what is wrong there: "expected a string, found null".
	Problem string
}

func (f Fault) String() string { return f.Path + ": " + f.Problem }

// Error lists the faults on one line.
func (e *DocumentError) Error() string {
	kind := "not an instance document: "
	if e.NotJSON {
		kind = "not a JSON document: "
	}
	return kind + strings.Join(e.Lines(), "; ")
}

// Lines returns one line for each listed fault, and a last line with the number of omitted faults if there are any.
func (e *DocumentError) Lines() []string {
	lines := make([]string, 0, len(e.Faults)+1)
	for _, fault := range e.Faults {
		lines = append(lines, fault.String())
	}
	if e.Omitted > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.Omitted))
	}
	return lines
}

// omitNext reports whether the list is full, and counts the next fault as omitted if it is. Callers ask before they
// build the texts of a fault: a hostile document can have a fault every few bytes.
func (e *DocumentError) omitNext() bool {
	if len(e.Faults) < maxFaults {
		return false
	}
	e.Omitted++
	return true
}

// addCause adds the fault because of which the text is not JSON. It is listed even if the list is full.
func (e *DocumentError) addCause(cause Fault) {
	e.NotJSON = true
	if e.omitNext() {
		e.Faults = e.Faults[:maxFaults-1]
	}
	e.Faults = append(e.Faults, cause)
}
