// Command testacc runs tests with the acceptance tests switched on, and prints their counts:
//
//	go run ./internal/dev/testacc -- -count=1 ./...
//	go run ./internal/dev/testacc -matrix -- -count=1 ./...
//	go run ./internal/dev/testacc -clis "path path" -- -count=1 ./...
//
// The first form uses the CLI that package tfcli finds. The others run the tests once with each CLI of this machine, or with
// each that is given. The arguments after -- are those of go test. It is run from the root of the repository.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
)

func main() {
	matrix := flag.Bool("matrix", false, "run the tests with every CLI of this machine")
	paths := flag.String("clis", "", "run the tests with each of these CLIs (paths, separated by spaces)")
	flag.Parse()

	ctx, stop := proc.NotifyContext(context.Background())
	clis, err := selectCLIs(ctx, *matrix, strings.Fields(*paths))
	if err == nil {
		err = testAll(ctx, clis, flag.Args())
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testacc:", err)
		os.Exit(1)
	}
}

func selectCLIs(ctx context.Context, matrix bool, paths []string) ([]tfcli.CLI, error) {
	switch {
	case len(paths) > 0:
		return tfcli.InspectAll(ctx, paths)
	case matrix:
		return tfcli.FindAll(ctx, ".", os.Stderr)
	default:
		cli, err := tfcli.Find(ctx, ".", os.Stderr)
		return []tfcli.CLI{cli}, err
	}
}

// testAll runs the tests with each CLI, whatever the result with the ones before it. After more than one it repeats the
// counts, a line for each CLI.
func testAll(ctx context.Context, clis []tfcli.CLI, args []string) (err error) {
	// An interrupt ends tests before they remove their temporary files.
	temp, err := os.MkdirTemp("", "testacc-*")
	if err != nil {
		return err
	}
	if os.Getenv("TF_ACC_PERSIST_WORKING_DIR") == "" {
		defer func() { err = errors.Join(err, removeAll(temp)) }()
	}

	var summary []string
	for _, cli := range clis {
		fmt.Println("Acceptance tests use", cli)
		counts, testErr := test(ctx, cli, temp, args)
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		err = errors.Join(err, testErr)
		summary = append(summary, counts+" with "+cli.String())
	}
	if len(clis) > 1 {
		fmt.Println("\n" + strings.Join(summary, "\n"))
	}
	return err
}

// test runs the tests and returns the last line of what they printed: the counts.
func test(ctx context.Context, cli tfcli.CLI, temp string, args []string) (string, error) {
	// gotestsum has the output of go test -v only in this format.
	format := "pkgname"
	if slices.Contains(args, "-v") {
		format = "standard-verbose"
	}
	gotestsum := []string{"tool", "-modfile=tools/go.mod", "gotestsum", "--format=" + format, "--format-hide-empty-pkg", "--hide-summary=skipped", "--"}
	var output bytes.Buffer
	cmd := proc.Command(ctx, "go", slices.Concat(gotestsum, args)...)
	cmd.Env = slices.Concat(tfcli.Environ(), cli.AccEnv(), []string{"TMPDIR=" + temp, "TMP=" + temp})
	cmd.Stdout, cmd.Stderr = io.MultiWriter(os.Stdout, &output), os.Stderr
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("with %s: %w", cli.Name(), err)
	}
	return lastLine(output.String()), err
}

// removeAll is os.RemoveAll for a folder that children of interrupted tests may still be writing to, for a moment.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	for start := time.Now(); err != nil && time.Since(start) < 5*time.Second; err = os.RemoveAll(dir) {
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
