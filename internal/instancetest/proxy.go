package instancetest

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
)

// Proxy is a small forward proxy: plain HTTP in absolute form, and CONNECT. It does not see requests through a tunnel.
type Proxy struct {
	*loopback

	target      string
	refuse      int
	certificate *Certificate // Nil for plain HTTP.
	tunnels     sync.WaitGroup
}

// ProxyOption changes what a proxy does.
type ProxyOption func(*Proxy)

// WithProxyTarget sends everything to one server, whatever host was asked for, such as [ProxiedHost].
func WithProxyTarget(target interface{ Address() string }) ProxyOption {
	return func(p *Proxy) { p.target = target.Address() }
}

// WithProxyRefusal answers every request with the status, and connects to nothing.
func WithProxyRefusal(status int) ProxyOption { return func(p *Proxy) { p.refuse = status } }

// WithProxyCertificate has clients speak TLS to the proxy, which shows a certificate of the kind and asks for theirs.
func WithProxyCertificate(kind Certificate) ProxyOption {
	return func(p *Proxy) { p.certificate = &kind }
}

// NewProxy starts a proxy for a test, which fails when it cannot be started, and closes it when the test ends.
func NewProxy(t TB, options ...ProxyOption) *Proxy {
	t.Helper()
	p := &Proxy{}
	for _, option := range options {
		option(p)
	}
	transport := &http.Transport{DialContext: p.dial, DisableCompression: true}
	forward := &httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, Transport: transport}
	var config *tls.Config
	if p.certificate != nil {
		config = serverTLS(*p.certificate, tls.RequestClientCert)
	}
	var err error
	p.loopback, err = listenHTTP(config, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case p.refuse != 0:
			http.Error(w, http.StatusText(p.refuse), p.refuse)
		case r.Method == http.MethodConnect:
			p.tunnel(w, r)
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() {
		p.Close()
		p.tunnels.Wait()
		transport.CloseIdleConnections()
	})
	return p
}

func (p *Proxy) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if p.target != "" {
		address = p.target
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// tunnel joins the client with the host it asked for until either side ends, or the proxy is closed.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	p.tunnels.Add(1)
	defer p.tunnels.Done()
	upstream, err := p.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		http.Error(w, "The host cannot be reached", http.StatusBadGateway)
		return
	}
	defer upstream.Close()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	ctx, end := context.WithCancel(r.Context())
	context.AfterFunc(ctx, func() {
		_ = client.Close()
		_ = upstream.Close()
	})
	p.tunnels.Go(func() {
		defer end()
		_, _ = io.Copy(upstream, buffered) // the first bytes may have been read along with the CONNECT
	})
	defer end()
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err == nil {
		_, _ = io.Copy(client, upstream)
	}
}
