package provider

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// readMessages returns the summaries of what a read can say. All other messages are about the configuration, or of functions, and
// say themselves what to write instead.
func readMessages() []string {
	all := []string{
		summaryCanceled, summaryChanged, summaryContradictory, summaryFailures, summaryKept, summaryMixed, summaryNoInstance, summaryShort,
		summaryUnknown,
	}
	for _, words := range failureWords {
		all = append(all, words.summary)
	}
	return all
}

// Every message of a read has a section or a row in the troubleshooting guide, under its own words, and the page before the
// messages of other programs is about those alone.
func TestTroubleshootingHasEveryMessageOfARead(t *testing.T) {
	t.Parallel()
	ours, _, found := strings.Cut(template(t, "guides", "troubleshooting"), "\n## Messages of Terraform and OpenTofu\n")
	if !found {
		t.Error("the page has no section about messages of Terraform and OpenTofu")
	}
	mustHaveSections(t, slices.Concat(firstGroups(`(?m)^### (.*)$`, ours), firstGroups(`(?m)^\| \*\*(.+?)\*\* \|`, ours)), readMessages())
}

// The table of texts in errors has every class of failures, those with an open end by an example.
func TestErrorsHasEveryClass(t *testing.T) {
	t.Parallel()
	want := []string{
		"body too large", "certificate not trusted", "connection broken", "connection failed", "no response in time", "no such host",
		"not HTTP", "not JSON", "not an instance document: fileMaxSize", "proxy failed", "redirect not followed",
		"status 503 Service Unavailable", "TLS handshake failed",
	}
	mustHaveSections(t, firstGroups("(?m)^\\| `([^`]+)` \\|", template(t, "data-sources", "instances")), want)
}

// The pages of the data sources explain the fields of objects, because what is generated explains nothing of them.
func TestFieldsOfObjectsAreExplained(t *testing.T) {
	t.Parallel()
	for page, object := range map[string]types.ObjectType{"instance": expireTimeObject, "instances": listedInstanceObject} {
		_, explained, _ := strings.Cut(template(t, "data-sources", page), "\n### Nested Schema for ")
		for field := range object.AttrTypes {
			mustSay(t, explained, "`"+field+"`")
		}
	}
}

// mustHaveSections checks that a page has a section, or a row, for each text, once, and no other.
func mustHaveSections(t *testing.T, got, want []string) {
	t.Helper()
	for _, text := range want {
		if !slices.Contains(got, text) {
			t.Errorf("the page does not explain %q", text)
		}
	}
	for i, text := range got {
		if !slices.Contains(want, text) || slices.Contains(got[:i], text) {
			t.Errorf("the page explains %q, which the provider never says, or explains it twice", text)
		}
	}
}

// template reads the template of a page.
func template(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "templates", folder, name+".md.tmpl"))
	must(t, err)
	return string(text)
}

// firstGroups returns what the group of a pattern matches.
func firstGroups(pattern, text string) []string {
	var all []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}
