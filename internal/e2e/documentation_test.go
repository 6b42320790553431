package e2e_test

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
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
		if err != nil {
			t.Fatal(err)
		}
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

// Every fenced block says its language, and is something in it.
func TestDocumentation_Blocks(t *testing.T) {
	t.Parallel()
	for _, page := range handWritten(t) {
		if strings.Count(string(read(t, page)), "```") != 2*len(blocks(t, page)) {
			t.Errorf("%s: a fenced block begins without a language, or does not end", page)
		}
		for _, block := range blocks(t, page) {
			if strings.TrimSpace(block.text) == "" {
				t.Errorf("%s: the block is empty", block.place)
			}
			switch block.language {
			case "terraform": // TestAccDocumentation_Configurations
			case "hcl": // TestAccDocumentation_LocalBuild
			case "shell", "text", "mermaid":
			case "go":
				if !isGoFragment(block.text) {
					t.Errorf("%s: this is not Go:\n%s", block.place, block.text)
				}
			case "json":
				if !json.Valid([]byte(block.text)) {
					t.Errorf("%s: this is not JSON:\n%s", block.place, block.text)
				}
			default:
				t.Errorf("%s: no test knows the language %q", block.place, block.language)
			}
		}
	}
}

// isGoFragment tells whether a text is fields of a struct or elements of a slice.
func isGoFragment(text string) bool {
	for _, around := range []string{"package p\ntype t struct {\n%s\n}", "package p\nvar v = []t{\n%s\n}"} {
		if _, err := parser.ParseFile(token.NewFileSet(), "", fmt.Sprintf(around, text), 0); err == nil {
			return true
		}
	}
	return false
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
		if done := cli.run(t, dir, nil, "fmt", "-check", "-diff", "-recursive", "-no-color"); done.exitCode != 0 {
			t.Errorf("not formatted: %s", done)
		}
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
	if strings.Contains(configuration, "testdata/instance.json") { // the document that the page has the reader save
		if err := os.Mkdir(filepath.Join(dir, "testdata"), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "testdata", "instance.json"), instancetest.Newer().JSON())
	}
	write(t, filepath.Join(dir, "main.tf"), configuration)
	cli.mustRun(t, dir, "validate", "-no-color")
}

// A newcomer who copies the first configuration gets what the page shows after it, from an instance that answers what the
// index shows.
func TestAccDocumentation_QuickStart(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	index := filepath.Join(root, "templates", "index.md.tmpl")
	answer := firstBlock(t, index, "json", "fileMaxSize")
	for _, page := range []string{filepath.Join(root, "README.md"), index} {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			const local = "http://localhost:3000"
			configuration := firstBlock(t, page, "terraform", local)
			server := instancetest.New(t, instancetest.WithDocument(answer))
			dir := t.TempDir()
			write(t, filepath.Join(dir, "main.tf"), strings.ReplaceAll(configuration, local, server.URL()))
			planned := string(cli.mustRun(t, dir, "plan", "-input=false", "-no-color"))
			if shown := firstBlock(t, page, "text", "Changes to Outputs"); !strings.Contains(planned, shown) {
				t.Errorf("the page shows\n%s\nand the plan is\n%s", shown, planned)
			}
		})
	}
}

// The index and troubleshooting say what a child module without required_providers makes of the provider's name.
func TestAccDocumentation_MissingRequiredProviders(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	dir := t.TempDir()
	const module = "data \"filetransfer_instance\" \"files\" {\n  base_url = %q\n}\n"
	write(t, filepath.Join(dir, "main.tf"), fmt.Sprintf(module, exampleURL))
	planned := cli.run(t, dir, nil, "plan", "-input=false", "-no-color")
	if planned.exitCode == 0 || !strings.Contains(planned.String(), "hashicorp/filetransfer") {
		t.Errorf("no error names hashicorp/filetransfer: %s", planned)
	}
}

