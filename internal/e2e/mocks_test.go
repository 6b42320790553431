package e2e_test

import (
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

// Tests of modules can mock what the provider reads, maps of objects with lists included. Nested attributes could not be set in
// Terraform (hashicorp/terraform#37939), which is why ours are lists and maps of objects. What a record expects is known in the plan.
func TestAccMocks(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, `
data "filetransfer_instances" "all" {
  base_urls      = { a = "https://a.example.org", b = "https://b.example.org" }
  allow_failures = true
}

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
	w.skipWithout(acctest.MockProviders)
	w.write("mocks.tftest.hcl", `
mock_provider "filetransfer" {}

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

override_resource {
  target = filetransfer_instance_record.test
  values = {
    file_max_size            = 5
    chunk_size               = 30000000
    recommended_expire_times = [{ label = "1 month", in_seconds = 2592000, in_minutes = 43200 }]
  }
}

run "fleet" {
  assert {
    condition     = data.filetransfer_instances.all.instances["a"].recommended_expire_times[0].label == "1 day"
    error_message = "instances: ${jsonencode(data.filetransfer_instances.all.instances)}"
  }
  assert {
    condition     = data.filetransfer_instances.all.errors == tomap({ b = "connection failed" })
    error_message = "errors: ${jsonencode(data.filetransfer_instances.all.errors)}"
  }
}

run "record" {
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
	w.run("test").expectExitCode(0)
}
