package provider

import (
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

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

// TestAccProvider_MisspelledMembers: a block refuses what it does not have, and suggests what it has.
func TestAccProvider_MisspelledMembers(t *testing.T) {
	t.Parallel()
	const good = "base_url = \"https://files.example.org\"\n"
	mustFail(t, nil, providerWith("retry {\nmax_atempts = 2\n}")+data("any", "https://files.example.org"),
		errorAtLine{"max_atempts = 2", []string{`Did you mean "max_attempts"?`}})
	mustFail(t, nil, "data \"filetransfer_instance\" \"one\" {\n"+good+"timeouts { raed = \"1s\" }\n}\n"+
		"data \"filetransfer_instances\" \"many\" {\nbase_urls = { a = \"https://files.example.org\" }\ntimeouts { reed = \"1s\" }\n}\n"+
		"resource \"filetransfer_instance_record\" \"this\" {\n"+good+"timeouts { updat = \"1s\" }\n}\n",
		errorAtLine{`timeouts { raed = "1s" }`, []string{`Did you mean "read"?`}},
		errorAtLine{`timeouts { reed = "1s" }`, []string{`Did you mean "read"?`}},
		errorAtLine{`timeouts { updat = "1s" }`, []string{`Did you mean "update"?`}})
}

// TestAccProvider_Blocks: dynamic, empty, and with null or unknown members. The provider's retry has one attempt.
func TestAccProvider_Blocks(t *testing.T) {
	t.Parallel()
	server, failing := instancetest.New(t), instancetest.New(t, instancetest.WithDefault(instancetest.Status(503)))
	configuration := fmt.Sprintf(`
provider "filetransfer" {
  dynamic "retry" {
    for_each = [1]
    content {
      max_attempts = retry.value
      min_delay    = null
    }
  }
}

resource "terraform_data" "later" { input = "3s" }

data "filetransfer_instance" "dynamic" {
  base_url = %[1]q
  dynamic "timeouts" {
    for_each = ["2s"]
    content { read = timeouts.value }
  }
}

data "filetransfer_instance" "unknown" {
  base_url = %[1]q
  timeouts { read = terraform_data.later.output }
}

data "filetransfer_instances" "null" {
  base_urls      = { up = %[1]q, down = %[2]q }
  allow_failures = true
  timeouts { read = null }
}

resource "filetransfer_instance_record" "empty" {
  base_url = %[1]q
  timeouts {}
  expected {}
}

resource "filetransfer_instance_record" "dynamic" {
  base_url = %[1]q
  dynamic "timeouts" {
    for_each = []
    content {}
  }
  dynamic "expected" {
    for_each = [20000000]
    content { chunk_size = expected.value }
  }
}
`, server.URL(), failing.URL())
	timeouts := func(read any) args { return args{"timeouts": args{"read": read}} }
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   needTerraformData(),
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{{
			Config: configuration,
			ConfigPlanChecks: planned(
				inPlan("filetransfer_instance_record.dynamic", plancheck.ResourceActionCreate, args{"chunk_size": int64(20000000), "timeouts": nil}),
			),
			ConfigStateChecks: slices.Concat(
				inState("data.filetransfer_instance.dynamic", newer.with(timeouts("2s"))),
				inState("data.filetransfer_instance.unknown", newer.with(timeouts("3s"))),
				inState("data.filetransfer_instances.null", timeouts(nil).with(args{"errors": args{"down": "status 503 Service Unavailable"}})),
				inState("filetransfer_instance_record.empty", newer), inState("filetransfer_instance_record.dynamic", newer),
			),
			PostApplyFunc: func() {
				if got := len(failing.Requests()); got > 3 { // plan, refresh and apply read once each; the default is four attempts
					t.Errorf("%d requests of an instance that fails", got)
				}
			},
		}},
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

func TestProvidersRetryAndTLSArgumentsApply(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t)
	ca := args{"ca_cert_pem": material.CACertPEM()}
	pair := args{"client_cert_pem": material.ClientCertPEM(), "client_key_pem": material.ClientKeyPEM()}
	failing, silent := instancetest.WithDefault(instancetest.Status(503)), instancetest.WithDefault(instancetest.Silent())
	const status503 = "Instance answered with status 503"
	tests := map[string]struct {
		provider args
		option   instancetest.Option
		fails    string // the summary
		requests int
	}{
		"4 attempts by default":    {args{"retry": args{"min_delay": "1ms", "max_delay": "1ms"}}, failing, status503, 4},
		"max_attempts 1":           {oneAttempt(), failing, status503, 1},
		"max_attempts 6":           {impatient(6), failing, status503, 6},
		"request_timeout":          {oneAttempt().with(args{"request_timeout": "250ms"}), silent, "Instance did not answer in time", 1},
		"ca_cert_pem":              {ca, instancetest.WithTLS(), "", 1},
		"system's CA certificates": {nil, instancetest.WithTLS(), "Certificate of the instance not trusted", 0},
		"insecure":                 {args{"insecure": true}, instancetest.WithCertificate(instancetest.CertificateSelfSigned), "", 1},
		"client certificate":       {ca.with(pair), instancetest.WithClientCertificate(), "", 1},
		"no client certificate":    {ca.with(oneAttempt()), instancetest.WithClientCertificate(), "TLS handshake with the instance failed", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t, test.option)
			var want []expected
			if test.fails != "" {
				want = []expected{{at: "base_url", summary: test.fails}}
			}
			server, _ := configure(t.Context(), t, test.provider)
			server.read(t.Context(), t, instanceName, args{"base_url": instance.URL()}).told.must(t, want...)
			mustEqual(t, "the number of requests", len(instance.Requests()), test.requests)
		})
	}
}

func TestReadsShareTheProvidersConnections(t *testing.T) {
	t.Parallel()
	const reads, parallelism = 200, 10
	const connections = reads / 4 // net/http dials ahead, more often on a busy machine
	instance := instancetest.New(t, instancetest.WithTLS())
	server, _ := configure(t.Context(), t, args{"ca_cert_pem": instance.CACertPEM()})
	var running sync.WaitGroup
	for range parallelism {
		running.Go(func() {
			for range reads / parallelism {
				server.read(t.Context(), t, instanceName, args{"base_url": instance.URL()}).told.must(t)
			}
		})
	}
	running.Wait()
	mustEqual(t, "the number of requests", len(instance.Requests()), reads)
	if got := instance.Connections(); got > connections {
		t.Errorf("%d connections, want at most %d", got, connections)
	}
	mustEqual(t, "the protocol", instance.Requests()[0].Proto, "HTTP/1.1")
}
