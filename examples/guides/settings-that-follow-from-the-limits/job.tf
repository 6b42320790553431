output "expire_seconds" {
  value = provider::filetransfer::select_expire_time(
    filetransfer_instance_record.files.recommended_expire_times,
    14 * 24 * 60 * 60, # the policy
  ).in_seconds
}
