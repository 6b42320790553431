package instancetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"sync"
	"time"
)

// ProxiedHost is a name the valid certificate covers besides the loopback ones. It resolves nowhere (RFC 2606), so an
// instance is reached under it only through a [Proxy]; Go never uses a proxy from the environment for loopback hosts.
const ProxiedHost = "filetransfer.example"

// Certificate is the kind of certificate an instance shows.
type Certificate int

// The kinds of certificate. All but the self-signed one are signed by the CA of [Server.CACertPEM].
const (
	// CertificateValid covers 127.0.0.1, ::1, localhost and [ProxiedHost].
	CertificateValid Certificate = iota
	// CertificateExpired covers the same names and ended an hour ago.
	CertificateExpired
	// CertificateWrongHost is valid, for another host.
	CertificateWrongHost
	// CertificateSelfSigned covers the names of the valid one but comes from no CA.
	CertificateSelfSigned
)

// authority is the process's one CA with what it signed.
type authority struct {
	caPEM, clientCertPEM, clientKeyPEM string
	pool                               *x509.CertPool
	leaves                             map[Certificate]tls.Certificate
}

// certificates are made once a process, at run time: nothing that could expire is committed, and no test pays twice.
var certificates = sync.OnceValues(newAuthority)

func newAuthority() (*authority, error) {
	now := time.Now()
	ca := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "instancetest CA"},
		NotBefore:             now.AddDate(0, 0, -7),
		NotAfter:              now.AddDate(0, 0, 7),
		KeyUsage:              x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	signer, err := issue(ca, nil)
	if err != nil {
		return nil, err
	}
	ca = signer.Leaf

	leaf := func(serial int64) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(serial),
			Subject:      pkix.Name{CommonName: "instancetest"},
			NotBefore:    now.AddDate(0, 0, -2),
			NotAfter:     now.AddDate(0, 0, 2),
			KeyUsage:     x509.KeyUsageDigitalSignature,
			ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
			DNSNames:     []string{"localhost", ProxiedHost},
			IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		}
	}
	expired := leaf(3)
	expired.NotAfter = now.Add(-time.Hour)
	wrongHost := leaf(4)
	wrongHost.DNSNames, wrongHost.IPAddresses = []string{"elsewhere.example"}, nil
	client := leaf(6)
	client.Subject.CommonName = "instancetest client"
	client.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	client.DNSNames, client.IPAddresses = nil, nil

	a := &authority{
		caPEM:  certPEM(ca),
		pool:   x509.NewCertPool(),
		leaves: make(map[Certificate]tls.Certificate),
	}
	a.pool.AddCert(ca)
	for kind, template := range map[Certificate]*x509.Certificate{
		CertificateValid:     leaf(2),
		CertificateExpired:   expired,
		CertificateWrongHost: wrongHost,
	} {
		if a.leaves[kind], err = issue(template, &signer); err != nil {
			return nil, err
		}
	}
	if a.leaves[CertificateSelfSigned], err = issue(leaf(5), nil); err != nil {
		return nil, err
	}
	own, err := issue(client, &signer)
	if err != nil {
		return nil, err
	}
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("encoding the client key: %w", err)
	}
	a.clientCertPEM = certPEM(own.Leaf)
	a.clientKeyPEM = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	return a, nil
}

// serverTLS is the configuration of a server that shows a certificate of the kind, and asks clients for theirs or not.
func serverTLS(kind Certificate, clientAuth tls.ClientAuthType) (*tls.Config, error) {
	a, err := certificates()
	if err != nil {
		return nil, err
	}
	config := &tls.Config{Certificates: []tls.Certificate{a.leaves[kind]}, ClientAuth: clientAuth}
	if clientAuth == tls.RequireAndVerifyClientCert {
		config.ClientCAs = a.pool
	}
	return config, nil
}

// issue makes a key and a certificate for it, signed by the signer or, without one, by itself.
func issue(template *x509.Certificate, signer *tls.Certificate) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making a key: %w", err)
	}
	parent, parentKey := template, any(key)
	if signer != nil {
		parent, parentKey = signer.Leaf, signer.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making a certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("reading back a certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, nil
}

func certPEM(cert *x509.Certificate) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}))
}
