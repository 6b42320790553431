package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A record warns of drift on the line of the argument, and again after an apply that succeeds. Of several warnings with the same summary,
// Terraform would show only the first.
func TestAccRecord_Warnings(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	const record = `
resource "filetransfer_instance_record" %q {
  base_url = %q

  expected {
    %s
  }
}
`
	w := newWorkspace(t, acctest.ImpatientProvider+fmt.Sprintf(record, "chunks", server.URL(), "chunk_size = 20000000")+
		fmt.Sprintf(record, "files", server.URL(), "file_max_size = 64424509440")+
		fmt.Sprintf(record, "release", server.URL(), "api_version = \"2.1.5\""))
	w.apply().expectWarnings()

	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", "2.1.4").With("fileMaxSize", int64(6442450944))))
	drift := []string{
		"Not as expected when last read: " + server.URL() + " (api_version is 2.1.4, expected 2.1.5)",
		"Not as expected when last read: " + server.URL() + " (file_max_size is 6442450944, expected 64424509440)",
	}
	w.plan().expectExitCode(2).expectWarnings(drift...).expectText("Plan: 0 to add, 2 to change, 0 to destroy.",
		": file_max_size = 64424509440", "- file_max_size is 6442450944, expected 64424509440")

	server.SetDefault(instancetest.Answer())
	w.applyPlan().expectWarnings(append(drift,
		"Other details changed while the apply waited: "+server.URL()+" (api_version is 2.1.5, planned 2.1.4)",
		"Other details changed while the apply waited: "+server.URL()+" (file_max_size is 64424509440, planned 6442450944)")...)
	w.expectNoChanges().expectWarnings()
}

// An interrupted wait says what it met, and the next apply waits again.
func TestAccRecord_InterruptedWait(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("os.Process cannot interrupt a process on Windows, and Ctrl-Break needs a console")
	}
	config := func(baseURL string) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q

  expected {
    chunk_size = 20000000
  }
}
`, baseURL)
	}
	before := instancetest.New(t)
	w := newWorkspace(t, config(before.URL()))
	w.apply()

	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	wrong := instancetest.AnswerDocument(instancetest.Older())
	after := instancetest.New(t, instancetest.WithDefault(instancetest.Silent()), instancetest.WithScript(wrong, wrong,
		instancetest.Func(func(_ http.ResponseWriter, r *http.Request) {
			interrupt()
			<-r.Context().Done()
		})))
	w.configure(config(after.URL()))
	w.runUntil(ctx, "apply", "-auto-approve").expectExitCode(1).expectText("Error: Wait canceled", "chunk_size = 20000000",
		"Canceled after 3 attempts.", "GET "+after.URL()+"/instance: the document is not as expected: - chunk_size is 10000000, expected 20000000")

	// The rollback waits for the first instance, although its record has not changed.
	w.configure(config(before.URL()))
	w.plan().expectText("~ wait_failed = true -> false", "Plan: 0 to add, 1 to change, 0 to destroy.")
	before.SetScript(instancetest.Status(503))
	w.applyPlan()
	w.expectNoChanges()
}

// Drift destroys what names the record in replace_triggered_by before a wait that fails. What compares the value survives, and so does what
// names it.
func TestAccRecord_DriftAndReplaceTriggeredBy(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	w := newWorkspace(t, acctest.ImpatientProvider+fmt.Sprintf(`
resource "filetransfer_instance_record" "record" {
  base_url = %q
  timeouts { update = "1s" }
  expected { chunk_size = 20000000 }
}

resource "terraform_data" "names_the_record" {
  lifecycle { replace_triggered_by = [filetransfer_instance_record.record.chunk_size] }
}

resource "terraform_data" "compares_the_value" {
  triggers_replace = filetransfer_instance_record.record.chunk_size
}

resource "terraform_data" "names_what_compares" {
  lifecycle { replace_triggered_by = [terraform_data.compares_the_value] }
}
`, server.URL()))
	w.skipWithout(acctest.TerraformData)
	w.apply()

	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 10000000)))
	w.run("apply", "-auto-approve").expectExitCode(1).expectText("Error: Instance does not report what is expected")
	for address, want := range map[string]bool{
		"terraform_data.names_the_record": true, "terraform_data.compares_the_value": false, "terraform_data.names_what_compares": false,
	} {
		if gone := w.attributes(address) == nil; gone != want {
			t.Errorf("after the wait that failed, %s is destroyed: %t, want %t", address, gone, want)
		}
	}
}

// A dynamic block that was unknown in the plan and turns out to be missing ends the apply, as the troubleshooting guide says.
func TestAccRecord_DynamicBlocks(t *testing.T) {
	t.Parallel()
	for block, argument := range map[string]string{"expected": "chunk_size = 20000000", "timeouts": `create = "5s"`} {
		t.Run(block, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, acctest.ImpatientProvider+fmt.Sprintf(`
