terraform {
  required_version = ">= 1.5"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_urls" {
  description = "Base URLs of instances of any version, each under a name of your choice."
  type        = map(string)
}

data "filetransfer_instances" "all" {
  base_urls = var.base_urls
}

# The attributes mean the same for every instance.
output "comparison" {
  value = {
    for name, instance in data.filetransfer_instances.all.instances : name => {
      api_version            = instance.api_version
      file_max_age           = instance.file_max_age
      max_transfers_in_merge = instance.max_transfers_in_merge
      expire_seconds         = instance.recommended_expire_times[*].in_seconds
    }
  }
}

# An option shorter than a minute points to one of the early releases with minutes in value.
check "units" {
  assert {
    condition = alltrue(flatten([
      for instance in values(data.filetransfer_instances.all.instances) : [
        for time in instance.recommended_expire_times : time.in_seconds >= 60
      ]
    ]))
    error_message = "An instance offers an expiry option shorter than a minute: its release may put minutes where seconds belong."
  }
}
