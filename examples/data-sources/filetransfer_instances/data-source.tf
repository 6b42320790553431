terraform {
  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_urls" {
  type = map(string)
  default = {
    lyon  = "https://lyon.example.org/api"
    paris = "https://paris.example.org/api"
  }
}

data "filetransfer_instances" "all" {
  base_urls = var.base_urls
}

# A file of at most this size can be uploaded to any of the instances.
output "upload_limit" {
  value = min(values(data.filetransfer_instances.all.instances)[*].file_max_size...)
}

# An nginx in front of all of them has to let a chunk of this size through.
output "largest_chunk" {
  value = max(values(data.filetransfer_instances.all.instances)[*].chunk_size...)
}
