package e2e_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// No page of a release says that nothing is released: a page in the Registry never changes. Until then, the command in
// CONTRIBUTING.md finds every such notice.
func TestDocumentation_NotReleased(t *testing.T) {
	t.Parallel()
	const marker = "not released -->"
	notice := regexp.MustCompile(`(?ms)^<!-- not released -->\n.*?^<!-- /not released -->\n`)
	newest := regexp.MustCompile(`(?m)^## .*$`).FindString(read(t, filepath.Join(root, "CHANGELOG.md")))
	if newest == "" {
		t.Fatal("CHANGELOG.md has no version")
	}
	for _, page := range append(files(t, "*.tmpl", "templates"), filepath.Join(root, "README.md")) {
		text := read(t, page)
		if strings.Contains(text, marker) && !strings.HasSuffix(newest, "(Unreleased)") {
			t.Errorf("%s says that nothing is released, and CHANGELOG.md says %q", page, newest)
		}
		if strings.Contains(notice.ReplaceAllString(text, ""), marker) {
			t.Errorf("%s has a line of a notice where the command does not find it", page)
		}
	}
}
