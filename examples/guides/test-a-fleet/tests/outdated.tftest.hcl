mock_provider "filetransfer" {
  mock_resource "filetransfer_instance_record" {
    defaults = {
      chunk_size        = 20000000
      api_version       = "2.2.3"
      api_version_major = 2

      recommended_expire_times = [{ label = "1 day", in_seconds = 86400, in_minutes = 1440 }]
    }
  }

  # A field that is left out silently becomes 0, false, a random string or an empty list.
  mock_data "filetransfer_instances" {
    defaults = {
      errors = {}

      instances = {
        berlin = {
          base_url                 = "https://berlin.example.org"
          file_max_size            = 21474836480
          chunk_size               = 10000000
          require_password         = true
          api_version              = "1.3.2"
          api_version_major        = 1
          api_version_minor        = 3
          api_version_patch        = 2
          file_max_age             = 2592000
          max_transfers_in_merge   = 10
          recommended_expire_times = [{ label = "1 day", in_seconds = 86400, in_minutes = 1440 }]
        }
      }
    }
  }
}

variables {
  base_url  = "https://files.example.org"
  base_urls = { berlin = "https://berlin.example.org" }
}

run "an_older_instance_is_outdated" {
  assert {
    condition     = jsonencode(output.outdated) == jsonencode(["berlin"])
    error_message = "Version 1.3.2 is older than 2.2.3."
  }
}

run "no_fleet" {
  override_data {
    target = data.filetransfer_instances.fleet
    values = {
      errors    = {}
      instances = {}
    }
  }

  assert {
    condition     = length(output.outdated) == 0
    error_message = "There is no instance to be outdated."
  }
}
