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

const recordAddress = "filetransfer_instance_record.test"

// testSteps runs the steps of a test with a CLI that has a feature.
func testSteps(t *testing.T, needed acctest.Feature, steps []resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.SkipWithout(needed), ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories, Steps: steps,
	})
}

// releaseConfig returns a record that expects a chunk size, and resources that use it and another value.
func releaseConfig(baseURL string, chunkSize int, more string) string {
	return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q

  expected {
    chunk_size = %d
  }
%s
}

resource "terraform_data" "chunk_size" {
  input = filetransfer_instance_record.test.chunk_size
}

resource "terraform_data" "file_max_size" {
  triggers_replace = filetransfer_instance_record.test.file_max_size
}
`, baseURL, chunkSize, more)
}

// notExpected returns the details that the records of these tests do not expect.
func notExpected() []string {
	details := acctest.NewerDetails(nil)
	delete(details, "chunk_size")
	return slices.Collect(maps.Keys(details))
}

// answersInApply returns a check before the apply that makes an instance answer in this way from then on.
func answersInApply(server *instancetest.Server, answers instancetest.Step, script ...instancetest.Step) plancheck.PlanCheck {
	return acctest.Run(func() error {
		server.SetScript(script...)
		server.SetDefault(answers)
		return nil
	})
}

// requestsInApply returns checks before and after the apply that it sends a number of requests, each on a connection of its own.
func requestsInApply(server *instancetest.Server, want int) (before, after plancheck.PlanCheck) {
	var requests, connections int
	before = acctest.Run(func() error {
		requests, connections = len(server.Requests()), server.Connections()
		return nil
	})
	after = acctest.Run(func() error {
		if r, c := len(server.Requests())-requests, server.Connections()-connections; r != want || c != want {
			return fmt.Errorf("the apply has sent %d requests on %d connections, want %d", r, c, want)
		}
		return nil
	})
	return before, after
}

// A wait goes on while the old server answers, then nothing does, and then the two take turns. Details that are not expected stay as they
// were planned, and the next plan has them. Somebody changes the server, and the apply waits until it is as expected again.
func TestAccRecord_ReleaseAndDrift(t *testing.T) {
	t.Parallel()
	released := instancetest.Newer().With("chunkSize", 30000000).With("fileMaxSize", 1000)
	drifted, repaired := released.With("chunkSize", 2).With("requirePassword", false), released.With("requirePassword", false)
	reports := instancetest.AnswerDocument[instancetest.Document]
	server := instancetest.New(t)
	detailsAre := func(differences map[string]knownvalue.Check) []statecheck.StateCheck {
		differences["wait_failed"] = knownvalue.Bool(false)
		return acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(differences))
	}
	size, newSize, password := knownvalue.Int64Exact(30000000), knownvalue.Int64Exact(1000), knownvalue.Bool(false)
	before, after := requestsInApply(server, 5)
	testSteps(t, acctest.TerraformData, []resource.TestStep{
		{Config: releaseConfig(server.URL(), 20000000, ""), ConfigStateChecks: detailsAre(map[string]knownvalue.Check{})},
		{
			// What is expected is known, and so is what uses it. Nothing else changes.
			Config: releaseConfig(server.URL(), 30000000, ""),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionUpdate),
					acctest.ExpectChangedOnly(recordAddress, "chunk_size", "expected"),
					acctest.ExpectUnknownOnly(recordAddress),
					plancheck.ExpectKnownValue("terraform_data.chunk_size", tfjsonpath.New("input"), size),
					plancheck.ExpectResourceAction("terraform_data.file_max_size", plancheck.ResourceActionNoop),
					answersInApply(server, reports(released),
						instancetest.Answer(), instancetest.Status(503), instancetest.Answer(), instancetest.Reset()),
					before,
				},
				PostApplyPreRefresh: []plancheck.PlanCheck{after},
			},
			ConfigStateChecks:  detailsAre(map[string]knownvalue.Check{"chunk_size": size}),
			ExpectNonEmptyPlan: true,
		},
		{
			Config: releaseConfig(server.URL(), 30000000, ""),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				acctest.ExpectPriorValue(recordAddress, tfjsonpath.New("file_max_size"), newSize),
				plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionNoop),
				plancheck.ExpectResourceAction("terraform_data.file_max_size", plancheck.ResourceActionReplace),
			}},
			ConfigStateChecks: detailsAre(map[string]knownvalue.Check{"chunk_size": size, "file_max_size": newSize}),
		},
		{
			PreConfig: func() { server.SetDefault(reports(drifted)) },
			Config:    releaseConfig(server.URL(), 30000000, ""),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				acctest.ExpectPriorValue(recordAddress, tfjsonpath.New("chunk_size"), knownvalue.Int64Exact(2)),
				acctest.ExpectChangedOnly(recordAddress, "chunk_size"),
				plancheck.ExpectKnownValue(recordAddress, tfjsonpath.New("chunk_size"), size),
				plancheck.ExpectKnownValue(recordAddress, tfjsonpath.New("require_password"), password),
				plancheck.ExpectResourceAction("terraform_data.chunk_size", plancheck.ResourceActionNoop),
				answersInApply(server, reports(repaired), reports(drifted), instancetest.Status(503)),
			}},
			ConfigStateChecks: detailsAre(map[string]knownvalue.Check{"chunk_size": size, "file_max_size": newSize, "require_password": password}),
		},
	})
}

// A plan has what is expected of a server that the same apply would start. A creation that fails records nothing.
func TestAccRecord_ServerThatDoesNotExistYet(t *testing.T) {
	t.Parallel()
	address := instancetest.ReserveAddress(t)
	config := func(timeout string) string {
		return releaseConfig("http://"+address, 20000000, fmt.Sprintf("timeouts {\n create = %q\n }", timeout))
	}
	known := []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionCreate),
		acctest.ExpectUnknownOnly(recordAddress, notExpected()...),
		plancheck.ExpectKnownValue(recordAddress, tfjsonpath.New("wait_failed"), knownvalue.Bool(false)),
		plancheck.ExpectKnownValue("terraform_data.chunk_size", tfjsonpath.New("input"), knownvalue.Int64Exact(20000000)),
	}
	starts := acctest.Run(func() error {
		instancetest.New(t, instancetest.WithListenAddress(address), instancetest.WithScript(
			instancetest.Status(502), instancetest.Status(404), instancetest.Reset(), instancetest.AnswerDocument("{}"),
			instancetest.Redirect(302, "ftp://files.example.org"), instancetest.AnswerDocument(instancetest.Older())))
		return nil
	})
	testSteps(t, acctest.TerraformData, []resource.TestStep{
		{
			Config:           config("1s"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: known},
			ExpectError:      acctest.WrappedText("Error: Instance not reachable", "The time limit was timeouts.create (1s)."),
		},
		{
			// It starts. The plan is a creation again.
			Config:            config("2m"),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: append(known, starts)},
			ConfigStateChecks: acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(nil)),
		},
	})
}

// After a wait that failed, the next apply waits again, whatever it changes.
func TestAccRecord_FailedWait(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	config := func(chunkSize int, deploy, timeout string) string {
		return releaseConfig(server.URL(), chunkSize, fmt.Sprintf(`
  triggers = { deploy = %q }

  timeouts {
    update = %q
  }
