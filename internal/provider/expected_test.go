package provider_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Terraform calculates with 512 bits, so that these products and quotients are not quite whole. They are rounded, and other fractions are
// refused.
func TestAccExpected_Calculated(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDocument(
		instancetest.Newer().With("fileMaxSize", int64(4200000000)).With("fileMaxAge", 25920).With("maxTransfersInMerge", 10)))
	config := func(fileMaxAge string) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q

  expected {
    file_max_size          = 4.2 * 1000000000
    file_max_age           = %s
    chunk_size             = 20000000
    max_transfers_in_merge = 10 / 3 * 3
  }
}
`, server.URL(), fileMaxAge)
	}
	whole := map[string]knownvalue.Check{
		"file_max_size": knownvalue.Int64Exact(4200000000), "file_max_age": knownvalue.Int64Exact(25920),
		"chunk_size": knownvalue.Int64Exact(20000000), "max_transfers_in_merge": knownvalue.Int64Exact(10),
	}
	testSteps(t, acctest.TerraformData, []resource.TestStep{
		{Config: config("0.3 * 86401"), ExpectError: acctest.WrappedText("expected.file_max_age is 25920.3.", "Write a whole number")},
		{
			Config: config("0.3 * 86400"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectKnownValue(recordAddress, tfjsonpath.New("file_max_size"), whole["file_max_size"]),
				plancheck.ExpectKnownValue(recordAddress, tfjsonpath.New("file_max_age"), whole["file_max_age"]),
			}},
			ConfigStateChecks: acctest.ExpectKnownValues(recordAddress, whole),
		},
		{
			// Nothing differs afterwards, neither from the state nor from what the instance reports.
			Config:           config("0.3 * 86400"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	})
}

// What is expected may become known only in the apply, from another resource.
func TestAccExpected_KnownInTheApply(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	config := func(apiVersion string, chunkSize int) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "terraform_data" "server" {
  input = {
    api_version = %q
    chunk_size  = %d
  }
}

resource "filetransfer_instance_record" "test" {
  base_url = %q

  expected {
    api_version = terraform_data.server.output.api_version
    chunk_size  = terraform_data.server.output.chunk_size
  }
}

resource "filetransfer_instance_record" "dynamic" {
  base_url = %[3]q

  dynamic "expected" {
    for_each = split(" ", terraform_data.server.output.api_version)
    content {
      chunk_size = terraform_data.server.output.chunk_size
    }
  }
}
`, apiVersion, chunkSize, server.URL())
	}
	released := instancetest.Newer().With("apiVersion", "2.2.0").With("chunkSize", 30000000)
	testSteps(t, acctest.TerraformData, []resource.TestStep{
		{Config: config("2.1.5", 20000000)},
		{
			Config: config("2.2.0", 30000000),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				acctest.ExpectUnknownOnly(recordAddress,
					"api_version", "api_version_major", "api_version_minor", "api_version_patch", "chunk_size"),
				acctest.ExpectUnknownOnly("filetransfer_instance_record.dynamic", "chunk_size"),
				acctest.Run(func() error {
					server.SetScript(instancetest.Answer(), instancetest.Answer(), instancetest.Status(503))
					server.SetDefault(instancetest.AnswerDocument(released))
					return nil
				}),
			}},
			ConfigStateChecks: slices.Concat(
				acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(map[string]knownvalue.Check{
					"api_version": knownvalue.StringExact("2.2.0"), "api_version_minor": knownvalue.Int64Exact(2),
					"api_version_patch": knownvalue.Int64Exact(0), "chunk_size": knownvalue.Int64Exact(30000000),
				})),
				// What turns out not to be expected stays as it is, and the next refresh finds it.
				acctest.ExpectKnownValues("filetransfer_instance_record.dynamic", map[string]knownvalue.Check{
					"api_version": knownvalue.StringExact("2.1.5"), "chunk_size": knownvalue.Int64Exact(30000000),
				}),
			),
		},
	})
}
