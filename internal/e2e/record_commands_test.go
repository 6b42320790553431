package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// recordWithUsers returns a record that expects a chunk size, a resource that uses it, and one that has nothing to do with it.
func recordWithUsers(baseURL string, chunkSize int) string {
	return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q

  expected {
    chunk_size = %d
  }
}

resource "terraform_data" "user" {
  input = filetransfer_instance_record.test.chunk_size
}

resource "terraform_data" "other" {}
`, baseURL, chunkSize)
}

// newRecord returns a workspace in which recordWithUsers has been applied, and the record's instance.
func newRecord(t *testing.T) (*workspace, *instancetest.Server) {
	t.Helper()
	server := instancetest.New(t)
	w := newWorkspace(t, recordWithUsers(server.URL(), 20000000))
	w.skipWithout(acctest.TerraformData)
	w.apply()
	return w, server
}

// Somebody has changed the server, which is put right while an apply waits. Whether the apply notices, and waits, depends on the options of
// the command. The numbers of requests include those of the refresh.
func TestAccRecord_OptionsOfCommands(t *testing.T) {
	t.Parallel()
	const record = "filetransfer_instance_record.test"
	const waits, ignores = "Apply complete! Resources: 0 added, 1 changed, 0 destroyed.", "Apply complete! Resources: 0 added, 0 changed, 0 destroyed."
	tests := map[string]struct {
		options   []string
		requests  int
		printed   string
		chunkSize float64 // in the state afterward; 0 if the record is gone
	}{
		"none":                       {nil, 2, waits, 20000000},
		"-refresh=false":             {[]string{"-refresh=false"}, 0, ignores, 20000000},
		"-refresh-only":              {[]string{"-refresh-only"}, 1, ignores, 2},
		"-target, the record":        {[]string{"-target=" + record}, 2, waits, 20000000},
		"-target, what does not":     {[]string{"-target=terraform_data.other"}, 0, ignores, 20000000},
		"-replace":                   {[]string{"-replace=" + record}, 2, "Resources: 1 added, 0 changed, 1 destroyed.", 20000000},
		"-destroy":                   {[]string{"-destroy"}, 1, "Resources: 0 added, 0 changed, 3 destroyed.", 0},
		"-destroy, -refresh=false":   {[]string{"-destroy", "-refresh=false"}, 0, "Resources: 0 added, 0 changed, 3 destroyed.", 0},
		"-replace of what uses it":   {[]string{"-replace=terraform_data.user"}, 2, "Resources: 1 added, 1 changed, 1 destroyed.", 20000000},
		"-parallelism=1 and no lock": {[]string{"-parallelism=1", "-lock=false"}, 2, waits, 20000000},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, server := newRecord(t)
			if test.requests > 0 {
				server.SetScript(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 2)))
			}
			before := len(server.Requests())
			w.apply(test.options...).expectText(test.printed)
			if got := len(server.Requests()) - before; got != test.requests {
				t.Errorf("the apply sent %d requests, want %d", got, test.requests)
			}
			if got, _ := w.attributes(record)["chunk_size"].(float64); got != test.chunkSize {
				t.Errorf("the state has the chunk size %v, want %v", got, test.chunkSize)
			}
		})
	}
}

// A state that somebody edited is put right by the next refresh, or by the next apply, which the plan shows.
func TestAccRecord_EditedState(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		from, to string // in the state
		exitCode int    // of the plan
		printed  string
	}{
		"another chunk size":     {`"chunk_size": 20000000,`, `"chunk_size": 7,`, 0, "No changes."},
		"another expected value": {`"require_password": null`, `"require_password": false`, 2, "- require_password = false -> null"},
		"no details":             {`"file_max_size": 64424509440`, `"file_max_size": null`, 0, "No changes."},
		"a wait that failed":     {`"wait_failed": false`, `"wait_failed": true`, 2, "~ wait_failed = true -> false"},
		"no wait_failed":         {`"wait_failed": false`, `"wait_failed": null`, 2, "+ wait_failed = false"},
		"another spelling":       {`"base_url": "http://127`, `"base_url": "HTTP://127`, 2, "~ base_url ="},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newRecord(t)
			state := read(t, w.dir+"/terraform.tfstate")
			edited := strings.Replace(state, test.from, test.to, 1)
			if edited == state {
				t.Fatalf("the state has no %q:\n%s", test.from, state)
			}
			w.write("terraform.tfstate", edited)
			w.plan().expectExitCode(test.exitCode).expectText(test.printed).expectWarnings()
			w.apply()
			w.expectNoChanges()
		})
	}
}
