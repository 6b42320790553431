mock_provider "filetransfer" {
  mock_data "filetransfer_instances" {
    defaults = {
      instances = {
        paris = {
          base_url                 = "https://paris.example.org"
          file_max_size            = 5000000000
          chunk_size               = 20000000
          require_password         = false
          api_version              = "2.2.3"
          api_version_major        = 2
          api_version_minor        = 2
          api_version_patch        = 3
          file_max_age             = 2592000
          max_transfers_in_merge   = 50
          recommended_expire_times = [{ label = "1 day", in_seconds = 86400, in_minutes = 1440 }]
        }
      }
      errors = { nice = "connection failed" }
    }
  }

  mock_resource "filetransfer_instance_record" {
    defaults = { chunk_size = 20000000 }
  }
}

variables {
  base_url  = "https://files.example.org/api"
  base_urls = { paris = "https://paris.example.org", nice = "https://nice.example.org" }
}

run "sites" {
  assert {
    condition     = output.upload_limit == 5000000000
    error_message = "The limit is that of Paris."
  }

  assert {
    condition     = output.down == tolist(["nice"])
    error_message = "Nice could not be read."
  }

  assert {
    condition     = output.chunk_size == 20000000
    error_message = "The record reports chunks of 20 MB."
  }
}
