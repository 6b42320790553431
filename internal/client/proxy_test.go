package client_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestReadsGoThroughTheProxyOfTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, variable := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		for _, before := range []string{"", "http://", "http://user:" + proxyPassword + "@"} {
			t.Run(variable+"="+before, func(t *testing.T) {
				t.Parallel()
				url, option, method := proxiedHTTP, instancetest.WithPlainHTTP(), http.MethodGet
				if strings.EqualFold(variable, "HTTPS_PROXY") {
					url, option, method = proxiedHTTPS, instancetest.WithTLS(), http.MethodConnect
				}
				server := instancetest.New(t, option)
				proxy := instancetest.NewProxy(t, instancetest.WithProxyTarget(server))
				c := newClient(t, newConfig(), variable+"="+before+proxy.Address()+"\n") // as a secret that is made of a file has it
				mustRead(t, c, newRequest(t, url))
				mustRead(t, c, newRequest(t, server.URL())) // loopback needs no proxy

				check(t, "number of requests to the proxy", len(proxy.Requests()), 1)
				sent := proxy.Requests()[0]
				check(t, "method", sent.Method, method)
				check(t, "proxy's credentials sent", strings.HasPrefix(sent.Header.Get("Proxy-Authorization"), "Basic "), strings.Contains(before, "@"))
				check(t, "instance's credentials sent to the proxy", sent.Header.Get("Authorization") != "", method == http.MethodGet)
				check(t, "Host", server.Requests()[0].Host, instancetest.ProxiedHost)
				check(t, "Authorization", server.Requests()[0].Header.Get("Authorization"), secret)
			})
		}
	}
}

// The client certificate is for the instance alone.
func TestClientCertificateIsNotShownToAProxy(t *testing.T) {
	t.Parallel()
	plain, secured := instancetest.WithPlainHTTP(), instancetest.WithClientCertificate()
	tlsProxy := []instancetest.ProxyOption{instancetest.WithProxyCertificate(instancetest.CertificateValid)}
	tests := map[string]struct {
		instance instancetest.Option
		proxy    []instancetest.ProxyOption
		url      string
		shown    bool // to the instance
	}{
		"HTTP, proxy with HTTP":   {plain, nil, proxiedHTTP, false},
		"HTTP, proxy with HTTPS":  {plain, tlsProxy, proxiedHTTP, false},
		"HTTPS, proxy with HTTP":  {secured, nil, proxiedHTTPS, true},
		"HTTPS, proxy with HTTPS": {secured, tlsProxy, proxiedHTTPS, true},
	}
	config := newConfig()
	config.TLS = certified
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, test.instance)
			proxy := instancetest.NewProxy(t, append(test.proxy, instancetest.WithProxyTarget(server))...)
			mustRead(t, newClient(t, config, "HTTP_PROXY="+proxy.URL(), "HTTPS_PROXY="+proxy.URL()), newRequest(t, test.url))
			check(t, "number of requests to the proxy", len(proxy.Requests()), 1)
			check(t, "certificate shown to the proxy", proxy.Requests()[0].ClientCertificate, false)
			check(t, "certificate shown to the instance", server.Requests()[0].ClientCertificate, test.shown)
		})
	}
}

// readThrough reads from an instance through a proxy, with two attempts at most, and returns the error.
func readThrough(t *testing.T, proxy, url string) *client.ReadError {
	t.Helper()
	scheme, _, _ := strings.Cut(url, "://")
	variable := strings.ToUpper(scheme) + "_PROXY"
	got := readError(t, newClient(t, newConfig(), variable+"="+proxy), newRequest(t, url))
	check(t, "Proxy", strings.ToUpper(got.Failure.Proxy), variable) // other tests may have set https_proxy for a moment
	return got
}

