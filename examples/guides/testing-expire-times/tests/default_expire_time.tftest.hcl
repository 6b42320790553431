mock_provider "filetransfer" {}

override_module {
  target = module.instance
  outputs = {
    recommended_expire_times = [
      { label = "1 hour", in_seconds = 3600, in_minutes = 60 },
      { label = "1 day", in_seconds = 86400, in_minutes = 1440 },
    ]
  }
}

variables {
  base_url = "https://files.example.org"
}

run "the_longest_that_is_allowed" {
  variables {
    retention_seconds = 7200
  }

  assert {
    condition     = output.default_expire_time == "1 hour"
    error_message = "A day is longer than the retention."
  }
}
