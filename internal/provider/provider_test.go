package provider

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestAccProvider_UnknownArguments(t *testing.T) {
	t.Parallel()
	home, other := instancetest.New(t, instancetest.WithDocument(instancetest.Older())), instancetest.New(t)
	configuration := func(timeout, more string) string {
		return fmt.Sprintf(`
resource "terraform_data" "instance" { input = %q }

resource "terraform_data" "timeout" { input = %q }

resource "filetransfer_instance_record" "own" { base_url = %q }
`, home.URL(), timeout, other.URL()) +
			providerWith("base_url = terraform_data.instance.output", "request_timeout = terraform_data.timeout.output") + more
	}
	const provided = `data "filetransfer_instance" "provided" {}`
	const depends = `data "filetransfer_instance" "provided" { depends_on = [terraform_data.instance, terraform_data.timeout] }`
	const record = "filetransfer_instance_record.own"
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   needTerraformData(),
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{
				Config:      configuration("5s", provided),
				ExpectError: words("these arguments of the provider are known only after apply: - base_url - request_timeout Give them values"),
			},
			{
				Config:            configuration("5s", depends),
				ConfigStateChecks: append(inState("data.filetransfer_instance.provided", args{"api_version": "1.3.2"}), inState(record, newer)...),
			},
			{ // a record is kept until they are known
				PreConfig: func() { other.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000))) },
				Config:    configuration("6s", depends),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             inPlan(record, plancheck.ResourceActionNoop, newer),
					PostApplyPostRefresh: inPlan(record, plancheck.ResourceActionNoop, newer.with(args{"file_max_size": int64(1000)})),
				},
			},
		},
	})
}

// TestAccProvider_DeferredReads: where the CLI allows it, reads that need arguments which are not known yet are made in the next
// run.
func TestAccProvider_DeferredReads(t *testing.T) {
	t.Parallel()
	const data, record = "data.filetransfer_instance.provided", "filetransfer_instance_record.deferred"
	configuration := fmt.Sprintf(`
resource "terraform_data" "instance" { input = %q }

data "filetransfer_instance" "provided" {}

resource "filetransfer_instance_record" "deferred" { base_url = data.filetransfer_instance.provided.base_url }
`, instancetest.New(t).URL()) + providerWith("base_url = terraform_data.instance.output")
	deferral := resource.AdditionalCLIOptions{Apply: resource.ApplyOptions{AllowDeferral: true}, Plan: resource.PlanOptions{AllowDeferral: true}}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   versionChecks{tfversion.SkipBelow(tfversion.Version1_9_0), tfversion.SkipIfNotAlpha()}, // -allow-deferral
		ProtoV6ProviderFactories: factories(),
		AdditionalCLIOptions:     &deferral,
		Steps: []resource.TestStep{
			{
				Config: configuration,
				// Of a data source, a plan says only that what needs it is deferred too.
				ConfigPlanChecks:   planned([]plancheck.PlanCheck{plancheck.ExpectDeferredChange(record, "deferred_prereq")}),
				ExpectNonEmptyPlan: true,
			},
			{
				Config:            configuration,
				ConfigPlanChecks:  planned([]plancheck.PlanCheck{plancheck.ExpectNoDeferredChanges()}),
				ConfigStateChecks: append(inState(data, newer), inState(record, newer)...),
			},
		},
	})
}

