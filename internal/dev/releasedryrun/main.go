// Command releasedryrun makes a release of the state of the tree, but publishes nothing: goreleaser builds, packs and signs
// it for every target, with a key made for this run. Then it does what users' machines do: it verifies checksums and
// signature, has a CLI install the provider from its zip, and applies examples/demo with it to instances on this machine.
// The files stay in dist/; nothing else is left. It is run from the root of the repository:
//
//	go run ./internal/dev/releasedryrun
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
)

func main() {
	ctx, stop := proc.NotifyContext(context.Background())
	err := dryRun(ctx, ".", os.Stdout)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "releasedryrun: interrupted")
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "releasedryrun:", err)
		os.Exit(1)
	}
}

var errNoGPG = errors.New("gpg is not on PATH, and a release is signed with it: install GnuPG " +
	"(gnupg in most package managers, Gpg4win on Windows)")

// dryRun makes a release of the module at root.
func dryRun(ctx context.Context, root string, out io.Writer) (err error) {
	step := func(format string, args ...any) { fmt.Fprintf(out, "==> "+format+"\n", args...) }

	// What can be missing is looked for before anything takes minutes.
	if _, err := exec.LookPath("gpg"); err != nil {
		return errNoGPG
	}
	cli, err := tfcli.Find(ctx, root, out)
	if err != nil {
		return err
	}
	goreleaser, err := findGoreleaser(ctx, root, out)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "filetransfer-release-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	step("Making a key for this run")
	signer, err := newKey(ctx, filepath.Join(work, "gnupg"))
	if err != nil {
		return err
	}
	defer signer.close(ctx)

	step("Building a snapshot for every target with goreleaser %s", goreleaserVersion)
	var skip []string
	if _, err := exec.LookPath("syft"); err != nil {
		fmt.Fprintln(out, "syft is not on PATH: there will be no bills of materials (SBOM). The release workflow makes them.")
		skip = []string{"--skip=sbom"}
	}
	head, gitEnv, err := gitState(ctx, root)
	if err != nil {
		return err
	}
	cmd := proc.Command(ctx, goreleaser, append([]string{"release", "--snapshot", "--clean"}, skip...)...)
	cmd.Dir = root
	// An interrupt of goreleaser kills its compilers, which then leave their files.
	cmd.Env = slices.Concat(os.Environ(), gitEnv, signer.env(), []string{"GOTMPDIR=" + work})
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("goreleaser: %w", err)
	}
	release, err := readSnapshot(root)
	if err != nil {
		return err
	}
	if release.Commit != head {
		return fmt.Errorf("goreleaser says that it built the commit %s, not %s", release.Commit, head)
	}

	step("Verifying checksums, signature and executables of %s", release.Version)
	if err := release.verifyChecksums(); err != nil {
		return err
	}
	if err := signer.verify(ctx, release.path("SHA256SUMS.sig"), release.path("SHA256SUMS")); err != nil {
		return err
	}
	if err := release.verifyArchives(out); err != nil {
		return err
	}

	step("Installing it with %s from its zip, and applying examples/demo", cli)
	if err := install(ctx, cli, release, work, out); err != nil {
		return err
	}
	step("A release of this commit would work. Its files are in %s.", release.dist)
	return nil
}
