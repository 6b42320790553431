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
	With("fileMaxSize", int64(60000000000)).
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

// parseRefused parses a document that is refused, and returns why.
func parseRefused(t *testing.T, document string) *instance.DocumentError {
	t.Helper()
	details, err := instance.Parse([]byte(document), nil)
	refused, ok := errors.AsType[*instance.DocumentError](err)
	if details != nil || !ok {
		t.Fatalf("Parse(%q) returned details %+v and error %v, want a *DocumentError", document, details, err)
	}
	return refused
}

// checkFaults compares the faults of a JSON document with want, each as "path: problem".
func checkFaults(t *testing.T, document string, want ...string) {
	t.Helper()
	refused := parseRefused(t, document)
	if got := refused.Lines(); !slices.Equal(got, want) {
		t.Errorf("faults of %q:\n  %+q\nwant:\n  %+q", document, got, want)
	}
	if refused.NotJSON || refused.EndsEarly {
		t.Errorf("%q: NotJSON = %t, EndsEarly = %t, want false", document, refused.NotJSON, refused.EndsEarly)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()

	const largestVersion = "9223372036854775807.0.9223372036854775807"

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
		"merge limit 0": {[]string{`50`, `0`}, func(d *instance.Details) { d.MaxTransfersInMerge = 0 }},
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
		"escaped member name":              {edits: []string{`"fileMaxSize"`, `"\u0066ileMaxSize"`}},
		"same unknown name in two objects": {edits: []string{`"value": 30`, `"value": 30, "x": [{"y": 1}, {"y": 2}]`}},
		"empty label":                      {[]string{`"1 heure"`, `""`}, func(d *instance.Details) { d.RecommendedExpireTimes[1].Label = "" }},
		// Labels are unchanged in details; only in warnings are they made safe to print.
		"label with escapes and control characters": {
			edits: []string{`"1 heure"`, `"\u0031\u00a0\ud83d\ude00 \"h\" \/\u001b[31m\u0000\n\u202e"`},
			want: func(d *instance.Details) {
				d.RecommendedExpireTimes[1].Label = "1\u00a0\U0001F600 \"h\" /\x1b[31m\x00\n\u202e"
			},
		},
		"options that are not sorted": {
			edits: []string{`"inSeconds": 1800, "value": 30`, `"value": 120, "inSeconds": 7200`},
			want:  func(d *instance.Details) { d.RecommendedExpireTimes[0].InSeconds = 7200 },
		},
		"no whole minutes": {[]string{`1800`, `1859`}, func(d *instance.Details) { d.RecommendedExpireTimes[0].InSeconds = 1859 }},
		"no options": {
			[]string{valid, withEntries()}, func(d *instance.Details) { d.RecommendedExpireTimes = []instance.ExpireTime{} },
		},
	}
	for name, test := range tests {
		want := validDetails()
		if test.want != nil {
			test.want(&want)
		}
		got, err := instance.Parse([]byte(edit(t, test.edits...)), nil)
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: error %v, details:\n  %+v\nwant:\n  %+v", name, err, got, want)
		}
	}
}

// Without maxTransfersInMerge, the documented limit of the version applies.
func TestDefaultMergeLimit(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]int64{
		"0.9.0": 10, "1.99.99": 10, "1.9.9+2.0.0": 10, "2.0.0-rc.1": 50, "2.0.0": 50, "2.0.0+build": 50, "10.0.0": 50,
	} {
		details, err := instance.Parse([]byte(edit(t, `2.1.3`, version, `"maxTransfersInMerge": 50,`, ``)), nil)
		if err != nil || details.MaxTransfersInMerge != want {
			t.Errorf("%s: details %+v, error %v, want MaxTransfersInMerge = %d", version, details, err, want)
		}
	}
}

