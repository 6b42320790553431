package client_test

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestReadsGoThroughTheProxyOfTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, variable := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("us/er:"+proxyPassword))
		for before, credentials := range map[string]string{"": "", "http://": "", "http://us%2Fer:" + proxyPassword + "@": basic} {
			t.Run(variable+"="+before, func(t *testing.T) {
				t.Parallel()
				url, option, method := proxiedHTTP, instancetest.WithPlainHTTP(), http.MethodGet
				if strings.EqualFold(variable, "HTTPS_PROXY") {
					url, option, method = proxiedHTTPS, instancetest.WithTLS(), http.MethodConnect
				}
				server := instancetest.New(t, option)
				proxy := instancetest.NewProxy(t, instancetest.WithProxyTarget(server))
				c := newClient(t, newConfig(), variable+"="+before+proxy.Address()+"/") // often written with this slash, which means nothing
				mustRead(t, c, newRequest(t, url))
				mustRead(t, c, newRequest(t, server.URL())) // loopback needs no proxy

				check(t, "number of requests to the proxy", len(proxy.Requests()), 1)
				sent := proxy.Requests()[0]
				check(t, "method", sent.Method, method)
				check(t, "Proxy-Authorization", sent.Header.Get("Proxy-Authorization"), credentials)
				check(t, "User-Agent", sent.Header.Get("User-Agent"), userAgent)
				check(t, "instance's credentials sent to the proxy", sent.Header.Get("Authorization") != "", method == http.MethodGet)
				check(t, "Host", server.Requests()[0].Host, instancetest.ProxiedHost)
				check(t, "Authorization", server.Requests()[0].Header.Get("Authorization"), secret)
			})
		}
	}
	server := instancetest.New(t)
	for _, excepted := range [][2]string{ // a dot at the end of a host only keeps name servers from trying search domains
		{proxiedHTTP, ".example"}, {proxiedHTTP + ".", ".example"}, {proxiedHTTP + ".:8080", ".example:8080"},
		{proxiedHTTP + ".", instancetest.ProxiedHost + "."},
	} {
		c := newClient(t, newConfig(), "HTTP_PROXY="+server.Origin(), "NO_PROXY="+excepted[1])
		check(t, "Kind without the proxy", readError(t, c, newRequest(t, excepted[0])).Failure.Kind, client.HostNotResolved)
	}
	check(t, "number of requests to the proxy", len(server.Requests()), 0)
}

// A SOCKS proxy gets the name and the port of the instance, which this side need not be able to resolve, and the instance gets no more than
// without it.
func TestReadsGoThroughASOCKSProxy(t *testing.T) {
	t.Parallel()
	for url, port := range map[string]string{proxiedHTTP: ":80", proxiedHTTPS: ":443", proxiedHTTPS + ":8443": ":8443"} {
		for before, credentials := range map[string]string{
			"socks5://": "", "socks5h://": "",
			"socks5://us%2Fer:" + proxyPassword + "@": "us/er:" + proxyPassword + "@", "socks5h://user:pr0xy%40@": "user:pr0xy@@",
		} {
			t.Run(before+", "+url, func(t *testing.T) {
				t.Parallel()
				option := instancetest.WithPlainHTTP()
				if url != proxiedHTTP {
					option = instancetest.WithTLS()
				}
				server := instancetest.New(t, option)
				proxy, requests := newSOCKS(t, server)
				mustRead(t, newClient(t, newConfig(), "HTTP_PROXY="+before+proxy, "HTTPS_PROXY="+before+proxy), newRequest(t, url))
				check(t, "request to the proxy", <-requests, credentials+instancetest.ProxiedHost+port)
				want := ownHeaders()
				want.Set("Authorization", secret)
				check(t, "headers sent to the instance", fmt.Sprint(server.Requests()[0].Header), fmt.Sprint(want))
			})
		}
	}
}

