variable "gateway_token" {
  type      = string
  sensitive = true
}

provider "filetransfer" {
  base_url    = var.base_url
  ca_cert_pem = var.ca_cert_pem

  request_headers = {
    X-Gateway-Token = var.gateway_token
  }
}

# Reads the instance at the provider's base_url.
data "filetransfer_instance" "files" {}
