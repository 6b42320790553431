package e2e_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

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
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("no configuration in %s", examplesDir)
	}
	return slices.Sorted(maps.Keys(found))
}

// copyOf returns the path of a copy of an example, which a CLI may write into.
func copyOf(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "configuration")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(examplesDir, name))); err != nil {
		t.Fatal(err)
	}
	// Import blocks lie beside the resource, where tfplugindocs looks for them. TestAccExamples_Import applies them.
	for _, file := range glob(t, filepath.Join(dir, "import-by-*.tf")) {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	return dir
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

// instances are the running instances that an example reads.
type instances struct {
	variables map[string]any // values for the example's variables, by name
	servers   map[string]*instancetest.Server
}

// startInstances starts what a configuration asks for; see the package's documentation.
func startInstances(t *testing.T, configuration string) instances {
	t.Helper()
	names := variablesOf(configuration)
	started := instances{map[string]any{}, map[string]*instancetest.Server{}}
	// A data source does not wait, and a record always does.
	waits := strings.Contains(configuration, "\nresource \"filetransfer_") && !strings.Contains(configuration, "\ndata \"filetransfer_")
	start := func(name string, options ...instancetest.Option) string {
		if waits {
			options = append(options, instancetest.WithScript(instancetest.Status(404)))
		}
		started.servers[name] = instancetest.New(t, options...)
		return started.servers[name].URL()
	}
	if names["base_url"] {
		options := []instancetest.Option{instancetest.WithPath("/files/api")}
		if names["gateway_token"] {
			const token = "an-opaque-token"
			started.variables["gateway_token"] = token
			options = append(options, instancetest.WithRequiredHeader("Authorization", "Bearer "+token))
		}
		if names["ca_cert_pem"] {
			options = append(options, instancetest.WithTLS())
		}
		if names["client_cert_pem"] {
			options = append(options, instancetest.WithClientCertificate())
		}
		started.variables["base_url"] = start("base_url", options...)
		server := started.servers["base_url"]
		for name, value := range map[string]string{
			"ca_cert_pem":     server.CACertPEM(),
			"client_cert_pem": server.ClientCertPEM(),
			"client_key_pem":  server.ClientKeyPEM(),
		} {
			if names[name] {
				started.variables[name] = value
			}
		}
	}
	if names["base_urls"] {
		baseURLs := map[string]string{
			"older": start("older", instancetest.WithDocument(instancetest.Older())),
			"newer": start("newer", instancetest.WithDocument(instancetest.Newer())),
			"mixed": start("mixed", instancetest.WithDocument(instancetest.Mixed())),
		}
		if strings.Contains(configuration, "allow_failures") {
			baseURLs["broken"] = start("broken", instancetest.WithDefault(instancetest.Status(403)))
		}
		started.variables["base_urls"] = baseURLs
	}
	return started
}

// apply plans and applies a copy of an example, and returns its outputs.
func apply(t *testing.T, cli cli, dir string, variables map[string]any) map[string]any {
	t.Helper()
	values, err := json.Marshal(variables)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "test.auto.tfvars.json"), values, 0o600); err != nil {
		t.Fatal(err)
	}
	getModules(t, cli, dir, readAll(t, dir))
	cli.mustRun(t, dir, "plan", "-out=test.tfplan", "-input=false", "-no-color")
	cli.mustRun(t, dir, "apply", "-input=false", "-no-color", "test.tfplan")

	var outputs map[string]struct{ Value any }
	if err := json.Unmarshal(cli.mustRun(t, dir, "output", "-json", "-no-color"), &outputs); err != nil {
		t.Fatal(err)
	}
	read := map[string]any{}
	for name, output := range outputs {
		read[name] = output.Value
	}
	return read
}

// getModules makes a configuration's modules known to the CLI, which init would do otherwise.
func getModules(t *testing.T, cli cli, dir, configuration string) {
	t.Helper()
	if strings.Contains(configuration, "\nmodule \"") {
		cli.mustRun(t, dir, "get", "-no-color")
	}
}

