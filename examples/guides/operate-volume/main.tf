terraform {
  required_version = ">= 1.5"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of the instance."
  type        = string
}

variable "volume_gib" {
  description = "Size of the volume. Never lower it."
  type        = number
  default     = 2000
}

variable "settings" {
  description = "Settings of the service: bytes, seconds, bytes."
  type        = object({ file_max_size = number, file_max_age = number, disk_space_margin = number })
  default     = { file_max_size = 64424509440, file_max_age = 2592000, disk_space_margin = 100000000 }
}

variable "uploads" {
  description = "Bytes on a busy day, and uploads that are open at once, or broke off in the last five hours."
  type        = object({ bytes_per_day = number, open = number })
  default     = { bytes_per_day = 50000000000, open = 4 }
}

locals {
  days       = ceil(var.settings.file_max_age / (24 * 60 * 60)) + 1
  headroom   = var.uploads.open * var.settings.file_max_size + var.settings.disk_space_margin
  needed_gib = max(8, ceil((var.uploads.bytes_per_day * local.days + local.headroom) / 0.92 / pow(1024, 3)))

  free     = "node_filesystem_avail_bytes{instance=\"files:9100\",mountpoint=\"/srv/files\"}"
  restarts = "node_systemd_service_restart_total{instance=\"files:9100\",name=\"stend.service\"}"
}

# Stands in for the volume.
resource "terraform_data" "volume" {
  input = { size_gib = var.volume_gib }

  lifecycle {
    prevent_destroy = true

    precondition {
      condition     = var.volume_gib >= local.needed_gib
      error_message = "These settings need a volume of ${local.needed_gib} GiB, and volume_gib is ${var.volume_gib}."
    }
  }
}

resource "filetransfer_instance_record" "files" {
  base_url   = var.base_url
  depends_on = [terraform_data.volume] # without which the instance cannot be read
}

check "limits" {
  assert {
    condition = (
      filetransfer_instance_record.files.file_max_size <= var.settings.file_max_size &&
      filetransfer_instance_record.files.file_max_age <= var.settings.file_max_age
    )
    error_message = "The instance accepts more than the volume and the alert were made for."
  }
}

output "volume_gib" { value = terraform_data.volume.output.size_gib }

output "rules" {
  description = "A rule file for Prometheus."
  value       = <<-EOT
    groups:
      - name: files
        rules:
          - alert: FilesVolumeFillsUp
            expr: ${local.free} < ${local.headroom}
            for: 1m
            labels: { severity: critical }
            annotations: { summary: "{{ $value | humanize1024 }}B are free on {{ $labels.instance }}. Open uploads may need more." }
          - alert: FilesServiceRestarts
            expr: increase(${local.restarts}[1h]) > 0
            labels: { severity: warning }
            annotations: { summary: "The service on {{ $labels.instance }} ended. Files in upload may be corrupt." }
          - alert: FilesSeriesMissing
            expr: absent(${local.free}) or absent(${local.restarts})
            for: 5m
            labels: { severity: critical }
            annotations: { summary: "The free space or the restarts of {{ $labels.instance }} are not known." }
  EOT
}
