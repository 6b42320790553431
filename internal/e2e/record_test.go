package e2e_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The example of the record's page waits for each change of the server, and for one that is replaced or created anew.
func TestAccRecord_WaitsForEachDeploy(t *testing.T) {
	t.Parallel()
	e := copyExample(t, "resources/filetransfer_instance_record")
	server := instancetest.New(t)
	e.write("terraform.tfvars", fmt.Sprintf("base_url = %q", server.URL()))
	e.apply()

	// A new setting has another effect: the apply fails.
	e.write("server.tf", "") // e.configuration has it too
	configuration := acctest.ImpatientProvider + strings.Replace(e.configuration, "\n\n  expected", "\n\n  timeouts { update = \"2s\" }\n\n  expected", 1)
	e.write("resource.tf", strings.Replace(configuration, `CHUNK_SIZE = "20000000"`, `CHUNK_SIZE = "2e+07"`, 1))
	e.plan().expectText("~ triggers =", "Plan: 1 to add, 2 to change, 1 to destroy.")
	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 2)))
	e.run("apply", "saved.tfplan").expectExitCode(1).
		expectText("- chunk_size is 2, expected 20000000", "The wait ended: timeouts.update is 2s.")

	// The server has its setting of before, and the next apply waits for that.
	e.write("resource.tf", configuration)
	server.SetDefault(instancetest.Answer())
	e.apply()
	e.expectNoChanges()

	// The server is replaced.
	e.plan("-replace=terraform_data.server").expectText("~ triggers =")
	asked := len(server.Requests())
	server.SetScript(instancetest.Status(503))
	e.applyPlan()
	if asked = len(server.Requests()) - asked; asked < 3 { // the two last answers are right
		t.Errorf("%d requests in the apply, want 3 or more", asked)
	}

	// An earlier apply has replaced it. replace_triggered_by alone does not notice this, and the next.
	e.apply("-target=terraform_data.server", "-replace=terraform_data.server")
	e.plan().expectText("~ triggers =", "Plan: 1 to add, 1 to change, 1 to destroy.")
	e.applyPlan()

	// It is created anew, under another name.
	e.write("resource.tf", strings.NewReplacer(`"server"`, `"another"`, "terraform_data.server", "terraform_data.another").Replace(configuration))
	e.plan().expectText("~ triggers =", "Plan: 2 to add, 1 to change, 2 to destroy.")
	e.applyPlan()
}

// Each difference from what is expected has its own warning: of several with the same summary, Terraform shows only the first.
func TestAccRecord_DriftWarnings(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	w := newWorkspace(t, acctest.ImpatientProvider+fmt.Sprintf(`
resource "filetransfer_instance_record" "chunks" {
  base_url = %[1]q

  expected {
    chunk_size = 20000000
  }
}

resource "filetransfer_instance_record" "files" {
  base_url = %[1]q

  expected {
    chunk_size    = 20000000
    file_max_size = 64424509440
  }
}

resource "filetransfer_instance_record" "release" {
  base_url = %[1]q

  expected {
    api_version = "2.1.5"
  }
}
`, server.URL()))
	w.apply().expectWarnings()

	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", "2.1.4").With("fileMaxSize", 64)))
	warnings := []string{
		"Instance did not report what is expected: " + server.URL() + " (api_version is 2.1.4, expected 2.1.5)",
		"Instance did not report what is expected: " + server.URL() + " (file_max_size is 64, expected 64424509440)",
	}
	w.plan().expectWarnings(warnings...).expectText(": file_max_size = 64424509440",
		"When it was last read, the instance reported other values: - file_max_size is 64,",
		"for timeouts.update (10m) at most", "0 to add, 2 to change, 0 to destroy")

	// The apply repeats the warnings of its plan, although the instance now reports what is expected. What is not expected of a record
	// has changed too.
	server.SetDefault(instancetest.Answer())
	w.applyPlan().expectWarnings(append(warnings, "Other details changed while the apply waited: "+server.URL())...)
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
    api_version = "2.1.5"
    chunk_size  = 20000000
  }
}
`, baseURL)
	}
	before, after := instancetest.New(t), instancetest.New(t, instancetest.WithDocument(instancetest.Older()))
	w := newWorkspace(t, config(before.URL()))
	w.apply()

	// Somebody presses Ctrl-C in the third attempt. Each makes a connection.
	w.configure(config(after.URL()))
	ctx, interrupt := context.WithTimeout(t.Context(), 2*time.Minute)
	defer interrupt()
	go func() {
		for ctx.Err() == nil && after.Connections() < 3 {
			time.Sleep(20 * time.Millisecond)
		}
		interrupt()
	}()
	w.runUntil(ctx, "apply", "-auto-approve").expectText("Error: Read canceled", "was canceled after", "GET "+after.URL()+"/instance",
		"- api_version is 1.3.2, expected 2.1.5 - chunk_size is 10000000, expected 20000000")

	// The rollback waits for the instance of before.
	w.configure(config(before.URL()))
	w.plan().expectText("~ wait_failed = true -> false", "Plan: 0 to add, 1 to change, 0 to destroy.")
	before.SetScript(instancetest.Status(503))
	w.applyPlan()
	w.expectNoChanges()
}

// A wait that fails stops what is created or updated in place. What is replaced or removed is destroyed before the wait,
// unless it has create_before_destroy.
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

resource "terraform_data" "apart" {
  input = var.chunk_size
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
			for address, want := range map[string]float64{
				"terraform_data.in_place": 20000000, "terraform_data.apart": 30000000, "terraform_data.server": 30000000,
			} {
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
