terraform {
  required_version = ">= 1.5"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

variable "largest_export" {
  description = "Size of the largest file that our jobs upload, in bytes."
  type        = number
  default     = 5000000000
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

# Warns, and lets the plan continue.
check "password" {
  assert {
    condition     = data.filetransfer_instance.files.require_password
    error_message = "${data.filetransfer_instance.files.base_url} no longer requires a password."
  }
}

output "api_version" { value = data.filetransfer_instance.files.api_version }
