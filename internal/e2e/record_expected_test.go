package e2e_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Of several warnings with the same summary, Terraform shows only the first.
func TestAccRecord_DriftWarnings(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	w := newWorkspace(t, acceptance(t), acctest.ImpatientProvider+fmt.Sprintf(`
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
	wantWarnings(t, w.apply())

	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", "2.1.4").With("fileMaxSize", 64)))
	warnings := []string{
		"Instance did not report what is expected: " + server.URL() + " (api_version is 2.1.4, expected 2.1.5)",
		"Instance did not report what is expected: " + server.URL() + " (file_max_size is 64, expected 64424509440)",
	}
	plan := w.plan()
	wantWarnings(t, plan, warnings...)
	plan.wantText(t, ": file_max_size = 64424509440", "When this run began, the instance reported other values: - file_max_size is 64,",
		"for timeouts.update (10m) at most", "0 to add, 2 to change, 0 to destroy")

	// The apply repeats the warnings of its plan, although the instance now reports what is expected. What is not expected of a record has
	// changed too.
	server.SetDefault(instancetest.Answer())
	wantWarnings(t, w.applyPlan(), append(warnings, "Other details changed while the apply waited: "+server.URL())...)
	w.wantNoChanges(nil)
}

// An interrupted wait says what it met, and the next apply waits again.
func TestAccRecord_InterruptedWait(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no way to interrupt one process on Windows")
	}
	c := acceptance(t)
	tests := map[string]struct {
		instance instancetest.Option
		want     string
	}{
		"wrong path":              {instancetest.WithDefault(instancetest.Status(404)), ": status 404 Not Found"},
		"certificate not trusted": {instancetest.WithTLS(), "certificate signed by"},
		"other values": {
			instancetest.WithDocument(instancetest.Older()), "- api_version is 1.3.2, expected 2.1.5 - chunk_size is 10000000, expected 20000000",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
			before, server := instancetest.New(t), instancetest.New(t, test.instance)
			w := newWorkspace(t, c, config(before.URL()))
			w.apply()

			w.configure(config(server.URL()))
			ctx, interrupt := context.WithTimeout(t.Context(), 2*time.Minute)
			defer interrupt()
			go func() {
				for ctx.Err() == nil && server.Connections() < 3 { // each attempt makes one
					time.Sleep(20 * time.Millisecond)
				}
				interrupt()
			}()
			w.runUntil(ctx, t, w.dir, "apply", "-auto-approve").
				wantText(t, "Error: Read canceled", "was canceled after", "GET "+server.URL()+"/instance", test.want)

			w.configure(config(before.URL()))
			w.plan().wantText(t, "~ wait_failed = true -> false", "Plan: 0 to add, 1 to change, 0 to destroy.")
			before.SetScript(instancetest.Status(503))
			w.applyPlan()
			w.wantNoChanges(nil)
		})
	}
}

// In a test of a module, what is expected is known in the plan, and an override sets the rest.
func TestAccRecord_ExpectedInTests(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.skipWithout(t, acctest.MockProviders)
	w := newWorkspace(t, c, `
resource "filetransfer_instance_record" "test" {
  base_url = "https://files.example.org"

  expected {
    chunk_size = 30000000
  }
}

resource "terraform_data" "chunk_size" {
  input = filetransfer_instance_record.test.chunk_size
}
`)
	write(t, filepath.Join(w.dir, "expected.tftest.hcl"), `
mock_provider "filetransfer" {}

override_resource {
  target = filetransfer_instance_record.test
  values = {
    file_max_size            = 5
    chunk_size               = 30000000
    recommended_expire_times = [{ label = "1 month", in_seconds = 2592000, in_minutes = 43200 }]
  }
}

run "expected" {
  assert {
    condition     = terraform_data.chunk_size.output == 30000000 && filetransfer_instance_record.test.expected.chunk_size == 30000000
    error_message = "chunk_size: ${terraform_data.chunk_size.output}"
  }
  assert {
    condition     = filetransfer_instance_record.test.file_max_size == 5
    error_message = "file_max_size: ${filetransfer_instance_record.test.file_max_size}"
  }
  assert {
    condition     = filetransfer_instance_record.test.recommended_expire_times[0].label == "1 month"
    error_message = "options: ${jsonencode(filetransfer_instance_record.test.recommended_expire_times)}"
  }
}
`)
	w.mustRun(t, w.dir, "test", "-no-color")
}
