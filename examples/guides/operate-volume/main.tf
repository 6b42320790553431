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

variable "uploads_per_day" {
  description = "Bytes that are uploaded on a busy day."
  type        = number
  default     = 50000000000
}

variable "open_uploads" {
  description = "Uploads that are under way, or broke off in the last five hours."
  type        = number
  default     = 4
}

variable "disk_space_margin" {
  description = "DISK_SPACE_MARGIN of the service, in bytes."
  type        = number
  default     = 100000000
}

variable "earlier_file_max_age" {
  description = "The old FILE_MAX_AGE, in seconds. Set this when you lower FILE_MAX_AGE, and keep it until the old age has passed."
  type        = number
  default     = 0
}

variable "max_volume_gib" {
  description = "Largest volume that may be asked for, in GiB."
  type        = number
  default     = 16384
}

variable "mountpoint" {
  description = "Where the volume is mounted."
  type        = string
  default     = "/srv/files"
}

resource "filetransfer_instance_record" "files" { base_url = var.base_url }

locals {
  files = filetransfer_instance_record.files

  # One day more, because a job can run just before its oldest files expire.
  file_days = ceil(max(local.files.file_max_age, var.earlier_file_max_age) / (24 * 60 * 60)) + 1

  # The service reserves nothing: every open upload can still grow to the largest file.
  headroom_bytes = var.open_uploads * local.files.file_max_size + var.disk_space_margin
  needed_bytes   = var.uploads_per_day * local.file_days + local.headroom_bytes

  # An ext4 file system of at least 6 GiB with default settings leaves 92 % of a volume to files.
  volume_gib = ceil(local.needed_bytes / 0.92 / pow(1024, 3))
}

# Stands in for the volume.
resource "terraform_data" "volume" {
  input = { size_gib = local.volume_gib }

  lifecycle {
    precondition {
      condition     = local.volume_gib <= var.max_volume_gib
      error_message = "Files of ${local.file_days} days can be on the disk at once, so the volume needs ${local.volume_gib} GiB. Lower FILE_MAX_AGE, or raise max_volume_gib."
    }
  }
}

output "volume_gib" { value = terraform_data.volume.output.size_gib }

output "alert" {
  description = "Expression for Prometheus: the largest files that can be under way no longer fit."
  value       = "node_filesystem_avail_bytes{mountpoint=\"${var.mountpoint}\"} < ${local.headroom_bytes}"
}
