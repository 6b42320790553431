terraform {
  required_version = ">= 1.8" # OpenTofu: 1.7

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

locals {
  # Saved with: curl -fsS -o instance.json https://files.example.org/instance
  snapshot = provider::filetransfer::parse_instance(file("${path.module}/instance.json"))
}

output "snapshot" { value = local.snapshot }
