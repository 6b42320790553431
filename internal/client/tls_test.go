package client_test

import (
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestTLSMaterialIsRefusedByItsFaultAndWithoutItsKey(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	ca, cert, key := server.CACertPEM(), server.ClientCertPEM(), server.ClientKeyPEM()
	const noPair = "the client certificate and key cannot be used: "
	indented := strings.ReplaceAll(ca, "\n", "\n  ")
	tests := map[string]struct {
		tls   client.TLS
		words string
	}{
		"CA not PEM":          {client.TLS{CACertPEM: "/etc/ssl/ca.pem"}, "there is no certificate in PEM form"},
		"CA is a key":         {client.TLS{CACertPEM: key}, "there is no certificate in PEM form"},
		"CA cut short":        {client.TLS{CACertPEM: ca[:len(ca)/2]}, "block 1 is not valid PEM"},
		"second CA cut short": {client.TLS{CACertPEM: ca + ca[:len(ca)/2]}, "block 2 is not valid PEM"},
		"CA changed":          {client.TLS{CACertPEM: "# ours\n" + ca + ca + strings.Replace(ca, "\nMII", "\nMIX", 1)}, "block 3 is not a valid certificate"},
		"CA indented":         {client.TLS{CACertPEM: ca + indented}, "block 2 is not valid PEM"},
		"certificate only":    {client.TLS{ClientCertPEM: cert}, noPair},
		"key only":            {client.TLS{ClientKeyPEM: key}, noPair},
		"swapped":             {client.TLS{ClientCertPEM: key, ClientKeyPEM: cert}, noPair},
		"key of another":      {client.TLS{ClientCertPEM: ca, ClientKeyPEM: key}, noPair + "private key does not match public key"},
		"key that is no PEM":  {client.TLS{ClientCertPEM: cert, ClientKeyPEM: "s3cret"}, noPair},
		"key that is garbage": {client.TLS{ClientCertPEM: cert, ClientKeyPEM: "-----BEGIN PRIVATE KEY-----\nczNjcmV0\n-----END PRIVATE KEY-----\n"}, noPair},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client.New(client.Config{TLS: test.tls})
			if err == nil {
				t.Fatal("accepted")
			}
			mustSay(t, err.Error(), test.words)
			mustBePrintable(t, err.Error())
			for _, unwanted := range []string{strings.Split(key, "\n")[1], "s3cret", "czNjcmV0", "tls: ", "x509: "} {
				if strings.Contains(err.Error(), unwanted) {
					t.Errorf("%q repeats %q", err, unwanted)
				}
			}
			if test.tls.CACertPEM != "" {
				if checked := client.CheckCACerts(test.tls.CACertPEM); checked == nil || !strings.HasSuffix(err.Error(), checked.Error()) {
					t.Errorf("the check says %v, the client %v", checked, err)
				}
			}
		})
	}
	if err := client.CheckCACerts(ca + key + cert); err != nil {
		t.Errorf("%v", err)
	}
}
