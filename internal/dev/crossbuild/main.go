// Command crossbuild compiles the provider for every target it is released for, and keeps nothing. It is run from the
// root of the repository.
package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
)

// releaseConfiguration lists the targets. A list of its own here would sooner or later be another one.
const releaseConfiguration = ".goreleaser.yml"

func main() {
	ctx, stop := proc.NotifyContext(context.Background())
	err := compileAll(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crossbuild:", err)
		os.Exit(1)
	}
}

func compileAll(ctx context.Context) error {
	configuration, err := os.ReadFile(releaseConfiguration)
	if err != nil {
		return err
	}
	targets, err := parseTargets(string(configuration))
	if err != nil {
		return fmt.Errorf("%s: %w", releaseConfiguration, err)
	}
	for _, target := range targets {
		started := time.Now()
		if err := compile(ctx, target); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		fmt.Printf("%-14s compiled in %s\n", target, time.Since(started).Round(100*time.Millisecond))
	}
	return nil
}

var (
	// targetList is the list that belongs to a key "targets", with one item per line.
	targetList = regexp.MustCompile(`(?m)^ *targets:\n((?: *- .*\n)+)`)
	targetItem = regexp.MustCompile(`(?m)^ *- ([a-z0-9]+_[a-z0-9]+)$`)
)

// parseTargets returns the targets in a configuration of goreleaser, each as GOOS_GOARCH. It reads this one list as text,
// which a dependency on a YAML parser would not make any safer: a form that it does not know is an error.
func parseTargets(configuration string) ([]string, error) {
	lists := targetList.FindAllStringSubmatch(configuration, -1)
	if len(lists) != 1 {
		return nil, fmt.Errorf("%d lists of targets with one item per line, want one", len(lists))
	}
	list := lists[0][1]
	var targets []string
	for _, item := range targetItem.FindAllStringSubmatch(list, -1) {
		targets = append(targets, item[1])
	}
	if lines := strings.Count(list, "\n"); len(targets) != lines {
		return nil, fmt.Errorf("%d of %d targets are of the form GOOS_GOARCH", len(targets), lines)
	}
	return targets, nil
}

func compile(ctx context.Context, target string) error {
	goos, goarch, _ := strings.Cut(target, "_")
	cmd := proc.Command(ctx, "go", "build", "-o", os.DevNull, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
