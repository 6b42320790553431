terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

variable "release" { type = string }

variable "chunk_size" { type = number }

# Stands in for your server.
resource "terraform_data" "server" {
  input = { RELEASE = var.release, CHUNK_SIZE = tostring(var.chunk_size) }
}

# Gets a new ID whenever the server or its settings change.
resource "terraform_data" "deploy" {
  triggers_replace = [terraform_data.server.id, terraform_data.server.input]

  lifecycle {
    replace_triggered_by = [terraform_data.server]
  }
}

resource "filetransfer_instance_record" "files" {
  base_url   = var.base_url
  triggers   = { deploy = terraform_data.deploy.id }
  stable_for = "30s"

  expected {
    api_version = var.release
    chunk_size  = var.chunk_size
  }
}

# Stands in for a job that uploads files.
resource "terraform_data" "upload_job" {
  input = filetransfer_instance_record.files.chunk_size
}
