package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

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

func TestAccUnknownProviderArguments(t *testing.T) {
	t.Parallel()
	home := instancetest.New(t, instancetest.WithDocument(instancetest.Older()))
	other := instancetest.New(t)
	config := fmt.Sprintf(`resource "terraform_data" "instance" { input = %q }`+"\n", home.URL()) +
		providerWith("base_url = terraform_data.instance.output") + data("own", other.URL())
	const provided = `data "filetransfer_instance" "provided" {}`
	version := tfjsonpath.New("api_version")
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_4_0)}, // terraform_data
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{
				Config:      config + provided,
				ExpectError: words("these arguments of the provider are known only after apply: - base_url Give them values"),
			},
			{
				Config: config + `data "filetransfer_instance" "provided" { depends_on = [terraform_data.instance] }`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.filetransfer_instance.own", version, knownvalue.StringExact("2.1.5")),
					statecheck.ExpectKnownValue("data.filetransfer_instance.provided", version, knownvalue.StringExact("1.3.2")),
				},
			},
		},
	})
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
