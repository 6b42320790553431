package e2e_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const nightlyPage = "templates/guides/plan-every-night.md.tmpl"

// exitCodeOf returns the exit code in the row of the page's table that has this text.
func exitCodeOf(t *testing.T, row string) int {
	t.Helper()
	found := regexp.MustCompile(`(?m)^\| (\d) \| .*` + regexp.QuoteMeta(row)).FindStringSubmatch(read(t, root+"/"+nightlyPage))
	if found == nil {
		t.Fatalf("no row of the table says %q", row)
	}
	code, _ := strconv.Atoi(found[1])
	return code
}

// wrapped is a command that puts a prefix before each line of a CLI, as Terragrunt does.
const wrapped = `wrapped() {
  output=$(terraform "$@" 2>&1)
  status=$?
  echo "$output" | sed 's/^/03:00:00.000 STDOUT terraform: /'
  return $status
}
`

// The script for a nightly plan ends with the codes of its page, whatever reads the instance.
func TestAccGuide_NightlyPlan(t *testing.T) {
	t.Parallel()
	script := blockWith(t, nightlyPage, "-detailed-exitcode")
	tests := map[string]struct {
		reads, chunkSize string
		down             string // the row if the instance is down
	}{
		"data source": {
			reads:     `data "filetransfer_instance" "this" { base_url = %q }`,
			chunkSize: "data.filetransfer_instance.this.chunk_size",
			down:      "the instance of a data source is down",
		},
		"instances with allow_failures": {
			reads:     "data \"filetransfer_instances\" \"this\" {\n  base_urls      = { a = %q }\n  allow_failures = true\n}",
			chunkSize: "try(data.filetransfer_instances.this.instances.a.chunk_size, 20000000)",
			down:      "left the instance out of `instances`",
		},
		"record": {
			reads:     `resource "filetransfer_instance_record" "this" { base_url = %q }`,
			chunkSize: "filetransfer_instance_record.this.chunk_size",
			down:      "The plan used the record's last values",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			reports := func(field string, value int) {
				server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With(field, value)))
			}
			configuration := acctest.ImpatientProvider + fmt.Sprintf(test.reads, server.URL()) +
				"\nresource \"terraform_data\" \"uses\" { input = " + test.chunkSize + " }\n"
			w := newWorkspace(t, configuration)
			w.skipWithout(acctest.TerraformData)
			w.apply()
			w.shell(script).expectExitCode(exitCodeOf(t, "Nothing changed"))
			reports("maxTransfersInMerge", 7)
			w.shell(script).expectExitCode(exitCodeOf(t, "limits that nothing uses"))
			reports("fileMaxAge", 30)
			w.shell(script).expectExitCode(exitCodeOf(t, "an implausibly small limit"))
			reports("chunkSize", 30000000)
			w.shell(script).expectExitCode(exitCodeOf(t, "The plan has changes")) // of a limit that something uses

			server.Close()
			down := exitCodeOf(t, test.down)
			w.shell(script).expectExitCode(down)
			w.shell(wrapped + strings.ReplaceAll(script, "terraform plan", "wrapped plan")).expectExitCode(down).expectText("STDOUT terraform:")
			if down == 3 {
				w.write("nightly.sh", strings.ReplaceAll(script, "terraform plan", w.path+" plan"))
				w.shell(blockWith(t, nightlyPage, "sh nightly.sh || {")).expectExitCode(0)
				w.configure(configuration + "output \"new\" { value = 1 }\n")
				w.shell(script).expectExitCode(exitCodeOf(t, "Both 2 and 3"))
			}
			w.configure("resource")
			w.shell(script).expectExitCode(exitCodeOf(t, "The plan failed"))
		})
	}
}

// The script tells of an instance that does not report what is expected, and of a wait that failed.
func TestAccGuide_NightlyPlanOfExpectedValues(t *testing.T) {
	t.Parallel()
	script := blockWith(t, nightlyPage, "-detailed-exitcode")
	server := instancetest.New(t)
	w := newWorkspace(t, acctest.ImpatientProvider+fmt.Sprintf(`
resource "filetransfer_instance_record" "this" {
  base_url = %q
  timeouts { update = "1s" }
  expected { file_max_age = 2592000 }
}
`, server.URL()))
	w.apply()

	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxAge", 2)))
	w.shell(script).expectExitCode(exitCodeOf(t, "The plan has changes"))
	w.run("apply", "-auto-approve").expectExitCode(1)
	server.SetDefault(instancetest.Answer())
	w.shell(script).expectExitCode(exitCodeOf(t, "The plan has changes"))
}
