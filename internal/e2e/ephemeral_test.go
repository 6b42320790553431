package e2e_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestAccEphemeralArgumentsAreInNoStateAndNoPlan: arguments of the provider block from ephemeral variables. The address of a
// tunnel is another one when the saved plan is applied.
func TestAccEphemeralArgumentsAreInNoStateAndNoPlan(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	cli.need(t, version{1, 10}, version{1, 11}, "an ephemeral variable")
	const token, ephemeral = "hunter2-ephemeral-token", "variable %q {\n  type      = string\n  ephemeral = true\n}\n\n"
	guarded := []instancetest.Option{instancetest.WithClientCertificate(), instancetest.WithRequiredHeader("Authorization", "Bearer "+token)}
	planned, applied := instancetest.New(t, guarded...), instancetest.New(t, guarded...)
	keyLine := strings.Split(planned.ClientKeyPEM(), "\n")[1]
	w := newWorkspace(t, cli, fmt.Sprintf(ephemeral+ephemeral+ephemeral+`
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

output "versions" { value = [data.filetransfer_instance.one.api_version, filetransfer_instance_record.one.api_version] }
`, "connect_to", "token", "client_key_pem", "https://"+instancetest.ProxiedHost, planned.CACertPEM(), planned.ClientCertPEM())).
		with("TF_VAR_token="+token, "TF_VAR_client_key_pem="+planned.ClientKeyPEM())
	w.with("TF_VAR_connect_to=" + planned.Address()).plan()
	shown := w.mustRun(t, w.dir, "show", "-json", "made.tfplan")
	w.with("TF_VAR_connect_to="+applied.Address()).must("apply", "made.tfplan")
	if versions := fmt.Sprint(w.state().Outputs["versions"].Value); versions != "[2.1.5 2.1.5]" {
		t.Fatalf("the instance in the state is %s", versions)
	}
	w.wantNowhere(shown, token, keyLine, planned.Address(), applied.Address())
	w.with("TF_VAR_connect_to=" + planned.Address()).wantNoChanges(nil)
	if requests := applied.Requests(); !slices.ContainsFunc(requests, func(r instancetest.Request) bool { return r.ClientCertificate }) {
		t.Error("the client certificate was not used")
	}
}

// wantNowhere checks that texts are in no file of the workspace, in nothing of the saved plan, and not in the plan as JSON.
func (w *workspace) wantNowhere(planAsJSON []byte, texts ...string) {
	w.t.Helper()
	found := map[string][]byte{"the plan as JSON": planAsJSON}
	plan, err := zip.OpenReader(filepath.Join(w.dir, "made.tfplan"))
	must(w.t, err)
	defer plan.Close()
	for _, files := range []fs.FS{os.DirFS(w.dir), plan} {
		err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				found[path], err = fs.ReadFile(files, path)
			}
			return err
		})
		must(w.t, err)
	}
	for name, content := range found {
		for _, text := range texts {
			if bytes.Contains(content, []byte(text)) {
				w.t.Errorf("%s has %q:\n%s", name, text, content)
			}
		}
	}
}
