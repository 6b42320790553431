package client

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxyFunc returns the proxy of a request, or nil.
type proxyFunc func(*http.Request) (*url.URL, error)

// proxiesFromEnvironment returns a function that chooses a proxy by HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and the credentials in
// their URLs, to redact.
//
// Unlike http.ProxyFromEnvironment, it reads the environment on every call, and an invalid proxy URL is an error: a request must
// not bypass the proxy.
func proxiesFromEnvironment() (choose proxyFunc, credentials []string) {
	config := httpproxy.FromEnvironment()
	for _, text := range []*string{&config.HTTPProxy, &config.HTTPSProxy} {
		if *text == "" {
			continue
		}
		if !strings.Contains(*text, "://") {
			*text = "http://" + *text
		}
		proxy, err := url.Parse(*text)
		if err != nil || proxy.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, proxy.Scheme) {
			*text = invalidProxy // a placeholder, so that NO_PROXY still applies
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
	ofURL := config.ProxyFunc()
	return func(request *http.Request) (*url.URL, error) {
		if traceOf(request.Context()).connectTo != "" {
			return nil, nil
		}
		proxy, err := ofURL(request.URL)
		switch {
		case err != nil:
			return nil, proxyMisconfigured("HTTP_PROXY is not used if the environment variable REQUEST_METHOD is set too, as it is for CGI programs")
		case proxy == nil:
			return nil, nil
		case proxy.String() == invalidProxy:
			// Leave out the URL, which may include a password.
			return nil, proxyMisconfigured("the proxy URL in the environment variable " + proxyVariable(request.URL) + " is not valid")
		}
		traceOf(request.Context()).proxy.Store(proxy)
		return proxy, nil
	}, credentials
}

// invalidProxy replaces an invalid proxy URL; choosing it is an error.
const invalidProxy = "http://not-valid.invalid"

// proxyVariable returns the environment variable that names the proxy for a URL.
func proxyVariable(u *url.URL) string { return strings.ToUpper(u.Scheme) + "_PROXY" }

// proxyMisconfigured returns a failure that no retry can fix.
func proxyMisconfigured(reason string) *Failure {
	failure := newFailure(KindProxy, reason)
	failure.permanent = true
	return failure
}

// proxyAnswered returns an error if a proxy refused CONNECT.
func proxyAnswered(ctx context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		traceOf(ctx).proxyPassed.Store(true)
		return nil
	}
	failure := newFailure(KindProxy, "the proxy refused to connect to the instance: status "+statusLine(response.StatusCode))
	failure.StatusCode = response.StatusCode
	failure.transient = isTransient(response.StatusCode)
	failure.addChallenges(response.Header)
	return failure
}

// addChallenges sets the hint for status 407, and adds the authentication schemes in the header to the reason (RFC 9110, section
// 15.5.8). The caller cleans the reason or the header.
func (f *Failure) addChallenges(header http.Header) {
	if f.StatusCode == http.StatusProxyAuthRequired {
		f.Hint = HintProxyCredentials
		if accepts := strings.Join(header.Values("Proxy-Authenticate"), ", "); accepts != "" {
			f.Reason += " (the proxy accepts " + accepts + ")"
		}
	}
}
