package instance_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// valid is a document without faults, {"fileMaxSize": 60000000000, "chunkSize": 20000000, …}. Tests replace parts of it.
var valid = strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(instancetest.Newer().
	With("fileMaxSize", 60000000000).
	With("requirePassword", false).
	With("apiVersion", "2.1.3").
	With("recommendedExpireTimes", []instancetest.Document{
		instancetest.NewerEntry("30 minutes", 1800), instancetest.NewerEntry("1 heure", 3600),
	}).JSON())

// validDetails returns the details of valid.
func validDetails() instance.Details {
	details := instancetest.NewerDetails()
	details.FileMaxSizeBytes = 60000000000
	details.RequirePassword = false
	details.APIVersion = instance.Version{Text: "2.1.3", Major: 2, Minor: 1, Patch: 3}
	details.RecommendedExpireTimes = []instance.ExpireTime{{Label: "30 minutes", InSeconds: 1800}, {Label: "1 heure", InSeconds: 3600}}
	return details
}

// edit returns valid with the first text of each pair replaced by the second. Each must occur exactly once.
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

// withEntries returns valid with other expiry options.
func withEntries(entries ...string) string {
	before, rest, _ := strings.Cut(valid, "[")
	_, after, _ := strings.Cut(rest, "]")
	return before + "[" + strings.Join(entries, ", ") + "]" + after
}

