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
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Ephemeral arguments are in no state and no plan. The saved plan is applied through another tunnel than it was made through.
func TestAccProvider_EphemeralArguments(t *testing.T) {
	t.Parallel()
	const token = "hunter2-ephemeral-token"
	guarded := []instancetest.Option{instancetest.WithClientCertificate(), instancetest.WithRequiredHeader("Authorization", "Bearer "+token)}
	planned, applied := instancetest.New(t, guarded...), instancetest.New(t, guarded...)
	variablesFor := func(tunnel *instancetest.Server) config.Variables {
		return config.Variables{
			"connect_to":     config.StringVariable(tunnel.Address()),
			"token":          config.StringVariable(token),
			"client_key_pem": config.StringVariable(tunnel.ClientKeyPEM()),
		}
	}
	config := fmt.Sprintf(`
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
  request_headers = { Authorization = "Bearer ${var.token}" }
  ca_cert_pem     = %q
  client_cert_pem = %q
  client_key_pem  = var.client_key_pem
}

data "filetransfer_instance" "one" {}

resource "filetransfer_instance_record" "one" { base_url = data.filetransfer_instance.one.base_url }
`, "https://"+instancetest.ProxiedHost, planned.CACertPEM(), planned.ClientCertPEM())
	folder := t.TempDir()
	inNoFile := acctest.Run(func() error {
		return mustBeNowhere(folder, token, strings.Split(planned.ClientKeyPEM(), "\n")[1], planned.Address(), applied.Address())
	})
	otherTunnel := acctest.Run(func() error {
		folders, err := filepath.Glob(filepath.Join(folder, "*"))
		return errors.Join(err, variablesFor(applied).Write(folders[0]))
	})
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.EphemeralVariables),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		WorkingDir:               folder,
		Steps: []resource.TestStep{
			{
				Config:           config,
				ConfigVariables:  variablesFor(planned),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{inNoFile, otherTunnel}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("filetransfer_instance_record.one",
						tfjsonpath.New("base_url"), knownvalue.StringExact("https://"+instancetest.ProxiedHost)),
				},
			},
			{ // without changes
				Config:           config,
				ConfigVariables:  variablesFor(planned),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{inNoFile, plancheck.ExpectEmptyPlan()}},
			},
		},
	})
	if len(applied.Requests()) == 0 { // which all need the client certificate
		t.Error("the plan was not applied through the other tunnel")
	}
}

// mustBeNowhere checks that texts are in no file below a folder but the configuration and its variables, and in nothing of a saved plan.
func mustBeNowhere(folder string, texts ...string) error {
	return fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || strings.HasSuffix(path, ".tf") || strings.HasSuffix(path, ".tfvars.json") {
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

// An error about a header is at no argument, because Terraform would print its lines, which may have a secret.
func TestAccProvider_InvalidArguments(t *testing.T) {
	t.Parallel()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			PlanOnly: true,
			Config: `
provider "filetransfer" {
  request_headers = { Authorization = "hunter2", Connection = "hunter2" }
  retry {
    max_attempts = 101
  }
}

data "filetransfer_instance" "one" {}
`,
			ExpectError: acctest.WrappedText(
				`provider "filetransfer" { The header Connection in request_headers is set by the provider itself.`,
				"max_attempts = 101 retry.max_attempts is 101. Write a whole number from 1 to 100."),
		}},
	})
}

// A plan succeeds with arguments that are all unknown.
func TestAccProvider_NothingKnown(t *testing.T) {
	t.Parallel()
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.TerraformData),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			PlanOnly:           true,
			ExpectNonEmptyPlan: true,
			Config: `
resource "terraform_data" "later" { input = "1" }

resource "terraform_data" "map" { input = { a = "1" } }

provider "filetransfer" {
  base_url        = terraform_data.later.output
  request_headers = terraform_data.map.output
  request_timeout = terraform_data.later.output
  ca_cert_pem     = terraform_data.later.output
  client_cert_pem = terraform_data.later.output
  client_key_pem  = terraform_data.later.output
  connect_to      = terraform_data.later.output
  insecure        = terraform_data.later.output
  retry {
    max_attempts = terraform_data.later.output
    min_delay    = terraform_data.later.output
    max_delay    = terraform_data.later.output
  }
}

data "filetransfer_instance" "arguments" {
  base_url = terraform_data.later.output
  timeouts { read = terraform_data.later.output }
}

data "filetransfer_instances" "arguments" {
  base_urls       = terraform_data.map.output
  request_headers = { X-Token = terraform_data.later.output }
  max_concurrency = terraform_data.later.output
  allow_failures  = terraform_data.later.output
}

resource "filetransfer_instance_record" "arguments" {
  base_url   = terraform_data.later.output
  stable_for = terraform_data.later.output
  triggers   = terraform_data.map.output
  expected {
    api_version      = terraform_data.later.output
    chunk_size       = terraform_data.later.output
    require_password = terraform_data.later.output
  }
  timeouts {
    create = terraform_data.later.output
    read   = terraform_data.later.output
    update = terraform_data.later.output
  }
}

resource "filetransfer_instance_record" "expected" {
  base_url   = "https://files.example.org"
  stable_for = "1m"
  triggers   = { deploy = "1" }
  dynamic "expected" {
    for_each = terraform_data.map.output
    content { chunk_size = 1 }
  }
}

resource "filetransfer_instance_record" "timeouts" {
  base_url   = "https://files.example.org"
  stable_for = "1h"
  expected { chunk_size = 1 }
  dynamic "timeouts" {
    for_each = terraform_data.map.output
    content { create = "2h" }
  }
}
`,
		}},
	})
}

// Unknown arguments fail a read in the plan, unless it depends on what is not known. A record is kept until it is.
func TestAccProvider_UnknownArguments(t *testing.T) {
	t.Parallel()
	home, other := instancetest.New(t, instancetest.WithDocument(instancetest.Older())), instancetest.New(t)
	config := func(timeout, ofDataSource string) string {
		return fmt.Sprintf(`
provider "filetransfer" {
  base_url        = terraform_data.instance.output
  request_timeout = terraform_data.timeout.output
}

resource "terraform_data" "instance" { input = %q }

resource "terraform_data" "timeout" { input = %q }

resource "filetransfer_instance_record" "own" { base_url = %q }

data "filetransfer_instance" "provided" { %s }
`, home.URL(), timeout, other.URL(), ofDataSource)
	}
	const depends = "depends_on = [terraform_data.instance, terraform_data.timeout]"
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.TerraformData),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: config("50s", ""),
				ExpectError: acctest.WrappedText(
					"these arguments of the provider are known only after apply: - base_url - request_timeout Give them values"),
			},
			{
				Config: config("50s", depends),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.filetransfer_instance.provided", tfjsonpath.New("api_version"), knownvalue.StringExact("1.3.2")),
					statecheck.ExpectKnownValue("filetransfer_instance_record.own", tfjsonpath.New("api_version"), knownvalue.StringExact("2.1.5")),
				},
			},
			{
				PreConfig: func() { other.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000))) },
				Config:    config("60s", depends),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("filetransfer_instance_record.own", plancheck.ResourceActionNoop),
						plancheck.ExpectKnownValue("filetransfer_instance_record.own", tfjsonpath.New("file_max_size"), knownvalue.Int64Exact(64424509440)),
					},
					PostApplyPostRefresh: []plancheck.PlanCheck{
						plancheck.ExpectKnownValue("filetransfer_instance_record.own", tfjsonpath.New("file_max_size"), knownvalue.Int64Exact(1000)),
					},
				},
			},
		},
	})
}
