package e2e_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
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

// configurationBlock is a fenced block of a page. Those in lists are indented.
var configurationBlock = regexp.MustCompile("(?ms)^( *)```terraform\n(.*?)^ *```$")

// Every configuration on a page parses and is formatted, and every complete one is valid.
func TestAccDocumentation_Configurations(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	pages := slices.Concat(glob(t, filepath.Join(root, "*.md")), files(t, "*.tmpl", "templates"))
	count := 0
	for _, page := range pages {
		text := string(read(t, page))
		for _, match := range configurationBlock.FindAllStringSubmatchIndex(text, -1) {
			line := 1 + strings.Count(text[:match[0]], "\n")
			indent, configuration := text[match[2]:match[3]], text[match[4]:match[5]]
			configuration = regexp.MustCompile(`(?m)^`+indent).ReplaceAllString(configuration, "")
			count++
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(page), line), func(t *testing.T) {
				t.Parallel()
				checkConfiguration(t, cli, configuration)
			})
		}
	}
	if count == 0 {
		t.Errorf("no configuration on any of %d pages", len(pages))
	}
}

func checkConfiguration(t *testing.T, cli cli, configuration string) {
	t.Helper()
	if strings.Contains(configuration, "provider::") {
		cli.need(t, version{1, 8}, version{1, 7}, "a provider function")
	}
	dir := t.TempDir()
	formatted := cli.run(t, dir, []byte(configuration), "fmt", "-no-color", "-")
	if formatted.exitCode != 0 {
		t.Fatalf("it does not parse: %s\n%s", formatted, configuration)
	}
	if string(formatted.stdout) != configuration {
		t.Errorf("it is not formatted; it should be\n%s", formatted.stdout)
	}
	if !strings.Contains(configuration, "required_providers") {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	cli.mustRun(t, dir, "validate", "-no-color")
}

// troubleshooting is the page with a section for each message.
var troubleshooting = filepath.Join("templates", "guides", "troubleshooting.md.tmpl")

// Every message of the provider is explained under its own words.
func TestDocumentation_TroubleshootingHasEveryMessage(t *testing.T) {
	t.Parallel()
	page := string(read(t, filepath.Join(root, troubleshooting)))
	found := summaries(t)
	if len(found) < 20 {
		t.Errorf("only %d messages were found in the provider's source: %q", len(found), found)
	}
	for _, summary := range found {
		if !strings.Contains(page, "\n### "+summary+"\n") && !strings.Contains(page, "**"+summary+"**") {
			t.Errorf("%s has neither a heading nor bold words %q", troubleshooting, summary)
		}
	}
}

// summaryArgument is the position of the summary among the arguments of the functions that make diagnostics.
var summaryArgument = map[string]int{
	"AddError": 0, "AddWarning": 0, "NewErrorDiagnostic": 0, "NewWarningDiagnostic": 0,
	"AddAttributeError": 1, "AddAttributeWarning": 1, "NewAttributeErrorDiagnostic": 1, "NewAttributeWarningDiagnostic": 1,
	"errorAt": 1,
}

// summaries returns the summaries of the provider's diagnostics, up to their first placeholder.
func summaries(t *testing.T) []string {
	t.Helper()
	var found []string
	add := func(expression ast.Expr) {
		// The format of a Sprintf stands for what it makes.
		if call, ok := expression.(*ast.CallExpr); ok && len(call.Args) > 0 {
			expression = call.Args[0]
		}
		if literal, ok := expression.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			text, _, _ = strings.Cut(text, "%")
			found = append(found, strings.TrimSpace(text))
		}
	}
	for _, file := range files(t, "*.go", filepath.Join("internal", "provider")) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(function, func(node ast.Node) bool {
				switch node := node.(type) {
				case *ast.CallExpr:
					if at, ok := summaryArgument[calledName(node)]; ok && at < len(node.Args) {
						add(node.Args[at])
					}
				case *ast.ReturnStmt:
					if function.Name.Name == "failureSummary" {
						add(node.Results[0])
					}
				}
				return true
			})
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func calledName(call *ast.CallExpr) string {
	switch function := call.Fun.(type) {
	case *ast.Ident:
		return function.Name
	case *ast.SelectorExpr:
		return function.Sel.Name
	default:
		return ""
	}
}

var (
	link        = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading     = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchor      = regexp.MustCompile(`<a id="([^"]+)">`)
	notInAnchor = regexp.MustCompile(`[^\w\- ]`)
	fenced      = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
)

// Every link from one page to another leads somewhere, on GitHub as on the Registry.
func TestDocumentation_Links(t *testing.T) {
	t.Parallel()
	count := 0
	for _, page := range slices.Concat(glob(t, filepath.Join(root, "*.md")), files(t, "*.md", "docs")) {
		for _, match := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(read(t, page)), ""), -1) {
			target, section, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			count++
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			}
			info, err := os.Stat(file)
			if err != nil {
				t.Errorf("%s: the link %s leads nowhere: %v", page, match[1], err)
				continue
			}
			if section != "" && (info.IsDir() || !slices.Contains(sections(t, file), section)) {
				t.Errorf("%s: the link %s leads to no section", page, match[1])
			}
		}
	}
	if count == 0 {
		t.Error("there is no link at all")
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