// TestAccProvider_RefusedArguments: Terraform shows the line of the argument at fault, not the first line of its block,
// unless it may have a secret.
func TestAccProvider_RefusedArguments(t *testing.T) {
	t.Parallel()
	const good = "https://files.example.org"
	fleet := func(name, arguments string) string {
		return fmt.Sprintf("data \"filetransfer_instances\" %q {\n%s\n}\n", name, arguments)
	}
	t.Run("data sources", func(t *testing.T) {
		t.Parallel()
		mustFail(t, nil, data("timeouts", good, `timeouts { read = "-5s" }`)+data("scheme", "files.example.org")+
			data("encoded", "http://u%3Ahunter2@files.example.org")+
			data("header", good, `request_headers = { Connection = "hunter2" }`)+
			fleet("null", "base_urls = { b = null }")+fleet("empty", "base_urls = {}")+
			fleet("bad", `base_urls = { b = "nope" }`)+
			fleet("secret", `base_urls = { b = "https://me:hunter2@files.example.org" }`),
			errorAtLine{`timeouts { read = "-5s" }`, []string{`timeouts.read is "-5s", which is not positive.`}},
			errorAtLine{`base_url = "files.example.org"`, []string{"base_url has no scheme."}},
			errorAtLine{`data "filetransfer_instance" "encoded" {`, []string{"base_url has user info"}},
			errorAtLine{`data "filetransfer_instance" "header" {`, []string{`request_headers["Connection"] cannot be used`}},
			errorAtLine{"base_urls = { b = null }", []string{`base_urls["b"] is null.`}},
			errorAtLine{"base_urls = {}", []string{"base_urls is empty. Name at least one instance."}},
			errorAtLine{`base_urls = { b = "nope" }`, []string{`base_urls["b"] has no scheme.`}},
			errorAtLine{`data "filetransfer_instances" "secret" {`, []string{`base_urls["b"] has user info`}})
	})
	t.Run("provider block", func(t *testing.T) {
		t.Parallel()
		mustFail(t, nil, providerWith("retry {\nmax_attempts = 1e30\nmin_delay = \"11s\"\n}", `client_key_pem = "hunter2"`, `request_timeout = " 1s"`)+
			data("any", good),
			errorAtLine{"max_attempts = 1e30", []string{"retry.max_attempts is 1e+30."}},
			errorAtLine{`min_delay = "11s"`, []string{"min_delay is longer than max_delay"}},
			errorAtLine{`provider "filetransfer" {`, []string{"client_key_pem is set, but client_cert_pem is not."}},
			errorAtLine{`request_timeout = " 1s"`, []string{`request_timeout is " 1s", which is not a duration.`}})
	})
}

// TestAccProvider_EphemeralArguments: they are in no state and no plan. The address of a tunnel is another one when the saved
// plan is applied.
func TestAccProvider_EphemeralArguments(t *testing.T) {
	t.Parallel()
	const token, ephemeral = "hunter2-ephemeral-token", "variable %q {\n  type      = string\n  ephemeral = true\n}\n\n"
	guarded := []instancetest.Option{instancetest.WithClientCertificate(), instancetest.WithRequiredHeader("Authorization", "Bearer "+token)}
	planned, applied := instancetest.New(t, guarded...), instancetest.New(t, guarded...)
	through := func(server *instancetest.Server) config.Variables {
		return config.Variables{
			"connect_to": config.StringVariable(server.Address()), "token": config.StringVariable(token),
			"client_key_pem": config.StringVariable(server.ClientKeyPEM()),
		}
	}
	configuration := fmt.Sprintf(ephemeral+ephemeral+ephemeral+`
provider "filetransfer" {
  base_url        = %q
  connect_to      = var.connect_to
  request_headers = { Authorization = "Bearer ${var.token}" }
  ca_cert_pem     = %q
  client_cert_pem = %q
  client_key_pem  = var.client_key_pem
}

data "filetransfer_instance" "one" {}

resource "filetransfer_instance_record" "one" { base_url = data.filetransfer_instance.one.base_url }
`, "connect_to", "token", "client_key_pem", "https://"+instancetest.ProxiedHost, planned.CACertPEM(), planned.ClientCertPEM())
	folder := t.TempDir()
	nowhere := beforeApply(func() error {
		return mustBeNowhere(folder, token, strings.Split(planned.ClientKeyPEM(), "\n")[1], planned.Address(), applied.Address())
	})
	throughTheOther := beforeApply(func() error {
		folders, err := filepath.Glob(filepath.Join(folder, "*"))
		return errors.Join(err, through(applied).Write(folders[0]))
	})
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   versionChecks{tfversion.SkipBelow(ofProduct(tfversion.Version1_10_0, tfversion.Version1_11_0))},
		ProtoV6ProviderFactories: factories(),
		WorkingDir:               folder,
		Steps: []resource.TestStep{
			{
				Config: configuration, ConfigVariables: through(planned),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{nowhere, throughTheOther}},
				ConfigStateChecks: inState("filetransfer_instance_record.one", args{"base_url": "https://" + instancetest.ProxiedHost, "api_version": "2.1.5"}),
			},
			{
				Config: configuration, ConfigVariables: through(planned),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{nowhere, plancheck.ExpectEmptyPlan()}},
			},
		},
	})
	if requests := applied.Requests(); !slices.ContainsFunc(requests, func(r instancetest.Request) bool { return r.ClientCertificate }) {
		t.Error("the client certificate was not used")
	}
}

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

