//go:build unix

package proc_test

import (
	"bufio"
	"io"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
)

// parent and its child each need an interrupt to end. The child stands for a provider.
const parent = `
	trap 'echo parent cleaned up' INT
	sh -c 'trap "echo child cleaned up; exit" INT; echo ready; while :; do sleep 0.01; done'
	exit 0`

func TestCommand_InterruptsTheWholeGroup(t *testing.T) {
	t.Parallel()
	ctx, interrupt := proc.NotifyContext(t.Context())
	defer interrupt()
	cmd := proc.Command(ctx, "sh", "-c", parent)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("got %q (%v), want ready", line, err)
	}
	interrupt()
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	if want := "child cleaned up\nparent cleaned up\n"; string(rest) != want {
		t.Errorf("got %q, want %q", rest, want)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("the parent ended with %v (%v), want it to end by itself", cmd.ProcessState, err)
	}
}