// The words of faults, written out once more: users rely on them.
const (
	nullLimit = "null: the server could not read this setting as a number"
	aDocument = "expected a JSON object, found "
	anInteger = "expected an integer from 0 to 9223372036854775807, found "
	anAge     = "expected an integer from 0 to 9223372036854775807, as a number or a string of decimal digits, found "
	aBoolean  = "expected true or false, found "
	aString   = "expected a string, found "
	aVersion  = `expected a string with a version of three numbers, such as "2.0.0", found `
	aList     = "expected an array of expiry entries, found "
	missing   = "required, but missing"
	twice     = "appears more than once"
)

// A value of another type or out of range is refused, with its path, what is expected and what was found.
func TestInvalidValues(t *testing.T) {
	t.Parallel()

	list := valid[strings.Index(valid, "[") : strings.LastIndex(valid, "]")+1]
	nines, wide := strings.Repeat("9", 60), strings.Repeat("分", 58)

	tests := []struct{ old, value, want string }{ // value replaces old in valid
		{valid, `null`, "the document: " + aDocument + "null"},
		{valid, `404`, "the document: " + aDocument + "the number 404"},
		{valid, ` "Bad Gateway\r\n" `, "the document: " + aDocument + `the string "Bad Gateway\r\n"`},
		{valid, "[" + valid + "]", "the document: " + aDocument + "an array"},

		{`60000000000`, `null`, "fileMaxSize: " + anInteger + nullLimit},
		{`60000000000`, `true`, "fileMaxSize: " + anInteger + "true"},
		{`60000000000`, `"1"`, "fileMaxSize: " + anInteger + `the string "1"`},
		{`60000000000`, `-1`, "fileMaxSize: " + anInteger + "the number -1"},
		{`60000000000`, `{"bytes": 1}`, "fileMaxSize: " + anInteger + "an object"},
		{`60000000000`, nines, "fileMaxSize: " + anInteger + "the number " + nines},
		{`60000000000`, nines + "9", "fileMaxSize: " + anInteger + "the number " + nines[:59] + "…"},
		{`20000000`, `null`, "chunkSize: " + anInteger + nullLimit},
		{`"chunkSize"`, `"chunksize"`, "chunkSize: " + missing},
		{`50`, `null`, "maxTransfersInMerge: " + anInteger + nullLimit},

		{`false`, `null`, "requirePassword: " + aBoolean + "null"},
		{`false`, `"false"`, "requirePassword: " + aBoolean + `the string "false"`},

		{`"2592000"`, `null`, "fileMaxAge: " + anAge + nullLimit},
		{`"2592000"`, `-1`, "fileMaxAge: " + anAge + "the number -1"},
		{`"2592000"`, `"-1"`, "fileMaxAge: " + anAge + `the string "-1"`},
		{`"2592000"`, `""`, "fileMaxAge: " + anAge + `the string ""`},
		// What is wrong with a value is visible in the fault, although it is safe to print.
		{`"2592000"`, `" 2592000\n"`, "fileMaxAge: " + anAge + `the string " 2592000\n"`},
		{`"2592000"`, `"1\", \"\u0000"`, "fileMaxAge: " + anAge + `the string "1\", \"\x00"`},
		{`"2592000"`, `"\u001b]0;owned\u202e"`, "fileMaxAge: " + anAge + `the string "\x1b]0;owned\u202e"`},
		{`2592000`, wide, "fileMaxAge: " + anAge + `the string "` + wide + `"`},
		{`2592000`, wide + "分", "fileMaxAge: " + anAge + `the string "` + wide + "…"},

		{`"2.1.3"`, `null`, "apiVersion: " + aVersion + "null"},
		{`"2.1.3"`, `2.0`, "apiVersion: " + aVersion + "the number 2.0"},
		{`2.1.3`, `1.2`, "apiVersion: " + aVersion + `the string "1.2"`},
		{`2.1.3`, `v1.2.3`, "apiVersion: " + aVersion + `the string "v1.2.3"`},
		{`2.1.3`, `01.2.3`, "apiVersion: " + aVersion + `the string "01.2.3"`},
		{`2.1.3`, `1.9223372036854775808.0`, "apiVersion: " + aVersion + `the string "1.9223372036854775808.0"`},

		{list, `null`, "recommendedExpireTimes: " + aList + "null"},
		{list, `{}`, "recommendedExpireTimes: " + aList + "an object"},
		{`"30 minutes"`, `null`, "recommendedExpireTimes[0].label: " + aString + "null"},
		{`1800`, `null`, "recommendedExpireTimes[0].inSeconds: " + anInteger + "null"},
	}
	for _, test := range tests {
		checkFaults(t, edit(t, test.old, test.value), test.want)
	}
}

