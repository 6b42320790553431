package acctest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
)

// WrappedText matches texts in this order in what a CLI prints. It breaks lines where it likes, and may draw a bar before each.
func WrappedText(texts ...string) *regexp.Regexp {
	var patterns []string
	for _, text := range texts {
		words := strings.Fields(text)
		for i, word := range words {
			words[i] = regexp.QuoteMeta(word)
		}
		patterns = append(patterns, strings.Join(words, `[\s│]+`))
	}
	return regexp.MustCompile(`(?s)` + strings.Join(patterns, ".*"))
}

// ConfigError is an error about a line of a configuration.
type ConfigError struct {
	Line  string   // without its indentation
	Texts []string // in this order
}

// ExpectErrors plans a configuration, which must fail with these errors and no others.
func ExpectErrors(t *testing.T, versions []tfversion.TerraformVersionCheck, config string, want ...ConfigError) {
	t.Helper()
	var output string
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   versions,
		ProtoV6ProviderFactories: ProtoV6ProviderFactories,
		ErrorCheck: func(err error) error {
			output = err.Error()
			return nil
		},
		Steps: []resource.TestStep{{Config: config}},
	})
	errors := strings.Split(output, "\nError: ")[1:]
	if len(errors) != len(want) {
		t.Errorf("%d errors, want %d", len(errors), len(want))
	}
	for _, one := range want {
		line, found := regexp.MustCompile(`\d: *`+regexp.QuoteMeta(one.Line)+`\n`), false
		for _, text := range errors {
			found = found || line.MatchString(text) && WrappedText(one.Texts...).MatchString(text)
		}
		if !found {
			t.Errorf("no error at %q has %q", one.Line, one.Texts)
		}
	}
	if strings.Contains(output, "..\n") {
		t.Error("an error ends with two periods")
	}
	if t.Failed() {
		t.Logf("the CLI printed:\n%s", output)
	}
}
