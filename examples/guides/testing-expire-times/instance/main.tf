terraform {
  required_version = ">= 1.0"

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

data "filetransfer_instance" "this" {
  base_url = var.base_url
}

output "recommended_expire_times" {
  value = data.filetransfer_instance.this.recommended_expire_times
}
