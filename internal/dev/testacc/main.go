// Command testacc runs `go test` with the acceptance tests switched on:
//
//	go run ./internal/dev/testacc -- -count=1 ./...
//	go run ./internal/dev/testacc -matrix -- ./...
//	go run ./internal/dev/testacc -clis "path path" -- ./...
//
// The first form uses the CLI that package tfcli decides on; its exit status is that of `go test`. The others run the
// suite once with each CLI of this machine, or each that is given, and print one line of counts per CLI.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
)

func main() {
	matrix := flag.Bool("matrix", false, "run the suite with every CLI of this machine")
	clis := flag.String("clis", "", "run the suite with each of these CLIs (paths, separated by spaces)")
	flag.Parse()

	ctx, stop := proc.NotifyContext(context.Background())
	var err error
	if *matrix || strings.TrimSpace(*clis) != "" {
		err = runMatrix(ctx, strings.Fields(*clis), flag.Args())
	} else {
		err = runOnce(ctx, flag.Args())
	}
	stop()
	// What went wrong in the tests is on the screen already.
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed) && failed.ExitCode() > 0:
		os.Exit(failed.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, "testacc:", err)
		os.Exit(1)
	}
}

func runOnce(ctx context.Context, args []string) error {
	cli, err := tfcli.Find(ctx, ".", os.Stderr)
	if err != nil {
		return err
	}
	fmt.Println("Acceptance tests use", cli)
	cmd := goTest(ctx, cli, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

func goTest(ctx context.Context, cli tfcli.CLI, args ...string) *exec.Cmd {
	cmd := proc.Command(ctx, "go", append([]string{"test"}, args...)...)
	cmd.Env = append(tfcli.Environ(), cli.AccEnv()...)
	return cmd
}

// runMatrix runs the suite with each CLI in turn. Every CLI is tried, whatever becomes of the ones before it.
func runMatrix(ctx context.Context, paths, args []string) error {
	clis, err := matrixCLIs(ctx, paths)
	if err != nil {
		return err
	}
	// The lines come together at the end: failing tests print much in between.
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer table.Flush()
	var failed []string
	for _, cli := range clis {
		fmt.Fprintln(os.Stderr, "Acceptance tests use", cli)
		started := time.Now()
		count, err := countTests(goTest(ctx, cli, append([]string{"-json"}, args...)...), os.Stderr)
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted while testing with %s", cli)
		}
		if err != nil {
			failed = append(failed, cli.Name())
		}
		fmt.Fprintf(table, "%s\t%d passed\t%d failed\t%d skipped\t%s\t%s\n",
			cli.Name(), count.passed, count.failed, count.skipped, time.Since(started).Round(time.Second), cli.Path)
	}
	if failed != nil {
		return fmt.Errorf("tests failed with %s", strings.Join(failed, ", "))
	}
	return nil
}

func matrixCLIs(ctx context.Context, paths []string) ([]tfcli.CLI, error) {
	if len(paths) == 0 {
		return tfcli.FindAll(ctx, ".", os.Stderr)
	}
	clis := make([]tfcli.CLI, 0, len(paths))
	for _, path := range paths {
		cli, err := tfcli.Inspect(ctx, path)
		if err != nil {
			return nil, err
		}
		clis = append(clis, cli)
	}
	return clis, nil
}