func TestProviderBlockIsValidated(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t, instancetest.WithTLS())
	cert, key, ca := material.ClientCertPEM(), material.ClientKeyPEM(), material.CACertPEM()
	const badTLS, noKey, badHeader = "Invalid TLS configuration", "Client certificate without its key", "Invalid request header"
	pair := func(cert, key any, want []expected) validation {
		return validation{args{"client_cert_pem": cert, "client_key_pem": key}, want}
	}
	retry := func(arguments args, want ...expected) validation { return validation{args{"retry": arguments}, want} }
	attempts := func(number any, found string) validation {
		return retry(args{"max_attempts": number},
			fault("retry.max_attempts", "Invalid number", "retry.max_attempts is "+found+".", "Write a whole number from 1 to 100.")...)
	}
	delays := func(at string, arguments args, minDelay, maxDelay string) validation {
		return retry(arguments, fault(at, "min_delay is longer than max_delay", "retry.min_delay is "+minDelay,
			"retry.max_delay is "+maxDelay, "the defaults are 500ms and 10s", "Make min_delay at most max_delay.")...)
	}
	ofCA := func(at, text, says string) validation {
		return validation{args{"ca_cert_pem": text}, fault(at, "Invalid CA certificates", says, `file("ca.pem")`)}
	}

	tests := map[string]validation{
		"nothing": {nil, nil},
		"everything": {args{
			"base_url":        "https://files.example.org/api/",
			"request_headers": args{"X-Token": "a", "Host": "b:1", "Accept": "c", "user-agent": "d", "X-Empty": ""},
			"request_timeout": "1m30s", "retry": args{"max_attempts": 1, "min_delay": "1s", "max_delay": "1s"},
			"ca_cert_pem": ca + ca, "client_cert_pem": cert, "client_key_pem": key, "insecure": true,
		}, nil},
		"everything unknown": {everythingUnknown, nil},
		"elements unknown": {args{
			"request_headers": args{"X-Token": unknown{}, "Host": unknown{}},
			"retry":           args{"max_attempts": unknown{}, "min_delay": unknown{}, "max_delay": unknown{}},
			"client_cert_pem": unknown{}, "client_key_pem": key,
		}, nil},
		"fault beside an unknown value": {
			args{"request_headers": args{"X-Token": unknown{}, "Connection": unknown{}}}, fault("", badHeader, "remove it"),
		},

		"max_attempts 0":    attempts(0, "0"),
		"max_attempts 1.5":  attempts(big.NewFloat(1.5), "1.5"),
		"max_attempts 1e30": attempts(big.NewFloat(1e30), "1e+30"),
		"max_attempts 101":  attempts(101, "101"),
		"max_attempts 100":  retry(args{"max_attempts": 100}),

		"min_delay above max_delay":                  delays("retry.min_delay", args{"min_delay": "3s", "max_delay": "2s"}, "3s", "2s"),
		"min_delay above the default max_delay":      delays("retry.min_delay", args{"min_delay": "11s"}, "11s", "10s"),
		"max_delay below the default min_delay":      delays("retry.max_delay", args{"max_delay": "499ms"}, "500ms", "499ms"),
		"min_delay above an unknown max_delay":       retry(args{"min_delay": "11s", "max_delay": unknown{}}),
		"max_delay below the default, min_delay not": retry(args{"min_delay": unknown{}, "max_delay": "100ms"}),

		"certificate without key": pair(cert, nil,
			fault("client_cert_pem", noKey, "client_key_pem is not", "Set both, or neither.")),
		"key without certificate": pair(nil, key,
			fault("client_cert_pem", "Client key without its certificate", "client_cert_pem is not")),
		"certificate and key in one text, no key": pair(cert+key, nil, fault("", noKey, "pass it to both arguments")),
		"certificate and key in one text":         pair(cert+key, cert+key, nil),
		"not a key": pair(cert, "hunter2",
			fault("client_cert_pem", badTLS, "PEM", "unencrypted", "client_key_pem")),
		"key of another certificate": pair(ca, key, fault("client_cert_pem", badTLS,
			"The client certificate and key cannot be used: private key does not match public key.")),
		"swapped": pair(key, cert, fault("", badTLS, "PEM")),

		"file name for the CA":                  ofCA("ca_cert_pem", "ca.pem", "there is no certificate in PEM form"),
		"indented block for the CA":             ofCA("ca_cert_pem", strings.ReplaceAll(ca, "\n", "\n  "), "not valid PEM"),
		"key for the CA":                        ofCA("", key, "there is no certificate"),
		"key without its first line for the CA": ofCA("", strings.Repeat("hunter2 ", 32), "there is no certificate"),
		"as long as a file name for the CA":     ofCA("ca_cert_pem", strings.Repeat("x", 255), "there is no certificate"),
	}
	addRefused(tests, "base_url", "Invalid base URL", refusedBaseURLs)
	addRefused(tests, "connect_to", "Invalid connect_to", refusedAddresses)
	addRefused(tests, "request_headers", badHeader, refusedHeaders)
	addRefused(tests, "request_timeout", "Invalid duration", refusedDurations)
	// Terraform cannot locate an attribute of an object: it would show the block's first line.
	addRefused(tests, "retry.min_delay", "Invalid duration", refusedDurations)
	addRefused(tests, "retry.max_delay", "Invalid duration", refusedDurations)
	runValidations(t, block, tests, "tls: ", "x509: ", strings.Split(key, "\n")[1])
}

