package provider

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// kindsOfFailures returns every constant of the type client.Kind.
func kindsOfFailures(t *testing.T) (kinds []client.Kind) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../client/failure.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok {
			if of, ok := spec.Type.(*ast.Ident); ok && of.Name == "Kind" {
				text, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				kinds = append(kinds, client.Kind(text))
			}
		}
		return true
	})
	return kinds
}

// Each kind of failure has a summary and a remedy. A data source can meet all of them but two, and testdata/failed_reads.txt has those.
func TestFailureMessages(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile("testdata/failed_reads.txt")
	if err != nil {
		t.Fatal(err)
	}
	kinds := kindsOfFailures(t)
	if len(failureMessages) != len(kinds) {
		t.Errorf("%d kinds of failures have a message, and there are %d kinds: %q", len(failureMessages), len(kinds), kinds)
	}
	for _, kind := range kinds {
		message := failureMessages[kind]
		remedyIsElsewhere := kind == client.Status || kind == client.CertificateNotTrusted
		if message.summary == "" || (message.remedy == "") != remedyIsElsewhere {
			t.Errorf("%q has the summary %q and the remedy %q", kind, message.summary, message.remedy)
		}
		onlyInWaits := kind == client.NotAsExpected || kind == client.Cached
		if strings.Contains(string(golden), ": "+message.summary) == onlyInWaits {
			t.Errorf("%q is in testdata/failed_reads.txt: %t", message.summary, !onlyInWaits)
		}
	}
}

func TestStatusRemedy(t *testing.T) {
	t.Parallel()
	tests := map[string][]int{
		"something else refused":             {401, 403},
		"Check the path":                     {404},
		"Raise the rate limit of the server": {429},
		"Check the log":                      {500, 501, 502, 503, 504, 520, 599},
		"Check the scheme, the host name and the port of the base URL.": {101, 201, 204, 400, 405, 407, 410, 418, 421, 451, 499},
	}
	for want, codes := range tests {
		for _, code := range codes {
			if got := statusRemedy(code); !strings.Contains(got, want) {
				t.Errorf("the remedy of %d is %q, want one with %q", code, got, want)
			}
		}
	}
}

func TestFormatDuration(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"500ms", "1.5s", "1m", "1m30s", "10m", "1h", "1h0m5s", "1h10m", "20h"} {
		duration, err := time.ParseDuration(want)
		if got := formatDuration(duration); got != want || err != nil {
			t.Errorf("%s is %q", want, got)
		}
	}
}