// checkFaults parses a JSON document, and compares its faults with want, each as "path: problem".
func checkFaults(t *testing.T, document string, redact func(string) string, want ...string) {
	t.Helper()
	details, err := instance.Parse([]byte(document), redact)
	documentError, ok := errors.AsType[*instance.DocumentError](err)
	if details != nil || !ok {
		t.Fatalf("got details %v and error %v, want a *DocumentError", details, err)
	}
	if got := documentError.Lines(); !slices.Equal(got, want) {
		t.Errorf("faults:\n  %+q\nwant:\n  %+q", got, want)
	}
	if documentError.NotJSON || documentError.EndsEarly {
		t.Errorf("NotJSON = %t, EndsEarly = %t, want false", documentError.NotJSON, documentError.EndsEarly)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()

	const largestVersion = "9223372036854775807.0.9223372036854775807"
	deep := strings.Repeat("[", 99) + strings.Repeat("]", 99)

	tests := map[string]struct {
		edits []string                // see edit
		want  func(*instance.Details) // changes validDetails; nil if it stays the same
	}{
		"newer": {},
		"older": {
			edits: []string{
				`"2.1.3"`, `"1.2.0"`, `false`, `true`, `"maxTransfersInMerge": 50,`, ``,
				`"inSeconds": 1800, "value": 30`, `"value": 1800`, `"inSeconds": 3600, "value": 60`, `"value": 3600`,
			},
			want: func(d *instance.Details) {
				d.APIVersion = instance.Version{Text: "1.2.0", Major: 1, Minor: 2}
				d.RequirePassword = true
				d.MaxTransfersInMerge = 10
			},
		},
		"exponents and fractions": {
			edits: []string{
				`60000000000`, `6e10`, `20000000`, `20000000.0`, `"2592000"`, `1.577e10`, `50`, `5E+1`,
				`1800`, `1.8e3`, `"value": 60`, `"value": 600e-1`,
			},
			want: func(d *instance.Details) { d.FileMaxAgeSeconds = 15770000000 },
		},
		"age as number": {edits: []string{`"2592000"`, `2592000`}},
		"merge limit": {
			edits: []string{`50`, `33`},
			want:  func(d *instance.Details) { d.MaxTransfersInMerge = 33 },
		},
		"merge limit 0": {
			edits: []string{`50`, `0`},
			want:  func(d *instance.Details) { d.MaxTransfersInMerge = 0 },
		},
		"pre-release and build": {
			edits: []string{`"2.1.3"`, `"1.2.3-beta.4+e5-f"`},
			want: func(d *instance.Details) {
				d.APIVersion = instance.Version{Text: "1.2.3-beta.4+e5-f", Major: 1, Minor: 2, Patch: 3}
			},
		},
		"largest version": {
			edits: []string{`"2.1.3"`, `"` + largestVersion + `"`},
			want: func(d *instance.Details) {
				d.APIVersion = instance.Version{Text: largestVersion, Major: math.MaxInt64, Patch: math.MaxInt64}
			},
		},
		"byte order mark":                  {edits: []string{valid, "\uFEFF" + valid}},
		"white space around the document":  {edits: []string{valid, " \r\n\t" + valid + " \r\n\t"}},
		"white space before a colon":       {edits: []string{`"fileMaxSize":`, "\"fileMaxSize\"\r\n\t :\r\n\t "}},
		"escaped member name":              {edits: []string{`"fileMaxSize"`, `"\u0066ileMaxSize"`}},
		"unknown member without a name":    {edits: []string{`"chunkSize"`, `"": 1, "chunkSize"`}},
		"same unknown name in two objects": {edits: []string{`"value": 30`, `"value": 30, "x": {"y": [{"y": 1}, {"y": 2}]}`}},
		"text that looks like duplicates":  {edits: []string{`"chunkSize"`, `"x": "{\"a\": 1, \"a\": 2}", "chunkSize"`}},
		"unknown member, deeply nested":    {edits: []string{`"chunkSize"`, `"x": ` + deep + `, "chunkSize"`}},
		"empty label": {
			edits: []string{`"1 heure"`, `""`},
			want:  func(d *instance.Details) { d.RecommendedExpireTimes[1].Label = "" },
		},
		"label with escapes": {
			edits: []string{`"1 heure"`, `"\u0031\u00a0\ud83d\ude00 \"h\" \/"`},
			want:  func(d *instance.Details) { d.RecommendedExpireTimes[1].Label = "1\u00a0\U0001F600 \"h\" /" },
		},
		// Labels are unchanged in details; only in warnings are they made safe to print.
		"label with control characters": {
			edits: []string{`"1 heure"`, `"\u001b[31m\u0000\n\u202e"`},
			want:  func(d *instance.Details) { d.RecommendedExpireTimes[1].Label = "\x1b[31m\x00\n\u202e" },
		},
		"options that are not sorted": {
			edits: []string{`"inSeconds": 1800, "value": 30`, `"value": 120, "inSeconds": 7200`},
			want:  func(d *instance.Details) { d.RecommendedExpireTimes[0].InSeconds = 7200 },
		},
		"seconds that are not whole minutes": {
			edits: []string{`"inSeconds": 1800`, `"inSeconds": 1859`},
			want:  func(d *instance.Details) { d.RecommendedExpireTimes[0].InSeconds = 1859 },
		},
		"no options": {
			edits: []string{valid, withEntries()},
			want:  func(d *instance.Details) { d.RecommendedExpireTimes = []instance.ExpireTime{} },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := validDetails()
			if test.want != nil {
				test.want(&want)
			}
			got, err := instance.Parse([]byte(edit(t, test.edits...)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*got, want) {
				t.Errorf("details:\n  %+v\nwant:\n  %+v", *got, want)
			}
		})
	}
}

// Without maxTransfersInMerge, the documented limit of the version applies.
func TestDefaultMergeLimit(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]int64{
		"0.9.0": 10, "1.99.99": 10, "1.9.9+2.0.0": 10, "2.0.0-rc.1": 50, "2.0.0": 50, "2.0.0+build": 50, "10.0.0": 50,
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			details, err := instance.Parse([]byte(edit(t, `2.1.3`, version, `"maxTransfersInMerge": 50,`, ``)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if details.MaxTransfersInMerge != want {
				t.Errorf("MaxTransfersInMerge = %d, want %d", details.MaxTransfersInMerge, want)
			}
		})
	}
}

func TestInMinutesIsRoundedDown(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int64]int64{0: 0, 59: 0, 60: 1, 3659: 60, math.MaxInt64: 153722867280912930} {
		if got := (instance.ExpireTime{InSeconds: seconds}).InMinutes(); got != want {
			t.Errorf("InMinutes of %d seconds = %d, want %d", seconds, got, want)
		}
	}
}

// The words of faults, written out once more: users rely on them.
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

