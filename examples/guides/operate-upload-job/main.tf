terraform {
  required_version = ">= 1.8" # OpenTofu: 1.7

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of the instance, such as https://files.example.org."
  type        = string
}

variable "retention_days" {
  description = "How long the retention policy lets a transferred file exist, in days."
  type        = number
  default     = 14
}

data "filetransfer_instance" "files" { base_url = var.base_url }

locals {
  expire = provider::filetransfer::select_expire_time(
    data.filetransfer_instance.files.recommended_expire_times,
    var.retention_days * 24 * 60 * 60,
  )

  notice = (
    local.expire.in_minutes >= 2880 ? "${floor(local.expire.in_minutes / 1440)} days" :
    local.expire.in_minutes >= 120 ? "${floor(local.expire.in_minutes / 60)} hours" :
    "${local.expire.in_minutes} minutes"
  )
}

output "job_environment" {
  description = "Environment of the nightly upload job."
  value = {
    CHUNK_BYTES     = tostring(data.filetransfer_instance.files.chunk_size)
    MAX_FILE_BYTES  = tostring(data.filetransfer_instance.files.file_max_size)
    MAX_FILES       = tostring(data.filetransfer_instance.files.max_transfers_in_merge) # in one group
    EXPIRE_MINUTES  = tostring(local.expire.in_minutes)
    EXPIRE_SECONDS  = tostring(local.expire.in_seconds)
    NEEDS_PASSWORD  = tostring(data.filetransfer_instance.files.require_password)
    DOWNLOAD_NOTICE = "Download the files within ${local.notice}."
  }
}

output "base_url" {
  description = "Where the job uploads to."
  value       = data.filetransfer_instance.files.base_url
}
