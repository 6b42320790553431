package client

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxyFunc returns the proxy of a request, or nil.
type proxyFunc func(*http.Request) (*url.URL, error)

var proxySchemes = []string{"http", "https", "socks5", "socks5h"}

// proxiesFromEnvironment returns a function that chooses a proxy by HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and the
// credentials in their URLs, to redact. Unlike http.ProxyFromEnvironment, it caches nothing between clients, and an
// invalid proxy URL is an error: a request must not bypass the proxy.
func proxiesFromEnvironment() (choose proxyFunc, credentials []string) {
	config := httpproxy.FromEnvironment()
	const invalid = "not-a-valid-url.invalid" // for an invalid URL, ProxyFunc would choose no proxy; NO_PROXY still applies
	for _, text := range []*string{&config.HTTPProxy, &config.HTTPSProxy} {
		if *text = strings.TrimSpace(*text); *text == "" {
			continue
		}
		if !strings.Contains(*text, "://") {
			*text = "http://" + *text
		}
		proxy, err := url.Parse(*text)
		if err != nil || proxy.Hostname() == "" || proxy.Fragment != "" || !slices.Contains(proxySchemes, proxy.Scheme) {
			*text = "http://" + invalid
			continue
		}
		if proxy.User != nil {
			user := proxy.User.Username()
			password, _ := proxy.User.Password()
			pair := user + ":" + password
			// Without a password, the user name is a token.
			credentials = append(credentials, cmp.Or(password, user), pair, base64.StdEncoding.EncodeToString([]byte(pair)))
		}
	}
	proxyFor := config.ProxyFunc()
	return func(request *http.Request) (*url.URL, error) {
		if traceOf(request.Context()).connectTo != "" {
			return nil, nil
		}
		proxy, err := proxyFor(request.URL)
		switch {
		case err != nil:
			return nil, newFailure(KindProxySettings, "HTTP_PROXY is not used if the environment variable "+
				"REQUEST_METHOD is set too, as it is for CGI programs")
		case proxy == nil:
			return nil, nil
		case proxy.Host == invalid:
			// Leave out the URL, which may include a password.
			return nil, newFailure(KindProxySettings, "the proxy URL in the environment variable "+
				proxyVariable(request.URL.Scheme)+" is not valid; it must be an http, https or socks5 URL, with %23 for # in a password")
		}
		traceOf(request.Context()).proxy.Store(proxy)
		return proxy, nil
	}, credentials
}

// proxyVariable returns the environment variable that httpproxy uses for a scheme: "http_proxy" if set, or "HTTP_PROXY".
func proxyVariable(scheme string) string {
	lower := scheme + "_proxy"
	if os.Getenv(lower) != "" {
		return lower
	}
	return strings.ToUpper(lower)
}

// proxyAnswered returns an error if a proxy refused CONNECT.
func proxyAnswered(ctx context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	trace := traceOf(ctx)
	if response.StatusCode == http.StatusOK {
		trace.proxyPassed.Store(true)
		return nil
	}
	failure := newFailure(KindProxy,
		"the proxy refused to connect to the instance: status "+statusLine(response.StatusCode))
	failure.StatusCode = response.StatusCode
	failure.transient = isTransient(response.StatusCode)
	failure.addChallenges(response.Header, trace.redact)
	return failure
}

// addChallenges adds to the reason of status 401 or 407 which authentication is accepted (RFC 9110, section 11.6.1).
func (f *Failure) addChallenges(header http.Header, redact redactor) {
	by, name := "the server", "WWW-Authenticate"
	if f.StatusCode == http.StatusProxyAuthRequired {
		by, name = "the proxy", "Proxy-Authenticate"
	}
	if challenges := strings.Join(header.Values(name), ", "); challenges != "" {
		f.Reason += " (" + by + " accepts " + redact.line(challenges, messageLimit) + ")"
	}
}
