package e2e_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclwrite"
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

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// files returns the files below a folder of the repository whose base name matches the pattern.
func files(t *testing.T, pattern, folder string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(filepath.Join(root, folder), func(file string, entry fs.DirEntry, err error) error {
		if matches, _ := path.Match(pattern, filepath.Base(file)); matches {
			found = append(found, file)
		}
		if err == nil && entry.Name() == ".terraform" {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// handWritten returns the pages that people write. Those in docs/ are generated from them.
func handWritten(t *testing.T) []string {
	t.Helper()
	return slices.Concat(glob(t, filepath.Join(root, "*.md")), files(t, "*.tmpl", "templates"))
}

// published returns the pages as people read them, on GitHub or the Registry.
func published(t *testing.T) []string {
	t.Helper()
	return slices.Concat(glob(t, filepath.Join(root, "*.md")), files(t, "*.md", "docs"))
}

// block is a fenced block of a page.
type block struct {
	place          string // page and line
	language, text string
}

// fence matches a fenced block. Those in lists are indented.
var fence = regexp.MustCompile("(?ms)^( *)```([a-z]*)\n(.*?)^ *```$")

// blocks returns the fenced blocks of a page.
func blocks(t *testing.T, page string) []block {
	t.Helper()
	text := read(t, page)
	var found []block
	for _, match := range fence.FindAllStringSubmatchIndex(text, -1) {
		line := 1 + strings.Count(text[:match[0]], "\n")
		indent := text[match[2]:match[3]]
		found = append(found, block{
			place:    fmt.Sprintf("%s:%d", filepath.Base(page), line),
			language: text[match[4]:match[5]],
			text:     regexp.MustCompile(`(?m)^`+indent).ReplaceAllString(text[match[6]:match[7]], ""),
		})
	}
	return found
}

// blockWith returns the one block of a page that contains a text.
func blockWith(t *testing.T, page, text string) string {
	t.Helper()
	found := slices.DeleteFunc(blocks(t, filepath.Join(root, page)), func(b block) bool { return !strings.Contains(b.text, text) })
	if len(found) != 1 {
		t.Fatalf("%s has %d blocks with %q, want 1", page, len(found), text)
	}
	return found[0].text
}

// Every configuration on a page is formatted, as is every example.
func TestDocumentation_Format(t *testing.T) {
	t.Parallel()
	configurations := map[string]string{}
	for _, file := range slices.Concat(files(t, "*.tf", "examples"), files(t, "*.hcl", "examples")) {
		configurations[file] = read(t, file)
	}
	for _, page := range handWritten(t) {
		for _, block := range blocks(t, page) {
			if block.language == "terraform" {
				configurations[block.place] = block.text
			}
		}
	}
	for place, text := range configurations {
		if formatted := string(hclwrite.Format([]byte(text))); text != formatted {
			t.Errorf("%s is not formatted, want\n%s", place, formatted)
		}
	}
}

// Every configuration on a page can be applied, with declarations of what it leaves to the reader. Values of variables and tests of a
// module are none: the tests of the guides use them.
func TestAccDocumentation_Configurations(t *testing.T) {
	t.Parallel()
	configuration := regexp.MustCompile(`(?m)^(terraform|provider|variable|locals|data|resource|module|output|check|import) `)
	for _, page := range handWritten(t) {
		for _, block := range blocks(t, page) {
			if block.language == "terraform" && configuration.MatchString(block.text) {
				t.Run(block.place, func(t *testing.T) {
					t.Parallel()
					newExample(t, block.text).applyAndCheck()
				})
			}
		}
	}
}

// The page of parse_instance shows its result as the CLI prints it.
func TestAccDocumentation_ParseInstance(t *testing.T) {
	t.Parallel()
	e := copyExample(t, "functions/parse_instance")
	e.apply()
	e.run("output", "files").expectExcerpt(blockWith(t, "templates/functions/parse_instance.md.tmpl", "tolist"))
}

// linksOf returns where the links of a file to files of the repository lead, each with its section. Those to the Registry lead to docs/.
func linksOf(t *testing.T, file string) (links []string) {
	t.Helper()
	text := fence.ReplaceAllString(read(t, file), "")
	registry := regexp.MustCompile(`https://registry\.terraform\.io/providers/filetransfer/filetransfer/latest/docs(/[\w/-]+)?(#[\w-]+)?`)
	for _, link := range registry.FindAllStringSubmatch(text, -1) {
		links = append(links, filepath.Join(root, "docs", cmp.Or(link[1], "index")+".md")+link[2])
	}
	for _, link := range regexp.MustCompile(`\]\(([^)\s:#]*)(#[\w-]+)?\)`).FindAllStringSubmatch(text, -1) {
		target := file
		if filepath.Ext(file) != ".md" {
			continue // code
		} else if link[1] != "" {
			target = filepath.Join(filepath.Dir(file), link[1])
		}
		links = append(links, target+link[2])
	}
	return links
}

// Every link from one page to another leads somewhere, on GitHub as on the Registry, also those that are in descriptions, messages and
// issue templates. A reader of the index finds every page.
func TestDocumentation_Links(t *testing.T) {
	t.Parallel()
	targets := map[string]bool{} // sections of pages
	for _, page := range published(t) {
		text := fence.ReplaceAllString(read(t, page), "")
		for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$|<a id="([^"]+)">`).FindAllStringSubmatch(text, -1) {
			name := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(heading[1]), "")
			targets[page+"#"+cmp.Or(heading[2], strings.ReplaceAll(name, " ", "-"))] = true
		}
	}
	for _, file := range slices.Concat(published(t), files(t, "*.yml", ".github"), files(t, "*.go", "internal/provider")) {
		for _, target := range linksOf(t, file) {
			if _, err := os.Stat(target); err != nil && !targets[target] {
				t.Errorf("%s: a link to %s leads nowhere", file, target)
			}
		}
	}
	// The Registry shows the index at a URL without a slash at its end, where relative links lead nowhere.
	index := filepath.Join(root, "docs", "index.md")
	if relative := regexp.MustCompile(`\]\([^)#:\s]+\)`).FindString(read(t, index)); relative != "" {
		t.Errorf("%s has a relative link: %s", index, relative)
	}
	for _, page := range files(t, "*.md", "docs") {
		if page != index && !slices.Contains(linksOf(t, index), page) {
			t.Errorf("%s has no link to %s", index, page)
		}
	}
}

// No page of a release says that nothing is released: a page in the Registry never changes. Until then, the command in RELEASING.md finds
// every such notice.
func TestDocumentation_NotReleased(t *testing.T) {
	t.Parallel()
	newest := regexp.MustCompile(`(?m)^## .*$`).FindString(read(t, filepath.Join(root, "CHANGELOG.md")))
	notice := regexp.MustCompile(`(?ms)^<!-- not released -->\n.*?^<!-- /not released -->\n`)
	for _, page := range handWritten(t) {
		text := read(t, page)
		if notice.MatchString(text) && !strings.HasSuffix(newest, "(Unreleased)") {
			t.Errorf("%s says that nothing is released, and CHANGELOG.md says %q", page, newest)
		}
		if strings.Contains(notice.ReplaceAllString(text, ""), "not released -->") {
			t.Errorf("%s has a line of a notice where the command does not find it", page)
		}
	}
}
