package provider

import (
	"slices"
	"strings"
	"testing"
)

// validation is what is said of arguments.
type validation struct {
	arguments args
	want      []expected
}

// refused is what is said of the value of an argument that is refused.
type refused struct {
	value any
	// secret is true if the error is on no attribute: Terraform prints the lines of the configuration with the
	// attribute at fault.
	secret bool
	says   []string
}

// The client's tests have every fault of a base URL, an address, a header and a PEM text.

var refusedBaseURLs = map[string]refused{
	"no scheme":         {"files.example.org", false, []string{"has no scheme", `"https://"`}},
	"line break":        {"https://files.example.org\n", false, []string{"has a control character", "trimspace()"}},
	"port out of range": {"https://files.example.org:99999", false, []string{"out of range", "from 1 to 65535"}},
	"private key":       {"-----BEGIN PRIVATE KEY-----\nhunter2\n", true, []string{"has a control character"}},
	"user info":         {"https://me:hunter2@files.example.org", true, []string{"has user info", "Remove it", "request_headers"}},
	"query":             {"https://files.example.org/?token=hunter2", true, []string{"has a query", "Remove", "request_headers"}},
}

var refusedAddresses = map[string]refused{
	"no port":        {"127.0.0.1", false, []string{"is not a host and a port", `"127.0.0.1:8443"`}},
	"URL":            {"http://h:80", false, []string{"without a scheme or a path"}},
	"IPv6, no port":  {"[::1]", false, []string{`"[::1]:8443"`}},
	"user info":      {"me:hunter2@h:80", true, []string{"is not a host and a port"}},
	"password alone": {"me:hunter2", true, []string{"is not a host and a port"}},
}

var refusedHeaders = map[string]refused{
	"ours": {args{"accept-encoding": "hunter2"}, true, []string{
		`request_headers["accept-encoding"] cannot be used: the provider sets this header itself; remove it.`,
	}},
	"null":         {args{"X-Token": nil}, true, []string{`["X-Token"]`, "the value is null; remove the header"}},
	"folded names": {args{"X-Token": "hunter2", "x-token": "hunter2"}, true, []string{`["x-token"]`, `same header as "X-Token"`}},
	"line break":   {args{"X-Token": "hunter2\n"}, true, []string{"line break", "trimspace()"}},
	"bad Host":     {args{"Host": "hunter2 x"}, true, []string{"not a host or a host and port"}},
}

// refusedDurations are shown quoted, as they are.
var refusedDurations = map[string]refused{
	"negative":           {"-5s", false, []string{`is "-5s", which is not positive.`, `"10s"`}},
	"zero":               {"0s", false, []string{`is "0s", which is not positive.`}},
	"words":              {"abc", false, []string{`is "abc", which is not a duration.`, "the units are ms, s, m and h"}},
	"empty":              {"", false, []string{`is "", which is not a duration.`}},
	"no unit":            {"10", false, []string{`is "10", which is not a duration.`}},
	"one digit, no unit": {"5", false, []string{`is "5", which is not a duration.`}},
	"space before":       {" 1s", false, []string{`is " 1s", which is not a duration.`}},
	"longer than int64":  {"3000000h", false, []string{`is "3000000h", which is not a duration.`}},
	"a long text":        {strings.Repeat("hunter2", 6), false, []string{"is a long text, which is not"}},
	"as long as shown":   {strings.Repeat("x", 40), false, []string{`is "` + strings.Repeat("x", 40) + `", which is not`}},
}

// addRefused adds what is refused of an argument, which may be in a block.
func addRefused(tests map[string]validation, argument, summary string, all map[string]refused) {
	for name, one := range all {
		arguments := args{argument: one.value}
		if object, nested, ok := strings.Cut(argument, "."); ok {
			arguments = args{object: args{nested: one.value}}
		}
		place := argument
		if one.secret {
			place = ""
		}
		tests[argument+", "+name] = validation{arguments, fault(place, summary, append(slices.Clone(one.says), argument)...)}
	}
}

// runValidations validates every case. Neither what is told nor the log has the secrets.
func runValidations(t *testing.T, name string, tests map[string]validation, secrets ...string) {
	t.Helper()
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			ctx, log := traced(t.Context())
			got := validate(ctx, t, name, test.arguments)
			got.must(t, test.want...)
			mustNotSay(t, got.String(), "..", ". .", "….")
			mustNotSay(t, got.String()+log.String(), append(secrets, "hunter2")...)
		})
	}
}
