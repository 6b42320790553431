terraform {
  required_version = ">= 1.4"

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

# In place of the server that this configuration creates.
resource "terraform_data" "server" {
  input = "a virtual machine, a Helm release, ..."
}

resource "filetransfer_instance_record" "files" {
  base_url   = var.base_url
  depends_on = [terraform_data.server]

  timeouts = {
    create = "15m" # how long a new server may take until it answers
  }
}

output "client_max_body_size" {
  description = "For nginx in front of the instance: one chunk, and 1 MiB for the rest of the request."
  value       = "${ceil(filetransfer_instance_record.files.chunk_size / pow(1024, 2)) + 1}m"
}
