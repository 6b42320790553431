terraform {
  required_version = ">= 1.0"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "Base URL of the instance, such as http://10.0.0.5:3000."
  type        = string
}

variable "listen" {
  description = "Address and port that nginx listens on."
  type        = string
  default     = "80"
}

variable "server_name" {
  description = "Host name that clients use."
  type        = string
  default     = "files.example.org"
}

data "filetransfer_instance" "files" {
  base_url = var.base_url # the address that nginx forwards to, not the one of nginx itself
}

locals {
  # A file is uploaded in chunks. 1 MiB is ample for the multipart headers around a chunk.
  max_body_bytes = data.filetransfer_instance.files.chunk_size + 1024 * 1024
}

output "nginx_conf" {
  description = "Server block for nginx, for a file in /etc/nginx/conf.d."
  value       = <<-EOT
    server {
      listen      ${var.listen};
      server_name ${var.server_name};

      client_max_body_size ${local.max_body_bytes};

      location / {
        proxy_pass                ${replace(var.base_url, "//+$/", "")}/;
        proxy_http_version        1.1;
        proxy_ignore_client_abort on; # finish passing on a chunk whose client has left
        proxy_ssl_server_name     on; # for a base_url with https
        proxy_max_temp_file_size  0;  # do not write downloads to the disk
        proxy_set_header          X-Forwarded-For $remote_addr;
      }
    }
  EOT
}