// A duplicate member is the only fault that is listed, even if there are others. Its path is cut at 60 characters.
func TestDuplicateMembers(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("é", 60)
	for document, path := range map[string]string{
		`{"fileMaxSize": 1, "fileMaxSize": 1}`:                     "fileMaxSize",
		edit(t, `"value": 30`, `"value": 30, "value": 31`):         "recommendedExpireTimes[0].value",
		`{"motd": 1, "\u006dotd": 2}`:                              "motd",
		`{"motd": {"texts": [0, {"en": 1, "de": 2, "en": 3}, 1]}}`: "motd.texts[1].en",
		`{"motd": {"a": 1, "a": 2, "b": 2, "b": 2}, "motd": 0}`:    "motd.a",
		`{"motd": {"a": 1, "a": [}`:                                "motd.a",
		`{"": 1, "": 2}`:                                           "the document",
		`{"a\u001b[31m\u202e": 1, "a\u001b[31m\u202e": 2}`:         "a[31m",
		`{"` + name + `": 1, "` + name + `": 1}`:                   name,
		`{"n` + name + `": 1, "n` + name + `": 1}`:                 "n" + strings.Repeat("é", 58) + "…",
	} {
		checkFaults(t, document, path+": "+twice)
	}
}

func TestAtMost100Levels(t *testing.T) {
	t.Parallel()
	lists := strings.Repeat("[", 99) + strings.Repeat("]", 99) // in an object
	if _, err := instance.Parse([]byte(edit(t, `"chunkSize"`, `"motd": `+lists+`, "chunkSize"`)), nil); err != nil {
		t.Errorf("100 levels: %v, want them accepted", err)
	}
	checkFaults(t, `{"motd": [`+lists+`]}`, "motd"+strings.Repeat("[0]", 18)+"[…: more than 100 levels deep")
}

// Some of the reasons are the decoder's own words.
func TestNotJSON(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		"":                            "the document: empty",
		"\uFEFF":                      "the document: empty",
		"\uFEFF\uFEFF" + valid:        `the document: invalid character '\ufeff' at start of value at byte 0`,
		"<html></html>":               "the document: invalid character '<' at start of value at byte 0",
		"{\"label\": \"1 ann\xe9e\"}": "label: invalid UTF-8 at byte 16",
		"{\"motd\": \"\x1b\"}":        `motd: invalid character '\x1b' in string (expecting non-control character) at byte 10`,
		`{"a\u001b\u202e": [}`:        "a[0]: invalid character '}' at start of value at byte 19",
		"{}</html>":                   "the document: invalid character '<' at start of value at byte 2",
		"[] []":                       "the document: more text after the JSON value, at byte 2",

		`{"fileMaxSize"`:                      "fileMaxSize: ends early at byte 14",
		`{"fileMaxSize": null, "chunkSize": `: "chunkSize: ends early at byte 35",
		`{"motd": {"texts": [0, {"en": `:      "motd.texts[1].en: ends early at byte 30",
		"{\"label\": \"1 ann\xc3":             "label: ends early at byte 16", // within a character
	} {
		refused := parseRefused(t, document)
		if got := refused.Lines(); !slices.Equal(got, []string{want}) {
			t.Errorf("faults of %q = %q, want %q", document, got, want)
		}
		if early := strings.Contains(want, "ends early"); !refused.NotJSON || refused.EndsEarly != early {
			t.Errorf("%q: NotJSON = %t, EndsEarly = %t, want true, %t", document, refused.NotJSON, refused.EndsEarly, early)
		}
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
	checkFaults(t, document, want...)

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
	checkFaults(t, withEntries(slices.Repeat([]string{"null"}, 20)...), first20...)
	checkFaults(t, withEntries(slices.Repeat([]string{"null"}, 21)...), append(first20, "and 1 more")...)
}

