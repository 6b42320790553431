package provider_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The state has every attribute, and the arguments as they were written. The parser's tests have every form of a document.
func TestAccInstance(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithRequiredHeader("X-Token", "a"))
	otherSpelling := "HTTP" + strings.TrimPrefix(instance.URL(), "http") + "//"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf(`
provider "filetransfer" {
  base_url        = %[2]q
  request_headers = { X-Token = "a" }
}

data "filetransfer_instance" "all" {
  base_url         = %[1]q
  request_headers  = { x-token = "a" }
  wait_until_ready = false
  timeouts { read = "60s" }
}

data "filetransfer_instance" "empty" {
  base_url        = %[2]q
  request_headers = {}
  timeouts {}
}

data "filetransfer_instance" "none" {}
`, instance.URL(), otherSpelling),
			ConfigStateChecks: slices.Concat(
				acctest.ExpectKnownValues("data.filetransfer_instance.all", map[string]knownvalue.Check{
					"base_url":         knownvalue.StringExact(instance.URL()),
					"request_headers":  knownvalue.MapExact(map[string]knownvalue.Check{"x-token": knownvalue.StringExact("a")}),
					"wait_until_ready": knownvalue.Bool(false),
					"timeouts":         knownvalue.ObjectExact(map[string]knownvalue.Check{"read": knownvalue.StringExact("60s")}),
				}),
				acctest.ExpectKnownValues("data.filetransfer_instance.empty", map[string]knownvalue.Check{
					"base_url":        knownvalue.StringExact(otherSpelling),
					"request_headers": knownvalue.MapSizeExact(0),
					"timeouts":        knownvalue.ObjectExact(map[string]knownvalue.Check{"read": knownvalue.Null()}),
				}),
				acctest.ExpectKnownValues("data.filetransfer_instance.none", acctest.NewerDetails(map[string]knownvalue.Check{
					"base_url":         knownvalue.StringExact(otherSpelling),
					"response_body":    knownvalue.StringExact(instancetest.Newer().JSON()),
					"request_headers":  knownvalue.Null(),
					"timeouts":         knownvalue.Null(),
					"wait_until_ready": knownvalue.Null(),
				})),
			),
		}},
	})
}

// Expressions over the whole data source are as sensitive as the headers that the user gives it.
func TestAccInstance_AsAWhole(t *testing.T) {
	t.Parallel()
	config := func(token string) string {
		return fmt.Sprintf(`
variable "token" {
  type      = string
  default   = "a"
  sensitive = true
}

data "filetransfer_instance" "files" {
  count           = 1
  base_url        = %q
  request_headers = { X-Token = %s }
}

output "chunk_size" { value = one(data.filetransfer_instance.files).chunk_size }
output "is_read" { value = data.filetransfer_instance.files[0] != null }
output "whole" { value = data.filetransfer_instance.files[0] }

resource "terraform_data" "options" {
  count = length(data.filetransfer_instance.files[0].recommended_expire_times)
}
`, instancetest.New(t).URL(), token)
	}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.TerraformData),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: config(`"a"`),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("chunk_size", knownvalue.Int64Exact(20000000)),
					statecheck.ExpectKnownOutputValue("is_read", knownvalue.Bool(true)),
					statecheck.ExpectKnownOutputValueAtPath("whole", tfjsonpath.New("api_version"), knownvalue.StringExact("2.1.5")),
				},
			},
			{
				Config:      config("var.token"),
				ExpectError: acctest.WrappedText("Output refers to sensitive values"),
			},
		},
	})
}

// A wait goes on through every failure that a starting instance shows.
func TestAccInstance_WaitUntilReady(t *testing.T) {
	t.Parallel()
	one, listed := instancetest.New(t), instancetest.New(t)
	starting := []instancetest.Step{
		instancetest.Status(404), instancetest.Reset(), instancetest.Body(200, "text/html", "<title>Welcome to nginx</title>"),
		instancetest.AnswerDocument("{}"), instancetest.Redirect(302, "ftp://files.example.org"),
		instancetest.Status(503, "Retry-After", "86400"),
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			PreConfig: func() {
				one.SetScript(starting...)
				listed.SetScript(starting...)
			},
			Config: acctest.ImpatientProvider + fmt.Sprintf(`
data "filetransfer_instance" "this" {
  base_url         = %q
  wait_until_ready = true
}

data "filetransfer_instances" "all" {
  base_urls        = { it = %q }
  wait_until_ready = true
}
`, one.URL(), listed.URL()),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.filetransfer_instance.this", tfjsonpath.New("api_version"), knownvalue.StringExact("2.1.5")),
				statecheck.ExpectKnownValue("data.filetransfer_instances.all",
					tfjsonpath.New("instances").AtMapKey("it").AtMapKey("api_version"), knownvalue.StringExact("2.1.5")),
			},
		}},
	})
}

// An error about a URL with a secret is on the first line of the block: the line of the argument has the secret. From there to the
// detail, it shows nothing else.
func TestAccInstance_InvalidArguments(t *testing.T) {
	t.Parallel()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			PlanOnly: true,
			Config: `
data "filetransfer_instance" "one" {
  base_url        = "files.example.org"
  request_headers = { Connection = "close" }
  timeouts { read = "0s" }
}

data "filetransfer_instances" "many" {
  base_urls       = { a = "ftp://files.example.org" }
  request_headers = { Connection = "close" }
  max_concurrency = 257
  timeouts { read = "0s" }
}

data "filetransfer_instance" "user_info" {
  base_url = "http://u%3Ahunter2@files.example.org"
}
`,
			ExpectError: regexp.MustCompile(acctest.WrappedText(
				`request_headers["Connection"] cannot be used`, "base_url has no scheme", `timeouts.read is "0s"`,
				`request_headers["Connection"] cannot be used`, `base_urls["a"] has a scheme other than http and https`,
				"max_concurrency is 257.", "Write a whole number from 1 to 256.", `timeouts.read is "0s"`).String() +
				`.*\d: data "filetransfer_instance" "user_info" \{[\s│]+base_url[\s│]+has[\s│]+user[\s│]+info`),
		}},
	})
}
