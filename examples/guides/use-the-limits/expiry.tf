# The longest expiry option of at most a week, in seconds. It is 0 if the instance has no such option.
output "expire_seconds" {
  value = max(0, [
    for option in data.filetransfer_instance.files.recommended_expire_times :
    option.in_seconds if option.in_seconds <= 7 * 86400
  ]...)
}
