package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// releaseConfig returns a record that expects a chunk size, and resources that use it and another value.
func releaseConfig(baseURL string, chunkSize int) string {
	return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q

  expected {
    chunk_size = %d
  }
}

resource "terraform_data" "chunk_size" {
  input = filetransfer_instance_record.test.chunk_size
}

resource "terraform_data" "file_max_size" {
  triggers_replace = filetransfer_instance_record.test.file_max_size
}
`, baseURL, chunkSize)
}

// A wait goes on while the old server answers, then nothing does, and then the two take turns.
func TestAccRecord_Release(t *testing.T) {
	t.Parallel()
	released := instancetest.Newer().With("chunkSize", 30000000)
	server := instancetest.New(t)
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.TerraformData),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: releaseConfig(server.URL(), 20000000)},
			{
				Config: releaseConfig(server.URL(), 30000000),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					// What is expected is known, and so is what uses it. The document will be another one.
					plancheck.ExpectResourceAction("filetransfer_instance_record.test", plancheck.ResourceActionUpdate),
					acctest.ExpectChangedOnly("filetransfer_instance_record.test", "chunk_size", "expected", "response_body"),
					acctest.ExpectUnknownOnly("filetransfer_instance_record.test", "response_body"),
					plancheck.ExpectKnownValue("terraform_data.chunk_size", tfjsonpath.New("input"), knownvalue.Int64Exact(30000000)),
					plancheck.ExpectResourceAction("terraform_data.file_max_size", plancheck.ResourceActionNoop),
					acctest.Run(func() error {
						server.SetScript(instancetest.Answer(), instancetest.Status(503), instancetest.Answer(), instancetest.Reset())
						server.SetDefault(instancetest.AnswerDocument(released))
						return nil
					}),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("chunk_size"), knownvalue.Int64Exact(30000000)),
					statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("response_body"), knownvalue.StringExact(released.JSON())),
					statecheck.ExpectKnownValue("terraform_data.chunk_size", tfjsonpath.New("output"), knownvalue.Int64Exact(30000000)),
				},
			},
		},
	})
}

// A wait goes on until an instance that somebody else has changed reports again what is expected. What is not expected is recorded as
// it is.
func TestAccRecord_Drift(t *testing.T) {
	t.Parallel()
	repaired := instancetest.Newer().With("fileMaxSize", 1000)
	changed := repaired.With("chunkSize", 10000000)
	server := instancetest.New(t)
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.TerraformData),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: releaseConfig(server.URL(), 20000000)},
			{
				PreConfig: func() { server.SetDefault(instancetest.AnswerDocument(changed)) },
				Config:    releaseConfig(server.URL(), 20000000),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					acctest.ExpectPriorValue("filetransfer_instance_record.test", tfjsonpath.New("chunk_size"), knownvalue.Int64Exact(10000000)),
					acctest.ExpectChangedOnly("filetransfer_instance_record.test", "chunk_size", "response_body"),
					plancheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("chunk_size"), knownvalue.Int64Exact(20000000)),
					plancheck.ExpectResourceAction("terraform_data.chunk_size", plancheck.ResourceActionNoop),
					plancheck.ExpectResourceAction("terraform_data.file_max_size", plancheck.ResourceActionReplace),
					acctest.Run(func() error {
						server.SetScript(instancetest.AnswerDocument(changed), instancetest.Status(503))
						server.SetDefault(instancetest.AnswerDocument(repaired))
						return nil
					}),
				}},
				ConfigStateChecks: acctest.ExpectKnownValues("filetransfer_instance_record.test", acctest.NewerDetails(map[string]knownvalue.Check{
					"file_max_size": knownvalue.Int64Exact(1000),
				})),
			},
		},
	})
}

// A plan has what is expected of a server that the same apply would start. A creation that fails records nothing.
func TestAccRecord_ServerThatDoesNotExistYet(t *testing.T) {
	t.Parallel()
	address := instancetest.ReserveAddress(t)
	config := func(timeout string) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = "http://%s"

  expected {
    api_version = "2.1.5"
    chunk_size  = 20000000
  }

  timeouts {
    create = %q
  }
}

resource "terraform_data" "chunk_size" {
  input = filetransfer_instance_record.test.chunk_size
}
`, address, timeout)
	}
	unknownNames := slices.DeleteFunc(slices.Collect(maps.Keys(acctest.NewerDetails(nil))), func(name string) bool {
		return strings.HasPrefix(name, "api_version") || name == "chunk_size"
	})
	known := []plancheck.PlanCheck{
		plancheck.ExpectResourceAction("filetransfer_instance_record.test", plancheck.ResourceActionCreate),
		acctest.ExpectUnknownOnly("filetransfer_instance_record.test", append(unknownNames, "response_body")...),
		plancheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("api_version"), knownvalue.StringExact("2.1.5")),
		plancheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("api_version_minor"), knownvalue.Int64Exact(1)),
		plancheck.ExpectKnownValue("terraform_data.chunk_size", tfjsonpath.New("input"), knownvalue.Int64Exact(20000000)),
	}
	starts := acctest.Run(func() error {
		instancetest.New(t, instancetest.WithListenAddress(address), instancetest.WithScript(
			instancetest.Status(502), instancetest.Status(404), instancetest.Reset(), instancetest.AnswerDocument("{}")))
		return nil
	})
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.TerraformData),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				// The server does not start.
				Config:           config("2s"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: known},
				ExpectError: acctest.WrappedText("Error: Instance not reachable", "The wait ended: timeouts.create is 2s.",
					"Check the server's log: it may not have started.", "If the instance needs longer to start, raise timeouts.create."),
			},
			{
				// It starts: the plan is the same as before.
				Config:            config("2m"),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: append(known, starts)},
				ConfigStateChecks: acctest.ExpectKnownValues("filetransfer_instance_record.test", acctest.NewerDetails(nil)),
			},
		},
	})
}

