terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
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

resource "filetransfer_instance_record" "new" {
  base_url = terraform_data.server.output

  timeouts = {
    create = "5m"
  }
}

output "api_version" { value = filetransfer_instance_record.new.api_version }
