//go:build unix

package proc_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
)

// roleVariable makes this test binary play a child of [proc.Command].
const roleVariable = "PROC_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); role {
	case "":
		os.Exit(m.Run())
	case "child":
		// The grandchild stands for a provider, which only the group's interrupt reaches.
		grandchild := exec.Command(os.Args[0])
		grandchild.Env = append(os.Environ(), roleVariable+"=grandchild")
		grandchild.Stdout = os.Stdout
		if err := grandchild.Start(); err != nil {
			panic(err)
		}
		awaitInterrupt(role)
		if err := grandchild.Wait(); err != nil {
			panic(err)
		}
	default:
		awaitInterrupt(role)
	}
}

func awaitInterrupt(role string) {
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt)
	fmt.Println(role, "ready")
	<-interrupt
	fmt.Println(role, "cleaned up")
}

func TestCommand_InterruptsTheWholeGroup(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := proc.Command(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"=child")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	for range 2 {
		if line, err := lines.ReadString('\n'); err != nil || !strings.HasSuffix(line, "ready\n") {
			t.Fatalf("got %q (%v), want that both are ready", line, err)
		}
	}
	cancel()
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"grandchild cleaned up", "child cleaned up"} {
		if !strings.Contains("\n"+string(rest), "\n"+want+"\n") {
			t.Errorf("%q does not say %q", rest, want)
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("the child ended with %v (%v), want it to end by itself", cmd.ProcessState, err)
	}
}
