package e2e_test

import (
	"path/filepath"
	"testing"
)

// TestAccMocksSetListsAndMapsOfObjects: nested attributes could not be set in
// Terraform (hashicorp/terraform#37939), which is why ours are lists and maps
// of objects.
func TestAccMocksSetListsAndMapsOfObjects(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	cli.need(t, version{1, 8}, version{1, 8}, "a mock of a provider's data source")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.tf"), requirement+`
data "filetransfer_instance" "one" {
  base_url = "https://files.example.org"
}

data "filetransfer_instances" "all" {
  base_urls      = { a = "https://a.example.org", b = "https://b.example.org" }
  allow_failures = true
}

resource "filetransfer_instance_record" "mocked" {
  base_url = "https://files.example.org"
}

resource "filetransfer_instance_record" "overridden" {
  base_url = "https://files.example.org"
}

output "recorded" {
  value = {
    mocked     = filetransfer_instance_record.mocked.recommended_expire_times[*].label
    overridden = filetransfer_instance_record.overridden.recommended_expire_times[*].label
  }
}

output "labels" {
  value = data.filetransfer_instance.one.recommended_expire_times[*].label
}

output "seconds" {
  value = sum(data.filetransfer_instance.one.recommended_expire_times[*].in_seconds)
}

output "sizes" {
  value = { for key, instance in data.filetransfer_instances.all.instances : key => instance.file_max_size }
}

output "options" {
  value = { for key, instance in data.filetransfer_instances.all.instances : key => instance.recommended_expire_times[*].label }
}

output "errors" {
  value = data.filetransfer_instances.all.errors
}
`)
	write(t, filepath.Join(dir, "mocks.tftest.hcl"), `
mock_provider "filetransfer" {
  mock_data "filetransfer_instance" {
    defaults = {
      recommended_expire_times = [
        { label = "1 hour", in_seconds = 3600, in_minutes = 60 },
        { label = "1 day", in_seconds = 86400, in_minutes = 1440 },
      ]
    }
  }

  mock_resource "filetransfer_instance_record" {
    defaults = {
      recommended_expire_times = [
        { label = "1 hour", in_seconds = 3600, in_minutes = 60 },
        { label = "1 week", in_seconds = 604800, in_minutes = 10080 },
      ]
    }
  }

  mock_data "filetransfer_instances" {
    defaults = {
      instances = {
        a = {
          base_url               = "https://a.example.org"
          file_max_size          = 21474836480
          chunk_size             = 10000000
          require_password       = false
          api_version            = "1.3.2"
          api_version_major      = 1
          api_version_minor      = 3
          api_version_patch      = 2
          file_max_age           = 2592000
          max_transfers_in_merge = 10
          recommended_expire_times = [
            { label = "1 week", in_seconds = 604800, in_minutes = 10080 },
          ]
        }
      }
      errors = { b = "connection failed" }
    }
  }
}

override_resource {
  target = filetransfer_instance_record.overridden
  values = {
    recommended_expire_times = [{ label = "1 month", in_seconds = 2592000, in_minutes = 43200 }]
  }
}

run "mocks" {
  assert {
    condition     = output.labels == tolist(["1 hour", "1 day"]) && output.seconds == 90000
    error_message = "recommended_expire_times: ${jsonencode(output.labels)}, ${output.seconds}"
  }
  assert {
    condition     = output.sizes == { a = 21474836480 } && jsonencode(output.options) == jsonencode({ a = ["1 week"] })
    error_message = "instances: ${jsonencode(output.sizes)}, ${jsonencode(output.options)}"
  }
  assert {
    condition     = output.errors == tomap({ b = "connection failed" })
    error_message = "errors: ${jsonencode(output.errors)}"
  }
  assert {
    condition     = jsonencode(output.recorded) == jsonencode({ mocked = ["1 hour", "1 week"], overridden = ["1 month"] })
    error_message = "record: ${jsonencode(output.recorded)}"
  }
}

run "override_data" {
  override_data {
    target = data.filetransfer_instance.one
    values = {
      recommended_expire_times = [{ label = "30 minutes", in_seconds = 1800, in_minutes = 30 }]
    }
  }

  override_data {
    target = data.filetransfer_instances.all
    values = {
      instances = {
        b = {
          base_url                 = "https://b.example.org"
          file_max_size            = 1
          chunk_size               = 2
          require_password         = true
          api_version              = "2.0.0"
          api_version_major        = 2
          api_version_minor        = 0
          api_version_patch        = 0
          file_max_age             = 3
          max_transfers_in_merge   = 50
          recommended_expire_times = []
        }
      }
      errors = {}
    }
  }

  assert {
    condition     = output.labels == tolist(["30 minutes"]) && output.seconds == 1800
    error_message = "recommended_expire_times: ${jsonencode(output.labels)}, ${output.seconds}"
  }
  assert {
    condition     = output.sizes == { b = 1 } && jsonencode(output.options) == jsonencode({ b = [] })
    error_message = "instances: ${jsonencode(output.sizes)}, ${jsonencode(output.options)}"
  }
}
`)
	cli.mustRun(t, dir, "test", "-no-color")
}
