package e2e_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-version"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

const root = "../.."

// buildDir is where the provider is built, once for all tests.
var buildDir string

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

// cli is the Terraform or OpenTofu that the tests use, with an environment in which it uses this build of the provider.
type cli struct {
	Path     string
	Name     string // product and version, for people
	openTofu bool
	version  *version.Version // without a suffix such as -dev
	host     string           // what the CLI adds to a provider's source without one
	env      []string
}

var productVersion = regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\S+)`)

// findCLI inspects the CLI that scripts/with-cli has chosen, and builds the provider for it. The user's own settings for a CLI
// do not get here: scripts/with-cli removes them.
var findCLI = sync.OnceValues(func() (cli, error) {
	path, err := exec.LookPath(cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform"))
	if err != nil {
		return cli{}, err
	}
	c := cli{Path: path, host: "registry.terraform.io"}
	output, err := exec.Command(c.Path, "version").Output()
	if err != nil {
		return c, fmt.Errorf("%s version: %w", c.Path, err)
	}
	found := productVersion.FindStringSubmatch(string(output)) // there may be a warning before it
	if found == nil {
		return c, fmt.Errorf("%s is neither Terraform nor OpenTofu: %s", c.Path, output)
	}
	product := found[1]
	parsed, err := version.NewVersion(found[2])
	if err != nil {
		return c, err
	}
	c.version = parsed.Core()
	c.Name = product + " " + found[2]
	if c.openTofu = product == "OpenTofu"; c.openTofu {
		c.host = "registry.opentofu.org"
	}
	if buildDir, err = os.MkdirTemp("", "filetransfer-e2e-*"); err != nil {
		return c, err
	}
	build := exec.Command("go", "build", "-o", buildDir+string(filepath.Separator), ".")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return c, fmt.Errorf("building the provider: %w\n%s", err, output)
	}
	file := filepath.Join(buildDir, "cli.tfrc")
	// Most commands end before they need as much memory as this: collecting their garbage would be a third of what they cost.
	c.env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+file, "TF_INPUT=0", "TF_CLI_ARGS=-no-color", "GOGC=off", "GOMEMLIMIT=256MiB")
	return c, os.WriteFile(file, fmt.Appendf(nil, overrides, c.host, filepath.ToSlash(buildDir)), 0o600)
})

// overrides is a CLI configuration with which a CLI takes the provider from a folder, without init and without a registry.
const overrides = `provider_installation {
  dev_overrides { "%s/filetransfer/filetransfer" = %q }
}`

// acceptance returns the CLI, or skips a test that needs one.
func acceptance(t *testing.T) cli {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	found, err := findCLI()
	must(t, err)
	return found
}

// result is what a command of the CLI left.
type result struct {
	stdout, stderr []byte
	exitCode       int
}

// run runs a command of the CLI in a folder.
func (c cli) run(t *testing.T, dir string, args ...string) result {
	t.Helper()
	return c.runUntil(t.Context(), t, dir, args...)
}

// runUntil is run for a command that is interrupted when the context ends.
func (c cli) runUntil(ctx context.Context, t *testing.T, dir string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Path, args...)
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 2*time.Minute
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, c.env, &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatalf("%s %s: %v", c.Name, args[0], err)
	}
	return result{stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode()}
}

// mustRun is run for a command that has to succeed.
func (c cli) mustRun(t *testing.T, dir string, args ...string) result {
	t.Helper()
	done := c.run(t, dir, args...)
	if done.exitCode != 0 {
		t.Fatalf("%s %s: %s", c.Name, strings.Join(args, " "), done)
	}
	return done
}

// skipWithout skips a test that needs a feature.
func (c cli) skipWithout(t *testing.T, feature acctest.Feature) {
	t.Helper()
	c.skipBelow(t, feature.Terraform, feature.OpenTofu, feature.Name)
}

// skipBelow skips a test that needs a newer CLI.
func (c cli) skipBelow(t *testing.T, terraform, openTofu *version.Version, why string) {
	t.Helper()
	needed := terraform
	if c.openTofu {
		needed = openTofu
	}
	if c.version.LessThan(needed) {
		t.Skipf("%s needs Terraform %s or OpenTofu %s; this is %s", why, terraform, openTofu, c.Name)
	}
}

// requiredVersion is the line with what a configuration needs. Its comment says what OpenTofu needs, where that is more.
var requiredVersion = regexp.MustCompile(`(?m)^\s*required_version\s*=\s*">= ([^"]*)"(?: # OpenTofu: (\S+))?$`)

// skipBelowRequired skips the test of a configuration that requires a newer CLI.
func (c cli) skipBelowRequired(t *testing.T, configuration string) {
	t.Helper()
	if strings.Contains(configuration, "provider::") {
		c.skipWithout(t, acctest.ProviderFunctions)
	}
	if match := requiredVersion.FindStringSubmatch(configuration); match != nil {
		terraform := version.Must(version.NewVersion(match[1]))
		openTofu := terraform // OpenTofu obeys required_version too
		if match[2] != "" && version.Must(version.NewVersion(match[2])).GreaterThan(terraform) {
			openTofu = version.Must(version.NewVersion(match[2]))
		}
		c.skipBelow(t, terraform, openTofu, "the configuration")
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	must(t, err)
	return content
}

func write(t *testing.T, file, content string) {
	t.Helper()
	must(t, os.WriteFile(file, []byte(content), 0o600))
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	must(t, err)
	return files
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (r result) String() string {
	return fmt.Sprintf("exit code %d:\n%s%s", r.exitCode, r.stdout, r.stderr)
}

// wantText checks the exit code of a command, or phrases that it said, however it breaks lines.
func (r result) wantText(t *testing.T, phrases ...string) {
	t.Helper()
	said := oneLine([]byte(r.String()))
	for _, phrase := range phrases {
		if !strings.Contains(said, phrase) {
			t.Errorf("it does not say %q: %s", phrase, r)
		}
	}
}
