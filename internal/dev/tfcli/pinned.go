package tfcli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
)

const (
	tofuModule = "github.com/opentofu/opentofu"
	// releaseFlags make the build call itself 1.12.6 and not 1.12.6-dev, as OpenTofu's own releases do.
	releaseFlags = "-s -w -X " + tofuModule + "/version.dev=no"
	// reportEvery is how often a build, which says nothing by itself for minutes, says that it is alive.
	reportEvery = 30 * time.Second
)

// pinned returns the OpenTofu that tools/tofu/go.mod requires, after building it if that has not been done. Its go.sum
// has the checksum of every source that goes into it.
func pinned(ctx context.Context, root string, log io.Writer) (CLI, error) {
	// The build runs in another folder than this program.
	root, err := filepath.Abs(root)
	if err != nil {
		return CLI{}, err
	}
	module := filepath.Join(root, "tools", "tofu")
	version, err := pinnedVersion(ctx, module)
	if err != nil {
		return CLI{}, err
	}
	tools := filepath.Join(root, ".tools")
	path := filepath.Join(tools, fmt.Sprintf("opentofu_%s_%s_%s", version, runtime.GOOS, runtime.GOARCH), Executable("tofu"))
	if _, err := os.Stat(path); err != nil {
		fmt.Fprintf(log, "There is no terraform and no tofu on PATH: building OpenTofu %s into %s, once. This takes minutes.\n", version, tools)
		if err := buildPinned(ctx, module, path, log); err != nil {
			return CLI{}, fmt.Errorf("no terraform or tofu on PATH, and OpenTofu %s could not be built: %w", version, err)
		}
	}
	return Inspect(ctx, path)
}

func pinnedVersion(ctx context.Context, module string) (string, error) {
	// Unlike `go list -m`, this never needs the network.
	cmd := proc.Command(ctx, "go", "mod", "edit", "-json")
	cmd.Dir = module
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", filepath.Join(module, "go.mod"), err)
	}
	var mod struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(output, &mod); err != nil {
		return "", fmt.Errorf("reading %s: %w", filepath.Join(module, "go.mod"), err)
	}
	for _, require := range mod.Require {
		if require.Path == tofuModule {
			return strings.TrimPrefix(require.Version, "v"), nil
		}
	}
	return "", fmt.Errorf("%s does not require %s", filepath.Join(module, "go.mod"), tofuModule)
}

func buildPinned(ctx context.Context, module, path string, log io.Writer) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	// What stands at path is always a whole executable, also when this build is interrupted or another one runs.
	unfinished, err := os.MkdirTemp(filepath.Dir(path), "build-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(unfinished)
	built := filepath.Join(unfinished, Executable("tofu"))

	cmd := proc.Command(ctx, "go", "build", "-mod=readonly", "-ldflags="+releaseFlags, "-o", built, tofuModule+"/cmd/tofu")
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	cmd.Stdout, cmd.Stderr = log, log

	started := time.Now()
	done := make(chan error, 1)
	go func() { done <- cmd.Run() }()
	ticker := time.NewTicker(reportEvery)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("go build: %w", err)
			}
			return os.Rename(built, path)
		case <-ticker.C:
			fmt.Fprintf(log, "Still building OpenTofu (%s).\n", time.Since(started).Round(time.Second))
		}
	}
}

// Executable returns the file name of a program.
func Executable(program string) string {
	if runtime.GOOS == "windows" {
		return program + ".exe"
	}
	return program
}
