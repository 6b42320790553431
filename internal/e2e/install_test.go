package e2e_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// With the commands of CONTRIBUTING.md, init installs a local build, and another one after it.
func TestAccInstall(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	home := t.TempDir()
	w := newWorkspace(t, c, "").with("HOME="+home, "TF_CLI_CONFIG_FILE="+filepath.Join(home, "terraform-mirror", "cli.tfrc"),
		"GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	clone := *w
	clone.dir = root
	commands := strings.ReplaceAll(oneBlock(t, "filesystem_mirror", "CONTRIBUTING.md"), "registry.terraform.io", c.host)
	requires, _, _ := strings.Cut(oneBlock(t, "required_providers", "README.md"), "\nresource ")
	w.paste(requires)
	for _, flags := range []string{"-ldflags=-w", "-ldflags=-s"} {
		clone.with("GOFLAGS="+flags).shell(commands).wantText(t, "exit code 0:")
		if flags == "-ldflags=-s" {
			w.do("init").wantText(t, "exit code 1:", "Error: Failed to install provider")
			lock := filepath.Join(w.dir, ".terraform.lock.hcl")
			block := regexp.MustCompile(`(?ms)^provider "[^"]*/filetransfer/filetransfer" \{.*?^\}\n`)
			write(t, lock, block.ReplaceAllString(string(read(t, lock)), ""))
		}
		w.must("init")
		w.mustRun(t, w.dir, "validate", "-no-color")
	}
}

// goEnv returns a setting of Go that would follow from HOME.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	must(t, err)
	return strings.TrimSpace(string(value))
}
