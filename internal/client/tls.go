package client

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
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

// tlsConfigs returns a configuration without the client certificate, and one with it, which is nil if there is none.
func tlsConfigs(settings TLS) (without, with *tls.Config, err error) {
	without = &tls.Config{
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"http/1.1"}, // a server without HTTP/1.1 then fails the handshake with a clear error
		InsecureSkipVerify: settings.Insecure,    //nolint:gosec // set by the user, who gets a warning
	}
	if settings.CACertPEM != "" {
		if without.RootCAs, err = x509.SystemCertPool(); err != nil {
			return nil, nil, fmt.Errorf("loading the system's certificate authorities: %w", err)
		}
		if err := addCACerts(without.RootCAs, settings.CACertPEM); err != nil {
			return nil, nil, fmt.Errorf("the CA certificates: %w", err)
		}
	}
	answerCertificateRequest(without, &tls.Certificate{}) // sends none, but records that the server asked for one
	if settings.ClientCertPEM == "" && settings.ClientKeyPEM == "" {
		return without, nil, nil
	}
	certificate, err := ParseClientCert(settings.ClientCertPEM, settings.ClientKeyPEM)
	if err != nil {
		return nil, nil, err
	}
	with = without.Clone()
	answerCertificateRequest(with, &certificate)
	return without, with, nil
}

// answerCertificateRequest sets the certificate to send if a server asks for one. The trace records that it asked.
func answerCertificateRequest(config *tls.Config, certificate *tls.Certificate) {
	config.GetClientCertificate = func(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		traceOf(info.Context()).wantCertificate()
		return certificate, nil
	}
}

// CheckCACerts returns an error if text has no certificate in PEM form, or an invalid block. It does not load the
// system's certificates, which is slow.
func CheckCACerts(text string) error { return addCACerts(x509.NewCertPool(), text) }

// addCACerts adds PEM certificates to a pool. Unlike AppendCertsFromPEM, it returns an error for an invalid block.
func addCACerts(pool *x509.CertPool, text string) error {
	begin := []byte("-----BEGIN ")
	_, rest, found := bytes.Cut([]byte(text), begin)
	hasCertificate := false
	for number := 1; found; number++ {
		var body []byte
		body, rest, found = bytes.Cut(rest, begin)
		block, _ := pem.Decode(append(bytes.Clone(begin), body...))
		if block == nil {
			return fmt.Errorf("block %d is not valid PEM: it may be cut short, indented or changed by an editor", number)
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return fmt.Errorf("block %d is not a valid certificate: %s", number, goText(err))
		}
		pool.AddCert(certificate)
		hasCertificate = true
	}
	if !hasCertificate {
		return errors.New(`there is no certificate in PEM form (a block that begins with "-----BEGIN CERTIFICATE-----")`)
	}
	return nil
}

// ParseClientCert parses a PEM certificate and its key. The error contains neither.
func ParseClientCert(certPEM, keyPEM string) (tls.Certificate, error) {
	certificate, err := tls.X509KeyPair([]byte(certPEM), []byte(keyPEM))
	if err != nil {
		reason := strings.TrimPrefix(goText(err), tlsPrefix)
		return tls.Certificate{}, fmt.Errorf("the client certificate and key cannot be used: %s", reason)
	}
	return certificate, nil
}
