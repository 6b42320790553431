// Package proc runs child processes and, when the parent is interrupted, gives them the time to clean up.
package proc

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// grace is how long an interrupted child may take before it is killed. Terraform gives its providers 5 seconds.
const grace = 15 * time.Second

type handlesInterrupts struct{}

// NotifyContext returns a context that ends when this program is interrupted or terminated.
func NotifyContext(parent context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.WithValue(parent, handlesInterrupts{}, true), os.Interrupt, syscall.SIGTERM)
}

// Command is exec.CommandContext, except that the end of ctx interrupts the child instead of killing it.
//
// With a context of [NotifyContext], the child and everything it starts are a process group of their own, which is
// interrupted as a whole. If they also got a terminal's Ctrl-C directly, Terraform would see two interrupts, and the
// second makes it exit without cleaning up. Other programs, such as tests, do not pass an interrupt on: their children stay
// in the terminal's reach.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = grace + time.Second // after a group was killed
	if ctx.Value(handlesInterrupts{}) != nil {
		interruptGroup(cmd)
	}
	return cmd
}
