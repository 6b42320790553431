package tfcli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
)

// CLIConfiguration makes a CLI take the providers with these sources (namespace and type) from dir, without init. It names
// both registries, so that it is right for both products. There is no other installation method: nothing that runs with it
// reaches a registry.
func CLIConfiguration(dir string, sources ...string) string {
	var overrides strings.Builder
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		for _, source := range sources {
			fmt.Fprintf(&overrides, "    %q = %q\n", host+"/"+source, filepath.ToSlash(dir))
		}
	}
	return "provider_installation {\n  dev_overrides {\n" + overrides.String() + "  }\n}\n"
}

// Override builds the provider of the module at root into dir and returns the environment in which a CLI uses this build,
// without init, whatever the version that a configuration asks for.
func Override(ctx context.Context, root, dir string) ([]string, error) {
	// The CLI and the build run in other folders than this program.
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	cmd := proc.Command(ctx, "go", "build", "-o", filepath.Join(dir, Executable("terraform-provider-filetransfer")), ".")
	cmd.Dir = root
	// An interrupted build leaves files, which go with dir.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOTMPDIR="+dir)
	if output, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the provider: %w%s", err, indent(output))
	}
	file := filepath.Join(dir, "cli.tfrc")
	if err := os.WriteFile(file, []byte(CLIConfiguration(dir, "filetransfer/filetransfer")), 0o600); err != nil {
		return nil, err
	}
	return append(Environ(), "TF_CLI_CONFIG_FILE="+file), nil
}
