terraform {
  required_version = ">= 1.5"

  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_urls" {
  description = "Base URLs of instances of any release, by a name of your choice."
  type        = map(string)
}

data "filetransfer_instances" "all" {
  base_urls = var.base_urls
}

# Older, newer or between: seconds are seconds, and numbers are numbers.
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

# An early release that puts minutes where seconds belong shows itself by options of less than a minute.
check "units" {
  assert {
    condition = alltrue(flatten([
      for instance in values(data.filetransfer_instances.all.instances) : [
        for time in instance.recommended_expire_times : time.in_seconds >= 60
      ]
    ]))
    error_message = "An instance offers an expiry option of less than a minute: its release may put minutes where seconds belong."
  }
}
