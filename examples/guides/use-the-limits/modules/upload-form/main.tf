# modules/upload-form/main.tf
variable "limits" {
  type = object({
    file_max_age             = number
    file_max_size            = number
    require_password         = bool
    recommended_expire_times = list(object({ in_seconds = number }))
  })
}

# What the script of the form loads.
output "json" {
  value = jsonencode({
    max_bytes    = var.limits.file_max_size
    ask_password = var.limits.require_password
    options = [for option in var.limits.recommended_expire_times : {
      seconds = option.in_seconds
      label = (
        option.in_seconds >= 15770000000 ? "no limit" :
        option.in_seconds % 86400 == 0 ? "${option.in_seconds / 86400} d" :
        option.in_seconds % 3600 == 0 ? "${option.in_seconds / 3600} h" :
        "${floor(option.in_seconds / 60)} min"
      )
    } if option.in_seconds <= var.limits.file_max_age]
  })
}
