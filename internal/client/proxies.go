package client

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"

	"golang.org/x/net/http/httpproxy"
	"golang.org/x/net/proxy"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// proxies chooses proxies by HTTP_PROXY, HTTPS_PROXY and NO_PROXY, each also in lower case. Unlike [http.ProxyFromEnvironment], it does not
// ignore a URL that is not valid: a request must not bypass its proxy.
type proxies struct {
	urlFor    func(*url.URL) (*url.URL, error)
	variables map[string]string // the names of the environment variables, by the scheme of a target
	secrets   []string          // those in the URLs of the proxies, which a proxy may echo
}

// proxyUse says what a proxy does with an exchange.
type proxyUse int

const (
	noProxy  proxyUse = iota
	forwards          // it gets the request itself, which is for an http URL
	tunnels           // it connects to the instance, after CONNECT or by SOCKS
)

// route says how an exchange gets to its target.
type route struct {
	connectTo     string // the host and port to connect to instead, or ""
	proxyUse      proxyUse
	proxyVariable string // the name of the environment variable that has the proxy
	proxy         *url.URL
	err           error // the proxy cannot be used
}

// dialHostPort returns the host and port to dial.
func (r route) dialHostPort(target string) string {
	if r.proxyUse == noProxy {
		return cmp.Or(r.connectTo, target)
	}
	return r.proxyHostPort()
}

func (r route) proxyHostPort() string {
	return net.JoinHostPort(r.proxy.Hostname(), cmp.Or(r.proxy.Port(), proxyPorts[r.proxy.Scheme]))
}

// proxyAuthorization returns the header with the credentials of the proxy, or none.
func (r route) proxyAuthorization() http.Header {
	if r.proxy.User == nil {
		return nil
	}
	password, _ := r.proxy.User.Password()
	pair := base64.StdEncoding.EncodeToString([]byte(r.proxy.User.Username() + ":" + password))
	return http.Header{"Proxy-Authorization": {"Basic " + pair}}
}

var proxyPorts = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}

func isSOCKS(u *url.URL) bool { return strings.HasPrefix(u.Scheme, "socks5") }

const invalidProxy = "proxy-url-is-not-valid.invalid" // stands for a URL that is not valid, which httpproxy would ignore

func proxiesFromEnvironment() proxies {
	config := httpproxy.FromEnvironment()
	p := proxies{variables: map[string]string{"http": "http_proxy", "https": "https_proxy"}}
	for scheme, name := range p.variables {
		if os.Getenv(name) == "" || runtime.GOOS == "windows" { // httpproxy, too, takes the lower-case one first; on Windows, both are one
			p.variables[scheme] = strings.ToUpper(name)
		}
	}
	for _, text := range []*string{&config.HTTPProxy, &config.HTTPSProxy} {
		if *text == "" {
			continue
		}
		if !strings.Contains(*text, "://") {
			*text = "http://" + *text
		}
		u, err := url.Parse(*text)
		isUsable := err == nil && proxyPorts[u.Scheme] != "" && u.Hostname() != ""
		// A /, ? or # in a password that is not escaped ends the authority: the user name becomes the host, and the rest a path.
		if !isUsable || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" {
			*text = "http://" + invalidProxy
			continue
		}
		if u.User != nil {
			password, _ := u.User.Password()
			p.secrets = append(p.secrets, safetext.SecretsOfUser(u.User.Username(), password)...)
		}
	}
	p.urlFor = config.ProxyFunc()
	return p
}

// routeTo returns the route of a request to a URL.
func (c *Client) routeTo(target *url.URL) (r route) {
	if c.config.ConnectTo != "" && address.OriginOf(target) == c.config.ConnectToOrigin {
		return route{connectTo: c.config.ConnectTo}
	}
	proxyURL, err := c.proxies.urlFor(target)
	if proxyURL != nil { // NO_PROXY may have the host in either spelling
		proxyURL, err = c.proxies.urlFor(withoutDot(target))
	}
	if proxyURL == nil && err == nil {
		return route{}
	}
	r = route{proxyUse: tunnels, proxyVariable: c.proxies.variables[target.Scheme], proxy: proxyURL}
	switch {
	case err != nil:
		r.err = &Failure{Kind: ProxyFailed, Reason: err.Error()}
	case proxyURL.Host == invalidProxy: // the URL may contain a password
		r.err = &Failure{Kind: ProxyFailed, Reason: "its URL is not valid, or its scheme is not http, https, socks5 or socks5h"}
	case target.Scheme == "http" && !isSOCKS(proxyURL):
		r.proxyUse = forwards
	}
	return r
}

// withoutDot returns the origin of a URL, without a dot at the end of the host. Such a dot only keeps name servers from trying search
// domains, and must not keep NO_PROXY from counting.
func withoutDot(target *url.URL) *url.URL {
	host := strings.TrimSuffix(target.Hostname(), ".")
	return &url.URL{Scheme: target.Scheme, Host: net.JoinHostPort(host, target.Port())}
}

// throughProxy makes the handshakes with a proxy, and returns the connection to use from there on: with the proxy itself if it forwards
// requests, and otherwise with the target, a host and port.
func (e *exchange) throughProxy(ctx context.Context, connection net.Conn, target string) (net.Conn, error) {
	if isSOCKS(e.route.proxy) {
		return connection, greetSOCKS(ctx, connection, e.route, target)
	}
	if e.route.proxy.Scheme == "https" {
		secured, err := shakeHands(ctx, connection, e.session.client.tls.proxy, e.route.proxyHostPort())
		if err != nil {
			return nil, fmt.Errorf("the TLS handshake with the proxy: %w", err)
		}
		connection = secured
	}
	if e.route.proxyUse == forwards {
		return connection, nil
	}
	header := http.Header{"User-Agent": {e.session.client.config.UserAgent}}
	maps.Copy(header, e.route.proxyAuthorization())
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target, Header: header}
	if err := request.Write(connection); err != nil {
		return nil, err
	}
	response, err := readHead(&source{connection: byteByByte{connection}, limit: maxHead}, request) //nolint:bodyclose // it is the tunnel, or is never read
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, &Failure{
			Kind: ProxyFailed, Reason: "the proxy refused to connect: " + e.statusReason(response), StatusCode: response.StatusCode,
			isRetryable: isRetriedStatus(response.StatusCode), retryAfter: retryAfterOf(response),
		}
	}
	return connection, nil
}

// byteByByte is a connection of which no more is read than the head of a response. What follows it comes from beyond the proxy.
type byteByByte struct{ net.Conn }

func (c byteByByte) Read(buffer []byte) (int, error) {
	return c.Conn.Read(buffer[:min(len(buffer), 1)])
}

// greetSOCKS makes a SOCKS proxy connect to a host and port.
func greetSOCKS(ctx context.Context, connection net.Conn, r route, target string) error {
	var auth *proxy.Auth
	if user := r.proxy.User; user != nil {
		password, _ := user.Password()
		auth = &proxy.Auth{User: user.Username(), Password: password}
	}
	dialer, err := proxy.SOCKS5("tcp", r.proxyHostPort(), auth, dialedBefore{connection})
	if err != nil {
		return err
	}
	_, err = dialer.(proxy.ContextDialer).DialContext(ctx, "tcp", target)
	return err
}

// dialedBefore is a dialer that returns a connection that already exists, because the proxy was dialed by connect.
type dialedBefore struct{ net.Conn }

func (d dialedBefore) Dial(string, string) (net.Conn, error) { return d.Conn, nil }
func (d dialedBefore) DialContext(context.Context, string, string) (net.Conn, error) {
	return d.Conn, nil
}
