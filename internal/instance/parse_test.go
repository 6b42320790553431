package instance_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

type raw = instancetest.Raw

var newer = instancetest.Newer()

func TestParse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		document string
		change   func(*instance.Details) // changes what newer means; nil if nothing differs
	}{
		"newer": {document: newer.JSON()},
		"older": {instancetest.Older().JSON(), func(d *instance.Details) {
			d.FileMaxSizeBytes, d.ChunkSizeBytes, d.RequirePassword = 21474836480, 10000000, false
			d.APIVersion, d.MaxTransfersInMerge = "1.3.2", 10
		}},
		"between older and newer": {instancetest.Mixed().JSON(), func(d *instance.Details) {
			d.APIVersion, d.MaxTransfersInMerge = "1.5.0", 10
		}},
		"zeros": {
			newer.With("fileMaxSize", 0).With("chunkSize", 0).With("maxTransfersInMerge", 0).JSON(),
			func(d *instance.Details) { d.FileMaxSizeBytes, d.ChunkSizeBytes, d.MaxTransfersInMerge = 0, 0, 0 },
		},
		"no expiry options": {newer.With("recommendedExpireTimes", raw("[ ]")).JSON(), func(d *instance.Details) {
			d.RecommendedExpireTimes = []instance.ExpireTime{}
		}},
		// A label stays as it is, whatever is in it. What prints it makes it safe.
		"labels": {newer.With("recommendedExpireTimes", raw(`[
			{"label": "1 año\u00a0\ud83d\uDE00 \"\/\\ud800\u001b[31m\u0000\n\u202e\uFFFD�\uD7FF\uDBFF\uDFFF", "value": 1},
			{"value": 262833333, "inSeconds": 15770000000, "label": "", "motd": null}
		]`)).JSON(), func(d *instance.Details) {
			d.RecommendedExpireTimes = []instance.ExpireTime{
				{Label: "1 año\u00a0\U0001F600 \"/\\ud800\x1b[31m\x00\n\u202e\uFFFD\uFFFD\ud7ff\U0010FFFF", InSeconds: 1},
				{InSeconds: 15770000000},
			}
		}},
		"unknown members": {document: newer.With("motd", raw(`[{"x": 1e999}]`)).With("FileMaxSize", nil).JSON()},
		"members twice":   {document: `{"fileMaxSize": null, "\u0063hunkSize": 1, ` + newer.JSON()[1:]},
		"white space":     {document: " \r\n\t" + newer.JSON() + " \r\n\t"},
		"escaped name":    {document: strings.Replace(newer.JSON(), "fileMaxSize", `\u0066ileMaxSize`, 1)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := instancetest.NewerDetails()
			if test.change != nil {
				test.change(&want)
			}
			got, invalid := instance.Parse([]byte(test.document))
			if invalid != nil || !reflect.DeepEqual(*got, want) {
				t.Errorf("got %v, details:\n  %+v\nwant:\n  %+v", invalid, got, want)
			}
		})
	}
}

// Only fileMaxAge can be a string, and then of digits alone.
func TestParseReadsWholeNumbers(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]int64{
		"0": 0, "9007199254740993": 9007199254740993, "9223372036854775807": math.MaxInt64,
		`"0"`: 0, `"2592000"`: 2592000, `"0000000000000000000000007"`: 7, `"9223372036854775807"`: math.MaxInt64,
	} {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			details, invalid := instance.Parse([]byte(newer.With("fileMaxAge", raw(number)).JSON()))
			if invalid != nil || details.FileMaxAgeSeconds != want {
				t.Errorf("details %+v, got %v, want %d", details, invalid, want)
			}
		})
	}
	for problem, numbers := range map[string][]string{
		"expected a whole number from 0, found a number": {
			"-1", "-0", "-9223372036854775809", "0.5", "-0.0", "20000000.0", "1.577e10", "1e400", "1e-2147483649",
		},
		"expected a whole number from 0, found a string": {
			`""`, `"abc"`, `"+1"`, `"-1"`, `"-0"`, `" 1"`, `"1 "`, `"1_000"`, `"1e3"`, `"1.0"`, `"0x1F"`, `"١٢"`,
		},
		// Who set the number has to know what is allowed.
		"expected a whole number from 0 to 9223372036854775807, found a number": {
			"9223372036854775808", strings.Repeat("9", 1<<20),
		},
		"expected a whole number from 0 to 9223372036854775807, found a string": {
			`"9223372036854775808"`, `"9999999999999999999999"`,
		},
	} {
		for _, number := range numbers {
			t.Run(fmt.Sprintf("%.40s", number), func(t *testing.T) {
				t.Parallel()
				invalid := parseInvalid(t, newer.With("fileMaxAge", raw(number)).JSON())
				if want := "fileMaxAge: " + problem; len(invalid.Faults) != 1 || invalid.Faults[0].String() != want {
					t.Errorf("got %v, want %s", invalid, want)
				}
			})
		}
	}
}

