package provider

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

var hour, day, week = expireTime("1 hour", 3600), expireTime("1 day", 86400), expireTime("1 week", 604800)

// selections are options, a maximum, and the option that is selected.
var selections = map[string]struct {
	times      []any
	maxSeconds *big.Float
	want       any
}{
	"in_order":                      {[]any{hour, day, week}, number("100000"), day},
	"in_any_order":                  {[]any{week, hour, day}, number("100000"), day},
	"exactly_the_maximum":           {[]any{hour, day, week}, number("86400"), day},
	"one_second_less":               {[]any{hour, day, week}, number("86399"), hour},
	"a_fraction_below":              {[]any{hour, day}, number("86399.999"), hour},
	"a_maximum_beyond_64_bits":      {[]any{hour, week}, number("1e30"), week},
	"the_first_of_equals":           {[]any{expireTime("24 hours", 86400), day}, number("90000"), expireTime("24 hours", 86400)},
	"an_option_of_no_length_at_all": {[]any{expireTime("now", 0), hour}, number("0"), expireTime("now", 0)},
	"beyond_53_bits": {
		[]any{expireTime("more", 1<<53+1), expireTime("exactly", 1<<53)}, number("9007199254740992"), expireTime("exactly", 1<<53),
	},
}

func number(text string) *big.Float {
	parsed, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return parsed
}

func TestAccSelectExpireTime_Selections(t *testing.T) {
	t.Parallel()
	all, checks := "", []statecheck.StateCheck{}
	for name, test := range selections {
		all += fmt.Sprintf("output %q {\nvalue = %s\n}\n", name, callInHCL(t, "select_expire_time", test.times, test.maxSeconds))
		checks = append(checks, statecheck.ExpectKnownOutputValue(name, exactly(test.want)))
	}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   needFunctions(),
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{{
			Config:            all,
			ConfigStateChecks: checks,
		}},
	})
}

func TestSelectExpireTimeSelectsTheLongestWithin(t *testing.T) {
	t.Parallel()
	for name, test := range selections {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, fault := call(t, "select_expire_time", test.times, test.maxSeconds)
			if fault != nil {
				t.Fatal(fault.Text)
			}
			mustEqual(t, "the option", got, test.want)
		})
	}
	// A CLI that calls a function only with what is known does not get here.
	for name, entry := range map[string]any{"unknown entry": unknown{}, "unknown in_seconds": hour.with(args{"in_seconds": unknown{}})} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := call(t, "select_expire_time", []any{hour, entry}, 4000)
			mustEqual(t, "the option", got, any(unknown{}))
		})
	}
}

// unselectable are arguments that are refused, and what is said of each.
var unselectable = func() map[string]wrongCall {
	above := func(maxSeconds string, times []any, says ...string) wrongCall {
		return wrongCall{"select_expire_time", []any{times, number(maxSeconds)}, 1, says}
	}
	entry := func(says string, times ...any) wrongCall {
		return wrongCall{"select_expire_time", []any{times, 3600}, 0, []string{says}}
	}
	long := expireTime("\x1b[31mlong\n"+strings.Repeat("x", 900), 3600)
	return map[string]wrongCall{
		"none within": above("3599.5", []any{day, hour},
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
}()

func TestAccSelectExpireTime_Errors(t *testing.T) {
	t.Parallel()
	mustRefuseInCLI(t, "expire_times max_seconds", unselectable)
}

func TestSelectExpireTimeErrors(t *testing.T) {
	t.Parallel()
	mustRefuse(t, unselectable)
}
