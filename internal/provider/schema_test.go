package provider

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// attributesOf returns the attributes of a block and of the blocks in it, by path.
func attributesOf(prefix string, block *tfprotov6.SchemaBlock) map[string]*tfprotov6.SchemaAttribute {
	attributes := make(map[string]*tfprotov6.SchemaAttribute)
	for _, attribute := range block.Attributes {
		attributes[prefix+attribute.Name] = attribute
	}
	for _, nested := range block.BlockTypes {
		maps.Copy(attributes, attributesOf(prefix+nested.TypeName+".", nested.Block))
	}
	return attributes
}

// TestSchemas_Descriptions checks that each attribute has a description in Markdown that says its unit and its default.
func TestSchemas_Descriptions(t *testing.T) {
	t.Parallel()
	_, schemas := newServer(t)
	units := map[string]string{
		`(^|_)(delay|timeout|create|read|update)$`: "A positive duration",
		`_size$`:         "in bytes",
		`_age$`:          "in seconds",
		`_expire_times$`: "in_seconds",
	}
	for _, name := range []string{"provider", "filetransfer_instance", "filetransfer_instances", "filetransfer_instance_record"} {
		block := schemaOf(schemas, name).Block
		if block.Description == "" {
			t.Errorf("%s has no description", name)
		}
		for path, attribute := range attributesOf(name+" ", block) {
			text := attribute.Description
			if !strings.HasSuffix(text, ".") || attribute.DescriptionKind != tfprotov6.StringKindMarkdown {
				t.Errorf("the description of %s is no sentence in Markdown: %q", path, text)
			}
			if attribute.Optional && !strings.Contains(text, "Default: ") {
				t.Errorf("%s does not say its default: %s", path, text)
			}
			for pattern, unit := range units {
				ofAttribute := strings.HasPrefix(text, "As the attribute.")
				if regexp.MustCompile(pattern).MatchString(attribute.Name) && !strings.Contains(text, unit) && !ofAttribute {
					t.Errorf("%s does not say %q: %s", path, unit, text)
				}
			}
		}
	}
	parse := schemas.Functions["parse_instance"]
	if parse.Summary == "" || parse.Description == "" || parse.Parameters[0].Description == "" {
		t.Errorf("parse_instance has no description of everything: %v", parse)
	}
}

// TestSchemas_Attributes spells out every name that a configuration can use, and whether it is written or computed. A name that is
// misspelled in a schema, or a detail that lacks somewhere, fails here.
func TestSchemas_Attributes(t *testing.T) {
	t.Parallel()
	_, schemas := newServer(t)
	details := []string{
		"api_version", "api_version_major", "api_version_minor", "api_version_patch", "chunk_size", "file_max_age", "file_max_size",
		"max_transfers_in_merge", "recommended_expire_times", "require_password",
	}
	tests := map[string]struct {
		required, optional, computed, sensitive []string
	}{
		"provider": {
			optional: []string{
				"base_url", "ca_cert_pem", "client_cert_pem", "client_key_pem", "connect_to", "insecure", "request_headers", "request_timeout",
				"retry.max_attempts", "retry.max_delay", "retry.min_delay",
			},
			sensitive: []string{"client_key_pem", "request_headers"},
		},
		"filetransfer_instance": {
			optional:  []string{"base_url", "request_headers", "timeouts.read", "wait_until_ready"},
			sensitive: []string{"request_headers"},
			computed:  slices.Concat(details, []string{"base_url", "response_body"}),
		},
		"filetransfer_instances": {
			required:  []string{"base_urls"},
			optional:  []string{"allow_failures", "max_concurrency", "request_headers", "timeouts.read", "wait_until_ready"},
			computed:  []string{"errors", "instances"},
			sensitive: []string{"request_headers"},
		},
		"filetransfer_instance_record": {
			required: []string{"base_url"},
			optional: []string{
				"expected.api_version", "expected.chunk_size", "expected.file_max_age", "expected.file_max_size",
				"expected.max_transfers_in_merge", "expected.require_password",
				"stable_for", "timeouts.create", "timeouts.read", "timeouts.update", "triggers",
			},
			computed: slices.Concat(details, []string{"response_body", "wait_failed"}),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var required, optional, computed, sensitive []string
			attributes := attributesOf("", schemaOf(schemas, name).Block)
			for _, path := range slices.Sorted(maps.Keys(attributes)) {
				attribute := attributes[path]
				if attribute.Required {
					required = append(required, path)
				}
				if attribute.Optional {
					optional = append(optional, path)
				}
				if attribute.Computed {
					computed = append(computed, path)
				}
				if attribute.Sensitive {
					sensitive = append(sensitive, path)
				}
			}
			slices.Sort(test.computed)
			for kind, names := range map[string][2][]string{
				"required": {required, test.required}, "optional": {optional, test.optional},
				"computed": {computed, test.computed}, "sensitive": {sensitive, test.sensitive},
			} {
				if !slices.Equal(names[0], names[1]) {
					t.Errorf("%s are %q, want %q", kind, names[0], names[1])
				}
			}
		})
	}
}
