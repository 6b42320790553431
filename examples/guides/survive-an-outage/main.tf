terraform {
  required_version = ">= 1.4"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of the instance, such as https://files.example.org."
  type        = string
}

# Reads the instance at every plan. While the instance is down, plan, apply and destroy fail.
data "filetransfer_instance" "strict" { base_url = var.base_url }

# Reads the instance at every plan too. While the instance is down, its last values are used, with a warning.
resource "filetransfer_instance_record" "tolerant" { base_url = var.base_url }

# Stands in for the resources that use the limits.
resource "terraform_data" "alert" {
  input = {
    free_bytes_at_least = filetransfer_instance_record.tolerant.file_max_size
  }
}

output "versions" {
  value = {
    now      = data.filetransfer_instance.strict.api_version
    recorded = filetransfer_instance_record.tolerant.api_version
  }
}
