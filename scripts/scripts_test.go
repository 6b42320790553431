//go:build unix

// Package scripts_test tests the scripts beside it.
package scripts_test

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

// with-cli gives a command the CLI that it names, the log that somebody asked for and none of the user's other settings, returns its exit
// code, and removes its temporary files. CI shows which CLI it takes.
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
	command := exec.CommandContext(t.Context(), "./with-cli", "sh", "-c",
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

// Whoever takes a build away has to know whether there was one: it may be in the home directory of another user.
func TestUninstall(t *testing.T) {
	t.Parallel()
	changelog, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	version := string(regexp.MustCompile(`(?m)^## (\S+)`).FindSubmatch(changelog)[1])
	for name, test := range map[string]struct{ registry, version, want string }{
		"nothing":         {want: "Nothing was installed: version " + version + " is not in "},
		"another version": {"registry.terraform.io", "0.0.1", "Nothing was installed: version " + version + " is not in "},
		"for Terraform":   {"registry.terraform.io", version, "Removed version " + version + " from "},
		"for OpenTofu":    {"registry.opentofu.org", version, "Removed version " + version + " from "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			plugins := filepath.Join(home, ".terraform.d", "plugins")
			folder := filepath.Join(plugins, test.registry, "filetransfer", "filetransfer", test.version, "linux_arm64")
			file := filepath.Join(folder, "terraform-provider-filetransfer")
			if test.version != "" {
				if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.CommandContext(t.Context(), "./install", "remove")
			command.Env = append(os.Environ(), "HOME="+home, "GOOS=linux", "GOARCH=arm64")
			output, err := command.CombinedOutput()
			if err != nil || !strings.HasPrefix(string(output), test.want+plugins+".") {
				t.Errorf("it printed %q (%v), want %s", output, err, test.want+plugins)
			}
			if _, err := os.Stat(file); err == nil != (test.version == "0.0.1") {
				t.Errorf("whether %s is still there: %v", file, err)
			}
		})
	}
}

// TestAccDemo: the demo shows what the README says, and fits into the 80 lines that somebody reads of it.
func TestAccDemo(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	cmd := exec.CommandContext(t.Context(), "./with-cli", "./demo")
	cmd.Env = append(os.Environ(), "BASE_URL=")
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	shown := map[string]string{
		"two releases":  `"api_version" = "2\.2\.3"(?s:.*)"api_version" = "1\.1\.0"`,
		"a failed read": `Error: Response is not an instance document(?s:.*)- fileMaxSize: expected a whole number, found null`,
		"a deploy":      `~ chunk_size += 20000000 -> 30000000(?s:.*)filetransfer_instance_record\.files: Modifications complete after`,
		"an outage":     `No changes\.(?s:.*)Warning: Instance not read, last known values kept: http://`,
	}
	for what, pattern := range shown {
		if !regexp.MustCompile(pattern).Match(output) {
			t.Errorf("the demo does not show %s:\n%s", what, output)
		}
	}
	if lines := strings.Count(string(output), "\n"); lines > 80 {
		t.Errorf("the demo prints %d lines, want at most 80:\n%s", lines, output)
	}
}
