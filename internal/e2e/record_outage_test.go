package e2e_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const theRecord = "filetransfer_instance_record.this"

// kept is the warning that a record keeps what an instance last said.
func kept(baseURL string) []string {
	return []string{"Instance not read, last known details kept: " + baseURL}
}

// TestAccRecord_OutlivesItsInstance shows what the guide says about a record while its instance is down.
func TestAccRecord_OutlivesItsInstance(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	w := newWorkspace(t, acceptance(t), acctest.ImpatientProvider+fmt.Sprintf("resource \"filetransfer_instance_record\" \"this\" { base_url = %q }\n", server.URL())+`
output "limit" { value = filetransfer_instance_record.this.file_max_size }
`)
	w.apply()
	recorded := w.record(theRecord)
	server.Close()

	w.wantNoChanges(kept(server.URL())).wantText(t, "keeps what the instance last reported", "connection refused")
	w.wantNoChanges(nil, "-refresh=false")
	refreshing, exitCode := w.plan("-refresh-only"), 0
	if !w.openTofu && w.version.GreaterThanOrEqual(tfversion.Version1_10_0) && w.version.LessThan(tfversion.Version1_15_0) {
		exitCode = 2 // whatever the provider (hashicorp/terraform#36403)
	}
	refreshing.wantText(t, fmt.Sprintf("exit code %d:", exitCode), "No changes.")
	wantWarnings(t, refreshing, kept(server.URL())...)
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
