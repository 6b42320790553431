package e2e_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// What the guide says about a record while its instance is down.
func TestAccRecord_OutlivesItsInstance(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	w := newWorkspace(t, acceptance(t), acctest.ImpatientProvider+fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q
}

output "limit" {
  value = filetransfer_instance_record.test.file_max_size
}
`, server.URL()))
	w.apply()
	recorded := w.record("filetransfer_instance_record.test")
	server.Close()

	warning := "Instance not read, last known details kept: " + server.URL()
	w.wantNoChanges([]string{warning}).wantText(t, "keeps what the instance last reported", "connection refused")
	w.wantNoChanges(nil, "-refresh=false")
	refreshing, exitCode := w.plan("-refresh-only"), 0
	if !w.openTofu && w.version.GreaterThanOrEqual(tfversion.Version1_10_0) && w.version.LessThan(tfversion.Version1_15_0) {
		exitCode = 2 // whatever the provider (hashicorp/terraform#36403)
	}
	refreshing.wantText(t, fmt.Sprintf("exit code %d:", exitCode), "No changes.")
	wantWarnings(t, refreshing, warning)
	wantWarnings(t, w.apply(), warning)
	wantWarnings(t, w.must("refresh"), warning)
	if got := w.record("filetransfer_instance_record.test"); !reflect.DeepEqual(got, recorded) {
		t.Errorf("the record is %v, want it as it was: %v", got, recorded)
	}

	w.must("destroy", "-auto-approve") // which does not show the warnings of its refresh on every CLI
	if got := w.record("filetransfer_instance_record.test"); got != nil {
		t.Errorf("after destroy there is still %v", got)
	}
}
