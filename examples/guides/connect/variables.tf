terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

variable "ca_cert_pem" { type = string }

variable "client_cert_pem" { type = string }

variable "client_key_pem" {
  type      = string
  sensitive = true
}
