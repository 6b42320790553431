terraform import filetransfer_instance_record.files https://files.example.org/api
