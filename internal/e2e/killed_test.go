//go:build unix

package e2e_test

import (
	"net/http"
	"os/exec"
	"syscall"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A CI system stops Terraform and its providers in a wait. If it only asks them to end, the state remembers the wait, and a rollback waits
// too. If it kills them, the state stays as it was: applying what was planned waits again, but a rollback does not.
func TestAccRecord_StoppedWait(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		signal   syscall.Signal
		exitCode int
		rollback int // the exit code of its plan
	}{
		"asked to end": {syscall.SIGTERM, 1, 2},
		"killed":       {syscall.SIGKILL, -1, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, server := newRecord(t)

			command := exec.CommandContext(t.Context(), w.path, "apply", "-auto-approve")
			command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			server.SetScript(instancetest.Answer(), instancetest.Answer(), instancetest.Func(func(_ http.ResponseWriter, r *http.Request) {
				if err := syscall.Kill(-command.Process.Pid, test.signal); err != nil {
					t.Error(err)
				}
				<-r.Context().Done()
			}))
			w.configure(recordWithUsers(server.URL(), 30000000))
			w.wait(command).expectExitCode(test.exitCode)

			w.configure(recordWithUsers(server.URL(), 20000000))
			w.plan().expectExitCode(test.rollback)
			w.configure(recordWithUsers(server.URL(), 30000000))
			w.plan().expectExitCode(2).expectText("~ chunk_size = 20000000 -> 30000000")
			server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 30000000)))
			server.SetScript(instancetest.Answer())
			w.applyPlan()
			w.expectNoChanges()
		})
	}
}
