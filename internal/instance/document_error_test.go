package instance_test

import (
	"slices"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

func TestDocumentErrorText(t *testing.T) {
	t.Parallel()

	size := instance.Fault{Path: "fileMaxSize", Problem: "expected an integer, found null"}
	age := instance.Fault{Path: "fileMaxAge", Problem: "appears more than once"}

	tests := map[string]struct {
		documentError instance.DocumentError
		wantError     string
		wantLines     []string
	}{
		"one fault": {
			instance.DocumentError{Faults: []instance.Fault{size}},
			"not an instance document: fileMaxSize: expected an integer, found null",
			[]string{"fileMaxSize: expected an integer, found null"},
		},
		"two faults and more": {
			instance.DocumentError{Faults: []instance.Fault{size, age}, Omitted: 3},
			"not an instance document: fileMaxSize: expected an integer, found null; " +
				"fileMaxAge: appears more than once; and 3 more",
			[]string{
				"fileMaxSize: expected an integer, found null",
				"fileMaxAge: appears more than once",
				"and 3 more",
			},
		},
		"just one more": {
			instance.DocumentError{Faults: []instance.Fault{size}, Omitted: 1},
			"not an instance document: fileMaxSize: expected an integer, found null; and 1 more",
			[]string{"fileMaxSize: expected an integer, found null", "and 1 more"},
		},
		"not JSON": {
			instance.DocumentError{Faults: []instance.Fault{size}, NotJSON: true},
			"not a JSON document: fileMaxSize: expected an integer, found null",
			[]string{"fileMaxSize: expected an integer, found null"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.documentError.Error(); got != test.wantError {
				t.Errorf("Error() = %q, want %q", got, test.wantError)
			}
			if got := test.documentError.Lines(); !slices.Equal(got, test.wantLines) {
				t.Errorf("Lines() = %q, want %q", got, test.wantLines)
			}
		})
	}
}