func TestConfiguringWarnsAndConnectsToNothing(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	unused := expected{
		warning: true, summary: "Request headers without an instance to send them to",
		says: []string{"only to the origin of its own base_url", "set request_headers on the data sources"},
	}
	insecure := expected{warning: true, at: "insecure", summary: "Certificates are not verified", says: []string{"ca_cert_pem"}}
	insecureServer := insecure
	insecureServer.summary += ": " + server.URL()
	headers := args{"request_headers": args{"X-Token": "hunter2"}}
	tests := map[string]validation{
		"nothing":                    {nil, nil},
		"base URL":                   {args{"base_url": server.URL()}, nil},
		"headers with a base URL":    {headers.with(args{"base_url": server.URL()}), nil},
		"headers without a base URL": {headers, []expected{unused}},
		"headers, base URL unknown":  {headers.with(args{"base_url": unknown{}}), nil},
		"no headers in the map":      {args{"request_headers": args{}}, nil},
		"address":                    {args{"connect_to": "127.0.0.1:1", "base_url": server.URL()}, nil},
		"address, base URL unknown":  {args{"connect_to": "127.0.0.1:1", "base_url": unknown{}}, nil},
		"address without a base URL": {args{"connect_to": "127.0.0.1:1"}, []expected{{
			warning: true, at: "connect_to", summary: "connect_to without a base URL", says: []string{"connect_to is never used"},
		}}},
		"no valid address, unknown until apply": {
			args{"connect_to": "me:hunter2@h", "base_url": server.URL()}, fault("", "Invalid connect_to", "is not a host and a port"),
		},
		"insecure":                      {args{"insecure": true}, []expected{insecure}},
		"insecure with a base URL":      {args{"insecure": true, "base_url": server.URL()}, []expected{insecureServer}},
		"not insecure":                  {args{"insecure": false}, nil},
		"insecure unknown":              {args{"insecure": unknown{}}, nil},
		"insecure, headers and no more": {headers.with(args{"insecure": true}), []expected{unused, insecure}},
		"everything unknown":            {everythingUnknown, nil},
		"no valid key, unknown until apply": {
			args{"client_cert_pem": "hunter2", "client_key_pem": "hunter2"},
			fault("", "Invalid TLS configuration", "Check ca_cert_pem, client_cert_pem and client_key_pem."),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, told := configure(t.Context(), t, test.arguments)
			told.must(t, test.want...)
			mustNotSay(t, told.String(), "hunter2")
		})
	}
	t.Cleanup(func() { mustEqual(t, "connections", server.Connections(), 0) })
}

