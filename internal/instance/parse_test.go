package instance_test

import (
	"errors"
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
			d.APIVersion = instance.Version{Text: "1.3.2", Major: 1, Minor: 3, Patch: 2}
			d.MaxTransfersInMerge = 10
		}},
		// It has inSeconds, but no maxTransfersInMerge, and fileMaxAge is a number.
		"between older and newer": {instancetest.Mixed().JSON(), func(d *instance.Details) {
			d.APIVersion = instance.Version{Text: "1.5.0", Major: 1, Minor: 5}
			d.MaxTransfersInMerge = 10
		}},
		"zeros": {
			newer.With("fileMaxSize", 0).With("chunkSize", 0).With("maxTransfersInMerge", 0).JSON(),
			func(d *instance.Details) { d.FileMaxSizeBytes, d.ChunkSizeBytes, d.MaxTransfersInMerge = 0, 0, 0 },
		},
		"no expiry options": {newer.With("recommendedExpireTimes", []instancetest.Document{}).JSON(), func(d *instance.Details) {
			d.RecommendedExpireTimes = []instance.ExpireTime{}
		}},
		// A label stays as it is, whatever is in it. What prints it makes it safe.
		"expiry options as delivered": {
			newer.With("recommendedExpireTimes", raw(`[
				{"value": 120, "label": "1 año\u00a0\ud83d\ude00 \"\/\u001b[31m\u0000\n\u202e", "inSeconds": 7259},
				{"inSeconds": 1.577e10, "value": 262833333, "label": "", "motd": null}]`)).JSON(),
			func(d *instance.Details) {
				d.RecommendedExpireTimes = []instance.ExpireTime{
					{Label: "1 año\u00a0\U0001F600 \"/\x1b[31m\x00\n\u202e", InSeconds: 7259}, {InSeconds: 15770000000},
				}
			},
		},
		"unknown members": {document: newer.With("motd", raw(`[{"x": null}, {"x": 2}]`)).With("FileMaxSize", nil).JSON()},
		"byte order mark": {document: "\uFEFF" + newer.JSON()},
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
			got, err := instance.Parse([]byte(test.document))
			if err != nil || !reflect.DeepEqual(*got, want) {
				t.Errorf("error %v, details:\n  %+v\nwant:\n  %+v", err, got, want)
			}
		})
	}
}

// Numbers are read in every notation of JSON, exactly, and in a moment even if they have a million digits. Only fileMaxAge can be a string,
// and then of digits alone.
func TestParseReadsWholeNumbers(t *testing.T) {
	t.Parallel()
	const million = 1 << 20
	accepted := map[string]int64{
		"0": 0, "-0": 0, "-0.0e-5": 0, "0e99999999999999999999": 0, "0.0e-99999999999999999999": 0,
		"20000000": 20000000, "20000000.0": 20000000, "1.577e10": 15770000000, "6E+10": 60000000000, "6e0010": 60000000000,
		"7e-0": 7, "1.5000e1": 15, "120e-1": 12, "0.001e5": 100, "1e18": 1000000000000000000,
		"9007199254740993.0": 9007199254740993, "9.223372036854775807e18": math.MaxInt64, "92233720368547758070e-1": math.MaxInt64,
		"1" + strings.Repeat("0", million) + "e-1048576":    1,
		"0." + strings.Repeat("0", million) + "70e+1048577": 7,
		`"0"`: 0, `"2592000"`: 2592000, `"0000000000000000000000007"`: 7, `"9223372036854775807"`: math.MaxInt64,
	}
	for number, want := range accepted {
		t.Run(fmt.Sprintf("%.40s", number), func(t *testing.T) {
			t.Parallel()
			details, err := instance.Parse([]byte(newer.With("fileMaxAge", raw(number)).JSON()))
			if err != nil || details.FileMaxAgeSeconds != want {
				t.Errorf("details %+v, error %v, want %d", details, err, want)
			}
		})
	}
	for expected, numbers := range map[string][]string{
		"a whole number": {
			"-1", "-1.0", "-1e3", "-1e400", "0.5", "15e-1", "1.577e2", "1e-400", "1e-2147483649", "1.5e-9223372036854775808",
			`""`, `"abc"`, `"+1"`, `"-1"`, `"-0"`, `" 1"`, `"1 "`, `"1_000"`, `"1e3"`, `"1.0"`, `"0x1F"`, `"١٢"`, `"\uff11"`,
		},
		// Who set the number has to know what is allowed.
		"a whole number up to 9223372036854775807": {
			"9223372036854775808", "9.223372036854775808e18", "92233720368547758080e-1", "1e19", "1e400", "1e2147483647",
			"1e2147483648", "1e9223372036854775808", strings.Repeat("9", million), `"9223372036854775808"`, `"9999999999999999999999"`,
		},
	} {
		for _, number := range numbers {
			t.Run(fmt.Sprintf("%.40s", number), func(t *testing.T) {
				t.Parallel()
				invalid := parseInvalid(t, newer.With("fileMaxAge", raw(number)).JSON())
				kind := "a number"
				if strings.HasPrefix(number, `"`) {
					kind = "a string"
				}
				if want := "fileMaxAge: expected " + expected + ", found " + kind; invalid.Error() != want {
					t.Errorf("got the faults %v, want %s", invalid, want)
				}
			})
		}
	}
}

