terraform {
  required_providers {
    filetransfer = {
      source  = "filetransfer/filetransfer"
      version = "~> 0.1.0"
    }
  }
}

variable "gateway_token" {
  type      = string
  sensitive = true
}

provider "filetransfer" {
  base_url        = "https://files.example.org/api"
  request_headers = { X-Gateway-Token = var.gateway_token }
  ca_cert_pem     = file("${path.module}/ca.pem") # certificates of the private CA
}

# Reads the instance at the provider's base_url.
data "filetransfer_instance" "files" {}

output "file_max_size" {
  value = data.filetransfer_instance.files.file_max_size
}
