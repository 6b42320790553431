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

// ProxiedHost is a name that the valid certificate covers. It resolves nowhere, so only a [Proxy] reaches an instance by it.
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
	// CertificateUnfit covers the same names, but is for clients.
	CertificateUnfit
	// CertificateForAddresses covers 127.0.0.2 and no name.
	CertificateForAddresses
	// CertificateOfExpired is valid, and signed by an intermediate authority that ended an hour ago.
	CertificateOfExpired
	// CertificateOfConstrained is valid, and signed by an intermediate authority that may sign for other names only.
	CertificateOfConstrained
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
			SerialNumber:          big.NewInt(serial),
			Subject:               pkix.Name{CommonName: name},
			NotBefore:             now.AddDate(0, 0, -7),
			NotAfter:              now.AddDate(0, 0, 7),
			KeyUsage:              x509.KeyUsageCertSign,
			BasicConstraintsValid: true,
			IsCA:                  true,
		}
	}
	signer := issue(ca(1, "instancetest CA"), nil)
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
	addresses := leaf(7)
	addresses.DNSNames, addresses.IPAddresses = nil, []net.IP{net.IPv4(127, 0, 0, 2)}
	expiredCA := ca(8, "instancetest expired CA")
	expiredCA.NotAfter = now.Add(-time.Hour)
	constrainedCA := ca(9, "instancetest constrained CA")
	constrainedCA.PermittedDNSDomainsCritical, constrainedCA.PermittedDNSDomains = true, []string{"elsewhere.example"}
	below := func(authority *x509.Certificate) tls.Certificate {
		intermediate := issue(authority, &signer)
		chain := issue(leaf(10), &intermediate)
		chain.Certificate = append(chain.Certificate, intermediate.Certificate...)
		return chain
	}
	clientLeaf := leaf(6)
	clientLeaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	client := issue(clientLeaf, &signer)

	a := &authority{
		caPEM:         encodePEM("CERTIFICATE", signer.Leaf.Raw),
		clientCertPEM: encodePEM("CERTIFICATE", client.Leaf.Raw),
		clientKeyPEM:  encodePEM("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(client.PrivateKey))),
		pool:          x509.NewCertPool(),
		leaves: map[Certificate]tls.Certificate{
			CertificateValid:         issue(leaf(2), &signer),
			CertificateExpired:       issue(expired, &signer),
			CertificateWrongHost:     issue(wrongHost, &signer),
			CertificateSelfSigned:    issue(leaf(5), nil),
			CertificateUnfit:         client,
			CertificateForAddresses:  issue(addresses, &signer),
			CertificateOfExpired:     below(expiredCA),
			CertificateOfConstrained: below(constrainedCA),
		},
	}
	a.pool.AddCert(signer.Leaf)
	return a
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

// must panics if making a certificate fails, which only a fault of this file can cause.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func encodePEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
