# Every filetransfer_instance answers with these values.
mock_provider "filetransfer" {
  mock_data "filetransfer_instance" {
    defaults = { chunk_size = 20000000 }
  }
}

variables { base_url = "https://files.example.org/api" }

run "job" {
  assert {
    condition     = output.chunks == 250
    error_message = "5 GB are 250 chunks of 20 MB."
  }
}