func TestProxyFailures(t *testing.T) {
	t.Parallel()
	const (
		unreachable = "the proxy could not be reached: "
		brokeIt     = "the proxy broke the connection"
		user        = "user:" + proxyPassword + "@"
	)
	nowhere := instancetest.ReserveAddress(t)
	refusing := func(status int, challenges ...string) string {
		return instancetest.NewProxy(t, instancetest.WithProxyRefusal(status, challenges...)).URL()
	}
	withCertificate := func(kind instancetest.Certificate) string {
		return instancetest.NewProxy(t, instancetest.WithProxyCertificate(kind), instancetest.WithProxyRefusal(403)).URL()
	}
	negotiate := strings.Replace(refusing(407, "Negotiate", "x"+proxyPassword), "://", "://"+user, 1)
	tests := map[string]struct {
		proxy    string
		attempts int
		reason   string
	}{
		"refuses":                   {refusing(403), final, "the proxy refused to connect to the instance: status 403 Forbidden"},
		"wants credentials":         {refusing(407), final, "status 407"},
		"refuses credentials":       {negotiate, final, "(the proxy accepts Negotiate, x(redacted))"},
		"cannot reach the instance": {refusing(502), retried, "status 502 Bad Gateway"},
		"answers 204":               {refusing(204), final, "status 204"},
		"down":                      {"http://" + user + nowhere, retried, unreachable + "connection refused"},
		"not found":                 {"http://" + user + "nonexistent.invalid:3128", retried, unreachable + "no such host"},
		"closes":                    {rawServer(t, "http", closeNow), retried, brokeIt},
		"resets":                    {rawServer(t, "http", instancetest.ResetConnection), retried, "the proxy "},
		"https, expired":            {withCertificate(instancetest.CertificateExpired), final, unreachable + "certificate has expired"},
		"https, refuses":            {withCertificate(instancetest.CertificateValid), final, "status 403"},
		"https, without TLS": {rawServer(t, "https", sends("HTTP/1.1 400 Bad Request\r\n\r\n")), retried,
			unreachable + "first record does not look like a TLS handshake"},
		"SOCKS, down":   {"socks5h://" + user + nowhere, retried, unreachable + "connection refused"},
		"SOCKS, closes": {rawServer(t, "socks5", closeNow), retried, brokeIt},
		"SOCKS, instance down": {rawServer(t, "socks5", socks(4, instancetest.Await)), retried,
			"the proxy could not reach the instance: host unreachable"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFailure(t, readThrough(t, test.proxy, proxiedHTTPS), client.KindProxy, test.attempts, test.reason)
		})
	}
	checkFailure(t, readThrough(t, user+nowhere, proxiedHTTP), client.KindProxy, retried, unreachable+"connection refused")
}

// What comes from beyond the proxy, or may do so, is a failure of the instance.
func TestFailuresBehindAProxy(t *testing.T) {
	t.Parallel()
	expired := instancetest.New(t, instancetest.WithCertificate(instancetest.CertificateExpired))
	withTLS := instancetest.WithProxyCertificate(instancetest.CertificateValid)
	toExpired := instancetest.NewProxy(t, withTLS, instancetest.WithProxyTarget(expired)).URL()
	forbidding := instancetest.NewProxy(t, instancetest.WithProxyRefusal(403)).URL()
	tests := map[string]struct {
		url, proxy string
		kind       *client.Kind
		forwards   bool
	}{
		"plain HTTP, refused": {proxiedHTTP, forbidding, client.KindStatus, true},
		"plain HTTP, closed":  {proxiedHTTP, rawServer(t, "http", closeNow), client.KindBroken, true},
		"plain HTTP, SOCKS":   {proxiedHTTP, rawServer(t, "socks5", socks(0, closeNow)), client.KindBroken, false},
		"expired certificate": {proxiedHTTPS, toExpired, client.KindCertificateExpired, false},
		"closed behind SOCKS": {proxiedHTTPS, rawServer(t, "socks5", socks(0, closeNow)), client.KindBroken, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure := readThrough(t, test.proxy, test.url).Failure
			check(t, "Kind", failure.Kind, test.kind)
			check(t, "ProxyForwards", failure.ProxyForwards, test.forwards)
		})
	}
}

