# Every filetransfer_instance answers with these values.
mock_provider "filetransfer" {
  mock_data "filetransfer_instance" {
    defaults = {
      chunk_size               = 20000000
      recommended_expire_times = [{ label = "30 minutes", in_seconds = 1800, in_minutes = 30 }]
    }
  }
}

variables {
  base_url = "https://files.example.org/api"
}

run "job" {
  assert {
    condition     = output.chunks == 250
    error_message = "5 GB are 250 chunks of 20 MB."
  }

  assert {
    condition     = output.expire_minutes == tolist([30])
    error_message = "The only option is 30 minutes."
  }
}
