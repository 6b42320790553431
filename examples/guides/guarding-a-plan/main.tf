terraform {
  required_version = ">= 1.5"

  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_url" {
  description = "Base URL of an instance, such as https://files.example.org."
  type        = string
}

variable "largest_export" {
  description = "Size of the largest file that our jobs send, in bytes."
  type        = number
  default     = 5000000000
}

variable "proxy_body_size" {
  description = "Largest request body that the reverse proxy takes, in bytes."
  type        = number
  default     = 33554432
}

# Stops the plan where the instance is not what everything below needs.
data "filetransfer_instance" "files" {
  base_url = var.base_url

  lifecycle {
    postcondition {
      condition     = self.file_max_size >= var.largest_export
      error_message = "${self.base_url} takes files of ${self.file_max_size} bytes; our exports have up to ${var.largest_export}."
    }
  }
}

# Stops the plan where one resource and the instance do not fit.
resource "terraform_data" "reverse_proxy" {
  input = var.proxy_body_size

  lifecycle {
    precondition {
      condition     = data.filetransfer_instance.files.chunk_size <= var.proxy_body_size
      error_message = "The reverse proxy would refuse the instance's chunks of ${data.filetransfer_instance.files.chunk_size} bytes."
    }
  }
}

# Warns, and lets the plan go on.
check "password" {
  assert {
    condition     = data.filetransfer_instance.files.require_password
    error_message = "${data.filetransfer_instance.files.base_url} no longer requires a password."
  }
}

output "proxy_body_size" {
  value = terraform_data.reverse_proxy.output
}
