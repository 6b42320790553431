package e2e_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const examplesDir = root + "/examples"

// exampleURL is what pages and examples call their instance. The patterns match all URLs and addresses that stand for one.
const exampleURL = "https://files.example.org/api"

var (
	exampleURLs      = regexp.MustCompile(`https://[\w.]+\.example(\.org)?(/files)?(/api)?`)
	exampleAddresses = regexp.MustCompile(`203\.0\.113\.\d+:\d+`)
)

// features are what older CLIs do not have, by a pattern of the configurations that use it.
var features = map[string]acctest.Feature{
	`(pre|post)condition \{`: {Name: "a condition", Terraform: tfversion.Version1_2_0, OpenTofu: tfversion.Version1_6_0},
	`"terraform_data"`:       acctest.TerraformData,
	`(?m)^import \{`:         acctest.ImportBlocks,
	`(?m)^check "`:           {Name: "a check", Terraform: tfversion.Version1_5_0, OpenTofu: tfversion.Version1_6_0},
	`provider::`:             acctest.ProviderFunctions,
	`(?m)^ +ephemeral +=`:    acctest.EphemeralVariables,
	`(?m)^provider .*\n(  .*\n)*  for_each `: {
		Name: "for_each of a provider, which no Terraform has,", Terraform: version.Must(version.NewVersion("99")), OpenTofu: tfversion.Version1_9_0,
	},
}

// example is a configuration of a page or of examples/, and the instances that it reads.
type example struct {
	*workspace
	configuration string
	servers       map[string]*instancetest.Server
}

// newExample makes a workspace of a configuration, without other providers. It skips the test if the CLI is too old for it.
func newExample(t *testing.T, configuration string) *example {
	t.Helper()
	configuration = strings.ReplaceAll(withStandIns(t, configuration), `stable_for = "30s"`, `stable_for = "1s"`) // no test waits that long
	e := &example{newWorkspace(t, configuration), configuration, map[string]*instancetest.Server{}}
	for pattern, feature := range features {
		if regexp.MustCompile(pattern).MatchString(configuration) {
			e.skipWithout(feature)
		}
	}
	return e
}

// copyExample makes a workspace of an example. Import blocks lie beside the resource, where tfplugindocs looks for them, and are left out:
// TestAccGuide_MoveToARecord applies one.
func copyExample(t *testing.T, name string) *example {
	t.Helper()
	dir, configuration := filepath.Join(t.TempDir(), "example"), ""
	err := os.CopyFS(dir, os.DirFS(filepath.Join(examplesDir, name)))
	for _, file := range glob(t, filepath.Join(dir, "*.tf")) {
		if !strings.HasPrefix(filepath.Base(file), "import-by-") {
			configuration += read(t, file) + "\n"
		}
		err = errors.Join(err, os.Remove(file))
	}
	e := newExample(t, configuration)
	if err = errors.Join(err, os.CopyFS(e.dir, os.DirFS(dir))); err != nil { // modules, tests and documents
		t.Fatal(err)
	}
	return e
}

// startInstances starts the instances that the configuration reads, puts them in the place of its URLs, and sets its variables. See the
// package's documentation.
func (e *example) startInstances() {
	e.t.Helper()
	has := func(text string) bool { return strings.Contains(e.configuration, text) }
	start := func(name string, options ...instancetest.Option) string {
		e.servers[name] = instancetest.New(e.t, options...)
		return e.servers[name].URL()
	}
	variables := map[string]any{"release": "2.1.5", "chunk_size": 20000000, "gateway_token": "an-opaque-token"}
	if has(`variable "base_urls"`) {
		baseURLs := map[string]string{
			"older": start("older", instancetest.WithDocument(instancetest.Older())),
			"newer": start("newer", instancetest.WithDocument(instancetest.Newer())),
			"mixed": start("mixed", instancetest.WithDocument(instancetest.Mixed())),
		}
		if has("allow_failures") {
			baseURLs["broken"] = start("broken", instancetest.WithDefault(instancetest.Status(403)))
		}
		variables["base_urls"], variables["tokens"] = baseURLs, baseURLs
	}
	if has(`variable "base_url"`) || has("filetransfer_instance") && !has(`variable "base_urls"`) {
		options := []instancetest.Option{instancetest.WithPath("/files/api"), instancetest.WithDocument(e.expectedDocument())}
		if has(`variable "gateway_token"`) {
			options = append(options, instancetest.WithRequiredHeader("X-Gateway-Token", "an-opaque-token"))
		}
		if has("ca_cert_pem") {
			options = append(options, instancetest.WithTLS())
		}
		if has("client_cert_pem") {
			options = append(options, instancetest.WithClientCertificate())
		}
		variables["base_url"] = start("base_url", options...)
		server := e.servers["base_url"]
		variables["tunnel"], variables["client_key_pem"] = server.Address(), server.ClientKeyPEM()
		configuration := exampleURLs.ReplaceAllString(e.configuration, server.URL())
		e.configure(exampleAddresses.ReplaceAllString(configuration, server.Address()))
		for _, file := range regexp.MustCompile(`[\w-]+\.pem`).FindAllString(e.configuration, -1) {
			if file == "client.pem" {
				e.write(file, server.ClientCertPEM())
			} else {
				e.write(file, server.CACertPEM())
			}
		}
	}
	for name := range variables {
		if !has(`variable "` + name + `"`) {
			delete(variables, name)
		}
	}
	values, err := json.Marshal(variables)
	if err != nil {
		e.t.Fatal(err)
	}
	e.write("test.auto.tfvars.json", string(values))
}

