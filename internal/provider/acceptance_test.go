package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The acceptance tests run configurations as users write them, through Terraform or OpenTofu. They run if TF_ACC is
// set.

// factories serve the provider to the CLI.
func factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		typeName: providerserver.NewProtocol6WithError(New("test")()),
	}
}

// words matches a text of the CLI, which breaks lines where it likes and may draw a bar before each.
func words(text string) *regexp.Regexp {
	fields := strings.Fields(text)
	for i, field := range fields {
		fields[i] = regexp.QuoteMeta(field)
	}
	return regexp.MustCompile(strings.Join(fields, `[\s│]+`))
}

// mustMention checks that the CLI said phrases, however it breaks lines.
func mustMention(t *testing.T, said string, phrases ...string) {
	t.Helper()
	for _, phrase := range phrases {
		if !words(phrase).MatchString(said) {
			t.Errorf("%q is not in:\n%s", phrase, said)
		}
	}
}

// mustFail runs a configuration that must fail and returns what the CLI said.
func mustFail(t *testing.T, configuration string) string {
	t.Helper()
	said := ""
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		ErrorCheck: func(err error) error {
			said = err.Error()
			return nil
		},
		Steps: []resource.TestStep{{Config: configuration}},
	})
	if said == "" {
		t.Fatal("no error")
	}
	return said
}

// data is the configuration of a data source with further arguments.
func data(name, baseURL string, arguments ...string) string {
	return fmt.Sprintf("data \"filetransfer_instance\" %q {\nbase_url = %q\n%s\n}\n", name, baseURL, strings.Join(arguments, "\n"))
}

// providerWith is a provider block.
func providerWith(arguments ...string) string {
	return "provider \"filetransfer\" {\n" + strings.Join(arguments, "\n") + "\n}\n"
}

// TestAccRefusedArgumentsAreShown: Terraform shows the line of the argument at fault, not the first line of its
// block, unless it may have a secret.
func TestAccRefusedArgumentsAreShown(t *testing.T) {
	t.Parallel()
	const good = "https://files.example.org"
	fleet := func(name, arguments string) string {
		return fmt.Sprintf("data \"filetransfer_instances\" %q {\n%s\n}\n", name, arguments)
	}
	type shown struct{ line, says string }
	tests := map[string]struct {
		config string
		want   []shown
	}{
		"data sources": {
			data("timeouts", good, `timeouts = { read = "-5s" }`) + data("scheme", "files.example.org") +
				data("encoded", "http://u%3Ahunter2@files.example.org") +
				data("header", good, `request_headers = { Connection = "hunter2" }`) +
				fleet("null", "base_urls = { b = null }") + fleet("empty", "base_urls = {}") +
				fleet("bad", `base_urls = { b = "nope" }`) +
				fleet("secret", `base_urls = { b = "https://me:hunter2@files.example.org" }`),
			[]shown{
				{`timeouts = { read = "-5s" }`, `timeouts.read is "-5s", which is not positive.`},
				{`base_url = "files.example.org"`, "base_url has no scheme."},
				{`data "filetransfer_instance" "encoded" {`, "base_url has user info"},
				{`data "filetransfer_instance" "header" {`, `request_headers["Connection"] cannot be used`},
				{"base_urls = { b = null }", `base_urls["b"] is null.`},
				{"base_urls = {}", "base_urls is empty. Name at least one instance."},
				{`base_urls = { b = "nope" }`, `base_urls["b"] has no scheme.`},
				{`data "filetransfer_instances" "secret" {`, `base_urls["b"] has user info`},
			},
		},
		"provider block": {
			providerWith(`retry = { max_attempts = 1e30, min_delay = "11s" }`, `client_key_pem = "hunter2"`, `request_timeout = " 1s"`) +
				data("any", good),
			[]shown{
				{`retry = { max_attempts = 1e30, min_delay = "11s" }`, "retry.max_attempts is 1e+30."},
				{`retry = { max_attempts = 1e30, min_delay = "11s" }`, "min_delay is longer than max_delay"},
				{`provider "filetransfer" {`, "client_key_pem is set, but client_cert_pem is not."},
				{`request_timeout = " 1s"`, `request_timeout is " 1s", which is not a duration.`},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := mustFail(t, test.config)
			for _, want := range test.want {
				mustMention(t, said, want.says)
				mustSay(t, said, ": "+want.line+"\n")
			}
			mustEqual(t, "the number of errors", strings.Count(said, "\nError: "), len(test.want))
			mustNotSay(t, said, "hunter2")
		})
	}
}

