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

// NotifyContext returns a context that ends when this program is interrupted or terminated.
func NotifyContext(parent context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
}

// Command is exec.CommandContext, except that the end of ctx interrupts the child and everything it started, instead of
// killing the child alone. They are a process group of their own: if they also got a terminal's Ctrl-C directly,
// Terraform would see two interrupts, and the second makes it exit without cleaning up.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = grace + time.Second // after the whole group was killed
	interruptible(cmd)
	return cmd
}
