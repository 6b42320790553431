package provider_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestAccRecord_Import imports by command and by block. The base URL stays as it was written.
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

// TestAccRecord_ChangeOutsideOfTerraform plans, in the same run, what uses a value that the instance reports otherwise.
func TestAccRecord_ChangeOutsideOfTerraform(t *testing.T) {
	t.Parallel()
	changed := instancetest.Newer().With("fileMaxSize", 1000)
	server := instancetest.New(t)
	config := acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q
}

resource "terraform_data" "file_max_size" {
  input = filetransfer_instance_record.test.file_max_size
}
`, server.URL())
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.TerraformData),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() { server.SetDefault(instancetest.AnswerDocument(changed)) },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("filetransfer_instance_record.test", plancheck.ResourceActionNoop),
					plancheck.ExpectKnownValue("terraform_data.file_max_size", tfjsonpath.New("input"), knownvalue.Int64Exact(1000)),
				}},
				ConfigStateChecks: acctest.ExpectKnownValues("filetransfer_instance_record.test", acctest.NewerDetails(map[string]knownvalue.Check{
					"file_max_size": knownvalue.Int64Exact(1000),
					"response_body": knownvalue.StringExact(changed.JSON()),
				})),
			},
		},
	})
}

// TestAccRecord_AnotherInstance waits for the new instance, of which the plan knows only what is expected.
func TestAccRecord_AnotherInstance(t *testing.T) {
	t.Parallel()
	one, other := instancetest.New(t), instancetest.New(t, instancetest.WithDocument(instancetest.Older()))
	config := func(baseURL string, chunkSize int) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q

  expected {
    chunk_size = %d
  }
}
`, baseURL, chunkSize)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: config(one.URL(), 20000000)},
			{
				PreConfig: func() { other.SetScript(instancetest.Status(503), instancetest.AnswerDocument(instancetest.Newer())) },
				Config:    config(other.URL(), 10000000),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("filetransfer_instance_record.test", plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("chunk_size"), knownvalue.Int64Exact(10000000)),
					plancheck.ExpectUnknownValue("filetransfer_instance_record.test", tfjsonpath.New("api_version")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("api_version"), knownvalue.StringExact("1.3.2")),
					statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("max_transfers_in_merge"), knownvalue.Int64Exact(10)),
					statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("response_body"),
						knownvalue.StringExact(instancetest.Older().JSON())),
				},
			},
		},
	})
}

// TestAccRecord_FailedWait shows that after a wait that failed, the next apply waits again, whatever it changes.
func TestAccRecord_FailedWait(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ before, after string }{
		"without triggers": {"null", "null"},
		"with triggers":    {`{ deploy = "1" }`, `{ deploy = "2" }`},
	}
	for name, triggers := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			config := func(chunkSize int, triggers, ignoreChanges string) string {
				return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q
  triggers = %s

  expected {
    chunk_size = %d
  }

  timeouts {
    update = "2s"
  }

  lifecycle {
    ignore_changes = %s
  }
}
`, server.URL(), triggers, chunkSize, ignoreChanges)
			}
			down := acctest.WrappedText("Error: Instance answered with status 503", "The wait ended: timeouts.update is 2s.",
				"If the instance needs longer to start, raise timeouts.update.")
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
				Steps: []resource.TestStep{
					{Config: config(20000000, triggers.before, "[]")},
					{
						// The server does not survive its release.
						PreConfig:   func() { server.SetDefault(instancetest.Status(503)) },
						Config:      config(30000000, triggers.after, "[]"),
						ExpectError: down,
					},
					{
						// The rollback has the values of the state, and waits for the server all the same.
						Config:      config(20000000, triggers.before, "[]"),
						ExpectError: down,
					},
					{
						Config:      config(20000000, triggers.before, "all"),
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
						Config: config(20000000, triggers.before, "[]"),
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
							plancheck.ExpectResourceAction("filetransfer_instance_record.test", plancheck.ResourceActionUpdate),
							acctest.ExpectChangedOnly("filetransfer_instance_record.test", "wait_failed"),
							plancheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("wait_failed"), knownvalue.Bool(false)),
							acctest.BeforeApply(func() error {
								server.SetScript(instancetest.Status(503))
								return nil
							}),
						}},
						ConfigStateChecks: []statecheck.StateCheck{
							statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("wait_failed"), knownvalue.Bool(false)),
							statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("chunk_size"), knownvalue.Int64Exact(20000000)),
						},
					},
					{
						// Changes that are ignored are not waited for.
						Config:           config(30000000, triggers.after, "all"),
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
					},
				},
			})
		})
	}
}

// TestAccRecord_StableFor waits until an instance has gone on reporting what is expected.
func TestAccRecord_StableFor(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	config := func(stableFor string, chunkSize int) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url   = %q
  stable_for = %q

  expected {
    chunk_size = %d
  }

  timeouts {
    update = "2s"
  }
}
`, server.URL(), stableFor, chunkSize)
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
				Config: config("10ms", 20000000),
				ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPreRefresh: []plancheck.PlanCheck{
					acctest.BeforeApply(func() error {
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
				Config:    config("1990ms", 20000000),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					acctest.ExpectChangedOnly("filetransfer_instance_record.test", "stable_for"),
				}},
			},
			{
				// The delays after the failures are longer than what stable_for leaves of the timeout.
				Config: config("1990ms", 10000000),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					acctest.BeforeApply(func() error {
						server.SetScript(instancetest.Answer(), instancetest.Status(503), instancetest.Status(503))
						server.SetDefault(instancetest.AnswerDocument(instancetest.Older()))
						return nil
					}),
				}},
				ExpectError: acctest.WrappedText("Error: Instance was not stable for long enough", `stable_for = "1990ms"`,
					"the instance reports what is expected, but not for long enough yet.", "The instance last reported what is expected for", "answers).",
					"stable_for is 1.99s. Before that: GET "+server.URL()+"/instance: status 503 Service Unavailable",
					"The wait ended: timeouts.update is 2s.",
					"Check the log of the server: it may stop and start again.", "raise timeouts.update."),
			},
		},
	})
}

// TestAccRecord_AnswersOfACache shows that a wait takes no answer that is older, and that a refresh takes each.
func TestAccRecord_AnswersOfACache(t *testing.T) {
	t.Parallel()
	cached := func(chunkSize int) instancetest.Step {
		return instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Age", "12")
			_, _ = w.Write([]byte(instancetest.Newer().With("chunkSize", chunkSize).JSON()))
		})
	}
	server := instancetest.New(t)
	config := func(arguments string) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q

  timeouts {
    update = "2s"
  }

  %s
}
`, server.URL(), arguments)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				PreConfig:         func() { server.SetScript(cached(30000000)) },
				Config:            config(""),
				ConfigStateChecks: acctest.ExpectKnownValues("filetransfer_instance_record.test", acctest.NewerDetails(nil)),
			},
			{
				PreConfig: func() { server.SetDefault(cached(30000000)) },
				Config:    config(""),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("filetransfer_instance_record.test", tfjsonpath.New("chunk_size"), knownvalue.Int64Exact(30000000)),
				},
			},
			{
				Config: config(`expected { chunk_size = 30000000 }`),
				ExpectError: acctest.WrappedText("Error: A cache answered instead of the instance", "base_url =",
					"GET "+server.URL()+"/instance: a cache answered, with a response of 12 s ago.", "The wait ended: timeouts.update is 2s.",
					"exclude /instance from it."),
			},
		},
	})
}
