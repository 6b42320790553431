package e2e_test

import (
	"path/filepath"
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
	tests := map[string]struct {
		arguments, says string
	}{
		"certificate and key in one text": {"client_cert_pem = " + heredoc(cert+key), "Client certificate without its key"},
		"swapped":                         {"client_cert_pem = " + heredoc(key) + "client_key_pem = " + heredoc(cert), "Invalid TLS configuration"},
		"key of another":                  {"client_cert_pem = " + heredoc(server.CACertPEM()) + "client_key_pem = " + heredoc(key), "Invalid TLS configuration"},
		"key without certificate":         {"client_key_pem = " + heredoc(key), "Client key without its certificate"},
		"key for the CA":                  {"ca_cert_pem = " + heredoc(key), "Invalid CA certificates"},
		"password in the base URL":        {"base_url = \"https://me:" + keyLine + "@files.example.org\"\n", "Invalid base URL"},
		"header with a line break":        {"request_headers = {\n\"X-Key\" = " + heredoc(keyLine+"\n") + "}\n", "Invalid request header"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "main.tf"), requirement+`
provider "filetransfer" {
`+test.arguments+`}

data "filetransfer_instance" "used" {
  base_url = "https://files.example.org"
}
`)
			got := cli.run(t, dir, nil, "validate", "-no-color").String()
			if !strings.Contains(got, "Error: "+test.says) {
				t.Errorf("no error %q: %s", test.says, got)
			}
			if strings.Contains(got, keyLine) {
				t.Errorf("the secret shows: %s", got)
			}
		})
	}
}
