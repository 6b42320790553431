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
		"CA changed":          {client.TLS{CACertPEM: "# ours\n" + changed}, "block 1 is not a certificate that Go accepts"},
		"fault after a key":   {client.TLS{CACertPEM: key + changed}, "block 2 is not a certificate that Go accepts: "},
		"CA indented":         {client.TLS{CACertPEM: indented}, "block 1 is not valid PEM"},
		"trusted certificate": {client.TLS{CACertPEM: strings.ReplaceAll(ca, "CERTIFICATE", "TRUSTED CERTIFICATE")}, "block 1 is a TRUSTED CERTIFICATE"},
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

// A bundle may have a root that Go rejects. It matters to a read whose certificate is not trusted.
func TestCACertsThatCannotBeUsedAreLeftOut(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithTLS())
	ca := server.CACertPEM()
	changed := strings.Replace(ca, "\nMII", "\nMIX", 1)
	config := newConfig()
	config.TLS.CACertPEM = changed + ca
	mustRead(t, newClient(t, config), newRequest(t, server.URL()))
	config.TLS.CACertPEM = server.ClientCertPEM() + changed
	failure := readError(t, newClient(t, config), newRequest(t, server.URL())).Failure
	check(t, "Kind", failure.Kind, client.KindCertificate)
	check(t, "CACertsLeftOut", failure.CACertsLeftOut, true)
	proxy := instancetest.NewProxy(t, instancetest.WithProxyCertificate(instancetest.CertificateValid)).URL()
	failure = readError(t, newClient(t, config, "HTTPS_PROXY="+proxy), newRequest(t, proxiedHTTPS)).Failure
	check(t, "CACertsLeftOut, of a proxy", failure.CACertsLeftOut, true)
	checkContains(t, "Reason", failure.Reason, "unknown authority; left out of the CA certificates: block 2 is not a certificate that Go accepts: ")
}

// The system's certificates are read once in a process. So the test runs itself in other processes, in which the system trusts an
// authority, none, or a file that cannot be read.
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
	if problem := os.Getenv(again); problem != "" {
		ofArgument, trusting, alone := instancetest.New(t, instancetest.WithTLS()), newConfig(), newConfig()
		alone.TLS = client.TLS{}
		mustRead(t, newClient(t, trusting), newRequest(t, ofArgument.URL()))
		for name, config := range map[string]client.Config{"ca_cert_pem": trusting, "no ca_cert_pem": alone} {
			if problem == "none" {
				mustRead(t, newClient(t, config), newRequest(t, ofSystem.URL))
				continue
			}
			failure := readError(t, newClient(t, config), newRequest(t, ofSystem.URL)).Failure
			check(t, name+": SystemCAsMissing", failure.SystemCAsMissing, true)
			checkContains(t, name+": Reason", failure.Reason, problem)
		}
		return
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "system.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ofSystem.Certificate().Raw})
	if err := os.WriteFile(file, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	for problem, file := range map[string]string{
		"none": file,
		"this machine has no CA certificates of the system":                             filepath.Join(folder, "none"),
		"the system's CA certificates could not be loaded: read " + folder + ": is a d": folder,
	} {
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		command.Env = append(os.Environ(), again+"="+problem, "SSL_CERT_FILE="+file, "SSL_CERT_DIR="+t.TempDir())
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v:\n%s", problem, err, output)
		}
	}
}
