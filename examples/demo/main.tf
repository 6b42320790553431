# What `make demo` applies to read instances, whichever shape they answer with.

terraform {
  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_urls" {
  description = "Base URLs of the instances to read, by a name of your choice."
  type        = map(string)
}

data "filetransfer_instance" "this" {
  for_each = var.base_urls
  base_url = each.value
}

output "instances" {
  description = "What each instance says about itself, in the same units for all."
  value = {
    for name, instance in data.filetransfer_instance.this : name => {
      api_version            = instance.api_version
      require_password       = instance.require_password
      file_max_size          = instance.file_max_size
      chunk_size             = instance.chunk_size
      file_max_age           = instance.file_max_age
      max_transfers_in_merge = instance.max_transfers_in_merge
      expire_seconds         = join(", ", instance.recommended_expire_times[*].in_seconds)
    }
  }
}
