package provider

import (
	"maps"
	"regexp"
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