// TestAccRefusedSecretsAreNotPrinted: Terraform prints the lines of the configuration that an attribute at fault stands
// on, here those of a secret in the wrong place.
func TestAccRefusedSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t, instancetest.WithTLS())
	cert, key, ca := material.ClientCertPEM(), material.ClientKeyPEM(), material.CACertPEM()
	keyLine := strings.Split(key, "\n")[1]
	is := func(argument, text string) string { return argument + " = <<-EOT\n" + text + "EOT\n" }
	tests := []struct{ arguments, says string }{
		{is("client_cert_pem", cert+key), "Client certificate without its key"},
		{is("client_cert_pem", key) + is("client_key_pem", cert), "Invalid TLS configuration"},
		{is("client_cert_pem", ca) + is("client_key_pem", key), "Invalid TLS configuration"},
		{is("client_key_pem", key), "Client key without its certificate"},
		{is("ca_cert_pem", key), "Invalid CA certificates"},
		{`base_url = "https://me:` + keyLine + `@files.example.org"`, "Invalid base URL"},
		{"request_headers = {\n" + is("X-Key", keyLine+"\n") + "}", "Invalid request header"},
	}
	config := ""
	for i, test := range tests {
		config += providerWith(fmt.Sprintf("alias = \"number%d\"", i), test.arguments) +
			data(fmt.Sprintf("number%d", i), "https://files.example.org", fmt.Sprintf("provider = filetransfer.number%d", i))
	}
	said := mustFail(t, config)
	for i, test := range tests {
		mustMention(t, said, fmt.Sprintf("Error: %s with provider[", test.says), fmt.Sprintf(".number%d,", i))
	}
	mustEqual(t, "the number of errors", strings.Count(said, "\nError: "), len(tests))
	mustNotSay(t, said, keyLine)
}

// TestAccSecretsAreNotLogged looks at the provider's lines of the log of a run at TRACE. Those of the test framework
// are not the provider's.
func TestAccSecretsAreNotLogged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log.json")
	t.Setenv("TF_LOG", "JSON") // TRACE, in JSON
	t.Setenv("TF_LOG_PATH", file)
	t.Setenv("TF_ACC_LOG_PATH", "")
	t.Setenv("TF_LOG_PATH_MASK", "")
	works := instancetest.New(t, instancetest.WithClientCertificate())
	fails := instancetest.New(t, instancetest.WithDefault(echo(403, "text/plain", "you sent ", "")))
	config := providerWith(
		fmt.Sprintf("base_url = %q\nca_cert_pem = %q", works.URL(), works.CACertPEM()),
		fmt.Sprintf("client_cert_pem = %q\nclient_key_pem = %q", works.ClientCertPEM(), works.ClientKeyPEM()),
		`request_headers = { X-Token = "hunter2-token" }`,
	) + data("works", works.URL()) + data("fails", fails.URL(), `request_headers = { X-Own = "hunter2 own" }`)
	mustMention(t, mustFail(t, config), "Instance answered with status 403")

	log, err := os.ReadFile(file)
	must(t, err)
	var ours strings.Builder
	for line := range bytes.Lines(log) {
		var entry struct {
			Module string `json:"@module"`
		}
		if json.Unmarshal(line, &entry) == nil && entry.Module != "sdk.helper_resource" {
			ours.Write(line)
		}
	}
	mustSay(t, ours.String(), `"@module":"filetransfer"`, `"@module":"sdk.framework"`, `"@module":"sdk.proto"`,
		"Read the instance", "Could not read the instance", "Response contains error diagnostic")
	mustNotSay(t, ours.String(), "hunter2", strings.Split(works.ClientKeyPEM(), "\n")[1])
	mustEqual(t, "X-Token", works.Requests()[0].Header.Get("X-Token"), "hunter2-token")
	mustEqual(t, "X-Own", fails.Requests()[0].Header.Get("X-Own"), "hunter2 own")
}
