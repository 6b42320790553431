// Command demo shows the provider at work: it builds it, starts instances on this machine, applies examples/demo to one of
// each response format and prints what came out side by side. Then it shows an error, and an outage. Nothing is written
// into the tree, and nothing is left behind. It is run from the root of the repository:
//
//	go run ./internal/dev/demo
//	go run ./internal/dev/demo -base-url=https://files.example.com
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// exitInterrupted is what shells report for a program that Ctrl-C ended.
const exitInterrupted = 130

func main() {
	baseURL := flag.String("base-url", "", "read this instance, instead of two on this machine")
	flag.Parse()

	ctx, stop := proc.NotifyContext(context.Background())
	err := demo(ctx, ".", os.TempDir(), *baseURL, os.Stdout)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "demo: interrupted; everything is cleaned up")
		os.Exit(exitInterrupted)
	case err != nil:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// target is an instance to read, under the name that heads its column.
type target struct{ name, baseURL string }

// demo runs the demo with the module at root, in a folder of its own under temp. It reads the instance at baseURL, or its
// own two where that is empty.
func demo(ctx context.Context, root, temp, baseURL string, out io.Writer) (err error) {
	step := func(format string, args ...any) { fmt.Fprintf(out, "==> "+format+"\n", args...) }

	cli, err := tfcli.Find(ctx, root, out)
	if err != nil {
		return err
	}
	step("Using %s", cli)

	work, err := os.MkdirTemp(temp, "filetransfer-demo-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	step("Building the provider")
	env, err := tfcli.Override(ctx, root, work)
	if err != nil {
		return err
	}

	examples := filepath.Join(root, "examples", "demo")
	table := workspace{cli: cli, env: env, dir: filepath.Join(work, "table")}
	if baseURL != "" {
		// The URL is not repeated: only the provider knows whether it has a secret in it.
		step("Reading the instance you named. Sizes are in bytes, durations in seconds:")
		return table.showInstances(ctx, examples, out, target{"instance", baseURL})
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
	step("Reading two instances, of an older and of a newer version. Sizes are in bytes, durations in seconds:")
	if err := table.showInstances(ctx, examples, out, target{"older", older.URL()}, target{"newer", newer.URL()}); err != nil {
		return err
	}

	broken := instancetest.Newer().With("fileMaxSize", nil)
	newer.SetDefault(instancetest.AnswerDocument(broken))
	step("The newer instance now answers \"fileMaxSize\": null. A plan says:")
	if err := table.showError(ctx, out); err != nil {
		return err
	}

	step("A record of the older instance, which then goes away. A plan says:")
	record := workspace{cli: cli, env: env, dir: filepath.Join(work, "record")}
	return record.showOutage(ctx, filepath.Join(examples, "record"), out, older)
}

// workspace is a folder in which a CLI runs.
type workspace struct {
	cli tfcli.CLI
	env []string
	dir string
}

// prepare copies a configuration into the folder, with values for its variables.
func (w workspace) prepare(configuration string, variables map[string]any) error {
	if err := os.CopyFS(w.dir, os.DirFS(configuration)); err != nil {
		return err
	}
	document, err := json.Marshal(variables)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.dir, "demo.auto.tfvars.json"), document, 0o600)
}

// run runs the CLI, and returns what it printed.
func (w workspace) run(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	var out, errOut bytes.Buffer
	cmd := proc.Command(ctx, w.cli.Path, append([]string{args[0], "-no-color"}, args[1:]...)...)
	cmd.Dir, cmd.Env = w.dir, w.env
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.String(), errOut.String(), fmt.Errorf("%s %s: %w\n%s%s", w.cli.Name(), args[0], err, &out, &errOut)
	}
	return out.String(), errOut.String(), nil
}

// apply plans and applies the configuration. Not with `apply -auto-approve`: while that plans, which is when instances are
// read, Terraform does not pass an interrupt on to the provider.
func (w workspace) apply(ctx context.Context) error {
	if _, _, err := w.run(ctx, "plan", "-out=tfplan", "-input=false"); err != nil {
		return err
	}
	_, _, err := w.run(ctx, "apply", "-input=false", "tfplan")
	return err
}

// showInstances applies examples/demo to the targets, and prints a table of its output.
func (w workspace) showInstances(ctx context.Context, configuration string, out io.Writer, targets ...target) error {
	baseURLs := map[string]string{}
	for _, t := range targets {
		baseURLs[t.name] = t.baseURL
	}
	if err := w.prepare(configuration, map[string]any{"base_urls": baseURLs}); err != nil {
		return err
	}
	if err := w.apply(ctx); err != nil {
		return err
	}
	document, _, err := w.run(ctx, "output", "-json")
	if err != nil {
		return err
	}
	read, err := parseOutputs([]byte(document))
	if err != nil {
		return err
	}
	fmt.Fprintln(out)
	return errors.Join(printTable(out, targets, read), newline(out))
}

// showError prints the error of a plan.
func (w workspace) showError(ctx context.Context, out io.Writer) error {
	_, stderr, err := w.run(ctx, "plan", "-input=false")
	if err == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	_, message, found := strings.Cut(stderr, "Error: ")
	if !found {
		return err
	}
	return quote(out, "Error: "+message)
}

// showOutage records the instance, stops it, and prints what the next plan says.
func (w workspace) showOutage(ctx context.Context, configuration string, out io.Writer, server *instancetest.Server) error {
	if err := w.prepare(configuration, map[string]any{"base_url": server.URL()}); err != nil {
		return err
	}
	if err := w.apply(ctx); err != nil {
		return err
	}
	server.Close()
	stdout, stderr, err := w.run(ctx, "plan", "-input=false", "-detailed-exitcode") // which fails if anything changes
	if err != nil {
		return err
	}
	said := stdout + stderr // which of them has the warning depends on the CLI
	outcome, _, _ := strings.Cut(said[max(0, strings.Index(said, "No changes.")):], "\n")
	_, warning, _ := strings.Cut(said, "Warning: Instance not read")
	return quote(out, outcome+"\n\nWarning: Instance not read"+warning)
}

// quote prints what a CLI said, indented, without what it adds to everything.
func quote(out io.Writer, text string) error {
	text, _, _ = strings.Cut(text, "Warning: Provider development overrides")
	fmt.Fprintln(out)
	for line := range strings.Lines(strings.Trim(text, "│╵╷ \n")) {
		fmt.Fprintln(out, strings.TrimRight("    "+line, " \n"))
	}
	return newline(out)
}

func newline(out io.Writer) error {
	_, err := fmt.Fprintln(out)
	return err
}
