package e2e_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestAccEphemeralCredentialsAreInNoStateAndNoPlan: credentials of the provider block from ephemeral variables.
func TestAccEphemeralCredentialsAreInNoStateAndNoPlan(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	cli.need(t, version{1, 10}, version{1, 11}, "an ephemeral variable")
	const token = "hunter2-ephemeral-token"
	instance := instancetest.New(t, instancetest.WithClientCertificate(), instancetest.WithRequiredHeader("Authorization", "Bearer "+token))
	keyLine := strings.Split(instance.ClientKeyPEM(), "\n")[1]
	w := newWorkspace(t, cli, fmt.Sprintf(`
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
  request_headers = { Authorization = "Bearer ${var.token}" }
  ca_cert_pem     = %q
  client_cert_pem = %q
  client_key_pem  = var.client_key_pem
}

data "filetransfer_instance" "one" {}

resource "filetransfer_instance_record" "one" {
  base_url = data.filetransfer_instance.one.base_url
}

output "versions" {
  value = [data.filetransfer_instance.one.api_version, filetransfer_instance_record.one.api_version]
}
`, instance.URL(), instance.CACertPEM(), instance.ClientCertPEM()))
	variables, err := json.Marshal(map[string]string{"token": token, "client_key_pem": instance.ClientKeyPEM()})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "credentials.json") // not in the folder that is searched
	write(t, file, string(variables))

	w.must("plan", "-var-file="+file, "-out=made.tfplan")
	shown := w.mustRun(t, w.dir, "show", "-json", "made.tfplan")
	w.must("apply", "-var-file="+file, "made.tfplan")
	if versions := fmt.Sprint(w.state().Outputs["versions"].Value); versions != "[2.1.5 2.1.5]" {
		t.Fatalf("the instance in the state is %s", versions)
	}

	w.wantNowhere(shown, token, keyLine)
	if requests := instance.Requests(); !slices.ContainsFunc(requests, func(r instancetest.Request) bool { return r.ClientCertificate }) {
		t.Error("the client certificate was not used")
	}
}

// wantNowhere checks that texts are in no file of the workspace, in nothing of the saved plan, and not in the plan as JSON.
func (w *workspace) wantNowhere(planAsJSON []byte, texts ...string) {
	w.t.Helper()
	found := map[string][]byte{"the plan as JSON": planAsJSON}
	plan, err := zip.OpenReader(filepath.Join(w.dir, "made.tfplan"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer plan.Close()
	for _, files := range []fs.FS{os.DirFS(w.dir), plan} {
		err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				found[path], err = fs.ReadFile(files, path)
			}
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	for name, content := range found {
		for _, text := range texts {
			if bytes.Contains(content, []byte(text)) {
				w.t.Errorf("%s has %q:\n%s", name, text, content)
			}
		}
	}
}
