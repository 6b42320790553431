data "filetransfer_instances" "all" {
  base_urls      = var.base_urls
  allow_failures = true
}

output "api_versions" {
  value = { for name, instance in data.filetransfer_instances.all.instances : name => instance.api_version }
}

output "errors" {
  value = data.filetransfer_instances.all.errors
}
