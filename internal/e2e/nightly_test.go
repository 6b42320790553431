package e2e_test

import (
	"fmt"
	"path/filepath"
	"regexp"
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
	tests := map[string]struct {
		configuration string
		down          string // what the table says if the instance is down
	}{
		"data source": {down: "the instance of a data source is down", configuration: `
data "filetransfer_instance" "this" {
  base_url = %q
}

resource "terraform_data" "uses" {
  input = data.filetransfer_instance.this.chunk_size
}
`},
		"fleet": {down: "the instance of a data source is down", configuration: `
data "filetransfer_instances" "this" {
  base_urls = { a = %q }
  timeouts { read = "5s" }
}

resource "terraform_data" "uses" {
  input = data.filetransfer_instances.this.instances.a.chunk_size
}
`},
		"fleet with allow_failures": {down: "left the instance out of the fleet", configuration: `
data "filetransfer_instances" "this" {
  base_urls      = { a = %q }
  allow_failures = true
  timeouts { read = "5s" }
}

resource "terraform_data" "uses" {
  input = try(data.filetransfer_instances.this.instances.a.chunk_size, 20000000)
}
`},
		"record": {down: "The plan used the record's last values", configuration: `
resource "filetransfer_instance_record" "this" {
  base_url = %q
  timeouts { update = "1s" }
  expected { file_max_age = 2592000 }
}

resource "terraform_data" "uses" {
  input = filetransfer_instance_record.this.chunk_size
}
`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			configuration := acctest.ImpatientProvider + fmt.Sprintf(test.configuration, server.URL())
			w := newWorkspace(t, c, configuration)
			w.apply()
			report := func(field string, value any) {
				server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With(field, value)))
			}
			wantCodeOf := func(row string) {
				t.Helper()
				w.shell(script).wantText(t, "exit code "+codeOf(t, row)+":")
			}
			wantCodeOf("No change")
			report("maxTransfersInMerge", 7)
			wantCodeOf("a limit that nothing uses")
			report("chunkSize", 30000000)
			wantCodeOf("a limit that something uses has changed")
			if name == "record" {
				report("fileMaxAge", 2)
				wantCodeOf("the instance does not report")
				w.do("apply", "-auto-approve").wantText(t, "exit code 1:")
				server.SetDefault(instancetest.Answer())
				wantCodeOf("the last wait of a record failed")
				w.apply()
			}
			server.Close()
			wantCodeOf(test.down)
			alarm := w.shell("(" + script + ") || [ $? -eq 3 ]")
			if code := codeOf(t, test.down); (code == "3") != (alarm.exitCode == 0) {
				t.Errorf("with the code %s, an alarm for everything but an outage: %s", code, alarm)
			} else if code == "3" {
				w.configure(configuration + "output \"new\" { value = 1 }\n")
				wantCodeOf("Both 2 and 3")
			}
			w.configure("resource")
			w.shell(script).wantText(t, "exit code 1:")
		})
	}
}
