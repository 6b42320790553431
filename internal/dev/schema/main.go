// Command schema prints the schema of this build of the provider in the JSON format of Terraform, for tfplugindocs. It is
// run from the root of the repository. The CLI must know provider functions: Terraform 1.8, OpenTofu 1.7.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
)

const configuration = `terraform {
  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}
`

func main() {
	ctx, stop := proc.NotifyContext(context.Background())
	document, err := schema(ctx, ".")
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
	fmt.Printf("%s\n", document)
}

func schema(ctx context.Context, root string) (document []byte, err error) {
	cli, err := tfcli.Find(ctx, root, os.Stderr)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "filetransfer-schema-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	env, err := tfcli.Override(ctx, root, work)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(work, "main.tf"), []byte(configuration), 0o600); err != nil {
		return nil, err
	}

	var stderr bytes.Buffer
	cmd := proc.Command(ctx, cli.Path, "providers", "schema", "-json")
	cmd.Dir, cmd.Env, cmd.Stderr = work, env, &stderr
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s providers schema: %w\n%s", cli, err, &stderr)
	}
	var schemas struct {
		FormatVersion string                                `json:"format_version"`
		Providers     map[string]map[string]json.RawMessage `json:"provider_schemas"`
	}
	if err := json.Unmarshal(output, &schemas); err != nil {
		return nil, err
	}
	provider := schemas.Providers[cli.RegistryHost()+"/filetransfer/filetransfer"]
	if provider["functions"] == nil {
		return nil, fmt.Errorf("%s does not list the provider's functions; use Terraform 1.8 or OpenTofu 1.7, or newer", cli)
	}
	// tfplugindocs looks for the bare name, or for a provider of HashiCorp's.
	schemas.Providers = map[string]map[string]json.RawMessage{"filetransfer": provider}
	return json.Marshal(schemas)
}
