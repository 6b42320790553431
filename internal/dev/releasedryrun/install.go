package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// cliConfiguration has no other installation method: nothing is installed from a registry.
const cliConfiguration = `provider_installation {
  filesystem_mirror {
    path = %q
  }
}
`

// override asks for the snapshot's version. Without an exact constraint a pre-release is never chosen.
const override = `terraform {
  required_providers {
    filetransfer = {
      source  = "filetransfer/filetransfer"
      version = %q
    }
  }
}
`

// install has the CLI install the release's provider, and applies a copy of examples/demo with it to an instance of each
// response shape. It works in the folder work.
func install(ctx context.Context, cli tfcli.CLI, release *snapshot, work string, out io.Writer) error {
	mirror, dir := filepath.Join(work, "mirror"), filepath.Join(work, "configuration")
	if err := fillMirror(filepath.Join(mirror, cli.RegistryHost(), "filetransfer", "filetransfer"), release); err != nil {
		return err
	}
	older, err := instancetest.Start(instancetest.WithDocument(instancetest.Older())) //nolint:contextcheck // serves until it is closed
	if err != nil {
		return err
	}
	defer older.Close()
	newer, err := instancetest.Start(instancetest.WithDocument(instancetest.Newer())) //nolint:contextcheck // serves until it is closed
	if err != nil {
		return err
	}
	defer newer.Close()

	variables, err := json.Marshal(map[string]any{"base_urls": map[string]string{"older": older.URL(), "newer": newer.URL()}})
	if err != nil {
		return err
	}
	configuration := filepath.Join(work, "cli.tfrc")
	if err := errors.Join(
		os.CopyFS(dir, os.DirFS(filepath.Join(release.root, "examples", "demo"))),
		os.WriteFile(filepath.Join(dir, "version_override.tf"), fmt.Appendf(nil, override, release.Version), 0o600),
		os.WriteFile(filepath.Join(dir, "dryrun.auto.tfvars.json"), variables, 0o600),
		os.WriteFile(configuration, fmt.Appendf(nil, cliConfiguration, filepath.ToSlash(mirror)), 0o600),
	); err != nil {
		return err
	}

	for _, command := range []string{
		"init -input=false -no-color",
		// Not `apply -auto-approve`, which does not pass an interrupt on while it plans.
		"plan -out=dryrun.tfplan -input=false -no-color",
		"apply -input=false -no-color dryrun.tfplan",
	} {
		args := strings.Fields(command)
		var output bytes.Buffer
		cmd := proc.Command(ctx, cli.Path, args...)
		cmd.Dir = dir
		cmd.Env = append(tfcli.Environ(), "TF_CLI_CONFIG_FILE="+configuration)
		cmd.Stdout, cmd.Stderr = &output, &output
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", cli.Name(), args[0], err, &output)
		}
		for line := range strings.Lines(output.String()) {
			if strings.HasPrefix(line, "- Installed ") || strings.HasPrefix(line, "Apply complete!") {
				fmt.Fprint(out, line)
			}
		}
	}
	return errors.Join(
		checkLockFile(dir, release),
		checkInstalled(ctx, cli, dir, release, out),
		checkUserAgent("older", older, release),
		checkUserAgent("newer", newer, release),
	)
}

// fillMirror puts the archives where a CLI looks for them in a mirror.
func fillMirror(dir string, release *snapshot) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	for _, a := range release.archives {
		content, err := os.ReadFile(filepath.Join(release.dist, a.Name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, a.Name), content, 0o600); err != nil { //nolint:gosec // goreleaser chose the name
			return err
		}
	}
	return nil
}

func checkLockFile(dir string, release *snapshot) error {
	lock, err := os.ReadFile(filepath.Join(dir, ".terraform.lock.hcl"))
	if err != nil {
		return err
	}
	for _, want := range []string{`version\s*=\s*"` + regexp.QuoteMeta(release.Version) + `"`, `"h1:[^"]+"`} {
		if !regexp.MustCompile(want).Match(lock) {
			return fmt.Errorf("the lock file has nothing that matches %s:\n%s", want, lock)
		}
	}
	return nil
}

// checkInstalled asks the executable that the CLI installed for its version and commit.
func checkInstalled(ctx context.Context, cli tfcli.CLI, dir string, release *snapshot, out io.Writer) error {
	pattern := filepath.Join(dir, ".terraform", "providers", cli.RegistryHost(), "filetransfer", "filetransfer", "*", "*", project+"*")
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		return fmt.Errorf("%d executables are installed as %s, want one (%v)", len(found), pattern, err) //nolint:errorlint // mostly there is none
	}
	output, err := proc.Command(ctx, found[0], "-version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s -version: %w\n%s", found[0], err, output)
	}
	fmt.Fprintf(out, "%s", output)
	if want := fmt.Sprintf("%s %s (commit %s)", project, release.Version, release.Commit); !strings.Contains(string(output), want) {
		return fmt.Errorf("the executable does not say %q", want)
	}
	return nil
}

// checkUserAgent returns an error unless the instance was read, always by the release's version.
func checkUserAgent(name string, instance *instancetest.Server, release *snapshot) error {
	requests := instance.Requests()
	if len(requests) == 0 {
		return fmt.Errorf("nothing read the %s instance", name)
	}
	for _, request := range requests {
		if agent := request.Header.Get("User-Agent"); !strings.HasPrefix(agent, project+"/"+release.Version+" ") {
			return fmt.Errorf("the %s instance was read by %q, want the version %s there", name, agent, release.Version)
		}
	}
	return nil
}