// No attempt can succeed, so that not even a wait tries again.
func TestMisconfiguredProxyIsFinal(t *testing.T) {
	t.Parallel()
	const user = "user:" + proxyPassword + "@"
	tests := map[string]struct {
		url       string
		variables []string
		reason    string
	}{
		"not a URL":        {proxiedHTTPS, []string{"HTTPS_PROXY=http://" + user + "[::1"}, "HTTPS_PROXY is not valid"},
		"line break":       {proxiedHTTP, []string{"HTTP_PROXY=http://" + user + "pro\nxy.invalid"}, "HTTP_PROXY is not valid"},
		"another scheme":   {proxiedHTTP, []string{"HTTP_PROXY=ftp://" + user + "proxy.invalid"}, "HTTP_PROXY is not valid"},
		"# in a password":  {proxiedHTTP, []string{"HTTP_PROXY=http://user:#" + proxyPassword + "@proxy.invalid"}, "with %23 for # in a password"},
		"no host":          {proxiedHTTP, []string{"HTTP_PROXY=http://"}, "HTTP_PROXY is not valid"},
		"of a CGI program": {proxiedHTTP, []string{"HTTP_PROXY=http://proxy.invalid", "REQUEST_METHOD=GET"}, "REQUEST_METHOD"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, request := newClient(t, newConfig(), test.variables...), newRequest(t, test.url)
			checkFailure(t, readError(t, c, request), client.KindProxySettings, final, test.reason)
			_, err := c.Wait(t.Context(), request, client.Condition{})
			checkFailure(t, checkReadError(t, err, request), client.KindProxySettings, final, test.reason)
		})
	}
	c := newClient(t, newConfig(), "HTTP_PROXY=http://[", "NO_PROXY=.invalid") // no fault if it is not used
	check(t, "Kind", readError(t, c, newRequest(t, "http://x.invalid")).Failure.Kind, client.KindResolve)
	c = newClient(t, newConfig(), "HTTP_PROXY=http://[", "HTTPS_PROXY="+instancetest.ReserveAddress(t))
	check(t, "Kind of the other scheme", readError(t, c, newRequest(t, proxiedHTTPS)).Failure.Kind, client.KindProxy)
}

func TestSilentProxiesHoldNoRead(t *testing.T) {
	t.Parallel()
	silent := func(scheme string) string { return rawServer(t, scheme, instancetest.Await) }
	const noTunnel = "the proxy did not connect to the instance in time"
	tests := map[string]struct {
		url, variable string
		kind          *client.Kind
		reason        string
	}{
		"HTTP":   {proxiedHTTPS, "HTTPS_PROXY=" + silent("http"), client.KindProxy, noTunnel},
		"HTTPS":  {proxiedHTTPS, "HTTPS_PROXY=" + silent("https"), client.KindProxy, noTunnel},
		"SOCKS5": {proxiedHTTPS, "HTTPS_PROXY=" + silent("socks5"), client.KindProxy, noTunnel},
		// It may be the instance that does not answer.
		"plain HTTP": {proxiedHTTP, "HTTP_PROXY=" + silent("http"), client.KindTimeout, "connected, but no response in time"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure := failureOfHeldRead(t, short, test.url, test.variable)
			check(t, "Kind", failure.Kind, test.kind)
			check(t, "TimedOut", failure.TimedOut, true)
			check(t, "Reason", failure.Reason, test.reason)
		})
	}
}

// socks is a SOCKS5 proxy that gives one answer to every request, and goes on with then.
func socks(answer byte, then func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) {
		message := make([]byte, 512)
		_, _ = c.Read(message) // the methods
		_, _ = c.Write([]byte{5, 0})
		_, _ = c.Read(message) // the request
		_, _ = c.Write([]byte{5, answer, 0, 1, 0, 0, 0, 0, 0, 0})
		then(c)
	}
}
