terraform {
  required_version = ">= 1.5"

  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_urls" {
  description = "Base URLs of the instances, by a name of your choice."
  type        = map(string)
}

data "filetransfer_instances" "fleet" {
  base_urls      = var.base_urls
  allow_failures = true
}

# Stands for a dashboard per instance. It exists for every instance that is listed, whether it could be read or not.
resource "terraform_data" "dashboard" {
  for_each = var.base_urls

  input = {
    title       = each.key
    api_version = try(data.filetransfer_instances.fleet.instances[each.key].api_version, "unknown")
  }
}

check "all_read" {
  assert {
    condition     = length(data.filetransfer_instances.fleet.errors) == 0
    error_message = "Not read: ${join(", ", keys(data.filetransfer_instances.fleet.errors))}."
  }
}

output "api_versions" {
  value = { for name, dashboard in terraform_data.dashboard : name => dashboard.output.api_version }
}

output "errors" {
  value = data.filetransfer_instances.fleet.errors
}
