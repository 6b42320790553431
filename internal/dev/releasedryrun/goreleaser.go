package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
)

const (
	goreleaserModule = "github.com/goreleaser/goreleaser/v2"
	// goreleaserVersion is the one of the release workflow; a test compares them.
	goreleaserVersion = "v2.16.0"
)

// findGoreleaser returns the pinned goreleaser, after building it if that has not been done. It is not a tool of
// tools/go.mod: hundreds of modules would decide the versions of the other tools, and be downloaded with them.
func findGoreleaser(ctx context.Context, root string, log io.Writer) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	program := "goreleaser"
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	dir := filepath.Join(root, ".tools", fmt.Sprintf("goreleaser_%s_%s_%s", goreleaserVersion[1:], runtime.GOOS, runtime.GOARCH))
	path := filepath.Join(dir, program)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}

	fmt.Fprintf(log, "Building goreleaser %s into %s, once. This takes minutes.\n", goreleaserVersion, dir)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", err
	}
	// What stands at path is always a whole executable, also when this build is interrupted or another one runs.
	unfinished, err := os.MkdirTemp(dir, "build-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(unfinished)
	cmd := proc.Command(ctx, "go", "install", goreleaserModule+"@"+goreleaserVersion)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOBIN="+unfinished)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building goreleaser %s: %w", goreleaserVersion, err)
	}
	return path, os.Rename(filepath.Join(unfinished, program), path)
}

// gitState returns the commit that is built, and the environment in which goreleaser finds it: without a remote, which a
// fresh clone has and a tree that was never pushed has not, it gives up on Git and builds the commit "none".
func gitState(ctx context.Context, root string) (commit string, env []string, err error) {
	git := func(args ...string) (string, error) {
		cmd := proc.Command(ctx, "git", args...)
		cmd.Dir = root
		output, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("git %s: %w", args[0], err)
		}
		return strings.TrimSpace(string(output)), nil
	}
	if commit, err = git("rev-parse", "HEAD"); err != nil {
		return "", nil, err
	}
	remotes, err := git("remote")
	if err != nil || remotes != "" {
		return commit, nil, err
	}
	return commit, []string{
		"GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=remote.origin.url",
		"GIT_CONFIG_VALUE_0=https://github.com/filetransfer/" + project + ".git",
	}, nil
}
