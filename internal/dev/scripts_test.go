//go:build unix

// Package dev_test tests what is behind the Make targets.
package dev_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// machine returns an environment in which these fake programs, as shell scripts, are all there is besides a POSIX system.
func machine(t *testing.T, programs map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"awk", "cat", "dirname", "env", "mkdir", "mktemp", "ps", "rm", "sh", "sleep", "tail", "touch"} {
		path, err := exec.LookPath(name)
		must(t, err)
		must(t, os.Symlink(path, filepath.Join(dir, name)))
	}
	// A program that another test starts meanwhile would hold the scripts open, and they could not be run.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for name, script := range programs {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
	return []string{"PATH=" + dir, "TMPDIR=" + t.TempDir(), "TF_WORKSPACE=production", "TF_LOG=TRACE", "FILETRANSFER_BASE_URL=https://example.com"}
}

const (
	terraform = `[ -z "${TF_WORKSPACE:-}" ] && echo Terraform v1.11.4`
	tofu      = "echo A notice comes first.; echo; echo OpenTofu v1.12.6-dev; echo on somewhere"
	goTool    = `[ "$CGO_ENABLED $1 $3 $4 $5" = "0 -C tool -n tofu" ] && echo "$PATH/pinned"`
)

func TestWithCLI(t *testing.T) {
	t.Parallel()
	const show = `echo $TF_ACC $TF_ACC_TERRAFORM_PATH $TF_ACC_PROVIDER_HOST/$TF_ACC_PROVIDER_NAMESPACE/filetransfer $TF_LOG$TF_WORKSPACE$FILETRANSFER_BASE_URL`
	const foundTofu = "1 PATH/tofu registry.opentofu.org/filetransfer/filetransfer TRACE\n"
	type programs = map[string]string
	both := programs{"terraform": terraform, "tofu": tofu}
	tests := map[string]struct {
		programs programs
		variable string
		args     []string
		want     string // of stdout, or of stderr if it fails
		fails    bool
	}{
		"terraform before tofu": {programs: both, want: "1 PATH/terraform registry.terraform.io/filetransfer/filetransfer TRACE\n"},
		"neither":               {programs: programs{"go": goTool, "pinned": tofu}, want: strings.Replace(foundTofu, "tofu", "pinned", 1)},
		"named":                 {programs: both, variable: "TF_ACC_TERRAFORM_PATH=tofu", want: foundTofu},
		"something else":        {programs: programs{"terraform": "echo Packer v1.2.3"}, want: "neither Terraform nor OpenTofu", fails: true},
		"command fails":         {programs: both, args: []string{"sh", "-c", "echo why >&2; exit 7"}, want: "why\n", fails: true},
		"each": {
			programs: both, args: []string{"-each", "sh", "-c", "echo many lines; echo DONE"},
			want: "DONE with Terraform 1.11.4 (PATH/terraform)\nDONE with OpenTofu 1.12.6-dev (PATH/tofu)\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := machine(t, test.programs)
			args := test.args
			if args == nil {
				args = []string{"sh", "-c", show}
			}
			var stdout, stderr strings.Builder
			cmd := exec.CommandContext(t.Context(), "../../scripts/with-cli", args...)
			cmd.Env, cmd.Stdout, cmd.Stderr = slices.Concat(env, []string{test.variable}), &stdout, &stderr
			err := cmd.Run()
			got := strings.ReplaceAll(stdout.String(), strings.TrimPrefix(env[0], "PATH="), "PATH")
			if test.fails && (err == nil || !strings.Contains(stderr.String(), test.want)) {
				t.Errorf("it ended with %v and said %q, want a failure and %q", err, &stderr, test.want)
			}
			if !test.fails && (err != nil || got != test.want) {
				t.Errorf("it ended with %v and printed %q, want %q\n%s", err, got, test.want, &stderr)
			}
		})
	}
}

// TestAccDemo_IsAsInTheREADME: the README has the demo's lines in their order, and "..." where it leaves some out.
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
	if bytes.Contains(output, []byte("Terraform 1.4 and later also show a release.")) {
		t.Skip("the README shows a release, which needs Terraform 1.4")
	}
	port := regexp.MustCompile(`127\.0\.0\.1:\d+`)
	words := func(text []byte) string {
		return strings.Join(strings.Fields(port.ReplaceAllString(string(text), "ADDRESS")), " ")
	}
	rest := words(output)
	for part := range strings.SplitSeq(words(shown[1]), "...") {
		_, after, found := strings.Cut(rest, strings.TrimSpace(part))
		if !found {
			t.Fatalf("the README shows\n%s\nand the demo says\n%s", part, output)
		}
		rest = after
	}
}
