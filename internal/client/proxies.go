package client

import (
	"cmp"
	"context"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

// proxies chooses proxies by HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Unlike [http.ProxyFromEnvironment], it does not ignore a URL that is not
// valid: a request must not bypass its proxy.
type proxies struct {
	urlFor      func(*url.URL) (*url.URL, error)
	variables   map[string]string // the names of the environment variables, by the scheme of a target
	credentials []string          // the secrets in the URLs of the proxies, which a proxy may echo
}

// proxyUse says what a proxy does with an exchange.
type proxyUse int

const (
	noProxy  proxyUse = iota
	forwards          // it gets the request itself, which is for an instance with plain HTTP
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

// httpProxy returns what net/http has to know of the proxy, or nil. Handshakes with proxies, for TLS or SOCKS, are made by the dial.
func (r route) httpProxy() *url.URL {
	if r.proxy == nil || strings.HasPrefix(r.proxy.Scheme, "socks5") {
		return nil
	}
	return &url.URL{Scheme: "http", User: r.proxy.User, Host: r.proxyHostPort()}
}

var proxyPorts = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}

func (r route) proxyHostPort() string {
	return net.JoinHostPort(r.proxy.Hostname(), cmp.Or(r.proxy.Port(), proxyPorts[r.proxy.Scheme]))
}

const invalidProxy = "proxy-url-is-not-valid.invalid" // stands for a URL that is not valid, which httpproxy would ignore

func proxiesFromEnvironment() proxies {
	config := httpproxy.FromEnvironment()
	p := proxies{variables: map[string]string{"http": "HTTP_PROXY", "https": "HTTPS_PROXY"}}
	for scheme, name := range p.variables {
		if os.Getenv(name) == "" {
			p.variables[scheme] = strings.ToLower(name)
		}
	}
	for _, text := range []*string{&config.HTTPProxy, &config.HTTPSProxy} {
		if *text == "" {
			continue
		}
		if !strings.Contains(*text, "://") {
			*text = "http://" + *text
		}
		proxy, err := url.Parse(*text)
		isUsable := err == nil && proxyPorts[proxy.Scheme] != "" && proxy.Hostname() != ""
		// A /, ? or # in a password that is not escaped ends the authority: the user name becomes the host, and the rest a path.
		if !isUsable || strings.Trim(proxy.Path, "/")+proxy.RawQuery+proxy.Fragment != "" {
			*text = "http://" + invalidProxy
			continue
		}
		if proxy.User != nil {
			p.addCredentials(proxy.User)
		}
	}
	p.urlFor = config.ProxyFunc()
	return p
}

const minProxySecret = 4 // the minimum length in bytes of a password that is redacted, because those of proxies are often short

// addCredentials adds the user name and the password, also as the pair that is sent.
func (p *proxies) addCredentials(user *url.Userinfo) {
	password, _ := user.Password()
	if pair := user.Username() + ":" + password; len(pair) >= minProxySecret { // a pair like "p:" is part of words such as "tcp:"
		p.credentials = append(p.credentials, base64.StdEncoding.EncodeToString([]byte(pair)), pair)
	}
	if secret := cmp.Or(password, user.Username()); len(secret) >= minProxySecret { // a user name without a password is a token
		p.credentials = append(p.credentials, secret)
	}
	if len(user.Username()) >= minSecret { // a shorter one may be a word such as "proxy"
		p.credentials = append(p.credentials, user.Username())
	}
}

// routeTo returns the route of a request to a URL.
func (c *Client) routeTo(target *url.URL) (r route) {
	if c.config.ConnectTo != "" && address.OriginOf(target) == c.config.ConnectToOrigin {
		return route{connectTo: c.config.ConnectTo}
	}
	proxy, err := c.proxies.urlFor(target)
	if proxy == nil && err == nil {
		return route{}
	}
	r = route{proxyUse: tunnels, proxyVariable: c.proxies.variables[target.Scheme], proxy: proxy}
	switch {
	case err != nil:
		r.err = &knownError{kind: ProxyFailed, reason: err.Error()}
	case proxy.Host == invalidProxy: // the URL may contain a password
		r.err = &knownError{kind: ProxyFailed, reason: "its URL is not valid"}
	case target.Scheme == "http" && r.httpProxy() != nil:
		r.proxyUse = forwards
	}
	return r
}

// checkTunnel returns an error if a proxy refused CONNECT.
func checkTunnel(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	code := response.StatusCode
	if code == http.StatusOK {
		return nil
	}
	return &knownError{kind: ProxyFailed, statusCode: code, reason: "the proxy refused to connect: status " + statusText(code)}
}
