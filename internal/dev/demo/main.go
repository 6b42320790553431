// Command demo shows the provider at work: it builds it, starts two instances on this machine, one of each response shape,
// applies examples/demo to them and prints what came out side by side. Nothing is written into the tree, and nothing
// stays behind. It is run from the root of the repository:
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

	var targets []target
	if baseURL != "" {
		// The URL is not repeated: only the provider knows whether it has a secret in it.
		step("Reading the instance you named")
		targets = []target{{"instance", baseURL}}
	} else {
		older, newer, err := startInstances() //nolint:contextcheck // they serve until they are closed
		if err != nil {
			return err
		}
		defer older.Close()
		defer newer.Close()
		step("Started two instances: the older response shape at %s, the newer one at %s", older.URL(), newer.URL())
		targets = []target{{"older", older.URL()}, {"newer", newer.URL()}}
	}

	step("Planning and applying examples/demo with this build of the provider")
	read, err := apply(ctx, cli, env, filepath.Join(root, "examples", "demo"), filepath.Join(work, "configuration"), targets)
	if err != nil {
		return err
	}
	step("What it read: sizes in bytes, ages in seconds, for every instance")
	fmt.Fprintln(out)
	return printTable(out, targets, read)
}

func startInstances() (older, newer *instancetest.Server, err error) {
	older, err = instancetest.Start(instancetest.WithDocument(instancetest.Older()))
	if err != nil {
		return nil, nil, err
	}
	newer, err = instancetest.Start(instancetest.WithDocument(instancetest.Newer()))
	if err != nil {
		older.Close()
		return nil, nil, err
	}
	return older, newer, nil
}

// apply applies a copy of the configuration, made in the folder dir, to the targets, and returns its output by name.
func apply(ctx context.Context, cli tfcli.CLI, env []string, configuration, dir string, targets []target) (map[string]details, error) {
	if err := os.CopyFS(dir, os.DirFS(configuration)); err != nil {
		return nil, err
	}
	baseURLs := map[string]string{}
	for _, t := range targets {
		baseURLs[t.name] = t.baseURL
	}
	variables, err := json.Marshal(map[string]any{"base_urls": baseURLs})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "demo.auto.tfvars.json"), variables, 0o600); err != nil {
		return nil, err
	}

	run := func(args ...string) ([]byte, error) {
		var stdout, stderr bytes.Buffer
		cmd := proc.Command(ctx, cli.Path, args...)
		cmd.Dir, cmd.Env = dir, env
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("%s %s: %w\n%s%s", cli.Name(), args[0], err, &stdout, &stderr)
		}
		return stdout.Bytes(), nil
	}
	// Not `apply -auto-approve`: while that plans, which is when the instances are read, Terraform does not pass an
	// interrupt on to the provider.
	if _, err := run("plan", "-out=demo.tfplan", "-input=false", "-no-color"); err != nil {
		return nil, err
	}
	if _, err := run("apply", "-input=false", "-no-color", "demo.tfplan"); err != nil {
		return nil, err
	}
	document, err := run("output", "-json", "-no-color")
	if err != nil {
		return nil, err
	}
	return parseOutputs(document)
}
