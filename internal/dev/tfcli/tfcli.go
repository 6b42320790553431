// Package tfcli finds the Terraform or OpenTofu that the tests, the demo, the documentation and the benchmarks use, so
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
	"runtime"
	"slices"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
)

// The products a CLI can be. Their versions cannot be compared: OpenTofu 1.7 has provider functions, Terraform 1.7 does
// not.
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
	return []string{
		"TF_ACC=1",
		pathVariable + "=" + c.Path,
		// The test framework serves the provider under this host and namespace. If they differ from the CLI's address for
		// a configuration's source, the CLI looks for the provider in a registry.
		"TF_ACC_PROVIDER_HOST=" + c.RegistryHost(),
		"TF_ACC_PROVIDER_NAMESPACE=filetransfer",
	}
}

// Environ returns this process's environment without the user's own settings for a CLI or the provider: arguments,
// variables, workspaces, the CLI configuration, overrides, a default instance. Settings for logs and for the test
// framework stay. The CLI does not ask the network for a newer version.
func Environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		steers := strings.HasPrefix(variable, "TF_") || strings.HasPrefix(variable, "FILETRANSFER_")
		return steers && !strings.HasPrefix(variable, "TF_LOG") && !strings.HasPrefix(variable, "TF_ACC_")
	})
	return append(env, "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1")
}

// Find returns the CLI to use: the one TF_ACC_TERRAFORM_PATH names, else terraform on PATH, else tofu on PATH, else the
// OpenTofu that tools/tofu pins in the module at root, which Go builds once. The build reports to log.
//
// A CLI that is named or found but does not run is an error: which one is used must not depend on luck.
func Find(ctx context.Context, root string, log io.Writer) (CLI, error) {
	paths, err := candidates(ctx, root, log)
	if err != nil {
		return CLI{}, err
	}
	return Inspect(ctx, paths[0])
}

// FindAll returns every CLI that [Find] chooses from, each once, in its order.
func FindAll(ctx context.Context, root string, log io.Writer) ([]CLI, error) {
	paths, err := candidates(ctx, root, log)
	if err != nil {
		return nil, err
	}
	return InspectAll(ctx, paths)
}

// candidates returns the absolute paths of the CLIs of this machine, each once, or that of the pinned one if there are none.
func candidates(ctx context.Context, root string, log io.Writer) ([]string, error) {
	var paths []string
	add := func(path string) error {
		path, err := filepath.Abs(path)
		if err == nil && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
		return err
	}
	if named := os.Getenv(pathVariable); named != "" {
		if err := add(named); err != nil {
			return nil, fmt.Errorf("%s: %w", pathVariable, err)
		}
	}
	for _, name := range []string{"terraform", "tofu"} {
		path, err := exec.LookPath(name)
		if errors.Is(err, exec.ErrNotFound) {
			continue
		}
		if err == nil {
			err = add(path)
		}
		if err != nil {
			return nil, err
		}
	}
	if paths == nil {
		path, err := pinned(ctx, root, log)
		return []string{path}, err
	}
	return paths, nil
}

// pinned returns the path of the OpenTofu that tools/tofu pins. Go builds it, keeps it in its build cache, and verifies
// the checksum of every module in it.
func pinned(ctx context.Context, root string, log io.Writer) (string, error) {
	fmt.Fprintln(log, "No terraform or tofu on PATH: using OpenTofu as pinned in tools/tofu. Building it takes minutes the first time.")
	cmd := proc.Command(ctx, "go", "-C", filepath.Join(root, "tools", "tofu"), "tool", "-n", "tofu")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	cmd.Stderr = log
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("no terraform or tofu on PATH, and the pinned OpenTofu could not be built: %w", err)
	}
	return strings.TrimSpace(string(output)), nil
}

// versionLine is in the output of `version` of both products. The output of `version -json` does not tell them apart.
var versionLine = regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\S+)`)

// Inspect asks an executable, given by its path or by its name on PATH, for its product and version.
func Inspect(ctx context.Context, path string) (CLI, error) {
	path, err := exec.LookPath(path)
	if err != nil {
		return CLI{}, err
	}
	if path, err = filepath.Abs(path); err != nil {
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

// InspectAll asks each executable.
func InspectAll(ctx context.Context, paths []string) ([]CLI, error) {
	clis := make([]CLI, 0, len(paths))
	for _, path := range paths {
		cli, err := Inspect(ctx, path)
		if err != nil {
			return nil, err
		}
		clis = append(clis, cli)
	}
	return clis, nil
}

// Executable returns the file name of a program.
func Executable(program string) string {
	if runtime.GOOS == "windows" {
		return program + ".exe"
	}
	return program
}

// indent sets a program's output off from the message it is part of.
func indent(output []byte) string {
	text := strings.TrimSpace(string(output))
	if text == "" {
		return ""
	}
	return "\n\t" + strings.ReplaceAll(text, "\n", "\n\t")
}
