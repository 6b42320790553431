package provider_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestAccProvider_RefusedArguments shows the line of the argument at fault, or the first line of its block if the argument may have a
// secret.
func TestAccProvider_RefusedArguments(t *testing.T) {
	t.Parallel()
	t.Run("data sources", func(t *testing.T) {
		t.Parallel()
		acctest.ExpectErrors(t, nil, `
data "filetransfer_instance" "timeout" {
  base_url = "https://files.example.org"
  timeouts { read = "-5s" }
}

data "filetransfer_instance" "user_info" {
  base_url = "http://u%3Ahunter2@files.example.org"
}

data "filetransfer_instances" "scheme" {
  base_urls = { b = "nope" }
}

data "filetransfer_instances" "user_info" {
  base_urls = { b = "https://me:hunter2@files.example.org" }
}
`,
			acctest.ConfigError{Line: `timeouts { read = "-5s" }`, Texts: []string{`timeouts.read is "-5s", which is not positive.`}},
			acctest.ConfigError{Line: `data "filetransfer_instance" "user_info" {`, Texts: []string{"base_url has user info"}},
			acctest.ConfigError{Line: `base_urls = { b = "nope" }`, Texts: []string{`base_urls["b"] has no scheme.`}},
			acctest.ConfigError{Line: `data "filetransfer_instances" "user_info" {`, Texts: []string{`base_urls["b"] has user info`}},
		)
	})
	t.Run("provider block", func(t *testing.T) {
		t.Parallel()
		acctest.ExpectErrors(t, nil, `
provider "filetransfer" {
  client_key_pem  = "hunter2"
  request_timeout = " 1s"
  retry {
    max_attempts = 1e30
    min_delay    = "11s"
  }
}

data "filetransfer_instance" "any" {
  base_url = "https://files.example.org"
}
`,
			acctest.ConfigError{Line: `max_attempts = 1e30`, Texts: []string{"retry.max_attempts is 1e+30."}},
			acctest.ConfigError{Line: `min_delay    = "11s"`, Texts: []string{"min_delay is longer than max_delay"}},
			acctest.ConfigError{Line: `provider "filetransfer" {`, Texts: []string{"client_key_pem is set, but client_cert_pem is not."}},
			acctest.ConfigError{Line: `request_timeout = " 1s"`, Texts: []string{`request_timeout is " 1s", which is not a duration.`}},
		)
	})
}

// TestAccProvider_Blocks reads with blocks that are dynamic or empty, or have null or unknown members. The provider's retry has one attempt.
func TestAccProvider_Blocks(t *testing.T) {
	t.Parallel()
	server, failing := instancetest.New(t), instancetest.New(t, instancetest.WithDefault(instancetest.Status(503)))
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.TerraformData),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf(`
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
`, server.URL(), failing.URL()),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectKnownValue("filetransfer_instance_record.dynamic", tfjsonpath.New("chunk_size"), knownvalue.Int64Exact(20000000)),
					plancheck.ExpectKnownValue("filetransfer_instance_record.dynamic", tfjsonpath.New("timeouts"), knownvalue.Null()),
				},
			},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.filetransfer_instance.dynamic",
					tfjsonpath.New("timeouts").AtMapKey("read"), knownvalue.StringExact("2s")),
				statecheck.ExpectKnownValue("data.filetransfer_instance.unknown",
					tfjsonpath.New("timeouts").AtMapKey("read"), knownvalue.StringExact("3s")),
				statecheck.ExpectKnownValue("data.filetransfer_instances.null",
					tfjsonpath.New("timeouts").AtMapKey("read"), knownvalue.Null()),
				statecheck.ExpectKnownValue("data.filetransfer_instances.null",
					tfjsonpath.New("errors").AtMapKey("down"), knownvalue.StringExact("status 503 Service Unavailable")),
				statecheck.ExpectKnownValue("filetransfer_instance_record.empty", tfjsonpath.New("api_version"), knownvalue.StringExact("2.1.5")),
				statecheck.ExpectKnownValue("filetransfer_instance_record.dynamic", tfjsonpath.New("api_version"), knownvalue.StringExact("2.1.5")),
			},
			PostApplyFunc: func() {
				if got := len(failing.Requests()); got > 3 { // plan, refresh and apply read once each; the default is four attempts
					t.Errorf("%d requests of an instance that fails", got)
				}
			},
		}},
	})
}

