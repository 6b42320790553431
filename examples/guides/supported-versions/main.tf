terraform {
  required_version = ">= 1.5"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_urls" {
  description = "Base URLs of instances of any release, each under a name of your choice."
  type        = map(string)
}

data "filetransfer_instances" "all" {
  base_urls = var.base_urls
}

# Fails for an early release that puts minutes where seconds belong.
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
