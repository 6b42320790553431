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

// valid is a document without faults; tables of inline documents replace one
// piece of it at a time.
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
	if n := len(details.RecommendedExpireTimes); n > 1000 {
		t.Errorf("%d expiry entries, want at most 1000", n)
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
	english  = []string{"30 minutes", "1 hour", "6 hours", "1 day", "3 days", "1 week", "2 weeks", "1 month"}
	french   = []string{"30 minutes", "1 heure", "6 heures", "1 jour", "3 jours", "1 semaine", "2 semaines", "1 mois"}
	japanese = []string{"30 分", "1 時間", "6 時間", "1 日", "3 日", "1 週間", "2 週間", "1 か月"}
	spanish  = []string{"30 minutos", "1 hora", "6 horas", "1 día", "3 días", "1 semana", "2 semanas", "1 mes"}
)

// suggestions are the eight durations from half an hour to a month that the
// documents of testdata suggest.
func suggestions(labels []string, more ...instance.ExpireTime) []instance.ExpireTime {
	var expireTimes []instance.ExpireTime
	for i, inSeconds := range []int64{1800, 3600, 21600, 86400, 259200, 604800, 1209600, 2592000} {
		expireTimes = append(expireTimes, instance.ExpireTime{Label: labels[i], InSeconds: inSeconds})
	}
	return append(expireTimes, more...)
}

