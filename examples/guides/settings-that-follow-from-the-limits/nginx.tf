# Stands in for nginx's configuration. 20000000 is the chunk size before a change.
resource "terraform_data" "nginx" {
  input = "client_max_body_size ${max(local.limits.CHUNK_SIZE, 20000000) + 1024 * 1024};"
}