// An instance that does not report maxTransfersInMerge has the documented limit of its version.
func TestParseReadsVersions(t *testing.T) {
	t.Parallel()
	for version, mergeLimit := range map[string]int64{
		"0.9.0": 10, "1.99.100": 10, "01.2.3-beta.4+e5-f": 10, "1.9.9+2.0.0": 10,
		"2.0.0-rc.1": 50, "2.0.0": 50, "10.0.0+build": 50, "9223372036854775808.0.9": 50,
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			document := newer.With("apiVersion", version).Without("maxTransfersInMerge")
			details, invalid := instance.Parse([]byte(document.JSON()))
			if invalid != nil || details.APIVersion != version || details.MaxTransfersInMerge != mergeLimit {
				t.Errorf("details %+v, got %v, want the version as it is, and the limit %d", details, invalid, mergeLimit)
			}
			if !instance.ValidVersion(version) {
				t.Error("ValidVersion refuses it")
			}
		})
	}
	for _, version := range []string{
		"", "2", "1.2", "1.2.3.4", "v1.2.3", " 1.2.3", "1.2.3\n", "1.2.3-\n", "1.2.3beta", "1.-2.3", "1..3", "٢.0.0",
		"1x2.3", "1.2x3",
	} {
		t.Run("refused "+version, func(t *testing.T) {
			t.Parallel()
			if instance.ValidVersion(version) {
				t.Error("ValidVersion accepts it")
			}
		})
	}
}

// The unit of an expiry option depends on its own inSeconds. Release 1.1.1 reports minutes without inSeconds. Its
// version alone does not show that, because other builds may say that they are 1.1.1, too.
func TestParseDecidesUnits(t *testing.T) {
	t.Parallel()
	const minutes = `{"value": 30}, {"value": 360}`
	tests := map[string]struct {
		version, options string
		wantSeconds      []int64
	}{
		"inSeconds":              {"1.3.2", `{"inSeconds": 3659, "value": 60}`, []int64{3659}},
		"inSeconds that differs": {"2.0.0", `{"inSeconds": 0, "value": 9223372036854775807}`, []int64{0}},
		"value":                  {"2.0.0", `{"value": 59}, {"value": 60}`, []int64{59, 60}},
		"both":                   {"2.0.0", `{"value": 45}, {"inSeconds": 60, "value": 1}`, []int64{45, 60}},
		"1.1.1":                  {"1.1.1", minutes, []int64{1800, 21600}},
		"any order":              {"1.1.1", `{"value": 60}, {"value": 59}`, []int64{3600, 3540}},
		"zero":                   {"1.1.1", `{"value": 0}`, []int64{0}},
		"most minutes":           {"1.1.1", `{"value": 1}, {"value": 153722867280912930}`, []int64{60, 9223372036854775800}},
		"a minute or more":       {"1.1.1", `{"value": 60}, {"value": 360}`, []int64{60, 360}},
		"1.1.1 with inSeconds":   {"1.1.1", `{"value": 30, "inSeconds": 1800}`, []int64{1800}},
		"1.1.1 with both":        {"1.1.1", `{"value": 30}, {"value": 360, "inSeconds": 21600}`, []int64{30, 21600}},
		"1.1.1 without options":  {"1.1.1", "", []int64{}},
		"release before":         {"1.1.0", minutes, []int64{30, 360}},
		"release after":          {"1.1.2", minutes, []int64{30, 360}},
		"pre-release":            {"1.1.1-rc.1", minutes, []int64{30, 360}},
		"build":                  {"1.1.1+2", minutes, []int64{30, 360}},
		"leading zero":           {"1.1.01", minutes, []int64{30, 360}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := instancetest.Older().With("apiVersion", test.version).
				With("recommendedExpireTimes", labeled(test.options))
			details, invalid := instance.Parse([]byte(document.JSON()))
			if invalid != nil {
				t.Fatal(invalid)
			}
			got := []int64{}
			for _, option := range details.RecommendedExpireTimes {
				got = append(got, option.InSeconds)
			}
			if !slices.Equal(got, test.wantSeconds) {
				t.Errorf("got %d seconds, want %d", got, test.wantSeconds)
			}
		})
	}
}

// labeled returns the expiry options of a document, each with a label.
func labeled(options string) instancetest.Raw {
	return raw("[" + strings.ReplaceAll(options, "{", `{"label": "", `) + "]")
}