// wantOutputs are outputs whose values are checked too, by the example's path.
var wantOutputs = map[string]map[string]any{
	"provider": {"file_max_size": 64424509440.},
	"data-sources/filetransfer_instance": {
		"file_max_size_mib": 61440.,
		"region":            "not sent",
	},
	"data-sources/filetransfer_instances": {
		"upload_limit":         21474836480., // the older one's 20 GiB
		"client_max_body_size": "21m",        // 20,000,000 bytes are 19.07 MiB, and 1 MiB more
		"merge_limits":         map[string]any{"older": 10., "newer": 50., "mixed": 10.},
	},
	"resources/filetransfer_instance_record": {"client_max_body_size": "21m"},
	"functions/select_expire_time":           {"default_expire_time": "2 weeks"},
	"functions/parse_instance":               {"file_max_age_days": 30.},
	"guides/replacing-data-http":             {"max_age_days": 30.},
	"guides/testing-a-module":                {"volume_gib": 60., "shortest_expire_minutes": 30.},
	"guides/testing-a-fleet":                 {"main_chunk_size": 20000000.},
	"guides/behind-a-reverse-proxy":          {"api_version": "2.1.5"},
	"guides/operate-volume": {
		"volume_gib": 1780., // 30 days of 50 GB, four files of 60 GiB and 100 MB are 92 % of it
		"alert":      `node_filesystem_avail_bytes{mountpoint="/srv/files"} < 257798037760`,
	},
	"guides/tolerating-failures": {
		"api_versions": map[string]any{"older": "1.3.2", "newer": "2.1.5", "mixed": "1.5.0"},
		"errors":       map[string]any{"broken": "status 403 Forbidden"},
	},
	"guides/recording-a-fleet": {
		"api_versions": map[string]any{"older": "1.3.2", "newer": "2.1.5", "mixed": "1.5.0"},
	},
	"guides/survive-an-outage": {
		"versions": map[string]any{"now": "2.1.5", "recorded": "2.1.5"},
	},
	"guides/operate-settings": {"api_version": "2.1.5"},
	"guides/operate-backups":  {"backup_plan": map[string]any{"delete_after_days": 59.}},
	"guides/operate-upload-job": {"job_environment": map[string]any{
		"CHUNK_BYTES": "20000000", "MAX_FILE_BYTES": "64424509440", "MAX_FILES": "50", "NEEDS_PASSWORD": "true",
		"EXPIRE_MINUTES": "20160", "EXPIRE_SECONDS": "1209600", "DOWNLOAD_NOTICE": "Download the files within 14 days.",
	}},
	"guides/waiting-for-a-new-instance": {"api_version": "2.1.5"},
}

var outputBlock = regexp.MustCompile(`(?m)^output "(\w+)" \{`)

func TestAccExamples(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	names := configurations(t)
	for name := range wantOutputs {
		if !slices.Contains(names, name) {
			t.Errorf("there is no example %s any more", name)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copyOf(t, name)
			configuration := readAll(t, dir)
			cli.needOf(t, configuration)
			started := startInstances(t, configuration)

			outputs := apply(t, cli, dir, started.variables)
			for _, output := range outputBlock.FindAllStringSubmatch(configuration, -1) {
				if outputs[output[1]] == nil {
					t.Errorf("the output %s has no value", output[1])
				}
			}
			for output, want := range wantOutputs[name] {
				if !reflect.DeepEqual(outputs[output], want) {
					t.Errorf("the output %s is %v, want %v", output, outputs[output], want)
				}
			}
			for server := range started.servers {
				if len(started.servers[server].Requests()) == 0 {
					t.Errorf("the instance %q was not read", server)
				}
			}
			if again := cli.run(t, dir, nil, "plan", "-detailed-exitcode", "-input=false", "-no-color"); again.exitCode != 0 {
				t.Errorf("the second plan is not empty: %s", again)
			}
		})
	}
}

