package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestAccInstances reads two instances. TestAccInstance_Documents has every kind of value.
func TestAccInstances(t *testing.T) {
	t.Parallel()
	paris, lyon := instancetest.New(t).URL(), instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("chunkSize", 1))).URL()
	const address = "data.filetransfer_instances.all"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf(`
data "filetransfer_instances" "all" {
  base_urls       = { paris = %q, lyon = %q }
  request_headers = { X-Token = "a" }
}
`, paris, lyon),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, tfjsonpath.New("instances"), knownvalue.MapExact(map[string]knownvalue.Check{
					"paris": knownvalue.ObjectExact(acctest.NewerDetails(map[string]knownvalue.Check{
						"base_url": knownvalue.StringExact(paris),
					})),
					"lyon": knownvalue.ObjectExact(acctest.NewerDetails(map[string]knownvalue.Check{
						"base_url":   knownvalue.StringExact(lyon),
						"chunk_size": knownvalue.Int64Exact(1),
					})),
				})),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("errors"), knownvalue.MapSizeExact(0)),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("allow_failures"), knownvalue.Null()),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("max_concurrency"), knownvalue.Null()),
				statecheck.ExpectSensitiveValue(address, tfjsonpath.New("request_headers")),
			},
		}},
	})
}

// TestAccInstances_Failures gets an error for each instance that fails, or with allow_failures a reason in errors.
func TestAccInstances_Failures(t *testing.T) {
	t.Parallel()
	good := instancetest.New(t).URL()
	broken := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("fileMaxSize", nil).With("chunkSize", -1))).URL()
	failing := instancetest.New(t, instancetest.WithDefault(instancetest.Status(500))).URL()
	web := instancetest.New(t, instancetest.WithDefault(instancetest.Body(200, "text/html", "<title>Welcome</title>"))).URL()
	down := "http://" + instancetest.ReserveAddress(t)
	config := func(arguments string) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
data "filetransfer_instances" "all" {
  base_urls = { broken = %q, down = %q, failing = %q, good = %q, web = %q }
  %s
}
`, broken, down, failing, good, web, arguments)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: config(""),
				ExpectError: acctest.WrappedText(
					"Error: ", `Instance "broken": GET `+broken+`/instance`, "set allow_failures = true.",
					"Error: ", `Instance "down": GET `+down+`/instance`, "Error: ", `Instance "failing": GET `+failing+`/instance`,
					"Error: ", `Instance "web": GET `+web+`/instance`, "set allow_failures = true."),
			},
			{
				Config: config("allow_failures = true\n  max_concurrency = 3"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.filetransfer_instances.all", tfjsonpath.New("errors"), knownvalue.MapExact(map[string]knownvalue.Check{
						"broken":  knownvalue.StringExact("not an instance document: fileMaxSize"),
						"down":    knownvalue.StringExact("connection failed"),
						"failing": knownvalue.StringExact("status 500 Internal Server Error"),
						"web":     knownvalue.StringExact("not JSON"),
					})),
					statecheck.ExpectKnownValue("data.filetransfer_instances.all", tfjsonpath.New("instances"), knownvalue.MapSizeExact(1)),
					statecheck.ExpectKnownValue("data.filetransfer_instances.all", tfjsonpath.New("max_concurrency"), knownvalue.Int64Exact(3)),
				},
			},
		},
	})
}
