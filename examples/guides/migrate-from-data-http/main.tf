terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

provider "filetransfer" {
  request_timeout = "5s"

  retry {
    max_attempts = 3 # two retries after the first attempt, as with attempts = 2
  }
}

data "filetransfer_instance" "files" {
  base_url = var.base_url

  request_headers = { X-Team = "platform" }
}

output "max_age_days" {
  value = floor(data.filetransfer_instance.files.file_max_age / (24 * 60 * 60))
}

output "expire_seconds" {
  value = [for time in data.filetransfer_instance.files.recommended_expire_times : time.in_seconds]
}
