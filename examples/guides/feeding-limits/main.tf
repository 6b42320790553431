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

variable "cdn_max_body_size" {
  description = "Largest request body that the CDN passes on, in bytes."
  type        = number
  default     = 100000000
}

data "filetransfer_instance" "files" {
  base_url = var.base_url
}

locals {
  mib = 1024 * 1024
  day = 24 * 60 * 60

  # An upload arrives in chunks. One more MiB leaves room for what a request holds besides its chunk.
  proxy_body_mib = ceil(data.filetransfer_instance.files.chunk_size / local.mib) + 1

  # A lifecycle rule counts whole days. Rounded up, it deletes nothing that the instance still offers.
  lifecycle_days = ceil(data.filetransfer_instance.files.file_max_age / local.day)

  # A CDN need not keep a download for longer than the instance does, nor for more than a year.
  cdn_max_ttl = min(data.filetransfer_instance.files.file_max_age, 365 * local.day)
}

# Stands for the resources that take the limits.
resource "terraform_data" "settings" {
  input = {
    nginx_client_max_body_size = "${local.proxy_body_mib}m"
    lifecycle_days             = local.lifecycle_days
    cdn_max_ttl                = local.cdn_max_ttl
  }

  lifecycle {
    precondition {
      condition     = data.filetransfer_instance.files.chunk_size <= var.cdn_max_body_size
      error_message = "The CDN refuses the instance's chunks: have them made smaller, or uploads bypass the CDN."
    }
  }
}

output "settings" {
  value = terraform_data.settings.output
}
