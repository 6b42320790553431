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

// releaseOf is a record that expects a chunk size and a version, and what follows from the chunk size.
func releaseOf(baseURL string, chunkSize int, version string) string {
	return fmt.Sprintf(acctest.ImpatientProvider+`
resource "filetransfer_instance_record" "this" {
  base_url = %q

  expected {
    chunk_size  = %d
    api_version = %q
  }
}

resource "terraform_data" "follows" { input = filetransfer_instance_record.this.chunk_size }
`, baseURL, chunkSize, version)
}

// released is the document of a new release with another chunk size.
var released = instancetest.Newer().With("apiVersion", "2.2.0").With("chunkSize", 30000000)

// What somebody else changed is said in the plan and in its apply, and so is what else a release has changed.
func TestAccRecord_WarnsOfDriftAndOfOtherDetails(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.skipWithout(t, acctest.TerraformData)
	server := instancetest.New(t)
	w := newWorkspace(t, c, releaseOf(server.URL(), 20000000, "2.1.5"))
	wantWarnings(t, w.apply())
	drift, other := "Instance did not report what is expected: "+server.URL(), "Other details changed while the apply waited: "+server.URL()

	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 10000000)))
	plan := w.plan()
	wantWarnings(t, plan, drift)
	plan.wantText(t, ": chunk_size = 20000000", "- chunk_size is 10000000, expected 20000000", "timeouts.update (10m)", "0 to add, 1 to change, 0 to destroy")
	server.SetDefault(instancetest.Answer())
	wantWarnings(t, w.applyPlan(), drift)
	w.wantNoChanges(nil)

	w.configure(releaseOf(server.URL(), 30000000, "2.2.0"))
	wantWarnings(t, w.plan()) // the configuration has changed, not the instance
	server.SetDefault(instancetest.AnswerDocument(released.With("fileMaxSize", 1000)))
	done := w.applyPlan()
	wantWarnings(t, done, other)
	done.wantText(t, "- file_max_size is 1000, planned 64424509440", "add it to expected")
	w.wantNoChanges(nil)
}

// A wrong path, or a certificate that is not trusted, is waited for as long as an instance that reports something else.
func TestAccRecord_InterruptedWaitSaysWhatTheInstanceAnswers(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no way to interrupt one process on Windows")
	}
	c := acceptance(t)
	c.skipWithout(t, acctest.TerraformData)
	for want, option := range map[string]instancetest.Option{
		": status 404 Not Found": instancetest.WithDefault(instancetest.Status(404)),
		"certificate signed by":  instancetest.WithTLS(),
		"- api_version is 2.1.5, expected 2.2.0 - chunk_size is 20000000, expected 30000000": instancetest.WithPath(""),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, option)
			w := newWorkspace(t, c, releaseOf(server.URL(), 30000000, "2.2.0"))
			ctx, interrupt := context.WithTimeout(t.Context(), 2*time.Minute)
			defer interrupt()
			go func() {
				for ctx.Err() == nil && server.Connections() < 3 { // each attempt makes one
					time.Sleep(20 * time.Millisecond)
				}
				interrupt()
			}()
			w.runUntil(ctx, t, w.dir, "apply", "-auto-approve").
				wantText(t, "Error: Read canceled", "was canceled after", "GET "+server.URL()+"/instance", want)
		})
	}
}

// In a test of a module, what is expected is known in the plan, and an override sets the rest.
func TestAccRecord_ExpectedInTests(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.skipWithout(t, acctest.MockProviders)
	w := newWorkspace(t, c, releaseOf("https://files.example.org", 30000000, "2.2.0"))
	write(t, filepath.Join(w.dir, "expected.tftest.hcl"), `
mock_provider "filetransfer" {}

override_resource {
  target = filetransfer_instance_record.this
  values = {
    file_max_size            = 5
    chunk_size               = 30000000
    recommended_expire_times = [{ label = "1 month", in_seconds = 2592000, in_minutes = 43200 }]
  }
}

run "expected" {
  assert {
    condition     = terraform_data.follows.output == 30000000 && filetransfer_instance_record.this.file_max_size == 5
    error_message = "chunk_size: ${terraform_data.follows.output}"
  }
  assert {
    condition     = filetransfer_instance_record.this.recommended_expire_times[0].label == "1 month"
    error_message = "options: ${jsonencode(filetransfer_instance_record.this)}"
  }
  assert {
    condition     = filetransfer_instance_record.this.expected.api_version == "2.2.0"
    error_message = "expected: ${jsonencode(filetransfer_instance_record.this.expected)}"
  }
}
`)
	w.mustRun(t, w.dir, "test", "-no-color")
}
