package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// variables begins every configuration.
const variables = `
variable "base_urls" {
  type = map(string)
}

variable "ca_cert_pem" {
  type    = string
  default = null
}
`

// providerBlock begins singular and plural. Its argument is the name of the provider, ours or canned.
const providerBlock = `
terraform {
  required_providers {
    %[1]s = {
      source = "filetransfer/%[1]s"
    }
  }
}

provider %[1]q {
  ca_cert_pem = var.ca_cert_pem
}
`

// singular reads each instance with a data source of its own. Its argument is that of providerBlock.
const singular = providerBlock + `
data "%[1]s_instance" "this" {
  for_each = var.base_urls
  base_url = each.value
}

output "smallest" {
  value = min([for instance in data.%[1]s_instance.this : instance.file_max_size]...)
}
`

// plural reads all instances with one data source. Its argument is that of providerBlock.
const plural = providerBlock + `
data "%[1]s_instances" "this" {
  base_urls = var.base_urls
}

output "smallest" {
  value = min([for instance in data.%[1]s_instances.this.instances : instance.file_max_size]...)
}
`

// dataHTTP does what users do without this provider.
const dataHTTP = `
terraform {
  required_providers {
    http = {
      source = "hashicorp/http"
    }
  }
}

data "http" "this" {
  for_each    = var.base_urls
  url         = "${each.value}/instance"
  ca_cert_pem = var.ca_cert_pem
}

locals {
  instances = { for key, response in data.http.this : key => jsondecode(response.response_body) }
}

output "smallest" {
  value = min([for instance in local.instances : instance.fileMaxSize]...)
}
`

// writeConfiguration writes a configuration that reads as many instances at origin into a new folder. Each instance has
// a URL of its own, as those with the same URL share a request in the plural data source.
func writeConfiguration(dir, configuration, origin, caCertPEM string, reads int) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	baseURLs := make(map[string]string, reads)
	for i := range reads {
		key := fmt.Sprintf("instance%04d", i)
		baseURLs[key] = origin + "/" + key
	}
	values := map[string]any{"base_urls": baseURLs}
	if caCertPEM != "" {
		values["ca_cert_pem"] = caCertPEM
	}
	document, err := json.Marshal(values)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(variables+configuration), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "terraform.tfvars.json"), document, 0o600)
}
