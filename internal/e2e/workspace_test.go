package e2e_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-version"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

// buildDir is where the provider is built, once for all tests.
var buildDir string

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

// cli is a Terraform or OpenTofu, with an environment in which it uses this build of the provider.
type cli struct {
	path     string
	name     string // product and version, for people
	openTofu bool
	version  *version.Version // without a suffix such as -dev
	env      []string
}

// findCLI inspects the CLI that scripts/with-cli has chosen, and builds the provider for it. The user's own settings for a CLI do not get
// here: scripts/with-cli removes them.
var findCLI = sync.OnceValues(func() (cli, error) {
	path, err := exec.LookPath(cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform"))
	if err != nil {
		return cli{}, err
	}
	output, err := exec.Command(path, "version").CombinedOutput()
	if err != nil {
		return cli{}, fmt.Errorf("%s version: %w: %s", path, err, output)
	}
	found := regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\S+)`).FindStringSubmatch(string(output)) // there may be a warning before it
	if found == nil {
		return cli{}, fmt.Errorf("%s is neither Terraform nor OpenTofu: %s", path, output)
	}
	c := cli{path: path, name: found[1] + " " + found[2], openTofu: found[1] == "OpenTofu", version: version.Must(version.NewVersion(found[2])).Core()}

	if buildDir, err = os.MkdirTemp("", "filetransfer-e2e-*"); err != nil {
		return c, err
	}
	build := exec.Command("go", "build", "-o", buildDir+string(filepath.Separator), ".")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return c, fmt.Errorf("building the provider: %w\n%s", err, output)
	}
	// With this configuration, a CLI takes the provider from the folder, without init and without a registry.
	configuration := fmt.Sprintf(`provider_installation {
  dev_overrides {
    "registry.terraform.io/filetransfer/filetransfer" = %[1]q
    "registry.opentofu.org/filetransfer/filetransfer" = %[1]q
  }
}`, filepath.ToSlash(buildDir))
	file := filepath.Join(buildDir, "cli.tfrc")
	// Most commands end before they need as much memory as this: collecting their garbage would be a third of what they cost.
	c.env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+file, "TF_INPUT=0", "TF_CLI_ARGS=-no-color", "GOGC=off", "GOMEMLIMIT=256MiB")
	return c, os.WriteFile(file, []byte(configuration), 0o600)
})

// workspace is a folder with a configuration and its state.
type workspace struct {
	cli
	t   *testing.T
	dir string
}

// newWorkspace makes a folder with a configuration. Without TF_ACC it skips the test.
func newWorkspace(t *testing.T, configuration string) *workspace {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	c, err := findCLI()
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{c, t, t.TempDir()}
	w.configure(configuration)
	return w
}

// skipWithout skips a test that needs a feature.
func (w *workspace) skipWithout(feature acctest.Feature) {
	w.t.Helper()
	needed := feature.Terraform
	if w.openTofu {
		needed = feature.OpenTofu
	}
	if w.version.LessThan(needed) {
		w.t.Skipf("%s needs Terraform %s or OpenTofu %s; this is %s", feature.Name, feature.Terraform, feature.OpenTofu, w.name)
	}
}

// configure replaces the configuration. One that does not name its providers gets required_providers at its end.
func (w *workspace) configure(configuration string) {
	w.t.Helper()
	if !strings.Contains(configuration, "required_providers") {
		configuration += acctest.RequiredProviders
	}
	w.write("main.tf", configuration)
}

// write writes a file of the workspace.
func (w *workspace) write(name, content string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// run runs a command of the CLI.
func (w *workspace) run(args ...string) result {
	w.t.Helper()
	return w.runUntil(w.t.Context(), args...)
}

// runUntil runs a command of the CLI, and interrupts it when the context ends.
func (w *workspace) runUntil(ctx context.Context, args ...string) result {
	w.t.Helper()
	cmd := exec.CommandContext(ctx, w.path, args...)
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 2*time.Minute
	return w.wait(cmd)
}

// shell runs commands of a page, with the CLI under the name that the page calls it.
func (w *workspace) shell(commands string) result {
	w.t.Helper()
	if runtime.GOOS == "windows" {
		w.t.Skip("the commands are for a POSIX shell")
	}
	return w.wait(exec.CommandContext(w.t.Context(), "sh", "-c", `terraform() { "`+w.path+`" "$@"; }`+"\nset -e\n"+commands))
}

func (w *workspace) wait(cmd *exec.Cmd) result {
	w.t.Helper()
	cmd.Dir, cmd.Env = w.dir, w.env
	output, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		w.t.Fatalf("%s: %v", w.name, err)
	}
	return result{w.t, w.name + " " + strings.Join(cmd.Args[1:], " "), string(output), cmd.ProcessState.ExitCode()}
}

// apply applies the configuration, which has to succeed.
func (w *workspace) apply(args ...string) result {
	w.t.Helper()
	return w.run(slices.Concat([]string{"apply", "-auto-approve"}, args)...).expectExitCode(0)
}

// plan makes a plan, which has to succeed, and saves it for applyPlan. The exit code is 2 if there are changes.
func (w *workspace) plan(args ...string) result {
	w.t.Helper()
	made := w.run(slices.Concat([]string{"plan", "-detailed-exitcode", "-out=saved.tfplan"}, args)...)
	if made.exitCode != 2 {
		made.expectExitCode(0)
	}
	return made
}

// applyPlan applies what plan has saved, which has to succeed.
func (w *workspace) applyPlan() result {
	w.t.Helper()
	return w.run("apply", "saved.tfplan").expectExitCode(0)
}

// expectNoChanges makes a plan that must have no changes.
func (w *workspace) expectNoChanges(args ...string) result {
	w.t.Helper()
	return w.plan(args...).expectExitCode(0)
}

// state is what a file with a state holds.
type state struct {
	Outputs   map[string]struct{ Value any }
	Resources []struct {
		Type, Name string
		Instances  []struct{ Attributes map[string]any }
	}
}

// state reads the state's file. A command of the CLI would take as long as the rest of a test.
func (w *workspace) state() (found state) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(read(w.t, filepath.Join(w.dir, "terraform.tfstate"))), &found); err != nil {
		w.t.Fatal(err)
	}
	return found
}

// attributes returns the attributes of a resource in the state; nil if it is not there.
func (w *workspace) attributes(address string) map[string]any {
	w.t.Helper()
	for _, resource := range w.state().Resources {
		if resource.Type+"."+resource.Name == address && len(resource.Instances) > 0 {
			return resource.Instances[0].Attributes
		}
	}
	return nil
}

// result is what a command printed, and its exit code.
type result struct {
	t        *testing.T
	command  string
	output   string
	exitCode int
}

// expectExitCode stops the test if the command ended with another exit code.
func (r result) expectExitCode(want int) result {
	r.t.Helper()
	if r.exitCode != want {
		r.t.Fatalf("%s: exit code %d, want %d:\n%s", r.command, r.exitCode, want, r.output)
	}
	return r
}

// expectText checks that the command printed each text, wherever the CLI breaks lines.
func (r result) expectText(texts ...string) result {
	r.t.Helper()
	for _, text := range texts {
		if !acctest.WrappedText(text).MatchString(r.output) {
			r.t.Errorf("%s: no %q in what it printed:\n%s", r.command, text, r.output)
		}
	}
	return r
}

// expectExcerpt checks that the command printed the lines of a page in their order, with "..." where some are left out.
func (r result) expectExcerpt(excerpt string) result {
	r.t.Helper()
	rest := r.output
	for _, lines := range regexp.MustCompile(`(?m)^\.\.\.\n`).Split(excerpt, -1) {
		_, after, found := strings.Cut(rest, lines)
		if !found {
			r.t.Errorf("%s: these lines of the page are missing, or in another order:\n%s\nIt printed:\n%s", r.command, lines, r.output)
		}
		rest = after
	}
	return r
}

// expectWarnings checks the summaries of all warnings, in alphabetical order: Terraform's is the order in which reads end.
func (r result) expectWarnings(want ...string) result {
	r.t.Helper()
	var got []string
	for _, warning := range regexp.MustCompile(`(?m)^[│\s]*Warning: (.*)$`).FindAllStringSubmatch(r.output, -1) {
		if !strings.HasPrefix(warning[1], "Provider development overrides") { // which only tests have
			got = append(got, warning[1])
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		r.t.Errorf("%s: warnings %q, want %q:\n%s", r.command, got, want, r.output)
	}
	return r
}
