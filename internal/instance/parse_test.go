package instance_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// The words of faults, written out once more: users and the provider's own tests rely on them, so that a change must
// be meant.
const (
	nullLimit = "null: the server could not read this setting as a number"
	anInteger = "expected an integer from 0 to 9223372036854775807, found "
	anAge     = "expected an integer from 0 to 9223372036854775807, as a number or a string of decimal digits, found "
	aBoolean  = "expected true or false, found "
	aString   = "expected a string, found "
	aVersion  = `expected a string with a version of three numbers, such as "2.0.0", found `
	missing   = "required, but missing"
	twice     = "appears more than once"
)

// valid is a document without faults; tables of inline documents replace one piece of it at a time.
const valid = `{
  "fileMaxSize": 60000000000,
  "chunkSize": 20000000,
  "requirePassword": false,
  "apiVersion": "2.1.3",
  "fileMaxAge": "2592000",
  "maxTransfersInMerge": 50,
  "recommendedExpireTimes": [
    {"label": "30 minutes", "inSeconds": 1800, "value": 30},
    {"label": "1 heure", "inSeconds": 3600, "value": 60}
  ]
}
`

// validDetails is what valid reads as.
func validDetails() instance.Details {
	return instance.Details{
		FileMaxSizeBytes:    60000000000,
		ChunkSizeBytes:      20000000,
		APIVersion:          instance.Version{Text: "2.1.3", Major: 2, Minor: 1, Patch: 3},
		FileMaxAgeSeconds:   2592000,
		MaxTransfersInMerge: 50,
		RecommendedExpireTimes: []instance.ExpireTime{
			{Label: "30 minutes", InSeconds: 1800},
			{Label: "1 heure", InSeconds: 3600},
		},
	}
}

// edit returns valid with pieces replaced, each of which occurs once: an old and a new text, and so on.
func edit(tb testing.TB, pairs ...string) string {
	tb.Helper()
	document := valid
	for pair := range slices.Chunk(pairs, 2) {
		if n := strings.Count(document, pair[0]); n != 1 {
			tb.Fatalf("%q occurs %d times in the document, want once", pair[0], n)
		}
		document = strings.Replace(document, pair[0], pair[1], 1)
	}
	return document
}

// withEntries is valid with other expiry entries.
func withEntries(tb testing.TB, entries ...string) string {
	tb.Helper()
	start, end := strings.Index(valid, "["), strings.Index(valid, "]")
	if start < 0 || end < start {
		tb.Fatal("the valid document has no array")
	}
	return valid[:start+1] + strings.Join(entries, ", ") + valid[end:]
}

// parse calls instance.Parse and checks what it promises for any document whatsoever. Exactly one of the results is
// nil.
func parse(t *testing.T, document []byte) (*instance.Details, *instance.DocumentError) {
	t.Helper()
	return parseRedacted(t, document, nil)
}

func parseRedacted(t *testing.T, document []byte, redact func(string) string) (*instance.Details, *instance.DocumentError) {
	t.Helper()
	before := bytes.Clone(document)
	details, err := instance.Parse(document, redact)
	if !bytes.Equal(document, before) {
		t.Error("Parse changed the document, which callers pass on as response_body")
	}
	if (details == nil) != (err != nil) {
		t.Fatalf("details %v and error %v, want exactly one of them", details, err)
	}
	if err == nil {
		checkDetails(t, details)
		return details, nil
	}
	documentError, ok := errors.AsType[*instance.DocumentError](err)
	if !ok {
		t.Fatalf("error of type %T, want *DocumentError: %v", err, err)
	}
	checkDocumentError(t, documentError)
	return nil, documentError
}

func checkDetails(t *testing.T, details *instance.Details) {
	t.Helper()
	quantities := []int64{
		details.FileMaxSizeBytes, details.ChunkSizeBytes, details.FileMaxAgeSeconds, details.MaxTransfersInMerge,
		details.APIVersion.Major, details.APIVersion.Minor, details.APIVersion.Patch,
	}
	for _, expireTime := range details.RecommendedExpireTimes {
		quantities = append(quantities, expireTime.InSeconds, expireTime.InMinutes())
	}
	if smallest := slices.Min(quantities); smallest < 0 {
		t.Errorf("negative quantity %d in %+v", smallest, details)
	}
	if details.RecommendedExpireTimes == nil {
		t.Error("RecommendedExpireTimes is nil, want an empty list")
	}
	if n := len(details.RecommendedExpireTimes); n > 100 {
		t.Errorf("%d expiry entries, want at most 100", n)
	}
	for _, warning := range details.Warnings {
		checkPrintable(t, warning.Entry)
		if utf8.RuneCountInString(warning.Entry) > 250 {
			t.Errorf("%q is long for a warning", warning.Entry)
		}
	}
}

