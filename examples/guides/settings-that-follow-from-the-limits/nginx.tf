locals {
  largest_chunk = max(local.limits.CHUNK_SIZE, 0) # the old size, while you lower it
}

# Stands in for nginx's configuration.
resource "terraform_data" "nginx" {
  input = "client_max_body_size ${local.largest_chunk + 1024 * 1024};"
}
