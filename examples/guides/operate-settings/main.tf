terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of the instance."
  type        = string
}

variable "settings" {
  description = "Bytes, bytes, seconds."
  type = object({
    file_max_size = number
    chunk_size    = number
    file_max_age  = number
  })
  default = {
    file_max_size = 64424509440 # 60 GiB
    chunk_size    = 20000000
    file_max_age  = 2592000 # 30 days
  }
}

# Stands in for what runs the service.
resource "terraform_data" "service" {
  input = {
    FILE_MAX_SIZE = var.settings.file_max_size
    CHUNK_SIZE    = var.settings.chunk_size
    FILE_MAX_AGE  = var.settings.file_max_age
  }
}

data "filetransfer_instance" "files" {
  base_url   = var.base_url
  depends_on = [terraform_data.service]

  lifecycle {
    postcondition {
      condition     = self.file_max_size == var.settings.file_max_size
      error_message = "FILE_MAX_SIZE is ${var.settings.file_max_size}, but the instance reports ${self.file_max_size} bytes."
    }

    postcondition {
      condition     = self.chunk_size == var.settings.chunk_size
      error_message = "CHUNK_SIZE is ${var.settings.chunk_size}, but the instance reports ${self.chunk_size} bytes."
    }

    postcondition {
      condition     = self.file_max_age == var.settings.file_max_age
      error_message = "FILE_MAX_AGE is ${var.settings.file_max_age}, but the instance reports ${self.file_max_age} seconds."
    }

    postcondition {
      condition     = self.require_password
      error_message = "API_PASSWORD is empty: anyone can upload to ${self.base_url}."
    }
  }
}

output "api_version" { value = data.filetransfer_instance.files.api_version }