func checkDocumentError(t *testing.T, documentError *instance.DocumentError) {
	t.Helper()
	if n := len(documentError.Faults); n < 1 || n > 20 {
		t.Errorf("%d faults are listed, want 1 to 20", n)
	}
	if documentError.Omitted < 0 || documentError.Omitted > 0 && len(documentError.Faults) != 20 {
		t.Errorf("%d faults are left out of a list of %d", documentError.Omitted, len(documentError.Faults))
	}
	if documentError.NotJSON && len(documentError.Faults) != 1 {
		t.Errorf("%d faults of a text that is not JSON, want one", len(documentError.Faults))
	}
	for _, fault := range documentError.Faults {
		for _, text := range []string{fault.Path, fault.Problem} {
			checkPrintable(t, text)
			if text == "" || utf8.RuneCountInString(text) > 200 {
				t.Errorf("text %q of fault %+v, want from 1 to 200 characters", text, fault)
			}
		}
	}
	checkPrintable(t, documentError.Error())
}

func checkPrintable(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q is not UTF-8", text)
	}
	for _, r := range text {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			t.Errorf("unprintable %U in %q", r, text)
		}
	}
}

// checkFaults compares the faults of a JSON document, each as "path: problem".
func checkFaults(t *testing.T, documentError *instance.DocumentError, want ...string) {
	t.Helper()
	if documentError == nil {
		t.Fatalf("no error, want %q", want)
	}
	if got := documentError.Lines(); !slices.Equal(got, want) {
		t.Errorf("faults:\n  %+q\nwant:\n  %+q", got, want)
	}
	if documentError.NotJSON {
		t.Error("NotJSON is true of a JSON document")
	}
}

func checkEqualDetails(t *testing.T, got *instance.Details, documentError *instance.DocumentError, want instance.Details) {
	t.Helper()
	if documentError != nil {
		t.Fatalf("unexpected error: %v", documentError)
	}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("details:\n  %+v\nwant:\n  %+v", *got, want)
	}
}

// shapes are the forms of a document, as edits of the valid one, and how their details differ from its own. What releases of the
// service answer is read in internal/service.
var shapes = map[string]struct {
	edits []string
	want  func(*instance.Details)
}{
	"newer": {nil, func(*instance.Details) {}},
	"older": {[]string{
		`"2.1.3"`, `"1.2.0"`, `false`, `true`, `"maxTransfersInMerge": 50,`, ``, `"inSeconds": 1800, "value": 30`, `"value": 1800`, `"inSeconds": 3600, "value": 60`, `"value": 3600`,
	}, func(d *instance.Details) {
		d.APIVersion = instance.Version{Text: "1.2.0", Major: 1, Minor: 2}
		d.RequirePassword = true
		d.MaxTransfersInMerge = 10
	}},
	"mixed, units by entry": {[]string{
		`"2.1.3"`, `"1.4.2"`, `"maxTransfersInMerge": 50,`, ``, `"inSeconds": 3600, "value": 60`, `"value": 3600`,
	}, func(d *instance.Details) {
		d.APIVersion = instance.Version{Text: "1.4.2", Major: 1, Minor: 4, Patch: 2}
		d.MaxTransfersInMerge = 10
		d.Warnings = []instance.Warning{{Kind: instance.MixedUnits, Entry: `recommendedExpireTimes[1] ("1 heure"): 3600`}}
	}},
	"exponents and fractions": {[]string{
		`60000000000`, `6e10`, `20000000`, `20000000.0`, `"2592000"`, `1.577e10`, `50`, `5E+1`, `1800`, `1.8e3`, `"value": 60`, `"value": 600e-1`,
	}, func(d *instance.Details) { d.FileMaxAgeSeconds = 15770000000 }},
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := validDetails()
			shape.want(&want)
			details, documentError := parse(t, []byte(edit(t, shape.edits...)))
			checkEqualDetails(t, details, documentError, want)
		})
	}
}

