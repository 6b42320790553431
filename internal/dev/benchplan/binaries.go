package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
)

// installTimeout bounds how long a registry that cannot be reached holds things up.
const installTimeout = 2 * time.Minute

// prepare builds the providers into dir and returns the environment in which the CLI uses them. hashicorp/http is the
// binary at httpPath or, if that is empty, the one that the CLI installs. If it cannot be installed, withHTTP is false.
func prepare(ctx context.Context, cli tfcli.CLI, dir, httpPath string) (env []string, withHTTP bool, err error) {
	for name, source := range map[string]string{"filetransfer": ".", "canned": "./internal/dev/benchplan/canned"} {
		// As a release is built.
		cmd := proc.Command(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, executable(name)), source)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if output, err := cmd.CombinedOutput(); err != nil {
			return nil, false, fmt.Errorf("building %s: %w\n%s", source, err, output)
		}
	}

	if httpPath == "" {
		if httpPath, err = installHTTP(ctx, cli, filepath.Join(dir, "init")); err != nil {
			fmt.Printf("There is no comparison with hashicorp/http, which %s could not install: %v\n", cli.Name(), err)
			fmt.Println("-http=PATH compares with a terraform-provider-http that is here already.")
		}
	}
	if httpPath != "" {
		binary, err := os.ReadFile(httpPath)
		if err != nil {
			return nil, false, err
		}
		if err := os.WriteFile(filepath.Join(dir, executable("http")), binary, 0o700); err != nil { //nolint:gosec // it is to be executed
			return nil, false, err
		}
	}

	configuration := filepath.Join(dir, "cli.tfrc")
	if err := os.WriteFile(configuration, []byte(tfcli.CLIConfiguration(dir, "filetransfer/filetransfer", "filetransfer/canned", "hashicorp/http")), 0o600); err != nil {
		return nil, false, err
	}
	// A log is not what is measured.
	env = append(slices.DeleteFunc(tfcli.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "TF_LOG") }),
		"TF_CLI_CONFIG_FILE="+configuration)
	return env, httpPath != "", nil
}

// installHTTP has the CLI install hashicorp/http into dir and returns the path of the binary. Go's module proxy does
// not help: to Go, the newest version of a module with this path is 1.2.0.
func installHTTP(ctx context.Context, cli tfcli.CLI, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	const required = `{"terraform": {"required_providers": {"http": {"source": "hashicorp/http", "version": "~> 3.0"}}}}`
	if err := os.WriteFile(filepath.Join(dir, "main.tf.json"), []byte(required), 0o600); err != nil {
		return "", err
	}
	cmd := proc.Command(ctx, cli.Path, "init", "-input=false", "-no-color")
	cmd.Dir = dir
	// The user's own CLI configuration, which may name a mirror.
	cmd.Env = append(tfcli.Environ(), "TF_CLI_CONFIG_FILE="+os.Getenv("TF_CLI_CONFIG_FILE"))
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w", reason(string(output)), err)
	}
	found, err := filepath.Glob(filepath.Join(dir, ".terraform", "providers", "*", "hashicorp", "http", "*", "*", "terraform-provider-http*"))
	if err == nil && len(found) != 1 {
		err = errors.New("init has left no binary")
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// reason is the line that says what went wrong in what a CLI printed.
func reason(output string) string {
	for line := range strings.Lines(output) {
		if _, text, ok := strings.Cut(line, "Error: "); ok {
			return strings.TrimSpace(text)
		}
	}
	return strings.TrimSpace(output)
}

// executable returns the file name of a provider.
func executable(name string) string { return tfcli.Executable("terraform-provider-" + name) }
