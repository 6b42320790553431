//go:build unix

package service_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// must runs a command that has to succeed, and returns what it prints.
func must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	stdout, stderr, ok := run(t, dir, os.Environ(), name, args...)
	if !ok {
		t.Fatalf("%s %q: %s%s", name, args, stdout, stderr)
	}
	return stdout
}

// cli is a Terraform or OpenTofu that uses this build of the provider.
type cli struct {
	path string
	env  []string
}

func newCLI(t *testing.T) cli {
	t.Helper()
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	for _, name := range []string{"terraform", "tofu"} {
		if found, err := exec.LookPath(name); path == "" && err == nil {
			path = found
		}
	}
	if path == "" {
		t.Fatal("neither terraform nor tofu is on PATH, and TF_ACC_TERRAFORM_PATH is not set")
	}
	must(t, "../..", "go", "build", "-o", work+"/", ".")
	write(t, filepath.Join(work, "cli.tfrc"), fmt.Sprintf(`
provider_installation {
  dev_overrides {
    "registry.terraform.io/filetransfer/filetransfer" = %[1]q
    "registry.opentofu.org/filetransfer/filetransfer" = %[1]q
  }
}
`, work))
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "TF_") || strings.HasPrefix(variable, "FILETRANSFER_")
	})
	return cli{path, append(env, "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE="+filepath.Join(work, "cli.tfrc"))}
}

// requirement begins every configuration. An instance that is down is asked once.
const requirement = `
terraform {
  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

provider "filetransfer" {
  retry = {
    max_attempts = 1
    min_delay    = "50ms"
    max_delay    = "50ms"
  }
}
`

// folder is a folder with a configuration.
type folder struct {
	cli
	t   *testing.T
	dir string
}

func (c cli) folder(t *testing.T, configuration string) folder {
	t.Helper()
	f := folder{c, t, t.TempDir()}
	write(t, filepath.Join(f.dir, "main.tf"), requirement+configuration)
	return f
}

// set gives the configuration's variables values.
func (f folder) set(variables map[string]any) {
	f.t.Helper()
	content, err := json.Marshal(variables)
	if err != nil {
		f.t.Fatal(err)
	}
	write(f.t, filepath.Join(f.dir, "terraform.tfvars.json"), string(content))
}

// diagnostic is an error or a warning.
type diagnostic struct{ Severity, Summary, Detail, Address string }

// do runs plan or apply, and returns what it reports but for the warning about the override, and whether it succeeded.
func (f folder) do(command string, args ...string) (diagnostics []diagnostic, ok bool) {
	f.t.Helper()
	stdout, stderr, ok := run(f.t, f.dir, f.env, f.path, append([]string{command, "-json", "-input=false"}, args...)...)
	for line := range strings.Lines(stdout) {
		var message struct {
			Type       string
			Diagnostic diagnostic
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil {
			f.t.Fatalf("%s: %v: %s%s", command, err, stdout, stderr)
		}
		if message.Type == "diagnostic" && !strings.HasPrefix(message.Diagnostic.Summary, "Provider development overrides") {
			diagnostics = append(diagnostics, message.Diagnostic)
		}
	}
	return diagnostics, ok
}

// resources are the values of resources and data sources by address.
type resources map[string]map[string]any

// UnmarshalJSON reads what show -json prints of a state.
func (r *resources) UnmarshalJSON(text []byte) error {
	var state struct {
		Values struct {
			RootModule struct {
				Resources []struct {
					Address string
					Values  map[string]any
				}
			} `json:"root_module"`
		}
	}
	err := json.Unmarshal(text, &state)
	*r = resources{}
	for _, resource := range state.Values.RootModule.Resources {
		(*r)[resource.Address] = resource.Values
	}
	return err
}

// show reads the state, or a plan.
func (f folder) show(target any, args ...string) {
	f.t.Helper()
	stdout, stderr, ok := run(f.t, f.dir, f.env, f.path, append([]string{"show", "-json"}, args...)...)
	if !ok {
		f.t.Fatalf("show: %s%s", stdout, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), target); err != nil {
		f.t.Fatalf("show: %v: %s", err, stdout)
	}
}
