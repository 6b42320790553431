package e2e_test

import (
	"bytes"
	"flag"
	"maps"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// updateState is for a new schema version's own file. The file of a version that was released never changes.
var updateState = flag.Bool("update-record-state", false, "write the state that TestAccRecord_ReadsTheStateOfSchema0 reads")

// TestAccRecord_ReadsTheStateOfSchema0 plans with a state that the first version of the schema has written. Its instance
// is reached through a proxy, so that its base URL can stay what it is.
func TestAccRecord_ReadsTheStateOfSchema0(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	server := instancetest.New(t)
	w := newWorkspace(t, c, impatient+`
resource "filetransfer_instance_record" "this" {
  base_url = "http://files.example.org/"
  timeouts {
    create = "5m"
    read   = "20s"
    update = "6m"
  }

  expected {
    api_version = "2.1.5"
    chunk_size  = 20000000
  }
}

output "merge" { value = filetransfer_instance_record.this.max_transfers_in_merge }
`).with("HTTP_PROXY="+server.Origin(), "http_proxy="+server.Origin(), "NO_PROXY=", "no_proxy=")
	file, state := filepath.Join("testdata", "record_schema_0_state.json"), filepath.Join(w.dir, "terraform.tfstate")
	if *updateState {
		w.apply()
		write(t, file, string(read(t, state)))
	}
	written := read(t, file)
	if c.openTofu {
		written = bytes.ReplaceAll(written, []byte("registry.terraform.io"), []byte(c.host))
	}
	write(t, state, string(written))

	before := w.record(theRecord)
	w.wantNoChanges(nil)
	w.wantNoChanges(nil, "-refresh=false")
	w.must("refresh")
	got := w.record(theRecord)
	forget := func(got, before any) { // what was added since
		known, _ := before.(map[string]any)
		maps.DeleteFunc(got.(map[string]any), func(name string, _ any) bool {
			_, is := known[name]
			return !is
		})
	}
	delete(before, "response_body") // which has what was added
	forget(got, before)
	forget(got["expected"], before["expected"])
	if before == nil || !reflect.DeepEqual(got, before) {
		t.Errorf("the record is %v, was %v", got, before)
	}
	if got := len(server.Requests()); got == 0 {
		t.Error("nothing was read")
	}
	server.SetDefault(instancetest.Status(404))
	w.wantNoChanges(kept("http://files.example.org/"))
	w.must("destroy", "-auto-approve")
}
