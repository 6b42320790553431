# Stands in for nginx's configuration.
resource "terraform_data" "nginx" {
  input = "client_max_body_size ${filetransfer_instance_record.files.chunk_size + 1024 * 1024};"
}
