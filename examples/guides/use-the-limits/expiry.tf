# The longest expiry option of at most a week, in seconds.
output "expire_seconds" {
  value = max(0, [
    for option in data.filetransfer_instance.files.recommended_expire_times : option.in_seconds
    if option.in_seconds <= min(7 * 86400, data.filetransfer_instance.files.file_max_age)
  ]...)
}
