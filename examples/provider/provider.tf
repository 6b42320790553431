provider "filetransfer" {
  base_url = var.base_url

  request_headers = {
    X-Gateway-Token = var.gateway_token
  }

  retry {
    max_attempts = 3
  }
}

# Reads the provider's base_url.
data "filetransfer_instance" "files" {}
