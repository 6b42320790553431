package instance_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
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

// edit is valid with its one occurrence of old replaced.
func edit(t *testing.T, old, replacement string) string {
	t.Helper()
	if n := strings.Count(valid, old); n != 1 {
		t.Fatalf("%q occurs %d times in the valid document, want once", old, n)
	}
	return strings.Replace(valid, old, replacement, 1)
}

// withEntries is valid with other expiry entries.
func withEntries(t *testing.T, entries ...string) string {
	t.Helper()
	start, end := strings.Index(valid, "["), strings.Index(valid, "]")
	if start < 0 || end < start {
		t.Fatal("the valid document has no array")
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
		checkPrintable(t, warning.Path)
		checkPrintable(t, warning.Label)
		if utf8.RuneCountInString(warning.Label) > 60 {
			t.Errorf("label %q of a warning, want at most 60 characters", warning.Label)
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

var (
	english = []string{"30 minutes", "1 hour", "6 hours", "1 day", "3 days", "1 week", "2 weeks", "1 month"}
	french  = []string{"30 minutes", "1 heure", "6 heures", "1 jour", "3 jours", "1 semaine", "2 semaines", "1 mois"}
	spanish = []string{"30 minutos", "1 hora", "6 horas", "1 día", "3 días", "1 semana", "2 semanas", "1 mes"}
)

// suggestions are the eight durations from half an hour to a month that the documents of testdata suggest.
func suggestions(labels []string, more ...instance.ExpireTime) []instance.ExpireTime {
	var expireTimes []instance.ExpireTime
	for i, inSeconds := range []int64{1800, 3600, 21600, 86400, 259200, 604800, 1209600, 2592000} {
		expireTimes = append(expireTimes, instance.ExpireTime{Label: labels[i], InSeconds: inSeconds})
	}
	return append(expireTimes, more...)
}

// TestDocuments reads whole documents that no release of the service answers. TestReleasesOfTheService reads those that one
// does.
func TestDocuments(t *testing.T) {
	t.Parallel()

	tests := map[string]func(*instance.Details){ // how the details differ from the usual ones
		"newer.json": func(d *instance.Details) { d.RecommendedExpireTimes = suggestions(french) },
		"older.json": func(d *instance.Details) {
			d.FileMaxSizeBytes = 10000000000
			d.RequirePassword = true
			d.APIVersion = instance.Version{Text: "1.2.0", Major: 1, Minor: 2}
			d.MaxTransfersInMerge = 10
			d.RecommendedExpireTimes = suggestions(spanish)
		},
		"mixed_units_by_entry.json": func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "1.4.2", Major: 1, Minor: 4, Patch: 2}
			d.MaxTransfersInMerge = 10
		},
		"merge_limit_in_older_shape.json": func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "1.4.2", Major: 1, Minor: 4, Patch: 2}
			d.MaxTransfersInMerge = 25
		},
		"older_shape_from_version_2.json": func(d *instance.Details) { d.APIVersion = instance.Version{Text: "2.0.0", Major: 2} },
		"exponent_form.json": func(d *instance.Details) {
			d.FileMaxAgeSeconds = 15770000000
			d.RecommendedExpireTimes = suggestions(english, instance.ExpireTime{Label: "500 years", InSeconds: 15770000000})
		},
		"unknown_fields.json": func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "3.0.1", Major: 3, Patch: 1}
			d.MaxTransfersInMerge = 100
			d.RecommendedExpireTimes = suggestions(french)
		},
	}

	files, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(tests) {
		t.Errorf("%d documents, and %d are in the table: %q", len(files), len(tests), files)
	}
	for name, differ := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			want := validDetails()
			want.RecommendedExpireTimes = suggestions(english)
			differ(&want)
			details, documentError := parse(t, document)
			checkEqualDetails(t, details, documentError, want)
		})
	}
}

