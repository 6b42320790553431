package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
)

// What this package says about the provider is what a CLI says.
func TestAccProvidersSchema_IsTheCLIs(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	const root = "../../.."
	cli, err := tfcli.Find(t.Context(), root, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	env, err := tfcli.Override(t.Context(), root, dir)
	if err != nil {
		t.Fatal(err)
	}
	configuration := `terraform {
  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}
`
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), cli.Path, "providers", "schema", "-json")
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s providers schema: %v\n%s", cli.Name(), err, &stderr)
	}
	want := providerIn(t, output, cli.RegistryHost()+"/filetransfer/filetransfer")

	schema, err := providersSchema(t.Context(), providerName)
	if err != nil {
		t.Fatal(err)
	}
	got := providerIn(t, schema, providerName)
	if want["functions"] == nil {
		t.Logf("%s does not know provider functions: they are not compared", cli.Name())
		delete(got, "functions")
	}
	for key := range got {
		if !reflect.DeepEqual(got[key], want[key]) {
			t.Errorf("%s is\n%s\n%s says\n%s", key, indented(t, got[key]), cli.Name(), indented(t, want[key]))
		}
	}
}

func providerIn(t *testing.T, document []byte, name string) map[string]any {
	t.Helper()
	var schemas struct {
		Schemas map[string]map[string]any `json:"provider_schemas"`
	}
	if err := json.Unmarshal(document, &schemas); err != nil {
		t.Fatal(err)
	}
	if schemas.Schemas[name] == nil {
		t.Fatalf("nothing for %s in %s", name, document)
	}
	return schemas.Schemas[name]
}

func indented(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return text
}
