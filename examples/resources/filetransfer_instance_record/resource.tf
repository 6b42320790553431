terraform {
  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

resource "filetransfer_instance_record" "files" {
  base_url = "https://files.example.org/api"
}

output "chunk_size" {
  value = filetransfer_instance_record.files.chunk_size
}
