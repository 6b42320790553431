terraform {
  required_version = ">= 1.10" # OpenTofu: 1.11

  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_url" {
  description = "Base URL of the instance, path included, such as https://gateway.example.org/files/api."
  type        = string
}

variable "gateway_token" {
  description = "Token that the reverse proxy requires."
  type        = string
  sensitive   = true
  ephemeral   = true
}

provider "filetransfer" {
  base_url = var.base_url

  request_headers = {
    Authorization = "Bearer ${var.gateway_token}"
  }
}

data "filetransfer_instance" "files" {}

output "api_version" {
  value = data.filetransfer_instance.files.api_version
}
