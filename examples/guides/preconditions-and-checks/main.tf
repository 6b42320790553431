terraform {
  required_version = ">= 1.5"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of an instance, such as https://files.example.org."
  type        = string
}

variable "largest_export" {
  description = "Size of the largest file that our jobs upload, in bytes."
  type        = number
  default     = 5000000000
}

variable "proxy_body_size" {
  description = "Largest request body that the reverse proxy accepts, in bytes."
  type        = number
  default     = 33554432
}

# Stops the plan if the instance does not meet what everything below needs.
data "filetransfer_instance" "files" {
  base_url = var.base_url

  lifecycle {
    postcondition {
      condition     = self.file_max_size >= var.largest_export
      error_message = "${self.base_url} accepts files of ${self.file_max_size} bytes, but our exports can be up to ${var.largest_export} bytes."
    }
  }
}

locals {
  # A file is uploaded in chunks. 1 MiB is ample for the multipart headers around a chunk.
  max_body_bytes = data.filetransfer_instance.files.chunk_size + 1048576
}

# Stops the plan if one resource does not fit the instance.
resource "terraform_data" "reverse_proxy" {
  input = var.proxy_body_size

  lifecycle {
    precondition {
      condition     = var.proxy_body_size >= local.max_body_bytes
      error_message = "The reverse proxy must accept bodies of ${local.max_body_bytes} bytes: a chunk and 1 MiB."
    }
  }
}

# Warns, and lets the plan continue.
check "password" {
  assert {
    condition     = data.filetransfer_instance.files.require_password
    error_message = "${data.filetransfer_instance.files.base_url} no longer requires a password."
  }
}

check "version" {
  assert {
    condition = (
      data.filetransfer_instance.files.api_version_major * 10000 +
      data.filetransfer_instance.files.api_version_minor * 100 +
      data.filetransfer_instance.files.api_version_patch >= 20100
    )
    error_message = "${data.filetransfer_instance.files.base_url} is older than 2.1."
  }
}

output "proxy_body_size" { value = terraform_data.reverse_proxy.output }
