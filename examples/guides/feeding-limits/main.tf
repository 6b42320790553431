terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_url" {
  description = "Base URL of the instance, such as https://files.example.org."
  type        = string
}

variable "uploads_per_day" {
  description = "Bytes that are uploaded on a busy day."
  type        = number
  default     = 50000000000
}

variable "cdn_max_body_size" {
  description = "Largest request body that the CDN accepts, in bytes."
  type        = number
  default     = 100000000
}

data "filetransfer_instance" "files" {
  base_url = var.base_url
}

locals {
  files = data.filetransfer_instance.files
  mib   = 1024 * 1024
  gib   = 1024 * local.mib
  day   = 24 * 60 * 60

  # The service keeps files on a local disk: as many days of uploads as a file can live, and one more file.
  volume_gib = ceil((var.uploads_per_day * ceil(local.files.file_max_age / local.day) + local.files.file_max_size) / local.gib)

  # The service rejects a file that does not fit on the disk: alert before the largest file no longer fits.
  alert_below_free_gib = ceil(local.files.file_max_size / local.gib)

  # A file is uploaded in chunks. 1 MiB is ample for the multipart headers around a chunk.
  max_body_bytes = local.files.chunk_size + local.mib

  # A cache does not need to keep a download longer than the instance does, or longer than a year.
  cdn_max_ttl = min(local.files.file_max_age, 365 * local.day)
}

# Stands in for the resources that use the limits.
resource "terraform_data" "settings" {
  input = {
    volume_gib           = local.volume_gib
    alert_below_free_gib = local.alert_below_free_gib
    client_max_body_size = "${ceil(local.max_body_bytes / local.mib)}m"
    cdn_max_ttl          = local.cdn_max_ttl
  }

  lifecycle {
    precondition {
      condition     = local.max_body_bytes <= var.cdn_max_body_size
      error_message = "The CDN rejects requests of ${local.max_body_bytes} bytes: make chunks smaller, or let uploads bypass the CDN."
    }
  }
}

output "settings" {
  value = terraform_data.settings.output
}
