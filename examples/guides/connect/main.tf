terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string } # https://gateway.example.org/files/api

variable "gateway_token" {
  type      = string
  sensitive = true
}

variable "ca_cert_pem" { type = string }

variable "client_cert_pem" { type = string }

variable "client_key_pem" {
  type      = string
  sensitive = true
}

provider "filetransfer" {
  base_url = var.base_url

  # Required by the reverse proxy. Sent to the origin of base_url, and nowhere else.
  request_headers = { X-Gateway-Token = var.gateway_token }

  # The private authority that signed its certificate.
  ca_cert_pem = var.ca_cert_pem

  # The client certificate that it requires.
  client_cert_pem = var.client_cert_pem
  client_key_pem  = var.client_key_pem
}

data "filetransfer_instance" "files" {}

output "api_version" { value = data.filetransfer_instance.files.api_version }
