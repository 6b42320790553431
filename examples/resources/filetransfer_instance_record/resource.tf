terraform {
  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  type    = string
  default = "https://files.example.org/api"
}

# The apply waits until the instance reports this chunk size. Its other limits may have any value.
resource "filetransfer_instance_record" "files" {
  base_url = var.base_url

  expected {
    chunk_size = 20000000
  }
}

output "chunk_size" {
  value = filetransfer_instance_record.files.chunk_size
}
