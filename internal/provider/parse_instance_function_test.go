package provider

import (
	"encoding/json"
	"strings"
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

// notDocuments are texts that are refused, and what is said of each.
var notDocuments = map[string]wrongCall{
	"document with faults": notDocument(instancetest.Newer().With("fileMaxSize", nil).Without("chunkSize").JSON(),
		"This is not an instance document:\n  - fileMaxSize: expected an integer", "found null\n  - chunkSize: ", "missing"),
	"not JSON":       notDocument("{", "This is not a JSON document:\n  - "),
	"file name":      notDocument("./snapshots/instance.json", "It looks like a file name: pass the content of the file, with file(...)"),
	"HTML page":      notDocument("<html><title>Sign\u202e in</title>", `This is not a JSON document, but an HTML page titled "Sign in"`),
	"HTML, no title": notDocument("<html>", "This is not a JSON document, but an HTML page"),
	"no document":    notDocument("", "This is not a JSON document:\n  - "),
}

func notDocument(document string, says ...string) wrongCall {
	return wrongCall{"parse_instance", []any{document}, 0, says}
}

func TestAccParseInstance_Errors(t *testing.T) {
	t.Parallel()
	mustRefuseInCLI(t, "document", notDocuments)
}

func TestParseInstanceErrors(t *testing.T) {
	t.Parallel()
	mustRefuse(t, notDocuments)
}

// wrongCall is a call of a function, and what is said of the argument at.
type wrongCall struct {
	function  string
	arguments []any
	at        int64
	says      []string
}

// mustRefuse calls functions with arguments that must be refused. Terraform ends the text with a period itself.
func mustRefuse(t *testing.T, calls map[string]wrongCall) {
	t.Helper()
	for name, test := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, fault := call(t, test.function, test.arguments...)
			if fault == nil || fault.FunctionArgument == nil {
				t.Fatalf("no error about an argument: %v", fault)
			}
			mustEqual(t, "the argument", *fault.FunctionArgument, test.at)
			mustSay(t, fault.Text, test.says...)
			if strings.HasSuffix(fault.Text, ".") || len(fault.Text) > 200 {
				t.Errorf("the error ends with a period, or is long: %s", fault.Text)
			}
		})
	}
}

// mustRefuseInCLI does the same with a configuration. The parameters are those of the function.
func mustRefuseInCLI(t *testing.T, parameters string, calls map[string]wrongCall) {
	t.Helper()
	configuration, want := "", []errorAtLine{}
	for _, test := range calls {
		line := "value = " + callInHCL(t, test.function, test.arguments...)
		configuration += "output \"" + outputName(len(want)) + "\" {\n" + line + "\n}\n"
		parameter := strings.Fields(parameters)[test.at]
		want = append(want, errorAtLine{line, append([]string{`Invalid value for "` + parameter + `" parameter: `}, test.says...)})
	}
	mustFail(t, needFunctions(), configuration, want...)
}

func outputName(number int) string { return string(rune('a' + number)) }

// callInHCL writes the call of a function, whose arguments are JSON, as HCL takes it.
func callInHCL(t *testing.T, function string, arguments ...any) string {
	t.Helper()
	var written []string
	for _, argument := range arguments {
		text, err := json.Marshal(argument)
		must(t, err)
		written = append(written, string(text))
	}
	return "provider::filetransfer::" + function + "(" + strings.Join(written, ", ") + ")"
}
