package e2e_test

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

const root = "../.."

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// glob returns the files of the repository that match patterns, each of which has to match some.
func glob(t *testing.T, patterns ...string) (found []string) {
	t.Helper()
	for _, pattern := range patterns {
		files, _ := filepath.Glob(filepath.Join(root, pattern))
		if len(files) == 0 {
			t.Fatalf("no file matches %s", pattern)
		}
		found = append(found, files...)
	}
	return found
}

// fence matches a fenced block, with its indentation (in lists), its language and its text.
var fence = regexp.MustCompile("(?ms)^( *)```([a-z]*)\n(.*?)^ *```$")

func blocks(t *testing.T, page, language string) (found []string) {
	t.Helper()
	for _, match := range fence.FindAllStringSubmatch(read(t, page), -1) {
		if strings.Contains(match[2], language) {
			found = append(found, regexp.MustCompile(`(?m)^`+match[1]).ReplaceAllString(match[3], ""))
		}
	}
	return found
}

// blockWith returns the one block of a page that contains a text.
func blockWith(t *testing.T, page, text string) string {
	t.Helper()
	other := func(block string) bool { return !strings.Contains(block, text) }
	found := slices.DeleteFunc(blocks(t, filepath.Join(root, page), ""), other)
	if len(found) != 1 {
		t.Fatalf("%s has %d blocks with %q, want 1", page, len(found), text)
	}
	return found[0]
}

// Every configuration on a page is formatted, as is every example.
func TestDocumentation_Format(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, file := range glob(t, "examples/*/*.tf", "examples/*/*/*.tf", "examples/*/*/*/*.hcl") {
		texts = append(texts, read(t, file))
	}
	for _, page := range glob(t, "*.md", "templates/*.tmpl", "templates/*/*.tmpl") {
		texts = append(texts, blocks(t, page, "terraform")...)
	}
	for _, text := range texts {
		if formatted := string(hclwrite.Format([]byte(text))); text != formatted {
			t.Errorf("this is not formatted:\n%s\nwant\n%s", text, formatted)
		}
	}
}

// Every configuration on a page is valid, but for one whose provider tests cannot install.
func TestAccDocumentation_Configurations(t *testing.T) {
	t.Parallel()
	complete := regexp.MustCompile(`(?m)^(provider|data|resource "(filetransfer|terraform)_.*) `)
	for _, page := range glob(t, "*.md", "templates/*.tmpl", "templates/*/*.tmpl") {
		for _, text := range blocks(t, page, "terraform") {
			if complete.MatchString(text) && !strings.Contains(text, "helm_release") {
				// Terraform only validates a provider block that something uses. Readers declare the variables.
				text += "\ndata \"filetransfer_instance\" \"uses_it\" {}\nvariable \"user\" {}\nvariable \"password\" {}\n"
				newWorkspace(t, standIns.Replace(text), acctest.EphemeralVariables).run("validate").expect(0)
			}
		}
	}
}

// links returns where the links of a file to pages lead, each with its section. Those to the Registry lead to docs/.
func links(t *testing.T, file string) (found []string) {
	t.Helper()
	text := fence.ReplaceAllString(read(t, file), "")
	registry := regexp.MustCompile(`\.terraform\.io/providers/filetransfer/filetransfer/latest/docs(/[\w/-]+)?(#[\w-]+)?`)
	for _, link := range registry.FindAllStringSubmatch(text, -1) {
		found = append(found, filepath.Join(root, "docs", cmp.Or(link[1], "index")+".md")+link[2])
	}
	for _, link := range regexp.MustCompile(`\]\(([^)\s:#]*)(#[\w-]+)?\)`).FindAllStringSubmatch(text, -1) {
		if filepath.Ext(file) == ".md" { // in code, it is none
			found = append(found, filepath.Join(filepath.Dir(file), cmp.Or(link[1], filepath.Base(file)))+link[2])
		}
	}
	return found
}

// Every link to a page leads somewhere, on GitHub as on the Registry, also those in descriptions, messages, and issue
// templates. The index links to every page, and not relatively, because its URL in the Registry ends without a slash.
func TestDocumentation_Links(t *testing.T) {
	t.Parallel()
	docs := glob(t, "docs/*.md", "docs/*/*.md")
	pages, targets := append(glob(t, "*.md"), docs...), map[string]bool{}
	for _, page := range pages {
		text := fence.ReplaceAllString(read(t, page), "")
		for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$|<a id="([^"]+)">`).FindAllStringSubmatch(text, -1) {
			name := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(heading[1]), "")
			targets[page+"#"+cmp.Or(heading[2], strings.ReplaceAll(name, " ", "-"))] = true
		}
	}
	others := glob(t, ".github/*/*.yml", "internal/provider/*.go", "internal/provider/testdata/*.txt")
	for _, file := range append(pages, others...) {
		for _, target := range links(t, file) {
			if _, err := os.Stat(target); err != nil && !targets[target] {
				t.Errorf("%s: a link to %s leads nowhere", file, target)
			}
		}
	}
	index := docs[0]
	if relative := regexp.MustCompile(`\]\([^)#:\s]+\)`).FindString(read(t, index)); relative != "" {
		t.Errorf("%s has a relative link: %s", index, relative)
	}
	for _, page := range docs[1:] {
		if !slices.Contains(links(t, index), page) {
			t.Errorf("%s has no link to %s", index, page)
		}
	}
}
