package proc

import "os/exec"

// interruptible leaves the interrupt to the console, which sends Ctrl-C to every process attached to it; there is no
// other way to interrupt one. What is still there after the grace period is killed.
func interruptible(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return nil }
}
