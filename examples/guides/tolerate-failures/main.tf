data "filetransfer_instances" "fleet" {
  base_urls      = var.base_urls
  allow_failures = true
}

check "all_read" {
  assert {
    condition     = length(data.filetransfer_instances.fleet.errors) == 0
    error_message = "Not read: ${join(", ", keys(data.filetransfer_instances.fleet.errors))}."
  }
}

output "api_versions" {
  value = { for name, instance in data.filetransfer_instances.fleet.instances : name => instance.api_version }
}

output "errors" { value = data.filetransfer_instances.fleet.errors }