// TestUnusualButValid replaces one piece of the valid document with something unusual that is no fault.
func TestUnusualButValid(t *testing.T) {
	t.Parallel()

	const largestVersion = "9223372036854775807.0.9223372036854775807"
	deep := strings.Repeat("[", 99) + strings.Repeat("]", 99)

	tests := map[string]struct {
		old, with string
		want      func(*instance.Details) // how the details differ; nil if they do not
	}{
		"age as number": {old: `"2592000"`, with: `2592000`},
		"pre-release and build": {old: `"2.1.3"`, with: `"1.2.3-beta.4+e5-f"`, want: func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "1.2.3-beta.4+e5-f", Major: 1, Minor: 2, Patch: 3}
		}},
		"largest version": {old: `"2.1.3"`, with: `"` + largestVersion + `"`, want: func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: largestVersion, Major: math.MaxInt64, Patch: math.MaxInt64}
		}},
		"byte order mark":                   {old: valid, with: "\uFEFF" + valid},
		"white space around the document":   {old: valid, with: " \r\n\t" + valid + " \r\n\t"},
		"white space before a colon":        {old: `"fileMaxSize":`, with: "\"fileMaxSize\"\r\n\t :\r\n\t "},
		"escaped field name":                {old: `"fileMaxSize"`, with: `"\u0066ileMaxSize"`},
		"unknown field without name":        {old: `"chunkSize"`, with: `"": 1, "chunkSize"`},
		"same unknown field in two objects": {old: `"value": 30`, with: `"value": 30, "x": {"y": [{"y": 1}, {"y": 2}]}`},
		"text that looks like duplicates":   {old: `"chunkSize"`, with: `"x": "{\"a\": 1, \"a\": 2}", "chunkSize"`},
		"unknown field, deeply nested":      {old: `"chunkSize"`, with: `"x": ` + deep + `, "chunkSize"`},
		"empty label":                       {old: `"1 heure"`, with: `""`, want: func(d *instance.Details) { d.RecommendedExpireTimes[1].Label = "" }},
		"label with escapes": {old: `"1 heure"`, with: `"\u0031\u00a0\ud83d\ude00 \"h\" \/"`, want: func(d *instance.Details) {
			d.RecommendedExpireTimes[1].Label = "1\u00a0\U0001F600 \"h\" /"
		}},
		// Labels of entries are delivered unchanged; only those of warnings are cleaned.
		"label with control characters": {old: `"1 heure"`, with: `"\u001b[31m\u0000\n\u202e"`, want: func(d *instance.Details) {
			d.RecommendedExpireTimes[1].Label = "\x1b[31m\x00\n\u202e"
		}},
		"members in another order, entries not sorted": {
			old: `"inSeconds": 1800, "value": 30`, with: `"value": 120, "inSeconds": 7200`,
			want: func(d *instance.Details) { d.RecommendedExpireTimes[0].InSeconds = 7200 },
		},
		"seconds that are no whole minutes": {old: `"inSeconds": 1800`, with: `"inSeconds": 1859`, want: func(d *instance.Details) {
			d.RecommendedExpireTimes[0].InSeconds = 1859
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := validDetails()
			if test.want != nil {
				test.want(&want)
			}
			details, documentError := parse(t, []byte(edit(t, test.old, test.with)))
			checkEqualDetails(t, details, documentError, want)
		})
	}
}