// Where both spellings of a variable are set, the lower-case one counts, as in Go, and is the one that a user has to correct.
func TestLowerCaseProxyVariableWins(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("on Windows, both spellings are one variable")
	}
	used, unused := instancetest.NewProxy(t, instancetest.WithProxyRefusal(407)), instancetest.NewProxy(t)
	for _, url := range []string{proxiedHTTP, proxiedHTTPS} {
		variable := strings.TrimSuffix(url, "://"+instancetest.ProxiedHost) + "_proxy"
		both := []string{strings.ToUpper(variable) + "=" + unused.URL(), variable + "=" + used.URL()}
		got := readError(t, newClient(t, newConfig(), both...), newRequest(t, url))
		checkFailure(t, got, failing{"", client.ProxyFailed, final, "status 407"})
		checkProxyOf(t, got.Failure, url, variable, url == proxiedHTTP)

		excepted := newClient(t, newConfig(), append(both, "NO_PROXY=elsewhere.example", "no_proxy=.example")...)
		check(t, "Kind without the proxy", readError(t, excepted, newRequest(t, url)).Failure.Kind, client.HostNotResolved)
	}
	check(t, "number of connections to the other proxy", unused.Connections(), 0)
}

// The client certificate is for the instance alone.
func TestClientCertificateIsNotShownToAProxy(t *testing.T) {
	t.Parallel()
	config := newConfig()
	config.TLS = certified
	for name, options := range map[string][]instancetest.ProxyOption{
		"proxy with HTTP": nil, "proxy with HTTPS": {instancetest.WithProxyCertificate(instancetest.CertificateValid)},
	} {
		for url, instance := range map[string]instancetest.Option{
			proxiedHTTP: instancetest.WithPlainHTTP(), proxiedHTTPS: instancetest.WithClientCertificate(),
		} {
			t.Run(name+", "+url, func(t *testing.T) {
				t.Parallel()
				server := instancetest.New(t, instance)
				proxy := instancetest.NewProxy(t, append(slices.Clone(options), instancetest.WithProxyTarget(server))...)
				mustRead(t, newClient(t, config, "HTTP_PROXY="+proxy.URL(), "HTTPS_PROXY="+proxy.URL()), newRequest(t, url))
				check(t, "number of requests to the proxy", len(proxy.Requests()), 1)
				check(t, "certificate shown to the proxy", proxy.Requests()[0].ClientCertificate, false)
				check(t, "certificate shown to the instance", server.Requests()[0].ClientCertificate, url == proxiedHTTPS)
			})
		}
	}
	// A gateway may be the proxy of some hosts, and an instance itself.
	gateway := instancetest.New(t, instancetest.WithClientCertificate()) // on loopback, where no proxy is used
	for _, scheme := range []string{"http://", "https://"} {
		c := newClient(t, config, "HTTPS_PROXY="+scheme+gateway.Address())
		mustRead(t, c, newRequest(t, gateway.URL()))
	}
}

