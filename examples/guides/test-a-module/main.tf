terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of an instance, such as https://files.example.org."
  type        = string
}

data "filetransfer_instance" "files" { base_url = var.base_url }

# Stands in for the volume that holds the files.
resource "terraform_data" "volume" {
  input = ceil(data.filetransfer_instance.files.file_max_size / pow(1024, 3))
}

output "volume_gib" { value = terraform_data.volume.output }

output "shortest_expire_minutes" {
  value = min(data.filetransfer_instance.files.recommended_expire_times[*].in_minutes...)
}
