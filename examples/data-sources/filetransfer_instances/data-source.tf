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

# Every instance accepts files of this size.
output "upload_limit" {
  value = min(values(data.filetransfer_instances.all.instances)[*].file_max_size...)
}
