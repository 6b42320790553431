package e2e_test

import (
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

// Tests of modules can mock lists with elements, also those in a fleet's map of objects. In Terraform, nested attributes could not be
// set (hashicorp/terraform#37939), which is why ours are lists and maps of objects. TestAccGuide_... mock the rest.
func TestAccMocks_Lists(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, `
data "filetransfer_instances" "fleet" { base_urls = { paris = "https://paris.example.org" } }

resource "filetransfer_instance_record" "files" { base_url = "https://files.example.org" }
`)
	w.skipWithout(acctest.MockProviders)
	w.write("mocks.tftest.hcl", `
mock_provider "filetransfer" {}

override_data {
  target = data.filetransfer_instances.fleet
  values = {
    instances = {
      paris = {
        base_url                 = "https://paris.example.org"
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
  }
}

override_resource {
  target = filetransfer_instance_record.files
  values = {
    recommended_expire_times = [{ label = "1 month", in_seconds = 2592000, in_minutes = 43200 }]
  }
}

run "lists" {
  assert {
    condition     = data.filetransfer_instances.fleet.instances["paris"].recommended_expire_times[0].label == "1 day"
    error_message = "instances: ${jsonencode(data.filetransfer_instances.fleet.instances)}"
  }
  assert {
    condition     = filetransfer_instance_record.files.recommended_expire_times[0].label == "1 month"
    error_message = "options: ${jsonencode(filetransfer_instance_record.files.recommended_expire_times)}"
  }
}
`)
	w.run("test").expectExitCode(0)
}