// Options after the hundredth are counted, but not read.
func TestAtMost100Options(t *testing.T) {
	t.Parallel()
	options := slices.Repeat([]string{`{"label": "1 h", "inSeconds": 3600, "value": 60}`}, 100)

	details, err := instance.Parse([]byte(withEntries(options...)), nil)
	if err != nil || len(details.RecommendedExpireTimes) != 100 {
		t.Errorf("Parse of 100 options = %+v, error %v, want all of them", details, err)
	}

	options[99] = "null"
	checkFaults(t, withEntries(append(options, "null")...),
		"recommendedExpireTimes: expected at most 100 entries, found 101",
		"recommendedExpireTimes[99]: expected an object, found null")
}

func TestWarnings(t *testing.T) {
	t.Parallel()

	const contradictory, short, mixed = instance.ContradictoryUnits, instance.SuspiciouslyShort, instance.MixedUnits
	const first, second = `recommendedExpireTimes[0] ("a"): `, `recommendedExpireTimes[1] ("b"): `
	tests := map[string]struct {
		options []string
		want    []instance.Warning
	}{
		"consistent":      {options: []string{`{"label": "a", "inSeconds": 3600, "value": 60}`}},
		"rounded down":    {options: []string{`{"label": "a", "inSeconds": 3659, "value": 60}`}},
		"a minute, older": {options: []string{`{"label": "a", "value": 60}`}},
		"value whose seconds overflow": {
			[]string{`{"label": "a", "inSeconds": 60, "value": 9223372036854775807}`},
			[]instance.Warning{{contradictory, first + "inSeconds is 60, in whole minutes 1, but value is 9223372036854775807"}},
		},
		"rounded up": {
			[]string{`{"label": "a", "inSeconds": 3659, "value": 61}`},
			[]instance.Warning{{contradictory, first + "inSeconds is 3659, in whole minutes 60, but value is 61"}},
		},
		"inSeconds is zero": {
			[]string{`{"label": "a", "inSeconds": 0, "value": 30}`},
			[]instance.Warning{{contradictory, first + "inSeconds is 0, in whole minutes 0, but value is 30"}},
		},
		"under a minute, older": {[]string{`{"label": "a", "value": 59}`}, []instance.Warning{{short, first + "59"}}},
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
		"label that is longer and not safe to print": {
			[]string{`{"label": "\u001b` + strings.Repeat("分", 61) + `", "value": 1}`},
			[]instance.Warning{{short, `recommendedExpireTimes[0] ("` + strings.Repeat("分", 59) + `…"): 1`}},
		},
	}
	for name, test := range tests {
		details, err := instance.Parse([]byte(withEntries(test.options...)), nil)
		if err != nil || !slices.Equal(details.Warnings, test.want) {
			t.Errorf("%s: error %v, details:\n  %+v\nwant the warnings:\n  %+v", name, err, details, test.want)
		} else if got := len(details.RecommendedExpireTimes); got != len(test.options) {
			t.Errorf("%s: %d options, want %d: one with a warning is still an option", name, got, len(test.options))
		}
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
		"text that is not JSON": {
			`{"1234567": S}`, "[(redacted)]: invalid character 'S' at start of value at byte 12",
		},
	}
	for name, test := range tests {
		_, err := instance.Parse([]byte(test.document), redact)
		if want := "not an instance document: " + test.want; err == nil || err.Error() != want {
			t.Errorf("%s: error = %v, want %s", name, err, want)
		}
	}

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
}
