terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_url" {
  description = "Base URL of an instance, such as https://files.example.org."
  type        = string
}

data "filetransfer_instance" "files" {
  base_url = var.base_url
}

# Stands for the bucket's lifecycle rule.
resource "terraform_data" "lifecycle_rule" {
  input = ceil(data.filetransfer_instance.files.file_max_age / (24 * 60 * 60))

  lifecycle {
    precondition {
      condition     = data.filetransfer_instance.files.file_max_age > 0
      error_message = "The instance keeps no file at all."
    }
  }
}

output "lifecycle_days" {
  value = terraform_data.lifecycle_rule.output
}
