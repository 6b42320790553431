package provider

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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

// TestNamesAndTypes pins what configurations are written against.
func TestNamesAndTypes(t *testing.T) {
	t.Parallel()
	const entry = `tftypes.Object["in_minutes":tftypes.Number, "in_seconds":tftypes.Number, "label":tftypes.String]`
	const anInstance = `
			api_version computed tftypes.String
			api_version_major computed tftypes.Number
			api_version_minor computed tftypes.Number
			api_version_patch computed tftypes.Number
			chunk_size computed tftypes.Number
			file_max_age computed tftypes.Number
			file_max_size computed tftypes.Number
			max_transfers_in_merge computed tftypes.Number
			recommended_expire_times computed tftypes.List[` + entry + `]
			require_password computed tftypes.Bool
			response_body computed tftypes.String`
	// Elsewhere, the attributes of instances are the same.
	details, listed := terraformType(detailsObject).String(), terraformType(listedInstanceObject).String()
	mustEqual(t, "an element of instances", len(listedInstanceObject.AttrTypes), len(detailsObject.AttrTypes)+len([]string{"base_url"}))
	tests := map[string]string{
		block: `
			base_url optional tftypes.String
			ca_cert_pem optional tftypes.String
			client_cert_pem optional tftypes.String
			client_key_pem optional sensitive tftypes.String
			connect_to optional tftypes.String
			insecure optional tftypes.Bool
			request_headers optional sensitive tftypes.Map[tftypes.String]
			request_timeout optional tftypes.String
			retry optional SINGLE
			retry.max_attempts optional tftypes.Number
			retry.max_delay optional tftypes.String
			retry.min_delay optional tftypes.String`,
		instanceName: anInstance + `
			base_url optional computed tftypes.String
			request_headers optional sensitive tftypes.Map[tftypes.String]
			timeouts optional SINGLE
			timeouts.read optional tftypes.String
			wait_until_ready optional tftypes.Bool`,
		recordName: anInstance + `
			base_url required tftypes.String
			timeouts optional SINGLE
			timeouts.create optional tftypes.String
			timeouts.read optional tftypes.String
			timeouts.update optional tftypes.String
			expected SINGLE
			expected.api_version optional tftypes.String
			expected.chunk_size optional tftypes.Number
			expected.file_max_age optional tftypes.Number
			expected.file_max_size optional tftypes.Number
			expected.max_transfers_in_merge optional tftypes.Number
			expected.require_password optional tftypes.Bool`,
		instancesName: `
			allow_failures optional tftypes.Bool
			base_urls required tftypes.Map[tftypes.String]
			errors computed tftypes.Map[tftypes.String]
			instances computed tftypes.Map[` + listed + `]
			max_concurrency optional tftypes.Number
			request_headers optional sensitive tftypes.Map[tftypes.String]
			timeouts optional SINGLE
			timeouts.read optional tftypes.String
			wait_until_ready optional tftypes.Bool`,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var lines []string
			for _, nested := range schemaOf(name).Block.BlockTypes {
				lines = append(lines, nested.TypeName+" "+nested.Nesting.String())
			}
			walkBlock("", schemaOf(name).Block, func(path string, attribute *tfprotov6.SchemaAttribute) {
				for _, property := range []struct {
					word string
					has  bool
				}{
					{" required", attribute.Required}, {" optional", attribute.Optional},
					{" computed", attribute.Computed}, {" sensitive", attribute.Sensitive},
				} {
					if property.has {
						path += property.word
					}
				}
				if attribute.NestedType != nil {
					path += " " + attribute.NestedType.Nesting.String()
				} else {
					path += " " + attribute.Type.String()
				}
				lines = append(lines, path)
			})
			for line := range strings.SplitSeq(strings.TrimSpace(want), "\n\t\t\t") {
				if !slices.Contains(lines, line) {
					t.Errorf("%q is not among the attributes: %q", line, lines)
				}
			}
		})
	}

	signatures := make(map[string]string)
	for name, function := range schemas().Functions {
		var parameters []string
		for _, parameter := range function.Parameters {
			if parameter.AllowNullValue || parameter.AllowUnknownValues {
				t.Errorf("%s of %s may be null or unknown", parameter.Name, name)
			}
			parameters = append(parameters, parameter.Name+" "+parameter.Type.String())
		}
		signatures[name] = "(" + strings.Join(parameters, ", ") + ") " + function.Return.Type.String()
	}
	mustEqual(t, "the functions", signatures, map[string]string{
		"parse_instance":     "(document tftypes.String) " + details,
		"select_expire_time": "(expire_times tftypes.List[" + entry + "], max_seconds tftypes.Number) " + entry,
	})
}

func TestReadTimeoutIsLongerWhileWaiting(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arguments args
		want      time.Duration
	}{
		"nothing":               {nil, time.Minute},
		"waiting":               {args{"wait_until_ready": true}, 10 * time.Minute},
		"waiting, no read":      {args{"wait_until_ready": true, "timeouts": args{}}, 10 * time.Minute},
		"timeouts":              {args{"timeouts": args{"read": "5s"}}, 5 * time.Second},
		"waiting with timeouts": {args{"wait_until_ready": true, "timeouts": args{"read": "1h"}}, time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := new(dataSource).situation(elementsOf(valueOf(t, schemaOf(instanceName).ValueType(), test.arguments)))
			mustEqual(t, "the timeout", got.timeout, test.want)
		})
	}
}
