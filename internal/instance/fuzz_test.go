package instance_test

import (
	"encoding/json"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// FuzzParse checks what Parse promises for any text: see parse, checkDetails and checkDocumentError.
func FuzzParse(f *testing.F) {
	for _, shape := range shapes {
		f.Add([]byte(edit(f, shape.edits...)))
	}
	for _, document := range []string{
		valid + valid,
		valid[:len(valid)/2],
		`404 page not found`,
		`{"fileMaxSize": 1, "\u0066ileMaxSize": -0.0e1, "x": {"y": [{"z": 1, "z": "\ud83d\ude00"}]}}`,
		`{"x": 1, "x": 2, <`,
		`{"recommendedExpireTimes": [null, {}, {"label": "\u001b", "value": 1e999}, []], "": 1, "": 2}`,
	} {
		f.Add([]byte(document))
	}

	f.Fuzz(func(t *testing.T, document []byte) {
		details, documentError := parse(t, document)
		// encoding/json accepts more (invalid UTF-8 and duplicates), never less: what it refuses is not JSON.
		if json.Valid(instance.TrimByteOrderMark(document)) {
			return
		}
		if details != nil {
			t.Errorf("a text that is not JSON has details %+v", details)
		} else if !documentError.NotJSON && documentError.Faults[0].Problem != twice { // the text is not read past a duplicate
			t.Errorf("NotJSON is false of a text that is not JSON: %v", documentError)
		}
	})
}
