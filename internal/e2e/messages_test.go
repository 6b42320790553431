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
	add := func(expression ast.Expr) {
		literal, ok := expression.(*ast.BasicLit)
		if !ok {
			t.Fatalf("a summary is no string literal: %T", expression)
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, text)
	}
	constants, failures := 0, 0
	for _, file := range files(t, "*.go", filepath.Join("internal", "provider")) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if strings.HasPrefix(spec.Names[0].Name, "summary") {
				constants++
				add(spec.Values[0])
			}
			if words, ok := spec.Values[0].(*ast.CompositeLit); ok && spec.Names[0].Name == "failureWords" {
				for _, element := range words.Elts {
					failures++
					add(element.(*ast.KeyValueExpr).Value.(*ast.CompositeLit).Elts[0])
				}
			}
			return true
		})
	}
	const atLeast = 10
	if constants < atLeast || failures < atLeast {
		t.Fatalf("only %d constants and %d kinds of failures were found in the provider's source", constants, failures)
	}
	return found
}
