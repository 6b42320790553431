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

// The words of errors, written out once more: users and the provider's own
// tests rely on them, so that a change must be meant.
const (
	anInteger      = "an integer from 0 to 9223372036854775807"
	anAge          = "an integer from 0 to 9223372036854775807, or a string that holds one in decimal digits"
	aVersion       = `a string with a version of three numbers, such as "2.0.0"`
	validJSON      = "valid JSON in UTF-8"
	requiredField  = "this field, which the contract requires"
	fieldIsMissing = "nothing: the field is missing"
	fieldOnce      = "this field once"
	itAgain        = "it again"
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

// parse calls instance.Parse and checks what it promises for any document
// whatsoever. Exactly one of the results is nil.
func parse(t *testing.T, document []byte) (*instance.Details, *instance.DocumentError) {
	t.Helper()
	before := bytes.Clone(document)
	details, err := instance.Parse(document)
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
		for _, text := range []string{fault.Path, fault.Expected, fault.Found} {
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

func checkFaults(t *testing.T, documentError *instance.DocumentError, want []instance.Fault) {
	t.Helper()
	if documentError == nil {
		t.Fatalf("no error, want %v", want)
	}
	if !slices.Equal(documentError.Faults, want) {
		t.Errorf("faults:\n%v\nwant:\n%v", lines(documentError.Faults), lines(want))
	}
}

func lines(faults []instance.Fault) string {
	texts := make([]string, 0, len(faults))
	for _, fault := range faults {
		texts = append(texts, fmt.Sprintf("  %+q", fault.String()))
	}
	return strings.Join(texts, "\n")
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

func TestParseTestdata(t *testing.T) {
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
	missing := func(path string) instance.Fault {
		return instance.Fault{Path: path, Expected: requiredField, Found: fieldIsMissing}
	}

	tests := map[string]struct {
		want       instance.Details
		wantFaults []instance.Fault
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
		"null_file_max_size.json": {wantFaults: []instance.Fault{
			{Path: "fileMaxSize", Expected: anInteger, Found: "null"},
		}},
		"first_public_version.json": {wantFaults: []instance.Fault{
			missing("fileMaxAge"), missing("recommendedExpireTimes"),
		}},
		"error_answer.json": {wantFaults: []instance.Fault{
			missing("fileMaxSize"), missing("chunkSize"), missing("requirePassword"), missing("apiVersion"),
			missing("fileMaxAge"), missing("recommendedExpireTimes"),
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
			checkFaults(t, documentError, test.wantFaults)
			if documentError.NotJSON {
				t.Error("NotJSON is true of a JSON document")
			}
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

// TestParseAccepts replaces one piece of the valid document with something
// unusual that is no fault.
func TestParseAccepts(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		old, replacement string
		want             func(*instance.Details)
	}{
		"nothing unusual": {`"2592000"`, `"2592000"`, func(*instance.Details) {}},

		"zero size":             {`60000000000`, `0`, func(d *instance.Details) { d.FileMaxSizeBytes = 0 }},
		"negative zero":         {`60000000000`, `-0`, func(d *instance.Details) { d.FileMaxSizeBytes = 0 }},
		"negative zero, scaled": {`60000000000`, `-0.0e5`, func(d *instance.Details) { d.FileMaxSizeBytes = 0 }},
		"zero, hugely scaled":   {`60000000000`, `0e999999999999`, func(d *instance.Details) { d.FileMaxSizeBytes = 0 }},
		"zero merge limit":      {`50`, `0`, func(d *instance.Details) { d.MaxTransfersInMerge = 0 }},
		"largest":               {`60000000000`, `9223372036854775807`, func(d *instance.Details) { d.FileMaxSizeBytes = math.MaxInt64 }},
		"largest, scaled":       {`60000000000`, `9.223372036854775807e18`, func(d *instance.Details) { d.FileMaxSizeBytes = math.MaxInt64 }},
		"negative exponent":     {`60000000000`, `120e-1`, func(d *instance.Details) { d.FileMaxSizeBytes = 12 }},
		"fraction scaled away":  {`60000000000`, `0.5e1`, func(d *instance.Details) { d.FileMaxSizeBytes = 5 }},

		"age as number":               {`"2592000"`, `2592000`, func(*instance.Details) {}},
		"age as scaled number":        {`"2592000"`, `2.592E+6`, func(*instance.Details) {}},
		"age with leading zeros":      {`"2592000"`, `"000000000000000000002592000"`, func(*instance.Details) {}},
		"age of escaped digits":       {`"2592000"`, `"\u0032592000"`, func(*instance.Details) {}},
		"zero age":                    {`"2592000"`, `"0"`, func(d *instance.Details) { d.FileMaxAgeSeconds = 0 }},
		"largest age":                 {`"2592000"`, `"9223372036854775807"`, func(d *instance.Details) { d.FileMaxAgeSeconds = math.MaxInt64 }},
		"age is not bound by entries": {`"2592000"`, `1`, func(d *instance.Details) { d.FileMaxAgeSeconds = 1 }},

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

		"empty label": {`"1 heure"`, `""`, func(d *instance.Details) { d.RecommendedExpireTimes[1].Label = "" }},
		"label with escapes": {`"1 heure"`, `"\u0031\u00a0\ud83d\ude00 \"h\" \/"`, func(d *instance.Details) {
			d.RecommendedExpireTimes[1].Label = "1\u00a0\U0001F600 \"h\" /"
		}},
		// The core hands labels on unchanged; cleaning is for whoever prints.
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

// TestParseFaults replaces one piece of the valid document with something that
// is at fault.
func TestParseFaults(t *testing.T) {
	t.Parallel()

	const (
		size     = `"fileMaxSize": 60000000000`
		chunk    = `"chunkSize": 20000000`
		password = `"requirePassword": false`
		version  = `"apiVersion": "2.1.3"`
		age      = `"fileMaxAge": "2592000"`
		merge    = `"maxTransfersInMerge": 50`
		entry0   = `{"label": "30 minutes", "inSeconds": 1800, "value": 30}`
		label0   = `"label": "30 minutes", `
		seconds0 = `"inSeconds": 1800`
		value0   = `, "value": 30`
	)

	tests := map[string]struct {
		old, replacement      string
		path, expected, found string
	}{
		"size missing":     {size + ",", ``, "fileMaxSize", requiredField, fieldIsMissing},
		"chunk missing":    {chunk + ",", ``, "chunkSize", requiredField, fieldIsMissing},
		"password missing": {password + ",", ``, "requirePassword", requiredField, fieldIsMissing},
		"version missing":  {version + ",", ``, "apiVersion", requiredField, fieldIsMissing},
		"age missing":      {age + ",", ``, "fileMaxAge", requiredField, fieldIsMissing},
		"entries missing": {`"recommendedExpireTimes"`, `"recommendedexpiretimes"`,
			"recommendedExpireTimes", requiredField, fieldIsMissing},
		"label missing": {label0, ``, "recommendedExpireTimes[0].label", requiredField, fieldIsMissing},
		"value missing": {value0, ``, "recommendedExpireTimes[0].value", requiredField, fieldIsMissing},

		"size null":     {size, `"fileMaxSize": null`, "fileMaxSize", anInteger, "null"},
		"chunk null":    {chunk, `"chunkSize": null`, "chunkSize", anInteger, "null"},
		"password null": {password, `"requirePassword": null`, "requirePassword", "true or false", "null"},
		"version null":  {version, `"apiVersion": null`, "apiVersion", aVersion, "null"},
		"age null":      {age, `"fileMaxAge": null`, "fileMaxAge", anAge, "null"},
		"merge null":    {merge, `"maxTransfersInMerge": null`, "maxTransfersInMerge", anInteger, "null"},
		"entry null":    {entry0, `null`, "recommendedExpireTimes[0]", "an object", "null"},
		"label null":    {label0, `"label": null, `, "recommendedExpireTimes[0].label", "a string", "null"},
		"seconds null":  {seconds0, `"inSeconds": null`, "recommendedExpireTimes[0].inSeconds", anInteger, "null"},
		"value null":    {value0, `, "value": null`, "recommendedExpireTimes[0].value", anInteger, "null"},

		"size twice":       {chunk, chunk + `, "fileMaxSize": 1`, "fileMaxSize", fieldOnce, itAgain},
		"same value twice": {size, size + ", " + size, "fileMaxSize", fieldOnce, itAgain},
		"size twice, once escaped": {chunk, chunk + `, "\u0066ileMaxSize": 1`,
			"fileMaxSize", fieldOnce, itAgain},
		"second of two is of another type": {chunk, chunk + `, "fileMaxSize": {"a": [null]}`,
			"fileMaxSize", fieldOnce, itAgain},
		"optional twice":     {merge, merge + `, "maxTransfersInMerge": 50`, "maxTransfersInMerge", fieldOnce, itAgain},
		"entries twice":      {merge, merge + `, "recommendedExpireTimes": []`, "recommendedExpireTimes", fieldOnce, itAgain},
		"value twice":        {value0, value0 + `, "value": 31`, "recommendedExpireTimes[0].value", fieldOnce, itAgain},
		"unknown twice":      {chunk, chunk + `, "motd": 1, "motd": 2`, "motd", fieldOnce, itAgain},
		"unknown in escapes": {chunk, chunk + `, "motd": 1, "\u006dotd": 2`, "motd", fieldOnce, itAgain},
		"unknown in an entry twice": {value0, value0 + `, "motd": 1, "motd": 2`,
			"recommendedExpireTimes[0].motd", fieldOnce, itAgain},
		"nested in an unknown value": {chunk, chunk + `, "motd": {"texts": [0, {"en": 1, "de": 2, "en": 3}]}`,
			"motd.texts[1].en", fieldOnce, itAgain},
		"nested in an unknown value of an entry": {value0, value0 + `, "motd": [{"a/b": 1, "a\/b": 1}]`,
			"recommendedExpireTimes[0].motd[0].a/b", fieldOnce, itAgain},
		"name that is not safe to print": {chunk, chunk + `, "a\u001b[31m\u202e": 1, "a\u001b[31m\u202e": 2`,
			"a[31m", fieldOnce, itAgain},
		"nested name that is not safe to print": {chunk, chunk + `, "x": {"a\u001b[31m\u202e": 1, "a\u001b[31m\u202e": 2}`,
			"x.a[31m", fieldOnce, itAgain},
		"long name": {
			chunk, chunk + `, "` + strings.Repeat("n", 100) + `": 1, "` + strings.Repeat("n", 100) + `": 2`,
			strings.Repeat("n", 59) + "…", fieldOnce, itAgain,
		},

		"size of other case":   {`"fileMaxSize"`, `"FileMaxSize"`, "fileMaxSize", requiredField, fieldIsMissing},
		"size in snake case":   {`"fileMaxSize"`, `"file_max_size"`, "fileMaxSize", requiredField, fieldIsMissing},
		"size with space":      {`"fileMaxSize"`, `"fileMaxSize "`, "fileMaxSize", requiredField, fieldIsMissing},
		"size by case folding": {`"chunkSize"`, `"chun\u212aSize"`, "chunkSize", requiredField, fieldIsMissing},
		"value of other case":  {value0, `, "VALUE": 30`, "recommendedExpireTimes[0].value", requiredField, fieldIsMissing},

		"size negative":    {size, `"fileMaxSize": -1`, "fileMaxSize", anInteger, "the number -1"},
		"merge negative":   {merge, `"maxTransfersInMerge": -1`, "maxTransfersInMerge", anInteger, "the number -1"},
		"age negative":     {age, `"fileMaxAge": -1`, "fileMaxAge", anAge, "the number -1"},
		"seconds negative": {seconds0, `"inSeconds": -1`, "recommendedExpireTimes[0].inSeconds", anInteger, "the number -1"},
		"value negative":   {value0, `, "value": -30.0`, "recommendedExpireTimes[0].value", anInteger, "the number -30.0"},

		"fraction":               {size, `"fileMaxSize": 1.5`, "fileMaxSize", anInteger, "the number 1.5"},
		"fraction by exponent":   {size, `"fileMaxSize": 15e-1`, "fileMaxSize", anInteger, "the number 15e-1"},
		"fraction beyond floats": {size, `"fileMaxSize": 60000000000.0000000000001`, "fileMaxSize", anInteger, "the number 60000000000.0000000000001"},
		"beyond int64":           {size, `"fileMaxSize": 9223372036854775808`, "fileMaxSize", anInteger, "the number 9223372036854775808"},
		"beyond int64, scaled":   {size, `"fileMaxSize": 1e19`, "fileMaxSize", anInteger, "the number 1e19"},
		"huge exponent":          {size, `"fileMaxSize": 1e999999999`, "fileMaxSize", anInteger, "the number 1e999999999"},
		"exponent beyond int64":  {size, `"fileMaxSize": 1e-9999999999999999999`, "fileMaxSize", anInteger, "the number 1e-9999999999999999999"},
		"long number": {
			size, `"fileMaxSize": ` + strings.Repeat("9", 100), "fileMaxSize", anInteger, "the number " + strings.Repeat("9", 59) + "…",
		},

		"size as string":        {size, `"fileMaxSize": "1"`, "fileMaxSize", anInteger, `the string "1"`},
		"size as bool":          {size, `"fileMaxSize": true`, "fileMaxSize", anInteger, "true"},
		"size as object":        {size, `"fileMaxSize": {"bytes": 1}`, "fileMaxSize", anInteger, "an object"},
		"size as array":         {size, `"fileMaxSize": [1]`, "fileMaxSize", anInteger, "an array"},
		"password as number":    {password, `"requirePassword": 0`, "requirePassword", "true or false", "the number 0"},
		"password as string":    {password, `"requirePassword": "false"`, "requirePassword", "true or false", `the string "false"`},
		"label as number":       {label0, `"label": 30, `, "recommendedExpireTimes[0].label", "a string", "the number 30"},
		"seconds as string":     {seconds0, `"inSeconds": "1800"`, "recommendedExpireTimes[0].inSeconds", anInteger, `the string "1800"`},
		"value as false":        {value0, `, "value": false`, "recommendedExpireTimes[0].value", anInteger, "false"},
		"entry as number":       {entry0, `1800`, "recommendedExpireTimes[0]", "an object", "the number 1800"},
		"entry as array":        {entry0, `[1800]`, "recommendedExpireTimes[0]", "an object", "an array"},
		"age as bool":           {age, `"fileMaxAge": true`, "fileMaxAge", anAge, "true"},
		"age as array":          {age, `"fileMaxAge": ["1"]`, "fileMaxAge", anAge, "an array"},
		"age empty":             {age, `"fileMaxAge": ""`, "fileMaxAge", anAge, `the string ""`},
		"age signed":            {age, `"fileMaxAge": "+1"`, "fileMaxAge", anAge, `the string "+1"`},
		"age negative string":   {age, `"fileMaxAge": "-1"`, "fileMaxAge", anAge, `the string "-1"`},
		"age scaled string":     {age, `"fileMaxAge": "1e3"`, "fileMaxAge", anAge, `the string "1e3"`},
		"age decimal string":    {age, `"fileMaxAge": "1.0"`, "fileMaxAge", anAge, `the string "1.0"`},
		"age with underscore":   {age, `"fileMaxAge": "1_000"`, "fileMaxAge", anAge, `the string "1_000"`},
		"age hexadecimal":       {age, `"fileMaxAge": "0x10"`, "fileMaxAge", anAge, `the string "0x10"`},
		"age in other digits":   {age, `"fileMaxAge": "١٢"`, "fileMaxAge", anAge, `the string "١٢"`},
		"age in words":          {age, `"fileMaxAge": "1 mois"`, "fileMaxAge", anAge, `the string "1 mois"`},
		"age beyond int64":      {age, `"fileMaxAge": "9223372036854775808"`, "fileMaxAge", anAge, `the string "9223372036854775808"`},
		"age number fractional": {age, `"fileMaxAge": 0.5`, "fileMaxAge", anAge, "the number 0.5"},
		// What is wrong with a value must be visible in the error, although the
		// error is safe to print.
		"age with a line break": {age, `"fileMaxAge": "2592000\n"`, "fileMaxAge", anAge, `the string "2592000\n"`},
		"age with space":        {age, `"fileMaxAge": " 2592000"`, "fileMaxAge", anAge, `the string " 2592000"`},
		"age with NUL":          {age, `"fileMaxAge": "1\u0000"`, "fileMaxAge", anAge, `the string "1\x00"`},
		"age with escapes": {
			age, `"fileMaxAge": "\u001b]0;owned\u0007\u202e\u200b"`, "fileMaxAge", anAge, `the string "\x1b]0;owned\a\u202e\u200b"`,
		},
		"age with quotes": {age, `"fileMaxAge": "1\", \"x"`, "fileMaxAge", anAge, `the string "1\", \"x"`},
		"age too long": {
			age, `"fileMaxAge": "` + strings.Repeat("x", 100) + `"`, "fileMaxAge", anAge, `the string "` + strings.Repeat("x", 58) + "…",
		},

		"entries as object": {
			"[\n    " + entry0, `{}, "x": [0`, "recommendedExpireTimes", "an array of expiry entries", "an object",
		},
		"entries null": {
			"[\n    " + entry0, `null, "x": [0`, "recommendedExpireTimes", "an array of expiry entries", "null",
		},

		"version of two numbers":    {version, `"apiVersion": "1.2"`, "apiVersion", aVersion, `the string "1.2"`},
		"version of four numbers":   {version, `"apiVersion": "1.2.3.4"`, "apiVersion", aVersion, `the string "1.2.3.4"`},
		"version with v":            {version, `"apiVersion": "v1.2.3"`, "apiVersion", aVersion, `the string "v1.2.3"`},
		"version empty":             {version, `"apiVersion": ""`, "apiVersion", aVersion, `the string ""`},
		"version empty number":      {version, `"apiVersion": "1..3"`, "apiVersion", aVersion, `the string "1..3"`},
		"version as number":         {version, `"apiVersion": 2.0`, "apiVersion", aVersion, "the number 2.0"},
		"version as array":          {version, `"apiVersion": [2, 0, 0]`, "apiVersion", aVersion, "an array"},
		"version negative":          {version, `"apiVersion": "1.-2.3"`, "apiVersion", aVersion, `the string "1.-2.3"`},
		"version with space":        {version, `"apiVersion": "1.2.3 "`, "apiVersion", aVersion, `the string "1.2.3 "`},
		"version with a line break": {version, `"apiVersion": "1.2.3\n"`, "apiVersion", aVersion, `the string "1.2.3\n"`},
		"version with leading zero": {version, `"apiVersion": "01.2.3"`, "apiVersion", aVersion, `the string "01.2.3"`},
		"version with empty suffix": {version, `"apiVersion": "1.2.3-"`, "apiVersion", aVersion, `the string "1.2.3-"`},
		"version in other digits":   {version, `"apiVersion": "١.٢.٣"`, "apiVersion", aVersion, `the string "١.٢.٣"`},
		"version beyond int64": {
			version, `"apiVersion": "1.9223372036854775808.0"`, "apiVersion", aVersion, `the string "1.9223372036854775808.0"`,
		},
		"version beyond uint64": {
			version, `"apiVersion": "1.0.18446744073709551616"`, "apiVersion", aVersion, `the string "1.0.18446744073709551616"`,
		},
		"long text that is no version": {
			version, `"apiVersion": "1.2-` + strings.Repeat("a", 300) + `"`,
			"apiVersion", aVersion, `the string "1.2-` + strings.Repeat("a", 54) + "…",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, documentError := parse(t, []byte(edit(t, test.old, test.replacement)))
			checkFaults(t, documentError, []instance.Fault{{Path: test.path, Expected: test.expected, Found: test.found}})
			if documentError.NotJSON {
				t.Error("NotJSON is true of a JSON document")
			}
		})
	}
}

// TestParseNotJSON pins where a text stops being JSON. The words for what was
// found there are the decoder's, so only the start of them is compared.
func TestParseNotJSON(t *testing.T) {
	t.Parallel()

	atEntry := func(text string) string { return valid[:strings.Index(valid, "1 heure")] + text }

	tests := map[string]struct {
		document    string
		path, found string
	}{
		"empty":                   {"", "the document", "an empty document"},
		"white space":             {" \r\n\t", "the document", "an empty document"},
		"only a byte order mark":  {"\uFEFF", "the document", "an empty document"},
		"two byte order marks":    {"\uFEFF\uFEFF" + valid, "the document", `invalid character '\ufeff' at start of value at byte 0`},
		"UTF-16":                  {"\xFF\xFE{\x00}\x00", "the document", "invalid character '\\xff' at start of value at byte 0"},
		"HTML":                    {"<!DOCTYPE html>\n<html></html>", "the document", "invalid character '<' at start of value at byte 0"},
		"plain text":              {"Bad Gateway", "the document", "invalid character 'B' at start of value at byte 0"},
		"terminal escapes":        {"\x1b[31mno\x1b[0m", "the document", `invalid character '\x1b' at start of value at byte 0`},
		"literal cut":             {"tru", "the document", "the end of the document at byte 3"},
		"cut before a name":       {`{`, "the document", "the end of the document at byte 1"},
		"cut after a name":        {`{"fileMaxSize"`, "fileMaxSize", "the end of the document at byte 14"},
		"cut in a number":         {`{"fileMaxSize": 6`, "the document", "the end of the document at byte 17"},
		"cut in a string":         {atEntry("1 he"), "recommendedExpireTimes[1].label", "the end of the document at byte "},
		"cut in a character":      {atEntry("1 ann\xc3"), "recommendedExpireTimes[1].label", "the end of the document at byte "},
		"cut in an unknown value": {`{"motd": {"texts": [0, {"en": `, "motd.texts[1].en", "the end of the document at byte 30"},
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

		"second object":    {valid + valid, "the document", fmt.Sprintf("more text after byte %d", len(valid)-1)},
		"literal after":    {valid + "true", "the document", fmt.Sprintf("more text after byte %d", len(valid)-1)},
		"text after":       {valid + "</html>", "the document", fmt.Sprintf("invalid character '<' at start of value at byte %d", len(valid))},
		"brace after":      {valid + "}", "the document", fmt.Sprintf("invalid character '}' at start of value at byte %d", len(valid))},
		"comma after":      {valid + ",", "the document", fmt.Sprintf("invalid character ',' at start of value at byte %d", len(valid))},
		"NUL after":        {valid + "\x00", "the document", fmt.Sprintf(`invalid character '\x00' at start of value at byte %d`, len(valid))},
		"text like a root": {"404 page not found", "the document", "invalid character 'p' at start of value at byte 4"},
		"array, then text": {"[] []", "the document", "more text after byte 2"},
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
			if last.Path != test.path || !strings.HasPrefix(last.Found, test.found) {
				t.Errorf("%q, found %q; want %q, found %q", last.Path, last.Found, test.path, test.found)
			}
			if strings.HasPrefix(test.found, "more text") {
				if last.Expected != "nothing after the JSON value" {
					t.Errorf("expected %q", last.Expected)
				}
			} else if last.Expected != validJSON {
				t.Errorf("expected %q, want %q", last.Expected, validJSON)
			}
		})
	}
}

// TestParseTruncated cuts the valid document at every byte.
func TestParseTruncated(t *testing.T) {
	t.Parallel()
	document := strings.TrimSpace(valid)
	for end := range len(document) {
		_, documentError := parse(t, []byte(document[:end]))
		if documentError == nil {
			t.Fatalf("no error for %q", document[:end])
		}
		want := "the end of the document at byte "
		if end == 0 {
			want = "an empty document"
		}
		last := documentError.Faults[len(documentError.Faults)-1]
		if !documentError.NotJSON || !strings.HasPrefix(last.Found, want) {
			t.Errorf("NotJSON %t, found %q for %q, want true, %q", documentError.NotJSON, last.Found, document[:end], want)
		}
	}
}

func TestParseOtherRoots(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		document, found string
	}{
		"array":  {"[" + valid + "]", "an array"},
		"null":   {"null", "null"},
		"true":   {" true ", "true"},
		"number": {"404", "the number 404"},
		"string": {`"Bad Gateway\r\n"`, `the string "Bad Gateway\r\n"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, documentError := parse(t, []byte(test.document))
			checkFaults(t, documentError, []instance.Fault{{Path: "the document", Expected: "a JSON object", Found: test.found}})
			if documentError.NotJSON {
				t.Error("NotJSON is true of a JSON document")
			}
		})
	}
}

func TestParseListsEveryFault(t *testing.T) {
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
	want := []instance.Fault{
		{Path: "chunkSize", Expected: anInteger, Found: "the number -1"},
		{Path: "requirePassword", Expected: "true or false", Found: `the string "no"`},
		{Path: "maxTransfersInMerge", Expected: anInteger, Found: "null"},
		{Path: "recommendedExpireTimes[0].value", Expected: anInteger, Found: "the number 0.5"},
		{Path: "recommendedExpireTimes[0].label", Expected: requiredField, Found: fieldIsMissing},
		{Path: "recommendedExpireTimes[1]", Expected: "an object", Found: "an array"},
		{Path: "recommendedExpireTimes[2].value", Expected: fieldOnce, Found: itAgain},
		{Path: "recommendedExpireTimes[3].label", Expected: "a string", Found: "the number 1"},
		{Path: "recommendedExpireTimes[3].inSeconds", Expected: anInteger, Found: `the string "x"`},
		{Path: "recommendedExpireTimes[3].value", Expected: anInteger, Found: "null"},
		{Path: "chunkSize", Expected: fieldOnce, Found: itAgain},
		{Path: "fileMaxAge", Expected: anAge, Found: "an array"},
		{Path: "motd.a.b", Expected: fieldOnce, Found: itAgain},
		{Path: "motd", Expected: fieldOnce, Found: itAgain},
		{Path: "fileMaxSize", Expected: requiredField, Found: fieldIsMissing},
		{Path: "apiVersion", Expected: requiredField, Found: fieldIsMissing},
	}
	_, documentError := parse(t, []byte(document))
	checkFaults(t, documentError, want)
	if documentError.Omitted != 0 || documentError.NotJSON {
		t.Errorf("omitted %d, NotJSON %t, want 0 and false", documentError.Omitted, documentError.NotJSON)
	}
}

func TestParseManyFaults(t *testing.T) {
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

func TestParseNumberOfEntries(t *testing.T) {
	t.Parallel()

	const entry = `{"label": "1 h", "inSeconds": 3600, "value": 60}`
	tooMany := func(found string) []instance.Fault {
		return []instance.Fault{{Path: "recommendedExpireTimes", Expected: "at most 1000 entries", Found: found}}
	}

	tests := map[string]struct {
		entries []string
		want    []instance.Fault
	}{
		"none":         {nil, nil},
		"as many":      {slices.Repeat([]string{entry}, 1000), nil},
		"one too many": {slices.Repeat([]string{entry}, 1001), tooMany("1001")},
		// Entries past the bound are counted, not read.
		"faulty past the bound": {append(slices.Repeat([]string{entry}, 1000), "null", "{}", "[[]]"), tooMany("1003")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			details, documentError := parse(t, []byte(withEntries(t, test.entries...)))
			if test.want != nil {
				checkFaults(t, documentError, test.want)
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

func TestParseDeeplyNested(t *testing.T) {
	t.Parallel()

	nested := func(depth int, core string) string {
		return edit(t, `"chunkSize"`, `"motd": `+strings.Repeat("[", depth)+core+strings.Repeat("]", depth)+`, "chunkSize"`)
	}

	t.Run("ignored", func(t *testing.T) {
		t.Parallel()
		details, documentError := parse(t, []byte(nested(9000, "")))
		checkEqualDetails(t, details, documentError, validDetails())
	})
	t.Run("duplicate at the bottom", func(t *testing.T) {
		t.Parallel()
		_, documentError := parse(t, []byte(nested(9000, `{"a": 1, "a": 2}`)))
		checkFaults(t, documentError, []instance.Fault{{
			Path: "motd" + strings.Repeat("[0]", 18) + "[…", Expected: fieldOnce, Found: itAgain,
		}})
	})
	t.Run("too deep", func(t *testing.T) {
		t.Parallel()
		_, documentError := parse(t, []byte(nested(500_000, "")))
		if documentError == nil {
			t.Fatal("no error")
		}
		last := documentError.Faults[len(documentError.Faults)-1]
		if !strings.HasPrefix(last.Path, "motd[0][0]") || !strings.HasPrefix(last.Found, "exceeded max depth") {
			t.Errorf("unexpected fault: %v", last)
		}
	})
}

func TestParseWarnings(t *testing.T) {
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
		"both kinds, label as delivered": {
			[]string{
				`{"label": "30 分\u001b", "value": 30}`,
				`{"label": "b", "value": 3600}`,
				`{"label": "c", "inSeconds": 7200, "value": 7200}`,
				`{"label": "d", "value": 45}`,
			},
			[]instance.Warning{
				warning(instance.SuspiciouslyShort, 0, "30 分\x1b", 30, 30),
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

// TestParseDefaultMergeLimit: the version decides only where the instance does
// not say.
func TestParseDefaultMergeLimit(t *testing.T) {
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
