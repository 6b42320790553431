terraform {
  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

provider "filetransfer" {
  retry {
    max_attempts = 1
    min_delay    = "50ms"
    max_delay    = "50ms"
  }
}
