terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

data "filetransfer_instance" "files" {
  base_url = var.base_url
}

output "file_max_size_mib" { value = floor(data.filetransfer_instance.files.file_max_size / pow(1024, 2)) }

output "expire_seconds" { value = data.filetransfer_instance.files.recommended_expire_times[*].in_seconds }

# A field without an attribute.
output "region" {
  value = lookup(jsondecode(data.filetransfer_instance.files.response_body), "region", "not sent")
}
