terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_urls" { type = map(string) } # { paris = "https://paris.example.org/api" }

data "filetransfer_instances" "fleet" {
  base_urls = var.base_urls
}

locals {
  instances = values(data.filetransfer_instances.fleet.instances)
}

# For an upload form that can use any instance.
output "upload_limit" { value = min(local.instances[*].file_max_size...) }

# For one nginx in front of all.
output "largest_chunk" { value = max(local.instances[*].chunk_size...) }