func TestTrimByteOrderMark(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		"": "", "{}": "{}", "\uFEFF": "", "\uFEFF{}": "{}",
		"\uFEFF\uFEFF{}": "\uFEFF{}",   // just one
		"{\uFEFF}":       "{\uFEFF}",   // not leading
		"\xEF\xBB{}":     "\xEF\xBB{}", // a part of one
	} {
		if got := string(instance.TrimByteOrderMark([]byte(document))); got != want {
			t.Errorf("TrimByteOrderMark(%q) = %q, want %q", document, got, want)
		}
	}
}

// TestUnusualButValid replaces one piece of the valid document with something unusual that is no fault.
func TestUnusualButValid(t *testing.T) {
	t.Parallel()

	const largestVersion = "9223372036854775807.0.9223372036854775807"
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)

	tests := map[string]struct {
		old, with string
		want      func(*instance.Details) // how the details differ; nil if they do not
	}{
		"nothing unusual": {},

		"zero size":        {old: `60000000000`, with: `0`, want: func(d *instance.Details) { d.FileMaxSizeBytes = 0 }},
		"negative zero":    {old: `60000000000`, with: `-0`, want: func(d *instance.Details) { d.FileMaxSizeBytes = 0 }},
		"zero merge limit": {old: `50`, with: `0`, want: func(d *instance.Details) { d.MaxTransfersInMerge = 0 }},
		"largest": {old: `60000000000`, with: `9223372036854775807`, want: func(d *instance.Details) {
			d.FileMaxSizeBytes = math.MaxInt64
		}},
		"password required": {old: `false`, with: `true`, want: func(d *instance.Details) { d.RequirePassword = true }},

		"age as number":          {old: `"2592000"`, with: `2592000`},
		"age as scaled number":   {old: `"2592000"`, with: `2.592E+6`},
		"age with leading zeros": {old: `"2592000"`, with: `"000000000000000000002592000"`},
		"age of escaped digits":  {old: `"2592000"`, with: `"\u0032592000"`},
		"zero age":               {old: `"2592000"`, with: `"0"`, want: func(d *instance.Details) { d.FileMaxAgeSeconds = 0 }},
		"largest age": {old: `"2592000"`, with: `"9223372036854775807"`, want: func(d *instance.Details) {
			d.FileMaxAgeSeconds = math.MaxInt64
		}},

		"pre-release": {old: `"2.1.3"`, with: `"2.0.0-rc.1"`, want: func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "2.0.0-rc.1", Major: 2}
		}},
		"build": {old: `"2.1.3"`, with: `"2.0.0+build.7"`, want: func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "2.0.0+build.7", Major: 2}
		}},
		"pre-release and build": {old: `"2.1.3"`, with: `"1.2.3-beta.4+e5-f"`, want: func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "1.2.3-beta.4+e5-f", Major: 1, Minor: 2, Patch: 3}
		}},
		"all zero version": {old: `"2.1.3"`, with: `"0.0.0"`, want: func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "0.0.0"}
		}},
		"largest version": {old: `"2.1.3"`, with: `"` + largestVersion + `"`, want: func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: largestVersion, Major: math.MaxInt64, Patch: math.MaxInt64}
		}},

		"byte order mark":                   {old: valid, with: "\uFEFF" + valid},
		"white space around the document":   {old: valid, with: " \r\n\t" + valid + " \r\n\t"},
		"white space before a colon":        {old: `"fileMaxSize":`, with: "\"fileMaxSize\"\r\n\t :\r\n\t "},
		"escaped field name":                {old: `"fileMaxSize"`, with: `"\u0066ileMaxSize"`},
		"unknown field, other case":         {old: `"chunkSize"`, with: `"ChunkSize": null, "chunkSize"`},
		"unknown field without name":        {old: `"chunkSize"`, with: `"": 1, "chunkSize"`},
		"unknown fields in an entry":        {old: `"value": 30`, with: `"value": 30, "Value": -1, "days": null`},
		"same unknown field in two objects": {old: `"value": 30`, with: `"value": 30, "x": {"y": [{"y": 1}, {"y": 2}]}`},
		"text that looks like duplicates":   {old: `"chunkSize"`, with: `"x": "{\"a\": 1, \"a\": 2}", "chunkSize"`},
		"unknown field, deeply nested":      {old: `"chunkSize"`, with: `"x": ` + deep + `, "chunkSize"`},

		"empty label": {old: `"1 heure"`, with: `""`, want: func(d *instance.Details) { d.RecommendedExpireTimes[1].Label = "" }},
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
			document, want := valid, validDetails()
			if test.old != "" {
				document = edit(t, test.old, test.with)
			}
			if test.want != nil {
				test.want(&want)
			}
			details, documentError := parse(t, []byte(document))
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
			`null`: "null", `true`: "true", `{"bytes": 1}`: "an object", `[1]`: "an array", `"1"`: `the string "1"`,
			`-1`: "the number -1", `1.5`: "the number 1.5", `15e-1`: "the number 15e-1", `1e19`: "the number 1e19",
			`9223372036854775808`:    "the number 9223372036854775808",
			`1e999999999`:            "the number 1e999999999",
			`1e-9999999999999999999`: "the number 1e-9999999999999999999",
			strings.Repeat("9", 100): "the number " + strings.Repeat("9", 59) + "…",
		}},
		"chunkSize":           {`20000000`, anInteger, map[string]string{`null`: "null"}},
		"maxTransfersInMerge": {old: `50`, expected: anInteger, found: map[string]string{`null`: "null", `-1`: "the number -1"}},
		"requirePassword": {old: `false`, expected: aBoolean, found: map[string]string{
			`null`: "null", `0`: "the number 0", `"false"`: `the string "false"`,
		}},
		"fileMaxAge": {old: `"2592000"`, expected: anAge, found: map[string]string{
			`null`: "null", `true`: "true", `["1"]`: "an array", `-1`: "the number -1", `0.5`: "the number 0.5",
			`""`: `the string ""`, `"-1"`: `the string "-1"`, `"1e3"`: `the string "1e3"`, `"1.0"`: `the string "1.0"`,
			`"1 mois"`: `the string "1 mois"`, `"١٢"`: `the string "١٢"`,
			`"9223372036854775808"`: `the string "9223372036854775808"`,
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
			`"v1.2.3"`: `the string "v1.2.3"`, `"1..3"`: `the string "1..3"`, `"1.-2.3"`: `the string "1.-2.3"`,
			`"1.2.3 "`: `the string "1.2.3 "`, `"1.2.3\n"`: `the string "1.2.3\n"`, `"01.2.3"`: `the string "01.2.3"`,
			`"1.2.3-"`: `the string "1.2.3-"`, `"١.٢.٣"`: `the string "١.٢.٣"`,
			`"1.9223372036854775808.0"`:              `the string "1.9223372036854775808.0"`,
			`"1.0.18446744073709551616"`:             `the string "1.0.18446744073709551616"`,
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

func TestMissingFields(t *testing.T) {
	t.Parallel()

	tests := map[string]struct{ old, with, path string }{
		"size":                 {old: `"fileMaxSize": 60000000000,`, path: "fileMaxSize"},
		"chunk":                {old: `"chunkSize": 20000000,`, path: "chunkSize"},
		"password":             {old: `"requirePassword": false,`, path: "requirePassword"},
		"version":              {old: `"apiVersion": "2.1.3",`, path: "apiVersion"},
		"age":                  {old: `"fileMaxAge": "2592000",`, path: "fileMaxAge"},
		"label":                {old: `"label": "30 minutes", `, path: "recommendedExpireTimes[0].label"},
		"value":                {old: `, "value": 30`, path: "recommendedExpireTimes[0].value"},
		"in lower case":        {old: `"recommendedExpireTimes"`, with: `"recommendedexpiretimes"`, path: "recommendedExpireTimes"},
		"in upper case":        {old: `"value": 30`, with: `"VALUE": 30`, path: "recommendedExpireTimes[0].value"},
		"in snake case":        {old: `"fileMaxSize"`, with: `"file_max_size"`, path: "fileMaxSize"},
		"with a space":         {old: `"fileMaxSize"`, with: `"fileMaxSize "`, path: "fileMaxSize"},
		"equal if case folded": {old: `"chunkSize"`, with: `"chun\u212aSize"`, path: "chunkSize"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, documentError := parse(t, []byte(edit(t, test.old, test.with)))
			checkFaults(t, documentError, test.path+": "+missing)
		})
	}
}

// TestDuplicateMembers adds members to the valid document, before maxTransfersInMerge or at the end of the first entry.
// A duplicate member is the only fault that is listed, the first of several.
func TestDuplicateMembers(t *testing.T) {
	t.Parallel()

	var many strings.Builder // m0 to m99
	for i := range 100 {
		fmt.Fprintf(&many, `"m%d": 0, `, i)
	}
	long := strings.Repeat("n", 100)
	bottom := strings.Repeat("[", 9000) + `{"a": 1, "a": 2}` + strings.Repeat("]", 9000)

	tests := map[string]struct {
		inRoot, inEntry, path string
	}{
		"required field":           {inRoot: `"fileMaxSize": 1, `, path: "fileMaxSize"},
		"required field, escaped":  {inRoot: `"\u0066ileMaxSize": 1, `, path: "fileMaxSize"},
		"same value":               {inRoot: `"fileMaxSize": 60000000000, `, path: "fileMaxSize"},
		"of another type":          {inRoot: `"fileMaxSize": {"a": [null]}, `, path: "fileMaxSize"},
		"in an entry":              {inEntry: `, "value": 31`, path: "recommendedExpireTimes[0].value"},
		"before another fault":     {inRoot: `"motd": 1, "motd": 2, `, inEntry: `, "inSeconds": null`, path: "motd"},
		"unknown, escaped":         {inRoot: `"motd": 1, "\u006dotd": 2, `, path: "motd"},
		"unknown, in an entry":     {inEntry: `, "motd": 1, "motd": 2`, path: "recommendedExpireTimes[0].motd"},
		"nested":                   {inRoot: `"motd": {"texts": [0, {"en": 1, "de": 2, "en": 3}, 1]}, `, path: "motd.texts[1].en"},
		"nested, in an entry":      {inEntry: `, "motd": [{"a/b": 1, "a\/b": 1}]`, path: "recommendedExpireTimes[0].motd[0].a/b"},
		"nested, after an object":  {inRoot: `"motd": {"a": {"b": 1}, "b": {}, "a": 2}, `, path: "motd.a"},
		"several":                  {inRoot: `"motd": {"a": 1, "a": 2, "b": [{"c": 1, "c": 2}], "b": 2}, "motd": 0, `, path: "motd.a"},
		"first of many":            {inRoot: many.String() + `"m0": 1, `, path: "m0"},
		"last of many":             {inRoot: many.String() + `"m99": 1, `, path: "m99"},
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

// TestNotJSON pins where a text stops being JSON. Most of the reasons are the decoder's, so only their start is compared.
func TestNotJSON(t *testing.T) {
	t.Parallel()

	const (
		root    = "the document: "
		label   = "recommendedExpireTimes[1].label: "
		cut     = "unexpected end of the document at byte "
		atStart = " at start of value at byte "
	)
	inLabel := func(text string) string { return valid[:strings.Index(valid, "1 heure")] + text }
	afterValid := func(format string, offset int) string { return root + fmt.Sprintf(format, len(valid)+offset) }

	tests := map[string]struct {
		document, want string
	}{
		"empty":                   {document: "", want: root + "empty"},
		"white space":             {document: " \r\n\t", want: root + "empty"},
		"only a byte order mark":  {document: "\uFEFF", want: root + "empty"},
		"two byte order marks":    {document: "\uFEFF\uFEFF" + valid, want: root + `invalid character '\ufeff'` + atStart + "0"},
		"UTF-16":                  {document: "\xFF\xFE{\x00}\x00", want: root + `invalid character '\xff'` + atStart + "0"},
		"HTML":                    {document: "<!DOCTYPE html>\n<html></html>", want: root + "invalid character '<'" + atStart + "0"},
		"plain text":              {document: "Bad Gateway", want: root + "invalid character 'B'" + atStart + "0"},
		"terminal escapes":        {document: "\x1b[31mno\x1b[0m", want: root + `invalid character '\x1b'` + atStart + "0"},
		"literal cut":             {document: "tru", want: root + cut + "3"},
		"cut before a name":       {document: `{`, want: root + cut + "1"},
		"cut after a name":        {document: `{"fileMaxSize"`, want: "fileMaxSize: " + cut + "14"},
		"cut in a number":         {document: `{"fileMaxSize": 6`, want: root + cut + "17"},
		"cut in a string":         {document: inLabel("1 he"), want: label + cut},
		"cut in a character":      {document: inLabel("1 ann\xc3"), want: label + cut},
		"cut in an unknown value": {document: `{"motd": {"texts": [0, {"en": `, want: "motd.texts[1].en: " + cut + "30"},
		"cut after a fault":       {document: `{"fileMaxSize": null, "chunkSize": `, want: "chunkSize: " + cut + "35"},
		"value missing":           {document: `{"fileMaxSize": }`, want: "fileMaxSize: missing value after object name at byte 16"},
		"leading zero":            {document: `{"fileMaxSize": 012}`, want: root + "invalid character '1' after object value "},
		"plus sign":               {document: `{"fileMaxSize": +1}`, want: "fileMaxSize: invalid character '+'" + atStart + "16"},
		"NaN":                     {document: `{"fileMaxSize": NaN}`, want: "fileMaxSize: invalid character 'N'" + atStart + "16"},
		"single quotes":           {document: `{'fileMaxSize': 1}`, want: root + `invalid character '\''` + atStart + "1"},
		"comma missing in array": {
			document: `{"recommendedExpireTimes": [1 2]}`,
			want:     "recommendedExpireTimes: invalid character '2' after array element (expecting ',' or ']') at byte 30",
		},
		"comma too many":    {document: `{"requirePassword": false,}`, want: root + "invalid character ',' "},
		"wrong bracket":     {document: `{"motd": [}`, want: "motd[0]: invalid character '}'" + atStart + "10"},
		"name not a string": {document: `{1: 2}`, want: root + "object member name must be a string at byte 1"},
		"comment":           {document: `{/* none */}`, want: root + "invalid character '/'" + atStart + "1"},

		"invalid UTF-8 in a label":      {document: inLabel("1 ann\xe9e\"}]}"), want: label + "invalid UTF-8 at byte "},
		"invalid UTF-8 in a name":       {document: "{\"\xff\": 1}", want: root + "invalid UTF-8 at byte 2"},
		"invalid UTF-8 in unknown":      {document: "{\"motd\": [\"\xc0\x80\"]}", want: "motd[0]: invalid UTF-8 at byte 11"},
		"surrogate in UTF-8":            {document: "{\"motd\": \"\xed\xa0\x80\"}", want: "motd: invalid UTF-8 at byte 10"},
		"lone high surrogate":           {document: `{"motd": "\ud800"}`, want: "motd: invalid surrogate pair "},
		"lone low surrogate in a label": {document: inLabel(`\udc00"}]}`), want: label + "invalid surrogate pair "},
		"lone surrogate in a name":      {document: `{"\ud800": 1}`, want: root + "invalid surrogate pair "},
		"raw control character": {
			document: "{\"motd\": \"\x1b\"}",
			want:     `motd: invalid character '\x1b' in string (expecting non-control character) at byte 10`,
		},
		"unknown escape":         {document: `{"motd": "\x41"}`, want: "motd: invalid escape sequence `\\x` in string at byte 10"},
		"name not safe to print": {document: `{"a\u001b\u202e": [}`, want: "a[0]: invalid character '}'" + atStart + "19"},
		"too deep": {
			document: `{"motd": ` + strings.Repeat("[", 11_000),
			want:     "motd" + strings.Repeat("[0]", 18) + "[…: exceeded max depth at byte ",
		},
		"objects too deep": {
			document: `{"motd": ` + strings.Repeat(`{"a": `, 11_000),
			want:     "motd" + strings.Repeat(".a", 27) + ".…: exceeded max depth at byte ",
		},

		"second object":    {document: valid + valid, want: afterValid("more text after the JSON value, at byte %d", -1)},
		"literal after":    {document: valid + "true", want: afterValid("more text after the JSON value, at byte %d", -1)},
		"text after":       {document: valid + "</html>", want: afterValid("invalid character '<'"+atStart+"%d", 0)},
		"brace after":      {document: valid + "}", want: afterValid("invalid character '}'"+atStart+"%d", 0)},
		"comma after":      {document: valid + ",", want: afterValid("invalid character ','"+atStart+"%d", 0)},
		"NUL after":        {document: valid + "\x00", want: afterValid(`invalid character '\x00'`+atStart+"%d", 0)},
		"text like a root": {document: "404 page not found", want: root + "invalid character 'p'" + atStart + "4"},
		"array, then text": {document: "[] []", want: root + "more text after the JSON value, at byte 2"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkNotJSON(t, test.document, test.want)
		})
	}
}

// TestTruncated cuts the valid document at every byte.
func TestTruncated(t *testing.T) {
	t.Parallel()
	document := strings.TrimSpace(valid)
	for end := range len(document) {
		want := "unexpected end of the document at byte "
		if end == 0 {
			want = "empty"
		}
		checkNotJSON(t, document[:end], want)
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

	const document = `{
  "recommendedExpireTimes": [
    {"value": 0.5},
    [],
    {"label": "1 hour", "inSeconds": 3600, "value": 60},
    {"value": null, "label": 1, "inSeconds": "x"}
  ],
  "maxTransfersInMerge": null,
  "fileMaxAge": [],
  "motd": {"a": null},
  "requirePassword": "no",
  "chunkSize": -1
}`
	// In the order of the contract, missing fields too.
	want := []string{
		"fileMaxSize: " + missing,
		"chunkSize: " + anInteger + "the number -1",
		"requirePassword: " + aBoolean + `the string "no"`,
		"apiVersion: " + missing,
		"fileMaxAge: " + anAge + "an array",
		"maxTransfersInMerge: " + anInteger + "null",
		"recommendedExpireTimes[0].label: " + missing,
		"recommendedExpireTimes[0].value: " + anInteger + "the number 0.5",
		"recommendedExpireTimes[1]: expected an object, found an array",
		"recommendedExpireTimes[3].label: " + aString + "the number 1",
		"recommendedExpireTimes[3].inSeconds: " + anInteger + `the string "x"`,
		"recommendedExpireTimes[3].value: " + anInteger + "null",
	}
	_, documentError := parse(t, []byte(document))
	checkFaults(t, documentError, want...)

	_, documentError = parse(t, []byte(`{"statusCode": 404, "error": "Not Found", "message": "Route GET:/instance/ not found"}`))
	checkFaults(t, documentError, "fileMaxSize: "+missing, "chunkSize: "+missing, "requirePassword: "+missing,
		"apiVersion: "+missing, "fileMaxAge: "+missing, "recommendedExpireTimes: "+missing)
}

func TestAtMost20FaultsAreListed(t *testing.T) {
	t.Parallel()
	for faulty, wantOmitted := range map[int]int{20: 0, 21: 1, 100: 80} {
		_, documentError := parse(t, []byte(withEntries(t, slices.Repeat([]string{"null"}, faulty)...)))
		if documentError == nil || len(documentError.Faults) != 20 || documentError.Omitted != wantOmitted {
			t.Fatalf("%d faulty entries: %+v, want 20 faults and %d omitted", faulty, documentError, wantOmitted)
		}
		for i, fault := range documentError.Faults {
			if want := fmt.Sprintf("recommendedExpireTimes[%d]", i); fault.Path != want {
				t.Errorf("fault %d is at %q, want %q", i, fault.Path, want)
			}
		}
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

	warning := func(kind instance.WarningKind, index int, label string, value, inSeconds int64) instance.Warning {
		return instance.Warning{
			Kind: kind, Path: fmt.Sprintf("recommendedExpireTimes[%d]", index), Label: label, Value: value, InSeconds: inSeconds,
		}
	}

	tests := map[string]struct {
		entries []string
		want    []instance.Warning
	}{
		"consistent":            {[]string{`{"label": "a", "inSeconds": 3600, "value": 60}`}, nil},
		"rounded down":          {[]string{`{"label": "a", "inSeconds": 3659, "value": 60}`}, nil},
		"under a minute, newer": {[]string{`{"label": "a", "inSeconds": 59, "value": 0}`}, nil},
		"zero, newer":           {[]string{`{"label": "a", "inSeconds": 0, "value": 0}`}, nil},
		"a minute, older":       {[]string{`{"label": "a", "value": 60}`}, nil},
		"largest":               {[]string{`{"label": "a", "inSeconds": 9223372036854775807, "value": 153722867280912930}`}, nil},
		"largest, older":        {[]string{`{"label": "a", "value": 9223372036854775807}`}, nil},
		"value whose seconds overflow": {[]string{`{"label": "a", "inSeconds": 60, "value": 9223372036854775807}`}, []instance.Warning{
			warning(instance.ContradictoryUnits, 0, "a", math.MaxInt64, 60),
		}},
		"rounded up": {[]string{`{"label": "a", "inSeconds": 3659, "value": 61}`}, []instance.Warning{
			warning(instance.ContradictoryUnits, 0, "a", 61, 3659),
		}},
		"seconds in both": {[]string{`{"label": "a", "inSeconds": 3600, "value": 3600}`}, []instance.Warning{
			warning(instance.ContradictoryUnits, 0, "a", 3600, 3600),
		}},
		"too few minutes": {[]string{`{"label": "a", "inSeconds": 3600, "value": 30}`}, []instance.Warning{
			warning(instance.ContradictoryUnits, 0, "a", 30, 3600),
		}},
		"one minute too few": {[]string{`{"label": "a", "inSeconds": 3600, "value": 59}`}, []instance.Warning{
			warning(instance.ContradictoryUnits, 0, "a", 59, 3600),
		}},
		"zero seconds only": {[]string{`{"label": "a", "inSeconds": 0, "value": 30}`}, []instance.Warning{
			warning(instance.ContradictoryUnits, 0, "a", 30, 0),
		}},
		"under a minute, older": {[]string{`{"label": "a", "value": 59}`}, []instance.Warning{
			warning(instance.SuspiciouslyShort, 0, "a", 59, 59),
		}},
		"zero, older": {[]string{`{"label": "a", "value": 0}`}, []instance.Warning{
			warning(instance.SuspiciouslyShort, 0, "a", 0, 0),
		}},
		"label is cut": {[]string{`{"label": "` + strings.Repeat("分", 100) + `", "value": 1}`}, []instance.Warning{
			warning(instance.SuspiciouslyShort, 0, strings.Repeat("分", 59)+"…", 1, 1),
		}},
		"both kinds, label safe to print": {
			[]string{
				`{"label": "30 分\u001b", "value": 30}`,
				`{"label": "b", "value": 3600}`,
				`{"label": "c", "inSeconds": 7200, "value": 7200}`,
				`{"label": "d", "value": 45}`,
			},
			[]instance.Warning{
				warning(instance.SuspiciouslyShort, 0, "30 分", 30, 30),
				warning(instance.ContradictoryUnits, 2, "c", 7200, 7200),
				warning(instance.SuspiciouslyShort, 3, "d", 45, 45),
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			details, documentError := parse(t, []byte(withEntries(t, test.entries...)))
			if documentError != nil {
				t.Fatal(documentError)
			}
			if !slices.Equal(details.Warnings, test.want) {
				t.Errorf("warnings:\n  %+v\nwant:\n  %+v", details.Warnings, test.want)
			}
			if got, want := len(details.RecommendedExpireTimes), len(test.entries); got != want {
				t.Errorf("%d entries, want %d: a doubtful entry is still an entry", got, want)
			}
		})
	}
}

// TestDefaultMergeLimit: the version decides only where the instance does
// not say.
func TestDefaultMergeLimit(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		version string
		want    int64
	}{
		"before 1":                    {"0.9.0", 10},
		"first":                       {"1.0.0", 10},
		"last before 2":               {"1.99.99", 10},
		"pre-release of 1":            {"1.2.3-beta.1", 10},
		"2 as a build":                {"1.9.9+2.0.0", 10},
		"pre-release of 2":            {"2.0.0-rc.1", 50},
		"2":                           {"2.0.0", 50},
		"build of 2":                  {"2.0.0+build", 50},
		"later 2":                     {"2.1.3", 50},
		"3":                           {"3.0.0", 50},
		"two digits are not a string": {"10.0.0", 50},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ofVersion := edit(t, `"2.1.3"`, `"`+test.version+`"`)
			for delivered, want := range map[string]int64{
				``:                            test.want,
				`"MaxTransfersInMerge": 33, `: test.want,
				`"maxTransfersInMerge": 33, `: 33,
				`"maxTransfersInMerge": 0, `:  0,
			} {
				document := strings.Replace(ofVersion, `"maxTransfersInMerge": 50,`, delivered, 1)
				details, documentError := parse(t, []byte(document))
				if documentError != nil {
					t.Fatal(documentError)
				}
				if details.MaxTransfersInMerge != want || details.APIVersion.Text != test.version {
					t.Errorf("limit %d of version %q with %q, want %d",
						details.MaxTransfersInMerge, details.APIVersion.Text, delivered, want)
				}
			}
		})
	}
}

// TestTextsAreRedacted puts a secret into every kind of text that a message repeats.
func TestTextsAreRedacted(t *testing.T) {
	t.Parallel()

	const secret = "s3cret\nvalue"
	redact := func(text string) string { return strings.ReplaceAll(text, secret, "(redacted)") }
	const escaped = `s3cret\nvalue`
	padding := strings.Repeat("x", 50) // the cut would leave a part of the secret

	faults := map[string]struct{ old, replacement, want string }{
		"string":             {`"2592000"`, `"a ` + escaped + `"`, `fileMaxAge: ` + anAge + `the string "a (redacted)"`},
		"string that is cut": {`"2592000"`, `"` + padding + escaped + `"`, `fileMaxAge: ` + anAge + `the string "` + padding + `(redacte…`},
		"name":               {`"chunkSize"`, `"` + escaped + `": 1, "` + escaped + `": 2, "chunkSize"`, "(redacted): " + twice},
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

	t.Run("number", func(t *testing.T) {
		t.Parallel()
		hide := func(text string) string { return strings.ReplaceAll(text, "1234567", "(redacted)") }
		_, documentError := parseRedacted(t, []byte(edit(t, `60000000000`, `-1234567`)), hide)
		checkFaults(t, documentError, "fileMaxSize: "+anInteger+"the number -(redacted)")
	})
	t.Run("text that is not JSON", func(t *testing.T) {
		t.Parallel()
		hide := func(text string) string {
			return strings.NewReplacer("'S'", "(redacted)", "motd", "(name)").Replace(text)
		}
		_, documentError := parseRedacted(t, []byte(`{"motd": S}`), hide)
		want := "not a JSON document: (name): invalid character (redacted) at start of value at byte 9"
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
		if got := details.Warnings[0].Label; got != "(redacted)" {
			t.Errorf("label %q of the warning", got)
		}
		if got := details.RecommendedExpireTimes[0].Label; got != secret {
			t.Errorf("label %q of the entry, want it as delivered", got)
		}
	})
}
