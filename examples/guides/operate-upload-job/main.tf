terraform {
  required_version = ">= 1.8" # OpenTofu: 1.7

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL that clients use."
  type        = string
}

variable "retention_days" {
  type    = number
  default = 14
}

resource "filetransfer_instance_record" "files" { base_url = var.base_url }

output "job_environment" {
  value = {
    BASE_URL = trimsuffix(filetransfer_instance_record.files.base_url, "/")
    EXPIRE_SECONDS = tostring(provider::filetransfer::select_expire_time(
      filetransfer_instance_record.files.recommended_expire_times,
      var.retention_days * 24 * 60 * 60,
    ).in_seconds)
  }
}
