terraform {
  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

data "filetransfer_instance" "files" { base_url = var.base_url }

# Stands in for the job that uploads an export of 5 GB.
resource "terraform_data" "job" {
  input = ceil(5000000000 / data.filetransfer_instance.files.chunk_size)
}

output "chunks" { value = terraform_data.job.output }
