terraform {
  required_version = ">= 1.8" # OpenTofu: 1.7

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL that clients use, through nginx: never the service itself."
  type        = string
}

variable "retention_days" {
  description = "A file is kept for at most so long."
  type        = number
  default     = 14
}

variable "min_retention_days" {
  type    = number
  default = 3
}

locals {
  expire_seconds = provider::filetransfer::select_expire_time(
    filetransfer_instance_record.files.recommended_expire_times,
    var.retention_days * 24 * 60 * 60,
  ).in_seconds
}

resource "filetransfer_instance_record" "files" { base_url = var.base_url }

output "job_environment" {
  value = {
    BASE_URL       = trimsuffix(filetransfer_instance_record.files.base_url, "/")
    EXPIRE_SECONDS = tostring(local.expire_seconds)
  }

  precondition {
    condition     = local.expire_seconds >= var.min_retention_days * 24 * 60 * 60
    error_message = "Files would be deleted after ${local.expire_seconds} seconds, before ${var.min_retention_days} days."
  }
}
