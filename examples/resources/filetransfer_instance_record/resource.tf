terraform {
  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

resource "filetransfer_instance_record" "files" {
  base_url = "https://files.example.org/api"

  # Nothing is deployed here, so a wrong URL need not be tried for ten minutes.
  timeouts {
    create = "30s"
  }
}

output "chunk_size" {
  value = filetransfer_instance_record.files.chunk_size
}
