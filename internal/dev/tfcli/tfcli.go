// Package tfcli decides which Terraform or OpenTofu the tests, the demo, the documentation and the benchmarks use, so
// that all of them use the same one.
package tfcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
)

// The products a CLI can be. Their version numbers do not compare: OpenTofu 1.7 has provider functions, Terraform 1.7
// does not.
const (
	Terraform = "terraform"
	OpenTofu  = "opentofu"
)

// pathVariable names the CLI to use. It is the variable that terraform-plugin-testing reads.
const pathVariable = "TF_ACC_TERRAFORM_PATH"

// CLI is an executable that was asked what it is.
type CLI struct {
	Path    string // absolute
	Product string // Terraform or OpenTofu
	Version string // without a leading "v", as in "1.11.4" or "1.12.6-dev"
}

// String returns product, version and path for people.
func (c CLI) String() string { return c.Name() + " (" + c.Path + ")" }

// Name returns product and version for people.
func (c CLI) Name() string {
	if c.Product == OpenTofu {
		return "OpenTofu " + c.Version
	}
	return "Terraform " + c.Version
}

// RegistryHost is the host that the CLI adds to a provider source without one.
func (c CLI) RegistryHost() string {
	if c.Product == OpenTofu {
		return "registry.opentofu.org"
	}
	return "registry.terraform.io"
}

// AccEnv returns the variables that make the acceptance tests run with this CLI, to be added to [Environ].
func (c CLI) AccEnv() []string {
	return append(isolation(),
		"TF_ACC=1",
		pathVariable+"="+c.Path,
		// The test framework serves the provider under host and namespace; a mismatch with the address that the CLI makes
		// of a configuration's source makes the CLI look for the provider in a registry.
		"TF_ACC_PROVIDER_HOST="+c.RegistryHost(),
		"TF_ACC_PROVIDER_NAMESPACE=filetransfer",
	)
}

// isolation keeps the user's CLI configuration out, which may name mirrors, overrides or a file that does not exist, and
// keeps the CLI from asking the network for a newer version.
func isolation() []string {
	return []string{"TF_CLI_CONFIG_FILE=" + os.DevNull, "CHECKPOINT_DISABLE=1"}
}

// Environ returns this process's environment without what would steer a CLI or the provider from outside: arguments,
// variables, workspaces, the CLI configuration, overrides, a default instance.
// Settings for logs and for the test framework stay.
func Environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		steers := strings.HasPrefix(variable, "TF_") || strings.HasPrefix(variable, "FILETRANSFER_")
		return steers && !strings.HasPrefix(variable, "TF_LOG") && !strings.HasPrefix(variable, "TF_ACC_")
	})
	return append(env, isolation()...)
}

// Find returns the CLI to use: the one TF_ACC_TERRAFORM_PATH names, else terraform on PATH, else tofu on PATH, else the
// OpenTofu that tools/tofu of the module at root pins, which is built first where that has not been done. The build
// reports to log.
//
// A CLI that is named or found but does not run is an error, not a reason to go on: which one ran must not depend on
// luck.
func Find(ctx context.Context, root string, log io.Writer) (CLI, error) {
	all, err := candidates()
	if err != nil {
		return CLI{}, err
	}
	if len(all) > 0 {
		return Inspect(ctx, all[0])
	}
	return pinned(ctx, root, log)
}

// FindAll returns every CLI that [Find] would choose from, each once, in its order; the pinned one only if there is no other.
func FindAll(ctx context.Context, root string, log io.Writer) ([]CLI, error) {
	all, err := candidates()
	if err != nil {
		return nil, err
	}
	var found []CLI
	for _, path := range all {
		cli, err := Inspect(ctx, path)
		if err != nil {
			return nil, err
		}
		found = append(found, cli)
	}
	if len(found) > 0 {
		return found, nil
	}
	cli, err := pinned(ctx, root, log)
	return []CLI{cli}, err
}

// candidates returns the absolute paths of the CLIs of this machine, each once.
func candidates() ([]string, error) {
	var paths []string
	if named := os.Getenv(pathVariable); named != "" {
		path, err := filepath.Abs(named)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pathVariable, err)
		}
		paths = append(paths, path)
	}
	for _, name := range []string{"terraform", "tofu"} {
		path, err := exec.LookPath(name)
		if errors.Is(err, exec.ErrNotFound) {
			continue
		}
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			return nil, err
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// versionLine is how both products begin the answer to `version`. The answer to `version -json` does not tell them apart.
var versionLine = regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\S+)`)

// Inspect asks the executable at path for its product and version.
func Inspect(ctx context.Context, path string) (CLI, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return CLI{}, err
	}
	cmd := proc.Command(ctx, path, "version")
	cmd.Env = Environ()
	output, err := cmd.CombinedOutput()
	if err != nil {
		return CLI{}, fmt.Errorf("%s version: %w%s", path, err, indent(output))
	}
	match := versionLine.FindSubmatch(output)
	if match == nil {
		return CLI{}, fmt.Errorf("%s is neither Terraform nor OpenTofu; asked for its version it said:%s", path, indent(output))
	}
	return CLI{Path: path, Product: strings.ToLower(string(match[1])), Version: string(match[2])}, nil
}

// indent sets a program's output off from the message it is part of.
func indent(output []byte) string {
	text := strings.TrimSpace(string(output))
	if text == "" {
		return ""
	}
	return "\n\t" + strings.ReplaceAll(text, "\n", "\n\t")
}
