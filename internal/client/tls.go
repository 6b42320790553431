package client

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// TLS holds the TLS settings of a client. The zero value trusts the system's certificate authorities.
type TLS struct {
	// CACertPEM holds CA certificates to trust in addition to the system's.
	CACertPEM string
	// ClientCertPEM and ClientKeyPEM are for mutual TLS. Set both or neither.
	ClientCertPEM, ClientKeyPEM string
	// Insecure skips the verification of certificates.
	Insecure bool
}

// tlsConfigs returns a configuration without the client certificate, one with it or nil, and what addCACerts left out.
func tlsConfigs(settings TLS) (without, with *tls.Config, leftOut []string, err error) {
	without = &tls.Config{
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"http/1.1"}, // a server without HTTP/1.1 then fails the handshake with a clear error
		InsecureSkipVerify: settings.Insecure,    //nolint:gosec // set by the user, who gets a warning
	}
	if settings.CACertPEM != "" {
		if without.RootCAs, err = x509.SystemCertPool(); err != nil { // see addMissingAuthorities
			without.RootCAs = x509.NewCertPool()
		}
		if leftOut, err = addCACerts(without.RootCAs, settings.CACertPEM); err != nil {
			return nil, nil, nil, fmt.Errorf("the CA certificates: %w", err)
		}
	}
	answerCertificateRequest(without, &tls.Certificate{}) // sends none, but records that the server asked for one
	if settings.ClientCertPEM == "" && settings.ClientKeyPEM == "" {
		return without, nil, leftOut, nil
	}
	certificate, err := ParseClientCert(settings.ClientCertPEM, settings.ClientKeyPEM)
	if err != nil {
		return nil, nil, nil, err
	}
	with = without.Clone()
	with.Renegotiation = tls.RenegotiateOnceAsClient // IIS asks for the certificate that way
	answerCertificateRequest(with, &certificate)
	return without, with, leftOut, nil
}

// answerCertificateRequest sets the certificate to send if a server asks for one. The trace records that it asked.
func answerCertificateRequest(config *tls.Config, certificate *tls.Certificate) {
	config.GetClientCertificate = func(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		traceOf(info.Context()).wantCertificate()
		return certificate, nil
	}
}

// CheckCACerts returns an error if text has no PEM certificate that can be used. It does not load the system's.
func CheckCACerts(text string) error {
	_, err := addCACerts(x509.NewCertPool(), text)
	return err
}

// addCACerts adds PEM certificates to a pool, and returns which blocks it left out, and why: a bundle may have a root
// that Go rejects. Returns an error if no certificate is left.
func addCACerts(pool *x509.CertPool, text string) (leftOut []string, err error) {
	const begin = "-----BEGIN "
	blocks := strings.Split(text, begin)[1:]
	for i, body := range blocks {
		problem := ""
		if block, _ := pem.Decode([]byte(begin + body)); block == nil {
			problem = "is not valid PEM: it may be cut short, indented or changed by an editor"
		} else if block.Type != "CERTIFICATE" {
			problem = "is a " + block.Type
		} else if certificate, err := x509.ParseCertificate(block.Bytes); err != nil {
			problem = "is not a certificate that Go accepts: " + goText(err)
		} else {
			pool.AddCert(certificate)
			continue
		}
		leftOut = append(leftOut, fmt.Sprintf("block %d %s", i+1, problem))
	}
	if len(leftOut) == len(blocks) {
		const none = `there is no certificate in PEM form (a block that begins with "-----BEGIN CERTIFICATE-----")`
		return nil, errors.New(safetext.Line(strings.Join(append([]string{none}, leftOut...), "; "), reasonLimit))
	}
	return leftOut, nil
}

// addMissingAuthorities adds to the reason which CA certificates were left out, and why the system's are missing.
func (f *Failure) addMissingAuthorities(leftOut []string) {
	if f.CACertsLeftOut = len(leftOut) > 0; f.CACertsLeftOut {
		f.Reason += "; left out of the CA certificates: " + safetext.Line(strings.Join(leftOut, "; "), reasonLimit)
	}
	pool, err := x509.SystemCertPool()
	f.SystemCAsMissing = err != nil || pool.Equal(x509.NewCertPool())
	switch {
	case err != nil:
		f.Reason += "; the system's CA certificates could not be loaded: " + safetext.Line(err.Error(), reasonLimit)
	case f.SystemCAsMissing:
		f.Reason += "; this machine has no CA certificates of the system"
	}
}

// ParseClientCert parses a PEM certificate and its key. The error contains neither.
func ParseClientCert(certPEM, keyPEM string) (tls.Certificate, error) {
	unmark := strings.NewReplacer("\ufeff", "") // a byte order mark
	certificate, err := tls.X509KeyPair([]byte(unmark.Replace(certPEM)), []byte(unmark.Replace(keyPEM)))
	if err != nil {
		reason := strings.TrimPrefix(goText(err), tlsPrefix)
		return tls.Certificate{}, fmt.Errorf("the client certificate and key cannot be used: %s", reason)
	}
	return certificate, nil
}
