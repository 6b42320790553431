# The rest of the configuration in provider.tf, which is what the index shows.
terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

variable "gateway_token" {
  type      = string
  sensitive = true
}

output "file_max_size" { value = data.filetransfer_instance.files.file_max_size }
