import {
  to = filetransfer_instance_record.files
  id = "https://files.example.org/api"
}
