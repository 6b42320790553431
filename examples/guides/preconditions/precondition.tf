# Stands in for the job that uploads your exports.
resource "terraform_data" "export" {
  input = data.filetransfer_instance.files.chunk_size

  lifecycle {
    precondition {
      condition     = data.filetransfer_instance.files.file_max_size >= 5000000000
      error_message = "${var.base_url} accepts files of ${data.filetransfer_instance.files.file_max_size} bytes, but our exports can have 5 GB."
    }
  }
}
