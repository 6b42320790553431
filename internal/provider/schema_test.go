package provider

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

// describedAttribute is what the tests below ask an attribute of any schema.
type describedAttribute interface {
	GetMarkdownDescription() string
	IsOptional() bool
	IsSensitive() bool
}

// attributesOfSchemas returns the attributes of every schema and of the blocks in it: "provider retry.min_delay".
func attributesOfSchemas(t *testing.T) map[string]describedAttribute {
	t.Helper()
	attributes := make(map[string]describedAttribute)
	for name, state := range map[string]tfsdk.State{
		"provider": providerState(), "filetransfer_instance": instanceState(), "filetransfer_instances": instancesState(),
		"filetransfer_instance_record": recordState(),
	} {
		if state.Schema.GetMarkdownDescription() == "" {
			t.Errorf("%s has no description", name)
		}
		for attributeName, attribute := range state.Schema.GetAttributes() {
			attributes[name+" "+attributeName] = attribute
		}
		for blockName, block := range state.Schema.GetBlocks() {
			for attributeName, attribute := range block.GetNestedObject().GetAttributes() {
				attributes[name+" "+blockName+"."+attributeName] = attribute
			}
		}
	}
	return attributes
}

// Each attribute has a description that says its unit and its default.
func TestSchemas_Descriptions(t *testing.T) {
	t.Parallel()
	units := map[string]string{
		`[_.](delay|timeout|create|read|update)$`: "A positive duration",
		`_size$`:         "in bytes",
		`_age$`:          "in seconds",
		`_expire_times$`: "in_seconds",
	}
	for path, attribute := range attributesOfSchemas(t) {
		text := attribute.GetMarkdownDescription()
		if !strings.HasSuffix(text, ".") {
			t.Errorf("the description of %s is no sentence: %q", path, text)
		}
		if attribute.IsOptional() && !strings.Contains(text, "Default: ") {
			t.Errorf("%s does not say its default: %s", path, text)
		}
		for pattern, unit := range units {
			if regexp.MustCompile(pattern).MatchString(path) && !strings.Contains(text, unit) && !strings.HasPrefix(text, "As the attribute.") {
				t.Errorf("%s does not say %q: %s", path, unit, text)
			}
		}
	}
	var parse function.DefinitionResponse
	newParseInstanceFunction().Definition(t.Context(), function.DefinitionRequest{}, &parse)
	if parse.Definition.Summary == "" || parse.Definition.MarkdownDescription == "" || parse.Definition.Parameters[0].GetMarkdownDescription() == "" {
		t.Errorf("parse_instance has no description of everything: %v", parse.Definition)
	}
}

// Terraform hides these arguments in its output, and with them all of a data source that had one.
func TestSchemas_Sensitive(t *testing.T) {
	t.Parallel()
	want := []string{"provider client_key_pem", "provider request_headers"}
	var got []string
	for path, attribute := range attributesOfSchemas(t) {
		if attribute.IsSensitive() {
			got = append(got, path)
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("sensitive are %q, want %q", got, want)
	}
}

// TestDefaults has every default that a description gives, which is made of the default itself. TestReadTimeout, TestRecordTimeouts,
// TestFleetConcurrency and the lines at the end show that they are used.
func TestDefaults(t *testing.T) {
	t.Parallel()
	attributes := attributesOfSchemas(t)
	for argument, want := range map[string]string{
		"provider request_timeout":                     "`\"15s\"`",
		"provider retry.max_attempts":                  "`4`",
		"provider retry.min_delay":                     "`\"500ms\"`",
		"provider retry.max_delay":                     "`\"10s\"`",
		"filetransfer_instance timeouts.read":          "`\"1m\"`, or `\"10m\"` with `wait_until_ready`",
		"filetransfer_instances timeouts.read":         "`\"1m\"`, or `\"10m\"` with `wait_until_ready`",
		"filetransfer_instances max_concurrency":       "`32`",
		"filetransfer_instance_record timeouts.create": "`\"10m\"`",
		"filetransfer_instance_record timeouts.read":   "`\"15s\"`",
		"filetransfer_instance_record timeouts.update": "`\"10m\"`",
	} {
		if text := attributes[argument].GetMarkdownDescription(); !strings.HasSuffix(text, " Default: "+want+".") {
			t.Errorf("the description of %s does not end with the default %s: %s", argument, want, text)
		}
	}
	if got := newTestData(t, providerModel{}, retryModel{}).requestTimeout; got != defaultRequestTimeout {
		t.Errorf("without request_timeout, an attempt may take %s, want %s", got, defaultRequestTimeout)
	}
	if got := (retryModel{}).settings(); got != defaultRetry {
		t.Errorf("without retry, the settings are %v, want %v", got, defaultRetry)
	}
}
