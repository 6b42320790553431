// Package e2e_test applies what users copy from pages and examples/, and checks what holds for every page. The
// provider is a process of its own.
package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

// cli and host are of the CLI that scripts/with-cli has chosen, and of the registry that it asks for providers.
var cli, host = os.Getenv("TF_ACC_TERRAFORM_PATH"), os.Getenv("TF_ACC_PROVIDER_HOST")

// environment builds the provider, and returns an environment in which the CLI takes it from its folder, without init.
var environment = sync.OnceValues(func() (env []string, err error) {
	folder, err := os.MkdirTemp("", "filetransfer-e2e-*") // in the one that scripts/with-cli removes
	if err != nil {
		return nil, err
	}
	build := exec.Command("go", "build", "-o", folder+string(filepath.Separator), root)
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the provider: %w\n%s", err, output)
	}
	file := filepath.Join(folder, "cli.tfrc")
	configuration := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n  }\n}\n",
		host+"/filetransfer/filetransfer", filepath.ToSlash(folder))
	env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+file, "TF_INPUT=0", "TF_CLI_ARGS=-no-color",
		"GOGC=off", "GOMEMLIMIT=256MiB") // most commands end before garbage has to be collected, a third of what they cost
	return env, os.WriteFile(file, []byte(configuration), 0o600)
})

type workspace struct {
	t   *testing.T
	dir string
	env []string
}

// newWorkspace makes a folder with a configuration that needs features of the CLI. Without TF_ACC, it skips the test.
func newWorkspace(t *testing.T, configuration string, needed ...acctest.Feature) *workspace {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	env, err := environment()
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{t, t.TempDir(), slices.Clone(env)}
	if configuration != "" {
		w.configure(configuration)
	}
	for _, feature := range needed {
		first := feature.Terraform
		if host == "registry.opentofu.org" {
			first = feature.OpenTofu
		}
		w.write("needed.tf", fmt.Sprintf("terraform {\n  required_version = \">= %s\"\n}\n", first))
	}
	return w
}

// configure replaces the configuration. One that does not name its providers gets required_providers at its end.
func (w *workspace) configure(configuration string) {
	w.t.Helper()
	if !strings.Contains(configuration, "required_providers") {
		configuration += acctest.RequiredProviders
	}
	w.write("main.tf", configuration)
}

func (w *workspace) write(name, content string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) run(args ...string) result {
	w.t.Helper()
	return w.wait(exec.CommandContext(w.t.Context(), cli, args...))
}

// shell runs commands of a page, with the CLI under the name that the page calls it.
func (w *workspace) shell(commands string) result {
	w.t.Helper()
	if runtime.GOOS == "windows" {
		w.t.Skip("the commands are for a POSIX shell")
	}
	commands = `terraform() { "` + cli + `" "$@"; }` + "\nset -e\n" + commands
	return w.wait(exec.CommandContext(w.t.Context(), "sh", "-c", commands))
}

// wait runs a command. It skips the test if the configuration is for a newer CLI.
func (w *workspace) wait(cmd *exec.Cmd) result {
	w.t.Helper()
	cmd.Dir, cmd.Env = w.dir, w.env
	output, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	if strings.Contains(string(output), "Core version") {
		w.t.Skipf("needs a newer CLI: %s", output)
	}
	return result{w.t, string(output), cmd.ProcessState.ExitCode()}
}

// apply applies the configuration, which has to succeed.
func (w *workspace) apply(args ...string) result {
	w.t.Helper()
	return w.run(append([]string{"apply", "-auto-approve"}, args...)...).expect(0)
}

// plan makes a plan, with the exit code 2 if there are changes.
func (w *workspace) plan() result {
	w.t.Helper()
	return w.run("plan", "-detailed-exitcode")
}

type result struct {
	t        *testing.T
	output   string
	exitCode int
}

// expect checks the exit code, and that each text was printed, wherever lines end. A line "..." stands for anything.
func (r result) expect(exitCode int, texts ...string) result {
	r.t.Helper()
	if r.exitCode != exitCode {
		r.t.Fatalf("exit code %d, want %d:\n%s", r.exitCode, exitCode, r.output)
	}
	for _, text := range texts {
		if !acctest.WrappedText(strings.Split(text, "...\n")...).MatchString(r.output) {
			r.t.Errorf("no %q in what was printed:\n%s", text, r.output)
		}
	}
	return r
}
