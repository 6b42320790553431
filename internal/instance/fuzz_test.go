package instance_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// These are all the texts that can stand in each place, so that no text of a document gets there.
var (
	knownPath = regexp.MustCompile(`^(the document|(\.?(fileMaxSize|chunkSize|requirePassword|apiVersion|fileMaxAge` +
		`|maxTransfersInMerge|recommendedExpireTimes(\[\d{1,2}\])?|label|inSeconds|value))+)$`)
	knownProblem = regexp.MustCompile(`^(required, but missing|expected at most 100 entries, found \d+|expected (a whole number from 0( to \d+)?` +
		`|true or false|a string|a version of three numbers, such as "2\.0\.0"|a JSON object|an array), found (null` +
		`|true|false|a number|a string|an object|an array)(: the server could not read this setting as a number)?)$`)
)

// FuzzParse checks what Parse promises for any document.
func FuzzParse(f *testing.F) {
	for _, document := range []string{
		newer.JSON(),
		newer.JSON() + newer.JSON(),
		instancetest.Older().With("apiVersion", "1.1.1").With("recommendedExpireTimes", raw(`[
			{"label": "", "value": 30}, {"label": "", "value": 153722867280912931}]`)).JSON(),
		newer.With("recommendedExpireTimes", raw(`[null, {}, {"label": "\u001b", "value": 1e999}, []]`)).JSON(),
		`404 page not found`,
		`{"fileMaxSize": 1, "\u0066ileMaxSize": -0, "x": {"y": [{"z": 1, "z": "\ud83d\ude00"}]}}`,
	} {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		before := bytes.Clone(document)
		details, refused := instance.Parse(document)
		if !bytes.Equal(document, before) {
			t.Error("Parse changed the document, which callers pass on as response_body")
		}
		isJSON := json.Valid(document) && utf8.Valid(document)
		if refused == nil {
			if !isJSON {
				t.Errorf("Parse accepted a text that is not JSON: %+v", details)
			}
			smallest := min(details.FileMaxSizeBytes, details.ChunkSizeBytes, details.FileMaxAgeSeconds,
				details.MaxTransfersInMerge)
			options := details.RecommendedExpireTimes
			for _, option := range options {
				smallest = min(smallest, option.InSeconds)
			}
			if smallest < 0 || options == nil || len(options) > 100 {
				t.Errorf("details %+v have a negative number, or not from 0 to 100 expiry options", details)
			}
			if invalid := parseInvalid(t, string(bytes.TrimRight(document, " \t\r\n}"))); !invalid.EndsEarly {
				t.Errorf("EndsEarly is false for the document without its end: %v", invalid)
			}
			return
		}
		invalid := parseInvalid(t, string(document))
		if isJSON != (invalid.NotJSON == "") || len(invalid.Faults) > 400 {
			t.Errorf("JSON: %t, got %v", isJSON, invalid)
		}
		for _, fault := range invalid.Faults {
			if !knownPath.MatchString(fault.Path) || !knownProblem.MatchString(fault.Problem) {
				t.Errorf("the fault %q may contain text of the document", fault)
			}
		}
	})
}