// The CLI configuration in the README makes a CLI use a local build.
func TestAccDocumentation_LocalBuild(t *testing.T) {
	t.Parallel()
	built := acceptance(t)
	page := filepath.Join(root, "README.md")
	const placeholder = "/path/to/clone"
	override := firstBlock(t, page, "hcl", placeholder)
	file := filepath.Join(t.TempDir(), "dev.tfrc")
	write(t, file, strings.ReplaceAll(override, placeholder, filepath.ToSlash(buildDir)))
	overriding := built.with("TF_CLI_CONFIG_FILE=" + file)

	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.tf"), firstBlock(t, page, "terraform", "required_providers"))
	overriding.mustRun(t, dir, "validate", "-no-color")
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
	fenced      = regexp.MustCompile("(?ms)^ *```.*?^ *```$")

	// registryLink is a link to a page of this provider in the Registry.
	registryLink = regexp.MustCompile(`https://registry\.terraform\.io/providers/filetransfer/filetransfer/latest/docs(?:/([\w/-]+))?(?:#([\w-]+))?`)
)

// Every link from one page to another leads somewhere, on GitHub as on the Registry.
func TestDocumentation_Links(t *testing.T) {
	t.Parallel()
	count := 0
	for _, page := range slices.Concat(glob(t, filepath.Join(root, "*.md")), files(t, "*.md", "docs")) {
		for _, target := range links(t, page) {
			count++
			if target.file == "" {
				target.file = page
			}
			checkLink(t, page, target)
		}
	}
	if count == 0 {
		t.Error("there is no link at all")
	}
}

// Links to the Registry are checked too, also those in descriptions, messages and issue templates.
func TestDocumentation_RegistryLinks(t *testing.T) {
	t.Parallel()
	count := 0
	for _, file := range slices.Concat(glob(t, filepath.Join(root, "*.md")), files(t, "*.md", "docs"),
		files(t, "*.yml", ".github"), files(t, "*.go", filepath.Join("internal", "provider"))) {
		for _, match := range registryLink.FindAllStringSubmatch(string(read(t, file)), -1) {
			count++
			name := match[1]
			if name == "" {
				name = "index"
			}
			checkLink(t, file, target{filepath.Join(root, "docs", filepath.FromSlash(name)+".md"), match[2]})
		}
	}
	if count == 0 {
		t.Error("there is no link to the Registry at all")
	}
}

// Every page is linked from the index, and has one title.
func TestDocumentation_Index(t *testing.T) {
	t.Parallel()
	index := filepath.Join(root, "docs", "index.md")
	var linked []string
	for _, target := range links(t, index) {
		linked = append(linked, target.file)
	}
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

// target is where a link leads: to a file, or to a section of it.
type target struct{ file, section string }

// links returns where the links of a page to other files of the repository lead. The file of a link within the page is "".
func links(t *testing.T, page string) []target {
	t.Helper()
	var found []target
	for _, match := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(read(t, page)), ""), -1) {
		file, section, _ := strings.Cut(match[1], "#")
		if strings.Contains(file, "://") || strings.HasPrefix(file, "mailto:") {
			continue
		}
		if file != "" {
			file = filepath.Join(filepath.Dir(page), filepath.FromSlash(file))
		}
		found = append(found, target{file, section})
	}
	return found
}

func checkLink(t *testing.T, page string, to target) {
	t.Helper()
	info, err := os.Stat(to.file)
	if err != nil {
		t.Errorf("%s: a link leads nowhere: %v", page, err)
		return
	}
	if to.section != "" && (info.IsDir() || !slices.Contains(sections(t, to.file), to.section)) {
		t.Errorf("%s: %s has no section #%s", page, to.file, to.section)
	}
}

// sections returns the anchors of a page.
func sections(t *testing.T, page string) []string {
	t.Helper()
	text := fenced.ReplaceAllString(string(read(t, page)), "")
	var found []string
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		name := notInAnchor.ReplaceAllString(strings.ToLower(match[1]), "")
		found = append(found, strings.ReplaceAll(name, " ", "-"))
	}
	for _, match := range anchor.FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}
