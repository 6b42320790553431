package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"
)

// TLS holds the TLS settings of a client. The zero value trusts the CAs of the system. A byte order mark before a PEM text is ignored.
type TLS struct {
	CACertPEM                   string // certificates of CAs that are trusted in addition to the system's
	ClientCertPEM, ClientKeyPEM string // for mutual TLS; set both or neither
	Insecure                    bool   // whether to accept any certificate of an instance; that of an https proxy is always verified
}

// tlsConfigs are the configurations for handshakes with the origin of the base URL, with other origins, and with an https proxy. Only the
// first has the client certificate. The last ignores Insecure, because an impostor would get the password of the proxy.
type tlsConfigs struct{ own, other, proxy *tls.Config }

func newTLSConfigs(settings TLS) (configs tlsConfigs, err error) {
	configs.proxy = &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"}, // so that a server without HTTP/1.1 fails the handshake
	}
	if settings.CACertPEM != "" {
		pool, err := x509.SystemCertPool()
		if err != nil { // then the user's CAs alone count
			pool = x509.NewCertPool()
		}
		if usable, _ := addCACerts(pool, settings.CACertPEM); usable == 0 {
			return tlsConfigs{}, errors.New("there is no certificate of a CA in PEM form")
		}
		configs.proxy.RootCAs = pool
	}
	configs.other = configs.proxy.Clone()
	configs.other.InsecureSkipVerify = settings.Insecure
	configs.own = configs.other
	if settings.ClientCertPEM == "" && settings.ClientKeyPEM == "" {
		return configs, nil
	}
	certificate, err := ParseKeyPair(settings.ClientCertPEM, settings.ClientKeyPEM)
	if err != nil {
		return tlsConfigs{}, err
	}
	configs.own = configs.other.Clone()
	// With Certificates, Go would send none if the server lists other CAs, and the server's error would be misleading.
	configs.own.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		return &certificate, nil
	}
	return configs, nil
}

// ParseKeyPair parses a certificate and its private key, both in PEM form.
func ParseKeyPair(certPEM, keyPEM string) (tls.Certificate, error) {
	const byteOrderMark = "\uFEFF"
	return tls.X509KeyPair([]byte(strings.TrimPrefix(certPEM, byteOrderMark)), []byte(strings.TrimPrefix(keyPEM, byteOrderMark)))
}

// CountCACerts returns how many blocks of a PEM text are certificates that Go can use, and the number of all blocks.
func CountCACerts(text string) (usable, total int) { return addCACerts(x509.NewCertPool(), text) }

// addCACerts adds certificates to a pool, and counts them. It adds each block by itself, because [x509.CertPool.AppendCertsFromPEM] does
// not say what it left out.
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

// shakeHands makes a TLS handshake with the server at a host and port.
func shakeHands(ctx context.Context, connection net.Conn, config *tls.Config, hostPort string) (net.Conn, error) {
	config = config.Clone()
	host, _, _ := net.SplitHostPort(hostPort)        // which is always one
	config.ServerName, _, _ = strings.Cut(host, "%") // no certificate has the zone of an IPv6 address
	secured := tls.Client(connection, config)
	err := secured.HandshakeContext(ctx)
	if record, ok := firstRecord(err); ok && string(record.RecordHeader[:]) == "HTTP/" { // as in http.Client
		return nil, http.ErrSchemeMismatch
	}
	if err != nil {
		return nil, err
	}
	return secured, nil
}

// firstRecord returns the error of a handshake in which the first bytes of the server were not TLS. A later record has no Conn.
func firstRecord(err error) (tls.RecordHeaderError, bool) {
	record, ok := errors.AsType[tls.RecordHeaderError](err)
	return record, ok && record.Conn != nil
}
