package provider_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestAccProvider_UnknownArguments fails a read in the plan, unless it depends on what is not known. A record is kept until it is.
func TestAccProvider_UnknownArguments(t *testing.T) {
	t.Parallel()
	home, other := instancetest.New(t, instancetest.WithDocument(instancetest.Older())), instancetest.New(t)
	config := func(timeout, ofDataSource string) string {
		return fmt.Sprintf(`
provider "filetransfer" {
  base_url        = terraform_data.instance.output
  request_timeout = terraform_data.timeout.output
}

resource "terraform_data" "instance" { input = %q }

resource "terraform_data" "timeout" { input = %q }

resource "filetransfer_instance_record" "own" { base_url = %q }

data "filetransfer_instance" "provided" { %s }
`, home.URL(), timeout, other.URL(), ofDataSource)
	}
	const depends = "depends_on = [terraform_data.instance, terraform_data.timeout]"
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.TerraformData),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: config("5s", ""),
				ExpectError: acctest.WrappedText(
					"these arguments of the provider are known only after apply: - base_url - request_timeout Give them values"),
			},
			{
				Config: config("5s", depends),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.filetransfer_instance.provided", tfjsonpath.New("api_version"), knownvalue.StringExact("1.3.2")),
					statecheck.ExpectKnownValue("filetransfer_instance_record.own", tfjsonpath.New("api_version"), knownvalue.StringExact("2.1.5")),
				},
			},
			{
				PreConfig: func() { other.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000))) },
				Config:    config("6s", depends),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("filetransfer_instance_record.own", plancheck.ResourceActionNoop),
						plancheck.ExpectKnownValue("filetransfer_instance_record.own", tfjsonpath.New("file_max_size"), knownvalue.Int64Exact(64424509440)),
					},
					PostApplyPostRefresh: []plancheck.PlanCheck{
						plancheck.ExpectKnownValue("filetransfer_instance_record.own", tfjsonpath.New("file_max_size"), knownvalue.Int64Exact(1000)),
					},
				},
			},
		},
	})
}

var everythingUnknown = object{
	"base_url": unknown{}, "ca_cert_pem": unknown{}, "client_cert_pem": unknown{}, "client_key_pem": unknown{}, "connect_to": unknown{},
	"insecure": unknown{}, "request_headers": unknown{}, "request_timeout": unknown{}, "retry": unknown{},
}

// A read fails, or is deferred where the client allows it, if it needs an unknown argument of the provider: base_url if it names no instance
// of its own or if headers or connect_to are set, and any other argument always.
func TestUnknownProviderArgumentsDeferOrFailReads(t *testing.T) {
	t.Parallel()
	baseURL := instancetest.New(t).URL()
	tests := map[string]struct {
		providerConfig object
		ofProvider     bool     // the read names no instance of its own
		needs          []string // none if the read works
	}{
		"base_url":                        {providerConfig: object{"base_url": unknown{}}},
		"base_url, no instance named":     {providerConfig: object{"base_url": unknown{}}, ofProvider: true, needs: []string{"base_url"}},
		"base_url, no headers in the map": {providerConfig: object{"base_url": unknown{}, "request_headers": object{}}},
		"base_url, headers to place": {
			providerConfig: object{"base_url": unknown{}, "request_headers": object{"X-Token": "a"}}, needs: []string{"base_url"},
		},
		"base_url, headers unknown": {
			providerConfig: object{"base_url": unknown{}, "request_headers": unknown{}}, needs: []string{"base_url", "request_headers"},
		},
		"request_headers": {
			providerConfig: object{"base_url": baseURL, "request_headers": unknown{}}, ofProvider: true, needs: []string{"request_headers"},
		},
		"one header, another origin": {
			providerConfig: object{"base_url": "https://files.example.org", "request_headers": object{"X-A": "a", "X-B": unknown{}}},
			needs:          []string{"request_headers"},
		},
		"base_url, connect_to": {
			providerConfig: object{"base_url": unknown{}, "connect_to": "127.0.0.1:8443"}, needs: []string{"base_url"},
		},
		"connect_to": {providerConfig: object{"connect_to": unknown{}}, needs: []string{"connect_to"}},
		"base_url, request_timeout": {
			providerConfig: object{"base_url": unknown{}, "request_timeout": unknown{}}, needs: []string{"request_timeout"},
		},
		"request_timeout": {providerConfig: object{"request_timeout": unknown{}}, needs: []string{"request_timeout"}},
		"retry":           {providerConfig: object{"retry": unknown{}}, needs: []string{"retry"}},
		"in retry": {
			providerConfig: object{"retry": object{"max_attempts": unknown{}, "max_delay": unknown{}}},
			needs:          []string{"retry.max_attempts", "retry.max_delay"},
		},
		"delays, without another attempt": {
			providerConfig: object{"retry": object{"max_attempts": 1, "min_delay": unknown{}}}, needs: []string{"retry.min_delay"},
		},
		"ca_cert_pem, plain HTTP": {providerConfig: object{"ca_cert_pem": unknown{}}, needs: []string{"ca_cert_pem"}},
		"everything": {providerConfig: everythingUnknown, needs: []string{
			"base_url", "ca_cert_pem", "client_cert_pem", "client_key_pem", "connect_to", "insecure", "request_headers", "request_timeout", "retry",
		}},
	}
	for name, test := range tests {
		reads := map[string]object{instanceName: {"base_url": baseURL}, instancesName: {"base_urls": object{"it": baseURL}, "allow_failures": true}}
		if test.ofProvider {
			reads = map[string]object{instanceName: nil}
		}
		for dataSource, config := range reads {
			t.Run(name+"/"+dataSource, func(t *testing.T) {
				t.Parallel()
				p, diags := configure(t.Context(), t, test.providerConfig)
				diags.require(t)
				got := p.read(t.Context(), t, dataSource, config)
				p.deferralAllowed = true
				deferred := p.read(t.Context(), t, dataSource, config)
				if test.needs == nil {
					got.requireSuccess(t)
					deferred.requireSuccess(t)
					return
				}
				got.diagnostics.require(t, errorAt("", "Provider configuration not known yet",
					"known only after apply:\n  - "+strings.Join(test.needs, "\n  - ")+"\n\n", "-target", "depends_on"))
				deferred.diagnostics.require(t)
				if deferred.state != nil || deferred.deferred == nil || deferred.deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
					t.Errorf("state %v, deferred %v", deferred.state, deferred.deferred)
				}
			})
		}
	}
}

// To defer a read for which there is nothing to read would only put the error off.
func TestNothingToReadIsAnErrorWhateverIsUnknown(t *testing.T) {
	t.Parallel()
	providerConfig := maps.Clone(everythingUnknown)
	delete(providerConfig, "base_url")
	p, _ := configure(t.Context(), t, providerConfig)
	p.deferralAllowed = true
	got := p.read(t.Context(), t, instanceName, nil)
	got.diagnostics.require(t, errorAt("", "No instance to read"))
	if got.deferred != nil {
		t.Error("the read is deferred")
	}
}