func TestFailuresWithAProxy(t *testing.T) {
	t.Parallel()
	const user, broken = "user:" + proxyPassword + "@", client.ConnectionBroken
	nowhere := instancetest.ReserveAddress(t)
	refusing := func(status int) string { return instancetest.NewProxy(t, instancetest.WithProxyRefusal(status)).URL() }
	withCertificate := func(kind instancetest.Certificate) string {
		return instancetest.NewProxy(t, instancetest.WithProxyCertificate(kind), instancetest.WithProxyRefusal(403)).URL()
	}
	login := instancetest.Body(200, "text/html", "<title>Sign in</title>")
	closingBehindSOCKS := rawServer(t, "socks5", socks(0))
	tests := map[string]struct {
		proxy, url string
		kind       client.Kind
		attempts   int
		reason     string
	}{
		"refuses":                   {refusing(403), proxiedHTTPS, client.ProxyFailed, final, "the proxy refused to connect: status 403 Forbidden"},
		"wants credentials":         {refusing(407), proxiedHTTPS, client.ProxyFailed, final, "status 407 Proxy Authentication Required"},
		"wants credentials, HTTP":   {refusing(407), proxiedHTTP, client.ProxyFailed, final, "status 407 Proxy Authentication Required"},
		"cannot reach the instance": {refusing(502), proxiedHTTPS, client.ProxyFailed, retried, "status 502 Bad Gateway"},
		"down":                      {"http://" + user + nowhere, proxiedHTTPS, client.ProxyFailed, retried, ""},
		"not found":                 {"http://" + user + "nonexistent.invalid:3128", proxiedHTTPS, client.ProxyFailed, retried, "nonexistent.invalid"},
		"closes":                    {rawServer(t, "http", closeNow), proxiedHTTPS, client.ProxyFailed, retried, ""},
		"https, expired":            {withCertificate(instancetest.CertificateExpired), proxiedHTTPS, client.ProxyFailed, final, "certificate has expired"},
		"https, refuses":            {withCertificate(instancetest.CertificateValid), proxiedHTTPS, client.ProxyFailed, final, "status 403"},
		"https, without TLS":        {"https://" + instancetest.New(t).Address(), proxiedHTTPS, client.ProxyFailed, final, ""},
		"SOCKS, down":               {"socks5h://" + user + nowhere, proxiedHTTPS, client.ProxyFailed, retried, ""},
		"SOCKS, closes":             {rawServer(t, "socks5", closeNow), proxiedHTTPS, client.ProxyFailed, retried, ""},
		"SOCKS, instance down":      {rawServer(t, "socks5", socks(4)), proxiedHTTPS, client.ProxyFailed, retried, "host unreachable"},

		// What comes from beyond the proxy, or may do so, is a failure of the instance.
		"refuses, HTTP":         {refusing(403), proxiedHTTP, client.Status, final, "status 403 Forbidden"},
		"cannot reach it, HTTP": {refusing(502), proxiedHTTP, client.Status, retried, "status 502 Bad Gateway"},
		"login page, HTTP":      {serverURL(t, login), proxiedHTTP, client.NotJSON, final, "its text: Sign in"},
		"407 in a tunnel":       {tunnelTo407(t), proxiedHTTPS, client.Status, final, "status 407 Proxy Authentication Required"},
		"closes, HTTP":          {rawServer(t, "http", closeNow), proxiedHTTP, broken, retried, ""},
		"SOCKS, instance, HTTP": {closingBehindSOCKS, proxiedHTTP, broken, retried, ""},
		"SOCKS, instance":       {closingBehindSOCKS, proxiedHTTPS, client.HandshakeFailed, retried, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scheme, _, _ := strings.Cut(test.url, "://")
			variable := strings.ToUpper(scheme) + "_PROXY"
			got := readError(t, newClient(t, newConfig(), variable+"="+test.proxy), newRequest(t, test.url))
			checkFailure(t, got, failing{"", test.kind, test.attempts, test.reason})
			checkProxyOf(t, got.Failure, test.url, variable, scheme == "http" && !strings.HasPrefix(test.proxy, "socks5"))
		})
	}
}

// tunnelTo407 returns the URL of a proxy with a tunnel to an instance that answers 407.
func tunnelTo407(t *testing.T) string {
	t.Helper()
	server := instancetest.New(t, instancetest.WithTLS(), instancetest.WithDefault(instancetest.Status(407)))
	return instancetest.NewProxy(t, instancetest.WithProxyTarget(server)).URL()
}