func TestInMinutesRoundsDown(t *testing.T) {
	t.Parallel()
	if got := (instance.ExpireTime{InSeconds: 179}).InMinutes(); got != 2 {
		t.Errorf("179 seconds are %d minutes, want 2", got)
	}
}

// parseInvalid parses a document that is refused, and returns why.
func parseInvalid(t *testing.T, document string) *instance.InvalidDocument {
	t.Helper()
	details, invalid := instance.Parse([]byte(document))
	if details != nil || invalid == nil || (invalid.NotJSON == "") == (len(invalid.Faults) == 0) {
		t.Fatalf("%.200q: got details %+v and %+v, want either faults, or why it is not JSON", document, details, invalid)
	}
	return invalid
}

// checkInvalid compares the faults of a document, each written as its path, its problem and, in quotes, what was found,
// or why it is not JSON.
func checkInvalid(t *testing.T, document string, want ...string) {
	t.Helper()
	invalid := parseInvalid(t, document)
	var got []string
	for _, fault := range invalid.Faults {
		line := fault.String()
		if fault.Found != "" {
			line += " " + strconv.Quote(fault.Found)
		}
		got = append(got, line)
	}
	switch {
	case invalid.EndsEarly:
		got = []string{"ends early: " + invalid.NotJSON}
	case invalid.NotJSON != "":
		got = []string{invalid.NotJSON}
	case !invalid.HasFields:
		got = append(got, noField)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%.200q: got\n  %s\nwant\n  %s", document, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

const noField = "it has no field"

func TestParseRefusesInvalidValues(t *testing.T) {
	t.Parallel()
	const (
		number     = "expected a whole number from 0, found "
		isTrue     = "expected true or false, found "
		version    = `expected a version of three numbers, such as "2.0.0", found `
		unreadable = "null: the server could not read this setting as a number"
	)
	tests := map[string]map[string]string{ // the fault, by field and value
		"fileMaxSize": {
			`null`: number + unreadable, `true`: number + "true", `"5"`: number + `a string "5"`, `""`: number + "a string",
			`{"bytes": 1}`: number + "an object", `[1]`: number + "an array", `-1`: number + `a number "-1"`,
			`9223372036854775808`: "expected a whole number from 0 to 9223372036854775807, " +
				`found a number "9223372036854775808"`,
		},
		"chunkSize":           {`null`: number + unreadable, `"20 MB"`: number + `a string "20 MB"`},
		"maxTransfersInMerge": {`null`: number + unreadable, `0.5`: number + `a number "0.5"`},
		"requirePassword": {
			`null`: isTrue + "null", `"false"`: isTrue + `a string "false"`, `0`: isTrue + `a number "0"`,
		},
		"apiVersion": {
			`null`: version + "null", `2.0`: version + `a number "2.0"`, `"1.2"`: version + `a string "1.2"`,
		},
		// What was found is unchanged: a line break may be what is wrong.
		"fileMaxAge": {
			`null`: number + unreadable, `false`: number + "false", `" 1\n\u001b\u202e"`: number + `a string " 1\n\x1b\u202e"`,
		},
		"recommendedExpireTimes": {`null`: "expected an array, found null", `{}`: "expected an array, found an object"},
	}
	for field, values := range tests {
		for value, problem := range values {
			t.Run(field+" "+value, func(t *testing.T) {
				t.Parallel()
				checkInvalid(t, newer.With(field, raw(value)).JSON(), field+": "+problem)
				// A document with nothing but this field is still the document of an instance.
				alone := instancetest.Document{}.With(field, raw(value))
				if !parseInvalid(t, alone.JSON()).HasFields {
					t.Error("HasFields is false, want true")
				}
			})
		}
	}
}

// What is found in a document that is not JSON is in the words of encoding/json.
func TestParseRefusesDocuments(t *testing.T) {
	t.Parallel()
	const tooManyMinutes = ".value: expected a whole number from 0 to 153722867280912930, found a number "
	missing := []string{
		"fileMaxSize: required, but missing", "chunkSize: required, but missing", "requirePassword: required, but missing",
		"apiVersion: required, but missing", "fileMaxAge: required, but missing", "recommendedExpireTimes: required, but missing",
		noField,
	}
	minutes := instancetest.Older().With("apiVersion", "1.1.1").With("recommendedExpireTimes", labeled(
		`{"value": 153722867280912931}, {"value": 30}, {"value": 9223372036854775807}`))
	for document, want := range map[string][]string{
		`{"motd": {"a": null}, "requirePassword": "no", "CHUNKSIZE": 1, "fileMaxSize": -1, "recommendedExpireTimes": [
			{"value": 0.5}, [], {"label": "1 hour", "inSeconds": 3600}, {"value": null, "label": 1, "inSeconds": null}
		]}`: {
			`fileMaxSize: expected a whole number from 0, found a number "-1"`,
			"chunkSize: required, but missing",
			`requirePassword: expected true or false, found a string "no"`,
			"apiVersion: required, but missing",
			"fileMaxAge: required, but missing",
			"recommendedExpireTimes[0].label: required, but missing",
			`recommendedExpireTimes[0].value: expected a whole number from 0, found a number "0.5"`,
			"recommendedExpireTimes[1]: expected a JSON object, found an array",
			"recommendedExpireTimes[2].value: required, but missing",
			`recommendedExpireTimes[3].label: expected a string, found a number "1"`,
			"recommendedExpireTimes[3].inSeconds: expected a whole number from 0, found null",
			"recommendedExpireTimes[3].value: expected a whole number from 0, found null",
		},

		// Minutes that are more seconds than an int64 has are refused, because a limit that is not known must not read
		// as another.
		minutes.JSON(): {
			"recommendedExpireTimes[0]" + tooManyMinutes + `"153722867280912931"`,
			"recommendedExpireTimes[2]" + tooManyMinutes + `"9223372036854775807"`,
		},
		// After another fault, the unit is in doubt, and only what is certainly wrong is listed.
		minutes.With("chunkSize", true).JSON(): {"chunkSize: expected a whole number from 0, found true"},

		// Other JSON, such as what a backend says while it starts, is better shown than taken apart.
		` null `:                       {"the document: expected a JSON object, found null", noField},
		`"Bad Gateway"`:                {`the document: expected a JSON object, found a string "Bad Gateway"`, noField},
		"[" + newer.JSON() + "]":       {"the document: expected a JSON object, found an array", noField},
		`{"success":false,"msg":"no"}`: missing,
		`{"FILEMAXSIZE":1}`:            missing,

		"404 page not found": notJSON("invalid character 'p' after top-level value"),
		"-- maintenance --":  notJSON("invalid character '-' in numeric literal"),
		"<html></html>":      notJSON("invalid character '<' looking for beginning of value"),
		"{} <":               notJSON("invalid character '<' after top-level value"),

		newer.JSON() + newer.JSON(): notJSON("invalid character '{' after top-level value"),

		"{\"label\": \"1 ann\xe9e\"}": {"not valid UTF-8"},

		" \r\n":                         {"ends early: empty"},
		`"`:                             endsEarly,
		"tru":                           endsEarly,
		`{"fileMaxSize": 1, "chunkSi`:   endsEarly,
		"{\"label\": \"1 ann\xc3":       endsEarly, // within a character
		strings.Trim(newer.JSON(), "}"): endsEarly,
	} {
		t.Run(fmt.Sprintf("%.40q", document), func(t *testing.T) {
			t.Parallel()
			checkInvalid(t, document, want...)
		})
	}
}

// Go 1.26 and 1.27 have different words for what is wrong with these.
func TestParseRefusesRareSyntaxErrors(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		"{\"motd\": \"\x1b\"}", "\uFEFF" + newer.JSON(), "\u00a0" + newer.JSON(), strings.Repeat("[", 1<<20),
	} {
		if invalid := parseInvalid(t, document); invalid.NotJSON == "" || invalid.EndsEarly {
			t.Errorf("%.40q: got %+v, want only NotJSON", document, invalid)
		}
	}
}

func notJSON(found string) []string { return []string{"not valid JSON: " + found} }

var endsEarly = []string{"ends early: incomplete JSON: it ends early"}

// Options after the hundredth are not read.
func TestParseHasLimits(t *testing.T) {
	t.Parallel()
	document := func(n int, option instancetest.Document) string {
		options := slices.Repeat([]instancetest.Document{option}, n)
		return newer.With("recommendedExpireTimes", options).JSON()
	}
	option := instancetest.NewerEntry("1 hour", 3600)
	details, invalid := instance.Parse([]byte(document(100, option)))
	if invalid != nil || len(details.RecommendedExpireTimes) != 100 {
		t.Errorf("100 options: details %+v, got %v, want all of them", details, invalid)
	}
	faults := parseInvalid(t, document(3000, option.Without("label"))).Faults
	first, last := faults[0].String(), faults[len(faults)-1].String()
	if len(faults) != 101 || first != "recommendedExpireTimes: expected at most 100 entries, found 3000" ||
		last != "recommendedExpireTimes[99].label: required, but missing" {
		t.Errorf("3000 options: got %d faults, from %q to %q", len(faults), first, last)
	}
}
