//go:build unix

package e2e_test

import (
	"net/http"
	"os/exec"
	"syscall"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// What kills Terraform in a wait leaves the state as it was. The same apply waits again, but a rollback does not, because nothing tells
// it that there was a wait.
func TestAccRecord_KilledWait(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	w := newWorkspace(t, recordWithUsers(server.URL(), 20000000))
	w.skipWithout(acctest.TerraformData)
	w.apply()

	command := exec.CommandContext(t.Context(), w.path, "apply", "-auto-approve")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to kill the provider as well
	server.SetScript(instancetest.Answer(), instancetest.Answer(), instancetest.Func(func(_ http.ResponseWriter, r *http.Request) {
		if err := syscall.Kill(-command.Process.Pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
		<-r.Context().Done()
	}))
	w.configure(recordWithUsers(server.URL(), 30000000))
	w.wait(command).expectExitCode(-1)

	w.configure(recordWithUsers(server.URL(), 20000000))
	w.expectNoChanges()
	w.configure(recordWithUsers(server.URL(), 30000000))
	w.plan().expectExitCode(2).expectText("~ chunk_size = 20000000 -> 30000000")
	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 30000000)))
	server.SetScript(instancetest.Answer())
	w.applyPlan()
	w.expectNoChanges()
}