func TestDocumentsInTheField(t *testing.T) {
	t.Parallel()

	// usual is the most frequent document; rows say how theirs differs.
	usual := func(differ func(*instance.Details)) instance.Details {
		details := validDetails()
		details.RecommendedExpireTimes = suggestions(english)
		differ(&details)
		return details
	}
	version := func(text string, major, minor, patch int64) instance.Version {
		return instance.Version{Text: text, Major: major, Minor: minor, Patch: patch}
	}

	tests := map[string]struct {
		want       instance.Details
		wantFaults []string
	}{
		"newer.json": {want: usual(func(d *instance.Details) {
			d.RecommendedExpireTimes = suggestions(french)
		})},
		"older.json": {want: usual(func(d *instance.Details) {
			d.FileMaxSizeBytes = 10000000000
			d.RequirePassword = true
			d.APIVersion = version("1.2.0", 1, 2, 0)
			d.MaxTransfersInMerge = 10
			d.RecommendedExpireTimes = suggestions(spanish)
		})},
		"mixed_in_seconds_without_merge_limit.json": {want: usual(func(d *instance.Details) {
			d.APIVersion = version("1.5.0", 1, 5, 0)
			d.MaxTransfersInMerge = 10
			d.RecommendedExpireTimes = suggestions(japanese)
		})},
		"mixed_units_by_entry.json": {want: usual(func(d *instance.Details) {
			d.APIVersion = version("1.4.2", 1, 4, 2)
			d.MaxTransfersInMerge = 10
		})},
		"merge_limit_in_older_shape.json": {want: usual(func(d *instance.Details) {
			d.APIVersion = version("1.4.2", 1, 4, 2)
			d.MaxTransfersInMerge = 25
		})},
		"older_shape_from_version_2.json": {want: usual(func(d *instance.Details) {
			d.APIVersion = version("2.0.0", 2, 0, 0)
		})},
		"pre_release_version.json": {want: usual(func(d *instance.Details) {
			d.APIVersion = version("2.0.0-rc.1", 2, 0, 0)
		})},
		"age_as_number.json": {want: usual(func(*instance.Details) {})},
		"age_beyond_32_bits.json": {want: usual(func(d *instance.Details) {
			d.FileMaxAgeSeconds = 15770000000
			d.RecommendedExpireTimes = suggestions(spanish, instance.ExpireTime{Label: "500 años", InSeconds: 15770000000})
		})},
		"exponent_form.json": {want: usual(func(d *instance.Details) {
			d.FileMaxAgeSeconds = 15770000000
			d.RecommendedExpireTimes = suggestions(english, instance.ExpireTime{Label: "500 years", InSeconds: 15770000000})
		})},
		"empty_expire_times.json": {want: usual(func(d *instance.Details) {
			d.FileMaxAgeSeconds = 900
			d.RecommendedExpireTimes = []instance.ExpireTime{}
		})},
		"zeros.json": {want: usual(func(d *instance.Details) {
			d.FileMaxSizeBytes, d.ChunkSizeBytes, d.FileMaxAgeSeconds, d.MaxTransfersInMerge = 0, 0, 0, 0
			d.RecommendedExpireTimes = []instance.ExpireTime{{Label: "0 minute", InSeconds: 0}}
		})},
		"byte_order_mark.json": {want: usual(func(d *instance.Details) {
			d.RecommendedExpireTimes = suggestions(japanese)
		})},
		"unknown_fields.json": {want: usual(func(d *instance.Details) {
			d.APIVersion = version("3.0.1", 3, 0, 1)
			d.MaxTransfersInMerge = 100
			d.RecommendedExpireTimes = suggestions(french)
		})},
		"contradicting_units.json": {want: usual(func(d *instance.Details) {
			d.Warnings = []instance.Warning{
				{Kind: instance.ContradictoryUnits, Path: "recommendedExpireTimes[1]", Label: "1 hour", Value: 3600, InSeconds: 3600},
				{Kind: instance.ContradictoryUnits, Path: "recommendedExpireTimes[3]", Label: "1 day", Value: 86400, InSeconds: 86400},
			}
		})},
		"minutes_without_in_seconds.json": {want: usual(func(d *instance.Details) {
			d.APIVersion = version("1.1.0", 1, 1, 0)
			d.MaxTransfersInMerge = 10
			d.RecommendedExpireTimes = suggestions(spanish)
			for i := range d.RecommendedExpireTimes {
				d.RecommendedExpireTimes[i].InSeconds /= 60
			}
			d.Warnings = []instance.Warning{
				{Kind: instance.SuspiciouslyShort, Path: "recommendedExpireTimes[0]", Label: "30 minutos", Value: 30, InSeconds: 30},
			}
		})},
		"null_file_max_size.json":   {wantFaults: []string{"fileMaxSize: " + anInteger + "null"}},
		"first_public_version.json": {wantFaults: []string{"fileMaxAge: " + missing, "recommendedExpireTimes: " + missing}},
		"error_answer.json": {wantFaults: []string{
			"fileMaxSize: " + missing, "chunkSize: " + missing, "requirePassword: " + missing, "apiVersion: " + missing,
			"fileMaxAge: " + missing, "recommendedExpireTimes: " + missing,
		}},
	}

	files, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if _, ok := tests[filepath.Base(file)]; !ok {
			t.Errorf("%s is in no row of the table", file)
		}
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			details, documentError := parse(t, document)
			if test.wantFaults == nil {
				checkEqualDetails(t, details, documentError, test.want)
				return
			}
			checkFaults(t, documentError, test.wantFaults...)
		})
	}
}

// TestByteOrderMarkFile makes sure that no editor took the mark out of the
// file: the table above would pass without it.
func TestByteOrderMarkFile(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile(filepath.Join("testdata", "byte_order_mark.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(document, []byte("\uFEFF{")) {
		t.Errorf("the file starts with %q, want a byte order mark and a brace", document[:4])
	}
}

func TestTrimByteOrderMark(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		document, want string
	}{
		"none":          {"{}", "{}"},
		"leading":       {"\uFEFF{}", "{}"},
		"only the mark": {"\uFEFF", ""},
		"empty":         {"", ""},
		"just one":      {"\uFEFF\uFEFF{}", "\uFEFF{}"},
		"not leading":   {" \uFEFF{}", " \uFEFF{}"},
		"part of one":   {"\xEF\xBB{}", "\xEF\xBB{}"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := string(instance.TrimByteOrderMark([]byte(test.document))); got != test.want {
				t.Errorf("TrimByteOrderMark(%q) = %q, want %q", test.document, got, test.want)
			}
		})
	}
}

