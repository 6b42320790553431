// Command docs generates the Registry's documentation in docs/ from the schemas, templates/ and examples/, and validates
// it. With -check it changes nothing and fails if docs/ is not what would be generated. It is run from the root of the
// repository:
//
//	go run ./internal/dev/docs
//	go run ./internal/dev/docs -check
//
// Neither needs Terraform or OpenTofu.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
)

// providerName is the name under which tfplugindocs looks for the provider, and which it writes into titles.
const providerName = "filetransfer"

func main() {
	check := flag.Bool("check", false, "only compare docs/ with what would be generated")
	flag.Parse()

	ctx, stop := proc.NotifyContext(context.Background())
	err := docs(ctx, ".", *check)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

func docs(ctx context.Context, root string, check bool) (err error) {
	work, err := os.MkdirTemp("", "filetransfer-docs-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	schema, err := providersSchema(ctx, providerName)
	if err != nil {
		return err
	}
	schemaFile := filepath.Join(work, "schema.json")
	if err := os.WriteFile(schemaFile, schema, 0o600); err != nil {
		return err
	}
	generated, err := generate(ctx, root, work, schemaFile)
	if err != nil {
		return err
	}
	current := filepath.Join(root, "docs")
	if check {
		return compare(current, generated)
	}
	if err := os.RemoveAll(current); err != nil {
		return err
	}
	return os.CopyFS(current, os.DirFS(generated))
}

// generate returns the folder with the documentation. tfplugindocs works on a copy, so that a failure leaves docs/ as it
// was.
func generate(ctx context.Context, root, work, schemaFile string) (string, error) {
	module := filepath.Join(work, "module")
	for _, source := range []string{"templates", "examples"} {
		err := os.CopyFS(filepath.Join(module, source), os.DirFS(filepath.Join(root, source)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	for _, command := range []string{"generate", "validate"} {
		cmd := proc.Command(ctx, "go", "tool", "-modfile="+filepath.Join("tools", "go.mod"), "tfplugindocs", command,
			"--provider-dir="+module, "--provider-name="+providerName, "--providers-schema="+schemaFile)
		cmd.Dir = root
		if output, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("tfplugindocs %s: %w\n%s", command, err, output)
		}
	}
	return filepath.Join(module, "docs"), nil
}

// compare names every file that differs between the folders.
func compare(current, generated string) error {
	have, err := contents(current)
	if err != nil {
		return err
	}
	want, err := contents(generated)
	if err != nil {
		return err
	}
	var differing []string
	for name := range want {
		if have[name] != want[name] {
			differing = append(differing, name)
		}
	}
	for name := range have {
		if _, found := want[name]; !found {
			differing = append(differing, name)
		}
	}
	if differing == nil {
		return nil
	}
	slices.Sort(differing)
	return fmt.Errorf("not what `make generate` makes of the sources:\n\tdocs/%s", strings.Join(differing, "\n\tdocs/"))
}

// contents returns the text of each file under dir, by its path there.
func contents(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(content)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return files, nil
	}
	return files, err
}
