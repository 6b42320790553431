package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
)

// TLS holds the TLS settings of a client. The zero value trusts the authorities of the system.
type TLS struct {
	// CACertPEM holds certificates of authorities that are trusted in addition to the system's.
	CACertPEM string
	// ClientCertPEM and ClientKeyPEM are for mutual TLS. Set both or neither.
	ClientCertPEM, ClientKeyPEM string
	// Insecure skips the verification of certificates.
	Insecure bool
}

// tlsConfigs are a configuration without the client certificate, and one with it, which is nil if there is none.
type tlsConfigs struct{ plain, withCertificate *tls.Config }

func newTLSConfigs(settings TLS) (configs tlsConfigs, err error) {
	configs.plain = &tls.Config{
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"http/1.1"}, // so that a server without HTTP/1.1 fails the handshake
		InsecureSkipVerify: settings.Insecure,    //nolint:gosec // the user has set it, and gets a warning
	}
	if settings.CACertPEM != "" {
		pool, err := x509.SystemCertPool()
		if err != nil { // then the user's authorities alone count
			pool = x509.NewCertPool()
		}
		if usable, _ := addCACerts(pool, settings.CACertPEM); usable == 0 {
			return tlsConfigs{}, errors.New("there is no certificate of an authority in PEM form")
		}
		configs.plain.RootCAs = pool
	}
	if settings.ClientCertPEM == "" && settings.ClientKeyPEM == "" {
		return configs, nil
	}
	certificate, err := tls.X509KeyPair([]byte(settings.ClientCertPEM), []byte(settings.ClientKeyPEM))
	if err != nil {
		return tlsConfigs{}, err
	}
	configs.withCertificate = configs.plain.Clone()
	configs.withCertificate.Renegotiation = tls.RenegotiateOnceAsClient // some servers ask for a certificate that way
	// With Certificates, Go would send none if the server lists other authorities, and the server's error would be misleading.
	configs.withCertificate.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		return &certificate, nil
	}
	return configs, nil
}

// CountCACerts returns how many blocks of a PEM text are certificates that Go can use, and the number of all blocks.
func CountCACerts(text string) (usable, total int) { return addCACerts(x509.NewCertPool(), text) }

// addCACerts adds certificates to a pool, and counts them. It adds each block by itself, because
// [x509.CertPool.AppendCertsFromPEM] does not say what it left out.
func addCACerts(pool *x509.CertPool, text string) (usable, total int) {
	const begin = "-----BEGIN "
	for _, block := range strings.Split(text, begin)[1:] {
		total++
		if pool.AppendCertsFromPEM([]byte(begin + block)) {
			usable++
		}
	}
	return usable, total
}