// What examples make of other values of their variables.
func TestAccExamples_Variables(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	notice := func(text string) string { return "Download the files within " + text + "." }
	const day = 24 * 60 * 60.
	tests := map[string]struct {
		example, variable string
		value             float64
		output, field     string
		want              any
	}{
		"files of an earlier maximum": {"guides/operate-backups", "earlier_file_max_age", 60 * day, "backup_plan", "delete_after_days", 29.},
		"a week":                      {"guides/operate-upload-job", "retention_days", 7, "job_environment", "DOWNLOAD_NOTICE", notice("7 days")},
		"one day":                     {"guides/operate-upload-job", "retention_days", 1, "job_environment", "DOWNLOAD_NOTICE", notice("24 hours")},
		"less than an hour":           {"guides/operate-upload-job", "retention_days", 0.03, "job_environment", "DOWNLOAD_NOTICE", notice("30 minutes")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copyOf(t, test.example)
			configuration := readAll(t, dir)
			cli.needOf(t, configuration)
			variables := startInstances(t, configuration).variables
			variables[test.variable] = test.value
			output, ok := apply(t, cli, dir, variables)[test.output].(map[string]any)
			if !ok || output[test.field] != test.want {
				t.Errorf("%s is %v, want %s to be %v", test.output, output, test.field, test.want)
			}
		})
	}
}

// A check that never warns, or a condition that never fails, would be no example of one.
func TestAccExamples_Conditions(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	answering := func(name string, document instancetest.Document) func(instances) {
		return func(started instances) { started.servers[name].SetDefault(instancetest.AnswerDocument(document)) }
	}
	tests := map[string]struct {
		example string
		change  func(started instances)
		want    string
		fails   bool
	}{
		"a password is no longer required": {
			example: "guides/guarding-a-plan",
			change:  answering("base_url", instancetest.Newer().With("requirePassword", false)),
			want:    "no longer requires a password",
		},
		"exports are larger than the instance of the index page accepts": {
			example: "guides/guarding-a-plan",
			change:  answering("base_url", instancetest.Newer().With("fileMaxSize", 1000000000)),
			want:    "accepts files of 1000000000 bytes, but our exports can be up to 5000000000 bytes.",
			fails:   true,
		},
		"a setting did not arrive": {
			example: "guides/operate-settings",
			change:  answering("base_url", instancetest.Newer().With("fileMaxSize", 5)),
			want:    "FILE_MAX_SIZE is 64424509440, but the instance reports 5 bytes.",
			fails:   true,
		},
		"a backup outlives the policy": {
			example: "guides/operate-backups",
			change:  answering("base_url", instancetest.Newer().With("fileMaxAge", 15770000000)),
			want:    "That leaves no day for a backup within 90 days.",
			fails:   true,
		},
		"a volume for files that never expire": {
			example: "guides/operate-volume",
			change:  answering("base_url", instancetest.Newer().With("fileMaxAge", 15770000000)),
			want:    "Files can live 182524 days, so the volume needs 9238779 GiB.",
			fails:   true,
		},
		"an instance of the fleet fails": {
			example: "guides/tolerating-failures",
			change:  func(instances) {},
			want:    "Not read: broken",
		},
		"minutes where seconds belong": {
			example: "guides/response-shapes",
			change: answering("older", instancetest.Older().
				With("recommendedExpireTimes", []instancetest.Document{instancetest.OlderEntry("30 minutes", 30)})),
			want: "may put minutes where seconds belong",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copyOf(t, test.example)
			configuration := readAll(t, dir)
			cli.needOf(t, configuration)
			started := startInstances(t, configuration)
			apply(t, cli, dir, started.variables)

			test.change(started)
			planned := cli.run(t, dir, nil, "plan", "-input=false", "-no-color")
			if text := oneLine(append(planned.stdout, planned.stderr...)); !strings.Contains(text, test.want) {
				t.Errorf("the plan does not say %q: %s", test.want, planned)
			}
			if failed := planned.exitCode != 0; failed != test.fails {
				t.Errorf("the plan fails: %t, want %t: %s", failed, test.fails, planned)
			}
		})
	}
}

var wrapping = regexp.MustCompile(`[\s│]+`)

// oneLine undoes how a CLI wraps a diagnostic.
func oneLine(text []byte) string { return wrapping.ReplaceAllString(string(text), " ") }

