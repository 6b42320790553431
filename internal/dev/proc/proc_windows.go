package proc

import "os/exec"

// interruptible does nothing to interrupt the child: the console sends Ctrl-C to every process attached to it.
func interruptible(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return nil }
}
