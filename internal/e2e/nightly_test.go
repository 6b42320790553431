package e2e_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// codeOf returns the exit code beside a text in the CI page's table.
func codeOf(t *testing.T, text string) string {
	t.Helper()
	page := string(read(t, filepath.Join(root, "templates", "guides", "ci-and-hcp-terraform.md.tmpl")))
	row := regexp.MustCompile(`(?m)^\| (\d) \| .*` + regexp.QuoteMeta(text)).FindStringSubmatch(page)
	if row == nil {
		t.Fatalf("no row of the table says %q", text)
	}
	return row[1]
}

// The script for a nightly plan ends with the codes of its page, whatever reads the instance.
func TestAccGuide_NightlyPlan(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.skipWithout(t, acctest.TerraformData)
	script := oneBlock(t, "-detailed-exitcode", "templates", "guides", "ci-and-hcp-terraform.md.tmpl")
	const impatiently = "\ntimeouts { read = \"5s\" }\n"
	fleet := "data \"filetransfer_instances\" \"this\" {\nbase_urls = { a = %[1]q }\n%[2]s" + impatiently + "}\n" +
		"locals { limit = try(data.filetransfer_instances.this.instances.a.chunk_size, 20000000) }"
	for configuration, down := range map[string]string{
		"data \"filetransfer_instance\" \"this\" { base_url = %[1]q }\nlocals { limit = data.filetransfer_instance.this.chunk_size }": "the instance of a data source is down",
		strings.Replace(fleet, "%[2]s", "", 1):                      "the instance of a data source is down",
		strings.Replace(fleet, "%[2]s", "allow_failures = true", 1): "a fleet with `allow_failures` goes on",
		"resource \"filetransfer_instance_record\" \"this\" {\nbase_url = %[1]q\ntimeouts { update = \"1s\" }\nexpected { file_max_age = 2592000 }\n}\n" +
			"locals { limit = filetransfer_instance_record.this.chunk_size }": "a record keeps its old values",
	} {
		t.Run(strings.Fields(configuration)[1], func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			w := newWorkspace(t, c, acctest.ImpatientProvider+fmt.Sprintf(configuration, server.URL())+"\nresource \"terraform_data\" \"uses\" { input = local.limit }\n")
			w.apply()
			answers := func(field string, value any) {
				server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With(field, value)))
			}
			want := func(row string) {
				t.Helper()
				w.shell(script).wantText(t, "exit code "+codeOf(t, row)+":")
			}
			want("Nothing has changed")
			answers("maxTransfersInMerge", 7)
			want("a limit that nothing uses")
			answers("chunkSize", 30000000)
			want("a limit that something uses has changed")
			if strings.HasPrefix(configuration, "resource") {
				answers("fileMaxAge", 2)
				want("the instance does not report")
				w.do("apply", "-auto-approve").wantText(t, "exit code 1:")
				server.SetDefault(instancetest.Answer())
				want("the last wait of a record failed")
				w.apply()
			}
			server.Close()
			want(down)
			w.configure("resource")
			w.shell(script).wantText(t, "exit code 1:")
		})
	}
}
