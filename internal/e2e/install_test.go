package e2e_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// With the commands of CONTRIBUTING.md, init installs a local build, and another one after the block of the provider was removed from the
// lock file.
func TestAccInstall(t *testing.T) {
	t.Parallel()
	requires, _, _ := strings.Cut(blockWith(t, "README.md", "required_providers"), "\nresource ")
	w := newWorkspace(t, requires)
	caches, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE", "GOMODCACHE").Output() // both would follow from HOME
	if err != nil {
		t.Fatal(err)
	}
	clone, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	cache, modules, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	home := t.TempDir()
	w.env = append(w.env, "HOME="+home, "TF_CLI_CONFIG_FILE="+filepath.Join(home, "terraform-mirror", "cli.tfrc"), "GOCACHE="+cache, "GOMODCACHE="+modules)
	commands := strings.ReplaceAll(blockWith(t, "CONTRIBUTING.md", "filesystem_mirror"), "registry.terraform.io", w.registry())

	w.shell("cd '" + clone + "'\nexport GOFLAGS=-ldflags=-w\n" + commands).expectExitCode(0)
	w.run("init").expectExitCode(0)
	w.run("validate").expectExitCode(0)

	w.shell("cd '" + clone + "'\nexport GOFLAGS=-ldflags=-s\n" + commands).expectExitCode(0)
	w.run("init").expectExitCode(1).expectText("Error: Failed to install provider")
	block := regexp.MustCompile(`(?ms)^provider "[^"]*/filetransfer/filetransfer" \{.*?^\}\n`)
	w.write(".terraform.lock.hcl", block.ReplaceAllString(read(t, filepath.Join(w.dir, ".terraform.lock.hcl")), ""))
	w.run("init").expectExitCode(0)
	w.run("validate").expectExitCode(0)
}
