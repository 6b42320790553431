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

# The client_max_body_size of an nginx in front of all of them: the largest chunk, plus 1 MiB for the form data.
output "max_body_size" {
  value = max(values(data.filetransfer_instances.all.instances)[*].chunk_size...) + 1024 * 1024
}
