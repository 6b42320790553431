package provider

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestAccProvider_UnknownArguments(t *testing.T) {
	t.Parallel()
	home, other := instancetest.New(t, instancetest.WithDocument(instancetest.Older())), instancetest.New(t)
	configuration := func(timeout, more string) string {
		return fmt.Sprintf(`
resource "terraform_data" "instance" { input = %q }

resource "terraform_data" "timeout" { input = %q }

resource "filetransfer_instance_record" "own" { base_url = %q }
`, home.URL(), timeout, other.URL()) +
			providerWith("base_url = terraform_data.instance.output", "request_timeout = terraform_data.timeout.output") + more
	}
	const provided = `data "filetransfer_instance" "provided" {}`
	const depends = `data "filetransfer_instance" "provided" { depends_on = [terraform_data.instance, terraform_data.timeout] }`
	const record = "filetransfer_instance_record.own"
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   needTerraformData(),
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{
				Config:      configuration("5s", provided),
				ExpectError: words("these arguments of the provider are known only after apply: - base_url - request_timeout Give them values"),
			},
			{
				Config:            configuration("5s", depends),
				ConfigStateChecks: append(inState("data.filetransfer_instance.provided", args{"api_version": "1.3.2"}), inState(record, newer)...),
			},
			{ // a record is kept until they are known
				PreConfig: func() { other.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000))) },
				Config:    configuration("6s", depends),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             inPlan(record, plancheck.ResourceActionNoop, newer),
					PostApplyPostRefresh: inPlan(record, plancheck.ResourceActionNoop, newer.with(args{"file_max_size": int64(1000)})),
				},
			},
		},
	})
}

// TestAccProvider_DeferredReads: where the CLI allows it, reads that need arguments which are not known yet are made in the next
// run.
func TestAccProvider_DeferredReads(t *testing.T) {
	t.Parallel()
	const data, record = "data.filetransfer_instance.provided", "filetransfer_instance_record.deferred"
	configuration := fmt.Sprintf(`
resource "terraform_data" "instance" { input = %q }

data "filetransfer_instance" "provided" {}

resource "filetransfer_instance_record" "deferred" { base_url = data.filetransfer_instance.provided.base_url }
`, instancetest.New(t).URL()) + providerWith("base_url = terraform_data.instance.output")
	deferral := resource.AdditionalCLIOptions{Apply: resource.ApplyOptions{AllowDeferral: true}, Plan: resource.PlanOptions{AllowDeferral: true}}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   versionChecks{tfversion.SkipBelow(tfversion.Version1_9_0), tfversion.SkipIfNotAlpha()}, // -allow-deferral
		ProtoV6ProviderFactories: factories(),
		AdditionalCLIOptions:     &deferral,
		Steps: []resource.TestStep{
			{
				Config: configuration,
				// Of a data source, a plan says only that what needs it is deferred too.
				ConfigPlanChecks:   planned([]plancheck.PlanCheck{plancheck.ExpectDeferredChange(record, "deferred_prereq")}),
				ExpectNonEmptyPlan: true,
			},
			{
				Config:            configuration,
				ConfigPlanChecks:  planned([]plancheck.PlanCheck{plancheck.ExpectNoDeferredChanges()}),
				ConfigStateChecks: append(inState(data, newer), inState(record, newer)...),
			},
		},
	})
}

var everythingUnknown = args{
	"base_url": unknown{}, "request_headers": unknown{}, "request_timeout": unknown{}, "retry": unknown{},
	"ca_cert_pem": unknown{}, "client_cert_pem": unknown{}, "client_key_pem": unknown{}, "connect_to": unknown{}, "insecure": unknown{},
}

