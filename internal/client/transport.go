package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/proxy"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

const maxHead = 16 << 10 // bytes of a response head; parsed, it can take eighteen times as much memory

// tlsConfigs are the configurations for handshakes with the origin of the base URL, with other origins, and with an https proxy. Only the
// first has the client certificate. The last always verifies the certificate: it would otherwise give the password of the proxy to an
// impostor because the certificate of an instance is not verified.
type tlsConfigs struct{ own, other, proxy *tls.Config }

func newTLSConfigs(settings TLS) (configs tlsConfigs, err error) {
	configs.proxy = &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"}, // so that a server without HTTP/1.1 fails the handshake
	}
	if settings.CACertPEM != "" {
		pool, err := x509.SystemCertPool()
		if err != nil { // then the user's authorities alone count
			pool = x509.NewCertPool()
		}
		if usable, _ := addCACerts(pool, settings.CACertPEM); usable == 0 {
			return tlsConfigs{}, errors.New("there is no certificate of an authority in PEM form")
		}
		configs.proxy.RootCAs = pool
	}
	configs.other = configs.proxy.Clone()
	configs.other.InsecureSkipVerify = settings.Insecure
	configs.own = configs.other
	if settings.ClientCertPEM == "" && settings.ClientKeyPEM == "" {
		return configs, nil
	}
	certificate, err := tls.X509KeyPair([]byte(settings.ClientCertPEM), []byte(settings.ClientKeyPEM))
	if err != nil {
		return tlsConfigs{}, err
	}
	configs.own = configs.other.Clone()
	// With Certificates, Go would send none if the server lists other authorities, and the server's error would be misleading.
	configs.own.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		return &certificate, nil
	}
	return configs, nil
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

// tlsConfigFor returns a configuration for a host, which may be an IPv6 address with a zone. No certificate has that zone.
func tlsConfigFor(config *tls.Config, hostPort string) *tls.Config {
	config = config.Clone()
	host, _, _ := net.SplitHostPort(hostPort)
	config.ServerName, _, _ = strings.Cut(host, "%")
	return config
}

// roundTripper returns what sends the request of an exchange, within the context of the attempt. It never keeps a connection for a later
// request. If a server sends one response too many, nothing in HTTP/1.1 tells that from the response to the next request on the connection,
// and one instance would get the values of another.
func (e *exchange) roundTripper(ctx context.Context) http.RoundTripper {
	if e.session.client.config.RoundTripper != nil {
		return e.session.client.config.RoundTripper
	}
	tlsConfig := e.session.client.tls.other
	if e.isOwn {
		tlsConfig = e.session.client.tls.own
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true) // with HTTP/2, a server can hold a request beyond the end of its context
	return &http.Transport{
		Protocols:              &protocols,
		Proxy:                  http.ProxyURL(e.route.httpProxy()),
		OnProxyConnectResponse: checkTunnel,
		// net/http has a context of its own for dials, which does not end with the attempt.
		DialContext: func(_ context.Context, network, hostPort string) (net.Conn, error) {
			return e.dial(ctx, network, hostPort)
		},
		TLSClientConfig:        tlsConfigFor(tlsConfig, address.HostPort(e.target)),
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: maxHead,
	}
}

// dial connects to a host and port, to where ConnectTo says, or to a proxy. The connection is closed when the attempt ends, so that nothing
// goes on with a peer that stays silent.
func (e *exchange) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	dial := new(net.Dialer).DialContext
	if e.session.randomAddress {
		dial = dialRandom
	}
	first, usesProxy := cmp.Or(e.route.connectTo, hostPort), e.route.proxyUse != noProxy
	if usesProxy {
		first = e.route.proxyHostPort()
	}
	connection, err := dial(ctx, network, first)
	if err != nil {
		return nil, err
	}
	e.progress.connect(connection.RemoteAddr().String())
	if usesProxy {
		e.progress.advance(proxying)
		if connection, err = e.greetProxy(ctx, connection, hostPort); err != nil {
			return nil, err
		}
	}
	held := &heldConn{connection, make(chan struct{}, 1)}
	context.AfterFunc(ctx, func() { _ = held.Close() })
	e.connection = held
	return held, nil
}

// greetProxy makes the handshake with a proxy for which that comes before any HTTP, and returns the connection to use from there on.
func (e *exchange) greetProxy(ctx context.Context, connection net.Conn, hostPort string) (_ net.Conn, err error) {
	switch e.route.proxy.Scheme {
	case "https":
		secured := tls.Client(connection, tlsConfigFor(e.session.client.tls.proxy, hostPort))
		connection, err = secured, secured.HandshakeContext(ctx)
	case "socks5", "socks5h":
		var auth *proxy.Auth
		if user := e.route.proxy.User; user != nil {
			password, _ := user.Password()
			auth = &proxy.Auth{User: user.Username(), Password: password}
		}
		dialer, _ := proxy.SOCKS5("tcp", e.route.proxyHostPort(), auth, connected{connection}) // which never fails
		_, err = dialer.(proxy.ContextDialer).DialContext(ctx, "tcp", hostPort)
	}
	if err != nil {
		_ = connection.Close()
	}
	return connection, err
}

// connected is a dialer whose connection is there already.
type connected struct{ net.Conn }

func (c connected) Dial(string, string) (net.Conn, error)                         { return c.Conn, nil }
func (c connected) DialContext(context.Context, string, string) (net.Conn, error) { return c.Conn, nil }

// dialRandom tries the addresses of a host in random order, until one of them accepts. Each but the last gets its share of the time that is
// left, as in [net.Dialer], but at most a second, because it may be silent, as one of IPv6 is in a network that drops its packets.
func dialRandom(ctx context.Context, network, hostPort string) (net.Conn, error) {
	host, port, _ := net.SplitHostPort(hostPort) // net/http passes no other
	addresses, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return nil, err
	}
	deadline, _ := ctx.Deadline()                              // that of the attempt
	err = &net.AddrError{Err: "it has no address", Addr: host} // unless it has one
	for n, i := range rand.Perm(len(addresses)) {              //nolint:gosec // it is no secret
		var dialer net.Dialer
		if left := len(addresses) - n; left > 1 {
			dialer.Timeout = min(time.Second, time.Until(deadline)/time.Duration(left))
		}
		var connection net.Conn
		if connection, err = dialer.DialContext(ctx, network, net.JoinHostPort(addresses[i].String(), port)); err == nil {
			return connection, nil
		}
	}
	return nil, err
}

// heldConn holds back what a server sends before it has been asked. Otherwise, net/http would take that for the response or for a broken
// connection, whichever of its goroutines came first.
type heldConn struct {
	net.Conn
	open chan struct{} // has an element while reads may go on: at first not, and after each write or Close
}

// hold makes reads wait until something has been written, or the connection is closed. A handshake may end before it has written anything.
func (c *heldConn) hold() {
	if len(c.open) > 0 {
		<-c.open
	}
}

func (c *heldConn) release() {
	select {
	case c.open <- struct{}{}:
	default:
	}
}

func (c *heldConn) Read(buffer []byte) (int, error) {
	<-c.open
	c.release()
	return c.Conn.Read(buffer)
}

// Write never fails. A server may have answered, and closed the connection, before it has read all of a large request: net/http would drop
// that answer for the error. If there is none, the read fails, too.
func (c *heldConn) Write(data []byte) (int, error) {
	c.release()
	_, _ = c.Conn.Write(data)
	return len(data), nil
}

func (c *heldConn) Close() error {
	c.release()
	return c.Conn.Close()
}
