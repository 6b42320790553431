terraform {
  required_version = ">= 1.2"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

data "filetransfer_instance" "files" {
  base_url = var.base_url
}

locals {
  # One chunk, plus 1 MiB for the form data around it.
  max_body_bytes = data.filetransfer_instance.files.chunk_size + 1024 * 1024
}

resource "local_file" "nginx" {
  filename = "${path.module}/upload-limit.conf"
  content  = "client_max_body_size ${local.max_body_bytes};\n"

  lifecycle {
    precondition {
      condition     = local.max_body_bytes <= 100000000
      error_message = "The CDN accepts only 100 MB, but a chunk needs ${local.max_body_bytes} bytes."
    }
  }
}
