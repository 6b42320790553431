package instancetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"sync"
	"time"
)

// ProxiedHost is a name that certificates cover. It resolves nowhere, so only a [Proxy] reaches an instance by it.
const ProxiedHost = "filetransfer.example"

// Certificate is the kind of certificate an instance shows.
type Certificate int

// The kinds of certificate. All but the self-signed one come from the CA of [Server.CACertPEM].
const (
	CertificateValid      Certificate = iota // for 127.0.0.1, ::1, localhost and [ProxiedHost]
	CertificateExpired                       // ended an hour ago
	CertificateSelfSigned                    // comes from no CA
	CertificateOfExpired                     // valid, but its intermediate authority ended an hour ago
)

// authority is the process's one CA with what it signed.
type authority struct {
	caPEM, clientCertPEM, clientKeyPEM string
	pool                               *x509.CertPool
	leaves                             map[Certificate]tls.Certificate
}

// certificates are made once a process, at run time: nothing that could expire is committed, and no test pays twice.
var certificates = sync.OnceValue(func() *authority {
	now := time.Now()
	ca := func(serial int64, name string) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
			NotBefore: now.AddDate(0, 0, -7), NotAfter: now.AddDate(0, 0, 7),
			KeyUsage: x509.KeyUsageCertSign, BasicConstraintsValid: true, IsCA: true,
		}
	}
	signer := issue(ca(1, "instancetest CA"), nil)
	leaf := func(serial int64) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "instancetest"},
			NotBefore: now.AddDate(0, 0, -2), NotAfter: now.AddDate(0, 0, 2),
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
			DNSNames:    []string{"localhost", ProxiedHost},
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		}
	}
	expired := leaf(3)
	expired.NotAfter = now.Add(-time.Hour)
	expiredCA := ca(8, "instancetest expired CA")
	expiredCA.NotAfter = now.Add(-time.Hour)
	intermediate := issue(expiredCA, &signer)
	ofExpired := issue(leaf(10), &intermediate)
	ofExpired.Certificate = append(ofExpired.Certificate, intermediate.Certificate...)
	clientLeaf := leaf(6)
	clientLeaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	client := issue(clientLeaf, &signer)

	pool := x509.NewCertPool()
	pool.AddCert(signer.Leaf)
	return &authority{
		caPEM:         encodePEM("CERTIFICATE", signer.Leaf.Raw),
		clientCertPEM: encodePEM("CERTIFICATE", client.Leaf.Raw),
		clientKeyPEM:  encodePEM("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(client.PrivateKey))),
		pool:          pool,
		leaves: map[Certificate]tls.Certificate{
			CertificateValid:      issue(leaf(2), &signer),
			CertificateExpired:    issue(expired, &signer),
			CertificateSelfSigned: issue(leaf(5), nil),
			CertificateOfExpired:  ofExpired,
		},
	}
})

// serverTLS is the configuration of a server that shows a certificate of the kind, and asks clients for theirs or not.
func serverTLS(kind Certificate, clientAuth tls.ClientAuthType) *tls.Config {
	a := certificates()
	config := &tls.Config{Certificates: []tls.Certificate{a.leaves[kind]}, ClientAuth: clientAuth}
	if clientAuth == tls.RequireAndVerifyClientCert {
		config.ClientCAs = a.pool
	}
	return config
}

// issue makes a key and a certificate for it, signed by the signer or, without one, by itself.
func issue(template *x509.Certificate, signer *tls.Certificate) tls.Certificate {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	parent, parentKey := template, any(key)
	if signer != nil {
		parent, parentKey = signer.Leaf, signer.PrivateKey
	}
	der := must(x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: must(x509.ParseCertificate(der))}
}

// must panics if making a certificate fails, which only a fault of this file causes.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func encodePEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
