# The rest of the configuration in resource.tf, which is what the page of the record shows.
terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" { type = string }

# Stands in for your server, such as a helm_release.
resource "terraform_data" "server" {
  input = { CHUNK_SIZE = "20000000" }
}

# Has a new ID after each change of the server, even if the last apply stopped before the wait.
resource "terraform_data" "deploy" {
  triggers_replace = [terraform_data.server.id, terraform_data.server.input] # its settings, such as the values of a helm_release

  lifecycle {
    replace_triggered_by = [terraform_data.server]
  }
}

output "chunk_size" { value = filetransfer_instance_record.files.chunk_size }
