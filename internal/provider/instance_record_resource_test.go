package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const recordAddress = "filetransfer_instance_record.test"

// testSteps runs the steps of a test with a CLI that has a feature.
func testSteps(t *testing.T, needed acctest.Feature, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(needed),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps:                    steps,
	})
}

func preApply(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: checks}
}

// releaseConfig returns a record that expects a chunk size, and resources that use it and another value. Terraform
// calculates with 512 bits, so that a third is not quite one.
func releaseConfig(baseURL string, chunkSize int, deploy, timeout string) string {
	return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "test" {
  base_url = %q
  triggers = { deploy = %q }

  expected {
    chunk_size = %d / 3 * 3
  }

  timeouts {
    create = %[4]q
    update = %[4]q
  }
}

resource "terraform_data" "chunk_size" {
  input = filetransfer_instance_record.test.chunk_size
}

resource "terraform_data" "file_max_size" {
  triggers_replace = filetransfer_instance_record.test.file_max_size
}
`, baseURL, deploy, chunkSize, timeout)
}

// notExpected returns the details that the records of these tests do not expect.
func notExpected() []string {
	details := acctest.NewerDetails(nil)
	delete(details, "chunk_size")
	return slices.Collect(maps.Keys(details))
}

// answersInApply returns a check before the apply that makes an instance answer in this way from then on.
func answersInApply(
	server *instancetest.Server, answers instancetest.Step, script ...instancetest.Step,
) plancheck.PlanCheck {
	return acctest.Run(func() error {
		server.SetScript(script...)
		server.SetDefault(answers)
		return nil
	})
}

// A plan has what is expected of a server that the same apply starts. A creation that fails records nothing. Then an
// apply waits for a release. Details that are not expected stay as they were planned, and the next plan has them. At
// last, somebody changes the server, and the apply waits until it is as expected again.
func TestAccRecord_ReleasesAndDrift(t *testing.T) {
	t.Parallel()
	released := instancetest.Newer().With("chunkSize", 30000000).With("fileMaxSize", 1000)
	reports := instancetest.AnswerDocument[instancetest.Document]
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Status(503)))
	starts := answersInApply(server, instancetest.Answer(),
		instancetest.Status(404), instancetest.AnswerDocument("{}"), reports(instancetest.Older()))
	details := map[string]knownvalue.Check{"wait_failed": knownvalue.Bool(false)}
	created := acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(details))
	size, newSize := knownvalue.Int64Exact(30000000), knownvalue.Int64Exact(1000)
	details["chunk_size"] = size
	updated := acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(details))
	details["file_max_size"] = newSize
	refreshed := acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(details))
	config := releaseConfig(server.URL(), 30000000, "1", "2m")
	creates := []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionCreate),
		acctest.ExpectUnknownOnly(recordAddress, notExpected()...),
		plancheck.ExpectKnownValue("terraform_data.chunk_size", tfjsonpath.New("input"), knownvalue.Int64Exact(20000000)),
	}
	testSteps(t, acctest.TerraformData,
		resource.TestStep{
			Config:           releaseConfig(server.URL(), 20000000, "1", "1s"),
			ConfigPlanChecks: preApply(creates...),
			ExpectError: acctest.WrappedText(
				"Error: Instance answered with status 503", "The time limit was timeouts.create (1s)."),
		},
		resource.TestStep{
			Config:            releaseConfig(server.URL(), 20000000, "1", "2m"),
			ConfigPlanChecks:  preApply(append(creates, starts)...),
			ConfigStateChecks: created,
		},
		resource.TestStep{
			// What is expected is known, and so is what uses it. Nothing else changes.
			Config: config,
			ConfigPlanChecks: preApply(
				plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionUpdate),
				acctest.ExpectChangedOnly(recordAddress, "chunk_size", "expected"),
				acctest.ExpectUnknownOnly(recordAddress),
				plancheck.ExpectKnownValue("terraform_data.chunk_size", tfjsonpath.New("input"), size),
				plancheck.ExpectResourceAction("terraform_data.file_max_size", plancheck.ResourceActionNoop),
				answersInApply(
					server, reports(released), instancetest.Answer(), instancetest.Status(503), instancetest.Reset()),
			),
			ConfigStateChecks:  updated,
			ExpectNonEmptyPlan: true,
		},
		resource.TestStep{
			Config: config,
			ConfigPlanChecks: preApply(
				plancheck.ExpectKnownValue(recordAddress, tfjsonpath.New("file_max_size"), newSize),
				plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionNoop),
				plancheck.ExpectResourceAction("terraform_data.file_max_size", plancheck.ResourceActionReplace),
			),
			ConfigStateChecks: refreshed,
		},
		resource.TestStep{
			PreConfig: func() { server.SetDefault(reports(released.With("chunkSize", 2))) },
			Config:    config,
			ConfigPlanChecks: preApply(
				acctest.ExpectChangedOnly(recordAddress, "chunk_size"),
				plancheck.ExpectKnownValue(recordAddress, tfjsonpath.New("chunk_size"), size),
				plancheck.ExpectResourceAction("terraform_data.chunk_size", plancheck.ResourceActionNoop),
				answersInApply(server, reports(released), instancetest.Status(503)),
			),
			ConfigStateChecks: refreshed,
		},
	)
}

// After a wait that failed, the next apply waits again, whatever it changes.
func TestAccRecord_FailedWait(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	testSteps(t, acctest.TerraformData,
		resource.TestStep{Config: releaseConfig(server.URL(), 20000000, "1", "1s")},
		resource.TestStep{
			// The error is on the line of the first argument that differs.
			Config: releaseConfig(server.URL(), 30000000, "2", "1s"),
			ConfigPlanChecks: preApply(
				answersInApply(server, instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 3))),
			),
			ExpectError: acctest.WrappedText("Error: Instance does not report what is expected",
				"with filetransfer_instance_record.test,", "chunk_size = 30000000 / 3 * 3", "- chunk_size is 3, expected 30000000"),
		},
		resource.TestStep{
			// The rollback has the values of the state, and waits for the server all the same.
			PreConfig:        func() { server.SetDefault(instancetest.Status(503)) },
			Config:           releaseConfig(server.URL(), 20000000, "1", "1s"),
			ConfigPlanChecks: preApply(acctest.ExpectChangedOnly(recordAddress, "wait_failed")),
			ExpectError:      acctest.WrappedText("Error: Instance answered with status 503", "timeouts.update (1s)."),
		},
		resource.TestStep{
			// A refresh that succeeds is no wait that succeeded.
			PreConfig: func() { server.SetDefault(instancetest.Answer()) },
			Config:    releaseConfig(server.URL(), 20000000, "1", "2m"),
			ConfigPlanChecks: preApply(
				acctest.ExpectChangedOnly(recordAddress, "timeouts", "wait_failed"),
				answersInApply(server, instancetest.Answer(), instancetest.Status(503)),
			),
			ConfigStateChecks: acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(map[string]knownvalue.Check{
				"base_url":    knownvalue.StringExact(server.URL()),
				"triggers":    knownvalue.MapExact(map[string]knownvalue.Check{"deploy": knownvalue.StringExact("1")}),
				"stable_for":  knownvalue.Null(),
				"wait_failed": knownvalue.Bool(false),
			})),
		},
	)
}

// A base URL that is unknown in the plan may turn out to be the same: the record is then updated in place, and keeps
// its details. If it is another one, or the record is replaced, everything that is not expected is new.
func TestAccRecord_AnotherInstance(t *testing.T) {
	t.Parallel()
	first := instancetest.New(t)
	second := instancetest.New(t, instancetest.WithDocument(instancetest.Older().With("chunkSize", 20000000)))
	config := func(baseURL, deploy string) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "terraform_data" "server" {
  input            = %q
  triggers_replace = %q
}

resource "filetransfer_instance_record" "test" {
  base_url = terraform_data.server.output

  expected {
    chunk_size = 20000000
  }
}
`, baseURL, deploy)
	}
	urlAndDetails := append([]string{"base_url"}, notExpected()...)
	secondDetails := acctest.ExpectKnownValues(recordAddress, map[string]knownvalue.Check{
		"base_url": knownvalue.StringExact(second.URL()), "api_version": knownvalue.StringExact("1.3.2"),
	})
	testSteps(t, acctest.TerraformData,
		resource.TestStep{Config: config(first.URL(), "1")},
		resource.TestStep{
			Config: config(first.URL(), "2"),
			ConfigPlanChecks: preApply(
				plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionUpdate),
				acctest.ExpectUnknownOnly(recordAddress, urlAndDetails...),
				answersInApply(first, instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000))),
			),
			ConfigStateChecks: acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(nil)),
		},
		resource.TestStep{
			Config: config(second.URL(), "2"),
			ConfigPlanChecks: preApply(
				plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionUpdate),
				acctest.ExpectUnknownOnly(recordAddress, urlAndDetails...),
				answersInApply(second, instancetest.Answer(), instancetest.Status(404)),
			),
			ConfigStateChecks: secondDetails,
		},
		resource.TestStep{
			Taint:  []string{recordAddress},
			Config: config(second.URL(), "2"),
			ConfigPlanChecks: preApply(
				plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionDestroyBeforeCreate),
				acctest.ExpectUnknownOnly(recordAddress, notExpected()...),
			),
			ConfigStateChecks: secondDetails,
		},
	)
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
	imports := func(id string, step resource.TestStep) resource.TestStep {
		step.ResourceName, step.ImportState, step.ImportStateId = recordAddress, true, id
		return step
	}
	refused := acctest.WrappedText("The import ID cannot be used: it has user info")
	testSteps(t, acctest.ImportBlocks,
		resource.TestStep{Config: config},
		imports(server.URL()+"/", resource.TestStep{
			ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "base_url",
		}),
		imports(server.URL()+"/", resource.TestStep{
			ImportStateKind: resource.ImportBlockWithID,
			ImportPlanChecks: resource.ImportPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionNoop),
			}},
		}),
		imports(server.URL()+"/instance", resource.TestStep{ExpectError: acctest.WrappedText("answered with status 404")}),
		imports("https://me:hunter2@h", resource.TestStep{ExpectError: refused}),
	)
}

// What is expected may become known only in the apply, and so may whether there is the block.
func TestAccRecord_ExpectedIsKnownInTheApply(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	config := func(apiVersion string) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "terraform_data" "server" { input = %q }

resource "filetransfer_instance_record" "test" {
  base_url   = %q
  stable_for = "1ms"

  dynamic "expected" {
    for_each = split(" ", terraform_data.server.output)
    content {
      api_version = expected.value
    }
  }
}
`, apiVersion, server.URL())
	}
	released := instancetest.Newer().With("apiVersion", "2.2.0").With("chunkSize", 30000000)
	testSteps(t, acctest.TerraformData,
		resource.TestStep{Config: config("2.1.5")},
		resource.TestStep{
			Config: config("2.2.0"),
			ConfigPlanChecks: preApply(
				acctest.ExpectUnknownOnly(recordAddress, "api_version"),
				answersInApply(server, instancetest.AnswerDocument(released), instancetest.Answer(), instancetest.Status(503)),
			),
			// What is not expected stays as it is, and the next refresh finds it.
			ConfigStateChecks: acctest.ExpectKnownValues(recordAddress, acctest.NewerDetails(
				map[string]knownvalue.Check{"api_version": knownvalue.StringExact("2.2.0")})),
		},
	)
}
