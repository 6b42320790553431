# modules/upload-form/main.tf
variable "limits" {
  type = object({
    file_max_size    = number
    require_password = bool
  })
}

output "max_bytes" {
  value = var.limits.file_max_size
}
