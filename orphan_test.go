//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// SIGTERM ends a provider whose Terraform is gone. TestAccRecord_StoppedWait shows that it does not end another.
func TestSIGTERMEndsAnOrphan(t *testing.T) {
	t.Parallel()
	// A shell gives a program in the background another stdin, with whose end the program would end.
	shell := exec.CommandContext(t.Context(), "sh", "-c", `exec 3<&0; "$0" <&3 & echo $!; wait`, os.Args[0])
	shell.Env = program(t).Env
	stdin, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	var provider *os.Process
	lines := bufio.NewScanner(stdout)
	for serves := false; (provider == nil || !serves) && lines.Scan(); {
		if id, err := strconv.Atoi(lines.Text()); err == nil {
			if provider, err = os.FindProcess(id); err != nil {
				t.Fatal(err)
			}
		}
		serves = serves || strings.Contains(lines.Text(), "|grpc|")
	}
	if provider == nil {
		t.Fatal("the provider does not serve")
	}
	t.Cleanup(func() { provider.Kill() })

	if err := shell.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := shell.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := provider.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines.Scan() { // ends when no process has the other end of stdout any more
		}
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the provider goes on, although the process that started it is gone")
	}
}
