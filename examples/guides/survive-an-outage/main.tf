terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

resource "filetransfer_instance_record" "files" {
  base_url = var.base_url
}

# Stands in for an alert that needs to know how much space the largest file takes.
resource "terraform_data" "alert" {
  input = { free_bytes_at_least = filetransfer_instance_record.files.file_max_size }
}

output "api_version" {
  value = filetransfer_instance_record.files.api_version
}
