# The rest of the configuration in provider.tf, which is what the index shows.
terraform {
  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  type = string
}

variable "ca_cert_pem" {
  type = string
}

output "file_max_size" {
  value = data.filetransfer_instance.files.file_max_size
}
