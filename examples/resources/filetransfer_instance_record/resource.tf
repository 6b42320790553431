terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

# Stands in for your server, such as a helm_release.
resource "terraform_data" "server" {
  input = { CHUNK_SIZE = "20000000" }
}

# Has a new ID after each change of the server.
resource "terraform_data" "deploy" {
  triggers_replace = [terraform_data.server.id] # also when it is created anew

  lifecycle {
    replace_triggered_by = [terraform_data.server]
  }
}

# Each apply that changes the server waits until the instance has reported these values for 30 seconds.
resource "filetransfer_instance_record" "files" {
  base_url   = var.base_url
  triggers   = { deploy = terraform_data.deploy.id }
  stable_for = "30s"

  expected {
    chunk_size       = 20000000
    require_password = true
  }
}

output "chunk_size" { value = filetransfer_instance_record.files.chunk_size }
