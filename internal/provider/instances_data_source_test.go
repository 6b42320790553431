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

// With allow_failures, each instance that fails has a reason in errors, beside those that were read. The messages are in
// testdata/failed_reads.txt.
func TestAccInstances(t *testing.T) {
	t.Parallel()
	good := instancetest.New(t).URL()
	broken := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("fileMaxSize", nil).With("chunkSize", -1))).URL()
	failing := instancetest.New(t, instancetest.WithDefault(instancetest.Status(500))).URL()
	web := instancetest.New(t, instancetest.WithDefault(instancetest.Body(200, "text/html", "<title>Welcome</title>"))).URL()
	down := "http://" + instancetest.ReserveAddress(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: acctest.ImpatientProvider + fmt.Sprintf(`
data "filetransfer_instances" "all" {
  base_urls       = { broken = %q, down = %q, failing = %q, good = %q, web = %q }
  request_headers = { X-Token = "a" }
  allow_failures  = true
  max_concurrency = 3
}
`, broken, down, failing, good, web),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.filetransfer_instances.all", tfjsonpath.New("errors"), knownvalue.MapExact(map[string]knownvalue.Check{
						"broken":  knownvalue.StringExact("not an instance document: fileMaxSize"),
						"down":    knownvalue.StringExact("connection failed"),
						"failing": knownvalue.StringExact("status 500 Internal Server Error"),
						"web":     knownvalue.StringExact("not JSON"),
					})),
					statecheck.ExpectKnownValue("data.filetransfer_instances.all", tfjsonpath.New("instances"), knownvalue.MapExact(map[string]knownvalue.Check{
						"good": knownvalue.ObjectExact(acctest.NewerDetails(map[string]knownvalue.Check{"base_url": knownvalue.StringExact(good)})),
					})),
					statecheck.ExpectKnownValue("data.filetransfer_instances.all", tfjsonpath.New("max_concurrency"), knownvalue.Int64Exact(3)),
				},
			},
			{ // as in a module with an optional list
				Config: "data \"filetransfer_instances\" \"none\" {\n  base_urls = {}\n}\n",
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.filetransfer_instances.none", tfjsonpath.New("instances"), knownvalue.MapSizeExact(0)),
					statecheck.ExpectKnownValue("data.filetransfer_instances.none", tfjsonpath.New("errors"), knownvalue.MapSizeExact(0)),
				},
			},
		},
	})
}