// An instance that does not report maxTransfersInMerge has the documented limit of its version.
func TestParseReadsVersions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ major, minor, patch, mergeLimit int64 }{
		"0.9.0":                   {0, 9, 0, 10},
		"1.99.100":                {1, 99, 100, 10},
		"1.2.3-beta.4+e5-f":       {1, 2, 3, 10},
		"1.9.9+2.0.0":             {1, 9, 9, 10},
		"2.0.0-rc.1":              {2, 0, 0, 50},
		"2.0.0":                   {2, 0, 0, 50},
		"10.0.0+build":            {10, 0, 0, 50},
		"9223372036854775807.0.9": {math.MaxInt64, 0, 9, 50},
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			details, err := instance.Parse([]byte(newer.With("apiVersion", text).Without("maxTransfersInMerge").JSON()))
			version := instance.Version{Text: text, Major: want.major, Minor: want.minor, Patch: want.patch}
			if err != nil || details.APIVersion != version || details.MaxTransfersInMerge != want.mergeLimit {
				t.Errorf("details %+v, error %v, want %+v", details, err, want)
			}
		})
	}
	for _, text := range []string{
		"", "2", "1.2", "1.2.3.4", "v1.2.3", " 1.2.3", "1.2.3\n", "1.2.3beta", "1.-2.3", "1..3", "٢.0.0", "1.9223372036854775808.0",
	} {
		t.Run("refused "+text, func(t *testing.T) {
			t.Parallel()
			if _, ok := instance.ParseVersion(text); ok {
				t.Errorf("ParseVersion(%q) accepts it, want it refused", text)
			}
		})
	}
}

// The unit of an expiry option depends on its own inSeconds.
func TestParseDecidesUnitsOfEachOption(t *testing.T) {
	t.Parallel()
	const alone = "without inSeconds, and was read as seconds"
	const beside = "without the inSeconds that other options have, and was read as seconds"
	for options, want := range map[string][]instance.ExpireTime{ // by the options without their labels
		`{"inSeconds": 3659, "value": 60}`: {{InSeconds: 3659}},
		`{"inSeconds": 3659, "value": 61}`: {
			{InSeconds: 3659, Ambiguity: "its inSeconds is 3659 and was used, but its value is 61 minutes"},
		},
		`{"inSeconds": 0, "value": 9223372036854775807}`: {
			{InSeconds: 0, Ambiguity: "its inSeconds is 0 and was used, but its value is 9223372036854775807 minutes"},
		},
		// Some early builds write minutes, which only their shortest option shows.
		`{"value": 59}, {"value": 60}`: {{InSeconds: 59, Ambiguity: "its value is 59, " + alone}, {InSeconds: 60}},
		`{"value": 45}, {"inSeconds": 60, "value": 1}, {"value": 3600}`: {
			{InSeconds: 45, Ambiguity: "its value is 45, " + beside}, {InSeconds: 60},
			{InSeconds: 3600, Ambiguity: "its value is 3600, " + beside},
		},
	} {
		for _, shape := range []instancetest.Document{newer, instancetest.Older()} { // whose versions do not matter
			t.Run(options, func(t *testing.T) {
				t.Parallel()
				details, err := instance.Parse([]byte(shape.With("recommendedExpireTimes", withoutLabels(options)).JSON()))
				if err != nil || !slices.Equal(details.RecommendedExpireTimes, want) {
					t.Errorf("error %v, details:\n  %+v\nwant the options:\n  %+v", err, details, want)
				}
			})
		}
	}
}