// TestAccProvider_EphemeralArguments finds them in no state and no plan. The saved plan is applied through another tunnel than it was made
// through.
func TestAccProvider_EphemeralArguments(t *testing.T) {
	t.Parallel()
	const token = "hunter2-ephemeral-token"
	guarded := []instancetest.Option{instancetest.WithClientCertificate(), instancetest.WithRequiredHeader("Authorization", "Bearer "+token)}
	planned, applied := instancetest.New(t, guarded...), instancetest.New(t, guarded...)
	variablesFor := func(tunnel *instancetest.Server) config.Variables {
		return config.Variables{
			"connect_to":     config.StringVariable(tunnel.Address()),
			"token":          config.StringVariable(token),
			"client_key_pem": config.StringVariable(tunnel.ClientKeyPEM()),
		}
	}
	config := fmt.Sprintf(`
variable "connect_to" {
  type      = string
  ephemeral = true
}

variable "token" {
  type      = string
  ephemeral = true
}

variable "client_key_pem" {
  type      = string
  ephemeral = true
}

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
`, "https://"+instancetest.ProxiedHost, planned.CACertPEM(), planned.ClientCertPEM())
	folder := t.TempDir()
	inNoFile := acctest.BeforeApply(func() error {
		return mustBeNowhere(folder, token, strings.Split(planned.ClientKeyPEM(), "\n")[1], planned.Address(), applied.Address())
	})
	otherTunnel := acctest.BeforeApply(func() error {
		folders, err := filepath.Glob(filepath.Join(folder, "*"))
		return errors.Join(err, variablesFor(applied).Write(folders[0]))
	})
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.EphemeralVariables),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		WorkingDir:               folder,
		Steps: []resource.TestStep{
			{
				Config:           config,
				ConfigVariables:  variablesFor(planned),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{inNoFile, otherTunnel}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("filetransfer_instance_record.one",
						tfjsonpath.New("base_url"), knownvalue.StringExact("https://"+instancetest.ProxiedHost)),
				},
			},
			{ // without changes
				Config:           config,
				ConfigVariables:  variablesFor(planned),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{inNoFile, plancheck.ExpectEmptyPlan()}},
			},
		},
	})
	if len(applied.Requests()) == 0 { // which all need the client certificate
		t.Error("the plan was not applied through the other tunnel")
	}
}

// mustBeNowhere checks that texts are in no file below a folder but the configuration and its variables, and in nothing of a saved plan.
func mustBeNowhere(folder string, texts ...string) error {
	return fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".tf") || strings.HasSuffix(path, ".tfvars.json") {
			return err
		}
		file := filepath.Join(folder, path)
		content, err := os.ReadFile(file)
		if archive, notZip := zip.OpenReader(file); notZip == nil {
			defer archive.Close()
			for _, part := range archive.File {
				text, failed := fs.ReadFile(archive, part.Name)
				content, err = append(content, text...), failed
			}
		}
		for _, text := range texts {
			if bytes.Contains(content, []byte(text)) {
				return fmt.Errorf("%s has %q", path, text)
			}
		}
		return err
	})
}

