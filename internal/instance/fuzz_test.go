package instance_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// FuzzParse checks what Parse promises for any text.
func FuzzParse(f *testing.F) {
	for _, document := range []string{
		valid,
		valid + valid,
		valid[:len(valid)/2],
		withEntries(`{"label": "\u001b", "value": 60e-1}`, `{"label": "b", "inSeconds": 60, "value": 60}`),
		`404 page not found`,
		`{"fileMaxSize": 1, "\u0066ileMaxSize": -0.0e1, "x": {"y": [{"z": 1, "z": "\ud83d\ude00"}]}}`,
		`{"x": 1, "x": 2, <`,
		`{"recommendedExpireTimes": [null, {}, {"label": "\u001b", "value": 1e999}, []], "": 1}`,
	} {
		f.Add([]byte(document))
	}

	f.Fuzz(func(t *testing.T, document []byte) {
		before := bytes.Clone(document)
		details, err := instance.Parse(document, nil)
		if !bytes.Equal(document, before) {
			t.Error("Parse changed the document, which callers pass on as response_body")
		}
		if err == nil {
			checkDetails(t, details)
			// encoding/json accepts more (invalid UTF-8 and duplicates), never less.
			if !json.Valid(instance.TrimByteOrderMark(document)) {
				t.Errorf("a text that is not JSON has details %+v", details)
			}
			return
		}
		documentError, ok := errors.AsType[*instance.DocumentError](err)
		if details != nil || !ok {
			t.Fatalf("got details %v and error %v, want only a *DocumentError", details, err)
		}
		checkDocumentError(t, documentError)
		if !json.Valid(instance.TrimByteOrderMark(document)) && !documentError.NotJSON &&
			!slices.Contains([]string{twice, "more than 100 levels deep"}, documentError.Faults[0].Problem) { // it is not read past these
			t.Errorf("NotJSON is false of a text that is not JSON: %v", documentError)
		}
	})
}

func checkDetails(t *testing.T, details *instance.Details) {
	t.Helper()
	quantities := []int64{
		details.FileMaxSizeBytes, details.ChunkSizeBytes, details.FileMaxAgeSeconds, details.MaxTransfersInMerge,
		details.APIVersion.Major, details.APIVersion.Minor, details.APIVersion.Patch,
	}
	for _, expireTime := range details.RecommendedExpireTimes {
		quantities = append(quantities, expireTime.InSeconds)
	}
	if slices.Min(quantities) < 0 {
		t.Errorf("details have a negative quantity: %+v", details)
	}
	if n := len(details.RecommendedExpireTimes); details.RecommendedExpireTimes == nil || n > 100 {
		t.Errorf("%d expiry options, want at most 100, and never nil", n)
	}
	for _, warning := range details.Warnings {
		checkPrintable(t, warning.Entry)
	}
}

func checkDocumentError(t *testing.T, refused *instance.DocumentError) {
	t.Helper()
	n := len(refused.Faults)
	if n < 1 || n > 20 || refused.NotJSON && n != 1 || refused.Omitted > 0 && n != 20 {
		t.Errorf("%d faults are listed, and %d more: %v", n, refused.Omitted, refused)
	}
	for _, fault := range refused.Faults {
		checkPrintable(t, fault.Path)
		checkPrintable(t, fault.Problem)
	}
}

func checkPrintable(t *testing.T, text string) {
	t.Helper()
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	if n := utf8.RuneCountInString(text); n < 1 || n > 250 || strings.ContainsFunc(text, unprintable) {
		t.Errorf("%d characters in %q, want 1 to 250 printable ones", n, text)
	}
}
