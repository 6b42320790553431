terraform {
  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

# Saved with: curl -fsS -o instance.json https://files.example.org/api/instance
locals {
  files = provider::filetransfer::parse_instance(file("${path.module}/instance.json"))
}

output "files" {
  value = local.files
}
