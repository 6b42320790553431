package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// recordGuide returns the one block with a text of the page whose steps these tests follow.
func recordGuide(t *testing.T, text string) string {
	t.Helper()
	return oneBlock(t, text, "templates", "guides", "survive-an-outage.md.tmpl")
}

// pasteFor pastes a configuration that names a running instance instead of the page's.
func (w *workspace) pasteFor(configuration, baseURL string) {
	w.t.Helper()
	w.configure(strings.ReplaceAll(configuration, exampleURL, baseURL))
}

const (
	guideData   = `data "filetransfer_instance" "files"`
	guideImport = "import {"
	proxy       = "terraform_data.proxy"
	guideRecord = "filetransfer_instance_record.files"
)

// withoutImport returns a configuration without the import block, which the page tells the reader to remove after the first apply.
func withoutImport(t *testing.T, configuration string) string {
	t.Helper()
	before, rest, found := strings.Cut(configuration, guideImport)
	_, after, closed := strings.Cut(rest, "\n}\n")
	if !found || !closed {
		t.Fatalf("no import block in %s", configuration)
	}
	return before + after
}

func TestAccRecordGuide_Import(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	before, after := recordGuide(t, guideData), recordGuide(t, guideImport)
	c.need(t, version{1, 5}, version{1, 6}, "an import block")
	server := instancetest.New(t)
	w := newWorkspace(t, c, "")
	w.pasteFor(before, server.URL())
	w.apply()

	w.pasteFor(withoutImport(t, after), server.URL())
	w.plan().wantSummary(t, "Plan: 2 to add, 0 to change, 1 to destroy.")

	w.pasteFor(strings.Replace(after, "\n}\n\nimport", "\n  timeouts = { read = \"5s\" }\n}\n\nimport", 1), server.URL())
	w.plan().wantSummary(t, "Plan: 1 to import, 0 to add, 1 to change, 0 to destroy.")

	w.pasteFor(after, server.URL())
	p := w.planInDetail()
	p.wantSummary(t, strings.TrimSpace(recordGuide(t, "Plan: ")))
	p.wantAction(t, proxy, "no-op")
	w.applyPlan()
	w.pasteFor(withoutImport(t, after), server.URL())
	w.wantNoChanges(nil)
}

// The command for an old Terraform does the same, but not during an outage.
func TestAccRecordGuide_ImportCommand(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	after := recordGuide(t, guideImport)
	c.need(t, version{1, 5}, version{1, 6}, "an import block")
	server := instancetest.New(t)
	w := newWorkspace(t, c, "")
	w.pasteFor(recordGuide(t, guideData), server.URL())
	w.apply()
	w.pasteFor(withoutImport(t, after), server.URL())
	server.SetDefault(instancetest.Status(404))
	w.wantError("Instance answered with status 404", "import", guideRecord, server.URL())
	server.SetDefault(instancetest.Answer())
	w.must("import", guideRecord, server.URL())
	w.wantNoChanges(nil)
}

func TestAccRecordGuide_ImportOfSeveral(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.need(t, version{1, 7}, version{1, 7}, "for_each in an import block")
	w := newWorkspace(t, c, fmt.Sprintf(`
locals {
  base_urls = { one = %q, other = %q }
}

resource "filetransfer_instance_record" "fleet" {
  for_each = local.base_urls
  base_url = each.value
}

import {
  for_each = local.base_urls
  to       = filetransfer_instance_record.fleet[each.key]
  id       = each.value
}

resource "terraform_data" "downstream" {
  for_each = filetransfer_instance_record.fleet
  input    = each.value.chunk_size
}
`, instancetest.New(t).URL(), instancetest.New(t).URL()))
	w.plan().wantSummary(t, "Plan: 2 to import, 2 to add, 0 to change, 0 to destroy.")
}

func TestAccRecordGuide_ChangedBaseURL(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	imported := recordGuide(t, guideImport)
	c.need(t, version{1, 5}, version{1, 6}, "an import block")
	one, other := instancetest.New(t), instancetest.New(t)
	w := newWorkspace(t, c, "")
	w.pasteFor(imported, one.URL())
	w.apply()

	w.pasteFor(withoutImport(t, imported), other.URL())
	p := w.planInDetail()
	p.wantSummary(t, "Plan: 1 to add, 1 to change, 1 to destroy.")
	p.wantAction(t, proxy, "delete create")

	for command := range strings.Lines(oneBlock(t, "-target=", "templates", "resources", "instance_record.md.tmpl")) {
		switch arguments := strings.Fields(command)[1:]; arguments[0] {
		case "apply":
			w.apply(arguments[1:]...)
		case "plan":
			w.wantNoChanges(nil, arguments[1:]...)
		default:
			t.Errorf("the page has another command: %s", command)
		}
	}
}

// A count or for_each takes no value of a record that is not there yet, but one that is expected, or imported, or applied first.
func TestAccRecordGuide_CountAndForEach(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	imported := recordGuide(t, guideImport)
	c.need(t, version{1, 5}, version{1, 6}, "an import block")
	server := instancetest.New(t)
	record := withoutImport(t, imported)
	const password = `
resource "terraform_data" "password" {
  count = filetransfer_instance_record.files.require_password ? 1 : 0
}
`
	const counted = password + `
resource "terraform_data" "option" {
  for_each = toset(filetransfer_instance_record.files.recommended_expire_times[*].label)
}
`
	w := newWorkspace(t, c, "")
	w.pasteFor(strings.Replace(record, "\n}\n", "\n\n  expected {\n    require_password = true\n  }\n}\n", 1)+password, server.URL())
	w.plan() // which succeeds
	w.pasteFor(record+counted, server.URL())
	w.do("plan").wantText(t, "Error: Invalid count argument", "Error: Invalid for_each argument")
	w.pasteFor(imported+counted, server.URL())
	w.plan() // which succeeds

	w.pasteFor(record+counted, server.URL())
	w.apply("-target=" + guideRecord)
	w.plan()
}
