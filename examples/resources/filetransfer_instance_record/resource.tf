terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

resource "filetransfer_instance_record" "files" {
  base_url = var.base_url

  timeouts {
    read = "5s" # how long a plan waits for an instance that is down
  }

  # The apply waits for these.
  expected {
    chunk_size       = 20000000
    require_password = true
  }
}

output "chunk_size" { value = filetransfer_instance_record.files.chunk_size }
