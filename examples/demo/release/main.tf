# What `make demo` applies to show a deploy and an outage: a server, a record that waits for it, and what uses its limits.

terraform {
  required_version = ">= 1.4" # OpenTofu: 1.6

  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_url" {
  description = "Base URL of the server."
  type        = string
}

variable "release" {
  description = "Release of the server."
  type        = string
  default     = "2.1.0"
}

variable "chunk_size" {
  description = "Size of one chunk of an upload, in bytes."
  type        = number
  default     = 20000000
}

provider "filetransfer" {
  retry { # nothing in the demo is slow to start
    max_delay = "1s"
  }
}

# Stands in for a server, which reads its settings from a file.
resource "terraform_data" "server" {
  triggers_replace = "${var.release} ${var.chunk_size}"

  provisioner "local-exec" {
    command = "echo \"${self.triggers_replace}\" >server.txt"
  }
}

resource "filetransfer_instance_record" "files" {
  base_url = var.base_url
  triggers = { server = terraform_data.server.id }

  expected {
    api_version = var.release
    chunk_size  = var.chunk_size
  }
}

# Stands in for what clients use.
resource "terraform_data" "upload_form" {
  input = filetransfer_instance_record.files.chunk_size
}