`, deploy, timeout))
	}
	kept := acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(map[string]knownvalue.Check{
		"wait_failed": knownvalue.Bool(false),
		"triggers":    knownvalue.MapExact(map[string]knownvalue.Check{"deploy": knownvalue.StringExact("1")}),
	}))
	testSteps(t, acctest.TerraformData, []resource.TestStep{
		{Config: config(20000000, "1", "1s")},
		{
			// The server reads its setting in another way. The error is on the line of the first argument that differs.
			Config: config(30000000, "2", "1s"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				answersInApply(server, instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 3))),
			}},
			ExpectError: acctest.WrappedText("Error: Instance does not report what is expected", "with filetransfer_instance_record.test,",
				"chunk_size = 30000000", "- chunk_size is 3, expected 30000000", "The time limit was timeouts.update (1s)."),
		},
		{
			// The rollback has the values of the state, and waits for the server all the same. What the server reports meanwhile is drift.
			PreConfig: func() { server.SetDefault(instancetest.Status(503)) },
			Config:    config(20000000, "1", "1s"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				acctest.ExpectChangedOnly(recordAddress, "wait_failed"),
			}},
			ExpectError: acctest.WrappedText("Error: Instance answered with status 503", "The time limit was timeouts.update (1s)."),
		},
		{
			// A refresh that succeeds is no wait that succeeded.
			PreConfig: func() { server.SetDefault(instancetest.Answer()) },
			Config:    config(20000000, "1", "2m"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionUpdate),
				acctest.ExpectChangedOnly(recordAddress, "timeouts", "wait_failed"),
				answersInApply(server, instancetest.Answer(), instancetest.Status(503)),
			}},
			ConfigStateChecks: kept,
		},
	})
}

// A wait ends when an instance has gone on reporting what is expected. Then nothing is asked if only the other arguments change, and
// nothing that uses the record is touched, also while the instance is down.
func TestAccRecord_StableForAndWhatAsksNothing(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithOtherRoutes())
	const other = `
  stable_for = "1s"

  timeouts {
    read   = "2s"
    update = "1m"
  }
