terraform {
  required_version = ">= 1.2"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

data "filetransfer_instance" "files" { base_url = var.base_url }

# One chunk, plus 1 MiB for the form data around it.
resource "local_file" "nginx" {
  filename = "${path.module}/upload-limit.conf"
  content  = "client_max_body_size ${data.filetransfer_instance.files.chunk_size + 1024 * 1024};\n"
}
