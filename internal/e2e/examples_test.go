package e2e_test

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

var examplesDir = filepath.Join(root, "examples")

// configurations returns the folders under examples/ that hold a configuration, by their paths there.
func configurations(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(examplesDir, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".terraform":
			return fs.SkipDir
		case filepath.Ext(file) == ".tf":
			name, err := filepath.Rel(examplesDir, filepath.Dir(file))
			found[filepath.ToSlash(name)] = true
			return err
		}
		return nil
	})
	must(t, err)
	if len(found) == 0 {
		t.Fatalf("no configuration in %s", examplesDir)
	}
	return slices.Sorted(maps.Keys(found))
}

// example is a copy of an example, which a CLI may write into, and the instances that it reads.
type example struct {
	*workspace
	configuration string
	variables     map[string]any // values for the example's variables, by name
	servers       map[string]*instancetest.Server
}

// newExample copies an example, or skips a test of one that needs a newer CLI.
func newExample(t *testing.T, c cli, name string) *example {
	t.Helper()
	e := &example{workspace: newWorkspace(t, c, ""), variables: map[string]any{}, servers: map[string]*instancetest.Server{}}
	e.dir = filepath.Join(e.dir, "configuration")
	must(t, os.CopyFS(e.dir, os.DirFS(filepath.Join(examplesDir, name))))
	// Import blocks lie beside the resource, where tfplugindocs looks for them. TestAccRecord_ImportBlockWritesAConfiguration applies them.
	for _, file := range glob(t, filepath.Join(e.dir, "import-by-*.tf")) {
		must(t, os.Remove(file))
	}
	for _, file := range glob(t, filepath.Join(e.dir, "*.tf")) {
		content := strings.ReplaceAll(string(read(t, file)), `stable_for = "30s"`, `stable_for = "1s"`) // no test waits that long
		write(t, file, content)
		e.configuration += content + "\n"
	}
	c.skipBelowRequired(t, e.configuration)
	if strings.Contains(e.configuration, "\nmodule \"") {
		e.mustRun(t, e.dir, "get", "-no-color") // which init does otherwise
	}
	return e
}

// setVariables gives the example's variables their values.
func (e *example) setVariables() {
	e.t.Helper()
	values, err := json.Marshal(e.variables)
	must(e.t, err)
	write(e.t, filepath.Join(e.dir, "test.auto.tfvars.json"), string(values))
}

var variableBlock = regexp.MustCompile(`(?m)^variable "(\w+)" \{`)

// variablesOf returns the names of a configuration's variables.
func variablesOf(configuration string) map[string]bool {
	names := map[string]bool{}
	for _, match := range variableBlock.FindAllStringSubmatch(configuration, -1) {
		names[match[1]] = true
	}
	return names
}

// start starts the instances that the example asks for; see the package's documentation.
func (e *example) start() {
	e.t.Helper()
	names := variablesOf(e.configuration)
	// A data source does not wait, and a record always does.
	waits := strings.Contains(e.configuration, "\nresource \"filetransfer_") && !strings.Contains(e.configuration, "\ndata \"filetransfer_")
	start := func(name string, options ...instancetest.Option) string {
		if waits {
			options = append(options, instancetest.WithScript(instancetest.Status(404)))
		}
		e.servers[name] = instancetest.New(e.t, options...)
		return e.servers[name].URL()
	}
	if names["base_url"] {
		options := []instancetest.Option{instancetest.WithPath("/files/api")}
		if names["gateway_token"] {
			const token = "an-opaque-token"
			e.variables["gateway_token"] = token
			options = append(options, instancetest.WithRequiredHeader("X-Gateway-Token", token))
		}
		if names["ca_cert_pem"] {
			options = append(options, instancetest.WithTLS())
		}
		if names["client_cert_pem"] {
			options = append(options, instancetest.WithClientCertificate())
		}
		if names["release"] {
			e.variables["release"] = "2.1.5"
		}
		e.variables["base_url"] = start("base_url", options...)
		server := e.servers["base_url"]
		for name, value := range map[string]string{
			"ca_cert_pem":     server.CACertPEM(),
			"client_cert_pem": server.ClientCertPEM(),
			"client_key_pem":  server.ClientKeyPEM(),
		} {
			if names[name] {
				e.variables[name] = value
			}
		}
	}
	if names["base_urls"] {
		baseURLs := map[string]string{
			"older": start("older", instancetest.WithDocument(instancetest.Older())),
			"newer": start("newer", instancetest.WithDocument(instancetest.Newer())),
			"mixed": start("mixed", instancetest.WithDocument(instancetest.Mixed())),
		}
		if strings.Contains(e.configuration, "allow_failures") {
			baseURLs["broken"] = start("broken", instancetest.WithDefault(instancetest.Status(403)))
		}
		e.variables["base_urls"] = baseURLs
	}
	e.setVariables()
}

