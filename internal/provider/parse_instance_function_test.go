package provider_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The function returns what the data source has, also, and silently, where that warns.
func TestAccParseInstance(t *testing.T) {
	t.Parallel()
	newer := instancetest.Newer()
	doubtful := newer.With("recommendedExpireTimes", []instancetest.Document{
		instancetest.NewerEntry("1 hour", 3600).With("value", 61), instancetest.OlderEntry("short", 30),
	})
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.ProviderFunctions),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			ConfigVariables: config.Variables{
				"newer":    config.StringVariable(newer.JSON()),
				"doubtful": config.StringVariable(doubtful.JSON()),
			},
			Config: `
variable "newer" { type = string }

variable "doubtful" { type = string }

output "newer" {
  value = provider::filetransfer::parse_instance(var.newer)
}

output "doubtful" {
  value = provider::filetransfer::parse_instance(var.doubtful)
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("newer", knownvalue.ObjectExact(acctest.NewerDetails(nil))),
				statecheck.ExpectKnownOutputValue("doubtful", knownvalue.ObjectExact(acctest.NewerDetails(map[string]knownvalue.Check{
					"recommended_expire_times": knownvalue.ListExact([]knownvalue.Check{
						acctest.ExpireTime("1 hour", 3600), acctest.ExpireTime("short", 30),
					}),
				}))),
			},
		}},
	})
}

// Errors are on the line of the call. Terraform ends their text with a period itself.
func TestAccParseInstance_Errors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		document string
		text     string // without the period
	}{
		"faults": {
			document: instancetest.Newer().With("fileMaxSize", nil).Without("chunkSize").JSON(),
			text: "This is not an instance document: - fileMaxSize: expected a whole number, found null: the server could not read this " +
				"setting as a number - chunkSize: required, but missing",
		},
		"incomplete": {
			document: "{",
			text:     "This is not a JSON document: ends early, at byte 1. To pass the content of a file, use file(...)",
		},
		"empty": {
			document: "",
			text:     "This is not a JSON document: empty. To pass the content of a file, use file(...)",
		},
		"file name": {
			document: "./s3cret/instance.json",
			text:     "This is not a JSON document: not valid JSON at byte 0. To pass the content of a file, use file(...)",
		},
		"texts": { // which may be secret
			document: instancetest.Newer().With("apiVersion", "s3cret").With("chunkSize", -5).JSON(),
			text: "This is not an instance document: - chunkSize: expected a whole number, found a number - apiVersion: expected a version of " +
				`three numbers, such as "2.0.0", found a string`,
		},
		"names": {
			document: `{"s3cret": [{"s3cret": 1, "s3cret": 2}]}`,
			text:     "This is not an instance document: - the document: has a member twice, at byte 26",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document, err := json.Marshal(test.document)
			if err != nil {
				t.Fatal(err)
			}
			call := fmt.Sprintf("value = provider::filetransfer::parse_instance(%s)", document)
			message := acctest.WrappedText(call, `Invalid value for "document" parameter: `+test.text)
			resource.Test(t, resource.TestCase{
				TerraformVersionChecks:   acctest.SkipWithout(acctest.ProviderFunctions),
				ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
				Steps: []resource.TestStep{{
					Config:      fmt.Sprintf("output \"details\" {\n  %s\n}\n", call),
					ExpectError: regexp.MustCompile(message.String() + `\.\s`),
				}},
			})
		})
	}
}
