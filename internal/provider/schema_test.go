package provider_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Each attribute has a description in sentences. Terraform hides two in its output, and with them all of a data source
// that had one. None has nested attributes, which cannot be mocked in terraform test.
func TestSchemas(t *testing.T) {
	t.Parallel()
	schemas := newSession(t).schemas
	all := map[string]*tfprotov6.Schema{"provider": schemas.Provider}
	maps.Copy(all, schemas.DataSourceSchemas)
	maps.Copy(all, schemas.ResourceSchemas)
	texts := make(map[string]string)
	var sensitive []string
	add := func(name string, block *tfprotov6.SchemaBlock) {
		texts[name] = block.Description
		for _, attribute := range block.Attributes {
			texts[name+" "+attribute.Name] = attribute.Description
			if attribute.Sensitive {
				sensitive = append(sensitive, name+" "+attribute.Name)
			}
			if attribute.NestedType != nil {
				t.Errorf("%s %s has nested attributes", name, attribute.Name)
			}
		}
	}
	for name, schema := range all {
		add(name, schema.Block)
		for _, block := range schema.Block.BlockTypes {
			add(name+" "+block.TypeName, block.Block)
		}
	}
	defaults := map[string]string{
		"provider request_timeout": "15s", "provider retry min_delay": "500ms", "provider retry max_delay": "10s",
		"filetransfer_instance timeouts read": "1m", "filetransfer_instances timeouts read": "1m",
	}
	for name, want := range defaults {
		if !strings.HasSuffix(texts[name], " Default: `\""+want+"\"`.") {
			t.Errorf("the default of %s is not %s: %s", name, want, texts[name])
		}
	}
	if !strings.HasSuffix(texts["provider retry max_attempts"], " Default: `4`.") {
		t.Errorf("the default of max_attempts is not 4: %s", texts["provider retry max_attempts"])
	}
	for name, text := range texts {
		if !regexp.MustCompile(`^[A-Z].*\.$`).MatchString(text) {
			t.Errorf("the description of %s is no sentence: %q", name, text)
		}
	}
	slices.Sort(sensitive)
	if want := []string{"provider client_key_pem", "provider request_headers"}; !slices.Equal(sensitive, want) {
		t.Errorf("sensitive are %q, want %q", sensitive, want)
	}
}