resource "terraform_data" "none" { input = [] }

resource "filetransfer_instance_record" "record" {
  base_url = %q

  dynamic %q {
    for_each = terraform_data.none.output
    content { %s }
  }
}
`, instancetest.New(t).URL(), block, argument))
			w.skipWithout(acctest.TerraformData)
			w.run("apply", "-auto-approve").expectExitCode(1).expectText("Provider produced inconsistent final plan")
		})
	}
}

// A wait that fails stops what is created or updated in place. What is replaced or removed is destroyed before the wait, unless it has
// create_before_destroy.
func TestAccRecord_WhatAFailedWaitStops(t *testing.T) {
	t.Parallel()
	const configuration = acctest.ImpatientProvider + `
variable "base_url" { type = string }

variable "chunk_size" { type = number }

resource "terraform_data" "server" {
  input = var.chunk_size
}

resource "filetransfer_instance_record" "record" {
  base_url   = var.base_url
  depends_on = [terraform_data.server]

  expected {
    chunk_size = var.chunk_size
  }

  timeouts {
    create = "1s"
    update = "1s"
  }

  # lifecycle of the record
}

resource "terraform_data" "in_place" {
  input = filetransfer_instance_record.record.chunk_size
}

resource "terraform_data" "replaced" {
  triggers_replace = filetransfer_instance_record.record.chunk_size
  # lifecycle of others
}

resource "terraform_data" "removed" {
  count = filetransfer_instance_record.record.chunk_size > 20000000 ? 0 : 1
  # lifecycle of others
}

resource "terraform_data" "of_another_value" {
  triggers_replace = filetransfer_instance_record.record.file_max_size
  # lifecycle of others
}

output "chunk_size" {
  value = filetransfer_instance_record.record.chunk_size
}
`
	const record, ofAnotherValue = "filetransfer_instance_record.record", "terraform_data.of_another_value"
	const replaced, removed = "terraform_data.replaced", "terraform_data.removed"
	tests := map[string]struct {
		lifecycleOfRecord, lifecycleOfOthers string
		gone                                 []string
	}{
		"the record is updated": {gone: []string{replaced, removed}},
		"the record is replaced": {
			lifecycleOfRecord: "lifecycle { replace_triggered_by = [terraform_data.server] }",
			gone:              []string{record, replaced, removed, ofAnotherValue},
		},
		"others are created before they are destroyed": {
			lifecycleOfOthers: "lifecycle { create_before_destroy = true }",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			w := newWorkspace(t, strings.NewReplacer("# lifecycle of the record", test.lifecycleOfRecord,
				"# lifecycle of others", test.lifecycleOfOthers).Replace(configuration))
			w.skipWithout(acctest.TerraformData)
			url, before, after := "-var=base_url="+server.URL(), "-var=chunk_size=20000000", "-var=chunk_size=30000000"
			w.apply(url, before)
			w.run("apply", "-auto-approve", url, after).
				expectExitCode(1).expectText("Error: Instance does not report what is expected")

			for _, address := range []string{record, replaced, removed, ofAnotherValue} {
				gone, want := w.attributes(address) == nil, slices.Contains(test.gone, address)
				if gone != want {
					t.Errorf("after the wait that failed, %s is destroyed: %t, want %t", address, gone, want)
				}
			}
			for address, want := range map[string]float64{"terraform_data.in_place": 20000000, "terraform_data.server": 30000000} {
				if got := w.attributes(address)["input"].(map[string]any)["value"]; got != want {
					t.Errorf("the input of %s is %v, want %v", address, got, want)
				}
			}
			if got := w.state().Outputs["chunk_size"].Value; got != 30000000. {
				t.Errorf("the output is %v, want the planned 30000000", got)
			}

			// The next apply waits again, and puts everything right.
			server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 30000000)))
			w.apply(url, after)
			w.expectNoChanges(url, after)
		})
	}
}
