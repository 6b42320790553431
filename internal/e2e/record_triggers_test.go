package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// releaseOf has a record that waits for a release of a server. Its trigger is an expression.
func releaseOf(baseURL, release, trigger, timeout string) string {
	return fmt.Sprintf(impatient+`
resource "terraform_data" "server" { input = %q }

resource "filetransfer_instance_record" "this" {
  base_url = %q
  triggers = { release = %s }
  timeouts = { update = %q }
}

resource "terraform_data" "consumer" { triggers_replace = [filetransfer_instance_record.this.file_max_size] }
`, release, baseURL, trigger, timeout)
}

// majorRelease is known only after apply if the release changes.
const majorRelease = `split(".", terraform_data.server.output)[0]`

func TestAccRecord_TriggersWaitForARelease(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	w := newWorkspace(t, c, releaseOf(server.URL(), "1.0", `"1.0"`, "10s"))
	w.apply()
	w.wantNoChanges(nil)
	consumer := w.record("terraform_data.consumer")["id"]

	// The new release starts, with another limit. Everything but triggers is known in the plan, and only the next run sees it.
	w.configure(releaseOf(server.URL(), "2.0", `"2.0"`, "10s"))
	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000)))
	p := w.planInDetail("-refresh=false")
	p.wantAction(t, theRecord, "update")
	p.wantAction(t, "terraform_data.consumer", "no-op")
	if unknown := fmt.Sprint(p.of(theRecord).Change.AfterUnknown); strings.Contains(unknown, "true") {
		t.Errorf("values are not known in the plan: %s", unknown)
	}
	server.SetScript(instancetest.Status(502), instancetest.Status(404), instancetest.Reset())
	before := len(server.Requests())
	w.applyPlan()
	if sent := len(server.Requests()) - before; sent != 4 {
		t.Errorf("%d requests while the server started", sent)
	}
	w.wantRecord("file_max_size", 64424509440.)
	w.planInDetail().wantAction(t, "terraform_data.consumer", "delete create")
	w.applyPlan()
	w.wantNoChanges(nil)
	if w.record("terraform_data.consumer")["id"] == consumer {
		t.Error("the consumer was not replaced")
	}

	// Another one fails, and is waited for again.
	w.configure(releaseOf(server.URL(), "3.0", `"3.0"`, "200ms"))
	server.SetDefault(instancetest.Status(503))
	w.wantError("Instance answered with status 503", "apply", "-auto-approve")
	w.wantTriggers("2.0")
	w.wantError("Instance answered with status 503", "apply", "-auto-approve")
	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000)))
	w.planInDetail().wantAction(t, "terraform_data.consumer", "no-op")
	w.applyPlan()
	w.wantTriggers("3.0")
	w.wantNoChanges(nil)

	// With another URL, the instance there is read.
	other := instancetest.New(t, instancetest.WithDocument(instancetest.Older()))
	w.configure(releaseOf(other.URL(), "4.0", `"4.0"`, "10s"))
	w.apply()
	w.wantTriggers("4.0")
	w.wantRecord("api_version", "1.3.2")
}

// wantTriggers checks the release in the record's triggers.
func (w *workspace) wantTriggers(want string) {
	w.t.Helper()
	if got, _ := w.record(theRecord)["triggers"].(map[string]any); got["release"] != want {
		w.t.Errorf("triggers are %v, want %s", got, want)
	}
}

// Triggers that are known only after apply, and turn out to be the same, wait for nothing.
func TestAccRecord_TriggersThatTurnOutTheSameWaitForNothing(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	w := newWorkspace(t, c, releaseOf(server.URL(), "1.0", majorRelease, "10s"))
	w.must("import", theRecord, server.URL())
	w.apply() // the first triggers
	w.wantTriggers("1")
	for _, step := range []struct {
		release  string
		requests int
	}{{"1.1", 0}, {"2.0", 1}} {
		w.configure(releaseOf(server.URL(), step.release, majorRelease, "10s"))
		before := len(server.Requests())
		p := w.planInDetail("-refresh=false")
		p.wantAction(t, theRecord, "update")
		p.wantAction(t, "terraform_data.consumer", "no-op")
		w.applyPlan()
		if sent := len(server.Requests()) - before; sent != step.requests {
			t.Errorf("release %s: %d requests, want %d", step.release, sent, step.requests)
		}
		w.wantNoChanges(nil)
	}
	w.wantTriggers("2")
}
