package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

const (
	// maxIdleConns is the maximum number of idle connections, also of those to one host.
	maxIdleConns = 256
	// idleConnTimeout is shorter than that of Node.js (5 s), on which the service runs, because the client must close first.
	idleConnTimeout = 4 * time.Second
	// maxHead is the maximum size of a response head in bytes. Parsed, it can take eighteen times as much memory.
	maxHead = 16 << 10
)

// transports are the connections to instances. The two differ only if there is a client certificate, which only the origin
// of the base URL may see.
type transports struct{ plain, withCertificate *http.Transport }

func (t *transports) closeIdle() {
	t.plain.CloseIdleConnections()
	t.withCertificate.CloseIdleConnections()
}

// newTransports returns transports that keep connections for later requests if reuse is true.
func newTransports(config Config, tlsConfigs tlsConfigs, reuse bool) *transports {
	d := &dialer{timeout: config.RequestTimeout, anyAddress: !reuse}
	var protocols http.Protocols
	protocols.SetHTTP1(true) // with HTTP/2, a server can hold a request beyond the end of its context
	plain := &http.Transport{
		Protocols:              &protocols,
		Proxy:                  chooseProxy,
		OnProxyConnectResponse: checkTunnel,
		DialContext:            d.dial,
		TLSClientConfig:        tlsConfigs.plain,
		DisableKeepAlives:      !reuse,
		MaxIdleConns:           maxIdleConns,
		MaxIdleConnsPerHost:    maxIdleConns,
		IdleConnTimeout:        idleConnTimeout,
		MaxResponseHeaderBytes: maxHead,
	}
	plain.DialTLSContext = d.dialTLS(tlsConfigs.plain, tlsConfigs.plain)
	if tlsConfigs.withCertificate == nil {
		return &transports{plain, plain}
	}
	withCertificate := plain.Clone()
	withCertificate.TLSClientConfig = tlsConfigs.withCertificate
	withCertificate.DialTLSContext = d.dialTLS(tlsConfigs.withCertificate, tlsConfigs.plain)
	return &transports{plain, withCertificate}
}

// route says how a request gets to its target. It is in the context of the request, which net/http passes on to the dial.
type route struct {
	connectTo string   // the host and port to connect to instead, or ""
	proxy     *url.URL // or nil
	proxyErr  error
}

type routeKey struct{}

func routeOf(ctx context.Context) route {
	r, _ := ctx.Value(routeKey{}).(route)
	return r
}

// routeTo returns the route of a request to a URL.
func (c *Client) routeTo(target *url.URL) (r route) {
	if connectTo := c.config.ConnectTo; connectTo.HostPort != "" && address.OriginOf(target) == connectTo.Origin {
		r.connectTo = connectTo.HostPort
	} else {
		r.proxy, r.proxyErr = c.proxies.proxyOf(target)
	}
	return r
}

// chooseProxy returns the proxy for a request, or nil, as [http.Transport] wants to know it.
func chooseProxy(request *http.Request) (*url.URL, error) {
	r := routeOf(request.Context())
	return r.proxy, r.proxyErr
}

// afterAttempt is how much later than its attempt a dial ends.
const afterAttempt = time.Second

// dialer makes connections.
type dialer struct {
	timeout time.Duration // of an attempt
	// anyAddress makes the dialer choose one of the addresses of a host at random. An old server behind one of them must not
	// stay unseen while another one answers.
	anyAddress bool
}

// dial connects to a host and port, or to where ConnectTo says.
//
// net/http goes on with a dial after its request has ended, so that another request can use the connection. So a connection has a
// deadline of its own, which ends a handshake with a peer that stays silent, and which GotConn in trace.hooks removes. It is later than
// the attempt's, so that the attempt's comes first.
func (d *dialer) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	hostPort = cmp.Or(routeOf(ctx).connectTo, hostPort)
	deadline := time.Now().Add(d.timeout).Add(afterAttempt)
	netDialer := net.Dialer{Deadline: deadline}
	var connection net.Conn
	var err error
	if d.anyAddress {
		connection, err = dialAny(ctx, netDialer, network, hostPort)
	} else {
		connection, err = netDialer.DialContext(ctx, network, hostPort)
	}
	if err != nil {
		return nil, err
	}
	return connection, connection.SetDeadline(deadline)
}

// dialTLS returns a function that connects to an instance or to an https proxy, with a configuration for each. net/http would use one
// for both, and an https proxy must not see the client certificate. It would also call the hooks of the trace for the handshake with
// the proxy, which would then look like that with the instance.
func (d *dialer) dialTLS(toInstance, toProxy *tls.Config) func(ctx context.Context, network, hostPort string) (net.Conn, error) {
	return func(ctx context.Context, network, hostPort string) (net.Conn, error) {
		connection, err := d.dial(ctx, network, hostPort)
		if err != nil {
			return nil, err
		}
		proxy := routeOf(ctx).proxy
		config, isProxy := toInstance.Clone(), proxy != nil && proxy.Scheme == "https"
		if isProxy {
			config = toProxy.Clone()
		}
		host, _, _ := net.SplitHostPort(hostPort)
		config.ServerName, _, _ = strings.Cut(host, "%") // a certificate has no zone of an IPv6 address
		secured := tls.Client(connection, config)
		if !isProxy {
			return secured, nil // net/http makes the handshake
		}
		if err := secured.HandshakeContext(ctx); err != nil {
			_ = connection.Close()
			return nil, err // to which net/http adds that it is the proxy's
		}
		return secured, nil
	}
}

// dialAny tries the addresses of a host in random order, until one of them accepts. Each gets its share of the time that is left to the
// attempt, as in [net.Dialer], because one of them may be silent. The error is that of the first address.
func dialAny(ctx context.Context, dialer net.Dialer, network, hostPort string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	lookupCtx, cancel := context.WithDeadline(ctx, dialer.Deadline)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupIPAddr(lookupCtx, host)
	if err != nil {
		return nil, err
	}
	var firstErr error
	for n, i := range rand.Perm(len(addresses)) { //nolint:gosec // it is no secret
		dialer.Timeout = (time.Until(dialer.Deadline) - afterAttempt) / time.Duration(len(addresses)-n)
		connection, err := dialer.DialContext(ctx, network, net.JoinHostPort(addresses[i].String(), port))
		if err == nil {
			return connection, nil
		}
		firstErr = cmp.Or(firstErr, err)
	}
	return nil, firstErr
}
