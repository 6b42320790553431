package instance

import (
	"fmt"
	"strings"
)

// maxFaults is how many faults of one document are listed.
const maxFaults = 20

// DocumentError says why a document is not an instance document. It lists the faults in the order of the guide. A text
// that is not JSON, and a document with a duplicate member, has one fault: the first in the text.
type DocumentError struct {
	// Faults are the first 20 faults.
	Faults []Fault
	// Omitted is how many more there are.
	Omitted int
	// NotJSON is true if the text is not JSON at all. A document with a duplicate member is not read past it, and counts
	// as JSON.
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