// TestFaultyValues replaces one value of the valid document. The table is keyed by the path; its last map has the
// values, and what the fault says was found.
func TestFaultyValues(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		old, expected string
		found         map[string]string
	}{
		"the document": {old: valid, expected: "expected a JSON object, found ", found: map[string]string{
			"[" + valid + "]":     "an array",
			`null`:                "null",
			` true `:              "true",
			`404`:                 "the number 404",
			` "Bad Gateway\r\n" `: `the string "Bad Gateway\r\n"`,
		}},
		"fileMaxSize": {old: `60000000000`, expected: anInteger, found: map[string]string{
			`null`: nullLimit, `true`: "true", `{"bytes": 1}`: "an object", `[1]`: "an array", `"1"`: `the string "1"`,
			`-1`: "the number -1", `1.5`: "the number 1.5", strings.Repeat("9", 100): "the number " + strings.Repeat("9", 59) + "…",
		}},
		"chunkSize":           {`20000000`, anInteger, map[string]string{`null`: nullLimit}},
		"maxTransfersInMerge": {old: `50`, expected: anInteger, found: map[string]string{`null`: nullLimit, `-1`: "the number -1"}},
		"requirePassword": {old: `false`, expected: aBoolean, found: map[string]string{
			`null`: "null", `0`: "the number 0", `"false"`: `the string "false"`,
		}},
		"fileMaxAge": {old: `"2592000"`, expected: anAge, found: map[string]string{
			`null`: nullLimit, `true`: "true", `["1"]`: "an array", `-1`: "the number -1", `"-1"`: `the string "-1"`, `""`: `the string ""`,
			// What is wrong with a value must be visible in the fault, although its text is safe to print.
			`"2592000\n"`:                        `the string "2592000\n"`,
			`" 2592000"`:                         `the string " 2592000"`,
			`"1\u0000"`:                          `the string "1\x00"`,
			`"1\", \"x"`:                         `the string "1\", \"x"`,
			`"\u001b]0;owned\u0007\u202e\u200b"`: `the string "\x1b]0;owned\a\u202e\u200b"`,
			`"` + strings.Repeat("x", 100) + `"`: `the string "` + strings.Repeat("x", 58) + "…",
		}},
		"apiVersion": {old: `"2.1.3"`, expected: aVersion, found: map[string]string{
			`null`: "null", `2.0`: "the number 2.0", `[2, 0, 0]`: "an array", `""`: `the string ""`,
			`"2"`: `the string "2"`, `"1.2"`: `the string "1.2"`, `"1.2.3.4"`: `the string "1.2.3.4"`,
			`"v1.2.3"`: `the string "v1.2.3"`, `"1.2.3\n"`: `the string "1.2.3\n"`, `"01.2.3"`: `the string "01.2.3"`,
			`"1.9223372036854775808.0"`:              `the string "1.9223372036854775808.0"`,
			`"1.2-` + strings.Repeat("a", 300) + `"`: `the string "1.2-` + strings.Repeat("a", 54) + "…",
		}},
		"recommendedExpireTimes": {
			old:      valid[strings.Index(valid, "[") : strings.LastIndex(valid, "]")+1],
			expected: "expected an array of expiry entries, found ",
			found:    map[string]string{`{}`: "an object", `null`: "null", `"[]"`: `the string "[]"`},
		},
		"recommendedExpireTimes[0]": {
			old: `{"label": "30 minutes", "inSeconds": 1800, "value": 30}`, expected: "expected an object, found ",
			found: map[string]string{`null`: "null", `1800`: "the number 1800", `[1800]`: "an array"},
		},
		"recommendedExpireTimes[0].label": {old: `"30 minutes"`, expected: aString, found: map[string]string{
			`null`: "null", `30`: "the number 30",
		}},
		"recommendedExpireTimes[0].inSeconds": {old: `1800`, expected: anInteger, found: map[string]string{
			`null`: "null", `-1`: "the number -1", `"1800"`: `the string "1800"`,
		}},
		"recommendedExpireTimes[1].value": {old: `60}`, expected: anInteger, found: map[string]string{
			`null}`: "null", `-30.0}`: "the number -30.0", `false}`: "false",
		}},
	}
	for path, test := range tests {
		for value, found := range test.found {
			t.Run(path+" "+value, func(t *testing.T) {
				t.Parallel()
				_, documentError := parse(t, []byte(edit(t, test.old, value)))
				checkFaults(t, documentError, path+": "+test.expected+found)
			})
		}
	}
}

func TestMemberNamesMatchExactly(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"chunksize", "CHUNKSIZE", "chunk_size", "chunkSize ", `chun\u212aSize`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, documentError := parse(t, []byte(edit(t, "chunkSize", name)))
			checkFaults(t, documentError, "chunkSize: "+missing)
		})
	}
}

