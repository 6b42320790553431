package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const providerName = "terraform-provider-filetransfer"

// With the README's commands, init installs a local build, and another one after it.
func TestAccInstall(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	home := t.TempDir()
	w := newWorkspace(t, c, "").with("HOME="+home, "TF_CLI_CONFIG_FILE="+filepath.Join(home, "terraform-mirror", "cli.tfrc"))
	commands := strings.ReplaceAll(oneBlock(t, "filesystem_mirror", "README.md"), "registry.terraform.io", c.host)
	built := string(read(t, glob(t, filepath.Join(buildDir, providerName+"*"))[0]))
	requires, _, _ := strings.Cut(oneBlock(t, "required_providers", "README.md"), "\nresource ")
	w.paste(requires)
	for _, build := range []string{built, built + "another"} {
		file := filepath.Join(w.dir, providerName)
		write(t, file, build)
		must(t, os.Chmod(file, 0o700))
		w.shell(commands).wantText(t, "exit code 0:")
		if build != built {
			w.do("init").wantText(t, "exit code 1:", "Error: Failed to install provider")
			must(t, os.Remove(filepath.Join(w.dir, ".terraform.lock.hcl")))
		}
		w.must("init")
		w.mustRun(t, w.dir, "validate", "-no-color")
	}
}
