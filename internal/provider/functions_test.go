package provider

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

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

// mustFault checks an error of a function. Terraform ends its text with a period itself.
func mustFault(t *testing.T, fault *tfprotov6.FunctionError, argument int64, says ...string) {
	t.Helper()
	if fault == nil {
		t.Fatal("no error")
	}
	if fault.FunctionArgument == nil || *fault.FunctionArgument != argument {
		t.Errorf("the error is on argument %v, want %d", fault.FunctionArgument, argument)
	}
	mustSay(t, fault.Text, says...)
	if strings.HasSuffix(fault.Text, ".") {
		t.Errorf("Terraform would end this with two periods: %s", fault.Text)
	}
}

func TestParseInstanceListsEveryFault(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		document string
		says     []string
	}{
		"several": {
			instancetest.Newer().With("fileMaxSize", nil).Without("chunkSize").JSON(),
			[]string{"This is not an instance document:\n  - fileMaxSize: expected an integer", "found null\n  - chunkSize: ", "missing"},
		},
		"not JSON": {"<html>", []string{"This is not a JSON document:\n  - "}},
		"empty":    {"", []string{"This is not a JSON document:\n  - "}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, fault := call(t, "parse_instance", test.document)
			mustFault(t, fault, 0, test.says...)
		})
	}
}

func number(t *testing.T, text string) *big.Float {
	t.Helper()
	parsed, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestSelectExpireTimeSelectsTheLongestWithin(t *testing.T) {
	t.Parallel()
	hour, day, week := expireTime("1 hour", 3600), expireTime("1 day", 86400), expireTime("1 week", 604800)
	tests := map[string]struct {
		times      []any
		maxSeconds string
		want       args
	}{
		"in order":                      {[]any{hour, day, week}, "100000", day},
		"in any order":                  {[]any{week, hour, day}, "100000", day},
		"exactly the maximum":           {[]any{hour, day, week}, "86400", day},
		"one second less":               {[]any{hour, day, week}, "86399", hour},
		"a fraction below":              {[]any{hour, day}, "86399.999", hour},
		"a maximum beyond 64 bits":      {[]any{hour, week}, "1e30", week},
		"the first of equals":           {[]any{expireTime("24 hours", 86400), day}, "90000", expireTime("24 hours", 86400)},
		"an option of no length at all": {[]any{expireTime("now", 0), hour}, "0", expireTime("now", 0)},
		"beyond 53 bits":                {[]any{expireTime("a", 9007199254740993), expireTime("b", 9007199254740992)}, "9007199254740992", expireTime("b", 9007199254740992)},
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

func TestSelectExpireTimeRefuses(t *testing.T) {
	t.Parallel()
	hour := expireTime("1 hour", 3600)
	tests := map[string]struct {
		times      []any
		maxSeconds string
		argument   int64
		says       string
	}{
		"none within":          {[]any{expireTime("1 day", 86400), hour}, "3599.5", 1, `No expiry option is at most 3599.5 seconds long: the shortest, "1 hour", has 3600 seconds`},
		"a maximum below all":  {[]any{hour}, "-1e300", 1, "No expiry option is at most -1e+300 seconds long"},
		"no options":           {[]any{}, "3600", 0, "The list is empty: there is no expiry option to select"},
		"null entry":           {[]any{hour, nil}, "3600", 0, "The entry at index 1 is null"},
		"null label":           {[]any{hour.with(args{"label": nil})}, "3600", 0, "The entry at index 0 has no label: it is null"},
		"null in_seconds":      {[]any{hour, hour.with(args{"in_seconds": nil})}, "3600", 0, "The entry at index 1 has no in_seconds: it is null"},
		"null in_minutes":      {[]any{hour.with(args{"in_minutes": nil})}, "3600", 0, "The entry at index 0 has no in_minutes: it is null"},
		"fraction of a second": {[]any{hour.with(args{"in_seconds": big.NewFloat(1.5)})}, "3600", 0, "The entry at index 0 has an in_seconds of 1.5, which is not a whole number"},
		"fraction of a minute": {[]any{hour, hour.with(args{"in_minutes": big.NewFloat(-0.25)})}, "3600", 0, "The entry at index 1 has an in_minutes of -0.25, which is not a whole number"},
		"more than 64 bits":    {[]any{hour.with(args{"in_seconds": big.NewFloat(1e30)})}, "3600", 0, "The entry at index 0 has an in_seconds of 1e+30, which is not a whole number of 64 bits"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, fault := call(t, "select_expire_time", test.times, number(t, test.maxSeconds))
			mustFault(t, fault, test.argument, test.says)
		})
	}
}

func TestSelectExpireTimeRepeatsLittleOfALabel(t *testing.T) {
	t.Parallel()
	label := "\x1b[31mlong\n" + strings.Repeat("x", 900_000)
	_, fault := call(t, "select_expire_time", []any{expireTime(label, 3600)}, 60)
	mustFault(t, fault, 1, `the shortest, "[31mlong xxx`, `xxx…", has 3600 seconds`)
	if len(fault.Text) > 200 {
		t.Errorf("an error of %d bytes", len(fault.Text))
	}
}

func TestSelectExpireTimeOfUnknownsIsUnknown(t *testing.T) {
	t.Parallel()
	hour := expireTime("1 hour", 3600)
	for name, one := range map[string]any{"entry": unknown{}, "in_seconds": hour.with(args{"in_seconds": unknown{}})} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, fault := call(t, "select_expire_time", []any{hour, one}, 4000)
			if fault != nil {
				t.Fatal(fault.Text)
			}
			mustEqual(t, "the option", got, unknown{})
		})
	}
}
