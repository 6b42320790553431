# What `make demo` applies to show a deploy: the server, the wait until it reports what is expected, and what follows.

terraform {
  required_version = ">= 1.4" # OpenTofu: 1.6

  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

variable "base_url" {
  description = "Base URL of the server."
  type        = string
}

variable "release" {
  description = "Release of the server."
  type        = string
  default     = "2.1.0"
}

variable "chunk_size" {
  description = "Size of one chunk of an upload, in bytes."
  type        = number
  default     = 20000000
}

variable "setting" {
  description = "What is written into the server's settings as the chunk size. Default: chunk_size."
  type        = string
  default     = null
}

provider "filetransfer" {
  retry { # the demo does not start a real server
    min_delay = "500ms"
    max_delay = "1s"
  }
}

# Stands in for a server, which reads its settings from a file.
resource "terraform_data" "server" {
  triggers_replace = "${var.release} ${coalesce(var.setting, var.chunk_size)}"

  provisioner "local-exec" {
    command = "echo \"${self.triggers_replace}\" >server.txt"
  }
}

# Is replaced, and so has another ID, after each change of the server, also when that is created anew.
resource "terraform_data" "deploy" {
  triggers_replace = [terraform_data.server.id]

  lifecycle { replace_triggered_by = [terraform_data.server] }
}

resource "filetransfer_instance_record" "files" {
  base_url = var.base_url
  triggers = { deploy = terraform_data.deploy.id }
  timeouts { update = var.setting == null ? "1m" : "2s" } # a wrong setting stays wrong

  expected {
    api_version = var.release
    chunk_size  = var.chunk_size
  }
}

# Stands in for what clients use.
resource "terraform_data" "upload_form" {
  input = filetransfer_instance_record.files.chunk_size
}
