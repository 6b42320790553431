terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of the instance that this configuration depends on."
  type        = string
}

variable "base_urls" {
  description = "Base URLs of the fleet, each under a name of your choice."
  type        = map(string)
}

resource "filetransfer_instance_record" "main" { base_url = var.base_url }

data "filetransfer_instances" "fleet" { base_urls = var.base_urls }

output "main_chunk_size" { value = filetransfer_instance_record.main.chunk_size }

output "outdated" {
  description = "Instances that run an older major version than the main one."
  value = [
    for name, instance in data.filetransfer_instances.fleet.instances : name
    if instance.api_version_major < filetransfer_instance_record.main.api_version_major
  ]
}
