package provider

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestAccParseInstance_Documents: the function gives what the data source gives, also, and silently, where that warns.
func TestAccParseInstance_Documents(t *testing.T) {
	t.Parallel()
	variables, checks := make(map[string]config.Variable), []statecheck.StateCheck{}
	add := func(name, document string, want args) {
		variables[name] = config.StringVariable(document)
		for attribute, value := range want {
			at := tfjsonpath.New(name).AtMapKey(attribute)
			checks = append(checks, statecheck.ExpectKnownOutputValueAtPath("parsed", at, exactly(value)))
		}
	}
	for name, test := range documents {
		want := newer.with(test.want)
		delete(want, "response_body")
		add(name, test.document, want)
	}
	add("doubtful", instancetest.Newer().With("recommendedExpireTimes", []instancetest.Document{
		instancetest.NewerEntry("1 hour", 3600).With("value", 61), instancetest.OlderEntry("short", 30),
	}).JSON(), args{"recommended_expire_times": []any{expireTime("1 hour", 3600), expireTime("short", 30)}})
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   needFunctions(),
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{{
			ConfigVariables: config.Variables{"documents": config.MapVariable(variables)},
			Config: `
variable "documents" { type = map(string) }

output "parsed" {
  value = { for name, document in var.documents : name => provider::filetransfer::parse_instance(document) }
}
`,
			ConfigStateChecks: checks,
		}},
	})
}

// TestAccParseInstance_Errors: each is on the line of the call, and Terraform ends its text with a period itself.
func TestAccParseInstance_Errors(t *testing.T) {
	t.Parallel()
	configuration, want := "", []errorAtLine{}
	for document, says := range map[string]string{
		instancetest.Newer().With("fileMaxSize", nil).Without("chunkSize").JSON(): "This is not an instance document: - fileMaxSize: expected an integer " +
			"from 0 to 9223372036854775807, found null - chunkSize: required, but missing.",
		"{":                                  "This is not a JSON document: - ",
		"":                                   "This is not a JSON document: - ",
		"./snapshots/instance.json":          "This is not a JSON document. It looks like a file name: pass the content of the file, with file(...).",
		"<html>":                             "This is not a JSON document, but an HTML page.",
		"<html><title>Sign\u202e in</title>": `This is not a JSON document, but an HTML page titled "Sign in".`,
	} {
		argument, err := json.Marshal(document)
		must(t, err)
		line := fmt.Sprintf("value = provider::filetransfer::parse_instance(%s)", argument)
		configuration += fmt.Sprintf("output %q {\n%s\n}\n", labelOf(len(want)), line)
		want = append(want, errorAtLine{line, []string{`Invalid value for "document" parameter: `, says}})
	}
	mustFail(t, needFunctions(), configuration, want...)
}
