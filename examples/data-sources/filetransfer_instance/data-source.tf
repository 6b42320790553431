terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string } # https://files.example.org/api

data "filetransfer_instance" "files" {
  base_url = var.base_url
}

# Stands in for your nginx in front of an instance: one chunk, plus 1 MiB of form data.
resource "terraform_data" "nginx" {
  input = "client_max_body_size ${data.filetransfer_instance.files.chunk_size + 1024 * 1024};"
}

# The longest expiry option of at most a week, in seconds.
output "expire_seconds" {
  value = max([for time in data.filetransfer_instance.files.recommended_expire_times : time.in_seconds if time.in_seconds <= 604800]...)
}

output "instance" { value = data.filetransfer_instance.files }
