terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  type = string
}

data "filetransfer_instance" "files" {
  base_url = var.base_url
}

output "max_bytes" {
  value = module.upload_form.max_bytes
}
