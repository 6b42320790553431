package e2e_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// After make install, the index's example can be planned, and again with another build, once the block of the provider was removed from the
// lock file. After make uninstall, nothing is left.
func TestAccInstall(t *testing.T) {
	t.Parallel()
	w := newExample(t, blockWith(t, "templates/index.md.tmpl", "required_providers"))
	w.startInstances()
	caches, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE", "GOMODCACHE").Output() // both would follow from HOME
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs(filepath.Join(root, "scripts", "install"))
	if err != nil {
		t.Fatal(err)
	}
	cache, modules, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	home := t.TempDir()
	w.env = append(w.env, "HOME="+home, "TF_CLI_CONFIG_FILE=", "CHECKPOINT_DISABLE=1", "GOCACHE="+cache, "GOMODCACHE="+modules)

	w.shell("'" + script + "'").expectExitCode(0)
	w.run("init").expectExitCode(0)
	w.plan().expectExitCode(2)

	w.shell("GOFLAGS=-tags=another '" + script + "'").expectExitCode(0)
	w.run("init").expectExitCode(1).expectText("Error: Failed to install provider")
	block := regexp.MustCompile(`(?ms)^provider "[^"]*/filetransfer/filetransfer" \{.*?^\}\n`)
	w.write(".terraform.lock.hcl", block.ReplaceAllString(read(t, filepath.Join(w.dir, ".terraform.lock.hcl")), ""))
	w.run("init").expectExitCode(0)
	w.plan().expectExitCode(2)

	w.shell("INSTALL='" + script + "'\n" + `
		mkdir -p "$HOME/Roaming/terraform.d/plugins/registry.opentofu.org/filetransfer/filetransfer/0.1.0/windows_amd64"
		"$INSTALL" remove
		GOOS=windows GOARCH=amd64 APPDATA="$HOME\Roaming" "$INSTALL" remove
		rmdir "$HOME/Roaming"
		[ ! -e "$HOME/.terraform.d" ]
	`).expectExitCode(0)
}
