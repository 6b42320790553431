terraform {
  required_version = ">= 1.5"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  type = string
}

data "filetransfer_instance" "files" {
  base_url = var.base_url

  lifecycle {
    # Fails the plan.
    postcondition {
      condition     = self.file_max_size >= 5000000000
      error_message = "${self.base_url} accepts files of ${self.file_max_size} bytes, but our exports can have 5 GB."
    }
  }
}

# Shows a warning, and the plan goes on.
check "password" {
  assert {
    condition     = data.filetransfer_instance.files.require_password
    error_message = "${data.filetransfer_instance.files.base_url} does not require a password."
  }
}
