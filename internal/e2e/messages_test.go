package e2e_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// functionMessages are the words with which the errors of the provider's functions begin.
var functionMessages = []string{
	"No expiry option is at most",
	"The entry at index",
	"The list is empty: there is no expiry option to select",
	"This is not a JSON document",
	"This is not an instance document",
}

// messages returns the words with which the provider's messages begin. The summaries of its diagnostics are the constants
// that begin with "summary", and the first fields of the elements of failureWords.
func messages(t *testing.T) []string {
	t.Helper()
	found := slices.Clone(functionMessages)
	values(t, filepath.Join("internal", "provider"), func(name string, value ast.Expr) {
		if strings.HasPrefix(name, "summary") {
			found = append(found, stringIn(t, value))
		}
		if name == "failureWords" {
			for _, words := range elements(t, value) {
				found = append(found, stringIn(t, words.(*ast.CompositeLit).Elts[0]))
			}
		}
	})
	const atLeast = 30
	if len(found) < atLeast {
		t.Fatalf("only %d messages were found in the provider's source: %q", len(found), found)
	}
	return found
}

// classes returns the texts of the attribute errors, without the ends that some of them have: the first fields of the
// elements of kinds.
func classes(t *testing.T) []string {
	t.Helper()
	var found []string
	values(t, filepath.Join("internal", "client"), func(name string, value ast.Expr) {
		if name == "kinds" {
			for _, kind := range elements(t, value) {
				found = append(found, stringIn(t, kind.(*ast.CompositeLit).Elts[0]))
			}
		}
	})
	if len(found) == 0 {
		t.Fatal("no classes of failures were found in the client's source")
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// values calls do for each constant and variable with one value that the Go files in a folder declare, tests excluded.
func values(t *testing.T, folder string, do func(name string, value ast.Expr)) {
	t.Helper()
	for _, file := range files(t, "*.go", folder) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			if spec, ok := node.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
				do(spec.Names[0].Name, spec.Values[0])
			}
			return true
		})
	}
}

// elements returns the values of a map literal.
func elements(t *testing.T, literal ast.Expr) []ast.Expr {
	t.Helper()
	composite, ok := literal.(*ast.CompositeLit)
	if !ok {
		t.Fatalf("%T is no map literal", literal)
	}
	var found []ast.Expr
	for _, element := range composite.Elts {
		found = append(found, element.(*ast.KeyValueExpr).Value)
	}
	return found
}

func stringIn(t *testing.T, literal ast.Expr) string {
	t.Helper()
	basic, ok := literal.(*ast.BasicLit)
	if !ok {
		t.Fatalf("%T is no string literal", literal)
	}
	text, err := strconv.Unquote(basic.Value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
