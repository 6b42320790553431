package proc

import "os/exec"

// interruptGroup leaves the interrupt to the console, which sends Ctrl-C to every process attached to it.
func interruptGroup(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return nil }
}
