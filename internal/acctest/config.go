package acctest

// RequiredProviders is for configurations of tests that import, and for those that a CLI reads without terraform-plugin-testing: the
// CLI would look for another provider.
const RequiredProviders = `
terraform {
  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}
`

// ImpatientProvider is a provider block for instances that are down: one attempt, and short delays where it waits.
const ImpatientProvider = `
provider "filetransfer" {
  retry {
    max_attempts = 1
    min_delay    = "10ms"
    max_delay    = "50ms"
  }
}
`
