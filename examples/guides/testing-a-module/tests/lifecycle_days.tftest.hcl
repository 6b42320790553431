# Every filetransfer data source answers from here; nothing is read.
mock_provider "filetransfer" {
  mock_data "filetransfer_instance" {
    defaults = {
      file_max_size = 21474836480
      file_max_age  = 2592000
      api_version   = "2.0.1"
    }
  }
}

variables {
  base_url = "https://files.example.org"
}

run "a_month" {
  assert {
    condition     = output.lifecycle_days == 30
    error_message = "2592000 seconds must become 30 days."
  }
}

run "part_of_a_day_is_rounded_up" {
  override_data {
    target = data.filetransfer_instance.files
    values = {
      file_max_age = 90000 # 25 hours
    }
  }

  assert {
    condition     = output.lifecycle_days == 2
    error_message = "25 hours must become 2 days."
  }
}

run "an_instance_that_keeps_nothing_is_refused" {
  command = plan

  override_data {
    target = data.filetransfer_instance.files
    values = {
      file_max_age = 0
    }
  }

  expect_failures = [terraform_data.lifecycle_rule]
}