// An update waits although the instance reported all that is expected when the apply began.
func TestAccRecord_ServerThatTheSameApplyBreaks(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	before := acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q

  expected {
    api_version = "2.1.5"
  }
}
`, server.URL())
	after := acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q

  expected {
    api_version            = "2.1.5"
    chunk_size             = 20000000
    file_max_age           = 2592000
    file_max_size          = 64424509440
    max_transfers_in_merge = 50
    require_password       = true
  }

  timeouts {
    update = "2s"
  }
}
`, server.URL())
	breaks := acctest.Run(func() error {
		server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 30000000).With("fileMaxAge", 60).
			With("fileMaxSize", 64).With("maxTransfersInMerge", 0).With("requirePassword", false)))
		return nil
	})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: before},
			{
				// The error is on the line of the first difference, and lists all of them.
				Config: after,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					acctest.ExpectChangedOnly("filetransfer_instance_record.test", "expected", "timeouts"),
					breaks,
				}},
				ExpectError: acctest.WrappedText(
					"Error: Instance does not report what is expected", "with filetransfer_instance_record.test,", "chunk_size = 20000000",
					"GET "+server.URL()+"/instance answered, but the instance does not report what is expected:",
					"- chunk_size is 30000000, expected 20000000 - file_max_age is 60, expected 2592000",
					"- file_max_size is 64, expected 64424509440 - max_transfers_in_merge is 0, expected 50",
					"- require_password is false, expected true", "The wait ended: timeouts.update is 2s.",
					"only the digits at the beginning of a value", "Check that the server runs the release and the settings", "change expected."),
			},
		},
	})
}

// What is expected may be known only in the apply: another resource has it after its update.
func TestAccRecord_ExpectedKnownInTheApply(t *testing.T) {
	t.Parallel()
	released := instancetest.Newer().With("apiVersion", "2.2.0").With("chunkSize", 30000000)
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
`, apiVersion, chunkSize, server.URL())
	}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.TerraformData),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: config("2.1.5", 20000000)},
			{
				Config: config("2.2.0", 30000000),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					acctest.ExpectUnknownOnly("filetransfer_instance_record.test",
						"api_version", "api_version_major", "api_version_minor", "api_version_patch", "chunk_size", "response_body"),
					acctest.Run(func() error {
						server.SetScript(instancetest.Answer(), instancetest.Status(503))
						server.SetDefault(instancetest.AnswerDocument(released))
						return nil
					}),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("api_version_minor"), knownvalue.Int64Exact(2)),
					statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("chunk_size"), knownvalue.Int64Exact(30000000)),
					statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("response_body"), knownvalue.StringExact(released.JSON())),
				},
			},
		},
	})
}
