//go:build unix

// Package scripts_test tests the scripts beside it.
package scripts_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A command that with-cli runs gets the CLI and the log that somebody asked for, and none of the user's other
// settings. Its exit code is that of the command.
func TestAccWithCLI(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	const shows = `echo "$TF_LOG$TF_WORKSPACE$FILETRANSFER_BASE_URL"; exit 7`
	cmd := exec.CommandContext(t.Context(), "./with-cli", "sh", "-c", shows)
	cmd.Env = append(os.Environ(), "TF_LOG=TRACE", "TF_WORKSPACE=production", "FILETRANSFER_BASE_URL=https://example.com")
	if output, err := cmd.Output(); cmd.ProcessState.ExitCode() != 7 || string(output) != "TRACE\n" {
		t.Errorf("it printed %q and ended with %v", output, err)
	}
}

// Once everything is built, the demo shows what the README says within a minute, in 80 lines that somebody reads.
func TestAccDemo(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	cmd, began := exec.CommandContext(t.Context(), "./with-cli", "./demo"), time.Now()
	cmd.Env = append(os.Environ(), "BASE_URL=")
	output, err := cmd.CombinedOutput()
	lines := strings.Count(string(output), "\n")
	shown := regexp.MustCompile(`(?s)"api_version" = "2\.2\.3".*"api_version" = "1\.1\.0".*` +
		`Error: Response is not an instance document.*- fileMaxSize: expected a whole number from 0, found null.*` +
		`~ chunk_size += 20000000 -> 30000000.*filetransfer_instance_record\.files: Modifications complete after.*` +
		`No changes\..*Warning: Instance not read, last known values kept: http://`).Match(output)
	if took := time.Since(began); err != nil || lines > 80 || took > time.Minute || !shown {
		t.Errorf("the demo ended with %v after %s and %d lines:\n%s", err, took, lines, output)
	}
}
