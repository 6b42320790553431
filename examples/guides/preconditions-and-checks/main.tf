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
}

# Stands in for the job that uploads your exports.
resource "terraform_data" "export" {
  input = data.filetransfer_instance.files.chunk_size

  lifecycle {
    # Fails the plan.
    precondition {
      condition     = data.filetransfer_instance.files.file_max_size >= 5000000000
      error_message = "${var.base_url} accepts files of ${data.filetransfer_instance.files.file_max_size} bytes, but our exports can have 5 GB."
    }
  }
}

# Shows a warning, and the plan goes on.
check "password" {
  assert {
    condition     = data.filetransfer_instance.files.require_password
    error_message = "${var.base_url} does not require a password."
  }
}