func TestProviderBlockIsValidated(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t, instancetest.WithTLS())
	cert, key, ca := material.ClientCertPEM(), material.ClientKeyPEM(), material.CACertPEM()
	const anyDefault = "the defaults are 500ms and 10s"

	tests := map[string]validation{
		"nothing": {},
		"everything": {config: object{
			"base_url":        "https://files.example.org/api/",
			"request_headers": object{"X-Token": "a", "Host": "b:1", "Accept": "c", "user-agent": "d", "X-Empty": ""},
			"request_timeout": "1m30s", "retry": object{"max_attempts": 1, "min_delay": "1s", "max_delay": "1s"},
			"ca_cert_pem": ca + ca, "client_cert_pem": cert, "client_key_pem": key, "insecure": true,
		}},
		"everything unknown": {config: everythingUnknown},
		"elements unknown": {config: object{
			"request_headers": object{"X-Token": unknown{}, "Host": unknown{}},
			"retry":           object{"max_attempts": unknown{}, "min_delay": unknown{}, "max_delay": unknown{}},
			"client_cert_pem": unknown{}, "client_key_pem": key,
		}},
		"fault beside an unknown value": {
			object{"request_headers": object{"X-Token": unknown{}, "Connection": unknown{}}},
			[]diagnostic{errorAt("", "Invalid request header", "remove it")},
		},

		"max_attempts 0": {object{"retry": object{"max_attempts": 0}}, []diagnostic{
			errorAt("retry.max_attempts", "Invalid number", "retry.max_attempts is 0.", "Write a whole number from 1 to 100."),
		}},
		"max_attempts 1.5": {object{"retry": object{"max_attempts": big.NewFloat(1.5)}}, []diagnostic{
			errorAt("retry.max_attempts", "Invalid number", "retry.max_attempts is 1.5."),
		}},
		"max_attempts 101": {object{"retry": object{"max_attempts": 101}}, []diagnostic{
			errorAt("retry.max_attempts", "Invalid number", "retry.max_attempts is 101."),
		}},
		"max_attempts 100": {config: object{"retry": object{"max_attempts": 100}}},

		"min_delay above max_delay": {object{"retry": object{"min_delay": "3s", "max_delay": "2s"}}, []diagnostic{
			errorAt("retry.min_delay", "min_delay is longer than max_delay", "retry.min_delay is 3s", "retry.max_delay is 2s", anyDefault,
				"Make min_delay at most max_delay."),
		}},
		"min_delay above the default max_delay": {object{"retry": object{"min_delay": "11s"}}, []diagnostic{
			errorAt("retry.min_delay", "min_delay is longer than max_delay", "retry.min_delay is 11s", "retry.max_delay is 10s", anyDefault),
		}},
		"max_delay below the default min_delay": {object{"retry": object{"max_delay": "499ms"}}, []diagnostic{
			errorAt("retry.max_delay", "min_delay is longer than max_delay", "retry.min_delay is 500ms", "retry.max_delay is 499ms", anyDefault),
		}},
		"min_delay above an unknown max_delay": {config: object{"retry": object{"min_delay": "11s", "max_delay": unknown{}}}},
		"max_delay below an unknown min_delay": {config: object{"retry": object{"min_delay": unknown{}, "max_delay": "100ms"}}},

		"certificate without key": {object{"client_cert_pem": cert}, []diagnostic{
			errorAt("client_cert_pem", "Client certificate without its key", "client_key_pem is not", "Set both, or neither."),
		}},
		"key without certificate": {object{"client_key_pem": key}, []diagnostic{
			errorAt("client_cert_pem", "Client key without its certificate", "client_cert_pem is not"),
		}},
		"certificate and key in one text, no key": {object{"client_cert_pem": cert + key}, []diagnostic{
			errorAt("", "Client certificate without its key", "pass it to both arguments"),
		}},
		"certificate and key in one text": {config: object{"client_cert_pem": cert + key, "client_key_pem": cert + key}},
		"not a key": {object{"client_cert_pem": cert, "client_key_pem": "hunter2"}, []diagnostic{
			errorAt("client_cert_pem", "Invalid TLS configuration", "PEM", "unencrypted", "client_key_pem"),
		}},
		"key of another certificate": {object{"client_cert_pem": ca, "client_key_pem": key}, []diagnostic{
			errorAt("client_cert_pem", "Invalid TLS configuration",
				"The client certificate and key cannot be used: private key does not match public key."),
		}},
		"key and certificate swapped": {object{"client_cert_pem": key, "client_key_pem": cert}, []diagnostic{
			errorAt("", "Invalid TLS configuration", "PEM"),
		}},

		"file name for the CA": {object{"ca_cert_pem": "ca.pem"}, []diagnostic{
			errorAt("ca_cert_pem", "Invalid CA certificates", "there is no certificate in PEM form", `file("ca.pem")`),
		}},
		"indented block for the CA": {object{"ca_cert_pem": strings.ReplaceAll(ca, "\n", "\n  ")}, []diagnostic{
			errorAt("ca_cert_pem", "Invalid CA certificates", "not valid PEM"),
		}},
		"key for the CA": {object{"ca_cert_pem": key}, []diagnostic{
			errorAt("", "Invalid CA certificates", "there is no certificate"),
		}},
		"key without its first line for the CA": {object{"ca_cert_pem": strings.Repeat("hunter2 ", 32)}, []diagnostic{
			errorAt("", "Invalid CA certificates", "there is no certificate"),
		}},
		"as long as a file name for the CA": {object{"ca_cert_pem": strings.Repeat("x", 255)}, []diagnostic{
			errorAt("ca_cert_pem", "Invalid CA certificates", "there is no certificate"),
		}},
	}
	testValidation(t, providerBlock, tests, "tls: ", "x509: ", strings.Split(key, "\n")[1])
	testRefusedValues(t, providerBlock, "base_url", refusedBaseURLs)
	testRefusedValues(t, providerBlock, "connect_to", refusedAddresses)
	testRefusedValues(t, providerBlock, "request_headers", refusedHeaders)
	testRefusedValues(t, providerBlock, "request_timeout", refusedDurations)
	testRefusedValues(t, providerBlock, "retry.min_delay", refusedDurations)
	testRefusedValues(t, providerBlock, "retry.max_delay", refusedDurations)
}

