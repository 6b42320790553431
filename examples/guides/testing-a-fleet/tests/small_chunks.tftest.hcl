mock_provider "filetransfer" {}

# Put this at the top of the file. In a later `run`, an override of a resource that already exists has no effect.
override_resource {
  target = filetransfer_instance_record.main
  values = {
    chunk_size               = 5000000
    api_version_major        = 2
    recommended_expire_times = []
  }
}

variables {
  base_url  = "https://files.example.org"
  base_urls = { berlin = "https://berlin.example.org" }
}

run "chunks_of_a_smaller_size" {
  assert {
    condition     = output.main_chunk_size == 5000000
    error_message = "The output is the chunk size of the record."
  }
}