// TestInvalidValues replaces one value of valid.
func TestInvalidValues(t *testing.T) {
	t.Parallel()

	tests := map[string]struct { // by the path of the value
		old      string
		expected string
		found    map[string]string // new values, and what the fault says was found
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
			`-1`: "the number -1", `1.5`: "the number 1.5", strings.Repeat("9", 60): "the number " + strings.Repeat("9", 60),
			strings.Repeat("9", 61): "the number " + strings.Repeat("9", 59) + "…",
		}},
		"chunkSize": {old: `20000000`, expected: anInteger, found: map[string]string{`null`: nullLimit}},
		"maxTransfersInMerge": {old: `50`, expected: anInteger, found: map[string]string{
			`null`: nullLimit, `-1`: "the number -1",
		}},
		"requirePassword": {old: `false`, expected: aBoolean, found: map[string]string{
			`null`: "null", `0`: "the number 0", `"false"`: `the string "false"`,
		}},
		"fileMaxAge": {old: `"2592000"`, expected: anAge, found: map[string]string{
			`null`: nullLimit, `true`: "true", `["1"]`: "an array", `-1`: "the number -1",
			`"-1"`: `the string "-1"`, `""`: `the string ""`,
			// What is wrong with a value is visible in the fault, although it is safe to print.
			`"2592000\n"`:                        `the string "2592000\n"`,
			`" 2592000"`:                         `the string " 2592000"`,
			`"1\u0000"`:                          `the string "1\x00"`,
			`"1\", \"x"`:                         `the string "1\", \"x"`,
			`"\u001b]0;owned\u0007\u202e\u200b"`: `the string "\x1b]0;owned\a\u202e\u200b"`,
			`"` + strings.Repeat("分", 58) + `"`:  `the string "` + strings.Repeat("分", 58) + `"`,
			`"` + strings.Repeat("分", 59) + `"`:  `the string "` + strings.Repeat("分", 58) + "…",
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
				checkFaults(t, edit(t, test.old, value), nil, path+": "+test.expected+found)
			})
		}
	}
}

func TestMemberNamesMatchExactly(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"chunksize", "chunkSize ", `chun\u212aSize`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFaults(t, edit(t, "chunkSize", name), nil, "chunkSize: "+missing)
		})
	}
}

// A duplicate member is the only fault that is listed, even if there are others.
func TestDuplicateMembers(t *testing.T) {
	t.Parallel()

	long, wide := strings.Repeat("n", 61), strings.Repeat("é", 60)
	bottom := strings.Repeat("[", 98) + `{"a": 1, "a": 2}` + strings.Repeat("]", 98)

	tests := map[string]struct{ document, path string }{
		"required member":           {`{"fileMaxSize": 1, "fileMaxSize": 1}`, "fileMaxSize"},
		"in an option":              {edit(t, `"value": 30`, `"value": 30, "value": 31`), "recommendedExpireTimes[0].value"},
		"unknown, escaped":          {`{"motd": 1, "\u006dotd": 2}`, "motd"},
		"nested":                    {`{"motd": {"texts": [0, {"en": 1, "de": 2, "en": 3}, 1]}}`, "motd.texts[1].en"},
		"several":                   {`{"motd": {"a": 1, "a": 2, "b": [{"c": 1, "c": 2}], "b": 2}, "motd": 0}`, "motd.a"},
		"name not safe to print":    {`{"a\u001b[31m\u202e": 1, "a\u001b[31m\u202e": 2}`, "a[31m"},
		"no name":                   {`{"": 1, "": 2}`, "the document"},
		"long name":                 {`{"` + long + `": 1, "` + long + `": 2}`, long[:59] + "…"},
		"name as long as the limit": {`{"` + wide + `": 1, "` + wide + `": 2}`, wide},
		"in a member of long name":  {`{"` + long + `": {"a": 1, "a": 2}}`, long[:59] + "…"},
		"at the bottom":             {`{"motd": ` + bottom + `}`, "motd" + strings.Repeat("[0]", 18) + "[…"},
		"before the end of JSON":    {`{"motd": {"a": 1, "a": [}`, "motd.a"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFaults(t, test.document, nil, test.path+": "+twice)
		})
	}
}