`
	asksNothing := func(config string, changed ...string) resource.TestStep {
		before, after := requestsInApply(server, 0)
		return resource.TestStep{
			PreConfig: func() { server.SetDefault(instancetest.Status(503)) },
			Config:    config,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					acctest.ExpectChangedOnly(recordAddress, changed...),
					plancheck.ExpectResourceAction("terraform_data.chunk_size", plancheck.ResourceActionNoop),
					plancheck.ExpectResourceAction("terraform_data.file_max_size", plancheck.ResourceActionNoop),
					before,
				},
				PostApplyPreRefresh: []plancheck.PlanCheck{after},
			},
			ConfigStateChecks: acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(nil)),
		}
	}
	before, after := requestsInApply(server, 6)
	withTriggers := other + "triggers = { deploy = \"1\" }"
	nothingExpected := strings.Replace(releaseConfig(server.URL()+"//", 20000000, ""), "expected {\n    chunk_size = 20000000\n  }", "", 1)
	testSteps(t, acctest.TerraformData, []resource.TestStep{
		{
			Config: releaseConfig(server.URL(), 20000000, "stable_for = \"10ms\"\n triggers = { deploy = \"1\" }"),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{before, answersInApply(server, instancetest.Answer(), instancetest.Answer(), instancetest.Status(503),
					instancetest.Answer(), instancetest.AnswerDocument(instancetest.Older()), instancetest.Answer(), instancetest.Answer())},
				PostApplyPreRefresh: []plancheck.PlanCheck{after},
			},
		},
		asksNothing(releaseConfig(server.URL(), 20000000, withTriggers), "stable_for", "timeouts"),
		asksNothing(releaseConfig(server.URL()+"//", 20000000, withTriggers), "base_url"),
		asksNothing(releaseConfig(server.URL()+"//", 20000000, other), "triggers"),
		asksNothing(nothingExpected, "expected", "stable_for", "timeouts"),
	})
}

// A base URL that is unknown in the plan may turn out to be the same: the record is then updated in place, and keeps its details. If it is
// another one, or the record is replaced, everything that is not expected is new.
func TestAccRecord_AnotherInstance(t *testing.T) {
	t.Parallel()
	first, second := instancetest.New(t), instancetest.New(t, instancetest.WithDocument(instancetest.Older().With("chunkSize", 20000000)))
	config := func(baseURL, deploy string) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "terraform_data" "server" {
  input            = %q
  triggers_replace = %q
}

resource "filetransfer_instance_record" "test" {
  base_url = terraform_data.server.output
  triggers = { deploy = terraform_data.server.id }

  expected {
    chunk_size = 20000000
  }
}
`, baseURL, deploy)
	}
	secondDetails := []statecheck.StateCheck{
		statecheck.ExpectKnownValue(recordAddress, tfjsonpath.New("base_url"), knownvalue.StringExact(second.URL())),
		statecheck.ExpectKnownValue(recordAddress, tfjsonpath.New("api_version"), knownvalue.StringExact("1.3.2")),
		statecheck.ExpectKnownValue(recordAddress, tfjsonpath.New("max_transfers_in_merge"), knownvalue.Int64Exact(10)),
	}
	before, after := requestsInApply(first, 2)
	testSteps(t, acctest.TerraformData, []resource.TestStep{
		{Config: config(first.URL(), "1")},
		{
			Config: config(first.URL(), "2"),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionUpdate),
					acctest.ExpectUnknownOnly(recordAddress, append([]string{"base_url"}, notExpected()...)...),
					answersInApply(first, instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000)), instancetest.Status(503)),
					before,
				},
				PostApplyPreRefresh: []plancheck.PlanCheck{after},
			},
			ConfigStateChecks: acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(nil)),
		},
		{
			Config: config(second.URL(), "2"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionUpdate),
				acctest.ExpectUnknownOnly(recordAddress, append([]string{"base_url"}, notExpected()...)...),
				answersInApply(second, instancetest.Answer(), instancetest.Status(404)),
			}},
			ConfigStateChecks: secondDetails,
		},
		{
			Taint:  []string{recordAddress},
			Config: config(second.URL(), "2"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionDestroyBeforeCreate),
				acctest.ExpectUnknownOnly(recordAddress, notExpected()...),
				answersInApply(second, instancetest.Answer(), instancetest.Status(503)),
			}},
			ConfigStateChecks: secondDetails,
		},
	})
}

