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

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// files returns the files of the repository that match the pattern of a base name, below the folders.
func files(t *testing.T, pattern string, folders ...string) []string {
	t.Helper()
	var found []string
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(file string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if matches, err := path.Match(pattern, entry.Name()); err != nil || matches {
				found = append(found, file)
				return err
			}
			return nil
		})
		must(t, err)
	}
	return found
}

// fence is a fenced block of a page, with its language. Those in lists are indented.
var fence = regexp.MustCompile("(?ms)^( *)```([a-z]*)\n(.*?)^ *```$")

// handWritten returns the pages that people write. Those in docs/ are generated from them.
func handWritten(t *testing.T) []string {
	t.Helper()
	return slices.Concat(glob(t, filepath.Join(root, "*.md")), files(t, "*.md", ".github"), files(t, "*.tmpl", "templates"))
}

// block is a fenced block of a page.
type block struct {
	place          string // page and line
	language, text string
}

func blocks(t *testing.T, page string) []block {
	t.Helper()
	text := string(read(t, page))
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

// Every fenced block says its language: those of Terraform are found by it, and checked.
func TestDocumentation_Blocks(t *testing.T) {
	t.Parallel()
	languages := []string{"terraform", "hcl", "shell", "text", "mermaid", "go", "json"}
	for _, page := range handWritten(t) {
		if strings.Count(string(read(t, page)), "```") != 2*len(blocks(t, page)) {
			t.Errorf("%s: a fenced block begins without a language, or does not end", page)
		}
		for _, block := range blocks(t, page) {
			if strings.TrimSpace(block.text) == "" || !slices.Contains(languages, block.language) {
				t.Errorf("%s: the block is empty, or of an unknown language, %q", block.place, block.language)
			}
		}
	}
}

// Every configuration on a page and every example parses and is formatted, and every complete one that needs no other
// provider is valid.
func TestAccDocumentation_Configurations(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	all := t.TempDir()
	for _, page := range handWritten(t) {
		for _, block := range blocks(t, page) {
			if block.language == "terraform" {
				write(t, filepath.Join(all, strings.ReplaceAll(block.place, ":", "-line-")+".tf"), block.text)
				t.Run(block.place, func(t *testing.T) {
					t.Parallel()
					checkConfiguration(t, cli, block.text)
				})
			}
		}
	}
	if len(glob(t, filepath.Join(all, "*.tf"))) == 0 {
		t.Error("no configuration on any page")
	}
	cli.need(t, version{1, 8}, version{1, 7}, "the syntax of provider functions")
	for _, dir := range []string{all, examplesDir} {
		cli.run(t, dir, "fmt", "-check", "-diff", "-recursive", "-no-color").wantText(t, "exit code 0:")
	}
}

// sourceArgument names a provider that a configuration needs.
var sourceArgument = regexp.MustCompile(`\bsource\s+= "([^"]*)"`)

func checkConfiguration(t *testing.T, cli cli, configuration string) {
	t.Helper()
	if !strings.Contains(configuration, "required_providers") {
		return
	}
	for _, source := range sourceArgument.FindAllStringSubmatch(configuration, -1) {
		if source[1] != "filetransfer/filetransfer" {
			return // no test installs another provider
		}
	}
	cli.needOf(t, configuration)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.tf"), configuration)
	cli.mustRun(t, dir, "validate", "-no-color")
}

// A newcomer who copies the first configuration gets what the page shows after it, from an instance that answers what the
// index shows, and after its chunk size was raised.
func TestAccDocumentation_QuickStart(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	const readme, index = "README.md", "templates/index.md.tmpl"
	answer := firstBlock(t, filepath.Join(root, index), "json", "fileMaxSize")
	for _, name := range []string{readme, index} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			page := filepath.Join(root, name)
			const local = "http://localhost:3000"
			configuration := firstBlock(t, page, "terraform", local)
			server := instancetest.New(t, instancetest.WithDocument(answer))
			w := newWorkspace(t, cli, "")
			w.paste(strings.ReplaceAll(configuration, local, server.URL()))
			w.plan().wantSummary(t, firstBlock(t, page, "text", "Changes to Outputs"))
			w.applyPlan()

			server.SetDefault(instancetest.AnswerDocument(strings.Replace(answer, "20000000", "30000000", 1)))
			w.plan().wantSummary(t, oneBlock(t, " -> ", name))
		})
	}
}

// The index and troubleshooting say what a child module without required_providers makes of the provider's name.
func TestAccDocumentation_MissingRequiredProviders(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, acceptance(t), "")
	w.paste("data \"filetransfer_instance\" \"files\" {\n  base_url = \"" + exampleURL + "\"\n}\n")
	w.do("plan").wantText(t, "exit code 1:", "hashicorp/filetransfer")
}