// TestDuplicateMembers adds members to the valid document, before maxTransfersInMerge or at the end of the first entry.
// A duplicate member is the only fault that is listed, the first of several.
func TestDuplicateMembers(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("n", 100)
	bottom := strings.Repeat("[", 98) + `{"a": 1, "a": 2}` + strings.Repeat("]", 98)

	tests := map[string]struct {
		inRoot, inEntry, path string
	}{
		"required field":           {inRoot: `"fileMaxSize": 1, `, path: "fileMaxSize"},
		"in an entry":              {inEntry: `, "value": 31`, path: "recommendedExpireTimes[0].value"},
		"before another fault":     {inRoot: `"motd": 1, "motd": 2, `, inEntry: `, "inSeconds": null`, path: "motd"},
		"unknown, escaped":         {inRoot: `"motd": 1, "\u006dotd": 2, `, path: "motd"},
		"nested":                   {inRoot: `"motd": {"texts": [0, {"en": 1, "de": 2, "en": 3}, 1]}, `, path: "motd.texts[1].en"},
		"several":                  {inRoot: `"motd": {"a": 1, "a": 2, "b": [{"c": 1, "c": 2}], "b": 2}, "motd": 0, `, path: "motd.a"},
		"name not safe to print":   {inRoot: `"a\u001b[31m\u202e": 1, "a\u001b[31m\u202e": 2, `, path: "a[31m"},
		"no name":                  {inRoot: `"": 1, "": 2, `, path: "the document"},
		"long name":                {inRoot: `"` + long + `": 1, "` + long + `": 2, `, path: long[:59] + "…"},
		"in a member of long name": {inRoot: `"` + long + `": {"a": 1, "a": 2}, `, path: long[:59] + "…"},
		"at the bottom":            {inRoot: `"motd": ` + bottom + `, `, path: "motd" + strings.Repeat("[0]", 18) + "[…"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := edit(t, `"maxTransfersInMerge"`, test.inRoot+`"maxTransfersInMerge"`)
			document = strings.Replace(document, `"value": 30`, `"value": 30`+test.inEntry, 1)
			_, documentError := parse(t, []byte(document))
			checkFaults(t, documentError, test.path+": "+twice)
		})
	}

	t.Run("before the text stops being JSON", func(t *testing.T) {
		t.Parallel()
		_, documentError := parse(t, []byte(`{"motd": {"a": 1, "a": [}`))
		checkFaults(t, documentError, "motd.a: "+twice)
	})
}

// A document is read by recursion, so that its depth is limited.
func TestDocumentThatIsTooDeep(t *testing.T) {
	t.Parallel()
	for document, path := range map[string]string{
		`{"motd": ` + strings.Repeat("[", 100):              "motd" + strings.Repeat("[0]", 18) + "[…",
		`{"motd": ` + strings.Repeat(`{"a": `, 100):         "motd" + strings.Repeat(".a", 27) + ".…",
		strings.Repeat("[", 101) + strings.Repeat("]", 101): strings.Repeat("[0]", 19) + "[0…",
	} {
		_, documentError := parse(t, []byte(document))
		checkFaults(t, documentError, path+": more than 100 levels deep")
	}
}

