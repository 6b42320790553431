terraform {
  required_version = ">= 1.3"

  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}

variable "base_url" {
  description = "The service, as nginx reaches it: http://127.0.0.1:3000."
  type        = string

  validation {
    condition     = startswith(var.base_url, "http://")
    error_message = "This is where nginx passes requests on to, without TLS."
  }
}

resource "filetransfer_instance_record" "files" { base_url = var.base_url }

output "nginx_conf" {
  value = <<-EOT
    limit_conn_zone $arg_transferkey zone=transfers:1m;

    server {
      listen              443 ssl;
      server_name         files.example.org;
      ssl_certificate     /etc/ssl/files.example.org.pem;
      ssl_certificate_key /etc/ssl/files.example.org.key;

      # A chunk, and the multipart headers around it.
      client_max_body_size ${filetransfer_instance_record.files.chunk_size + 1024 * 1024};

      location / {
        proxy_pass ${replace(var.base_url, "//+$/", "")}/;

        # The service gets whole chunks only, and each of them once at a time.
        limit_conn                transfers 1;
        proxy_request_buffering   on;
        proxy_ignore_client_abort on;
        proxy_next_upstream       off;
        proxy_send_timeout        1h;
        proxy_read_timeout        1h;

        # The service may answer before it has read a chunk.
        proxy_http_version 1.1;
        proxy_set_header   Connection "";

        # Nothing is stored here.
        proxy_cache              off;
        proxy_max_temp_file_size 0;
        add_header               Cache-Control no-store always;

        # Clients cannot forge their addresses.
        proxy_set_header X-Forwarded-For  $remote_addr;
        proxy_set_header CF-Connecting-IP "";
      }
    }
  EOT
}