// expectedDocument returns a document with what the configuration expects an instance to report.
func (e *example) expectedDocument() instancetest.Document {
	document, fields := instancetest.Newer(), map[string]string{"api_version": "apiVersion", "chunk_size": "chunkSize"}
	expected := regexp.MustCompile(` expected \{[^}]*`).FindString(e.configuration)
	for _, found := range regexp.MustCompile(`(api_version|chunk_size) += ("[^"]*"|\d+)`).FindAllStringSubmatch(expected, -1) {
		document = document.With(fields[found[1]], instancetest.Raw(found[2]))
	}
	return document
}

// applyAndCheck applies the configuration, which has to read all instances, and to have no changes afterwards. No output is null.
func (e *example) applyAndCheck() {
	e.t.Helper()
	e.startInstances()
	if strings.Contains(e.configuration, "\nmodule \"") {
		e.run("get").expectExitCode(0)
	}
	e.apply()
	outputs := e.state().Outputs
	for _, output := range regexp.MustCompile(`(?m)^output "(\w+)" \{`).FindAllStringSubmatch(e.configuration, -1) {
		if outputs[output[1]].Value == nil {
			e.t.Errorf("the output %s is null", output[1])
		}
	}
	for name, server := range e.servers {
		if len(server.Requests()) == 0 {
			e.t.Errorf("the instance %q was not read", name)
		}
	}
	e.expectNoChanges()
}

// valueOf returns the value of an output, or the arguments of a resource for which terraform_data stands in.
func (e *example) valueOf(name string) any {
	e.t.Helper()
	if resource := e.attributes("terraform_data." + name); resource != nil {
		return resource["output"].(map[string]any)["value"]
	}
	return e.state().Outputs[name].Value
}

// Every example can be applied. Some outputs, and the arguments of some resources, are as the pages say.
func TestAccExamples(t *testing.T) {
	t.Parallel()
	values := map[string]map[string]any{
		"provider":                           {"file_max_size": 64424509440.},
		"data-sources/filetransfer_instance": {"file_max_size": 64424509440., "chunk_size": 20000000.},
		"data-sources/filetransfer_instances": {
			"upload_limit":  21474836480., // the older one's 20 GiB
			"largest_chunk": 20000000.,
		},
		"resources/filetransfer_instance_record": {"chunk_size": 20000000.},
		"guides/migrate-from-data-http":          {"max_age_days": 30.},
		"guides/test-a-module":                   {"chunks": 250.},
		"guides/connect":                         {"api_version": "2.1.5"},
		"guides/use-the-limits": {
			"expire_seconds":   604800.,
			"local_file_nginx": map[string]any{"filename": "./upload-limit.conf", "content": "client_max_body_size 21048576;\n"},
		},
		"guides/tolerate-failures": {
			"api_versions": map[string]any{"older": "1.3.2", "newer": "2.1.5", "mixed": "1.5.0"},
			"errors":       map[string]any{"broken": "status 403 Forbidden"},
		},
		"guides/survive-an-outage": {"api_version": "2.1.5"},
	}
	names := map[string]bool{}
	for _, file := range files(t, "*.tf", "examples") {
		name, err := filepath.Rel(examplesDir, filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		if name = filepath.ToSlash(name); !strings.Contains(name, "/modules/") { // whoever calls these proves them
			names[name] = true
		}
	}
	for name := range values {
		if !names[name] {
			t.Errorf("there is no example %s any more", name)
		}
	}
	for name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := copyExample(t, name)
			e.applyAndCheck()
			for of, want := range values[name] {
				if got := e.valueOf(of); !reflect.DeepEqual(got, want) {
					t.Errorf("%s is %v, want %v", of, got, want)
				}
			}
		})
	}
}
