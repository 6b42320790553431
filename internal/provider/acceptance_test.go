package provider_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/provider"
)

// The acceptance tests, TestAcc…, run configurations as users write them, through Terraform or OpenTofu. They run if TF_ACC is
// set. Each is beside the tests of what it tests; this file has what they share.

// factories serve the provider to the CLI.
func factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"filetransfer": providerserver.NewProtocol6WithError(provider.New("test")()),
	}
}

// ofProduct returns what is for the CLI under test. The versions of the products do not compare, and tfversion does not tell
// the products apart.
func ofProduct[T any](terraform, openTofu T) T {
	if os.Getenv("TF_ACC_PROVIDER_HOST") == "registry.opentofu.org" {
		return openTofu
	}
	return terraform
}

type versionChecks = []tfversion.TerraformVersionCheck

func needTerraformData() versionChecks {
	return versionChecks{tfversion.SkipBelow(ofProduct(tfversion.Version1_4_0, tfversion.Version1_6_0))}
}

func needFunctions() versionChecks {
	return versionChecks{tfversion.SkipBelow(ofProduct(tfversion.Version1_8_0, tfversion.Version1_7_0))}
}

// exactly checks that a value is as it is in Go, of the same type.
func exactly(want any) knownvalue.Check {
	switch want := want.(type) {
	case nil:
		return knownvalue.Null()
	case string:
		return knownvalue.StringExact(want)
	case bool:
		return knownvalue.Bool(want)
	case int64:
		return knownvalue.Int64Exact(want)
	case []any:
		var elements []knownvalue.Check
		for _, element := range want {
			elements = append(elements, exactly(element))
		}
		return knownvalue.ListExact(elements)
	case object:
		attributes := make(map[string]knownvalue.Check)
		for name, value := range want {
			attributes[name] = exactly(value)
		}
		return knownvalue.ObjectExact(attributes)
	default:
		panic(fmt.Sprintf("no check of %T", want))
	}
}

// inState checks these attributes of a resource or a data source.
func inState(address string, want object) (checks []statecheck.StateCheck) {
	for name, value := range want {
		checks = append(checks, statecheck.ExpectKnownValue(address, tfjsonpath.New(name), exactly(value)))
	}
	return checks
}

// inPlan checks what a plan does to a resource, and these attributes after it. Those that are unknown{} must be unknown.
func inPlan(address string, action plancheck.ResourceActionType, want object) []plancheck.PlanCheck {
	checks := []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}
	for name, value := range want {
		if value == (unknown{}) {
			checks = append(checks, plancheck.ExpectUnknownValue(address, tfjsonpath.New(name)))
		} else {
			checks = append(checks, plancheck.ExpectKnownValue(address, tfjsonpath.New(name), exactly(value)))
		}
	}
	return checks
}

// planned are checks of a plan before it is applied.
func planned(checks ...[]plancheck.PlanCheck) (all resource.ConfigPlanChecks) {
	for _, some := range checks {
		all.PreApply = append(all.PreApply, some...)
	}
	return all
}

// onlyUnknown checks that a plan of a resource knows everything but what is unknown{} in want.
type onlyUnknown struct {
	address string
	want    object
}

func (o onlyUnknown) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	for _, change := range req.Plan.ResourceChanges {
		after, _ := change.Change.AfterUnknown.(map[string]any)
		for name, is := range after {
			if change.Address == o.address && is == true && o.want[name] != (unknown{}) {
				resp.Error = errors.Join(resp.Error, fmt.Errorf("%s of %s is unknown in the plan", name, o.address))
			}
		}
	}
}

// beforePlan checks what a plan says an attribute of a resource was.
type beforePlan struct {
	address, attribute string
	want               any
}

func (b beforePlan) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	resp.Error = fmt.Errorf("%s is not in the plan", b.address)
	for _, change := range req.Plan.ResourceChanges {
		if change.Address == b.address {
			before, _ := change.Change.Before.(map[string]any)
			resp.Error = exactly(b.want).CheckValue(before[b.attribute])
		}
	}
}

// beforeApply is run after a plan was made, and before it is applied.
type beforeApply func() error

func (f beforeApply) CheckPlan(_ context.Context, _ plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	resp.Error = f()
}

func then(do func()) []plancheck.PlanCheck {
	return []plancheck.PlanCheck{beforeApply(func() error {
		do()
		return nil
	})}
}

// words matches texts of the CLI in this order, which breaks lines where it likes and may draw a bar before each.
func words(texts ...string) *regexp.Regexp {
	var patterns []string
	for _, text := range texts {
		fields := strings.Fields(text)
		for i, field := range fields {
			fields[i] = regexp.QuoteMeta(field)
		}
		patterns = append(patterns, strings.Join(fields, `[\s│]+`))
	}
	return regexp.MustCompile(`(?s)` + strings.Join(patterns, ".*"))
}

// errorAtLine is an error that the CLI must print: the line of the configuration at fault, and what is said about it.
type errorAtLine struct {
	line string
	says []string
}

// labelOf returns the name of a block in a configuration that is made in a loop.
func labelOf(number int) string { return string(rune('a' + number)) }

// mustFail plans a configuration that must fail with these errors, and no others.
func mustFail(t *testing.T, checks versionChecks, configuration string, want ...errorAtLine) {
	t.Helper()
	said := ""
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   checks,
		ProtoV6ProviderFactories: factories(),
		ErrorCheck: func(err error) error {
			said = err.Error()
			return nil
		},
		Steps: []resource.TestStep{{Config: configuration}},
	})
	errors := strings.Split(said, "\nError: ")[1:]
	assertEqual(t, "the number of errors", len(errors), len(want))
	for _, one := range want {
		found := false
		for _, text := range errors {
			found = found || strings.Contains(text, ": "+one.line+"\n") && words(one.says...).MatchString(text)
		}
		if !found {
			t.Errorf("no error at %q says %q:\n%s", one.line, one.says, said)
		}
	}
	assertNotContains(t, said, "hunter2", "..\n")
}

// data is the configuration of a data source with further arguments.
func data(name, baseURL string, arguments ...string) string {
	return fmt.Sprintf("data \"filetransfer_instance\" %q {\nbase_url = %q\n%s\n}\n", name, baseURL, strings.Join(arguments, "\n"))
}

// requirement is for configurations of tests that import: the CLI would look for another provider.
const requirement = `
terraform {
  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}
`

// impatientBlock is a provider block for instances that are down: one attempt, and short delays where it waits.
const impatientBlock = `
provider "filetransfer" {
  retry {
    max_attempts = 1
    min_delay    = "10ms"
    max_delay    = "50ms"
  }
}
`

// providerWith is a provider block.
func providerWith(arguments ...string) string {
	return "provider \"filetransfer\" {\n" + strings.Join(arguments, "\n") + "\n}\n"
}