// TestUnknownProviderArgumentsDeferOrFailReads: base_url matters to reads that name no instance of their own and,
// with request_headers, to every read; any other argument to every read.
func TestUnknownProviderArgumentsDeferOrFailReads(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t)
	own := args{"base_url": instance.URL()}
	headers := args{"request_headers": args{"X-Token": "a"}}
	everyName := []string{
		"base_url", "ca_cert_pem", "client_cert_pem", "client_key_pem", "connect_to", "insecure", "request_headers", "request_timeout", "retry",
	}
	tests := map[string]struct {
		provider, arguments args
		needs               []string // none if the read works
	}{
		"base_url, instance named":        {args{"base_url": unknown{}}, own, nil},
		"base_url, no instance named":     {args{"base_url": unknown{}}, nil, []string{"base_url"}},
		"base_url, no headers in the map": {args{"base_url": unknown{}, "request_headers": args{}}, own, nil},
		"base_url, headers to place":      {headers.with(args{"base_url": unknown{}}), own, []string{"base_url"}},
		"base_url, headers unknown": {
			args{"base_url": unknown{}, "request_headers": unknown{}}, own, []string{"base_url", "request_headers"},
		},
		"request_headers": {args{"base_url": instance.URL(), "request_headers": unknown{}}, nil, []string{"request_headers"}},
		"one header, another origin": {
			args{"base_url": "https://files.example.org", "request_headers": args{"X-A": "a", "X-B": unknown{}}},
			own, []string{"request_headers"},
		},
		"base_url, connect_to": {args{"base_url": unknown{}, "connect_to": "127.0.0.1:8443"}, own, []string{"base_url"}},
		"connect_to":           {args{"connect_to": unknown{}}, own, []string{"connect_to"}},
		"base_url, request_timeout": {
			args{"base_url": unknown{}, "request_timeout": unknown{}}, own, []string{"request_timeout"},
		},
		"request_timeout": {args{"request_timeout": unknown{}}, own, []string{"request_timeout"}},
		"retry":           {args{"retry": unknown{}}, own, []string{"retry"}},
		"in retry": {
			args{"retry": args{"max_attempts": unknown{}, "max_delay": unknown{}}},
			own, []string{"retry.max_attempts", "retry.max_delay"},
		},
		"delays, without another attempt": {
			args{"retry": args{"max_attempts": 1, "min_delay": unknown{}}}, own, []string{"retry.min_delay"},
		},
		"ca_cert_pem, plain HTTP":                 {args{"ca_cert_pem": unknown{}}, own, []string{"ca_cert_pem"}},
		"everything, and nothing to read":         {everythingUnknown, nil, everyName},
		"everything, with an instance of its own": {everythingUnknown, own, everyName},
	}
	for name, test := range tests {
		for _, deferral := range []bool{false, true} {
			for _, source := range []string{instanceName, instancesName} {
				arguments := test.arguments
				if source == instancesName {
					if arguments == nil {
						continue // there each has a base URL
					}
					arguments = reading(source, instance.URL()).with(args{"allow_failures": true})
				}
				t.Run(fmt.Sprintf("%s, %s, deferral %v", name, source, deferral), func(t *testing.T) {
					t.Parallel()
					server, told := configure(t.Context(), t, test.provider)
					told.must(t)
					server.deferral = deferral
					got := server.read(t.Context(), t, source, arguments)
					switch {
					case test.needs == nil:
						got.must(t)
						mustEqual(t, "deferred", got.deferred == nil, true)
					case deferral:
						got.told.must(t)
						if got.state != nil || got.deferred == nil || got.deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
							t.Errorf("state %v, deferred %v", got.state, got.deferred)
						}
					default:
						got.told.must(t, expected{summary: "Provider configuration not known yet", says: []string{
							"known only after apply:\n  - " + strings.Join(test.needs, "\n  - ") + "\n\n", "-target", "depends_on",
						}})
					}
				})
			}
		}
	}
}

func TestNothingToReadIsAnErrorWhateverIsUnknown(t *testing.T) {
	t.Parallel()
	provider := maps.Clone(everythingUnknown)
	delete(provider, "base_url")
	server, _ := configure(t.Context(), t, provider)
	server.deferral = true // waiting for the other arguments would only put the error off
	got := server.read(t.Context(), t, instanceName, nil)
	got.told.must(t, expected{summary: "No instance to read"})
	mustEqual(t, "deferred", got.deferred == nil, true)
}
