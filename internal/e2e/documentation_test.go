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

	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
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
	return slices.Concat(glob(t, filepath.Join(root, "*.md")), files(t, "*.tmpl", "templates"))
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
	cli.skipWithout(t, acctest.ProviderFunctions) // whose syntax it formats
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
	cli.skipBelowRequired(t, configuration)
	dir := t.TempDir()
	if another.MatchString(configuration) {
		cli.skipWithout(t, acctest.TerraformData)
	}
	write(t, filepath.Join(dir, "main.tf"), standIn(configuration))
	cli.mustRun(t, dir, "validate", "-no-color")
}

// another is a resource of a provider that no test installs.
var another = regexp.MustCompile(`\b(kubernetes|helm)_\w+`)

// standIn puts the CLI's own resource in the place of others, with the one argument that a page is about.
func standIn(text string) string {
	for pattern, replacement := range map[string]string{
		`\n  (metadata|name|chart) .*`: "",
		`\n  values = `:                "\n  input = ",
		`\n  data = (.*)`:              "\n  input = { for name, value in $1 : name => tostring(value) }", // strings, as in a config map
		`"(\w+)" = "`:                  `$1 = "`,                                                          // how a plan prints its names
	} {
		text = regexp.MustCompile(pattern).ReplaceAllString(text, replacement)
	}
	return another.ReplaceAllString(text, "terraform_data")
}

// The configurations that begin the README and the index do what the pages say when they are applied as they are.
func TestAccDocumentation_FirstScreen(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	cli.skipWithout(t, acctest.TerraformData)
	for _, page := range []string{"README.md", filepath.Join("templates", "index.md.tmpl")} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			screen := slices.DeleteFunc(blocks(t, filepath.Join(root, page)), func(b block) bool { return b.language != "terraform" })
			from := func(configuration string) string {
				return standIn(strings.ReplaceAll(configuration, exampleURL+"/api", server.URL()))
			}
			reads := newWorkspace(t, cli, "")
			reads.paste(from(screen[0].text))
			reads.apply()
			want := map[string]any{"max_bytes": 64424509440., "expire_seconds": []any{1800., 3600., 21600., 43200., 86400., 604800., 1209600., 2592000.}}
			if got := reads.follower("terraform_data.upload_form"); !reflect.DeepEqual(got, want) {
				t.Errorf("the upload form has %v, want %v", got, want)
			}
		})
	}
}

// wantExcerpt checks that a command printed these lines in their order, with "..." where some are left out.
func (r result) wantExcerpt(t *testing.T, excerpt string) {
	t.Helper()
	rest := string(r.stdout) + string(r.stderr)
	for _, part := range regexp.MustCompile(`(?m)^\.\.\.\n`).Split(excerpt, -1) {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("it does not say\n%s\nwhere the page does: %s", part, r)
		}
		rest = after
	}
}

// The pages print values as the CLI does.
func TestAccDocumentation_Values(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	cli.skipBelow(t, tfversion.Version1_5_0, tfversion.Version1_6_0, "the layout of the pages")
	server := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("apiVersion", "2.2.3")))
	t.Run("filetransfer_instances", func(t *testing.T) {
		t.Parallel()
		e := newExample(t, cli, "guides/tolerate-failures")
		older := instancetest.New(t, instancetest.WithDocument(instancetest.Older().With("apiVersion", "1.1.0")))
		e.variables["base_urls"] = map[string]string{
			"lyon": older.URL(), "nice": "http://" + instancetest.ReserveAddress(t), "paris": server.URL(),
		}
		e.setVariables()
		e.apply()
		e.run(t, e.dir, "output", "-no-color").wantExcerpt(t, oneBlock(t, "tomap", "templates", "data-sources", "instances.md.tmpl"))
	})
	t.Run("parse_instance", func(t *testing.T) {
		t.Parallel()
		e := newExample(t, cli, "functions/parse_instance")
		e.apply()
		e.run(t, e.dir, "output", "-no-color", "older").wantExcerpt(t, oneBlock(t, "tolist", "templates", "functions", "parse_instance.md.tmpl"))
	})
}

var (
	link        = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading     = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchor      = regexp.MustCompile(`<a id="([^"]+)">`)
	notInAnchor = regexp.MustCompile(`[^\w\- ]`)
	otherSite   = regexp.MustCompile(`^(\w+://|mailto:)`)
	registry    = regexp.MustCompile(`https://registry\.terraform\.io/providers/filetransfer/filetransfer/latest/docs(/[\w/-]+)?(#[\w-]+)?`)
)

// inDocs returns the file behind a link that registry matched, with its section.
func inDocs(match []string) string {
	return filepath.Join(root, "docs", cmp.Or(match[1], "index")+".md") + match[2]
}

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

	registryLinks := 0
	for _, file := range slices.Concat(published(t), files(t, "*.yml", ".github"), files(t, "*.go", filepath.Join("internal", "provider"))) {
		for _, match := range registry.FindAllStringSubmatch(string(read(t, file)), -1) {
			registryLinks++
			check(file, inDocs(match))
		}
	}
	if links == 0 || registryLinks == 0 {
		t.Errorf("%d links, and %d to the Registry", links, registryLinks)
	}
}

// linksOf returns where the links of a page to files of the repository lead, each with its section. Those to the Registry lead to
// the page in docs/ that it shows.
func linksOf(t *testing.T, page string) []string {
	t.Helper()
	var found []string
	for _, match := range link.FindAllStringSubmatch(fence.ReplaceAllString(string(read(t, page)), ""), -1) {
		switch target := match[1]; {
		case registry.MatchString(target):
			found = append(found, inDocs(registry.FindStringSubmatch(target)))
		case otherSite.MatchString(target):
		case target[0] == '#':
			found = append(found, page+target)
		default:
			found = append(found, filepath.Join(filepath.Dir(page), target))
		}
	}
	return found
}

// A reader of the index finds every page. The Registry shows the index at a URL without a slash at its end, where relative links lead
// nowhere.
func TestDocumentation_IndexLinksToEveryPage(t *testing.T) {
	t.Parallel()
	index := filepath.Join(root, "docs", "index.md")
	for _, match := range link.FindAllStringSubmatch(string(read(t, index)), -1) {
		if target := match[1]; target[0] != '#' && !otherSite.MatchString(target) {
			t.Errorf("%s has a relative link to %s", index, target)
		}
	}
	linked := linksOf(t, index)
	for _, page := range files(t, "*.md", "docs") {
		if page != index && !slices.Contains(linked, page) {
			t.Errorf("%s has no link to %s", index, page)
		}
	}
}
