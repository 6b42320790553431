# What the script of the form loads.
output "upload_form" {
  value = jsonencode({
    max_bytes    = data.filetransfer_instance.files.file_max_size
    ask_password = data.filetransfer_instance.files.require_password
    options = [for option in data.filetransfer_instance.files.recommended_expire_times : {
      seconds = option.in_seconds
      label = (
        option.in_seconds >= 15770000000 ? "no limit" :
        option.in_seconds % 86400 == 0 ? "${option.in_seconds / 86400} d" :
        option.in_seconds % 3600 == 0 ? "${option.in_seconds / 3600} h" :
        "${floor(option.in_seconds / 60)} min"
      )
    } if option.in_seconds <= data.filetransfer_instance.files.file_max_age]
  })
}
