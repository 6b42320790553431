package e2e_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// After make install, a configuration can be planned, and requests have the version. Make uninstall leaves nothing.
func TestAccInstall(t *testing.T) {
	t.Parallel()
	w, server := copyExample(t, "data-sources/filetransfer_instance")
	script, _ := filepath.Abs(filepath.Join(root, "scripts", "install"))
	caches, _ := exec.CommandContext(t.Context(), "go", "env", "GOCACHE", "GOMODCACHE").Output() // they follow from HOME
	cache, modules, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	home := t.TempDir()
	w.env = append(w.env, "HOME="+home, "GOCACHE="+cache, "GOMODCACHE="+modules, "INSTALL="+script, "TF_CLI_CONFIG_FILE=")
	version := regexp.MustCompile(`(?m)^## (\S+)`).FindStringSubmatch(read(t, root+"/CHANGELOG.md"))[1]
	w.shell(`"$INSTALL"`).expect(0, "Installed version "+version)
	w.run("init").expect(0)
	w.plan().expect(2)
	agent := server.Requests()[0].Header.Get("User-Agent")
	if !strings.HasPrefix(agent, "terraform-provider-filetransfer/"+version+" ") {
		t.Errorf("the User-Agent is %q, want version %s", agent, version)
	}
	w.shell(`"$INSTALL" remove && [ ! -e "$HOME/.terraform.d" ] && "$INSTALL" remove`).
		expect(0, "Removed version "+version+" from "+home, "Nothing was installed: version "+version+" is not in "+home)
}
