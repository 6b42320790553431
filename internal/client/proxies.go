package client

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxies chooses proxies by HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Unlike [http.ProxyFromEnvironment], it does not ignore a
// URL that is not valid: a request must not bypass its proxy.
type proxies struct {
	urlFor func(*url.URL) (*url.URL, error)
	// variables has the name of the environment variable with the proxy for each scheme of a target.
	variables map[string]string
	// credentials lists the secrets in the URLs of the proxies, which a proxy may echo.
	credentials []string
}

// proxy is the proxy of an exchange. The zero value means that there is none.
type proxy struct {
	use proxyUse
	// variable is the name of the environment variable that has the proxy.
	variable string
	// url is what net/http has to know. It has the scheme http even if isSecure is true, because then the dial makes the
	// handshake with the proxy.
	url      *url.URL
	isSecure bool
}

// proxyUse says what a proxy does with an exchange.
type proxyUse int

const (
	noProxy  proxyUse = iota
	forwards          // it gets the request itself, which is for an instance with plain HTTP
	tunnels           // it connects to the instance, after CONNECT or by SOCKS
)

// invalidProxy stands for a URL that is not valid, which httpproxy would ignore.
const invalidProxy = "proxy-url-is-not-valid.invalid"

func proxiesFromEnvironment() proxies {
	config := httpproxy.FromEnvironment()
	p := proxies{variables: map[string]string{"http": variableOf("HTTP_PROXY"), "https": variableOf("HTTPS_PROXY")}}
	for _, text := range []*string{&config.HTTPProxy, &config.HTTPSProxy} {
		if *text == "" {
			continue
		}
		if !strings.Contains(*text, "://") {
			*text = "http://" + *text
		}
		proxy, err := url.Parse(*text)
		if err != nil || !isProxyURL(proxy) {
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

// variableOf returns the name under which an environment variable is set, which may be in lower case.
func variableOf(name string) string {
	if os.Getenv(name) == "" {
		return strings.ToLower(name)
	}
	return name
}

// isProxyURL reports whether a URL can be that of a proxy. One with a path, a query or a fragment has a password with a
// sign that is not escaped, so that its user name would be taken for the host.
func isProxyURL(u *url.URL) bool {
	return slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) && u.Hostname() != "" &&
		strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

// minProxySecret is the minimum length in bytes of a password that is redacted. Those of proxies are often short.
const minProxySecret = 4

// addCredentials adds the user name and the password, also as the pair that is sent.
func (p *proxies) addCredentials(user *url.Userinfo) {
	password, _ := user.Password()
	if pair := user.Username() + ":" + password; len(pair) >= minProxySecret { // "p:" would hide the end of "tcp:"
		p.credentials = append(p.credentials, base64.StdEncoding.EncodeToString([]byte(pair)), pair)
	}
	if secret := cmp.Or(password, user.Username()); len(secret) >= minProxySecret { // a user name without a password is a token
		p.credentials = append(p.credentials, secret)
	}
	if len(user.Username()) >= minSecret { // a shorter one may be a word such as "proxy"
		p.credentials = append(p.credentials, user.Username())
	}
}

// proxyFor returns the proxy for a URL, which may be none. It returns the proxy with an error if it cannot be used.
func (p *proxies) proxyFor(target *url.URL) (proxy, error) {
	found := proxy{use: tunnels, variable: p.variables[target.Scheme]}
	proxyURL, err := p.urlFor(target)
	switch {
	case err != nil:
		return found, &knownError{kind: ProxyFailed, reason: err.Error()}
	case proxyURL == nil:
		return proxy{}, nil
	case proxyURL.Host == invalidProxy: // the URL may contain a password
		return found, &knownError{kind: ProxyFailed, reason: "its URL is not valid"}
	}
	found.url = proxyURL
	if proxyURL.Scheme == "https" {
		found.isSecure = true
		hostPort := net.JoinHostPort(proxyURL.Hostname(), cmp.Or(proxyURL.Port(), "443"))
		found.url = &url.URL{Scheme: "http", User: proxyURL.User, Host: hostPort}
	}
	if found.url.Scheme == "http" && target.Scheme == "http" {
		found.use = forwards
	}
	return found, nil
}

// checkTunnel returns an error if a proxy refused CONNECT.
func checkTunnel(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	code := response.StatusCode
	if code == http.StatusOK {
		return nil
	}
	return &knownError{
		kind: ProxyFailed, statusCode: code, reason: fmt.Sprintf("the proxy refused to connect: status %d %s", code, http.StatusText(code)),
	}
}
