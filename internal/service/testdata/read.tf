# Reads instances in every way there is.

variable "base_urls" {
  type = map(string)
}

# Keys of instances that the data source cannot read: one would end the plan.
variable "refused" {
  type = set(string)
}

data "filetransfer_instance" "this" {
  for_each = { for key, base_url in var.base_urls : key => base_url if !contains(var.refused, key) }
  base_url = each.value
}

data "filetransfer_instances" "all" {
  base_urls      = var.base_urls
  allow_failures = true
}

resource "filetransfer_instance_record" "this" {
  for_each = var.base_urls
  base_url = each.value
  timeouts {
    create = contains(var.refused, each.key) ? "2s" : "1m"
  }
}