func TestBaseURLOfTheEnvironment(t *testing.T) {
	older := instancetest.New(t, instancetest.WithDocument(instancetest.Older()), instancetest.WithPath("/older"))
	newer := instancetest.New(t)
	tests := map[string]struct {
		variable  string
		provider  args
		arguments args
		want      string // base_url in the state; "" for none
	}{
		"variable":                 {older.URL() + "/", nil, nil, older.URL() + "/"},
		"provider's argument wins": {older.URL(), args{"base_url": newer.URL()}, nil, newer.URL()},
		"data source's wins":       {older.URL(), nil, args{"base_url": newer.URL()}, newer.URL()},
		"empty variable":           {"", nil, nil, ""},
		"empty variable, argument": {"", args{"base_url": newer.URL()}, nil, newer.URL()},
		"headers need no argument": {older.URL(), args{"request_headers": args{"X-A": "b"}}, nil, older.URL()},
		"headers for the variable's": {
			newer.URL(), args{"request_headers": args{"X-A": "b"}}, args{"base_url": older.URL()}, older.URL(),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv(baseURLVariable, test.variable)
			got := read(t, test.provider, instanceName, test.arguments)
			if test.want == "" {
				got.told.must(t, expected{summary: "No instance to read", says: []string{
					"base_url is set neither here nor in the provider block", "FILETRANSFER_BASE_URL is not set", "Set one of them.",
				}})
				return
			}
			mustEqual(t, "base_url", got.must(t)["base_url"], test.want)
		})
	}
}

// TestBadBaseURLOfTheEnvironmentFailsOnlyReadsThatNeedIt: it may be meant for another configuration.
func TestBadBaseURLOfTheEnvironmentFailsOnlyReadsThatNeedIt(t *testing.T) {
	t.Setenv(baseURLVariable, "https://me:hunter2@files.example.org")
	instance := instancetest.New(t)
	server, told := configure(t.Context(), t, args{"request_headers": args{"X-Token": "a"}, "connect_to": "127.0.0.1:1"})
	told.must(t) // and no warning: these are not without a base URL

	server.read(t.Context(), t, instanceName, args{"base_url": instance.URL()}).must(t)
	server.read(t.Context(), t, instancesName, args{"base_urls": args{"a": instance.URL()}}).must(t)

	needed := server.read(t.Context(), t, instanceName, nil).told
	needed.must(t, fault("", "Invalid base URL", "The environment variable FILETRANSFER_BASE_URL has user info", "Remove it")...)
	mustNotSay(t, needed.String(), "hunter2")

	t.Setenv(baseURLVariable, "https://files.example.org/\xff")
	server, _ = configure(t.Context(), t, nil)
	server.read(t.Context(), t, instanceName, nil).told.must(t, expected{
		summary: "Invalid base URL", says: []string{"The environment variable FILETRANSFER_BASE_URL is not valid UTF-8."},
	})
}

var everythingUnknown = args{
	"base_url": unknown{}, "request_headers": unknown{}, "request_timeout": unknown{}, "retry": unknown{},
	"ca_cert_pem": unknown{}, "client_cert_pem": unknown{}, "client_key_pem": unknown{}, "connect_to": unknown{}, "insecure": unknown{},
}

