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

// needsTerraformData is for tests with the resource terraform_data, which every OpenTofu has.
var needsTerraformData = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_4_0)}

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

// run runs the steps of a test.
func run(t *testing.T, needed []tfversion.TerraformVersionCheck, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{TerraformVersionChecks: needed, ProtoV6ProviderFactories: factories(), Steps: steps})
}

// mustFail runs a configuration that must fail and returns what the CLI said.
func mustFail(t *testing.T, needed []tfversion.TerraformVersionCheck, step resource.TestStep) string {
	t.Helper()
	said := ""
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   needed,
		ProtoV6ProviderFactories: factories(),
		ErrorCheck: func(err error) error {
			said = err.Error()
			return nil
		},
		Steps: []resource.TestStep{step},
	})
	if said == "" {
		t.Fatal("no error")
	}
	return said
}

// exactly checks for a Go value as in args.
type exactly struct{ want any }

func (e exactly) String() string {
	encoded, err := json.Marshal(e.want)
	return fmt.Sprint(string(encoded), err)
}

func (e exactly) CheckValue(got any) error {
	if got := (exactly{got}).String(); got != e.String() {
		return fmt.Errorf("it is %s, want %s", got, e)
	}
	return nil
}

// stateHas checks attributes of an object of the configuration.
func stateHas(address string, want args) []statecheck.StateCheck {
	var checks []statecheck.StateCheck
	for name, value := range want {
		checks = append(checks, statecheck.ExpectKnownValue(address, tfjsonpath.New(name), exactly{value}))
	}
	return checks
}

// data is the configuration of a data source with further arguments.
func data(name, baseURL string, arguments ...string) string {
	return fmt.Sprintf("data \"filetransfer_instance\" %q {\nbase_url = %q\n%s\n}\n", name, baseURL, strings.Join(arguments, "\n"))
}

// providerWith is a provider block.
func providerWith(arguments ...string) string {
	return "provider \"filetransfer\" {\n" + strings.Join(arguments, "\n") + "\n}\n"
}

func TestAccInstanceOfEveryDocumentShape(t *testing.T) {
	t.Parallel()
	config := `
		output "of_a_later_version" {
			value = jsondecode(data.filetransfer_instance.later.response_body).newField.deep[0]
		}
		` + data("later", instancetest.New(t, instancetest.WithDocument(documents["unknown fields"].document)).URL())
	checks := []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("of_a_later_version", knownvalue.Int64Exact(1))}
	number := 0
	for _, test := range documents {
		number++
		name := fmt.Sprintf("shape%d", number)
		server := instancetest.New(t, instancetest.WithDocument(test.document))
		config += data(name, server.URL())
		want := newer.with(args{"base_url": server.URL(), "response_body": test.document}).with(test.want)
		checks = append(checks, stateHas("data.filetransfer_instance."+name, want)...)
	}
	run(t, nil, resource.TestStep{Config: config, ConfigStateChecks: checks})
}

// TestAccWaitForAnInstanceOfTheSameApply also shows that a base URL may be known only after apply.
func TestAccWaitForAnInstanceOfTheSameApply(t *testing.T) {
	t.Parallel()
	starting := instancetest.New(t, instancetest.WithScript(
		instancetest.Reset(), instancetest.Status(503), instancetest.Body(200, "text/html", "<h1>Welcome to nginx"),
	))
	provider := providerWith(`retry = { max_attempts = 1, min_delay = "1ms", max_delay = "50ms" }`)
	run(t, needsTerraformData, resource.TestStep{
		Config: provider + fmt.Sprintf(`
			resource "terraform_data" "instance" { input = %q }
			data "filetransfer_instance" "test" {
				base_url         = terraform_data.instance.output
				wait_until_ready = true
			}
			`, starting.URL()),
		ConfigStateChecks: stateHas("data.filetransfer_instance.test", args{"api_version": "2.1.5", "wait_until_ready": true}),
	})
}

func TestAccUnknownProviderArguments(t *testing.T) {
	t.Parallel()
	home := instancetest.New(t, instancetest.WithDocument(instancetest.Older()))
	other := instancetest.New(t)
	config := fmt.Sprintf(`resource "terraform_data" "instance" { input = %q }`+"\n", home.URL()) +
		providerWith("base_url = terraform_data.instance.output") + data("own", other.URL())
	const provided = `data "filetransfer_instance" "provided" {}`
	run(t, needsTerraformData,
		resource.TestStep{
			Config:      config + provided,
			ExpectError: words("these arguments of the provider are known only after apply: - base_url Give them values"),
		},
		resource.TestStep{
			Config: config + `data "filetransfer_instance" "provided" { depends_on = [terraform_data.instance] }`,
			ConfigStateChecks: append(
				stateHas("data.filetransfer_instance.own", args{"api_version": "2.1.5"}),
				stateHas("data.filetransfer_instance.provided", args{"api_version": "1.3.2"})...,
			),
		},
	)
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
			said := mustFail(t, nil, resource.TestStep{Config: test.config})
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
	said := mustFail(t, nil, resource.TestStep{Config: config})
	for i, test := range tests {
		mustMention(t, said, fmt.Sprintf("Error: %s with provider[", test.says), fmt.Sprintf(".number%d,", i))
	}
	mustEqual(t, "the number of errors", strings.Count(said, "\nError: "), len(tests))
	mustNotSay(t, said, keyLine)
}

func TestAccEveryFailureOfAFleetIsShown(t *testing.T) {
	t.Parallel()
	baseURLs, classes := brokenFleet(t)
	urls, err := json.Marshal(baseURLs)
	if err != nil {
		t.Fatal(err)
	}
	said := mustFail(t, nil, resource.TestStep{
		Config: providerWith(`retry = { max_attempts = 1 }`) +
			fmt.Sprintf("data \"filetransfer_instances\" \"all\" {\nbase_urls = jsondecode(%q)\n}\n", urls),
	})
	for key := range classes {
		mustMention(t, said, fmt.Sprintf("Instance %q: GET %s/instance", key, baseURLs[key]))
	}
	mustEqual(t, "the number of errors", strings.Count(said, "\nError: "), len(classes))
}

// TestAccSecretsAreNotShown: not in a plan, an output or an error.
func TestAccSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t)
	headers := `request_headers = { X-Token = "hunter2-own" }`
	// The plan is shown because it is not empty: the instance is read on apply.
	said := mustFail(t, needsTerraformData, resource.TestStep{PlanOnly: true, Config: fmt.Sprintf(`
		resource "terraform_data" "url" { input = %q }
		data "filetransfer_instance" "test" {
			base_url = terraform_data.url.output
			%s
		}
		`, instance.URL(), headers)})
	mustMention(t, said, "base_url = (known after apply)", "request_headers = (sensitive value)")
	mustNotSay(t, said, "hunter2-own")

	said = mustFail(t, nil, resource.TestStep{Config: data("test", instance.URL(), headers) +
		`output "leak" { value = data.filetransfer_instance.test.request_headers }`})
	mustMention(t, said, "Output refers to sensitive values")
	mustNotSay(t, said, "hunter2-own")
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
	) + data("works", works.URL())
	run(t, nil, resource.TestStep{Config: config}, resource.TestStep{
		Config:      config + data("fails", fails.URL(), `request_headers = { X-Own = "hunter2 own" }`),
		ExpectError: words("Instance answered with status 403"),
	})

	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
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
