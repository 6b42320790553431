terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  type = string
}

data "filetransfer_instance" "files" {
  base_url = var.base_url
}
