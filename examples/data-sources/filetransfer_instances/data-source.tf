terraform {
  required_version = ">= 1.0"

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
  base_urls = var.base_urls
}

# One upload portal serves the whole fleet: its limit is that of the instance that takes the least.
locals {
  smallest_file_max_size = min([
    for instance in values(data.filetransfer_instances.fleet.instances) : instance.file_max_size
  ]...)
}

output "client_max_body_size" {
  description = "For the portal's reverse proxy, in the notation of nginx."
  value       = "${floor(local.smallest_file_max_size / pow(1024, 2))}m"
}

output "merge_limits" {
  description = "How many transfers fit into a group, by instance."
  value = {
    for name, instance in data.filetransfer_instances.fleet.instances : name => instance.max_transfers_in_merge
  }
}
