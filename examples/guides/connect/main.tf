variable "gateway_token" {
  type      = string
  sensitive = true
  # ephemeral = true # needs Terraform 1.10 or OpenTofu 1.11
}

provider "filetransfer" {
  base_url = var.base_url # https://gateway.example.org/files/api

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