// TestNotJSON pins where a text stops being JSON. Most of the reasons are the decoder's, so only their start is compared.
func TestNotJSON(t *testing.T) {
	t.Parallel()

	const (
		root    = "the document: "
		label   = "recommendedExpireTimes[1].label: "
		cut     = "the document ends early at byte "
		atStart = " at start of value at byte "
	)
	inLabel := func(text string) string { return valid[:strings.Index(valid, "1 heure")] + text }

	tests := map[string]struct {
		document, want string
	}{
		"empty":                   {document: "", want: root + "empty"},
		"only a byte order mark":  {document: "\uFEFF", want: root + "empty"},
		"two byte order marks":    {document: "\uFEFF\uFEFF" + valid, want: root + `invalid character '\ufeff'` + atStart + "0"},
		"UTF-16":                  {document: "\xFF\xFE{\x00}\x00", want: root + `invalid character '\xff'` + atStart + "0"},
		"HTML":                    {document: "<!DOCTYPE html>\n<html></html>", want: root + "invalid character '<'" + atStart + "0"},
		"cut after a name":        {document: `{"fileMaxSize"`, want: "fileMaxSize: " + cut + "14"},
		"cut in a character":      {document: inLabel("1 ann\xc3"), want: label + cut},
		"cut in an unknown value": {document: `{"motd": {"texts": [0, {"en": `, want: "motd.texts[1].en: " + cut + "30"},
		"cut after a fault":       {document: `{"fileMaxSize": null, "chunkSize": `, want: "chunkSize: " + cut + "35"},
		"NaN":                     {document: `{"fileMaxSize": NaN}`, want: "fileMaxSize: invalid character 'N'" + atStart + "16"},
		"comma missing in array": {
			document: `{"recommendedExpireTimes": [1 2]}`,
			want:     "recommendedExpireTimes: invalid character '2' after array element (expecting ',' or ']') at byte 30",
		},
		"comma too many": {document: `{"requirePassword": false,}`, want: root + "invalid character ',' "},

		"invalid UTF-8 in a label": {document: inLabel("1 ann\xe9e\"}]}"), want: label + "invalid UTF-8 at byte "},
		"invalid UTF-8 in a name":  {document: "{\"\xff\": 1}", want: root + "invalid UTF-8 at byte 2"},
		"lone high surrogate":      {document: `{"motd": "\ud800"}`, want: "motd: invalid surrogate pair "},
		"raw control character": {
			document: "{\"motd\": \"\x1b\"}",
			want:     `motd: invalid character '\x1b' in string (expecting non-control character) at byte 10`,
		},
		"unknown escape":         {document: `{"motd": "\x41"}`, want: "motd: invalid escape sequence `\\x` in string at byte 10"},
		"name not safe to print": {document: `{"a\u001b\u202e": [}`, want: "a[0]: invalid character '}'" + atStart + "19"},
		"text after":             {document: "{}</html>", want: root + "invalid character '<'" + atStart + "2"},
		"text like a root":       {document: "404 page not found", want: root + "invalid character 'p'" + atStart + "4"},
		"array, then text":       {document: "[] []", want: root + "more text after the JSON value, at byte 2"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkNotJSON(t, test.document, test.want)
		})
	}
}

// checkNotJSON expects one fault, which contains want.
func checkNotJSON(t *testing.T, document, want string) {
	t.Helper()
	_, documentError := parse(t, []byte(document))
	switch {
	case documentError == nil:
		t.Errorf("no error for %q", document)
	case !documentError.NotJSON || len(documentError.Faults) != 1 || !strings.Contains(documentError.Faults[0].String(), want):
		t.Errorf("NotJSON %t, faults %q; want true, %q", documentError.NotJSON, documentError.Lines(), want)
	}
}

func TestEveryFaultIsListed(t *testing.T) {
	t.Parallel()

	document := edit(t, `"fileMaxSize": 60000000000`, `"motd": {"a": null}`,
		`"chunkSize": 20000000,
  "requirePassword": false`, `"requirePassword": "no",
  "chunkSize": -1`,
		`"apiVersion": "2.1.3",`, ``, `"2592000"`, `[]`, `50`, `null`,
		`{"label": "30 minutes", "inSeconds": 1800, "value": 30}`, `{"value": 0.5}, [], {"label": "1 hour", "inSeconds": 3600}`,
		`{"label": "1 heure", "inSeconds": 3600, "value": 60}`, `{"value": null, "label": 1, "inSeconds": "x"}`)
	want := []string{ // in the order of the guide, missing fields too
		"fileMaxSize: " + missing,
		"chunkSize: " + anInteger + "the number -1",
		"requirePassword: " + aBoolean + `the string "no"`,
		"apiVersion: " + missing,
		"fileMaxAge: " + anAge + "an array",
		"maxTransfersInMerge: " + anInteger + nullLimit,
		"recommendedExpireTimes[0].label: " + missing,
		"recommendedExpireTimes[0].value: " + anInteger + "the number 0.5",
		"recommendedExpireTimes[1]: expected an object, found an array",
		"recommendedExpireTimes[2].value: " + missing,
		"recommendedExpireTimes[3].label: " + aString + "the number 1",
		"recommendedExpireTimes[3].inSeconds: " + anInteger + `the string "x"`,
		"recommendedExpireTimes[3].value: " + anInteger + "null",
	}
	_, documentError := parse(t, []byte(document))
	checkFaults(t, documentError, want...)
	if got, want := documentError.Error(), "not an instance document: "+strings.Join(want, "; "); got != want {
		t.Errorf("error:\n  %s\nwant:\n  %s", got, want)
	}

	_, documentError = parse(t, []byte(`{"statusCode": 404, "error": "Not Found", "message": "Route GET:/instance/ not found"}`))
	var required []string
	for _, field := range []string{"fileMaxSize", "chunkSize", "requirePassword", "apiVersion", "fileMaxAge", "recommendedExpireTimes"} {
		required = append(required, field+": "+missing)
	}
	checkFaults(t, documentError, required...)
}

