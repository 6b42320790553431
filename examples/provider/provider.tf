terraform {
  required_providers {
    filetransfer = {
      source  = "filetransfer/filetransfer"
      version = "~> 0.1.0"
    }
  }
}

data "filetransfer_instance" "files" {
  base_url = "https://files.example.org/api"
}

output "file_max_size" {
  value = data.filetransfer_instance.files.file_max_size
}
