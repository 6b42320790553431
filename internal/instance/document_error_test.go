package instance_test

import (
	"slices"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

func TestDocumentErrorText(t *testing.T) {
	t.Parallel()

	size := instance.Fault{Path: "fileMaxSize", Problem: "expected an integer, found null"}
	age := instance.Fault{Path: "fileMaxAge", Problem: "required, but missing"}
	const sizeLine, ageLine = "fileMaxSize: expected an integer, found null", "fileMaxAge: required, but missing"

	tests := map[string]struct {
		documentError instance.DocumentError
		wantError     string
		wantLines     []string
	}{
		"two faults": {
			documentError: instance.DocumentError{Faults: []instance.Fault{size, age}},
			wantError:     "not an instance document: " + sizeLine + "; " + ageLine,
			wantLines:     []string{sizeLine, ageLine},
		},
		"more than are listed": {
			documentError: instance.DocumentError{Faults: []instance.Fault{size}, Omitted: 1},
			wantError:     "not an instance document: " + sizeLine + "; and 1 more",
			wantLines:     []string{sizeLine, "and 1 more"},
		},
		"not JSON": {
			documentError: instance.DocumentError{Faults: []instance.Fault{size}, NotJSON: true},
			wantError:     "not a JSON document: " + sizeLine,
			wantLines:     []string{sizeLine},
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
