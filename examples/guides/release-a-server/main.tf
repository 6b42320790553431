terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Where the instance answers, such as https://files.example.org."
  type        = string
}

variable "release" {
  description = "Release of the service."
  type        = string
  default     = "2.1.5"
}

# Stands in for the server: a container, a Helm release, a virtual machine.
resource "terraform_data" "server" { input = var.release }

resource "filetransfer_instance_record" "files" {
  base_url   = var.base_url
  depends_on = [terraform_data.server]

  timeouts = {
    create = "15m"
    update = "5m"
  }

  expected { api_version = var.release }
}

# Stands in for a resource that is replaced when a limit changes.
resource "terraform_data" "proxy" {
  triggers_replace = [filetransfer_instance_record.files.chunk_size]
}

output "api_version" { value = filetransfer_instance_record.files.api_version }
