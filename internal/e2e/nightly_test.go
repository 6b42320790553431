package e2e_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// codeOf returns what the CI page's table says that its script ends with: the cell of a row that begins with a text.
func codeOf(t *testing.T, row string, column int) string {
	t.Helper()
	page := string(read(t, filepath.Join(root, "templates", "guides", "ci-and-hcp-terraform.md.tmpl")))
	line := regexp.MustCompile(`(?m)^\| ` + row + `.*$`).FindString(page)
	cells := strings.Split(line, "|")
	if len(cells) != 7 {
		t.Fatalf("no row begins with %q", row)
	}
	code := strings.TrimSpace(cells[2+column])
	if _, err := strconv.Atoi(code); err != nil {
		t.Fatalf("the cell %d of %s is no exit code", column, line)
	}
	return code
}

// The script for a nightly plan ends with the codes of its page, whatever reads the instance.
func TestAccGuide_NightlyPlan(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	script := oneBlock(t, "-detailed-exitcode", "templates", "guides", "ci-and-hcp-terraform.md.tmpl")
	const impatiently = "\ntimeouts { read = \"5s\" }\n"
	fleet := "data \"filetransfer_instances\" \"this\" {\nbase_urls = { a = %[1]q }\n%[2]s" + impatiently + "}\n" +
		"locals { limit = try(data.filetransfer_instances.this.instances.a.chunk_size, 20000000) }"
	for column, configuration := range []string{
		"data \"filetransfer_instance\" \"this\" { base_url = %[1]q }\nlocals { limit = data.filetransfer_instance.this.chunk_size }",
		strings.Replace(fleet, "%[2]s", "", 1),
		strings.Replace(fleet, "%[2]s", "allow_failures = true", 1),
		"resource \"filetransfer_instance_record\" \"this\" {\nbase_url = %[1]q\nexpected { file_max_age = 2592000 }\n}\n" +
			"locals { limit = filetransfer_instance_record.this.chunk_size }",
	} {
		t.Run(strings.Fields(configuration)[1]+strconv.Itoa(column), func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			w := newWorkspace(t, c, impatient+fmt.Sprintf(configuration, server.URL())+"\nresource \"terraform_data\" \"uses\" { input = local.limit }\n")
			w.apply()
			answers := func(field string, value any) {
				server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With(field, value)))
			}
			want := func(row string) {
				t.Helper()
				w.shell(script).wantText(t, "exit code "+codeOf(t, row, column)+":")
			}
			want("Nothing has changed")
			answers("maxTransfersInMerge", 7)
			want("A limit has changed, and nothing uses it")
			answers("chunkSize", 30000000)
			want("A limit has changed, and something uses it")
			if strings.HasPrefix(configuration, "resource") {
				answers("fileMaxAge", 2)
				want("The instance does not report")
			}
			server.Close()
			want("An instance is down")
			w.configure("resource")
			w.shell(script).wantText(t, "exit code 1:")
		})
	}
}
