package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const installConfiguration = `
terraform {
  required_providers {
    filetransfer = {
      source  = %q
      version = "~> 1.2"
    }
  }
}

data "filetransfer_instance" "example" { base_url = %q }

output "file_max_size" { value = data.filetransfer_instance.example.file_max_size }
`

// TestAccInstall: init installs the provider under the address of either registry, here from a mirror, and what it locks
// holds for everybody who has the lock file.
func TestAccInstall(t *testing.T) {
	t.Parallel()
	built := acceptance(t)
	server := instancetest.New(t)
	addresses := []string{
		"registry.terraform.io/filetransfer/filetransfer",
		"registry.opentofu.org/filetransfer/filetransfer",
	}

	mirror := t.TempDir()
	for _, address := range addresses {
		addToMirror(t, filepath.Join(mirror, filepath.FromSlash(address)), "1.2.3")
	}
	configuration := filepath.Join(t.TempDir(), "cli.tfrc")
	write(t, configuration, fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", filepath.ToSlash(mirror)))

	installing := "TF_CLI_CONFIG_FILE=" + configuration
	for _, address := range addresses {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			first, second := newWorkspace(t, built, "").with(installing), newWorkspace(t, built, "").with(installing)
			first.paste(fmt.Sprintf(installConfiguration, address, server.URL()))
			first.must("init")
			lock := string(read(t, filepath.Join(first.dir, ".terraform.lock.hcl")))
			for _, want := range []string{`provider "` + regexp.QuoteMeta(address) + `"`, `version\s*=\s*"1\.2\.3"`, `constraints\s*=\s*"~> 1\.2"`, `"h1:`} {
				if !regexp.MustCompile(want).MatchString(lock) {
					t.Errorf("the lock file has nothing that matches %s:\n%s", want, lock)
				}
			}

			second.paste(fmt.Sprintf(installConfiguration, address, server.URL()))
			write(t, filepath.Join(second.dir, ".terraform.lock.hcl"), lock)
			second.must("init", "-lockfile=readonly")
			second.plan().wantSummary(t, "+ file_max_size = 64424509440")
		})
	}
}

// addToMirror puts this build of the provider where a CLI looks for a version of it.
func addToMirror(t *testing.T, dir, version string) {
	t.Helper()
	dir = filepath.Join(dir, version, runtime.GOOS+"_"+runtime.GOARCH)
	must(t, os.MkdirAll(dir, 0o700))
	binary := read(t, filepath.Join(buildDir, executable(providerName)))
	must(t, os.WriteFile(filepath.Join(dir, executable(providerName+"_v"+version)), binary, 0o700))
}
