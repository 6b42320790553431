package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// dependentsConfig returns a server with a chunk size, a record that expects it, and a resource of each kind that uses the record. The
// texts are the lifecycles of the record, and of what is replaced or removed.
func dependentsConfig(baseURL string, chunkSize int, ofRecord, ofReplaced string) string {
	return acctest.ImpatientProvider + fmt.Sprintf(`
resource "terraform_data" "server" {
  input = %[2]d
}

resource "filetransfer_instance_record" "record" {
  base_url   = %[1]q
  depends_on = [terraform_data.server]

  expected {
    chunk_size = %[2]d
  }

  timeouts {
    create = "1s"
    update = "1s"
  }

  lifecycle {
    %[3]s
  }
}

resource "terraform_data" "in_place" {
  input = filetransfer_instance_record.record.chunk_size
}

resource "terraform_data" "replaced" {
  triggers_replace = filetransfer_instance_record.record.chunk_size

  lifecycle {
    %[4]s
  }
}

resource "terraform_data" "of_another_value" {
  triggers_replace = filetransfer_instance_record.record.file_max_size

  lifecycle {
    %[4]s
  }
}

resource "terraform_data" "removed" {
  count = filetransfer_instance_record.record.chunk_size > 20000000 ? 0 : 1

  lifecycle {
    %[4]s
  }
}

resource "terraform_data" "apart" {
  input = %[2]d
}

output "chunk_size" {
  value = filetransfer_instance_record.record.chunk_size
}
`, baseURL, chunkSize, ofRecord, ofReplaced)
}

// A wait that fails stops what is created or updated in place. What is replaced is destroyed before the wait, unless it has
// create_before_destroy.
func TestAccRecord_WhatAFailedWaitStops(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.skipWithout(t, acctest.TerraformData)
	const createFirst, triggered = "create_before_destroy = true", "replace_triggered_by = [terraform_data.server]"
	tests := map[string]struct {
		ofRecord, ofReplaced string
		gone                 []string
	}{
		"a resource that is replaced":             {"", "", []string{"removed", "replaced"}},
		"one with create_before_destroy":          {"", createFirst, nil},
		"a record that is replaced":               {triggered, "", []string{"of_another_value", "record", "removed", "replaced"}},
		"one with create_before_destroy too":      {triggered + "\n" + createFirst, "", []string{"of_another_value", "removed", "replaced"}},
		"both with create_before_destroy":         {triggered + "\n" + createFirst, createFirst, nil},
		"what uses it with create_before_destroy": {triggered, createFirst, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			w := newWorkspace(t, c, dependentsConfig(server.URL(), 20000000, test.ofRecord, test.ofReplaced))
			w.apply()
			w.configure(dependentsConfig(server.URL(), 30000000, test.ofRecord, test.ofReplaced))
			w.do("apply", "-auto-approve").wantText(t, "exit code 1:", "Error: Instance does not report what is expected")

			var gone []string
			for _, address := range []string{
				"terraform_data.of_another_value", "filetransfer_instance_record.record", "terraform_data.removed", "terraform_data.replaced",
			} {
				if w.record(address) == nil {
					gone = append(gone, address[strings.Index(address, ".")+1:])
				}
			}
			if !slices.Equal(gone, test.gone) {
				t.Errorf("gone are %q, want %q", gone, test.gone)
			}
			for name, want := range map[string]float64{"in_place": 20000000, "apart": 30000000, "server": 30000000} {
				if got := w.follower("terraform_data." + name); got != want {
					t.Errorf("%s is %v, want %v", name, got, want)
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
	config := func(baseURL string, chunkSize int, lifecycle string) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "terraform_data" "server" {
  triggers_replace = %[2]d
}

resource "filetransfer_instance_record" "record" {
  base_url   = %[1]q
  depends_on = [terraform_data.server]

  expected {
    chunk_size = %[2]d
  }
}

resource "terraform_data" "replaced" {
  triggers_replace = filetransfer_instance_record.record.chunk_size

  lifecycle {
    %[3]s
  }
}
`, baseURL, chunkSize, lifecycle)
	}
	tests := map[string]struct{ lifecycle, want string }{
		"without": {"", "terraform_data.server must be replaced -/+ resource"},
		"with":    {"create_before_destroy = true", "terraform_data.server must be replaced +/- resource"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			w := newWorkspace(t, c, config(server.URL(), 20000000, test.lifecycle))
			w.apply()
			w.configure(config(server.URL(), 30000000, test.lifecycle))
			w.plan().wantText(t, test.want)
		})
	}
}
