package e2e_test

import (
	"path/filepath"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

// TestAccMocks mocks what the tests of the examples do not: a record (an override of one is in TestAccRecord_ExpectedInTests), and a map of objects with lists. Nested attributes
// could not be set in Terraform (hashicorp/terraform#37939), which is why ours are lists and maps of objects.
func TestAccMocks(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.skipWithout(t, acctest.MockProviders)
	w := newWorkspace(t, c, `
data "filetransfer_instances" "all" {
  base_urls      = { a = "https://a.example.org", b = "https://b.example.org" }
  allow_failures = true
}

resource "filetransfer_instance_record" "mocked" { base_url = "https://files.example.org" }

output "options" {
  value = merge(
    { for key, instance in data.filetransfer_instances.all.instances : key => instance.recommended_expire_times[*].label },
    { mocked = filetransfer_instance_record.mocked.recommended_expire_times[*].label },
  )
}

output "errors" { value = data.filetransfer_instances.all.errors }
`)
	write(t, filepath.Join(w.dir, "mocks.tftest.hcl"), `
mock_provider "filetransfer" {
  mock_resource "filetransfer_instance_record" {
    defaults = {
      recommended_expire_times = [
        { label = "1 hour", in_seconds = 3600, in_minutes = 60 },
        { label = "1 week", in_seconds = 604800, in_minutes = 10080 },
      ]
    }
  }
}

override_data {
  target = data.filetransfer_instances.all
  values = {
    instances = {
      a = {
        base_url                 = "https://a.example.org"
        file_max_size            = 21474836480
        chunk_size               = 10000000
        require_password         = false
        api_version              = "1.3.2"
        api_version_major        = 1
        api_version_minor        = 3
        api_version_patch        = 2
        file_max_age             = 2592000
        max_transfers_in_merge   = 10
        recommended_expire_times = [{ label = "1 day", in_seconds = 86400, in_minutes = 1440 }]
      }
    }
    errors = { b = "connection failed" }
  }
}

run "mocks" {
  assert {
    condition     = jsonencode(output.options) == jsonencode({ a = ["1 day"], mocked = ["1 hour", "1 week"] })
    error_message = "options: ${jsonencode(output.options)}"
  }
  assert {
    condition     = output.errors == tomap({ b = "connection failed" })
    error_message = "errors: ${jsonencode(output.errors)}"
  }
}
`)
	w.mustRun(t, w.dir, "test", "-no-color")
}
