terraform {
  required_version = ">= 1.5"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

data "filetransfer_instance" "files" {
  base_url = var.base_url

  # Stops the plan.
  lifecycle {
    postcondition {
      condition     = self.file_max_size >= 5000000000
      error_message = "${self.base_url} accepts files of ${self.file_max_size} bytes, but our exports can have 5 GB."
    }
  }
}

# Warns, and lets the plan continue.
check "password" {
  assert {
    condition     = data.filetransfer_instance.files.require_password
    error_message = "${data.filetransfer_instance.files.base_url} does not require a password."
  }
}
