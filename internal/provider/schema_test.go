package provider

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// walkBlock calls visit for each attribute of a block and of the blocks in it, with its path.
func walkBlock(prefix string, block *tfprotov6.SchemaBlock, visit func(path string, attribute *tfprotov6.SchemaAttribute)) {
	walk(prefix, block.Attributes, visit)
	for _, nested := range block.BlockTypes {
		walkBlock(prefix+nested.TypeName+".", nested.Block, visit)
	}
}

// walk calls visit for each attribute, with its path.
func walk(prefix string, attributes []*tfprotov6.SchemaAttribute, visit func(path string, attribute *tfprotov6.SchemaAttribute)) {
	for _, attribute := range attributes {
		visit(prefix+attribute.Name, attribute)
		if attribute.NestedType != nil {
			walk(prefix+attribute.Name+".", attribute.NestedType.Attributes, visit)
		}
	}
}

func TestEveryAttributeSaysMeaningUnitAndDefault(t *testing.T) {
	t.Parallel()
	units := map[string]string{
		"(^|_)(delay|timeout|create|read|update)$": "A positive duration",
		"_size$":         "in bytes",
		"_age$":          "in seconds",
		"_expire_times$": "in_seconds",
	}
	described := 0
	all := map[string]*tfprotov6.Schema{block: schemas().Provider}
	maps.Copy(all, schemas().DataSourceSchemas)
	maps.Copy(all, schemas().ResourceSchemas)
	for name, schema := range all {
		if schema.Block.Description == "" {
			t.Errorf("%s has no description", name)
		}
		walkBlock(name+" ", schema.Block, func(path string, attribute *tfprotov6.SchemaAttribute) {
			described++
			text := attribute.Description
			if !strings.HasSuffix(text, ".") || attribute.DescriptionKind != tfprotov6.StringKindMarkdown {
				t.Errorf("the description of %s is no sentence in Markdown: %q", path, text)
			}
			if secret := attribute.Name == "request_headers" || attribute.Name == "client_key_pem"; attribute.Sensitive != secret {
				t.Errorf("%s is sensitive: %t", path, attribute.Sensitive)
			}
			reported := !attribute.Required && (!attribute.Optional || path == instanceName+" base_url")
			if attribute.Computed != reported {
				t.Errorf("%s is computed: %t", path, attribute.Computed)
			}
			wanted := "Default: "
			if attribute.NestedType != nil {
				wanted = "See the nested attributes."
			}
			if attribute.Optional && !strings.Contains(text, wanted) {
				t.Errorf("%s does not say its default: %s", path, text)
			}
			for pattern, unit := range units {
				if regexp.MustCompile(pattern).MatchString(attribute.Name) && !strings.Contains(text, unit) {
					t.Errorf("%s does not say %q: %s", path, unit, text)
				}
			}
		})
	}
	for name, function := range schemas().Functions {
		texts := []string{function.Summary, function.Description}
		for _, parameter := range function.Parameters {
			texts = append(texts, parameter.Description)
		}
		if slices.Contains(texts, "") {
			t.Errorf("%s has no description of everything: %q", name, texts)
		}
	}
	if described < 50 {
		t.Errorf("only %d attributes were looked at", described)
	}
}

// TestSignatures pins what configurations are written against: the generated pages say no more of an object than that it is one.
func TestSignatures(t *testing.T) {
	t.Parallel()
	signatures := make(map[string]string)
	for name, function := range schemas().Functions {
		for _, parameter := range function.Parameters {
			signatures[name] += parameter.Name + " " + parameter.Type.String() + ", "
		}
		signatures[name] += function.Return.Type.String()
	}
	mustEqual(t, "the functions", signatures, map[string]string{
		"parse_instance": "document tftypes.String, " + terraformType(detailsType).String(),
	})
}
