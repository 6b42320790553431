terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

locals {
  limits = {
    FILE_MAX_SIZE = 64424509440 # 60 GiB
    CHUNK_SIZE    = 20000000
    FILE_MAX_AGE  = 2592000 # 30 days
  }
}

# Stands in for what runs the service. It gets each limit as a string.
resource "terraform_data" "service" {
  input      = { for name, limit in local.limits : name => tostring(limit) }
  depends_on = [terraform_data.nginx]
}

resource "filetransfer_instance_record" "files" {
  base_url   = var.base_url
  depends_on = [terraform_data.service]

  expected {
    file_max_size = local.limits.FILE_MAX_SIZE
    chunk_size    = local.limits.CHUNK_SIZE
    file_max_age  = local.limits.FILE_MAX_AGE
  }
}

# Stands in for what clients use.
resource "terraform_data" "upload_form" {
  input = filetransfer_instance_record.files.file_max_size
}
