package instance

import (
	"fmt"
	"strings"
)

// maxFaults is how many faults of one document are listed.
const maxFaults = 20

// DocumentError says why a document is not an instance document. It lists
// every fault at once, in the order of the document; what an object lacks comes
// at its end.
type DocumentError struct {
	// Faults are the first 20 faults; where the text is not JSON, the last of them
	// says why.
	Faults []Fault
	// Omitted is how many more there are.
	Omitted int
	// NotJSON is true when the text is not JSON at all, so that what was
	// expected of its members says nothing about the cause.
	NotJSON bool
}

// Fault is one thing wrong with a document. Its texts are safe to print.
type Fault struct {
	// Path is where: "fileMaxSize", "recommendedExpireTimes[3].inSeconds", or
	// "the document" for the whole.
	Path string
	// Expected is what the contract has there.
	Expected string
	// Found is what was there, cut short.
	Found string
}

func (f Fault) String() string {
	return fmt.Sprintf("%s: expected %s, found %s", f.Path, f.Expected, f.Found)
}

// Error lists the faults on one line.
func (e *DocumentError) Error() string {
	kind := "not an instance document: "
	if e.NotJSON {
		kind = "not a JSON document: "
	}
	return kind + strings.Join(e.Lines(), "; ")
}

// Lines returns the faults one by one, with a last line that counts those
// left out.
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

func (e *DocumentError) add(fault Fault) {
	if len(e.Faults) == maxFaults {
		e.Omitted++
		return
	}
	e.Faults = append(e.Faults, fault)
}

// makeRoom leaves out the last fault that is listed if there is room for no
// other.
func (e *DocumentError) makeRoom() {
	if len(e.Faults) == maxFaults {
		e.Faults = e.Faults[:maxFaults-1]
		e.Omitted++
	}
}
