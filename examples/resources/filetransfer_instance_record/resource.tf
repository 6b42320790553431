# Each apply that changes the server waits until the instance has reported these values for 30 seconds.
resource "filetransfer_instance_record" "files" {
  base_url   = var.base_url                          # https://files.example.org/api
  triggers   = { deploy = terraform_data.deploy.id } # new after each change of the server
  stable_for = "30s"

  expected {
    chunk_size       = 20000000
    require_password = true
  }
}
