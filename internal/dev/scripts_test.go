//go:build unix

// Package dev_test tests what is behind the Make targets.
package dev_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// scripts/with-cli gives a command the CLI that it names, the log that somebody asked for and none of the user's other
// settings, returns its exit code, and removes its temporary files. CI shows which CLI it takes.
func TestWithCLI(t *testing.T) {
	t.Parallel()
	dir, tmp := t.TempDir(), t.TempDir()
	cli := filepath.Join(dir, "cli")
	// A program that another test starts meanwhile would hold the script open, and it could not be run.
	syscall.ForkLock.RLock()
	err := os.WriteFile(cli, []byte("#!/bin/sh\necho OpenTofu v1.12.6-dev\n"), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "../../scripts/with-cli", "sh", "-c",
		`: >"$TMPDIR/file"; echo "$TF_ACC_TERRAFORM_PATH $TF_ACC_PROVIDER_HOST $TF_LOG$TF_WORKSPACE$FILETRANSFER_BASE_URL"; exit 7`)
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + tmp, "TF_ACC_TERRAFORM_PATH=" + cli,
		"TF_LOG=TRACE", "TF_WORKSPACE=production", "FILETRANSFER_BASE_URL=https://example.com",
	}
	output, err := command.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 7 {
		t.Errorf("with-cli ended with %v, want exit code 7", err)
	}
	if want := cli + " registry.opentofu.org TRACE\n"; string(output) != want {
		t.Errorf("the command printed %q, want %q", output, want)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("with-cli left %v in TMPDIR (%v), want nothing", left, err)
	}
}

// TestAccDemo_IsAsInTheREADME: what the README shows of the demo is what it prints, but for ports and the width of columns.
func TestAccDemo_IsAsInTheREADME(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)<!-- demo output -->\n```text\n(.*?)```\n<!-- end").FindSubmatch(readme)
	if shown == nil {
		t.Fatal("the README does not show the demo's output")
	}
	cmd := exec.CommandContext(t.Context(), "../../scripts/with-cli", "../../scripts/demo")
	cmd.Env = append(os.Environ(), "BASE_URL=")
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	port := regexp.MustCompile(`127\.0\.0\.1:\d+`)
	words := func(text []byte) string {
		return strings.Join(strings.Fields(port.ReplaceAllString(string(text), "ADDRESS")), " ")
	}
	if !strings.Contains(words(output), words(shown[1])) {
		t.Errorf("the README shows\n%s\nand the demo says\n%s", shown[1], output)
	}
}