// withoutLabels returns the expiry options of a document, each with an empty label.
func withoutLabels(options string) instancetest.Raw {
	return raw("[" + strings.ReplaceAll(options, "{", `{"label": "", `) + "]")
}

// Release 1.1.1 reports minutes in the older shape. Its version alone does not show that, because other builds may say that they are 1.1.1,
// too.
func TestParseReadsMinutesOfOneRelease(t *testing.T) {
	t.Parallel()
	const (
		minutes  = `{"value": 30}, {"value": 360}`
		release  = "1.1.1"
		doubtful = "its value is 30, without inSeconds, and was read as seconds"
	)
	for name, test := range map[string]struct {
		version, options string
		want             []instance.ExpireTime
	}{
		"the release":               {release, minutes, []instance.ExpireTime{{InSeconds: 1800}, {InSeconds: 21600}}},
		"any order":                 {release, `{"value": 60}, {"value": 59}`, []instance.ExpireTime{{InSeconds: 3600}, {InSeconds: 3540}}},
		"zero":                      {release, `{"value": 0}`, []instance.ExpireTime{{}}},
		"largest number of minutes": {release, `{"value": 1}, {"value": 153722867280912930}`, []instance.ExpireTime{{InSeconds: 60}, {InSeconds: 9223372036854775800}}},
		"a minute or more":          {release, `{"value": 60}, {"value": 360}`, []instance.ExpireTime{{InSeconds: 60}, {InSeconds: 360}}},
		"inSeconds":                 {release, `{"value": 30, "inSeconds": 1800}`, []instance.ExpireTime{{InSeconds: 1800}}},
		"inSeconds beside it": {release, `{"value": 30}, {"value": 360, "inSeconds": 21600}`, []instance.ExpireTime{
			{InSeconds: 30, Ambiguity: "its value is 30, without the inSeconds that other options have, and was read as seconds"},
			{InSeconds: 21600},
		}},
		"no options":     {release, "", []instance.ExpireTime{}},
		"release before": {"1.1.0", minutes, []instance.ExpireTime{{InSeconds: 30, Ambiguity: doubtful}, {InSeconds: 360}}},
		"release after":  {"1.1.2", minutes, []instance.ExpireTime{{InSeconds: 30, Ambiguity: doubtful}, {InSeconds: 360}}},
		"pre-release":    {"1.1.1-rc.1", minutes, []instance.ExpireTime{{InSeconds: 30, Ambiguity: doubtful}, {InSeconds: 360}}},
		"build":          {"1.1.1+2", minutes, []instance.ExpireTime{{InSeconds: 30, Ambiguity: doubtful}, {InSeconds: 360}}},
		"leading zero":   {"1.1.01", minutes, []instance.ExpireTime{{InSeconds: 30, Ambiguity: doubtful}, {InSeconds: 360}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := instancetest.Older().With("apiVersion", test.version).With("recommendedExpireTimes", withoutLabels(test.options))
			details, err := instance.Parse([]byte(document.JSON()))
			if err != nil || !slices.Equal(details.RecommendedExpireTimes, test.want) {
				t.Errorf("error %v, details:\n  %+v\nwant the options:\n  %+v", err, details, test.want)
			}
		})
	}
}

// Minutes that are more seconds than an int64 has are refused, because a limit that is not known must not read as another.
func TestParseRefusesTooManyMinutes(t *testing.T) {
	t.Parallel()
	document := instancetest.Older().With("apiVersion", "1.1.1").With("recommendedExpireTimes", withoutLabels(
		`{"value": 153722867280912931}, {"value": 30}, {"value": 9223372036854775807}`))
	const fault = ".value: expected a whole number up to 153722867280912930, found a number "
	checkFaults(t, document.JSON(), "recommendedExpireTimes[0]"+fault+`"153722867280912931"`,
		"recommendedExpireTimes[2]"+fault+`"9223372036854775807"`)
	// In doubt about an option, only what is certainly wrong is listed.
	checkFaults(t, document.With("chunkSize", nil).JSON(),
		"chunkSize: expected a whole number, found null: the server could not read this setting as a number")
}

// parseInvalid parses a document that is refused, and returns why.
func parseInvalid(t *testing.T, document string) *instance.DocumentError {
	t.Helper()
	details, err := instance.Parse([]byte(document))
	invalid, ok := errors.AsType[*instance.DocumentError](err)
	if details != nil || !ok {
		t.Fatalf("%.200q: got details %+v and error %v, want only a *DocumentError", document, details, err)
	}
	return invalid
}