// TestUnusualButValid replaces one piece of the valid document with something
// unusual that is no fault.
func TestUnusualButValid(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		old, replacement string
		want             func(*instance.Details)
	}{
		"nothing unusual": {`"2592000"`, `"2592000"`, func(*instance.Details) {}},

		"zero size":        {`60000000000`, `0`, func(d *instance.Details) { d.FileMaxSizeBytes = 0 }},
		"negative zero":    {`60000000000`, `-0`, func(d *instance.Details) { d.FileMaxSizeBytes = 0 }},
		"zero merge limit": {`50`, `0`, func(d *instance.Details) { d.MaxTransfersInMerge = 0 }},
		"largest":          {`60000000000`, `9223372036854775807`, func(d *instance.Details) { d.FileMaxSizeBytes = math.MaxInt64 }},

		"age as number":          {`"2592000"`, `2592000`, func(*instance.Details) {}},
		"age as scaled number":   {`"2592000"`, `2.592E+6`, func(*instance.Details) {}},
		"age with leading zeros": {`"2592000"`, `"000000000000000000002592000"`, func(*instance.Details) {}},
		"age of escaped digits":  {`"2592000"`, `"\u0032592000"`, func(*instance.Details) {}},
		"zero age":               {`"2592000"`, `"0"`, func(d *instance.Details) { d.FileMaxAgeSeconds = 0 }},
		"largest age":            {`"2592000"`, `"9223372036854775807"`, func(d *instance.Details) { d.FileMaxAgeSeconds = math.MaxInt64 }},

		"password required": {`false`, `true`, func(d *instance.Details) { d.RequirePassword = true }},

		"pre-release": {`"2.1.3"`, `"2.0.0-rc.1"`, func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "2.0.0-rc.1", Major: 2}
		}},
		"build": {`"2.1.3"`, `"2.0.0+build.7"`, func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "2.0.0+build.7", Major: 2}
		}},
		"pre-release and build": {`"2.1.3"`, `"1.2.3-beta.4+e5-f"`, func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "1.2.3-beta.4+e5-f", Major: 1, Minor: 2, Patch: 3}
		}},
		"all zero version": {`"2.1.3"`, `"0.0.0"`, func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "0.0.0"}
		}},
		"largest version": {`"2.1.3"`, `"9223372036854775807.0.9223372036854775807"`, func(d *instance.Details) {
			d.APIVersion = instance.Version{
				Text: "9223372036854775807.0.9223372036854775807", Major: math.MaxInt64, Patch: math.MaxInt64,
			}
		}},

		"escaped field name":         {`"fileMaxSize"`, `"\u0066ileMaxSize"`, func(*instance.Details) {}},
		"unknown field, other case":  {`"chunkSize"`, `"ChunkSize": null, "chunkSize"`, func(*instance.Details) {}},
		"unknown field without name": {`"chunkSize"`, `"": 1, "chunkSize"`, func(*instance.Details) {}},
		"unknown fields in an entry": {`"value": 30`, `"value": 30, "Value": -1, "days": null`, func(*instance.Details) {}},
		"same unknown field in two objects": {`"value": 30`, `"value": 30, "x": {"y": [{"y": 1}, {"y": 2}]}`,
			func(*instance.Details) {}},
		"unknown field that looks like duplicates": {`"chunkSize"`, `"x": "{\"a\": 1, \"a\": 2}", "chunkSize"`,
			func(*instance.Details) {}},

		"unknown field that is deeply nested": {`"chunkSize"`, `"x": ` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `, "chunkSize"`,
			func(*instance.Details) {}},

		"empty label": {`"1 heure"`, `""`, func(d *instance.Details) { d.RecommendedExpireTimes[1].Label = "" }},
		"label with escapes": {`"1 heure"`, `"\u0031\u00a0\ud83d\ude00 \"h\" \/"`, func(d *instance.Details) {
			d.RecommendedExpireTimes[1].Label = "1\u00a0\U0001F600 \"h\" /"
		}},
		// Labels of entries are delivered unchanged; only those of warnings are cleaned.
		"label with control characters": {`"1 heure"`, `"\u001b[31m\u0000\n\u202e"`, func(d *instance.Details) {
			d.RecommendedExpireTimes[1].Label = "\x1b[31m\x00\n\u202e"
		}},
		"members in another order, entries not sorted": {`"inSeconds": 1800, "value": 30`, `"value": 120, "inSeconds": 7200`, func(d *instance.Details) {
			d.RecommendedExpireTimes[0].InSeconds = 7200
		}},
		"seconds that are no whole minutes": {`"inSeconds": 1800`, `"inSeconds": 1859`, func(d *instance.Details) {
			d.RecommendedExpireTimes[0].InSeconds = 1859
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := validDetails()
			test.want(&want)
			details, documentError := parse(t, []byte(edit(t, test.old, test.replacement)))
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
		"the document": {valid, "expected a JSON object, found ", map[string]string{
			"[" + valid + "]":   "an array",
			`null`:              "null",
			` true `:            "true",
			`404`:               "the number 404",
			`"Bad Gateway\r\n"`: `the string "Bad Gateway\r\n"`,
		}},
		"fileMaxSize": {`60000000000`, anInteger, map[string]string{
			`null`: "null", `true`: "true", `{"bytes": 1}`: "an object", `[1]`: "an array", `"1"`: `the string "1"`,
			`-1`: "the number -1", `1.5`: "the number 1.5", `15e-1`: "the number 15e-1", `1e19`: "the number 1e19",
			`9223372036854775808`:    "the number 9223372036854775808",
			`1e999999999`:            "the number 1e999999999",
			`1e-9999999999999999999`: "the number 1e-9999999999999999999",
			strings.Repeat("9", 100): "the number " + strings.Repeat("9", 59) + "…",
		}},
		"chunkSize":           {`20000000`, anInteger, map[string]string{`null`: "null"}},
		"maxTransfersInMerge": {`50`, anInteger, map[string]string{`null`: "null", `-1`: "the number -1"}},
		"requirePassword": {`false`, aBoolean, map[string]string{
			`null`: "null", `0`: "the number 0", `"false"`: `the string "false"`,
		}},
		"fileMaxAge": {`"2592000"`, anAge, map[string]string{
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
		"apiVersion": {`"2.1.3"`, aVersion, map[string]string{
			`null`: "null", `2.0`: "the number 2.0", `[2, 0, 0]`: "an array", `""`: `the string ""`,
			`"2"`: `the string "2"`, `"1.2"`: `the string "1.2"`, `"1.2.3.4"`: `the string "1.2.3.4"`,
			`"v1.2.3"`: `the string "v1.2.3"`, `"1..3"`: `the string "1..3"`, `"1.-2.3"`: `the string "1.-2.3"`,
			`"1.2.3 "`: `the string "1.2.3 "`, `"1.2.3\n"`: `the string "1.2.3\n"`, `"01.2.3"`: `the string "01.2.3"`,
			`"1.2.3-"`: `the string "1.2.3-"`, `"١.٢.٣"`: `the string "١.٢.٣"`,
			`"1.9223372036854775808.0"`:              `the string "1.9223372036854775808.0"`,
			`"1.0.18446744073709551616"`:             `the string "1.0.18446744073709551616"`,
			`"1.2-` + strings.Repeat("a", 300) + `"`: `the string "1.2-` + strings.Repeat("a", 54) + "…",
		}},
		"recommendedExpireTimes": {valid[strings.Index(valid, "[") : strings.LastIndex(valid, "]")+1],
			"expected an array of expiry entries, found ", map[string]string{`{}`: "an object", `null`: "null", `"[]"`: `the string "[]"`}},
		"recommendedExpireTimes[0]": {`{"label": "30 minutes", "inSeconds": 1800, "value": 30}`, "expected an object, found ",
			map[string]string{`null`: "null", `1800`: "the number 1800", `[1800]`: "an array"}},
		"recommendedExpireTimes[0].label": {`"30 minutes"`, aString, map[string]string{`null`: "null", `30`: "the number 30"}},
		"recommendedExpireTimes[0].inSeconds": {`1800`, anInteger, map[string]string{
			`null`: "null", `-1`: "the number -1", `"1800"`: `the string "1800"`,
		}},
		"recommendedExpireTimes[1].value": {`60}`, anInteger, map[string]string{
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

	tests := map[string]struct{ old, replacement, path string }{
		"size":                 {`"fileMaxSize": 60000000000,`, ``, "fileMaxSize"},
		"chunk":                {`"chunkSize": 20000000,`, ``, "chunkSize"},
		"password":             {`"requirePassword": false,`, ``, "requirePassword"},
		"version":              {`"apiVersion": "2.1.3",`, ``, "apiVersion"},
		"age":                  {`"fileMaxAge": "2592000",`, ``, "fileMaxAge"},
		"label":                {`"label": "30 minutes", `, ``, "recommendedExpireTimes[0].label"},
		"value":                {`, "value": 30`, ``, "recommendedExpireTimes[0].value"},
		"in lower case":        {`"recommendedExpireTimes"`, `"recommendedexpiretimes"`, "recommendedExpireTimes"},
		"in upper case":        {`"value": 30`, `"VALUE": 30`, "recommendedExpireTimes[0].value"},
		"in snake case":        {`"fileMaxSize"`, `"file_max_size"`, "fileMaxSize"},
		"with a space":         {`"fileMaxSize"`, `"fileMaxSize "`, "fileMaxSize"},
		"equal if case folded": {`"chunkSize"`, `"chun\u212aSize"`, "chunkSize"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, documentError := parse(t, []byte(edit(t, test.old, test.replacement)))
			checkFaults(t, documentError, test.path+": "+missing)
		})
	}
}

// TestDuplicateMembers adds members to the valid document, before maxTransfersInMerge or at the end of the first entry.
func TestDuplicateMembers(t *testing.T) {
	t.Parallel()

	members := func(count int) string { // m0 to m<count-1>
		var text strings.Builder
		for i := range count {
			fmt.Fprintf(&text, `"m%d": 0, `, i)
		}
		return text.String()
	}
	long := strings.Repeat("n", 100)

	tests := map[string]struct {
		inRoot, inEntry, path string
	}{
		"required field":           {`"fileMaxSize": 1, `, ``, "fileMaxSize"},
		"required field, escaped":  {`"\u0066ileMaxSize": 1, `, ``, "fileMaxSize"},
		"same value":               {`"fileMaxSize": 60000000000, `, ``, "fileMaxSize"},
		"of another type":          {`"fileMaxSize": {"a": [null]}, `, ``, "fileMaxSize"},
		"in an entry":              {``, `, "value": 31`, "recommendedExpireTimes[0].value"},
		"unknown":                  {`"motd": 1, "motd": 2, `, ``, "motd"},
		"unknown, escaped":         {`"motd": 1, "\u006dotd": 2, `, ``, "motd"},
		"unknown, in an entry":     {``, `, "motd": 1, "motd": 2`, "recommendedExpireTimes[0].motd"},
		"nested":                   {`"motd": {"texts": [0, {"en": 1, "de": 2, "en": 3}, 1]}, `, ``, "motd.texts[1].en"},
		"nested, in an entry":      {``, `, "motd": [{"a/b": 1, "a\/b": 1}]`, "recommendedExpireTimes[0].motd[0].a/b"},
		"nested, after an object":  {`"motd": {"a": {"b": 1}, "b": {}, "a": 2}, `, ``, "motd.a"},
		"only the first of nested": {`"motd": {"a": 1, "a": 2, "b": [{"c": 1, "c": 2}], "b": 2, "a": 3}, `, ``, "motd.a"},
		"first of many":            {members(100) + `"m0": 1, `, ``, "m0"},
		"last of many":             {members(100) + `"m99": 1, `, ``, "m99"},
		"last of a few":            {members(31) + `"m30": 1, `, ``, "m30"},
		"name not safe to print":   {`"a\u001b[31m\u202e": 1, "a\u001b[31m\u202e": 2, `, ``, "a[31m"},
		"nested name, not safe":    {`"x": {"a\u001b[31m\u202e": 1, "a\u001b[31m\u202e": 2}, `, ``, "x.a[31m"},
		"no name":                  {`"": 1, "": 2, `, ``, "the document"},
		"long name":                {`"` + long + `": 1, "` + long + `": 2, `, ``, long[:59] + "…"},
		"in a member of long name": {`"` + long + `": {"a": 1, "a": 2}, `, ``, long[:59] + "…"},
		"at the bottom": {
			`"motd": ` + strings.Repeat("[", 9000) + `{"a": 1, "a": 2}` + strings.Repeat("]", 9000) + `, `, ``,
			"motd" + strings.Repeat("[0]", 18) + "[…",
		},
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
}

// TestNotJSON pins where a text stops being JSON. Most of the reasons are the decoder's, so only their start is compared.
func TestNotJSON(t *testing.T) {
	t.Parallel()

	atEntry := func(text string) string { return valid[:strings.Index(valid, "1 heure")] + text }

	tests := map[string]struct {
		document      string
		path, problem string
	}{
		"empty":                   {"", "the document", "empty"},
		"white space":             {" \r\n\t", "the document", "empty"},
		"only a byte order mark":  {"\uFEFF", "the document", "empty"},
		"two byte order marks":    {"\uFEFF\uFEFF" + valid, "the document", `invalid character '\ufeff' at start of value at byte 0`},
		"UTF-16":                  {"\xFF\xFE{\x00}\x00", "the document", "invalid character '\\xff' at start of value at byte 0"},
		"HTML":                    {"<!DOCTYPE html>\n<html></html>", "the document", "invalid character '<' at start of value at byte 0"},
		"plain text":              {"Bad Gateway", "the document", "invalid character 'B' at start of value at byte 0"},
		"terminal escapes":        {"\x1b[31mno\x1b[0m", "the document", `invalid character '\x1b' at start of value at byte 0`},
		"literal cut":             {"tru", "the document", "unexpected end of the document at byte 3"},
		"cut before a name":       {`{`, "the document", "unexpected end of the document at byte 1"},
		"cut after a name":        {`{"fileMaxSize"`, "fileMaxSize", "unexpected end of the document at byte 14"},
		"cut in a number":         {`{"fileMaxSize": 6`, "the document", "unexpected end of the document at byte 17"},
		"cut in a string":         {atEntry("1 he"), "recommendedExpireTimes[1].label", "unexpected end of the document at byte "},
		"cut in a character":      {atEntry("1 ann\xc3"), "recommendedExpireTimes[1].label", "unexpected end of the document at byte "},
		"cut in an unknown value": {`{"motd": {"texts": [0, {"en": `, "motd.texts[1].en", "unexpected end of the document at byte 30"},
		"value missing":           {`{"fileMaxSize": }`, "fileMaxSize", "invalid character '}' at start of value at byte 16"},
		"leading zero":            {`{"fileMaxSize": 012}`, "the document", "invalid character '1' after object value (expecting ',' or '}') at byte 17"},
		"plus sign":               {`{"fileMaxSize": +1}`, "fileMaxSize", "invalid character '+' at start of value at byte 16"},
		"NaN":                     {`{"fileMaxSize": NaN}`, "fileMaxSize", "invalid character 'N' at start of value at byte 16"},
		"single quotes":           {`{'fileMaxSize': 1}`, "the document", "invalid character '\\'' at start of value at byte 1"},
		"comma missing in array": {`{"recommendedExpireTimes": [1 2]}`, "recommendedExpireTimes",
			"invalid character '2' after array element (expecting ',' or ']') at byte 30"},
		"comma too many":    {`{"requirePassword": false,}`, "the document", "invalid character ',' "},
		"wrong bracket":     {`{"recommendedExpireTimes": [}`, "recommendedExpireTimes[0]", "invalid character '}' at start of value at byte 28"},
		"name not a string": {`{1: 2}`, "the document", "object member name must be a string at byte 1"},
		"comment":           {`{/* none */}`, "the document", "invalid character '/' at start of value at byte 1"},

		"invalid UTF-8 in a label":      {atEntry("1 ann\xe9e\"}]}"), "recommendedExpireTimes[1].label", "invalid UTF-8 at byte "},
		"invalid UTF-8 in a name":       {"{\"\xff\": 1}", "the document", "invalid UTF-8 at byte 2"},
		"invalid UTF-8 in unknown":      {"{\"motd\": [\"\xc0\x80\"]}", "motd[0]", "invalid UTF-8 at byte 11"},
		"surrogate in UTF-8":            {"{\"motd\": \"\xed\xa0\x80\"}", "motd", "invalid UTF-8 at byte 10"},
		"lone high surrogate":           {`{"motd": "\ud800"}`, "motd", "invalid surrogate pair "},
		"lone low surrogate in a label": {atEntry(`\udc00"}]}`), "recommendedExpireTimes[1].label", "invalid surrogate pair "},
		"lone surrogate in a name":      {`{"\ud800": 1}`, "the document", "invalid surrogate pair "},
		"raw control character":         {"{\"motd\": \"\x1b\"}", "motd", `invalid character '\x1b' in string (expecting non-control character) at byte 10`},
		"unknown escape":                {`{"motd": "\x41"}`, "motd", "invalid escape sequence `\\x` in string at byte 10"},
		"name that is not safe to print": {
			`{"a\u001b\u202e": [}`, "a[0]", "invalid character '}' at start of value at byte 19",
		},

		"too deep": {`{"motd": ` + strings.Repeat("[", 500_000), "motd" + strings.Repeat("[0]", 18) + "[…", "exceeded max depth at byte "},

		"objects too deep":  {`{"motd": ` + strings.Repeat(`{"a": `, 500_000), "motd" + strings.Repeat(".a", 27) + ".…", "exceeded max depth at byte "},
		"after a duplicate": {`{"motd": {"a": 1, "a": [}`, "motd.a[0]", "invalid character '}' at start of value at byte 24"},

		"second object":    {valid + valid, "the document", fmt.Sprintf("more text after the JSON value, at byte %d", len(valid)-1)},
		"literal after":    {valid + "true", "the document", fmt.Sprintf("more text after the JSON value, at byte %d", len(valid)-1)},
		"text after":       {valid + "</html>", "the document", fmt.Sprintf("invalid character '<' at start of value at byte %d", len(valid))},
		"brace after":      {valid + "}", "the document", fmt.Sprintf("invalid character '}' at start of value at byte %d", len(valid))},
		"comma after":      {valid + ",", "the document", fmt.Sprintf("invalid character ',' at start of value at byte %d", len(valid))},
		"NUL after":        {valid + "\x00", "the document", fmt.Sprintf(`invalid character '\x00' at start of value at byte %d`, len(valid))},
		"text like a root": {"404 page not found", "the document", "invalid character 'p' at start of value at byte 4"},
		"array, then text": {"[] []", "the document", "more text after the JSON value, at byte 2"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, documentError := parse(t, []byte(test.document))
			if documentError == nil {
				t.Fatal("no error")
			}
			if !documentError.NotJSON {
				t.Errorf("NotJSON is false: %v", documentError)
			}
			// Faults of the members before that place come first.
			last := documentError.Faults[len(documentError.Faults)-1]
			if last.Path != test.path || !strings.HasPrefix(last.Problem, test.problem) {
				t.Errorf("%q, want %q, %q", last, test.path, test.problem)
			}
		})
	}
}

// TestTruncated cuts the valid document at every byte.
func TestTruncated(t *testing.T) {
	t.Parallel()
	document := strings.TrimSpace(valid)
	for end := range len(document) {
		_, documentError := parse(t, []byte(document[:end]))
		if documentError == nil {
			t.Fatalf("no error for %q", document[:end])
		}
		want := "unexpected end of the document at byte "
		if end == 0 {
			want = "empty"
		}
		last := documentError.Faults[len(documentError.Faults)-1]
		if !documentError.NotJSON || !strings.HasPrefix(last.Problem, want) {
			t.Errorf("NotJSON %t, problem %q for %q, want true, %q", documentError.NotJSON, last.Problem, document[:end], want)
		}
	}
}

func TestEveryFaultIsListed(t *testing.T) {
	t.Parallel()

	const document = `{
  "chunkSize": -1,
  "requirePassword": "no",
  "maxTransfersInMerge": null,
  "recommendedExpireTimes": [
    {"value": 0.5},
    [],
    {"label": "1 hour", "inSeconds": 3600, "value": 1, "value": 60},
    {"label": 1, "inSeconds": "x", "value": null}
  ],
  "chunkSize": 1,
  "fileMaxAge": [],
  "motd": {"a": {"b": 1, "b": 2}},
  "motd": 1
}`
	want := []string{
		"chunkSize: " + anInteger + "the number -1",
		"requirePassword: " + aBoolean + `the string "no"`,
		"maxTransfersInMerge: " + anInteger + "null",
		"recommendedExpireTimes[0].value: " + anInteger + "the number 0.5",
		"recommendedExpireTimes[0].label: " + missing,
		"recommendedExpireTimes[1]: expected an object, found an array",
		"recommendedExpireTimes[2].value: " + twice,
		"recommendedExpireTimes[3].label: " + aString + "the number 1",
		"recommendedExpireTimes[3].inSeconds: " + anInteger + `the string "x"`,
		"recommendedExpireTimes[3].value: " + anInteger + "null",
		"chunkSize: " + twice,
		"fileMaxAge: " + anAge + "an array",
		"motd.a.b: " + twice,
		"motd: " + twice,
		"fileMaxSize: " + missing,
		"apiVersion: " + missing,
	}
	_, documentError := parse(t, []byte(document))
	checkFaults(t, documentError, want...)
}

func TestAtMost20FaultsAreListed(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		faultyEntries       int // each has one fault
		after               string
		wantListed, omitted int
		last                string // path of the last fault that is listed
		notJSON             bool
	}{
		"as many as are listed": {20, "", 20, 0, "recommendedExpireTimes[19]", false},
		"one more":              {21, "", 20, 1, "recommendedExpireTimes[19]", false},
		"most of them":          {1000, "", 20, 980, "recommendedExpireTimes[19]", false},
		// Where a text stops being JSON is the cause of the rest: it is listed.
		"and not JSON":       {21, "<", 20, 2, "the document", true},
		"and another object": {20, "{}", 20, 1, "the document", true},
		"room for not JSON":  {19, "<", 20, 0, "the document", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := withEntries(t, slices.Repeat([]string{"null"}, test.faultyEntries)...) + test.after
			_, documentError := parse(t, []byte(document))
			if documentError == nil {
				t.Fatal("no error")
			}
			if len(documentError.Faults) != test.wantListed || documentError.Omitted != test.omitted {
				t.Errorf("%d faults listed, %d omitted, want %d and %d",
					len(documentError.Faults), documentError.Omitted, test.wantListed, test.omitted)
			}
			if got := documentError.Faults[len(documentError.Faults)-1].Path; got != test.last {
				t.Errorf("the last fault listed is at %q, want %q", got, test.last)
			}
			if documentError.NotJSON != test.notJSON {
				t.Errorf("NotJSON is %t, want %t", documentError.NotJSON, test.notJSON)
			}
		})
	}
}

func TestAtMost1000Entries(t *testing.T) {
	t.Parallel()

	const entry = `{"label": "1 h", "inSeconds": 3600, "value": 60}`
	tests := map[string]struct {
		entries []string
		found   string
	}{
		"none":         {nil, ""},
		"as many":      {slices.Repeat([]string{entry}, 1000), ""},
		"one too many": {slices.Repeat([]string{entry}, 1001), "1001"},
		// Entries past the bound are counted, not read.
		"faulty past the bound": {append(slices.Repeat([]string{entry}, 1000), "null", "{}", "[[]]"), "1003"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			details, documentError := parse(t, []byte(withEntries(t, test.entries...)))
			if test.found != "" {
				checkFaults(t, documentError, "recommendedExpireTimes: expected at most 1000 entries, found "+test.found)
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
