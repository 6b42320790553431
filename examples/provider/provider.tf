terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

provider "filetransfer" {
  base_url        = var.base_url # or the environment variable FILETRANSFER_BASE_URL
  request_timeout = "5s"

  retry {
    max_attempts = 3
  }
}

# Without a base_url of its own, it reads the provider's.
data "filetransfer_instance" "files" {}

output "file_max_size" { value = data.filetransfer_instance.files.file_max_size }
