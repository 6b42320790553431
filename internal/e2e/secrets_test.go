package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestAccRefusedSecretsAreNotPrinted: Terraform prints the lines of the configuration that an attribute at fault stands
// on, here those of a secret in the wrong place.
func TestAccRefusedSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	server := instancetest.New(t, instancetest.WithTLS())
	cert, key := server.ClientCertPEM(), server.ClientKeyPEM()
	keyLine := strings.Split(key, "\n")[1]
	heredoc := func(text string) string { return "<<-EOT\n" + text + "EOT\n" }
	const invalidTLS = "Invalid TLS configuration"
	providers := []struct{ says, arguments string }{
		{"Client certificate without its key", "client_cert_pem = " + heredoc(cert+key)},
		{invalidTLS, "client_cert_pem = " + heredoc(key) + "client_key_pem = " + heredoc(cert)},
		{invalidTLS, "client_cert_pem = " + heredoc(server.CACertPEM()) + "client_key_pem = " + heredoc(key)},
		{"Client key without its certificate", "client_key_pem = " + heredoc(key)},
		{"Invalid CA certificates", "ca_cert_pem = " + heredoc(key)},
		{"Invalid base URL", "base_url = \"https://me:" + keyLine + "@files.example.org\"\n"},
		{"Invalid request header", "request_headers = {\n\"X-Key\" = " + heredoc(keyLine+"\n") + "}\n"},
	}
	configuration, want := "", map[string]int{}
	for i, provider := range providers {
		configuration += fmt.Sprintf(`
provider "filetransfer" {
  alias = "p%[1]d"
%[2]s}

data "filetransfer_instance" "d%[1]d" {
  provider = filetransfer.p%[1]d
  base_url = "https://files.example.org"
}
`, i, provider.arguments)
		want["Error: "+provider.says]++
	}
	w := newWorkspace(t, cli, configuration)
	got := w.run(t, w.dir, nil, "validate", "-no-color").String()
	for says, times := range want {
		if n := strings.Count(got, says); n != times {
			t.Errorf("%d errors %q, want %d: %s", n, says, times, got)
		}
	}
	if n := strings.Count(got, "Error: "); n != len(providers) {
		t.Errorf("%d errors, want %d: %s", n, len(providers), got)
	}
	if strings.Contains(got, keyLine) {
		t.Errorf("a secret shows: %s", got)
	}
}
