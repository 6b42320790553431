# Every filetransfer_instance answers with these values. Nothing is read.
mock_provider "filetransfer" {
  mock_data "filetransfer_instance" {
    defaults = {
      file_max_size = 21474836480 # 20 GiB
      file_max_age  = 2592000
      api_version   = "2.2.3"

      recommended_expire_times = [
        { label = "30 minutes", in_seconds = 1800, in_minutes = 30 },
        { label = "1 day", in_seconds = 86400, in_minutes = 1440 },
      ]
    }
  }
}

variables {
  base_url = "https://files.example.org"
}

run "defaults" {
  assert {
    condition     = output.volume_gib == 20
    error_message = "A file of 20 GiB must get a volume of 20 GiB."
  }

  assert {
    condition     = output.shortest_expire_minutes == 30
    error_message = "The shortest option is 30 minutes."
  }
}

run "part_of_a_gib_is_rounded_up" {
  override_data {
    target = data.filetransfer_instance.files
    values = {
      file_max_size            = 1000000000
      recommended_expire_times = [{ label = "1 hour", in_seconds = 3600, in_minutes = 60 }]
    }
  }

  assert {
    condition     = output.volume_gib == 1
    error_message = "1000000000 bytes must get a volume of 1 GiB."
  }

  assert {
    condition     = output.shortest_expire_minutes == 60
    error_message = "The only option is 60 minutes."
  }
}
