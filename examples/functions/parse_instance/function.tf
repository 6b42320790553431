terraform {
  required_version = ">= 1.8" # OpenTofu: 1.7

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

# Saved with: curl -fsS -o older.json https://files.example.org/api/instance
output "older" { value = provider::filetransfer::parse_instance(file("${path.module}/older.json")) }
