package e2e_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
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

// Every configuration on a page parses and is formatted, as is every example.
func TestAccDocumentation_Format(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, "")
	w.skipWithout(acctest.ProviderFunctions) // whose syntax it formats
	formatted := 0
	for _, page := range handWritten(t) {
		for _, block := range blocks(t, page) {
			if block.language == "terraform" {
				w.write(strings.ReplaceAll(block.place, ":", "-line-")+".tf", block.text)
				formatted++
			}
		}
	}
	if formatted == 0 {
		t.Error("no configuration on any page")
	}
	w.run("fmt", "-check", "-diff").expectExitCode(0)
	w.dir = examplesDir
	w.run("fmt", "-check", "-diff", "-recursive").expectExitCode(0)
}

// Every complete configuration on a page can be applied as it is. The first of the README and of the index give the
// upload form what these pages say.
func TestAccDocumentation_Configurations(t *testing.T) {
	t.Parallel()
	wantForm := map[string]any{
		"max_bytes":      64424509440.,
		"expire_seconds": []any{1800., 3600., 21600., 43200., 86400., 604800., 1209600., 2592000.},
	}
	for _, page := range handWritten(t) {
		for _, block := range blocks(t, page) {
			if block.language != "terraform" || !strings.Contains(block.text, "required_providers") {
				continue
			}
			t.Run(block.place, func(t *testing.T) {
				t.Parallel()
				server := instancetest.New(t)
				w := newWorkspace(t, strings.ReplaceAll(block.text, exampleURL, server.URL()))
				w.skipWithout(acctest.TerraformData)
				w.apply()
				if form := w.attributes("terraform_data.upload_form"); form != nil {
					if got := form["output"].(map[string]any)["value"]; !reflect.DeepEqual(got, wantForm) {
						t.Errorf("the upload form has %v, want %v", got, wantForm)
					}
				}
			})
		}
	}
}

// The page of parse_instance shows its result as the CLI prints it.
func TestAccDocumentation_ParseInstance(t *testing.T) {
	t.Parallel()
	e := copyExample(t, "functions/parse_instance")
	e.apply()
	e.run("output", "older").expectExcerpt(blockWith(t, "templates/functions/parse_instance.md.tmpl", "tolist"))
}

// linksOf returns where the links of a file to files of the repository lead, each with its section. Those to the Registry lead to docs/.
func linksOf(t *testing.T, file string) []string {
	t.Helper()
	var found []string
	text := read(t, file)
	registry := regexp.MustCompile(`https://registry\.terraform\.io/providers/filetransfer/filetransfer/latest/docs(/[\w/-]+)?(#[\w-]+)?`)
	for _, link := range registry.FindAllStringSubmatch(text, -1) {
		found = append(found, filepath.Join(root, "docs", cmp.Or(link[1], "index")+".md")+link[2])
	}
	if filepath.Ext(file) != ".md" {
		return found
	}
	for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		switch target := link[1]; {
		case strings.Contains(target, "://"), strings.HasPrefix(target, "mailto:"):
		case target[0] == '#':
			found = append(found, file+target)
		default:
			found = append(found, filepath.Join(filepath.Dir(file), target))
		}
	}
	return found
}

// Every link from one page to another leads somewhere, on GitHub as on the Registry, also those to the Registry that are in
// descriptions, messages and issue templates.
func TestDocumentation_Links(t *testing.T) {
	t.Parallel()
	targets := map[string]bool{} // sections of pages
	for _, page := range published(t) {
		text := fence.ReplaceAllString(read(t, page), "")
		for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
			name := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(heading[1]), "")
			targets[page+"#"+strings.ReplaceAll(name, " ", "-")] = true
		}
		for _, anchor := range regexp.MustCompile(`<a id="([^"]+)">`).FindAllStringSubmatch(text, -1) {
			targets[page+"#"+anchor[1]] = true
		}
	}
	for _, file := range slices.Concat(published(t), files(t, "*.yml", ".github"), files(t, "*.go", "internal/provider")) {
		for _, target := range linksOf(t, file) {
			if _, err := os.Stat(target); err != nil && !targets[target] {
				t.Errorf("%s: a link to %s leads nowhere", file, target)
			}
		}
	}
}

// A reader of the index finds every page. The Registry shows the index at a URL without a slash at its end, where relative links lead
// nowhere.
func TestDocumentation_IndexLinksToEveryPage(t *testing.T) {
	t.Parallel()
	index := filepath.Join(root, "docs", "index.md")
	for _, relative := range regexp.MustCompile(`\]\(([^)#:\s]+)\)`).FindAllStringSubmatch(read(t, index), -1) {
		t.Errorf("%s has a relative link to %s", index, relative[1])
	}
	linked := linksOf(t, index)
	for _, page := range files(t, "*.md", "docs") {
		if page != index && !slices.Contains(linked, page) {
			t.Errorf("%s has no link to %s", index, page)
		}
	}
}
