package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// counts of tests. A test with subtests is not counted itself, unless it fails where none of them does.
type counts struct{ passed, failed, skipped int }

// event is a line of `go test -json` (see `go doc test2json` and `go help buildjson`).
type event struct {
	Action     string
	Package    string
	ImportPath string // instead of Package, of a package that is being built
	Test       string
	Output     string
}

type testID struct{ pkg, test string }

// countTests runs a `go test -json` and counts. The output of tests and packages that fail, and of builds that do, is
// copied to log. A package that fails without a failing test (it does not build, or it dies) counts as one failure, so
// that a suite that never ran cannot look green.
func countTests(cmd *exec.Cmd, log io.Writer) (counts, error) {
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return counts{}, err
	}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		return counts{}, err
	}
	count, readErr := count(stdout, log)
	if err := cmd.Wait(); err != nil {
		return count, err
	}
	if readErr == nil && count.failed > 0 {
		readErr = fmt.Errorf("%d tests failed", count.failed)
	}
	return count, readErr
}

func count(events io.Reader, log io.Writer) (counts, error) {
	results := map[testID]string{} // the last action of each test; of a package under an empty name
	outputs := map[testID]*strings.Builder{}
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				// Not an event, such as a message of the go command itself.
				fmt.Fprintf(log, "%s", line)
			} else {
				record(e, results, outputs, log)
			}
		}
		if err == io.EOF {
			return total(results), nil
		}
		if err != nil {
			return total(results), err
		}
	}
}

func record(e event, results map[testID]string, outputs map[testID]*strings.Builder, log io.Writer) {
	id := testID{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(log, e.Output)
	case "output":
		if outputs[id] == nil {
			outputs[id] = &strings.Builder{}
		}
		outputs[id].WriteString(e.Output)
	case "run":
		results[id] = e.Action
	case "pass", "fail", "skip":
		results[id] = e.Action
		if e.Action == "fail" && outputs[id] != nil {
			fmt.Fprint(log, outputs[id])
		}
		delete(outputs, id)
	}
}

func total(results map[testID]string) counts {
	parents := map[testID]bool{} // of tests: tests and packages
	failedBelow := map[testID]bool{}
	for id, result := range results {
		for above := id; above.test != ""; {
			above.test = above.test[:max(strings.LastIndexByte(above.test, '/'), 0)]
			parents[above] = true
			if failed(result) {
				failedBelow[above] = true
			}
		}
	}
	var n counts
	for id, result := range results {
		switch {
		case failed(result) && !failedBelow[id]:
			n.failed++
		case parents[id] || id.test == "":
			continue
		case result == "pass":
			n.passed++
		case result == "skip":
			n.skipped++
		}
	}
	return n
}

// failed also holds for a test that began and never ended: the test binary died in it.
func failed(result string) bool { return result == "fail" || result == "run" }