func TestAtMost20FaultsAreListed(t *testing.T) {
	t.Parallel()
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprintf("recommendedExpireTimes[%d]: expected an object, found null", i))
	}
	for faulty, more := range map[int][]string{20: nil, 21: {"and 1 more"}, 100: {"and 80 more"}} {
		_, documentError := parse(t, []byte(withEntries(t, slices.Repeat([]string{"null"}, faulty)...)))
		checkFaults(t, documentError, slices.Concat(want, more)...)
	}
}

func TestAtMost100Entries(t *testing.T) {
	t.Parallel()

	entries := slices.Repeat([]string{`{"label": "1 h", "inSeconds": 3600, "value": 60}`}, 101)
	const tooMany = "recommendedExpireTimes: expected at most 100 entries, found "
	tests := map[string]struct {
		entries    []string
		wantFaults []string
	}{
		"none":         {},
		"as many":      {entries: entries[:100]},
		"one too many": {entries: entries, wantFaults: []string{tooMany + "101"}},
		// Entries past the bound are counted, not read.
		"faulty past the bound": {
			entries:    append(slices.Clone(entries[:100]), "null", "{}", "[[]]"),
			wantFaults: []string{tooMany + "103"},
		},
		"faulty before the bound": {
			entries:    append(slices.Clone(entries[:99]), "null", "null"),
			wantFaults: []string{tooMany + "101", "recommendedExpireTimes[99]: expected an object, found null"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			details, documentError := parse(t, []byte(withEntries(t, test.entries...)))
			if test.wantFaults != nil {
				checkFaults(t, documentError, test.wantFaults...)
				return
			}
			if documentError != nil {
				t.Fatal(documentError)
			}
			if got := len(details.RecommendedExpireTimes); got != len(test.entries) {
				t.Errorf("%d entries, want %d", got, len(test.entries))
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()

	const contradictory, short = instance.ContradictoryUnits, instance.SuspiciouslyShort
	tests := map[string]struct {
		units string
		kind  instance.WarningKind // 0: no warning
		says  string               // of the units
	}{
		"consistent":            {units: `"inSeconds": 3600, "value": 60`},
		"rounded down":          {units: `"inSeconds": 3659, "value": 60`},
		"under a minute, newer": {units: `"inSeconds": 59, "value": 0`},
		"zero, newer":           {units: `"inSeconds": 0, "value": 0`},
		"a minute, older":       {units: `"value": 60`},
		"largest":               {units: `"inSeconds": 9223372036854775807, "value": 153722867280912930`},
		"largest, older":        {units: `"value": 9223372036854775807`},
		"value whose seconds overflow": {
			`"inSeconds": 60, "value": 9223372036854775807`, contradictory, "inSeconds is 60, in whole minutes 1, but value is 9223372036854775807",
		},
		"rounded up":            {`"inSeconds": 3659, "value": 61`, contradictory, "inSeconds is 3659, in whole minutes 60, but value is 61"},
		"one minute too few":    {`"inSeconds": 3600, "value": 59`, contradictory, "inSeconds is 3600, in whole minutes 60, but value is 59"},
		"seconds in both":       {`"inSeconds": 3600, "value": 3600`, contradictory, "inSeconds is 3600, in whole minutes 60, but value is 3600"},
		"zero seconds only":     {`"inSeconds": 0, "value": 30`, contradictory, "inSeconds is 0, in whole minutes 0, but value is 30"},
		"under a minute, older": {`"value": 59`, short, "59"},
		"zero, older":           {`"value": 0`, short, "0"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := `{"label": "a", "value": 45}`, `{"label": "\u001b`+strings.Repeat("分", 100)+`", `+test.units+`}`
			details, documentError := parse(t, []byte(withEntries(t, first, second)))
			if documentError != nil {
				t.Fatal(documentError)
			}
			const firstEntry = `recommendedExpireTimes[0] ("a"): 45`
			want := []instance.Warning{{Kind: short, Entry: firstEntry}}
			if test.kind != 0 {
				label := strings.Repeat("分", 59) + "…" // safe to print, and cut
				want = append(want, instance.Warning{Kind: test.kind, Entry: `recommendedExpireTimes[1] ("` + label + `"): ` + test.says})
			}
			if strings.Contains(test.units, "inSeconds") { // the first entry has none
				want = append(want, instance.Warning{Kind: instance.MixedUnits, Entry: firstEntry})
			}
			if !slices.Equal(details.Warnings, want) {
				t.Errorf("warnings:\n  %+v\nwant:\n  %+v", details.Warnings, want)
			}
			if got := len(details.RecommendedExpireTimes); got != 2 {
				t.Errorf("%d entries, want 2: a doubtful entry is still an entry", got)
			}
		})
	}
}

// The version decides only where the instance does not say.
func TestDefaultMergeLimit(t *testing.T) {
	t.Parallel()
	for version, byDefault := range map[string]int64{
		"0.9.0": 10, "1.99.99": 10, "1.9.9+2.0.0": 10, "2.0.0-rc.1": 50, "2.0.0": 50, "2.0.0+build": 50, "10.0.0": 50,
	} {
		for delivered, want := range map[string]int64{
			``: byDefault, `"MaxTransfersInMerge": 33, `: byDefault, `"maxTransfersInMerge": 33, `: 33, `"maxTransfersInMerge": 0, `: 0,
		} {
			document := strings.Replace(edit(t, `"2.1.3"`, `"`+version+`"`), `"maxTransfersInMerge": 50,`, delivered, 1)
			if details, err := parse(t, []byte(document)); err != nil || details.MaxTransfersInMerge != want {
				t.Errorf("%s with %q: %+v, want %d; %v", version, delivered, details, want, err)
			}
		}
	}
}

// TestTextsAreRedacted puts a secret into every kind of text that a message repeats.
func TestTextsAreRedacted(t *testing.T) {
	t.Parallel()

	const secret, escaped = "s3cret\nvalue", `s3cret\nvalue`
	redact := strings.NewReplacer(secret, "(redacted)", "1234567", "(redacted)", "'S'", "(redacted)").Replace
	padding := strings.Repeat("x", 50) // the cut would leave a part of the secret

	faults := map[string]struct{ old, replacement, want string }{
		"string":             {`"2592000"`, `"a ` + escaped + `"`, `fileMaxAge: ` + anAge + `the string "a (redacted)"`},
		"string that is cut": {`"2592000"`, `"` + padding + escaped + `"`, `fileMaxAge: ` + anAge + `the string "` + padding + `(redacte…`},
		"number":             {`60000000000`, `-1234567`, "fileMaxSize: " + anInteger + "the number -(redacted)"},
		"nested names": {
			`"chunkSize"`, `"` + escaped + `": [{"a` + escaped + `": 1, "a` + escaped + `": 2}], "chunkSize"`, "(redacted)[0].a(redacted): " + twice,
		},
		"name that is cut": {
			`"chunkSize"`, `"` + padding + escaped + `": {"b": 1, "b": 2}, "chunkSize"`, padding + "(redacted…: " + twice,
		},
	}
	for name, test := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, documentError := parseRedacted(t, []byte(edit(t, test.old, test.replacement)), redact)
			checkFaults(t, documentError, test.want)
		})
	}

	t.Run("text that is not JSON", func(t *testing.T) {
		t.Parallel()
		_, documentError := parseRedacted(t, []byte(`{"1234567": S}`), redact)
		want := "not an instance document: [(redacted)]: invalid character 'S' at start of value at byte 12"
		if documentError == nil || documentError.Error() != want {
			t.Errorf("%v, want %s", documentError, want)
		}
	})
	t.Run("label of a warning, not of the entry", func(t *testing.T) {
		t.Parallel()
		details, documentError := parseRedacted(t, []byte(withEntries(t, `{"label": "`+escaped+`", "value": 30}`)), redact)
		if documentError != nil {
			t.Fatal(documentError)
		}
		if got := details.Warnings[0].Entry; got != `recommendedExpireTimes[0] ("(redacted)"): 30` {
			t.Errorf("the warning says %q", got)
		}
		if got := details.RecommendedExpireTimes[0].Label; got != secret {
			t.Errorf("label %q of the entry, want it as delivered", got)
		}
	})
}
