# What `make demo` applies to show an outage: the record keeps what the instance last reported.

terraform {
  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_url" {
  description = "Base URL of the instance."
  type        = string
}

provider "filetransfer" {
  retry { max_attempts = 1 } # the demo does not wait for an instance that it has stopped itself
}

resource "filetransfer_instance_record" "this" {
  base_url = var.base_url
}

output "file_max_size" {
  value = filetransfer_instance_record.this.file_max_size
}
