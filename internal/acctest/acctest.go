// Package acctest has what acceptance tests share: the provider, what a CLI must have for a test, parts of
// configurations, and checks that terraform-plugin-testing does not have.
package acctest

import (
	"os"
	"regexp"
	"strings"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/provider"
)

// ProtoV6ProviderFactories serve the provider of this build to the CLI.
var ProtoV6ProviderFactories = map[string]func() (tfprotov6.ProviderServer, error){
	"filetransfer": providerserver.NewProtocol6WithError(provider.New("test")()),
}

// CleanEnvironment removes what whoever runs the tests has set for the provider and for proxies. The namespace is part
// of the address under which terraform-plugin-testing serves the provider.
func CleanEnvironment() {
	if os.Getenv("TF_ACC_PROVIDER_NAMESPACE") == "" {
		_ = os.Setenv("TF_ACC_PROVIDER_NAMESPACE", "filetransfer")
	}
	for _, name := range []string{"FILETRANSFER_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"} {
		_, _ = os.Unsetenv(name), os.Unsetenv(strings.ToLower(name))
	}
}

// Feature is what older CLIs do not have. The versions of Terraform and OpenTofu do not compare.
type Feature struct {
	Name      string
	Terraform *version.Version // the first version with it
	OpenTofu  *version.Version
}

// What tests need.
var (
	TerraformData      = Feature{"the resource terraform_data", tfversion.Version1_4_0, tfversion.Version1_6_0}
	ImportBlocks       = Feature{"an import block", tfversion.Version1_5_0, tfversion.Version1_6_0}
	MockProviders      = Feature{"mock_provider", tfversion.Version1_7_0, tfversion.Version1_8_0}
	EphemeralVariables = Feature{"ephemeral variables", tfversion.Version1_10_0, tfversion.Version1_11_0}
)

// SkipWithout returns the version checks of a test that needs a feature. terraform-plugin-testing does not tell the
// products apart; scripts/with-cli says in TF_ACC_PROVIDER_HOST which it is.
func SkipWithout(feature Feature) []tfversion.TerraformVersionCheck {
	if os.Getenv("TF_ACC_PROVIDER_HOST") == "registry.opentofu.org" {
		return []tfversion.TerraformVersionCheck{tfversion.SkipBelow(feature.OpenTofu)}
	}
	return []tfversion.TerraformVersionCheck{tfversion.SkipBelow(feature.Terraform)}
}

// RequiredProviders is for configurations of tests that import, and for those that a CLI reads without
// terraform-plugin-testing: the CLI would look for another provider.
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

// WrappedText matches texts in this order in what a CLI prints. It breaks lines where it likes, and may draw a bar
// before each.
func WrappedText(texts ...string) *regexp.Regexp {
	var patterns []string
	for _, text := range texts {
		words := strings.Fields(text)
		for i, word := range words {
			words[i] = regexp.QuoteMeta(word)
		}
		patterns = append(patterns, strings.Join(words, `[\s│]+`))
	}
	return regexp.MustCompile(`(?s)` + strings.Join(patterns, ".*"))
}
