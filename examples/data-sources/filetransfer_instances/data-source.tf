terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_urls" {
  description = "Base URLs of the instances, each under a name of your choice."
  type        = map(string)
}

data "filetransfer_instances" "fleet" {
  base_urls = var.base_urls
}

locals {
  instances = values(data.filetransfer_instances.fleet.instances)
}

output "upload_limit" {
  description = "Largest file that every instance accepts, in bytes: the limit of an upload form that can use any of them."
  value       = min(local.instances[*].file_max_size...)
}

output "client_max_body_size" {
  description = "For one nginx in front of all instances, in bytes: the largest chunk, and 1 MiB for the rest of the request."
  value       = max(local.instances[*].chunk_size...) + 1048576
}

output "merge_limits" {
  description = "How many transfers fit in a group, by instance."
  value = {
    for name, instance in data.filetransfer_instances.fleet.instances : name => instance.max_transfers_in_merge
  }
}
