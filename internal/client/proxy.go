package client

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxies are the proxies that the usual environment variables name.
type proxies struct {
	// credentials are texts that must not be printed: a proxy may repeat them.
	credentials []string
	choose      func(*http.Request) (*url.URL, error)
}

// proxiesFromEnvironment reads the environment.
//
// http.ProxyFromEnvironment would read it once per process, and ignore a proxy URL that is not valid. Here that is an
// error: a request that avoids the proxy may go where it must not.
func proxiesFromEnvironment() proxies {
	var p proxies
	config := httpproxy.FromEnvironment()
	for _, text := range []*string{&config.HTTPProxy, &config.HTTPSProxy} {
		if *text == "" {
			continue
		}
		proxy, err := parseProxyURL(*text)
		if err != nil || proxy.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, proxy.Scheme) {
			*text = invalidProxy // NO_PROXY still decides which requests it is for
			continue
		}
		if proxy.User != nil {
			password, _ := proxy.User.Password()
			pair := proxy.User.Username() + ":" + password
			p.credentials = append(p.credentials, password, pair, base64.StdEncoding.EncodeToString([]byte(pair)))
		}
	}
	ofURL := config.ProxyFunc()
	p.choose = func(request *http.Request) (*url.URL, error) {
		proxy, err := ofURL(request.URL)
		switch {
		case err != nil:
			return nil, &proxyError{reason: "HTTP_PROXY is not used if the environment variable REQUEST_METHOD is set too, as it is for CGI programs"}
		case proxy == nil:
			return nil, nil
		case proxy.String() == invalidProxy:
			// Without the URL, which may include a password.
			return nil, &proxyError{reason: "the proxy URL in the environment variable " + proxyVariable(request.URL.Scheme) + " is not valid"}
		}
		if trip := tripOf(request.Context()); trip != nil {
			trip.proxy.Store(proxy)
		}
		return proxy, nil
	}
	return p
}

const invalidProxy = "http://not-valid.invalid"

// parseProxyURL reads the URL of a proxy. Without a scheme it is http.
func parseProxyURL(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	return url.Parse(text)
}

// proxyVariable returns the environment variable that names the proxy for URLs with the scheme.
func proxyVariable(scheme string) string { return strings.ToUpper(scheme) + "_PROXY" }

// proxyVariable returns the environment variable that names the proxy of a request, or "" if there is none.
func (t *trip) proxyVariable() string {
	if t.proxy.Load() == nil {
		return ""
	}
	return proxyVariable(t.scheme)
}

// proxyAnswered looks at a proxy's answer to CONNECT.
func proxyAnswered(ctx context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		if trip := tripOf(ctx); trip != nil {
			trip.proxyPassed.Store(true)
		}
		return nil
	}
	return &proxyError{
		reason: fmt.Sprintf("the proxy refused to connect to the instance: status %s", statusLine(response.StatusCode)),
		status: response.StatusCode,
	}
}

// proxyError is a refusal of a proxy, with its status, or a fault of the proxy's configuration, without one.
type proxyError struct {
	reason string
	status int
}

func (e *proxyError) Error() string { return e.reason }
