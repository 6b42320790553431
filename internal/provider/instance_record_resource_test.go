package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A record is imported by command and by block. The base URL stays as it was written.
func TestAccRecord_Import(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithOtherRoutes())
	config := acctest.RequiredProviders + acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = "%s/"
}
`, server.URL())
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.ImportBlocks),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				// The import has every value of the record that was created.
				ResourceName: "filetransfer_instance_record.test", ImportState: true, ImportStateId: server.URL() + "/",
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "base_url",
			},
			{
				ResourceName: "filetransfer_instance_record.test", ImportState: true, ImportStateId: server.URL() + "/",
				ImportStateKind: resource.ImportBlockWithID,
				ImportPlanChecks: resource.ImportPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("filetransfer_instance_record.test", plancheck.ResourceActionNoop),
				}},
			},
			{
				ResourceName: "filetransfer_instance_record.test", ImportState: true, ImportStateId: server.URL() + "/instance",
				ExpectError: acctest.WrappedText("Instance answered with status 404", "The base URL ends in /instance"),
			},
			{
				ResourceName: "filetransfer_instance_record.test", ImportState: true, ImportStateId: "https://me:hunter2@files.example.org",
				ExpectError: acctest.WrappedText("The import ID, which is the base URL of an instance, has user info"),
			},
		},
	})
}

// After a wait that failed, the next apply waits again, whatever it changes.
func TestAccRecord_FailedWait(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	config := func(chunkSize int, deploy, timeout string) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q
  triggers = { deploy = %q }

  expected {
    chunk_size = %d
  }

  timeouts {
    update = %q
  }
}
`, server.URL(), deploy, chunkSize, timeout)
	}
	down := acctest.WrappedText("Error: Instance answered with status 503", "The wait ended: timeouts.update is 2s.",
		"If the instance needs longer to start, raise timeouts.update.")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: config(20000000, "1", "2s")},
			{
				// The server does not survive its release.
				PreConfig:   func() { server.SetDefault(instancetest.Status(503)) },
				Config:      config(30000000, "2", "2s"),
				ExpectError: down,
			},
			{
				// The rollback has the values of the state, and waits for the server all the same.
				Config:      config(20000000, "1", "2s"),
				ExpectError: down,
			},
			{
				// A refresh that succeeds is no wait that succeeded.
				PreConfig:          func() { server.SetDefault(instancetest.Answer()) },
				RefreshState:       true,
				ExpectNonEmptyPlan: true,
				RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
					acctest.ExpectPriorValue("filetransfer_instance_record.test", tfjsonpath.New("wait_failed"), knownvalue.Bool(true)),
				}},
			},
			{
				Config: config(20000000, "1", "2m"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("filetransfer_instance_record.test", plancheck.ResourceActionUpdate),
					acctest.ExpectChangedOnly("filetransfer_instance_record.test", "timeouts", "wait_failed"),
					acctest.Run(func() error {
						server.SetScript(instancetest.Status(503))
						return nil
					}),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("wait_failed"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("chunk_size"), knownvalue.Int64Exact(20000000)),
				},
			},
		},
	})
}

// A wait ends when an instance has gone on reporting what is expected.
func TestAccRecord_StableFor(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	config := func(stableFor string) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url   = %q
  stable_for = %q

  expected {
    chunk_size = 20000000
  }
}
`, server.URL(), stableFor)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				// Two answers in a row end the wait, and each attempt has a connection of its own.
				PreConfig: func() {
					server.SetScript(instancetest.Answer(), instancetest.Status(503), instancetest.Answer(),
						instancetest.AnswerDocument(instancetest.Older()), instancetest.Answer(), instancetest.Answer())
				},
				Config: config("10ms"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPreRefresh: []plancheck.PlanCheck{
					acctest.Run(func() error {
						if requests, connections := len(server.Requests()), server.Connections(); requests != 6 || connections != 6 {
							return fmt.Errorf("%d requests on %d connections, want 6 on 6", requests, connections)
						}
						return nil
					}),
				}},
			},
			{
				// If only stable_for changes, nothing is asked.
				PreConfig: func() { server.SetDefault(instancetest.Status(503)) },
				Config:    config("1s"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					acctest.ExpectChangedOnly("filetransfer_instance_record.test", "stable_for"),
				}},
			},
		},
	})
}

// Each argument is validated, and so are those that do not fit together.
func TestAccRecord_InvalidArguments(t *testing.T) {
	t.Parallel()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			PlanOnly: true,
			Config: `
resource "filetransfer_instance_record" "a" {
  base_url   = "files.example.org"
  stable_for = "0s"
  expected {
    api_version            = "2.1"
    chunk_size             = -1
    file_max_age           = 1.5
    file_max_size          = 9223372036854775808
    max_transfers_in_merge = -2
  }
  timeouts {
    create = "0s"
    read   = "1"
    update = "soon"
  }
}

resource "filetransfer_instance_record" "b" {
  base_url = "https://files.example.org"
  triggers = { deploy = "1" }
}

resource "filetransfer_instance_record" "c" {
  base_url   = "https://files.example.org"
  stable_for = "1s"
  expected {}
}

resource "filetransfer_instance_record" "d" {
  base_url   = "https://files.example.org"
  stable_for = "60s"
  expected { chunk_size = 0 }
  timeouts { create = "1m" }
}

resource "filetransfer_instance_record" "e" {
  base_url   = "https://files.example.org"
  stable_for = "10m"
  expected { chunk_size = 9223372036854775807 }
  timeouts { create = "1h" }
}
`,
			ExpectError: acctest.WrappedText(
				"base_url has no scheme", `stable_for is "0s"`, `expected.api_version is "2.1"`,
				"expected.chunk_size is -1.", "Write a whole number from 0 to 9223372036854775807.", "expected.file_max_age is 1.5.",
				"expected.file_max_size is 9223372036854775808.", "expected.max_transfers_in_merge is -2.",
				`timeouts.create is "0s"`, `timeouts.read is "1"`, `timeouts.update is "soon"`,
				"triggers is set, but nothing is expected", "Set an argument in the block expected, or remove triggers.",
				"stable_for is set, but nothing is expected.", "or remove stable_for.",
				"stable_for is 1m, timeouts.create is 1m and timeouts.update is 10m:", "Make stable_for shorter than both.",
				"stable_for is 10m, timeouts.create is 1h and timeouts.update is 10m:"),
		}},
	})
}
