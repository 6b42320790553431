package servicetest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

// A setting that the service has misread gets a warning, whatever reads the instance. terraform-plugin-testing does not show warnings, so
// the CLI runs by itself.
func TestWarnings(t *testing.T) {
	t.Parallel()
	releases := installed(t)
	provider := t.TempDir()
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", provider+"/", "../..").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	tests := []struct {
		release, setting string
		want             string // in the parentheses of the warning; empty if there is none
	}{
		{"1.1.1", "", ""}, // whose options are in minutes
		{"2.2.3", "", ""},
		{"2.2.3", "FILE_MAX_AGE=1800", ""},                   // the shortest expiry option
		{"2.2.3", "FILE_MAX_AGE=900", "file_max_age is 900"}, // with an empty list of options
		// Megabytes, kilobytes and hours were meant.
		{"2.2.3", "FILE_MAX_SIZE=5000", "file_max_size is 5000"},
		{"2.2.3", "CHUNK_SIZE=20000", "chunk_size is 20000"},
		{"2.2.3", "FILE_MAX_AGE=720", "file_max_age is 720"},
		{"2.2.3", "CHUNK_SIZE=5e+09", "chunk_size is 5"},
		{"2.2.3", "FILE_MAX_SIZE=5 GB", "file_max_size is 5"},
		{"2.2.3", "FILE_MAX_AGE=30d", "file_max_age is 30"},
	}
	for _, test := range tests {
		t.Run(test.release+", "+test.setting, func(t *testing.T) {
			t.Parallel()
			at := slices.IndexFunc(releases, func(r release) bool { return r.name == test.release })
			if at < 0 {
				t.Fatal("the release is not installed")
			}
			p := start(t, releases[at], test.setting)
			p.document(t)
			var want []string
			if test.want != "" {
				want = []string{fmt.Sprintf("Implausibly small limits: %s (%s)", p.url, test.want)}
			}
			for kind, configuration := range map[string]string{
				"data source": fmt.Sprintf("data \"filetransfer_instance\" \"files\" {\n  base_url = %q\n}\n", p.url),
				"record":      fmt.Sprintf("resource \"filetransfer_instance_record\" \"files\" {\n  base_url = %q\n}\n", p.url),
			} {
				w := newWorkspace(t, provider, configuration)
				w.expectWarnings(kind+", apply", w.run("apply", "-auto-approve"), want)
				w.expectWarnings(kind+", plan", w.run("plan"), want)
			}
		})
	}
}

// workspace is a folder with a configuration, and an environment in which the CLI takes the provider from another folder.
type workspace struct {
	t   *testing.T
	dir string
	env []string
}

func newWorkspace(t *testing.T, providerDir, configuration string) workspace {
	t.Helper()
	dir := t.TempDir()
	settings := filepath.Join(dir, "cli.tfrc")
	for file, content := range map[string]string{
		filepath.Join(dir, "main.tf"): acctest.RequiredProviders + configuration,
		settings: fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n  }\n}\n",
			os.Getenv("TF_ACC_PROVIDER_HOST")+"/filetransfer/filetransfer", providerDir),
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return workspace{t, dir, append(os.Environ(), "TF_CLI_CONFIG_FILE="+settings)}
}

// run runs a command of the CLI, which has to succeed, and returns what it printed.
func (w workspace) run(args ...string) string {
	w.t.Helper()
	command := exec.CommandContext(w.t.Context(), os.Getenv("TF_ACC_TERRAFORM_PATH"), append(args, "-no-color")...)
	command.Dir, command.Env = w.dir, w.env
	output, err := command.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%q: %v\n%s", args, err, output)
	}
	return string(output)
}

// expectWarnings checks the summaries of all warnings, but for the one about the folder of the provider.
func (w workspace) expectWarnings(name, printed string, want []string) {
	w.t.Helper()
	var got []string
	for _, warning := range regexp.MustCompile(`(?m)^[│\s]*Warning: (.*)$`).FindAllStringSubmatch(printed, -1) {
		if warning[1] != "Provider development overrides are in effect" {
			got = append(got, warning[1])
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("%s: warnings %q, want %q:\n%s", name, got, want, printed)
	}
	if want != nil && !acctest.WrappedText("5e+09").MatchString(printed) {
		w.t.Errorf("%s: the warning does not say how the service reads its settings:\n%s", name, printed)
	}
}
