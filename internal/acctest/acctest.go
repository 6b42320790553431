// Package acctest has what acceptance tests share: the provider, what a CLI must have for a test, parts of configurations, and
// checks that terraform-plugin-testing does not have.
package acctest

import (
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/provider"
)

// ProtoV6ProviderFactories serve the provider of this build to the CLI.
var ProtoV6ProviderFactories = map[string]func() (tfprotov6.ProviderServer, error){
	"filetransfer": providerserver.NewProtocol6WithError(provider.New("test")()),
}

// CleanEnvironment removes what whoever runs the tests has set for the provider and for proxies. The namespace is part of the address
// under which terraform-plugin-testing serves the provider.
func CleanEnvironment() {
	if os.Getenv("TF_ACC_PROVIDER_NAMESPACE") == "" {
		_ = os.Setenv("TF_ACC_PROVIDER_NAMESPACE", "filetransfer")
	}
	for _, name := range []string{"FILETRANSFER_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"} {
		_ = os.Unsetenv(name)
	}
}