// TestUnknownProviderArgumentsDeferOrFailReads: base_url matters to reads that name no instance of their own and,
// with request_headers, to every read; any other argument to every read.
func TestUnknownProviderArgumentsDeferOrFailReads(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t)
	own := args{"base_url": instance.URL()}
	headers := args{"request_headers": args{"X-Token": "a"}}
	everyName := []string{
		"base_url", "ca_cert_pem", "client_cert_pem", "client_key_pem", "connect_to", "insecure", "request_headers", "request_timeout", "retry",
	}
	tests := map[string]struct {
		provider, arguments args
		needs               []string // none if the read works
	}{
		"base_url, instance named":        {args{"base_url": unknown{}}, own, nil},
		"base_url, no instance named":     {args{"base_url": unknown{}}, nil, []string{"base_url"}},
		"base_url, no headers in the map": {args{"base_url": unknown{}, "request_headers": args{}}, own, nil},
		"base_url, headers to place":      {headers.with(args{"base_url": unknown{}}), own, []string{"base_url"}},
		"base_url, headers unknown": {
			args{"base_url": unknown{}, "request_headers": unknown{}}, own, []string{"base_url", "request_headers"},
		},
		"request_headers": {args{"base_url": instance.URL(), "request_headers": unknown{}}, nil, []string{"request_headers"}},
		"one header, another origin": {
			args{"base_url": "https://files.example.org", "request_headers": args{"X-A": "a", "X-B": unknown{}}},
			own, []string{"request_headers"},
		},
		"base_url, connect_to": {args{"base_url": unknown{}, "connect_to": "127.0.0.1:8443"}, own, []string{"base_url"}},
		"connect_to":           {args{"connect_to": unknown{}}, own, []string{"connect_to"}},
		"base_url, request_timeout": {
			args{"base_url": unknown{}, "request_timeout": unknown{}}, own, []string{"request_timeout"},
		},
		"request_timeout": {args{"request_timeout": unknown{}}, own, []string{"request_timeout"}},
		"retry":           {args{"retry": unknown{}}, own, []string{"retry"}},
		"in retry": {
			args{"retry": args{"max_attempts": unknown{}, "max_delay": unknown{}}},
			own, []string{"retry.max_attempts", "retry.max_delay"},
		},
		"delays, without another attempt": {
			args{"retry": args{"max_attempts": 1, "min_delay": unknown{}}}, own, []string{"retry.min_delay"},
		},
		"ca_cert_pem, plain HTTP":                 {args{"ca_cert_pem": unknown{}}, own, []string{"ca_cert_pem"}},
		"everything, and nothing to read":         {everythingUnknown, nil, everyName},
		"everything, with an instance of its own": {everythingUnknown, own, everyName},
	}
	for name, test := range tests {
		for _, deferral := range []bool{false, true} {
			for _, source := range []string{instanceName, instancesName} {
				arguments := test.arguments
				if source == instancesName {
					if arguments == nil {
						continue // there each has a base URL
					}
					arguments = reading(source, instance.URL()).with(args{"allow_failures": true})
				}
				t.Run(fmt.Sprintf("%s, %s, deferral %v", name, source, deferral), func(t *testing.T) {
					t.Parallel()
					server, told := configure(t.Context(), t, test.provider)
					told.must(t)
					server.deferral = deferral
					got := server.read(t.Context(), t, source, arguments)
					switch {
					case test.needs == nil:
						got.must(t)
						mustEqual(t, "deferred", got.deferred == nil, true)
					case deferral:
						got.told.must(t)
						if got.state != nil || got.deferred == nil || got.deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
							t.Errorf("state %v, deferred %v", got.state, got.deferred)
						}
					default:
						got.told.must(t, expected{summary: "Provider configuration not known yet", says: []string{
							"known only after apply:\n  - " + strings.Join(test.needs, "\n  - ") + "\n\n", "-target", "depends_on",
						}})
					}
				})
			}
		}
	}
}

func TestNothingToReadIsAnErrorWhateverIsUnknown(t *testing.T) {
	t.Parallel()
	provider := maps.Clone(everythingUnknown)
	delete(provider, "base_url")
	server, _ := configure(t.Context(), t, provider)
	server.deferral = true // waiting for the other arguments would only put the error off
	got := server.read(t.Context(), t, instanceName, nil)
	got.told.must(t, expected{summary: "No instance to read"})
	mustEqual(t, "deferred", got.deferred == nil, true)
}
