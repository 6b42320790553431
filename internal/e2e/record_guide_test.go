package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
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
	w.configure(strings.NewReplacer(exampleURL+"/api", baseURL, exampleURL, baseURL).Replace(configuration))
}

const guideImport = "import {"

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
	before, after := recordGuide(t, `data "filetransfer_instance" "files"`), recordGuide(t, guideImport)
	c.skipWithout(t, acctest.ImportBlocks)
	server := instancetest.New(t)
	w := newWorkspace(t, c, "")
	w.pasteFor(before, server.URL())
	w.apply()

	w.pasteFor(withoutImport(t, after), server.URL())
	w.plan().wantText(t, "Plan: 2 to add, 0 to change, 1 to destroy.")

	w.pasteFor(strings.Replace(after, "\n}\n\nimport", "\n  timeouts { read = \"5s\" }\n}\n\nimport", 1), server.URL())
	w.plan().wantText(t, "Plan: 1 to import, 0 to add, 1 to change, 0 to destroy.")

	w.pasteFor(after, server.URL())
	w.plan().wantText(t, strings.TrimSpace(recordGuide(t, "Plan: ")), " 0 to change, 0 to destroy.")
	w.applyPlan()
	w.pasteFor(withoutImport(t, after), server.URL())
	w.wantNoChanges(nil)
}

// The import block beside an example of the resource imports it, and Terraform writes a configuration for it.
func TestAccRecord_ImportBlockWritesAConfiguration(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.skipWithout(t, acctest.ImportBlocks)
	server := instancetest.New(t)
	block := string(read(t, filepath.Join(examplesDir, "resources", "filetransfer_instance_record", "import-by-string-id.tf")))
	w := newWorkspace(t, c, "")
	w.pasteFor(block, server.URL())
	w.plan("-generate-config-out=generated.tf").wantText(t, "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.")
	w.applyPlan()
	w.wantNoChanges(nil)
	if generated := string(read(t, filepath.Join(w.dir, "generated.tf"))); !strings.Contains(generated, server.URL()) {
		t.Errorf("the configuration has no %s: %s", server.URL(), generated)
	}
}
