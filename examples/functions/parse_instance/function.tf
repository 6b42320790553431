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

output "file_max_age_days" {
  description = "How long a file can live, in days."
  value       = local.snapshot.file_max_age / (24 * 60 * 60)
}

output "snapshot" {
  description = "All that the document says."
  value       = local.snapshot
}
