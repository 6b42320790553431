locals {
  bytes_per_day = 50000000000 # on a busy day
  open_uploads  = 4
  margin        = 100000000 # DISK_SPACE_MARGIN
  days          = local.limits.FILE_MAX_AGE / (24 * 60 * 60) + 1
  needed_bytes  = local.bytes_per_day * local.days + local.open_uploads * local.limits.FILE_MAX_SIZE + local.margin
}

# Stands in for the volume.
resource "terraform_data" "volume" {
  input = max(ceil(local.needed_bytes / 0.92 / pow(1024, 3)), 1831) # GiB that it has

  lifecycle { prevent_destroy = true }
}

# Stands in for the alert.
resource "terraform_data" "alert_below_bytes" {
  input = local.open_uploads * filetransfer_instance_record.files.file_max_size + local.margin
}
