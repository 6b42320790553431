package client_test

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestTLSMaterialIsRefusedByItsFaultAndWithoutItsKey(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	ca, cert, key := server.CACertPEM(), server.ClientCertPEM(), server.ClientKeyPEM()
	const noPair = "the client certificate and key cannot be used: "
	const garbage = "-----BEGIN PRIVATE KEY-----\nczNjcmV0\n-----END PRIVATE KEY-----\n"
	indented, changed := strings.ReplaceAll(ca, "\n", "\n  "), strings.Replace(ca, "\nMII", "\nMIX", 1)
	tests := map[string]struct {
		tls   client.TLS
		words string
	}{
		"CA not PEM":          {client.TLS{CACertPEM: "/etc/ssl/ca.pem"}, "there is no certificate in PEM form"},
		"CA is a key":         {client.TLS{CACertPEM: key}, "there is no certificate in PEM form"},
		"CA cut short":        {client.TLS{CACertPEM: ca[:len(ca)/2]}, "block 1 is not valid PEM"},
		"second CA cut short": {client.TLS{CACertPEM: ca + ca[:len(ca)/2]}, "block 2 is not valid PEM"},
		"CA changed":          {client.TLS{CACertPEM: "# ours\n" + ca + ca + changed}, "block 3 is not a valid certificate"},
		"fault after a key":   {client.TLS{CACertPEM: ca + key + changed}, "block 3 is not a valid certificate"},
		"CA indented":         {client.TLS{CACertPEM: ca + indented}, "block 2 is not valid PEM"},
		"certificate only":    {client.TLS{ClientCertPEM: cert}, noPair},
		"key only":            {client.TLS{ClientKeyPEM: key}, noPair},
		"swapped":             {client.TLS{ClientCertPEM: key, ClientKeyPEM: cert}, noPair},
		"key of another":      {client.TLS{ClientCertPEM: ca, ClientKeyPEM: key}, noPair + "private key does not match public key"},
		"key that is no PEM":  {client.TLS{ClientCertPEM: cert, ClientKeyPEM: "s3cret"}, noPair},
		"key that is garbage": {client.TLS{ClientCertPEM: cert, ClientKeyPEM: garbage}, noPair},
	}
	for name, test := range tests {
		_, err := client.New(client.Config{TLS: test.tls})
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		checkContains(t, name+": error", err.Error(), test.words)
		checkText(t, err.Error())
		for _, unwanted := range []string{strings.Split(key, "\n")[1], "czNjcmV0", "tls: ", "x509: "} {
			if strings.Contains(err.Error(), unwanted) {
				t.Errorf("%s: %q repeats %q", name, err, unwanted)
			}
		}
		if test.tls.CACertPEM != "" {
			if checked := client.CheckCACerts(test.tls.CACertPEM); checked == nil || !strings.HasSuffix(err.Error(), checked.Error()) {
				t.Errorf("%s: the check says %v, the client %v", name, checked, err)
			}
		}
	}
	if err := client.CheckCACerts(ca + key + cert); err != nil {
		t.Errorf("certificates around a key: error %v, want none", err)
	}
}

func TestServersWithTLS12AreRead(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, instancetest.Older().JSON())
	}))
	server.TLS = &tls.Config{MaxVersion: tls.VersionTLS12}
	server.StartTLS()
	defer server.Close()
	config := newConfig()
	config.TLS = client.TLS{Insecure: true}
	mustRead(t, newClient(t, config), newRequest(t, server.URL))
}

// The system's certificates are read once in a process. So the test runs itself in another process, in which the system trusts an authority.
func TestCACertsAreTrustedInAdditionToTheSystems(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("crypto/x509 reads SSL_CERT_FILE on Unix systems other than macOS only, and Linux stands for them")
	}
	// All instances of instancetest are of one authority; this one is of another, which is the same in every process.
	ofSystem := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, instancetest.Older().JSON())
	}))
	t.Cleanup(ofSystem.Close)
	const again = "FILETRANSFER_TEST_SYSTEM_CERTS"
	if os.Getenv(again) != "" {
		ofArgument := instancetest.New(t, instancetest.WithTLS())
		c := newClient(t, newConfig())
		mustRead(t, c, newRequest(t, ofArgument.URL()))
		mustRead(t, c, newRequest(t, ofSystem.URL))
		return
	}
	file := filepath.Join(t.TempDir(), "system.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ofSystem.Certificate().Raw})
	if err := os.WriteFile(file, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), again+"=1", "SSL_CERT_FILE="+file, "SSL_CERT_DIR="+t.TempDir())
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, output)
	}
}
