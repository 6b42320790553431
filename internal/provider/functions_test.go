package provider

import (
	"math/big"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestParseInstanceGivesWhatTheDataSourceGives(t *testing.T) {
	t.Parallel()
	for name, test := range documents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, fault := call(t, "parse_instance", test.document)
			if fault != nil {
				t.Fatal(fault.Text)
			}
			want := newer.with(test.want)
			delete(want, "response_body")
			mustEqual(t, "the details", got, want)
		})
	}
	t.Run("doubtful, silently", func(t *testing.T) {
		t.Parallel()
		got, fault := call(t, "parse_instance", instancetest.Newer().With("recommendedExpireTimes", []instancetest.Document{
			instancetest.NewerEntry("1 hour", 3600).With("value", 61), instancetest.OlderEntry("short", 30),
		}).JSON())
		if fault != nil {
			t.Fatal(fault.Text)
		}
		mustEqual(t, "the options", got.(args)["recommended_expire_times"], []any{expireTime("1 hour", 3600), expireTime("short", 30)})
	})
}

func number(t *testing.T, text string) *big.Float {
	t.Helper()
	parsed, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	must(t, err)
	return parsed
}

func TestSelectExpireTimeSelectsTheLongestWithin(t *testing.T) {
	t.Parallel()
	hour, day, week := expireTime("1 hour", 3600), expireTime("1 day", 86400), expireTime("1 week", 604800)
	tests := map[string]struct {
		times      []any
		maxSeconds string
		want       any
	}{
		"in order":                      {[]any{hour, day, week}, "100000", day},
		"in any order":                  {[]any{week, hour, day}, "100000", day},
		"exactly the maximum":           {[]any{hour, day, week}, "86400", day},
		"one second less":               {[]any{hour, day, week}, "86399", hour},
		"a fraction below":              {[]any{hour, day}, "86399.999", hour},
		"a maximum beyond 64 bits":      {[]any{hour, week}, "1e30", week},
		"the first of equals":           {[]any{expireTime("24 hours", 86400), day}, "90000", expireTime("24 hours", 86400)},
		"an option of no length at all": {[]any{expireTime("now", 0), hour}, "0", expireTime("now", 0)},
		"beyond 53 bits": {
			[]any{expireTime("more", 1<<53+1), expireTime("exactly", 1<<53)}, "9007199254740992", expireTime("exactly", 1<<53),
		},
		"unknown entry":      {[]any{hour, unknown{}}, "4000", unknown{}},
		"unknown in_seconds": {[]any{hour, hour.with(args{"in_seconds": unknown{}})}, "4000", unknown{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, fault := call(t, "select_expire_time", test.times, number(t, test.maxSeconds))
			if fault != nil {
				t.Fatal(fault.Text)
			}
			mustEqual(t, "the option", got, test.want)
		})
	}
}

// TestFunctionsSayWhatIsWrongWithWhichArgument: Terraform ends the text with a period itself.
func TestFunctionsSayWhatIsWrongWithWhichArgument(t *testing.T) {
	t.Parallel()
	hour := expireTime("1 hour", 3600)
	faulty := instancetest.Newer().With("fileMaxSize", nil).Without("chunkSize").JSON()
	long := expireTime("\x1b[31mlong\n"+strings.Repeat("x", 900_000), 3600)
	parse := func(document string, says ...string) wrongCall {
		return wrongCall{"parse_instance", []any{document}, 0, says}
	}
	above := func(maxSeconds string, times []any, says ...string) wrongCall {
		return wrongCall{"select_expire_time", []any{times, number(t, maxSeconds)}, 1, says}
	}
	entry := func(says string, times ...any) wrongCall {
		return wrongCall{"select_expire_time", []any{times, 3600}, 0, []string{says}}
	}
	tests := map[string]wrongCall{
		"document with faults": parse(faulty,
			"This is not an instance document:\n  - fileMaxSize: expected an integer", "found null\n  - chunkSize: ", "missing"),
		"not JSON":       parse("{", "This is not a JSON document:\n  - "),
		"file name":      parse("./snapshots/instance.json", "It looks like a file name: pass the content of the file, with file(...)"),
		"HTML page":      parse("<html><title>Sign\u202e in</title>", `This is not a JSON document, but an HTML page titled "Sign in"`),
		"HTML, no title": parse("<html>", "This is not a JSON document, but an HTML page"),
		"no document":    parse("", "This is not a JSON document:\n  - "),
		"none within": above("3599.5", []any{expireTime("1 day", 86400), hour},
			`No expiry option is at most 3599.5 seconds long: the shortest, "1 hour", is 3600 seconds long`),
		"a maximum below all": above("-1e300", []any{hour}, "No expiry option is at most -1e+300 seconds long"),
		"a long label":        above("60", []any{long}, `the shortest, "[31mlong xxx`, `xxx…", is 3600 seconds long`),
		"no options":          entry("The list is empty: there is no expiry option to select", []any{}...),
		"null entry":          entry("The entry at index 1 is null", hour, nil),
		"null label":          entry("The entry at index 0 has no label: it is null", hour.with(args{"label": nil})),
		"null in_seconds":     entry("The entry at index 1 has no in_seconds: it is null", hour, hour.with(args{"in_seconds": nil})),
		"null in_minutes":     entry("The entry at index 0 has no in_minutes: it is null", hour.with(args{"in_minutes": nil})),
		"fraction of a second": entry("The entry at index 0 has an in_seconds of 1.5, which is not a whole number",
			hour.with(args{"in_seconds": big.NewFloat(1.5)})),
		"fraction of a minute": entry("The entry at index 1 has an in_minutes of -0.25, which is not a whole number",
			hour, hour.with(args{"in_minutes": big.NewFloat(-0.25)})),
		"more than 64 bits": entry("The entry at index 0 has an in_seconds of 1e+30, which is not a whole number of 64 bits",
			hour.with(args{"in_seconds": big.NewFloat(1e30)})),
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, fault := call(t, test.function, test.arguments...)
			if fault == nil || fault.FunctionArgument == nil {
				t.Fatalf("no error about an argument: %v", fault)
			}
			mustEqual(t, "the argument", *fault.FunctionArgument, test.at)
			mustSay(t, fault.Text, test.says...)
			if strings.HasSuffix(fault.Text, ".") || len(fault.Text) > 200 {
				t.Errorf("the error ends with a period, or is long: %s", fault.Text)
			}
		})
	}
}

// wrongCall is a call of a function, and what is said of the argument at.
type wrongCall struct {
	function  string
	arguments []any
	at        int64
	says      []string
}

// TestSignatures pins what configurations are written against: the generated pages say no more of an object than that it is one.
func TestSignatures(t *testing.T) {
	t.Parallel()
	const entry = `tftypes.Object["in_minutes":tftypes.Number, "in_seconds":tftypes.Number, "label":tftypes.String]`
	signatures := make(map[string]string)
	for name, function := range schemas().Functions {
		for _, parameter := range function.Parameters {
			signatures[name] += parameter.Name + " " + parameter.Type.String() + ", "
		}
		signatures[name] += function.Return.Type.String()
	}
	mustEqual(t, "the functions", signatures, map[string]string{
		"parse_instance":     "document tftypes.String, " + terraformType(detailsObject).String(),
		"select_expire_time": "expire_times tftypes.List[" + entry + "], max_seconds tftypes.Number, " + entry,
	})
}