// checkFaults compares all faults of a document, each written as its path, its problem and, in quotes, what was found.
func checkFaults(t *testing.T, document string, want ...string) *instance.DocumentError {
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
	if !slices.Equal(got, want) {
		t.Errorf("%.200q has the faults:\n  %s\nwant:\n  %s", document, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	return invalid
}

func TestParseRefusesInvalidValues(t *testing.T) {
	t.Parallel()
	const (
		number     = "expected a whole number, found "
		large      = "expected a whole number up to 9223372036854775807, found "
		isTrue     = "expected true or false, found "
		version    = `expected a version of three numbers, such as "2.0.0", found `
		unreadable = "null: the server could not read this setting as a number"
	)
	tests := map[string]map[string]string{ // the fault, by field and value
		"fileMaxSize": {
			`null`: number + unreadable, `true`: number + "true", `"1"`: number + `a string "1"`, `-1`: number + `a number "-1"`,
			`{"bytes": 1}`: number + "an object", `[1]`: number + "an array", `1e20`: large + `a number "1e20"`,
		},
		"chunkSize":           {`null`: number + unreadable, `"20 MB"`: number + `a string "20 MB"`},
		"maxTransfersInMerge": {`null`: number + unreadable, `0.5`: number + `a number "0.5"`},
		"requirePassword":     {`null`: isTrue + "null", `"false"`: isTrue + `a string "false"`, `0`: isTrue + `a number "0"`},
		"apiVersion":          {`null`: version + "null", `2.0`: version + `a number "2.0"`, `"1.2"`: version + `a string "1.2"`},
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
				checkFaults(t, newer.With(field, raw(value)).JSON(), field+": "+problem)
			})
		}
	}
}

func TestParseListsEveryFault(t *testing.T) {
	t.Parallel()
	const document = `{
  "motd": {"a": null},
  "requirePassword": "no",
  "CHUNKSIZE": 1,
  "fileMaxSize": -1,
  "recommendedExpireTimes": [
    {"value": 0.5},
    [],
    {"label": "1 hour", "inSeconds": 3600},
    {"value": null, "label": 1, "inSeconds": null}
  ]
}`
	invalid := checkFaults(t, document,
		`fileMaxSize: expected a whole number, found a number "-1"`,
		"chunkSize: required, but missing",
		`requirePassword: expected true or false, found a string "no"`,
		"apiVersion: required, but missing",
		"fileMaxAge: required, but missing",
		"recommendedExpireTimes[0].label: required, but missing",
		`recommendedExpireTimes[0].value: expected a whole number, found a number "0.5"`,
		"recommendedExpireTimes[1]: expected an object, found an array",
		"recommendedExpireTimes[2].value: required, but missing",
		`recommendedExpireTimes[3].label: expected a string, found a number "1"`,
		"recommendedExpireTimes[3].inSeconds: expected a whole number, found null",
		"recommendedExpireTimes[3].value: expected a whole number, found null",
	)
	if invalid.NotJSON || invalid.EndsEarly || invalid.HasNoField {
		t.Errorf("NotJSON, EndsEarly and HasNoField are %t, %t and %t, want false", invalid.NotJSON, invalid.EndsEarly, invalid.HasNoField)
	}
}

// Options after the hundredth are counted, but not read.
func TestParseHasLimits(t *testing.T) {
	t.Parallel()
	options := slices.Repeat([]instancetest.Document{instancetest.NewerEntry("1 hour", 3600)}, 100)
	details, err := instance.Parse([]byte(newer.With("recommendedExpireTimes", options).JSON()))
	if err != nil || len(details.RecommendedExpireTimes) != 100 {
		t.Errorf("100 options: details %+v, error %v, want all of them", details, err)
	}

	want := []string{"recommendedExpireTimes: expected at most 100 entries, found 101"}
	for i := range 100 {
		want = append(want, fmt.Sprintf("recommendedExpireTimes[%d].label: required, but missing", i))
	}
	options = slices.Repeat([]instancetest.Document{options[0].Without("label")}, 101)
	checkFaults(t, newer.With("recommendedExpireTimes", options).JSON(), want...)
}

