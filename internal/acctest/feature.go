package acctest

import (
	"os"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
)

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
	ProviderFunctions  = Feature{"provider functions", tfversion.Version1_8_0, tfversion.Version1_7_0}
	MocksDuringPlan    = Feature{"override_during", tfversion.Version1_11_0, tfversion.Version1_8_0}
	EphemeralVariables = Feature{"ephemeral variables", tfversion.Version1_10_0, tfversion.Version1_11_0}
)

// SkipWithout returns the version checks of a test that needs a feature. terraform-plugin-testing does not tell the products
// apart; scripts/with-cli says in TF_ACC_PROVIDER_HOST which it is.
func SkipWithout(feature Feature) []tfversion.TerraformVersionCheck {
	if os.Getenv("TF_ACC_PROVIDER_HOST") == "registry.opentofu.org" {
		return []tfversion.TerraformVersionCheck{tfversion.SkipBelow(feature.OpenTofu)}
	}
	return []tfversion.TerraformVersionCheck{tfversion.SkipBelow(feature.Terraform)}
}
