variable "gateway_token" {
  type      = string
  sensitive = true
  # ephemeral = true # needs Terraform 1.10 or OpenTofu 1.11
}

provider "filetransfer" {
  base_url = var.base_url # for example https://gateway.example.org/files/api

  # The gateway asks for a token. It is sent to the origin of base_url, and nowhere else.
  request_headers = { X-Gateway-Token = var.gateway_token }

  # A private authority has signed the certificate of the gateway.
  ca_cert_pem = var.ca_cert_pem

  # The gateway asks for a client certificate, too.
  client_cert_pem = var.client_cert_pem
  client_key_pem  = var.client_key_pem

  # The gateway is slow: give each attempt more time, and make more of them.
  request_timeout = "30s"

  retry {
    max_attempts = 6
    max_delay    = "20s"
  }
}

data "filetransfer_instance" "files" {}

output "api_version" { value = data.filetransfer_instance.files.api_version }
