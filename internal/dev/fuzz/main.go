// Command fuzz runs every fuzz target of the packages given, one after the other, each for as long as -time says:
//
//	go run ./internal/dev/fuzz -time=10s ./...
//
// `go test -fuzz` takes one target of one package. Here a new target is picked up without editing a list.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
)

func main() {
	duration := flag.Duration("time", 10*time.Second, "how long to fuzz each target")
	flag.Parse()

	ctx, stop := proc.NotifyContext(context.Background())
	err := fuzz(ctx, *duration, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

type target struct{ pkg, name string }

// fuzz goes on after a target that fails, so that one run shows them all.
func fuzz(ctx context.Context, duration time.Duration, packages []string) error {
	targets, err := list(ctx, packages)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return fmt.Errorf("no fuzz target in %s", strings.Join(packages, " "))
	}
	var failures []error
	for _, t := range targets {
		fmt.Printf("Fuzzing %s of %s for %s\n", t.name, t.pkg, duration)
		cmd := proc.Command(ctx, "go", "test", "-run=^$", "-fuzz=^"+t.name+"$", "-fuzztime="+duration.String(), "-fuzzminimizetime=1s", t.pkg)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			failures = append(failures, fmt.Errorf("%s of %s: %w", t.name, t.pkg, err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(failures...)
}

// list asks the test binaries for their fuzz targets.
func list(ctx context.Context, packages []string) ([]target, error) {
	cmd := proc.Command(ctx, "go", append([]string{"test", "-json", "-list=^Fuzz"}, packages...)...)
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go test -list: %w\n%s", err, output)
	}
	var targets []target
	for events := json.NewDecoder(bytes.NewReader(output)); events.More(); {
		var event struct{ Package, Output string }
		if err := events.Decode(&event); err != nil {
			return nil, fmt.Errorf("go test -list: %w", err)
		}
		if name := strings.TrimSpace(event.Output); strings.HasPrefix(name, "Fuzz") {
			targets = append(targets, target{event.Package, name})
		}
	}
	return targets, nil
}
