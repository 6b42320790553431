package e2e_test

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestAccCACertsAreTrustedInAdditionToTheSystems: through the CLI, as the system's certificates are read once a process.
func TestAccCACertsAreTrustedInAdditionToTheSystems(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("crypto/x509 reads SSL_CERT_FILE on Unix systems other than macOS only, and Linux stands for them")
	}
	built := acceptance(t)
	// All instances of instancetest are of one authority; this one is of another.
	ofSystem := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, instancetest.Older().JSON())
	}))
	t.Cleanup(ofSystem.Close)
	ofArgument := instancetest.New(t, instancetest.WithTLS())

	file := filepath.Join(t.TempDir(), "system.pem")
	write(t, file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ofSystem.Certificate().Raw})))
	trusting := cli{built.CLI, slices.Concat(built.env, []string{"SSL_CERT_FILE=" + file, "SSL_CERT_DIR=" + t.TempDir()})}

	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.tf"), fmt.Sprintf(`
terraform {
  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}

provider "filetransfer" {
  ca_cert_pem = %q
}

data "filetransfer_instance" "of_system" {
  base_url = %q
}

data "filetransfer_instance" "of_argument" {
  base_url = %q
}

output "versions" {
  value = "${data.filetransfer_instance.of_system.api_version} and ${data.filetransfer_instance.of_argument.api_version}"
}
`, ofArgument.CACertPEM(), ofSystem.URL, ofArgument.URL()))
	plan := string(trusting.mustRun(t, dir, "plan", "-input=false", "-no-color"))
	if want := `+ versions = "1.3.2 and 2.1.5"`; !strings.Contains(plan, want) {
		t.Errorf("the plan has no %s:\n%s", want, plan)
	}
}
