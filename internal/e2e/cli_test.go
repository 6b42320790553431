package e2e_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

// buildDir is where the provider is built, once for all tests.
var buildDir string

func TestMain(m *testing.M) {
	var err error
	if buildDir, err = os.MkdirTemp("", "filetransfer-e2e-*"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

// cli is the Terraform or OpenTofu that the tests use, with an environment in which it uses this build of the provider.
type cli struct {
	Path     string
	openTofu bool
	version  version
	env      []string
}

// Name returns product and version for people.
func (c cli) Name() string {
	if c.openTofu {
		return fmt.Sprintf("OpenTofu %s", c.version)
	}
	return fmt.Sprintf("Terraform %s", c.version)
}

// RegistryHost is the host that the CLI adds to a provider's source without one.
func (c cli) RegistryHost() string {
	if c.openTofu {
		return "registry.opentofu.org"
	}
	return "registry.terraform.io"
}

// findCLI inspects the CLI that scripts/with-cli has chosen, and builds the provider for it. The user's own settings for a CLI
// do not get here: scripts/with-cli removes them.
var findCLI = sync.OnceValues(func() (cli, error) {
	path, err := exec.LookPath(cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform"))
	if err != nil {
		return cli{}, err
	}
	output, err := exec.Command(path, "version").Output()
	if err != nil {
		return cli{}, fmt.Errorf("%s version: %w", path, err)
	}
	match := versionLine.FindSubmatch(output)
	if match == nil {
		return cli{}, fmt.Errorf("%s is neither Terraform nor OpenTofu: %s", path, output)
	}
	build := exec.Command("go", "build", "-o", filepath.Join(buildDir, executable(providerName)), ".")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return cli{}, fmt.Errorf("building the provider: %w\n%s", err, output)
	}
	c := cli{Path: path, openTofu: string(match[1]) == "OpenTofu", version: parseVersion(string(match[2]))}
	file := filepath.Join(buildDir, "cli.tfrc")
	// Most commands end before they need as much memory as this: collecting their garbage would be a third of what they cost.
	c.env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+file, "GOGC=off", "GOMEMLIMIT=256MiB")
	return c, os.WriteFile(file, fmt.Appendf(nil, overrides, c.RegistryHost(), filepath.ToSlash(buildDir)), 0o600)
})

const providerName = "terraform-provider-filetransfer"

// executable returns the file name of a program.
func executable(program string) string {
	if runtime.GOOS == "windows" {
		return program + ".exe"
	}
	return program
}

// versionLine is in what `version` prints. What `version -json` prints does not tell the products apart.
var versionLine = regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\S+)`)

// overrides is a CLI configuration with which a CLI takes the provider from a folder, without init and without a registry.
const overrides = `
provider_installation {
  dev_overrides {
    "%s/filetransfer/filetransfer" = %q
  }
}
`

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
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), c.Path, args...)
	cmd.Dir, cmd.Env = dir, c.env
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatalf("%s %s: %v", c.Name(), args[0], err)
	}
	return result{stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode()}
}

// mustRun is run for a command that has to succeed. It returns what the command wrote to its standard output.
func (c cli) mustRun(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	done := c.run(t, dir, args...)
	if done.exitCode != 0 {
		t.Fatalf("%s %s: %s", c.Name(), strings.Join(args, " "), done)
	}
	return done.stdout
}

// version is the part of a version that features depend on. The versions of the products do not compare.
type version struct{ major, minor int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v version) less(other version) bool {
	return v.major < other.major || v.major == other.major && v.minor < other.minor
}

// parseVersion returns 0.0 for a text that does not begin with a version.
func parseVersion(text string) (v version) {
	_, _ = fmt.Sscanf(text, "%d.%d", &v.major, &v.minor)
	return v
}

// need skips a test that needs a newer CLI.
func (c cli) need(t *testing.T, terraform, opentofu version, why string) {
	t.Helper()
	wanted := terraform
	if c.openTofu {
		wanted = opentofu
	}
	if c.version.less(wanted) {
		t.Skipf("%s needs Terraform %s or OpenTofu %s; this is %s", why, terraform, opentofu, c.Name())
	}
}

// needTerraformData skips a test that needs the resource terraform_data.
func needTerraformData(t *testing.T, c cli) {
	t.Helper()
	c.need(t, version{1, 4}, version{1, 6}, "terraform_data")
}

// requiredVersion is the line with what a configuration needs. Its comment says what OpenTofu needs, where that differs.
var requiredVersion = regexp.MustCompile(`(?m)^\s*required_version\s*=\s*"([^"]*)"(?: # OpenTofu: (\S+))?$`)

// needOf skips the test of a configuration that requires a newer CLI.
func (c cli) needOf(t *testing.T, configuration string) {
	t.Helper()
	if strings.Contains(configuration, "provider::") {
		c.need(t, version{1, 8}, version{1, 7}, "a provider function")
	}
	match := requiredVersion.FindStringSubmatch(configuration)
	if match == nil {
		return
	}
	number, ok := strings.CutPrefix(match[1], ">= ")
	if !ok {
		t.Fatalf(`required_version is %q; write it as ">= 1.4"`, match[1])
	}
	terraform := parseVersion(number)
	opentofu := terraform // an OpenTofu that needs less than Terraform still obeys required_version
	if other := parseVersion(match[2]); terraform.less(other) {
		opentofu = other
	}
	c.need(t, terraform, opentofu, "the configuration")
}

// requirement begins the configurations of tests.
const requirement = `
terraform {
  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}
`

// readAll returns the configuration in a folder as one text.
func readAll(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	for _, file := range glob(t, filepath.Join(dir, "*.tf")) {
		text.Write(read(t, file))
		text.WriteByte('\n')
	}
	return text.String()
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