// Whatever an https proxy does wrong is its own failure, also after the handshake. Insecure is for the certificates of instances: a proxy
// that shows one that is not trusted gets no password.
func TestFailuresOfAnHTTPSProxy(t *testing.T) {
	t.Parallel()
	raw := func(serve func(net.Conn)) string { return instancetest.NewRawTLS(t, serve, nil).Address() }
	withCertificate := func(kind instancetest.Certificate) string {
		return instancetest.NewProxy(t, instancetest.WithProxyCertificate(kind)).Address()
	}
	const notTrusted = "the TLS handshake with the proxy: tls: failed to verify certificate: x509: "
	selfSigned, ofOther := withCertificate(instancetest.CertificateSelfSigned), withCertificate(instancetest.CertificateWrongHost)
	for name, test := range map[string]struct {
		address  string
		attempts int
		reason   string
	}{
		"silent":                   {raw(instancetest.Await), retried, "no answer of the proxy in time"},
		"closes":                   {raw(closeNow), retried, ""},
		"answers something else":   {raw(answers("SSH-2.0-OpenSSH_9.9\r\n")), retried, "SSH-2.0"},
		"asks to wait":             {raw(answers("HTTP/1.1 429 Busy\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n")), retried, "status 429 Busy, Retry-After: 3"},
		"refuses":                  {raw(answers("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")), final, "status 403 Forbidden"},
		"demands a certificate":    {instancetest.New(t, instancetest.WithClientCertificate()).Address(), retried, ""},
		"demands one in TLS 1.2":   {instancetest.New(t, instancetest.WithClientCertificate(), instancetest.WithTLS12()).Address(), retried, ""},
		"has none that is trusted": {selfSigned, final, notTrusted + "certificate signed by unknown authority"},
		"has one of another host":  {ofOther, final, notTrusted + "cannot validate certificate for 127.0.0.1"},
	} {
		for _, insecure := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, insecure: %t", name, insecure), func(t *testing.T) {
				t.Parallel()
				config := newConfig()
				config.RequestTimeout = 2 * time.Second
				config.TLS = certified
				config.TLS.Insecure = insecure
				c := newClient(t, config, "HTTPS_PROXY=https://user:"+proxyPassword+"@"+test.address)
				got := readError(t, c, newRequest(t, proxiedHTTPS))
				checkFailure(t, got, failing{"", client.ProxyFailed, test.attempts, test.reason})
			})
		}
	}
	impostor := instancetest.NewProxy(t, instancetest.WithProxyCertificate(instancetest.CertificateSelfSigned))
	config := newConfig()
	config.TLS.Insecure = true
	for _, variable := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		url := strings.ToLower(strings.TrimSuffix(variable, "_PROXY")) + "://" + instancetest.ProxiedHost
		c := newClient(t, config, variable+"=https://user:"+proxyPassword+"@"+impostor.Address())
		check(t, "Kind", readError(t, c, newRequest(t, url)).Failure.Kind, client.ProxyFailed)
	}
	check(t, "number of requests to an impostor", len(impostor.Requests()), 0)
}

// checkProxyOf checks that a failure names the variable of its proxy, and not the address of the proxy, and says whether the proxy may have
// answered itself.
func checkProxyOf(t *testing.T, failure *client.Failure, url, variable string, forwarded bool) {
	t.Helper()
	check(t, "Asked", failure.Asked, client.Asked{
		URL: url + "/instance", ProxyVariable: variable, Forwarded: forwarded, HeadersSent: failure.Asked.HeadersSent,
	})
}

// A request must not bypass its proxy because the URL of the proxy is not valid. No other attempt of a read can succeed.
func TestInvalidProxyURL(t *testing.T) {
	t.Parallel()
	const user = "user:" + proxyPassword + "@"
	for name, test := range map[string]struct {
		url, reason string
		variables   []string
	}{
		"not a URL":        {proxiedHTTPS, "its URL is not valid", []string{"HTTPS_PROXY=http://" + user + "[::1"}},
		"line break":       {proxiedHTTP, "its URL is not valid", []string{"HTTP_PROXY=http://" + user + "pro\nxy.invalid"}},
		"another scheme":   {proxiedHTTP, "its URL is not valid", []string{"HTTP_PROXY=ftp://" + user + "proxy.invalid"}},
		"# in a password":  {proxiedHTTP, "its URL is not valid", []string{"HTTP_PROXY=http://user:#" + proxyPassword + "@proxy.invalid"}},
		"/ in a password":  {proxiedHTTP, "its URL is not valid", []string{"HTTP_PROXY=http://alice:12/" + proxyPassword + "@proxy.invalid:3128"}},
		"? in a password":  {proxiedHTTP, "its URL is not valid", []string{"HTTP_PROXY=http://alice:12?" + proxyPassword + "@proxy.invalid:3128"}},
		"no host":          {proxiedHTTP, "its URL is not valid", []string{"HTTP_PROXY=http://"}},
		"of a CGI program": {proxiedHTTP, "refusing to use HTTP_PROXY", []string{"HTTP_PROXY=http://proxy.invalid", "REQUEST_METHOD=GET"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := readError(t, newClient(t, newConfig(), test.variables...), newRequest(t, test.url))
			checkFailure(t, got, failing{"", client.ProxyFailed, final, test.reason})
		})
	}
	c := newClient(t, newConfig(), "HTTP_PROXY=http://[", "NO_PROXY=.invalid")
	check(t, "Kind where the proxy is not used", readError(t, c, newRequest(t, "http://x.invalid")).Failure.Kind, client.HostNotResolved)
}
