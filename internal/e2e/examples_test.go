package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const examplesDir = root + "/examples"

// exampleURL is what examples name where a variable cannot be used.
const exampleURL = "https://files.example.org/api"

// example is a copy of an example, and the instances that it reads.
type example struct {
	*workspace
	configuration string
	servers       map[string]*instancetest.Server
}

// copyExample copies an example, or skips a test of one that needs a newer CLI.
func copyExample(t *testing.T, name string) *example {
	t.Helper()
	e := &example{newWorkspace(t, ""), "\n", map[string]*instancetest.Server{}}
	e.dir = filepath.Join(e.dir, "configuration")
	if err := os.CopyFS(e.dir, os.DirFS(filepath.Join(examplesDir, name))); err != nil {
		t.Fatal(err)
	}
	for _, file := range glob(t, filepath.Join(e.dir, "*.tf")) {
		// Import blocks lie beside the resource, where tfplugindocs looks for them. TestAccGuide_MoveToARecord applies one.
		if strings.HasPrefix(filepath.Base(file), "import-by-") {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			continue
		}
		content := strings.ReplaceAll(read(t, file), `stable_for = "30s"`, `stable_for = "1s"`) // no test waits that long
		e.write(filepath.Base(file), content)
		e.configuration += content + "\n"
	}
	if match := regexp.MustCompile(`(?m)^  required_version = ">= (.*)"(?: # OpenTofu: (.*))?$`).FindStringSubmatch(e.configuration); match != nil {
		needed := acctest.Feature{Name: "the example", Terraform: version.Must(version.NewVersion(match[1]))}
		needed.OpenTofu = needed.Terraform // OpenTofu obeys required_version too
		if match[2] != "" && version.Must(version.NewVersion(match[2])).GreaterThan(needed.Terraform) {
			needed.OpenTofu = version.Must(version.NewVersion(match[2]))
		}
		e.skipWithout(needed)
	}
	return e
}

// startInstances starts the instances that the example's variables ask for, and sets the variables; see the package's documentation.
func (e *example) startInstances() {
	e.t.Helper()
	variables := map[string]any{}
	// A data source does not wait, and a record always does.
	waits := strings.Contains(e.configuration, "\nresource \"filetransfer_") && !strings.Contains(e.configuration, "\ndata \"filetransfer_")
	start := func(name string, options ...instancetest.Option) string {
		if waits {
			options = append(options, instancetest.WithScript(instancetest.Status(404)))
		}
		e.servers[name] = instancetest.New(e.t, options...)
		return e.servers[name].URL()
	}
	has := func(variable string) bool { return strings.Contains(e.configuration, "\nvariable \""+variable+"\" {") }
	if has("base_url") {
		options := []instancetest.Option{instancetest.WithPath("/files/api")}
		if has("gateway_token") {
			variables["gateway_token"] = "an-opaque-token"
			options = append(options, instancetest.WithRequiredHeader("X-Gateway-Token", "an-opaque-token"))
		}
		if has("ca_cert_pem") {
			options = append(options, instancetest.WithTLS())
		}
		if has("client_cert_pem") {
			options = append(options, instancetest.WithClientCertificate())
		}
		if has("release") {
			variables["release"], variables["chunk_size"] = "2.1.5", 20000000
		}
		variables["base_url"] = start("base_url", options...)
		if has("ca_cert_pem") {
			variables["ca_cert_pem"] = e.servers["base_url"].CACertPEM()
		}
		if has("client_cert_pem") {
			variables["client_cert_pem"] = e.servers["base_url"].ClientCertPEM()
			variables["client_key_pem"] = e.servers["base_url"].ClientKeyPEM()
		}
	}
	if has("base_urls") {
		baseURLs := map[string]string{
			"older": start("older", instancetest.WithDocument(instancetest.Older())),
			"newer": start("newer", instancetest.WithDocument(instancetest.Newer())),
			"mixed": start("mixed", instancetest.WithDocument(instancetest.Mixed())),
		}
		if strings.Contains(e.configuration, "allow_failures") {
			baseURLs["broken"] = start("broken", instancetest.WithDefault(instancetest.Status(403)))
		}
		variables["base_urls"] = baseURLs
	}
	values, err := json.Marshal(variables)
	if err != nil {
		e.t.Fatal(err)
	}
	e.write("test.auto.tfvars.json", string(values))
}

// Every example can be applied, reads all its instances, and has no changes afterwards. No output is null.
func TestAccExamples(t *testing.T) {
	t.Parallel()
	wantOutputs := map[string]map[string]any{
		"provider":                           {"file_max_size": 64424509440.},
		"data-sources/filetransfer_instance": {"expire_seconds": 604800.},
		"data-sources/filetransfer_instances": {
			"upload_limit":  21474836480., // the older one's 20 GiB
			"largest_chunk": 20000000.,
		},
		"resources/filetransfer_instance_record": {"chunk_size": 20000000.},
		"guides/migrate-from-data-http":          {"max_age_days": 30.},
		"guides/test-a-module":                   {"chunks": 250., "shortest_expire_minutes": 30.},
		"guides/connect":                         {"api_version": "2.1.5"},
		"guides/pass-to-a-module":                {"max_bytes": 64424509440.},
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
	for name := range wantOutputs {
		if !names[name] {
			t.Errorf("there is no example %s any more", name)
		}
	}
	for name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := copyExample(t, name)
			e.startInstances()
			if strings.Contains(e.configuration, "\nmodule \"") {
				e.run("get").expectExitCode(0)
			}
			e.apply()

			outputs := e.state().Outputs
			for _, output := range regexp.MustCompile(`(?m)^output "(\w+)" \{`).FindAllStringSubmatch(e.configuration, -1) {
				if outputs[output[1]].Value == nil {
					t.Errorf("the output %s is null", output[1])
				}
			}
			for output, want := range wantOutputs[name] {
				if got := outputs[output].Value; !reflect.DeepEqual(got, want) {
					t.Errorf("the output %s is %v, want %v", output, got, want)
				}
			}
			for server := range e.servers {
				if len(e.servers[server].Requests()) == 0 {
					t.Errorf("the instance %q was not read", server)
				}
			}
			e.expectNoChanges()
		})
	}
}