// wantOutputs are outputs whose values are checked too, by the example's path.
var wantOutputs = map[string]map[string]any{
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
	"guides/tolerate-failures": {
		"api_versions": map[string]any{"older": "1.3.2", "newer": "2.1.5", "mixed": "1.5.0"},
		"errors":       map[string]any{"broken": "status 403 Forbidden"},
	},
	"guides/survive-an-outage": {"api_version": "2.1.5"},
	"guides/release-a-server":  {"api_version": "2.1.5"},
}

// later is a command after an example was applied, often with other instances or variables, and what it says then.
type later struct {
	change  func(servers map[string]*instancetest.Server)
	command string // plan, if it is empty
	says    string
	fails   bool
}

// answering lets an instance answer another document.
func answering(name string, document instancetest.Document) func(map[string]*instancetest.Server) {
	return func(servers map[string]*instancetest.Server) {
		servers[name].SetDefault(instancetest.AnswerDocument(document))
	}
}

// stopping stops all instances.
func stopping(servers map[string]*instancetest.Server) {
	for _, server := range servers {
		server.Close()
	}
}

// afterwards are the commands after an example was applied, in this order, by the example's path. A check that never warns,
// or a condition that never fails, would be no example of one.
var afterwards = map[string][]later{
	"guides/preconditions-and-checks": {
		{change: answering("base_url", instancetest.Newer().With("requirePassword", false)), says: "no longer requires a password"},
		{change: answering("base_url", instancetest.Newer().With("fileMaxSize", 1000000000)), fails: true,
			says: "accepts files of 1000000000 bytes, but our exports can have 5 GB."},
	},
	"guides/tolerate-failures": {{says: "Not read: broken"}},
	"guides/survive-an-outage": {
		{change: stopping, command: "plan -compact-warnings", says: "on main.tf line 12"},
	},
}

var outputBlock = regexp.MustCompile(`(?m)^output "(\w+)" \{`)

func TestAccExamples(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	names := configurations(t)
	for _, name := range slices.Concat(slices.Collect(maps.Keys(wantOutputs)), slices.Collect(maps.Keys(afterwards))) {
		if !slices.Contains(names, name) {
			t.Errorf("there is no example %s any more", name)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newExample(t, cli, name)
			e.start()
			e.apply()

			outputs := e.state().Outputs
			for _, output := range outputBlock.FindAllStringSubmatch(e.configuration, -1) {
				if outputs[output[1]].Value == nil {
					t.Errorf("the output %s has no value", output[1])
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
			e.do("plan", "-detailed-exitcode").wantText(t, "exit code 0:")

			for _, later := range afterwards[name] {
				if later.change != nil {
					later.change(e.servers)
				}
				command := strings.Fields(cmp.Or(later.command, "plan"))
				done := e.do(command[0], command[1:]...)
				if text := oneLine([]byte(done.String())); !strings.Contains(text, later.says) || done.exitCode != 0 != later.fails {
					t.Errorf("%s does not say %q, or fails is not %t: %s", command, later.says, later.fails, done)
				}
			}
		})
	}
}

var wrapping = regexp.MustCompile(`[\s│]+`)

// oneLine undoes how a CLI wraps a diagnostic.
func oneLine(text []byte) string { return wrapping.ReplaceAllString(string(text), " ") }

// exampleURL is what examples name where a variable cannot be used.
const exampleURL = "https://files.example.org"

// The tests of an example's own run without an instance and without a network.
func TestAccExamples_TestFiles(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	found := false
	for _, name := range configurations(t) {
		if len(glob(t, filepath.Join(examplesDir, name, "tests", "*.tftest.hcl"))) == 0 {
			continue
		}
		found = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli.skipWithout(t, acctest.MockProviders)
			e := newExample(t, cli, name)
			done := e.run(t, e.dir, "test", "-no-color")
			if done.exitCode != 0 || !regexp.MustCompile(`Success! [1-9]\d* passed, 0 failed`).Match(done.stdout) {
				t.Errorf("%s test: %s", cli.Name, done)
			}
		})
	}
	if !found {
		t.Error("no example has tests of its own")
	}
}
