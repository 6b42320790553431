package client

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
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
	proxyFor func(*url.URL) (*url.URL, error)
	// credentials lists the secrets in the URLs of the proxies, which a proxy may echo.
	credentials []string
}

// proxyError is an error of a proxy, or of its settings.
type proxyError struct {
	reason    string
	permanent bool
}

func (e *proxyError) Error() string { return e.reason }

// invalidProxy stands for a URL that is not valid, which httpproxy would ignore.
const invalidProxy = "proxy-url-is-not-valid.invalid"

func proxiesFromEnvironment() *proxies {
	p := &proxies{}
	config := httpproxy.FromEnvironment()
	for _, text := range []*string{&config.HTTPProxy, &config.HTTPSProxy} {
		if *text == "" {
			continue
		}
		if !strings.Contains(*text, "://") {
			*text = "http://" + *text
		}
		proxy, err := url.Parse(*text)
		isKnown := err == nil && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, proxy.Scheme)
		if !isKnown || proxy.Hostname() == "" || proxy.Fragment != "" {
			*text = "http://" + invalidProxy
			continue
		}
		if proxy.User != nil {
			p.addCredentials(proxy.User)
		}
	}
	p.proxyFor = config.ProxyFunc()
	return p
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

// proxyOf returns the proxy for a URL, or nil.
func (p *proxies) proxyOf(target *url.URL) (*url.URL, error) {
	proxy, err := p.proxyFor(target)
	switch {
	case err != nil:
		return nil, &proxyError{err.Error(), true}
	case proxy != nil && proxy.Host == invalidProxy: // the URL may contain a password
		return nil, &proxyError{"its URL is not valid", true}
	default:
		return proxy, nil
	}
}

// proxyVariable returns the name of the environment variable with the proxy for URLs with a scheme.
func proxyVariable(scheme string) string {
	lower := scheme + "_proxy"
	if os.Getenv(strings.ToUpper(lower)) == "" {
		return lower
	}
	return strings.ToUpper(lower)
}

// checkTunnel returns an error if a proxy refused CONNECT.
func checkTunnel(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{
		fmt.Sprintf("the proxy refused to connect: status %d %s", response.StatusCode, http.StatusText(response.StatusCode)),
		!isRetriedStatus(response.StatusCode),
	}
}
