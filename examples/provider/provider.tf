provider "filetransfer" {
  base_url = var.base_url # or the environment variable FILETRANSFER_BASE_URL

  request_headers = {
    X-Gateway-Token = var.gateway_token
  }

  retry {
    max_attempts = 3
  }
}

# Without a base_url of its own, it reads the provider's.
data "filetransfer_instance" "files" {}
