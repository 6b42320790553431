terraform {
  required_version = ">= 1.8" # OpenTofu: 1.7

  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_url" {
  description = "Base URL of an instance, such as https://files.example.org."
  type        = string
}

variable "retention_seconds" {
  description = "How long compliance rules let a transferred file exist."
  type        = number
  default     = 1209600
}

module "instance" {
  source   = "./instance"
  base_url = var.base_url
}

output "default_expire_time" {
  value = provider::filetransfer::select_expire_time(
    module.instance.recommended_expire_times,
    var.retention_seconds,
  ).label
}
