package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
)

const root = "../.."

// buildDir is where the provider is built, once for all tests.
var buildDir string

func TestMain(m *testing.M) {
	var err error
	if buildDir, err = os.MkdirTemp("", "filetransfer-examples-*"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

// cli is the Terraform or OpenTofu that the tests use, with an environment in which it uses this build of the provider.
type cli struct {
	tfcli.CLI
	env []string
}

var findCLI = sync.OnceValues(func() (cli, error) {
	found, err := tfcli.Find(context.Background(), root, os.Stderr)
	if err != nil {
		return cli{}, err
	}
	env, err := tfcli.Override(context.Background(), root, buildDir)
	return cli{found, env}, err
})

// acceptance returns the CLI, or skips a test that needs one.
func acceptance(t *testing.T) cli {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	found, err := findCLI()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// result is what a command of the CLI left.
type result struct {
	stdout, stderr []byte
	exitCode       int
}

func (r result) String() string {
	return fmt.Sprintf("exit code %d\n%s%s", r.exitCode, r.stdout, r.stderr)
}

// run runs a command of the CLI in a folder.
func (c cli) run(t *testing.T, dir string, stdin []byte, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), c.Path, args...)
	cmd.Dir, cmd.Env = dir, c.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatalf("%s %s: %v", c.Name(), args[0], err)
	}
	return result{stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode()}
}

// mustRun is run for a command that has to succeed. It returns what the command wrote to its standard output.
func (c cli) mustRun(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	done := c.run(t, dir, nil, args...)
	if done.exitCode != 0 {
		t.Fatalf("%s %s: %s", c.Name(), strings.Join(args, " "), done)
	}
	return done.stdout
}

// version is the part of a version that features depend on.
type version struct{ major, minor int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v version) less(other version) bool {
	return v.major < other.major || v.major == other.major && v.minor < other.minor
}

var leadingVersion = regexp.MustCompile(`^(\d+)\.(\d+)`)

func parseVersion(t *testing.T, text string) version {
	t.Helper()
	match := leadingVersion.FindStringSubmatch(text)
	if match == nil {
		t.Fatalf("%q does not begin with a version", text)
	}
	major, _ := strconv.Atoi(match[1])
	minor, _ := strconv.Atoi(match[2])
	return version{major, minor}
}

// need skips a test that needs a newer CLI.
func (c cli) need(t *testing.T, terraform, opentofu version, why string) {
	t.Helper()
	wanted := terraform
	if c.Product == tfcli.OpenTofu {
		wanted = opentofu
	}
	if parseVersion(t, c.Version).less(wanted) {
		t.Skipf("%s needs Terraform %s or OpenTofu %s; this is %s", why, terraform, opentofu, c.Name())
	}
}

// requiredVersion is the line with what a configuration needs. Its comment says what OpenTofu needs, where that differs.
var requiredVersion = regexp.MustCompile(`(?m)^\s*required_version\s*=\s*"([^"]*)"(?: # OpenTofu: (\S+))?$`)

// needOf skips the test of a configuration that requires a newer CLI.
func (c cli) needOf(t *testing.T, configuration string) {
	t.Helper()
	match := requiredVersion.FindStringSubmatch(configuration)
	if match == nil {
		return
	}
	number, ok := strings.CutPrefix(match[1], ">= ")
	if !ok {
		t.Fatalf(`required_version is %q; write it as ">= 1.4"`, match[1])
	}
	terraform := parseVersion(t, number)
	opentofu := terraform // an OpenTofu that needs less than Terraform still obeys required_version
	if match[2] != "" && terraform.less(parseVersion(t, match[2])) {
		opentofu = parseVersion(t, match[2])
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
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