// firstBlock returns the first block in the language, which has to contain the text.
func firstBlock(t *testing.T, page, language, text string) string {
	t.Helper()
	for _, block := range blocks(t, page) {
		if block.language == language {
			if !strings.Contains(block.text, text) {
				t.Fatalf("%s has no %q:\n%s", block.place, text, block.text)
			}
			return block.text
		}
	}
	t.Fatalf("%s has no block of %s", page, language)
	return ""
}

var (
	link        = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading     = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchor      = regexp.MustCompile(`<a id="([^"]+)">`)
	notInAnchor = regexp.MustCompile(`[^\w\- ]`)
	otherSite   = regexp.MustCompile(`^(\w+://|mailto:)`)
)

// published returns the pages as people read them, on GitHub or the Registry.
func published(t *testing.T) []string {
	t.Helper()
	return slices.Concat(glob(t, filepath.Join(root, "*.md")), files(t, "*.md", "docs"))
}

// Every link from one page to another leads somewhere, on GitHub as on the Registry, also those to the Registry that are in
// descriptions, messages and issue templates.
func TestDocumentation_Links(t *testing.T) {
	t.Parallel()
	targets := map[string]bool{} // pages, and their sections after a #
	for _, page := range published(t) {
		targets[page] = true
		text := fence.ReplaceAllString(string(read(t, page)), "")
		for _, match := range heading.FindAllStringSubmatch(text, -1) {
			targets[page+"#"+strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-")] = true
		}
		for _, match := range anchor.FindAllStringSubmatch(text, -1) {
			targets[page+"#"+match[1]] = true
		}
	}
	check := func(page, target string) {
		if _, err := os.Stat(target); err != nil && !targets[target] {
			t.Errorf("%s: a link to %s leads nowhere", page, target)
		}
	}
	links := 0
	for _, page := range published(t) {
		for _, target := range linksOf(t, page) {
			links++
			check(page, target)
		}
	}

	registry := regexp.MustCompile(`https://registry\.terraform\.io/providers/filetransfer/filetransfer/latest/docs(/[\w/-]+)?(#[\w-]+)?`)
	registryLinks := 0
	for _, file := range slices.Concat(published(t), files(t, "*.yml", ".github"), files(t, "*.go", filepath.Join("internal", "provider"))) {
		for _, match := range registry.FindAllStringSubmatch(string(read(t, file)), -1) {
			registryLinks++
			check(file, filepath.Join(root, "docs", cmp.Or(match[1], "index")+".md")+match[2])
		}
	}
	if links == 0 || registryLinks == 0 {
		t.Errorf("%d links, and %d to the Registry", links, registryLinks)
	}
}

// linksOf returns where the links of a page to files of the repository lead, each with its section.
func linksOf(t *testing.T, page string) []string {
	t.Helper()
	var found []string
	for _, match := range link.FindAllStringSubmatch(fence.ReplaceAllString(string(read(t, page)), ""), -1) {
		switch target := match[1]; {
		case otherSite.MatchString(target):
		case target[0] == '#':
			found = append(found, page+target)
		default:
			found = append(found, filepath.Join(filepath.Dir(page), target))
		}
	}
	return found
}

// Every page is linked from the index, and has one title.
func TestDocumentation_Index(t *testing.T) {
	t.Parallel()
	index := filepath.Join(root, "docs", "index.md")
	linked := linksOf(t, index)
	for _, page := range files(t, "*.md", "docs") {
		if page != index && !slices.Contains(linked, page) {
			t.Errorf("%s has no link to %s", index, page)
		}
	}
	title := regexp.MustCompile(`(?m)^page_title: "(.*)"$`)
	for _, page := range files(t, "*.tmpl", filepath.Join("templates", "guides")) {
		text := string(read(t, page))
		match := title.FindStringSubmatch(text)
		if match == nil || !strings.Contains(text, "\n# "+strings.ReplaceAll(match[1], `\"`, `"`)+"\n") {
			t.Errorf("%s: the title in the sidebar is %q, and not that of the page", page, match)
		}
	}
}

// Every example is shown on a page.
func TestDocumentation_ExamplesAreShown(t *testing.T) {
	t.Parallel()
	var pages strings.Builder
	for _, page := range handWritten(t) {
		pages.Write(read(t, page))
	}
	for _, name := range configurations(t) {
		if strings.HasPrefix(name, "guides/") && !strings.Contains(pages.String(), `"examples/`+name+"/") {
			t.Errorf("no page includes examples/%s", name)
		}
	}
}
