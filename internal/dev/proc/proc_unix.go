//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func interruptible(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		group := -cmd.Process.Pid
		err := syscall.Kill(group, syscall.SIGINT)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		go insist(group)
		return err
	}
}

// insist repeats the interrupt, and in the end kills the whole group, where exec would kill the child alone. Terraform
// does not pass the first interrupt on to the provider while `apply` plans.
func insist(group int) {
	time.Sleep(patience)
	if syscall.Kill(group, syscall.SIGINT) != nil {
		return
	}
	time.Sleep(grace - patience)
	_ = syscall.Kill(group, syscall.SIGKILL)
}