func TestConfiguringWarnsAndConnectsToNothing(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	headersUnused := warningAt("", "Request headers without an instance to send them to",
		"only to the origin of its own base_url", "set request_headers on the data sources")
	tests := map[string]validation{
		"nothing":                 {},
		"base URL":                {config: object{"base_url": server.URL()}},
		"headers with a base URL": {config: object{"request_headers": object{"X-Token": "hunter2"}, "base_url": server.URL()}},
		"headers without a base URL": {
			object{"request_headers": object{"X-Token": "hunter2"}}, []diagnostic{headersUnused},
		},
		"headers, base URL unknown":    {config: object{"request_headers": object{"X-Token": "hunter2"}, "base_url": unknown{}}},
		"no headers in the map":        {config: object{"request_headers": object{}}},
		"connect_to":                   {config: object{"connect_to": "127.0.0.1:1", "base_url": server.URL()}},
		"connect_to, base URL unknown": {config: object{"connect_to": "127.0.0.1:1", "base_url": unknown{}}},
		"connect_to without a base URL": {
			object{"connect_to": "127.0.0.1:1"},
			[]diagnostic{warningAt("connect_to", "connect_to without a base URL", "connect_to is never used")},
		},
		"invalid connect_to, unknown until apply": {
			object{"connect_to": "me:hunter2@h", "base_url": server.URL()},
			[]diagnostic{errorAt("", "Invalid connect_to", "is not a host and a port")},
		},
		"insecure": {
			object{"insecure": true}, []diagnostic{warningAt("insecure", "Certificates are not verified", "ca_cert_pem")},
		},
		"insecure with a base URL": {
			object{"insecure": true, "base_url": server.URL()},
			[]diagnostic{warningAt("insecure", "Certificates are not verified: "+server.URL(), "ca_cert_pem")},
		},
		"not insecure":     {config: object{"insecure": false}},
		"insecure unknown": {config: object{"insecure": unknown{}}},
		"two warnings": {
			object{"request_headers": object{"X-Token": "hunter2"}, "insecure": true},
			[]diagnostic{headersUnused, warningAt("insecure", "Certificates are not verified")},
		},
		"everything unknown": {config: everythingUnknown},
		"invalid key, unknown until apply": {
			object{"client_cert_pem": "hunter2", "client_key_pem": "hunter2"},
			[]diagnostic{errorAt("", "Invalid TLS configuration", "Check ca_cert_pem, client_cert_pem and client_key_pem.")},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := configure(t.Context(), t, test.config)
			diags.require(t, test.want...)
			assertNotContains(t, diags.String(), "hunter2")
		})
	}
	t.Cleanup(func() { assertEqual(t, "connections", server.Connections(), 0) })
}

func TestBaseURLOfTheEnvironment(t *testing.T) {
	older := instancetest.New(t, instancetest.WithDocument(instancetest.Older()), instancetest.WithPath("/older")).URL()
	newer := instancetest.New(t).URL()
	tests := map[string]struct {
		variable               string
		providerConfig, config object
		want                   string // base_url in the state
	}{
		"variable":                   {older + "/", nil, nil, older + "/"},
		"provider's argument wins":   {older, object{"base_url": newer}, nil, newer},
		"data source's wins":         {older, nil, object{"base_url": newer}, newer},
		"empty variable, argument":   {"", object{"base_url": newer}, nil, newer},
		"headers need no argument":   {older, object{"request_headers": object{"X-A": "b"}}, nil, older},
		"headers for the variable's": {newer, object{"request_headers": object{"X-A": "b"}}, object{"base_url": older}, older},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("FILETRANSFER_BASE_URL", test.variable)
			state := read(t, test.providerConfig, instanceName, test.config).requireSuccess(t)
			assertEqual(t, "base_url", state["base_url"], any(test.want))
		})
	}
	t.Run("empty variable", func(t *testing.T) {
		t.Setenv("FILETRANSFER_BASE_URL", "")
		read(t, nil, instanceName, nil).diagnostics.require(t, errorAt("", "No instance to read",
			"base_url is set neither here nor in the provider block", "FILETRANSFER_BASE_URL is not set", "Set one of them."))
	})
}

