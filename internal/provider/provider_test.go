package provider_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Ephemeral arguments are in no state and in no plan.
func TestAccProvider_EphemeralArguments(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t,
		instancetest.WithClientCertificate(), instancetest.WithRequiredHeader("X-Token", "hunter2-token"))
	const baseURL = "https://" + instancetest.ProxiedHost
	folder := t.TempDir()
	steps := []resource.TestStep{{
		ConfigVariables: config.Variables{
			"connect_to": config.StringVariable(server.Address()), "token": config.StringVariable("hunter2-token"),
			"client_key_pem": config.StringVariable(server.ClientKeyPEM()),
		},
		Config: fmt.Sprintf(`
variable "connect_to" {
  type      = string
  ephemeral = true
}

variable "token" {
  type      = string
  ephemeral = true
}

variable "client_key_pem" {
  type      = string
  ephemeral = true
}

provider "filetransfer" {
  base_url        = %q
  connect_to      = var.connect_to
  request_headers = { X-Token = var.token }
  ca_cert_pem     = %q
  client_cert_pem = %q
  client_key_pem  = var.client_key_pem
}

data "filetransfer_instance" "one" {}

resource "filetransfer_instance_record" "one" { base_url = data.filetransfer_instance.one.base_url }
`, baseURL, server.CACertPEM(), server.ClientCertPEM()),
		ConfigPlanChecks: preApply(acctest.Run(func() error {
			return requireInNoFile(folder, "hunter2", strings.Split(server.ClientKeyPEM(), "\n")[1], server.Address())
		})),
		ConfigStateChecks: acctest.ExpectKnownValues("filetransfer_instance_record.one", acctest.NewerDetails(
			map[string]knownvalue.Check{"base_url": knownvalue.StringExact(baseURL)})),
	}}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.EphemeralVariables),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		WorkingDir:               folder,
		Steps:                    append(steps, steps...), // the second one has a state
	})
}

// requireInNoFile returns an error if a text is in a file below a folder, or in a part of a saved plan. The
// configuration and its variables do not count.
func requireInNoFile(folder string, texts ...string) error {
	return fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		isInput := strings.HasSuffix(path, ".tf") || strings.HasSuffix(path, ".tfvars.json")
		if err != nil || isInput || !entry.Type().IsRegular() {
			return err
		}
		file := filepath.Join(folder, path)
		content, err := os.ReadFile(file)
		if archive, notZip := zip.OpenReader(file); notZip == nil {
			defer archive.Close()
			for _, part := range archive.File {
				text, failed := fs.ReadFile(archive, part.Name)
				content, err = append(content, text...), errors.Join(err, failed)
			}
		}
		for _, text := range texts {
			if bytes.Contains(content, []byte(text)) {
				return fmt.Errorf("%s has %q", path, text)
			}
		}
		return err
	})
}

// Unknown arguments fail a read in the plan, unless it depends on what is not known. A record keeps its values.
func TestAccProvider_UnknownArguments(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	config := func(timeout, argument string) string {
		return fmt.Sprintf(`
provider "filetransfer" {
  base_url        = %q
  request_timeout = terraform_data.timeout.output
}

resource "terraform_data" "timeout" { input = %q }

resource "filetransfer_instance_record" "test" { base_url = %[1]q }

data "filetransfer_instance" "provided" { %[3]s }
`, server.URL(), timeout, argument)
	}
	const depends = "depends_on = [terraform_data.timeout]"
	read := acctest.ExpectKnownValues("data.filetransfer_instance.provided", acctest.NewerDetails(nil))
	testSteps(t, acctest.TerraformData,
		resource.TestStep{
			Config:      config("50s", ""),
			ExpectError: acctest.WrappedText("of the provider are known only after apply: - request_timeout Give them"),
		},
		resource.TestStep{Config: config("50s", depends), ConfigStateChecks: read},
		resource.TestStep{
			Config:           config("60s", depends),
			ConfigPlanChecks: preApply(plancheck.ExpectResourceAction(recordAddress, plancheck.ResourceActionNoop)),
		},
	)
}
