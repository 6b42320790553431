terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of the instance, such as https://files.example.org."
  type        = string
}

variable "erase_within_days" {
  description = "Days after which the privacy policy says that an uploaded file must be gone everywhere, backups included."
  type        = number
  default     = 90
}

variable "earlier_file_max_age" {
  description = "The old FILE_MAX_AGE, in seconds. Set this when you lower FILE_MAX_AGE, and keep it until the old age has passed."
  type        = number
  default     = 0
}

resource "filetransfer_instance_record" "files" { base_url = var.base_url }

locals {
  # A file keeps the expiry that it got when it was uploaded, and is deleted up to a minute later.
  file_max_age = max(filetransfer_instance_record.files.file_max_age, var.earlier_file_max_age) + 60
  file_days    = ceil(local.file_max_age / (24 * 60 * 60))

  # A file can be backed up on its last day. It is then in that backup for as long as the backup is kept.
  backup_days = var.erase_within_days - local.file_days
}

# Stands in for the backup plan.
resource "terraform_data" "backup_plan" {
  input = { delete_after_days = local.backup_days }

  lifecycle {
    precondition {
      condition     = local.backup_days >= 1
      error_message = "Files can live ${local.file_days} days. That leaves no day for a backup within ${var.erase_within_days} days."
    }
  }
}

output "backup_plan" { value = terraform_data.backup_plan.output }
