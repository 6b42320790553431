terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_urls" {
  description = "Base URLs of the instances, each under a name of your choice."
  type        = map(string)
}

resource "filetransfer_instance_record" "fleet" {
  for_each = var.base_urls
  base_url = each.value
}

# Stands in for a dashboard for each instance. It does not change while an instance is down.
resource "terraform_data" "dashboard" {
  for_each = filetransfer_instance_record.fleet

  input = {
    title         = each.key
    file_max_size = each.value.file_max_size
    api_version   = each.value.api_version
  }
}

output "api_versions" {
  value = { for name, dashboard in terraform_data.dashboard : name => dashboard.output.api_version }
}
