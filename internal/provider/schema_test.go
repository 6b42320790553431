package provider_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// attributesOfSchemas returns the attributes of every schema and of the blocks in it: "provider retry.min_delay".
func attributesOfSchemas(t *testing.T) map[string]*tfprotov6.SchemaAttribute {
	t.Helper()
	schemas := newSession(t).schemas
	all := map[string]*tfprotov6.Schema{"provider": schemas.Provider}
	maps.Copy(all, schemas.DataSourceSchemas)
	maps.Copy(all, schemas.ResourceSchemas)
	attributes := make(map[string]*tfprotov6.SchemaAttribute)
	for name, schema := range all {
		if schema.Block.Description == "" {
			t.Errorf("%s has no description", name)
		}
		for _, attribute := range schema.Block.Attributes {
			attributes[name+" "+attribute.Name] = attribute
		}
		for _, block := range schema.Block.BlockTypes {
			if block.Block.Description == "" {
				t.Errorf("%s %s has no description", name, block.TypeName)
			}
			for _, attribute := range block.Block.Attributes {
				attributes[fmt.Sprintf("%s %s.%s", name, block.TypeName, attribute.Name)] = attribute
			}
		}
	}
	return attributes
}

// Each attribute has a description in sentences, with its unit and the default, which is made of the one that the code uses.
func TestSchemas_Descriptions(t *testing.T) {
	t.Parallel()
	units := map[string]string{
		`[^.]_size$`: "in bytes", `_age$`: "in seconds", `_expire_times$`: "in_seconds",
	}
	defaults := map[string]string{
		"provider request_timeout":                     "`\"15s\"`",
		"provider insecure":                            "`false`",
		"provider retry.max_attempts":                  "`4`",
		"provider retry.min_delay":                     "`\"500ms\"`",
		"provider retry.max_delay":                     "`\"10s\"`",
		"filetransfer_instance timeouts.read":          "`\"1m\"`",
		"filetransfer_instances timeouts.read":         "`\"1m\"`",
		"filetransfer_instances max_concurrency":       "`32`",
		"filetransfer_instances allow_failures":        "`false`",
		"filetransfer_instance_record timeouts.create": "`\"10m\"`",
		"filetransfer_instance_record timeouts.read":   "`\"15s\"`",
		"filetransfer_instance_record timeouts.update": "`\"10m\"`",
	}
	for path, attribute := range attributesOfSchemas(t) {
		text := attribute.Description
		if !regexp.MustCompile(`^[A-Z].*\.$`).MatchString(text) {
			t.Errorf("the description of %s is no sentence: %q", path, text)
		}
		for pattern, unit := range units {
			if attribute.Computed && regexp.MustCompile(pattern).MatchString(path) && !strings.Contains(text, unit) {
				t.Errorf("%s does not say %q: %s", path, unit, text)
			}
		}
		if want, ok := defaults[path]; ok && !strings.HasSuffix(text, " Default: "+want+".") {
			t.Errorf("the description of %s does not end with the default %s: %s", path, want, text)
		}
		delete(defaults, path)
	}
	if len(defaults) > 0 {
		t.Errorf("these arguments do not exist: %v", defaults)
	}
	parse := newSession(t).schemas.Functions["parse_instance"]
	if parse.Summary == "" || parse.Description == "" || parse.Parameters[0].Description == "" {
		t.Errorf("parse_instance has no description of everything: %v", parse)
	}
}

// Terraform hides these arguments in its output, and with them all of a data source that had one.
func TestSchemas_Sensitive(t *testing.T) {
	t.Parallel()
	want := []string{"provider client_key_pem", "provider request_headers"}
	var got []string
	for path, attribute := range attributesOfSchemas(t) {
		if attribute.Sensitive {
			got = append(got, path)
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("sensitive are %q, want %q", got, want)
	}
}

// Nested attributes cannot be mocked in terraform test, so lists and maps of objects are attributes of such a type.
func TestSchemas_NothingNested(t *testing.T) {
	t.Parallel()
	for path, attribute := range attributesOfSchemas(t) {
		if attribute.NestedType != nil {
			t.Errorf("%s has nested attributes", path)
		}
	}
}
