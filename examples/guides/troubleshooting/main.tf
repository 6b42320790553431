terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of the instance that causes trouble."
  type        = string
}

# One short attempt, so that the first failure is shown and not the last of several.
provider "filetransfer" {
  request_timeout = "5s"

  retry = {
    max_attempts = 1
  }
}

data "filetransfer_instance" "suspect" {
  base_url = var.base_url
}

output "answer" {
  value = jsondecode(data.filetransfer_instance.suspect.response_body)
}
