# Follows one instance through upgrades and outages.

variable "base_url" {
  type = string
}

variable "up" {
  type = bool
}

data "filetransfer_instance" "this" {
  count    = var.up ? 1 : 0
  base_url = var.base_url
}

resource "filetransfer_instance_record" "this" {
  base_url = var.base_url
  timeouts = {
    read = "3s"
  }
}

resource "terraform_data" "consumer" {
  input = filetransfer_instance_record.this.response_body
}

resource "terraform_data" "other" {
  input = filetransfer_instance_record.this.base_url
}