// The import block beside a resource imports it, under the URL of a running instance, and changes nothing.
func TestAccExamples_Import(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	blocks := glob(t, filepath.Join(examplesDir, "resources", "*", "import-by-*.tf"))
	if len(blocks) == 0 {
		t.Error("no example has an import block")
	}
	for _, block := range blocks {
		name := path.Join("resources", filepath.Base(filepath.Dir(block)))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli.need(t, version{1, 5}, version{1, 6}, "an import block")
			dir := copyOf(t, name)
			started := startInstances(t, readAll(t, dir))
			started.servers["base_url"].SetScript() // an import does not wait
			url := started.servers["base_url"].URL()
			write(t, filepath.Join(dir, "import.tf"), strings.ReplaceAll(string(read(t, block)), exampleURL, url))
			apply(t, cli, dir, started.variables)
			if again := cli.run(t, dir, nil, "plan", "-detailed-exitcode", "-input=false", "-no-color"); again.exitCode != 0 {
				t.Errorf("the plan after the import is not empty: %s", again)
			}
			if command := string(read(t, filepath.Join(filepath.Dir(block), "import.sh"))); !strings.Contains(command, " "+exampleURL) {
				t.Errorf("import.sh does not import %s: %s", exampleURL, command)
			}
		})
	}
}

// What the guide on outages says about plan, apply and destroy while an instance is down.
func TestAccExamples_Outage(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	down := func(t *testing.T, example string) string {
		t.Helper()
		dir := copyOf(t, example)
		configuration := readAll(t, dir)
		cli.needOf(t, configuration)
		started := startInstances(t, configuration)
		apply(t, cli, dir, started.variables)
		for _, server := range started.servers {
			server.Close()
		}
		return dir
	}
	expect := func(t *testing.T, dir string, exitCode int, text string, args ...string) {
		t.Helper()
		done := cli.run(t, dir, nil, append(args, "-input=false", "-no-color")...)
		if done.exitCode != exitCode || !strings.Contains(oneLine(append(done.stdout, done.stderr...)), text) {
			t.Errorf("%s does not end with exit code %d and %q: %s", strings.Join(args, " "), exitCode, text, done)
		}
	}

	t.Run("records", func(t *testing.T) {
		t.Parallel()
		dir := down(t, "guides/recording-a-fleet")
		expect(t, dir, 0, "Warning: Instance not read, last known details kept", "plan", "-detailed-exitcode")
		expect(t, dir, 0, "Destroy complete!", "destroy", "-auto-approve")
	})
	t.Run("data source", func(t *testing.T) {
		t.Parallel()
		dir := down(t, "guides/survive-an-outage")
		expect(t, dir, 1, "Error: Instance not reachable", "plan")
		expect(t, dir, 1, "Error: Instance not reachable", "plan", "-refresh=false")
		expect(t, dir, 1, "Error: Instance not reachable", "destroy", "-auto-approve")
		expect(t, dir, 0, "Destroy complete!", "destroy", "-auto-approve", "-refresh=false")
	})
}

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
			cli.need(t, version{1, 7}, version{1, 8}, "mock_provider")
			dir := copyOf(t, name)
			configuration := readAll(t, dir)
			cli.needOf(t, configuration)
			getModules(t, cli, dir, configuration)
			done := cli.run(t, dir, nil, "test", "-no-color")
			if done.exitCode != 0 || !regexp.MustCompile(`Success! [1-9]\d* passed, 0 failed`).Match(done.stdout) {
				t.Errorf("%s test: %s", cli.Name(), done)
			}
		})
	}
	if !found {
		t.Error("no example has tests of its own")
	}
}

func TestAccExamples_Format(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	cli.need(t, version{1, 8}, version{1, 7}, "the syntax of provider functions")
	if done := cli.run(t, examplesDir, nil, "fmt", "-check", "-diff", "-recursive", "-no-color"); done.exitCode != 0 {
		t.Errorf("not formatted (run: terraform fmt -recursive examples): %s", done)
	}
}
