// Package proc runs child processes that an interrupt of the parent ends in good order: a CLI gets the time to write its
// state and to stop its providers, and the parent the time to clean up.
package proc

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

const (
	// patience is how long an interrupted child may take to end before it is interrupted again.
	patience = 2 * time.Second
	// grace is how long it may take in all. After a second interrupt Terraform gives its providers 5 seconds.
	grace = 15 * time.Second
	// orphanCheck is how often a program looks whether its parent is still there.
	orphanCheck = 500 * time.Millisecond
)

// NotifyContext returns a context that ends when this program is interrupted or terminated, or when its parent has gone:
// `go run` dies of SIGTERM without passing it on, and what it ran would go on alone.
func NotifyContext(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	started := os.Getppid()
	go func() {
		ticker := time.NewTicker(orphanCheck)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				if os.Getppid() != started {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, cancel
}

// Command is exec.CommandContext, but the end of ctx interrupts the child and all that it started, instead of killing
// the child alone. A terminal's Ctrl-C reaches them through ctx only, as they are not in the terminal's foreground group:
// Terraform takes a second interrupt as an order to leave everything as it is.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	// By then the group has been killed, where that is possible.
	cmd.WaitDelay = grace + patience
	interruptible(cmd)
	return cmd
}
