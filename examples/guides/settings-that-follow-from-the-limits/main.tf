terraform {
  required_version = ">= 1.3"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of the instance."
  type        = string
}

resource "filetransfer_instance_record" "files" { base_url = var.base_url }

output "nginx" {
  value = "client_max_body_size ${filetransfer_instance_record.files.chunk_size + 1024 * 1024};"
}
