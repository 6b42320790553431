terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_urls" { type = map(string) }

variable "base_url" { type = string }

data "filetransfer_instances" "sites" {
  base_urls      = var.base_urls
  allow_failures = true
}

resource "filetransfer_instance_record" "files" {
  base_url = var.base_url

  expected {
    chunk_size = 20000000
  }
}

output "upload_limit" {
  value = min(values(data.filetransfer_instances.sites.instances)[*].file_max_size...)
}

output "down" { value = keys(data.filetransfer_instances.sites.errors) }

output "chunk_size" { value = filetransfer_instance_record.files.chunk_size }
