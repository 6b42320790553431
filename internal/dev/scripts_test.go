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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestWithCLI: the command gets the right CLI, none of the user's settings, and a folder that is gone afterwards. CI shows that
// a named CLI is used. Fake programs, as shell scripts, are all there is besides a POSIX system.
func TestWithCLI(t *testing.T) {
	t.Parallel()
	const (
		cache = "terraform-provider-filetransfer/terraform-1.8.5"

		terraform = `[ -z "${TF_WORKSPACE:-}" ] && echo Terraform v1.11.4`
		tofu      = "echo A notice comes first.; echo; echo OpenTofu v1.12.6-dev; echo on somewhere"
		goInstall = `[ "$CGO_ENABLED $*" = "0 install github.com/hashicorp/terraform@v1.8.5" ] && mkdir -p "$GOBIN" && mv "$PATH/built" "$GOBIN/terraform"`

		show = `echo $TF_ACC $TF_ACC_TERRAFORM_PATH $TF_ACC_PROVIDER_HOST/$TF_ACC_PROVIDER_NAMESPACE/filetransfer $TF_LOG$TF_WORKSPACE$FILETRANSFER_BASE_URL
			: >"$TMPDIR/file"
			exit 7`
		showsTerraform = "1 PATH/terraform registry.terraform.io/filetransfer/filetransfer TRACE\n"
		showsTofu      = "1 PATH/tofu registry.opentofu.org/filetransfer/filetransfer TRACE\n"
		showsBuilt     = "1 PATH/" + cache + "/terraform registry.terraform.io/filetransfer/filetransfer TRACE\n"
	)
	tests := map[string]struct {
		programs map[string]string // by their name, or their path below PATH
		named    string            // in TF_ACC_TERRAFORM_PATH
		printed  string            // at the end, by the command, or by the script if there is no CLI
		exitCode int
	}{
		"terraform before tofu": {
			programs: map[string]string{"terraform": terraform, "tofu": tofu},
			printed:  showsTerraform,
			exitCode: 7,
		},
		"only tofu": {
			programs: map[string]string{"tofu": tofu},
			printed:  showsTofu,
			exitCode: 7,
		},
		"neither": {
			programs: map[string]string{"go": goInstall, "built": terraform},
			printed:  showsBuilt,
			exitCode: 7,
		},
		"neither, built before": {
			programs: map[string]string{cache + "/terraform": terraform},
			printed:  showsBuilt,
			exitCode: 7,
		},
		"neither, interrupted": {
			programs: map[string]string{"go": goInstall, "built": terraform, cache + ".unfinished/terraform": "exit 1"},
			printed:  showsBuilt,
			exitCode: 7,
		},
		"neither, not built": {
			programs: map[string]string{"go": `mkdir -p "$GOBIN"; echo no network; exit 1`},
			printed:  "\nno network\n",
			exitCode: 1,
		},
		"not there": {
			programs: map[string]string{"terraform": terraform},
			named:    "tf",
			printed:  "with-cli: tf is not a program\n",
			exitCode: 1,
		},
		"something else": {
			programs: map[string]string{"terraform": "echo Packer v1.2.3"},
			printed:  "neither Terraform nor OpenTofu\n",
			exitCode: 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, tmp := t.TempDir(), t.TempDir()
			for _, name := range []string{"awk", "mkdir", "mktemp", "mv", "rm", "sh"} {
				path, err := exec.LookPath(name)
				must(t, err)
				must(t, os.Symlink(path, filepath.Join(dir, name)))
			}
			// A program that another test starts meanwhile would hold the scripts open, and they could not be run.
			syscall.ForkLock.RLock()
			for name, script := range test.programs {
				must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
				must(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
			}
			syscall.ForkLock.RUnlock()
			cmd := exec.CommandContext(t.Context(), "../../scripts/with-cli", "sh", "-c", show)
			cmd.Env = []string{
				"PATH=" + dir, "XDG_CACHE_HOME=" + dir, "TMPDIR=" + tmp, "TF_ACC_TERRAFORM_PATH=" + test.named,
				"TF_WORKSPACE=production", "TF_LOG=TRACE", "FILETRANSFER_BASE_URL=https://example.com",
			}
			said, err := cmd.CombinedOutput()
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != test.exitCode {
				t.Errorf("it ended with %v, want exit code %d", err, test.exitCode)
			}
			if got := strings.ReplaceAll(string(said), dir, "PATH"); !strings.HasSuffix(got, test.printed) {
				t.Errorf("it printed %q, want %q at the end", got, test.printed)
			}
			if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
				t.Errorf("it left %v in TMPDIR, %v", left, err)
			}
		})
	}
}

// TestAccDemo_IsAsInTheREADME: what the README shows of the demo is what it prints, but for ports and the width of columns.
func TestAccDemo_IsAsInTheREADME(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	readme, err := os.ReadFile("../../README.md")
	must(t, err)
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
