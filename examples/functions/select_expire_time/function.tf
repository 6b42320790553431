terraform {
  required_version = ">= 1.8" # OpenTofu: 1.7

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

data "filetransfer_instance" "files" {
  base_url = var.base_url
}

locals {
  longest = provider::filetransfer::select_expire_time(
    data.filetransfer_instance.files.recommended_expire_times,
    14 * 24 * 60 * 60, # two weeks
  )
}

output "expire_seconds" { value = local.longest.in_seconds }
