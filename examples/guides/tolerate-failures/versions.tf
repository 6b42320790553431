terraform {
  required_version = ">= 1.5"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}
