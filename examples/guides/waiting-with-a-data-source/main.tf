terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_url" {
  description = "Where the instance will answer, such as https://files.example.org."
  type        = string
}

# Stands in for the server that this apply creates.
resource "terraform_data" "server" {
  input = var.base_url
}

data "filetransfer_instance" "new" {
  # Unknown until the server exists, so the instance is read during apply, after the server.
  base_url = terraform_data.server.output

  wait_until_ready = true

  timeouts = {
    read = "5m"
  }
}

output "api_version" {
  value = data.filetransfer_instance.new.api_version
}
