resource "aws_s3_bucket_lifecycle_configuration" "copies" {
  bucket = "example-upload-copies"

  rule {
    id = "expired-uploads"

    # An instance without a maximum reports 15770000000 seconds. The copies are kept then, too.
    status = data.filetransfer_instance.files.file_max_age < 15770000000 ? "Enabled" : "Disabled"

    filter {}

    expiration {
      days = max(1, ceil(data.filetransfer_instance.files.file_max_age / 86400))
    }
  }
}
