terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of an instance, such as https://files.example.org."
  type        = string
}

data "filetransfer_instance" "files" { base_url = var.base_url }

# Stands in for the reverse proxy.
resource "terraform_data" "proxy" {
  input = data.filetransfer_instance.files.chunk_size + 1048576
}

output "body_limit" { value = terraform_data.proxy.output }

output "shortest_expire_minutes" {
  value = min(data.filetransfer_instance.files.recommended_expire_times[*].in_minutes...)
}