func TestDocumentThatIsTooDeep(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ document, path string }{
		"arrays":           {`{"motd": ` + strings.Repeat("[", 100), "motd" + strings.Repeat("[0]", 18) + "[…"},
		"objects":          {`{"motd": ` + strings.Repeat(`{"a": `, 100), "motd" + strings.Repeat(".a", 27) + ".…"},
		"without a member": {strings.Repeat("[", 101) + strings.Repeat("]", 101), strings.Repeat("[0]", 19) + "[0…"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFaults(t, test.document, nil, test.path+": more than 100 levels deep")
		})
	}
}

// Most of the reasons are the decoder's own words, so only their start is compared.
func TestNotJSON(t *testing.T) {
	t.Parallel()

	const (
		root    = "the document: "
		label   = "recommendedExpireTimes[1].label: "
		cut     = "ends early at byte "
		atStart = " at start of value at byte "
	)
	beforeLabel, _, _ := strings.Cut(valid, "1 heure")

	tests := map[string]struct{ document, want string }{
		"empty":                    {"", root + "empty"},
		"only a byte order mark":   {"\uFEFF", root + "empty"},
		"two byte order marks":     {"\uFEFF\uFEFF" + valid, root + `invalid character '\ufeff'` + atStart + "0"},
		"UTF-16":                   {"\xFF\xFE{\x00}\x00", root + `invalid character '\xff'` + atStart + "0"},
		"HTML":                     {"<!DOCTYPE html>\n<html></html>", root + "invalid character '<'" + atStart + "0"},
		"cut after a name":         {`{"fileMaxSize"`, "fileMaxSize: " + cut + "14"},
		"cut in a character":       {beforeLabel + "1 ann\xc3", label + cut},
		"cut in an unknown value":  {`{"motd": {"texts": [0, {"en": `, "motd.texts[1].en: " + cut + "30"},
		"cut after a fault":        {`{"fileMaxSize": null, "chunkSize": `, "chunkSize: " + cut + "35"},
		"invalid UTF-8 in a label": {beforeLabel + "1 ann\xe9e\"}]}", label + "invalid UTF-8 at byte "},
		"invalid UTF-8 in a name":  {"{\"\xff\": 1}", root + "invalid UTF-8 at byte 2"},
		"raw control character": {
			"{\"motd\": \"\x1b\"}",
			`motd: invalid character '\x1b' in string (expecting non-control character) at byte 10`,
		},
		"name not safe to print": {`{"a\u001b\u202e": [}`, "a[0]: invalid character '}'" + atStart + "19"},
		"text after":             {"{}</html>", root + "invalid character '<'" + atStart + "2"},
		"text like a root":       {"404 page not found", root + "invalid character 'p'" + atStart + "4"},
		"array, then text":       {"[] []", root + "more text after the JSON value, at byte 2"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := instance.Parse([]byte(test.document), nil)
			documentError, ok := errors.AsType[*instance.DocumentError](err)
			if !ok || len(documentError.Faults) != 1 {
				t.Fatalf("error = %v, want a *DocumentError with one fault", err)
			}
			if got := documentError.Faults[0].String(); !strings.HasPrefix(got, test.want) {
				t.Errorf("fault = %q, want %q at its start", got, test.want)
			}
			if !documentError.NotJSON {
				t.Error("NotJSON = false, want true")
			}
			if want := strings.Contains(test.want, cut); documentError.EndsEarly != want {
				t.Errorf("EndsEarly = %t, want %t", documentError.EndsEarly, want)
			}
		})
	}
}

// Faults are in the documented order of the members, missing ones included.
func TestEveryFaultIsListed(t *testing.T) {
	t.Parallel()
	const document = `{
  "motd": {"a": null},
  "requirePassword": "no",
  "chunkSize": -1,
  "recommendedExpireTimes": [
    {"value": 0.5},
    [],
    {"label": "1 hour", "inSeconds": 3600},
    {"value": null, "label": 1, "inSeconds": "x"}
  ]
}`
	want := []string{
		"fileMaxSize: " + missing,
		"chunkSize: " + anInteger + "the number -1",
		"requirePassword: " + aBoolean + `the string "no"`,
		"apiVersion: " + missing,
		"fileMaxAge: " + missing,
		"recommendedExpireTimes[0].label: " + missing,
		"recommendedExpireTimes[0].value: " + anInteger + "the number 0.5",
		"recommendedExpireTimes[1]: expected an object, found an array",
		"recommendedExpireTimes[2].value: " + missing,
		"recommendedExpireTimes[3].label: " + aString + "the number 1",
		"recommendedExpireTimes[3].inSeconds: " + anInteger + `the string "x"`,
		"recommendedExpireTimes[3].value: " + anInteger + "null",
	}
	checkFaults(t, document, nil, want...)

	_, err := instance.Parse([]byte(document), nil)
	if want := "not an instance document: " + strings.Join(want, "; "); err == nil || err.Error() != want {
		t.Errorf("error:\n  %v\nwant:\n  %s", err, want)
	}
}

