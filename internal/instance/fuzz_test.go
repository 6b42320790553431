package instance_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// FuzzParse checks what Parse promises for any document.
func FuzzParse(f *testing.F) {
	newer := instancetest.Newer().JSON()
	var fields map[string]any
	if err := json.Unmarshal([]byte(newer), &fields); err != nil {
		f.Fatal(err)
	}
	allFaulty := instancetest.Newer() // so that knownPath needs every field, also one that is new
	for name := range fields {
		allFaulty = allFaulty.With(name, instancetest.Document{})
	}
	for _, document := range []string{
		newer,
		allFaulty.JSON(),
		newer + newer,
		newer[:len(newer)/2],
		instancetest.Older().With("recommendedExpireTimes", instancetest.Raw(`[
			{"label": "\u001b", "value": 60e-1}, {"label": "b", "inSeconds": 60, "value": 60}]`)).JSON(),
		`404 page not found`,
		`{"fileMaxSize": 1, "\u0066ileMaxSize": -0.0e1, "x": {"y": [{"z": 1, "z": "\ud83d\ude00"}]}}`,
		`{"recommendedExpireTimes": [null, {}, {"label": "\u001b", "value": 1e999}, []], "": 1}`,
		`{"recommendedExpireTimes": {"70000": 1, "70000": 2}}`,
		instancetest.Older().With("apiVersion", "1.1.1").With("recommendedExpireTimes", instancetest.Raw(`[
			{"label": "", "value": 30}, {"label": "", "value": 153722867280912931}]`)).JSON(),
	} {
		f.Add([]byte(document))
	}

	f.Fuzz(func(t *testing.T, document []byte) {
		before := bytes.Clone(document)
		details, err := instance.Parse(document)
		if !bytes.Equal(document, before) {
			t.Error("Parse changed the document, which callers pass on as response_body")
		}
		// The standard library accepts more than Parse, such as duplicate members and invalid UTF-8, but never less.
		isJSON := json.Valid(instance.TrimByteOrderMark(document))
		if err == nil {
			checkDetails(t, details)
			if !isJSON {
				t.Errorf("Parse accepted a text that is not JSON: %+v", details)
			}
			return
		}
		invalid, ok := errors.AsType[*instance.DocumentError](err)
		if details != nil || !ok {
			t.Fatalf("got details %v and error %v, want only a *DocumentError", details, err)
		}
		checkFaultsAreKnown(t, invalid)
		if !isJSON && !invalid.NotJSON && !duplicate.MatchString(invalid.Error()) { // Parse does not read on after a duplicate
			t.Errorf("NotJSON is false for a text that is not JSON: %v", invalid)
		}
	})
}

// These are all the texts that can stand in each place, so that no text of a document gets there.
var (
	knownPath = regexp.MustCompile(`^(the document|(\.?(fileMaxSize|chunkSize|requirePassword|apiVersion|fileMaxAge` +
		`|maxTransfersInMerge|recommendedExpireTimes(\[\d{1,5}\])?|label|inSeconds|value))+)$`)
	duplicate    = regexp.MustCompile(`appears more than once$|has a member twice, at byte \d+$`)
	knownProblem = regexp.MustCompile(`^(required, but missing|empty|ends early, at byte \d+|not valid JSON at byte \d+` +
		`|expected (a whole number( up to \d+)?|true or false|a string|a version of three numbers, such as "2\.0\.0"|a JSON object|an object|an array)` +
		`, found (null(: the server could not read this setting as a number)?|true|false|a number|a string|an object|an array)` +
		`|expected at most 100 entries, found \d+|` + duplicate.String() + `)$`)
	knownAmbiguity = regexp.MustCompile(`^(|its inSeconds is \d+ and was used, but its value is \d+ minutes` +
		`|its value is \d+, without (inSeconds,|the inSeconds that other options have,) and was read as seconds)$`)
)

func checkDetails(t *testing.T, details *instance.Details) {
	t.Helper()
	for _, option := range details.RecommendedExpireTimes {
		if !knownAmbiguity.MatchString(option.Ambiguity) {
			t.Errorf("the ambiguity %q may contain text of the document", option.Ambiguity)
		}
	}
	requireNoneNegative(t, reflect.ValueOf(*details))
	if n := len(details.RecommendedExpireTimes); details.RecommendedExpireTimes == nil || n > 100 {
		t.Errorf("there are %d expiry options, want at most 100, and never nil", n)
	}
}

// requireNoneNegative checks every number in a value, also one in a field that is new.
func requireNoneNegative(t *testing.T, value reflect.Value) {
	t.Helper()
	switch value.Kind() {
	case reflect.Int64:
		if value.Int() < 0 {
			t.Errorf("details have the negative number %d", value.Int())
		}
	case reflect.Pointer:
		if !value.IsNil() {
			requireNoneNegative(t, value.Elem())
		}
	case reflect.Struct:
		for _, field := range value.Fields() {
			requireNoneNegative(t, field)
		}
	case reflect.Slice:
		for i := range value.Len() {
			requireNoneNegative(t, value.Index(i))
		}
	}
}

func checkFaultsAreKnown(t *testing.T, invalid *instance.DocumentError) {
	t.Helper()
	n := len(invalid.Faults)
	if n < 1 || invalid.NotJSON && n != 1 {
		t.Errorf("%d faults: %v", n, invalid)
	}
	for _, fault := range invalid.Faults {
		if !knownPath.MatchString(fault.Path) || !knownProblem.MatchString(fault.Problem) {
			t.Errorf("the fault %q may contain text of the document", fault)
		}
	}
}
