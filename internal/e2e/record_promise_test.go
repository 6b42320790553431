package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// promiseOf has a server, a record that waits for it, and each kind of resource that the record's page promises something of.
// The settings are what the server gets and what is expected of it. The texts are for the blocks of the record and of the
// resource that is replaced.
func promiseOf(baseURL string, chunkSize int, ofRecord, ofReplaced string) string {
	return fmt.Sprintf(acctest.ImpatientProvider+`
resource "terraform_data" "server" { input = %[2]d }

resource "filetransfer_instance_record" "this" {
  base_url   = %[1]q
  depends_on = [terraform_data.server]
  timeouts {
    create = "300ms"
    update = "300ms"
  }

  expected { chunk_size = %[2]d }

  %[3]s
}

resource "terraform_data" "in_place" { input = filetransfer_instance_record.this.chunk_size }

resource "terraform_data" "replaced" {
  triggers_replace = filetransfer_instance_record.this.chunk_size
  %[4]s
}

resource "terraform_data" "of_another_value" {
  triggers_replace = filetransfer_instance_record.this.file_max_size
  %[4]s
}

resource "terraform_data" "removed" {
  count = filetransfer_instance_record.this.chunk_size > 20000000 ? 0 : 1
  %[4]s
}

resource "terraform_data" "apart" { input = %[2]d }

output "chunk_size" { value = filetransfer_instance_record.this.chunk_size }
`, baseURL, chunkSize, ofRecord, ofReplaced)
}

// A wait that fails stops what is created or updated in place. What is replaced is destroyed before the wait, unless it has
// create_before_destroy.
func TestAccRecord_WhatAFailedWaitStops(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.skipWithout(t, acctest.TerraformData)
	const (
		createFirst = "lifecycle { create_before_destroy = true }"
		triggered   = "lifecycle { replace_triggered_by = [terraform_data.server] }"
		both        = "lifecycle {\n replace_triggered_by = [terraform_data.server]\n create_before_destroy = true\n}"
	)
	tests := map[string]struct {
		ofRecord, ofReplaced string
		gone                 []string
	}{
		"a resource that is replaced":             {"", "", []string{"removed", "replaced"}},
		"one with create_before_destroy":          {"", createFirst, nil},
		"a record that is replaced":               {triggered, "", []string{"of_another_value", "removed", "replaced", "this"}},
		"one with create_before_destroy too":      {both, "", []string{"of_another_value", "removed", "replaced"}},
		"both with create_before_destroy":         {both, createFirst, nil},
		"what uses it with create_before_destroy": {triggered, createFirst, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			w := newWorkspace(t, c, promiseOf(server.URL(), 20000000, test.ofRecord, test.ofReplaced))
			w.apply()
			w.configure(promiseOf(server.URL(), 30000000, test.ofRecord, test.ofReplaced))
			w.do("apply", "-auto-approve").wantText(t, "exit code 1:", "Error: Instance does not report what is expected")

			var gone []string
			for _, address := range []string{"terraform_data.of_another_value", "terraform_data.removed", "terraform_data.replaced", theRecord} {
				if w.record(address) == nil {
					gone = append(gone, address[strings.Index(address, ".")+1:])
				}
			}
			if !slices.Equal(gone, test.gone) {
				t.Errorf("gone are %q, want %q", gone, test.gone)
			}
			for follower, want := range map[string]float64{"in_place": 20000000, "apart": 30000000, "server": 30000000} {
				if got := w.follower("terraform_data." + follower); got != want {
					t.Errorf("%s is %v, want %v", follower, got, want)
				}
			}
			if got := w.state().Outputs["chunk_size"].Value; got != 30000000. {
				t.Errorf("the output is %v", got)
			}

			// The next apply waits again, and puts everything right.
			server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 30000000)))
			w.apply()
			w.wantNoChanges(nil)
		})
	}
}

// create_before_destroy reaches everything that the resource depends on, so the page warns of two servers at a time.
func TestAccRecord_CreateBeforeDestroyReachesTheServer(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.skipWithout(t, acctest.TerraformData)
	server := instancetest.New(t)
	replacedServer := strings.NewReplacer(`"server" { input`, `"server" { triggers_replace`)
	for ofReplaced, want := range map[string]string{
		"": "-/+",
		"lifecycle { create_before_destroy = true }": "+/-",
	} {
		w := newWorkspace(t, c, replacedServer.Replace(promiseOf(server.URL(), 20000000, "", ofReplaced)))
		w.apply()
		w.configure(replacedServer.Replace(promiseOf(server.URL(), 30000000, "", ofReplaced)))
		w.plan().wantText(t, "terraform_data.server must be replaced "+want+" resource")
	}
}
