package provider_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The state has every attribute, and the arguments as they were written. Releases report in different shapes, and the
// values have one form. The tests of the parser have every form of a document.
func TestAccInstance(t *testing.T) {
	t.Parallel()
	provided := instancetest.New(t, instancetest.WithRequiredHeader("X-Token", "a")).URL() + "//"
	older := instancetest.New(t, instancetest.WithDocument(instancetest.Older())).URL()
	options := []instancetest.Document{
		instancetest.NewerEntry("1 anne\u0301e", 31536000), instancetest.NewerEntry("119 seconds", 119),
	}
	document := instancetest.Mixed().With("recommendedExpireTimes", options)
	mixed := instancetest.New(t, instancetest.WithDocument(document)).URL()
	timeouts := func(read knownvalue.Check) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{"read": read})
	}
	config := fmt.Sprintf(`
variable "token" {
  type      = string
  default   = "a"
  sensitive = true
}

provider "filetransfer" {
  base_url        = %q
  request_headers = { X-Token = "a" }
}

data "filetransfer_instance" "provided" {}

data "filetransfer_instance" "older" {
  base_url        = %q
  request_headers = { x-token = var.token }
  timeouts { read = "60s" }
}

data "filetransfer_instance" "mixed" {
  base_url        = %q
  request_headers = {}
  timeouts {}
}

output "chunk_size" { value = data.filetransfer_instance.older.chunk_size }
output "whole" { value = data.filetransfer_instance.mixed }
`, provided, older, mixed)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: config,
			ConfigStateChecks: slices.Concat(
				acctest.ExpectKnownValues("data.filetransfer_instance.provided", acctest.NewerDetails(map[string]knownvalue.Check{
					"base_url":        knownvalue.StringExact(provided),
					"response_body":   knownvalue.StringExact(instancetest.Newer().JSON()),
					"request_headers": knownvalue.Null(),
					"timeouts":        knownvalue.Null(),
				})),
				acctest.ExpectKnownValues("data.filetransfer_instance.older", acctest.NewerDetails(map[string]knownvalue.Check{
					"base_url":               knownvalue.StringExact(older),
					"request_headers":        knownvalue.MapExact(map[string]knownvalue.Check{"x-token": knownvalue.StringExact("a")}),
					"timeouts":               timeouts(knownvalue.StringExact("60s")),
					"api_version":            knownvalue.StringExact("1.3.2"),
					"file_max_size":          knownvalue.Int64Exact(21474836480),
					"chunk_size":             knownvalue.Int64Exact(10000000),
					"require_password":       knownvalue.Bool(false),
					"max_transfers_in_merge": knownvalue.Int64Exact(10), // which it does not report
				})),
				acctest.ExpectKnownValues("data.filetransfer_instance.mixed", acctest.NewerDetails(map[string]knownvalue.Check{
					"request_headers":        knownvalue.MapSizeExact(0),
					"timeouts":               timeouts(knownvalue.Null()),
					"api_version":            knownvalue.StringExact("1.5.0"),
					"max_transfers_in_merge": knownvalue.Int64Exact(10),
					"recommended_expire_times": knownvalue.ListExact([]knownvalue.Check{ // minutes are rounded down
						acctest.ExpireTime("1 ann\u00e9e", 31536000), acctest.ExpireTime("119 seconds", 119),
					}),
				})),
			),
		}, {
			// A whole data source is as sensitive as the headers that the user gives it.
			Config:      config + `output "older" { value = data.filetransfer_instance.older }`,
			ExpectError: acctest.WrappedText("Output refers to sensitive values"),
		}},
	})
}

// With allow_failures, each instance that fails has a reason in errors, beside those that were read.
func TestAccInstances(t *testing.T) {
	t.Parallel()
	good, down := instancetest.New(t).URL(), "http://"+instancetest.ReserveAddress(t)
	broken := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("fileMaxSize", nil))).URL()
	failing := instancetest.New(t, instancetest.WithDefault(instancetest.Status(500))).URL()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: acctest.ImpatientProvider + fmt.Sprintf(`
data "filetransfer_instances" "all" {
  base_urls       = { broken = %q, down = %q, failing = %q, good = %q }
  request_headers = { X-Token = "a" }
  allow_failures  = true
}

data "filetransfer_instances" "none" {
  base_urls = {}
}
`, broken, down, failing, good),
			ConfigStateChecks: slices.Concat(
				acctest.ExpectKnownValues("data.filetransfer_instances.all", map[string]knownvalue.Check{
					"errors": knownvalue.MapExact(map[string]knownvalue.Check{
						"broken":  knownvalue.StringExact("not an instance document: fileMaxSize"),
						"down":    knownvalue.StringExact("connection failed"),
						"failing": knownvalue.StringExact("status 500 Internal Server Error"),
					}),
					"instances": knownvalue.MapExact(map[string]knownvalue.Check{
						"good": knownvalue.ObjectExact(acctest.NewerDetails(
							map[string]knownvalue.Check{"base_url": knownvalue.StringExact(good)})),
					}),
					"request_headers": knownvalue.MapExact(map[string]knownvalue.Check{"X-Token": knownvalue.StringExact("a")}),
				}),
				acctest.ExpectKnownValues("data.filetransfer_instances.none", map[string]knownvalue.Check{ // as of an optional list
					"errors": knownvalue.MapSizeExact(0), "instances": knownvalue.MapSizeExact(0),
				}),
			),
		}},
	})
}
