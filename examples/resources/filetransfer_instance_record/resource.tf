terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of an instance, such as https://files.example.org."
  type        = string
}

resource "filetransfer_instance_record" "files" {
  base_url = var.base_url

  timeouts = {
    create = "15m" # how long a new instance may take until it answers
    read   = "5s"  # how long a plan waits for an instance that is down
  }
}

output "client_max_body_size" {
  description = "For nginx in front of the instance, in bytes: one chunk, and 1 MiB for the rest of the request."
  value       = filetransfer_instance_record.files.chunk_size + 1048576
}
