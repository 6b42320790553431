package e2e_test

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const theRecord = "filetransfer_instance_record.this"

// recordOf is a record of one instance, and an output that stands for what is downstream on every CLI.
func recordOf(baseURL string) string {
	return fmt.Sprintf(`
resource "filetransfer_instance_record" "this" { base_url = %q }
`, baseURL) + limitOutput
}

const limitOutput = `
output "limit" { value = filetransfer_instance_record.this.file_max_size }
`

// TestAccRecord_OutlivesItsInstance shows what the guide says about a record while its instance is down, and its command for
// CI, which fails if a record kept old values.
func TestAccRecord_OutlivesItsInstance(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	w := newWorkspace(t, acceptance(t), impatient+recordOf(server.URL()))
	w.apply()
	recorded := w.record(theRecord)
	outdated := oneBlock(t, "grep ", "templates", "guides", "ci-and-hcp-terraform.md.tmpl")
	w.shell(outdated).wantText(t, "exit code 0:")
	server.Close()

	w.shell(outdated).wantText(t, "exit code 1:", server.URL())
	w.wantNoChanges(kept(server.URL())).wantText(t, "keeps what the instance last reported", "connection refused")
	w.wantNoChanges(nil, "-refresh=false")
	refreshing, exitCode := w.planInDetail("-refresh-only"), 0
	if !w.openTofu && !w.version.less(version{1, 10}) && w.version.less(version{1, 15}) {
		exitCode = 2 // whatever the provider (hashicorp/terraform#36403)
	}
	if refreshing.exitCode != exitCode || len(refreshing.Drift) > 0 || !strings.Contains(string(refreshing.stdout), "No changes.") {
		t.Errorf("want no changes: %s", refreshing.result)
	}
	wantWarnings(t, refreshing.result, kept(server.URL())...)
	wantWarnings(t, w.apply(), kept(server.URL())...)
	wantWarnings(t, w.must("refresh"), kept(server.URL())...)
	if got := w.record(theRecord); !reflect.DeepEqual(got, recorded) {
		t.Errorf("the record is %v, want it as it was: %v", got, recorded)
	}

	w.must("destroy", "-auto-approve") // which does not show the warnings of its refresh on every CLI
	if got := w.record(theRecord); got != nil {
		t.Errorf("after destroy there is still %v", got)
	}
}

func TestAccRecord_ChangedLimitIsPlannedInTheSameRun(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	w := newWorkspace(t, acceptance(t), impatient+recordOf(server.URL()))
	w.apply()
	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000)))
	before := len(server.Requests())

	w.wantNoChanges(nil, "-refresh=false")
	if sent := len(server.Requests()) - before; sent != 0 {
		t.Errorf("-refresh=false made %d requests", sent)
	}
	for _, args := range [][]string{{"-refresh-only"}, nil} {
		p := w.planInDetail(args...)
		if p.exitCode != 2 || len(p.Drift) != 1 || p.Drift[0].Change.After["file_max_size"] != 1000. {
			t.Errorf("plan %v does not show the change outside of Terraform: %s", args, p.result)
		}
		p.wantText(t, "64424509440 -> 1000")
		if does := p.of(theRecord).Change.Actions; len(does) > 0 && does[0] != "no-op" {
			t.Errorf("plan %v is to %s the record", args, does)
		}
	}
	w.apply("-refresh-only")
	w.wantRecord("file_max_size", 1000.)
	w.wantNoChanges(nil)
}

// interrupting returns the CLI, or skips a test that interrupts it.
func interrupting(t *testing.T) cli {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no way to interrupt one process on Windows")
	}
	return acceptance(t)
}

func (b background) interrupt(t *testing.T) result {
	t.Helper()
	must(t, b.Process.Signal(os.Interrupt))
	return b.end(t)
}
