terraform {
  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "gateway_token" {
  type      = string
  sensitive = true
}

variable "client_key_pem" {
  type      = string
  sensitive = true
}

provider "filetransfer" {
  base_url        = "https://files.example.org/api"
  request_headers = { X-Gateway-Token = var.gateway_token }

  # For a private CA.
  ca_cert_pem = file("${path.module}/ca.pem")

  # For mutual TLS.
  client_cert_pem = file("${path.module}/client.pem")
  client_key_pem  = var.client_key_pem
}

# Reads the instance at the provider's base_url.
data "filetransfer_instance" "files" {}

output "api_version" {
  value = data.filetransfer_instance.files.api_version
}