func TestAtMost20FaultsAreListed(t *testing.T) {
	t.Parallel()
	var first20 []string
	for i := range 20 {
		first20 = append(first20, fmt.Sprintf("recommendedExpireTimes[%d]: expected an object, found null", i))
	}
	tests := map[string]struct {
		faults int
		last   []string
	}{
		"20":  {20, nil},
		"21":  {21, []string{"and 1 more"}},
		"100": {100, []string{"and 80 more"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := withEntries(slices.Repeat([]string{"null"}, test.faults)...)
			checkFaults(t, document, nil, slices.Concat(first20, test.last)...)
		})
	}
}

// Options after the hundredth are counted, but not read.
func TestAtMost100Options(t *testing.T) {
	t.Parallel()
	const tooMany = "recommendedExpireTimes: expected at most 100 entries, found "
	options := slices.Repeat([]string{`{"label": "1 h", "inSeconds": 3600, "value": 60}`}, 101)

	details, err := instance.Parse([]byte(withEntries(options[:100]...)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(details.RecommendedExpireTimes); got != 100 {
		t.Errorf("%d options, want 100", got)
	}
	checkFaults(t, withEntries(options...), nil, tooMany+"101")
	checkFaults(t, withEntries(append(options[:100:100], "null", "{}", "[[]]")...), nil, tooMany+"103")
	checkFaults(t, withEntries(append(options[:99:99], "null", "null")...), nil,
		tooMany+"101", "recommendedExpireTimes[99]: expected an object, found null")
}

func TestWarnings(t *testing.T) {
	t.Parallel()

	const contradictory, short, mixed = instance.ContradictoryUnits, instance.SuspiciouslyShort, instance.MixedUnits
	const first, second = `recommendedExpireTimes[0] ("a"): `, `recommendedExpireTimes[1] ("b"): `
	tests := map[string]struct {
		options []string
		want    []instance.Warning
	}{
		"consistent":            {options: []string{`{"label": "a", "inSeconds": 3600, "value": 60}`}},
		"rounded down":          {options: []string{`{"label": "a", "inSeconds": 3659, "value": 60}`}},
		"under a minute, newer": {options: []string{`{"label": "a", "inSeconds": 59, "value": 0}`}},
		"zero, newer":           {options: []string{`{"label": "a", "inSeconds": 0, "value": 0}`}},
		"a minute, older":       {options: []string{`{"label": "a", "value": 60}`}},
		"largest": {
			options: []string{`{"label": "a", "inSeconds": 9223372036854775807, "value": 153722867280912930}`},
		},
		"largest, older": {options: []string{`{"label": "a", "value": 9223372036854775807}`}},
		"value whose seconds overflow": {
			[]string{`{"label": "a", "inSeconds": 60, "value": 9223372036854775807}`},
			[]instance.Warning{{contradictory, first + "inSeconds is 60, in whole minutes 1, but value is 9223372036854775807"}},
		},
		"rounded up": {
			[]string{`{"label": "a", "inSeconds": 3659, "value": 61}`},
			[]instance.Warning{{contradictory, first + "inSeconds is 3659, in whole minutes 60, but value is 61"}},
		},
		"one minute too few": {
			[]string{`{"label": "a", "inSeconds": 3600, "value": 59}`},
			[]instance.Warning{{contradictory, first + "inSeconds is 3600, in whole minutes 60, but value is 59"}},
		},
		"inSeconds is zero": {
			[]string{`{"label": "a", "inSeconds": 0, "value": 30}`},
			[]instance.Warning{{contradictory, first + "inSeconds is 0, in whole minutes 0, but value is 30"}},
		},
		"under a minute, older": {[]string{`{"label": "a", "value": 59}`}, []instance.Warning{{short, first + "59"}}},
		"zero, older":           {[]string{`{"label": "a", "value": 0}`}, []instance.Warning{{short, first + "0"}}},
		"mixed": {
			[]string{`{"label": "a", "inSeconds": 1800, "value": 30}`, `{"label": "b", "value": 3600}`},
			[]instance.Warning{{mixed, second + "3600"}},
		},
		"everything, mixed last": {
			[]string{`{"label": "a", "value": 45}`, `{"label": "b", "inSeconds": 60, "value": 2}`},
			[]instance.Warning{
				{short, first + "45"},
				{contradictory, second + "inSeconds is 60, in whole minutes 1, but value is 2"},
				{mixed, first + "45"},
			},
		},
		"label as long as the limit": {
			[]string{`{"label": "` + strings.Repeat("分", 60) + `", "value": 1}`},
			[]instance.Warning{{short, `recommendedExpireTimes[0] ("` + strings.Repeat("分", 60) + `"): 1`}},
		},
		"label that is longer and not safe to print": {
			[]string{`{"label": "\u001b` + strings.Repeat("分", 61) + `", "value": 1}`},
			[]instance.Warning{{short, `recommendedExpireTimes[0] ("` + strings.Repeat("分", 59) + `…"): 1`}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			details, err := instance.Parse([]byte(withEntries(test.options...)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(details.Warnings, test.want) {
				t.Errorf("warnings:\n  %+v\nwant:\n  %+v", details.Warnings, test.want)
			}
			if got := len(details.RecommendedExpireTimes); got != len(test.options) {
				t.Errorf("%d options, want %d: one with a warning is still an option", got, len(test.options))
			}
		})
	}
}

// A document can repeat a secret in every kind of text that a message repeats.
func TestTextsAreRedacted(t *testing.T) {
	t.Parallel()

	const secret, escaped = "s3cret\nvalue", `s3cret\nvalue`
	redact := strings.NewReplacer(secret, "(redacted)", "1234567", "(redacted)").Replace
	padding := strings.Repeat("x", 50) // the cut would leave a part of the secret

	tests := map[string]struct{ document, want string }{
		"string": {edit(t, `"2592000"`, `"a `+escaped+`"`), `fileMaxAge: ` + anAge + `the string "a (redacted)"`},
		"string that is cut": {
			edit(t, `"2592000"`, `"`+padding+escaped+`"`),
			`fileMaxAge: ` + anAge + `the string "` + padding + `(redacte…`,
		},
		"number": {edit(t, `60000000000`, `-1234567`), "fileMaxSize: " + anInteger + "the number -(redacted)"},
		"nested names": {
			`{"` + escaped + `": [{"a` + escaped + `": 1, "a` + escaped + `": 2}]}`,
			"(redacted)[0].a(redacted): " + twice,
		},
		"name that cleaning uncovers": {`{"123\u200b4567": 1, "123\u200b4567": 2}`, "(redacted): " + twice},
		"name that is cut":            {`{"` + padding + escaped + `": {"b": 1, "b": 2}}`, padding + "(redacted…: " + twice},
		"text that is not JSON": {
			`{"1234567": S}`, "[(redacted)]: invalid character 'S' at start of value at byte 12",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := instance.Parse([]byte(test.document), redact)
			if want := "not an instance document: " + test.want; err == nil || err.Error() != want {
				t.Errorf("error = %v, want %s", err, want)
			}
		})
	}

	t.Run("label of a warning, not of the option", func(t *testing.T) {
		t.Parallel()
		details, err := instance.Parse([]byte(withEntries(`{"label": "`+escaped+`", "value": 30}`)), redact)
		if err != nil {
			t.Fatal(err)
		}
		if got := details.Warnings[0].Entry; got != `recommendedExpireTimes[0] ("(redacted)"): 30` {
			t.Errorf("Entry = %q, want the label redacted", got)
		}
		if got := details.RecommendedExpireTimes[0].Label; got != secret {
			t.Errorf("Label = %q, want %q, as reported", got, secret)
		}
	})
}
