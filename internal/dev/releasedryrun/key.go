package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
)

// key is a signing key that lives in a GnuPG home of its own, apart from the user's.
type key struct {
	home        string
	passphrase  string
	fingerprint string
}

var keyCreated = regexp.MustCompile(`(?m)^\[GNUPG:\] KEY_CREATED \S+ ([0-9A-F]{40})\s*$`)

// newKey makes a key in the new folder home. Like a release's it is an RSA key, as the Registry wants, with a passphrase.
func newKey(ctx context.Context, home string) (*key, error) {
	// gpg warns of a home that others may read.
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	k := &key{home: home, passphrase: rand.Text()}
	output, err := k.gpg(ctx, k.passphrase, "--pinentry-mode=loopback", "--passphrase-fd=0",
		"--quick-generate-key", "Release dry run <nobody@example.com>", "rsa2048", "sign", "1d")
	if err == nil {
		if match := keyCreated.FindStringSubmatch(output); match != nil {
			k.fingerprint = match[1]
			return k, nil
		}
		err = fmt.Errorf("gpg made no key:\n%s", output)
	}
	k.close(ctx)
	return nil, err
}

// env returns what .goreleaser.yml needs to sign with this key.
func (k *key) env() []string {
	return []string{"GNUPGHOME=" + k.home, "GPG_FINGERPRINT=" + k.fingerprint, "GPG_PASSPHRASE=" + k.passphrase}
}

// verify returns an error unless the signature is one of the file by this key.
func (k *key) verify(ctx context.Context, signature, file string) error {
	output, err := k.gpg(ctx, "", "--verify", signature, file)
	if err != nil {
		return err
	}
	if !strings.Contains(output, "[GNUPG:] VALIDSIG "+k.fingerprint+" ") {
		return fmt.Errorf("%s is not a signature by the key of this run:\n%s", signature, output)
	}
	return nil
}

// gpg runs gpg and returns its status lines, which unlike its other messages are made to be read by programs.
func (k *key) gpg(ctx context.Context, stdin string, args ...string) (string, error) {
	var stderr strings.Builder
	cmd := proc.Command(ctx, "gpg", append([]string{"--batch", "--status-fd=1"}, args...)...)
	cmd.Env = append(os.Environ(), "GNUPGHOME="+k.home)
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), &stderr
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("gpg: %w\n%s", err, &stderr)
	}
	return string(output), nil
}

// close ends the agent, which gpg started for this home and which would outlive the run. It does so after an interrupt too.
func (k *key) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	cmd := proc.Command(ctx, "gpgconf", "--kill", "all")
	cmd.Env = append(os.Environ(), "GNUPGHOME="+k.home)
	_ = cmd.Run() // An agent whose home is gone ends by itself, if later.
}