// An invalid base URL in the environment may be meant for another configuration.
func TestBadBaseURLOfTheEnvironmentFailsOnlyReadsThatNeedIt(t *testing.T) {
	t.Setenv("FILETRANSFER_BASE_URL", "https://me:hunter2@files.example.org")
	baseURL := instancetest.New(t).URL()
	p, diags := configure(t.Context(), t, object{"request_headers": object{"X-Token": "a"}, "connect_to": "127.0.0.1:1"})
	diags.require(t) // there is a base URL, so that nothing is unused
	p.read(t.Context(), t, instanceName, object{"base_url": baseURL}).requireSuccess(t)
	p.read(t.Context(), t, instancesName, object{"base_urls": object{"a": baseURL}}).requireSuccess(t)

	needed := p.read(t.Context(), t, instanceName, nil).diagnostics
	needed.require(t, errorAt("", "Invalid base URL", "The environment variable FILETRANSFER_BASE_URL has user info", "Remove it"))
	assertNotContains(t, needed.String(), "hunter2")

	t.Setenv("FILETRANSFER_BASE_URL", "https://files.example.org/\xff")
	read(t, nil, instanceName, nil).diagnostics.require(t,
		errorAt("", "Invalid base URL", "The environment variable FILETRANSFER_BASE_URL is not valid UTF-8."))
}

func TestProvidersRetryAndTLSArgumentsApply(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t)
	ca, cert, key := material.CACertPEM(), material.ClientCertPEM(), material.ClientKeyPEM()
	failing, silent := instancetest.WithDefault(instancetest.Status(503)), instancetest.WithDefault(instancetest.Silent())
	tests := map[string]struct {
		config   object
		instance instancetest.Option
		summary  string // of the error, "" for none
		requests int
	}{
		"4 attempts by default": {object{"retry": object{"min_delay": "1ms", "max_delay": "1ms"}}, failing, "Instance answered with status 503", 4},
		"max_attempts 1":        {shortRetries(1), failing, "Instance answered with status 503", 1},
		"max_attempts 6":        {shortRetries(6), failing, "Instance answered with status 503", 6},
		"request_timeout": {
			shortRetries(1).with(object{"request_timeout": "250ms"}), silent, "Instance did not answer in time", 1,
		},
		"ca_cert_pem":              {object{"ca_cert_pem": ca}, instancetest.WithTLS(), "", 1},
		"system's CA certificates": {nil, instancetest.WithTLS(), "Certificate of the instance not trusted", 0},
		"insecure":                 {object{"insecure": true}, instancetest.WithCertificate(instancetest.CertificateSelfSigned), "", 1},
		"client certificate": {
			object{"ca_cert_pem": ca, "client_cert_pem": cert, "client_key_pem": key}, instancetest.WithClientCertificate(), "", 1,
		},
		"no client certificate": {
			shortRetries(1).with(object{"ca_cert_pem": ca}), instancetest.WithClientCertificate(), "TLS handshake with the instance failed", 0,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t, test.instance)
			p, _ := configure(t.Context(), t, test.config)
			got := p.read(t.Context(), t, instanceName, object{"base_url": instance.URL()})
			if test.summary == "" {
				got.requireSuccess(t)
			} else {
				got.diagnostics.require(t, errorAt("base_url", test.summary))
			}
			assertEqual(t, "the number of requests", len(instance.Requests()), test.requests)
		})
	}
}

func TestReadsShareTheProvidersConnections(t *testing.T) {
	t.Parallel()
	const reads, parallelism = 200, 10
	const connections = reads / 4 // net/http dials ahead, more often on a busy machine
	instance := instancetest.New(t, instancetest.WithTLS())
	p, _ := configure(t.Context(), t, object{"ca_cert_pem": instance.CACertPEM()})
	var running sync.WaitGroup
	for range parallelism {
		running.Go(func() {
			for range reads / parallelism {
				p.read(t.Context(), t, instanceName, object{"base_url": instance.URL()}).diagnostics.require(t)
			}
		})
	}
	running.Wait()
	assertEqual(t, "the number of requests", len(instance.Requests()), reads)
	if got := instance.Connections(); got > connections {
		t.Errorf("%d connections, want at most %d", got, connections)
	}
	assertEqual(t, "the protocol", instance.Requests()[0].Proto, "HTTP/1.1")
}
