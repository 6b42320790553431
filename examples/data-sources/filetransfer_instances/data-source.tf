terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_urls" { type = map(string) }

data "filetransfer_instances" "fleet" {
  base_urls = var.base_urls
}

locals {
  instances = values(data.filetransfer_instances.fleet.instances)
}

output "upload_limit" {
  description = "Largest file that every instance accepts, in bytes: for an upload form that can use any of them."
  value       = min(local.instances[*].file_max_size...)
}

output "largest_chunk" {
  description = "Largest chunk, in bytes: one nginx in front of all instances must let it through."
  value       = max(local.instances[*].chunk_size...)
}

output "merge_limits" {
  description = "How many transfers fit in a group, by instance."
  value = {
    for name, instance in data.filetransfer_instances.fleet.instances : name => instance.max_transfers_in_merge
  }
}
