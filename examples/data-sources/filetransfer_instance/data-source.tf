terraform {
  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  type    = string
  default = "https://files.example.org/api"
}

data "filetransfer_instance" "files" {
  base_url = var.base_url
}

output "file_max_size" {
  value = data.filetransfer_instance.files.file_max_size
}

output "chunk_size" {
  value = data.filetransfer_instance.files.chunk_size
}

output "expire_seconds" {
  value = data.filetransfer_instance.files.recommended_expire_times[*].in_seconds
}