// A duplicate member is the only fault that is listed. It is named only if it is a field: other names are text of the document.
func TestParseRefusesDuplicateMembers(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{"fileMaxSize": 1, "fileMaxSize": 1}`:                                                  "fileMaxSize: appears more than once",
		`{"fileMaxSize": 1, "\u0066ileMaxSize": 2, <`:                                           "fileMaxSize: appears more than once",
		`{"recommendedExpireTimes": [0, {"value": 1, "value": 2}]`:                              "recommendedExpireTimes[1].value: appears more than once",
		`{"recommendedExpireTimes": [` + strings.Repeat("0,", 10) + `{"label": 1, "label": 2}]`: "recommendedExpireTimes[10].label: appears more than once",
		`{"recommendedExpireTimes": [0, {"s3cret": 1, "s3cret": `:                               "the document: has a member twice, at byte 45",
		`{"recommendedExpireTimes": {"70000": 1, "70000": `:                                     "the document: has a member twice, at byte 40",
		`{"motd": 1, "\u006dotd": 2}`:                                                           "the document: has a member twice, at byte 12",
		`{"motd": [0, {"value": 1, "value": 2}]}`:                                               "the document: has a member twice, at byte 26",
		`[{"value": 1, "value": 2}]`:                                                            "the document: has a member twice, at byte 14",
		`{"": 1, "": 2}`:                                                                        "the document: has a member twice, at byte 8",
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			if invalid := checkFaults(t, document, want); invalid.NotJSON {
				t.Error("NotJSON is true, want false")
			}
		})
	}
}

// What is found is in the words of the JSON library.
func TestParseRefusesWhatIsNotJSON(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		"404 page not found": `not valid JSON at byte 4 "invalid character 'p' after top-level value"`,
		"-- maintenance --":  `not valid JSON at byte 1 "invalid character '-' in number (expecting digit)"`,
		`{"motd": "\ud800"}`: `not valid JSON at byte 10 "invalid surrogate pair"`,
		"<html></html>":      `not valid JSON at byte 0 "invalid character '<' at start of value"`,
		"{} </html>":         `not valid JSON at byte 3 "invalid character '<' after top-level value"`,
		newer.JSON() + newer.JSON(): fmt.Sprintf(
			`not valid JSON at byte %d "invalid character '{' after top-level value"`, len(newer.JSON())),
		"{\"label\": \"1 ann\xe9e\"}":   `not valid JSON at byte 16 "invalid UTF-8"`,
		"{\"motd\": \"\x1b\"}":          `not valid JSON at byte 10 "invalid character '\\x1b' in string (expecting non-control character)"`,
		"\uFEFF\uFEFF" + newer.JSON():   `not valid JSON at byte 0 "invalid character '\\ufeff' at start of value"`,
		strings.Repeat("[", 1<<20):      `not valid JSON at byte 10000 "exceeded max depth"`,
		"":                              "empty",
		"\uFEFF \r\n":                   "empty",
		`"`:                             "ends early, at byte 1",
		"tru":                           "ends early, at byte 3",
		`{"fileMaxSize": 1, "chunkSi`:   "ends early, at byte 27",
		"{\"label\": \"1 ann\xc3":       "ends early, at byte 16", // within a character
		strings.Trim(newer.JSON(), "}"): fmt.Sprintf("ends early, at byte %d", len(newer.JSON())-1),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			invalid := checkFaults(t, document, "the document: "+want)
			if early := !strings.HasPrefix(want, "not valid"); !invalid.NotJSON || invalid.EndsEarly != early {
				t.Errorf("NotJSON is %t, EndsEarly is %t, want true and %t", invalid.NotJSON, invalid.EndsEarly, early)
			}
		})
	}
}

// Other JSON, such as what a backend says while it starts, is better shown than taken apart.
func TestParseMarksOtherJSON(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`null`:                         "the document: expected a JSON object, found null",
		`"Bad Gateway"`:                "the document: expected a JSON object, found a string",
		"[" + newer.JSON() + "]":       "the document: expected a JSON object, found an array",
		`{"success":false,"msg":"no"}`: "fileMaxSize: required, but missing",
		`{"FILEMAXSIZE":1}`:            "fileMaxSize: required, but missing",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			invalid := parseInvalid(t, document)
			if !invalid.HasNoField || invalid.NotJSON || invalid.Faults[0].String() != want {
				t.Errorf("HasNoField is %t, NotJSON is %t, faults %v", invalid.HasNoField, invalid.NotJSON, invalid)
			}
		})
	}
}