// A record is imported by command and by block. The base URL stays as it was written.
func TestAccRecord_Import(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithOtherRoutes())
	config := acctest.RequiredProviders + acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = "%s/"
}
`, server.URL())
	imports := func(step resource.TestStep, id string) resource.TestStep {
		step.ResourceName, step.ImportState, step.ImportStateId = recordAddress, true, id
		return step
	}
	testSteps(t, acctest.ImportBlocks, []resource.TestStep{
		{Config: config},
		imports(resource.TestStep{ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "base_url"}, server.URL()+"/"),
		imports(resource.TestStep{
			ImportStateKind: resource.ImportBlockWithID,
			ImportPlanChecks: resource.ImportPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionNoop),
			}},
		}, server.URL()+"/"),
		imports(resource.TestStep{ExpectError: acctest.WrappedText("Instance answered with status 404", "Check the path")}, server.URL()+"/instance"),
		imports(resource.TestStep{ExpectError: acctest.WrappedText("The import ID cannot be used, and is not shown here")},
			"https://me:hunter2@files.example.org"),
		imports(resource.TestStep{ExpectError: acctest.WrappedText(`The import ID is "files.example.org"`, "it has no scheme")}, "files.example.org"),
	})
}

// Without the block expected, nothing is waited for: a creation, or a move to another instance, reads as a data source does, and what fails
// is an error at once, after which nothing is marked as failed. An empty block waits for any document, and compares nothing later.
func TestAccRecord_NothingExpected(t *testing.T) {
	t.Parallel()
	first := instancetest.New(t)
	second := instancetest.New(t, instancetest.WithDocument(instancetest.Older()))
	config := func(server *instancetest.Server, block string) string {
		return fmt.Sprintf(`
provider "filetransfer" {
  retry {
    max_attempts = 3
    min_delay    = "10ms"
    max_delay    = "50ms"
  }
}

resource "filetransfer_instance_record" "test" {
  base_url = %q
%s
}
`, server.URL(), block)
	}
	const empty = "  expected {}"
	applying := func(action plancheck.ResourceActionType, answers ...plancheck.PlanCheck) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: append(answers, plancheck.ExpectResourceAction(recordAddress, action))}
	}
	missing, down := instancetest.Status(404), instancetest.Status(503)
	ofSecond := acctest.ExpectKnownValues(recordAddress, map[string]knownvalue.Check{
		"api_version": knownvalue.StringExact("1.3.2"), "wait_failed": knownvalue.Bool(false),
	})
	testSteps(t, acctest.TerraformData, []resource.TestStep{
		{
			// A second attempt would succeed.
			Config:           config(first, ""),
			ConfigPlanChecks: applying(plancheck.ResourceActionCreate, answersInApply(first, instancetest.Answer(), missing)),
			ExpectError:      acctest.WrappedText("Error: Instance answered with status 404", "Check the path"),
		},
		{
			Config:           config(first, ""),
			ConfigPlanChecks: applying(plancheck.ResourceActionCreate, answersInApply(first, instancetest.Answer(), down, down, down)),
			ExpectError:      acctest.WrappedText("Error: Instance answered with status 503", "3 attempts made."),
		},
		{
			Config:            config(first, ""),
			ConfigPlanChecks:  applying(plancheck.ResourceActionCreate, answersInApply(first, instancetest.Answer(), down, down)),
			ConfigStateChecks: acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(nil)),
		},
		{
			Config:           config(second, ""),
			ConfigPlanChecks: applying(plancheck.ResourceActionUpdate, answersInApply(second, instancetest.Answer(), missing)),
			ExpectError:      acctest.WrappedText("Error: Instance answered with status 404", "Check the path"),
		},
		{
			// The state has kept everything.
			Config:           config(first, ""),
			ConfigPlanChecks: applying(plancheck.ResourceActionNoop),
			ConfigStateChecks: acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(map[string]knownvalue.Check{
				"base_url": knownvalue.StringExact(first.URL()), "wait_failed": knownvalue.Bool(false),
			})),
		},
		{
			Config: config(second, empty),
			ConfigPlanChecks: applying(plancheck.ResourceActionUpdate,
				answersInApply(second, instancetest.Answer(), missing, down, down, down, instancetest.AnswerDocument("{}"))),
			ConfigStateChecks: ofSecond,
		},
		{
			Taint:  []string{recordAddress},
			Config: config(second, empty),
			ConfigPlanChecks: applying(plancheck.ResourceActionDestroyBeforeCreate,
				answersInApply(second, instancetest.Answer(), missing, down, down, down, instancetest.AnswerDocument("{}"))),
			ConfigStateChecks: ofSecond,
		},
		{
			PreConfig:         func() { second.SetDefault(instancetest.AnswerDocument(instancetest.Newer())) },
			Config:            config(second, empty),
			ConfigPlanChecks:  applying(plancheck.ResourceActionNoop),
			ConfigStateChecks: acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(nil)),
		},
	})
}
