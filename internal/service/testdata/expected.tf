# Waits until instances report what is expected.

variable "base_urls" {
  type = map(string)
}

variable "expected" {
  type = map(string)
}

variable "timeout" {
  type = string
}

resource "filetransfer_instance_record" "this" {
  for_each = var.base_urls
  base_url = each.value

  timeouts {
    create = var.timeout
    update = var.timeout
  }

  expected {
    api_version   = lookup(var.expected, "api_version", null)
    chunk_size    = lookup(var.expected, "chunk_size", null)
    file_max_age  = lookup(var.expected, "file_max_age", null)
    file_max_size = lookup(var.expected, "file_max_size", null)
  }
}

resource "terraform_data" "consumer" {
  for_each = var.base_urls
  input    = filetransfer_instance_record.this[each.key].chunk_size
}
