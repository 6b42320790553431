terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_urls" {
  description = "Base URLs of the instances, each under a name of your choice."
  type        = map(string)
}

data "filetransfer_instances" "fleet" {
  base_urls = var.base_urls
}

# Stands in for a dashboard for each instance.
resource "terraform_data" "dashboard" {
  for_each = data.filetransfer_instances.fleet.instances

  input = {
    title         = each.key
    file_max_size = each.value.file_max_size
    api_version   = each.value.api_version
  }
}

output "dashboards" {
  value = { for name, dashboard in terraform_data.dashboard : name => dashboard.output.title }
}
