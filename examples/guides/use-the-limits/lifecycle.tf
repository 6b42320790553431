resource "aws_s3_bucket_lifecycle_configuration" "copies" {
  bucket = "example-upload-copies"

  rule {
    id = "expired-uploads"

    # 15770000000 means no maximum, and 0 refuses all uploads. The copies are kept then.
    status = contains([0, 15770000000], data.filetransfer_instance.files.file_max_age) ? "Disabled" : "Enabled"

    filter {}

    expiration {
      days = min(36500, max(1, ceil(data.filetransfer_instance.files.file_max_age / 86400)))
    }
  }

  lifecycle {
    precondition {
      condition     = data.filetransfer_instance.files.file_max_age == 0 || data.filetransfer_instance.files.file_max_age >= 86400
      error_message = "Files live less than a day: ${data.filetransfer_instance.files.file_max_age} seconds. Check the server's settings."
    }
  }
}
