package provider_test

import (
	"strings"
	"testing"
)

// validation is a configuration and the diagnostics of its validation.
type validation struct {
	config object
	want   []diagnostic
}

// testValidation validates configurations. No diagnostic and no log may have the secrets, or hunter2.
func testValidation(t *testing.T, name string, tests map[string]validation, secrets ...string) {
	t.Helper()
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			ctx, log := captureLog(t.Context())
			got := validate(ctx, t, name, test.config)
			got.require(t, test.want...)
			assertNotContains(t, got.String(), "..", ". .", "….")
			assertNotContains(t, got.String()+log.String(), append(secrets, "hunter2")...)
		})
	}
}

// refusedValue is a value of an argument that is refused.
type refusedValue struct {
	value   any
	summary string
	details []string
	// secret is true if the error is on no attribute: Terraform prints the lines of the configuration with the attribute at fault.
	secret bool
}

// want returns the error for an argument.
func (r refusedValue) want(argument string) diagnostic {
	if r.secret {
		return errorAt("", r.summary, r.details...)
	}
	return errorAt(argument, r.summary, r.details...)
}

// testRefusedValues validates an argument, which may be in a block ("timeouts.read").
func testRefusedValues(t *testing.T, name, argument string, refused map[string]refusedValue) {
	t.Helper()
	tests := make(map[string]validation)
	for title, one := range refused {
		config := object{argument: one.value}
		if block, nested, ok := strings.Cut(argument, "."); ok {
			config = object{block: object{nested: one.value}}
		}
		want := one.want(argument)
		want.details = append([]string{argument}, want.details...)
		tests[argument+"/"+title] = validation{config, []diagnostic{want}}
	}
	testValidation(t, name, tests)
}

// The tests of addresses and headers have every fault.

var refusedBaseURLs = map[string]refusedValue{
	"no scheme": {
		value: "files.example.org", summary: "Invalid base URL", details: []string{"has no scheme", `"https://"`},
	},
	"line break": {
		value: "https://files.example.org\n", summary: "Invalid base URL", details: []string{"has a control character", "trimspace()"},
	},
	"port out of range": {
		value: "https://files.example.org:99999", summary: "Invalid base URL", details: []string{"out of range", "from 1 to 65535"},
	},
	"private key": {
		value: "-----BEGIN PRIVATE KEY-----\nhunter2\n", summary: "Invalid base URL", details: []string{"has a control character"}, secret: true,
	},
	"user info": {
		value: "https://me:hunter2@files.example.org", summary: "Invalid base URL", secret: true,
		details: []string{"has user info", "Remove it", "request_headers"},
	},
	"query": {
		value: "https://files.example.org/?token=hunter2", summary: "Invalid base URL", secret: true,
		details: []string{"has a query", "Remove", "request_headers"},
	},
}

var refusedAddresses = map[string]refusedValue{
	"no port": {
		value: "127.0.0.1", summary: "Invalid connect_to", details: []string{"is not a host and a port", `"127.0.0.1:8443"`},
	},
	"URL":            {value: "http://h:80", summary: "Invalid connect_to", details: []string{"without a scheme or a path"}},
	"IPv6, no port":  {value: "[::1]", summary: "Invalid connect_to", details: []string{`"[::1]:8443"`}},
	"user info":      {value: "me:hunter2@h:80", summary: "Invalid connect_to", details: []string{"is not a host and a port"}, secret: true},
	"password alone": {value: "me:hunter2", summary: "Invalid connect_to", details: []string{"is not a host and a port"}, secret: true},
}

var refusedHeaders = map[string]refusedValue{
	"set by the provider": {
		value: object{"accept-encoding": "hunter2"}, summary: "Invalid request header", secret: true,
		details: []string{`request_headers["accept-encoding"] cannot be used: the provider sets this header itself; remove it.`},
	},
	"null": {
		value: object{"X-Token": nil}, summary: "Invalid request header", secret: true,
		details: []string{`["X-Token"]`, "the value is null; remove the header"},
	},
	"one name twice": {
		value: object{"X-Token": "hunter2", "x-token": "hunter2"}, summary: "Invalid request header", secret: true,
		details: []string{`["x-token"]`, `same header as "X-Token"`},
	},
	"line break": {
		value: object{"X-Token": "hunter2\n"}, summary: "Invalid request header", details: []string{"line break", "trimspace()"}, secret: true,
	},
	"bad Host": {
		value: object{"Host": "hunter2 x"}, summary: "Invalid request header", details: []string{"not a host or a host and port"}, secret: true,
	},
}

var refusedDurations = map[string]refusedValue{
	"negative":           {value: "-5s", summary: "Invalid duration", details: []string{`is "-5s", which is not positive.`, `"10s"`}},
	"zero":               {value: "0s", summary: "Invalid duration", details: []string{`is "0s", which is not positive.`}},
	"word":               {value: "abc", summary: "Invalid duration", details: []string{`is "abc", which is not a duration.`, "the units are ms, s, m and h"}},
	"empty":              {value: "", summary: "Invalid duration", details: []string{`is "", which is not a duration.`}},
	"no unit":            {value: "10", summary: "Invalid duration", details: []string{`is "10", which is not a duration.`}},
	"space":              {value: " 1s", summary: "Invalid duration", details: []string{`is " 1s", which is not a duration.`}},
	"longer than int64":  {value: "3000000h", summary: "Invalid duration", details: []string{`is "3000000h", which is not a duration.`}},
	"maybe a key":        {value: strings.Repeat("hunter2", 6), summary: "Invalid duration", details: []string{"is a long text, which is not"}},
	"as long as printed": {value: strings.Repeat("x", 40), summary: "Invalid duration", details: []string{`is "` + strings.Repeat("x", 40) + `", which is not`}},
}
