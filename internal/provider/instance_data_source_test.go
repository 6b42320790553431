package provider_test

import (
	"fmt"
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

// The state has every attribute, and the arguments as they were written.
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
  base_url        = %[1]q
  request_headers = { x-token = "a" }
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
					"base_url":        knownvalue.StringExact(instance.URL()),
					"request_headers": knownvalue.MapExact(map[string]knownvalue.Check{"x-token": knownvalue.StringExact("a")}),
					"timeouts":        knownvalue.ObjectExact(map[string]knownvalue.Check{"read": knownvalue.StringExact("60s")}),
				}),
				acctest.ExpectKnownValues("data.filetransfer_instance.empty", map[string]knownvalue.Check{
					"base_url":        knownvalue.StringExact(otherSpelling),
					"request_headers": knownvalue.MapSizeExact(0),
					"timeouts":        knownvalue.ObjectExact(map[string]knownvalue.Check{"read": knownvalue.Null()}),
				}),
				acctest.ExpectKnownValues("data.filetransfer_instance.none", acctest.NewerDetails(map[string]knownvalue.Check{
					"base_url":        knownvalue.StringExact(otherSpelling),
					"response_body":   knownvalue.StringExact(instancetest.Newer().JSON()),
					"request_headers": knownvalue.Null(),
					"timeouts":        knownvalue.Null(),
				})),
			),
		}},
	})
}

// Releases report in different shapes, and the values have one form. The parser's tests have every form of a document.
func TestAccInstance_Shapes(t *testing.T) {
	t.Parallel()
	labels := instancetest.Newer().With("recommendedExpireTimes", []instancetest.Document{
		instancetest.OlderEntry("1 anne\u0301e", 31536000), instancetest.OlderEntry("119 seconds", 119),
	})
	instances := map[string]instancetest.Document{"older": instancetest.Older(), "mixed": instancetest.Mixed(), "labels": labels}
	config := ""
	for name, document := range instances {
		url := instancetest.New(t, instancetest.WithDocument(document)).URL()
		config += fmt.Sprintf("data \"filetransfer_instance\" %q {\n  base_url = %q\n}\n\n", name, url)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: config,
			ConfigStateChecks: slices.Concat(
				acctest.ExpectKnownValues("data.filetransfer_instance.older", acctest.NewerDetails(map[string]knownvalue.Check{
					"api_version":            knownvalue.StringExact("1.3.2"),
					"api_version_major":      knownvalue.Int64Exact(1),
					"api_version_minor":      knownvalue.Int64Exact(3),
					"api_version_patch":      knownvalue.Int64Exact(2),
					"file_max_size":          knownvalue.Int64Exact(21474836480),
					"chunk_size":             knownvalue.Int64Exact(10000000),
					"require_password":       knownvalue.Bool(false),
					"max_transfers_in_merge": knownvalue.Int64Exact(10), // which it does not report
				})),
				acctest.ExpectKnownValues("data.filetransfer_instance.mixed", acctest.NewerDetails(map[string]knownvalue.Check{
					"api_version":            knownvalue.StringExact("1.5.0"),
					"api_version_major":      knownvalue.Int64Exact(1),
					"api_version_minor":      knownvalue.Int64Exact(5),
					"api_version_patch":      knownvalue.Int64Exact(0),
					"max_transfers_in_merge": knownvalue.Int64Exact(10),
				})),
				acctest.ExpectKnownValues("data.filetransfer_instance.labels", map[string]knownvalue.Check{
					"recommended_expire_times": knownvalue.ListExact([]knownvalue.Check{ // minutes are rounded down
						acctest.ExpireTime("1 ann\u00e9e", 31536000), acctest.ExpireTime("119 seconds", 119),
					}),
				}),
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
