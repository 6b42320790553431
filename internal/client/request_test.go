package client_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestRedirectsAreFollowed(t *testing.T) {
	t.Parallel()
	for status, redirect := range map[int]struct{ location, target string }{
		301: {"api/instance", "/files/api/instance?"}, 302: {"?session=1", "/files/instance?session=1"},
		303: {"/a#top", "/a?"}, 307: {"../b", "/b?"}, 308: {"/c%2Fd", "/c/d?"},
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithScript(
				instancetest.Redirect(302, "/files/instance"), // the next one is relative to it
				instancetest.Redirect(status, redirect.location),
				instancetest.Body(200, "", instancetest.Newer().JSON())))
			mustRead(t, newClient(t, newConfig()), newRequest(t, server.URL()))
			sent := server.Requests()[2]
			check(t, "target", sent.Path+"?"+sent.RawQuery, redirect.target)
			check(t, "Authorization within one origin", sent.Header.Get("Authorization"), secret)
			check(t, "number of connections", server.Connections(), 3) // nothing tells what was meant for another request
		})
	}
}

// Extra headers and the client certificate are for their origin, and not even for that once a redirect has left it.
func TestHeadersAndCertificateStayWithTheirOrigin(t *testing.T) {
	t.Parallel()
	notFound := instancetest.WithDefault(instancetest.Status(404))
	for name, test := range map[string]struct {
		first, second instancetest.Option // of the instance, and of the server to which it redirects
		back          string              // the class of the failure of the instance in the end
	}{
		"HTTP":       {instancetest.WithPlainHTTP(), instancetest.WithPlainHTTP(), "status 404 Not Found"},
		"mutual TLS": {instancetest.WithClientCertificate(), instancetest.WithTLS(), "TLS handshake failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := instancetest.New(t, test.first, notFound), instancetest.New(t, test.second)
			first.SetScript(instancetest.Redirect(302, second.URL()+"/there?token=x"))
			second.SetDefault(instancetest.Redirect(302, first.URL()+"/back?token=s3cret"))
			config := newConfig()
			config.ClientCertificate, config.Retry.MaxAttempts = &clientCertificate, 1
			c, request := newClient(t, config), newRequest(t, first.URL())
			request.Headers = http.Header{"Authorization": {secret}, "Accept": {"text/plain"}, "User-Agent": {"mine"}}
			got := failedRead(t, c, request)
			checkFailure(t, got, failing{test.back, 1, ""})
			check(t, "Route", got.Failure.Route, client.Route{
				URL: first.URL() + "/instance", RedirectedTo: first.URL() + "/back", HeadersSent: true, HeadersWithheld: true,
			})

			own := http.Header{
				"Accept": {"application/json"}, "Cache-Control": {"no-cache"}, "User-Agent": {userAgent},
				"Connection": {"close"},
			}
			stray := append(second.Requests(), first.Requests()[1:]...)
			check(t, "target", stray[0].Path+"?"+stray[0].RawQuery, "/there?token=x")
			for _, sent := range stray {
				check(t, "headers sent after the redirect", fmt.Sprint(sent.Header), fmt.Sprint(own))
				check(t, "certificate sent after the redirect", sent.ClientCertificate, false)
			}
			maps.Copy(own, request.Headers)
			sent := first.Requests()[0]
			check(t, "headers sent to the instance", fmt.Sprint(sent.Header), fmt.Sprint(own))
			check(t, "certificate sent to the instance", sent.ClientCertificate, test.back == "TLS handshake failed")

			first.SetScript(instancetest.Redirect(302, second.URL()))
			request.Headers = nil
			route := failedRead(t, c, request).Failure.Route
			check(t, "HeadersSent or HeadersWithheld without headers", route.HeadersSent || route.HeadersWithheld, false)
		})
	}
}

func TestRedirectsThatAreNotFollowed(t *testing.T) {
	t.Parallel()
	for location, reason := range map[string]string{
		"http://h/x?s3cret": "http://h/x, which would give up TLS", "/x?s3cret": "/x, after 5 redirects",
	} {
		server := instancetest.New(t, instancetest.WithTLS(), instancetest.WithDefault(instancetest.Redirect(302, location)))
		got := failedRead(t, newClient(t, newConfig()), newRequest(t, server.URL()))
		checkFailure(t, got, failing{"redirect not followed", final, reason})
		check(t, "number of requests", len(server.Requests()), map[bool]int{true: 6, false: 1}[location[0] == '/'])
	}
}

// Connections to the origin of the base URL go to another address, without a proxy. Everything else stays the same, and
// so does all that has another origin.
func TestConnectToIsForOneOrigin(t *testing.T) {
	t.Parallel()
	const upperCase = "https://FILETRANSFER.example/instance"
	other := instancetest.New(t, instancetest.WithTLS(), instancetest.WithDefault(instancetest.Status(404)))
	server := instancetest.New(t, instancetest.WithClientCertificate(), instancetest.WithScript(
		instancetest.Redirect(302, upperCase), instancetest.Redirect(302, other.URL()+"/x"),
		instancetest.Redirect(302, upperCase), instancetest.Status(404)))
	proxy := instancetest.NewProxy(t, instancetest.WithProxyRefusal(403))
	request, config := newRequest(t, proxiedHTTPS), newConfig()
	config.ClientCertificate = &clientCertificate
	config.ConnectTo, config.ConnectToOrigin = server.Address(), request.BaseURL.Origin
	c := newClient(t, config, "HTTPS_PROXY="+proxy.URL())

	check(t, "Route after a redirect to another origin", failedRead(t, c, request).Failure.Route, client.Route{
		URL: proxiedHTTPS + "/instance", HeadersSent: true, RedirectedTo: other.URL() + "/x", HeadersWithheld: true,
	})
	check(t, "Route", failedRead(t, c, request).Failure.Route, client.Route{
		URL: proxiedHTTPS + "/instance", ConnectTo: server.Address(), HeadersSent: true, RedirectedTo: upperCase,
	})
	for _, sent := range server.Requests() {
		check(t, "Host", strings.ToLower(sent.Host), instancetest.ProxiedHost)
		check(t, "name in TLS", strings.ToLower(sent.TLSName), instancetest.ProxiedHost)
		check(t, "Authorization", sent.Header.Get("Authorization"), secret)
		check(t, "certificate sent", sent.ClientCertificate, true)
	}
	check(t, "number of connections to the proxy", proxy.Connections(), 0)
	got := failedRead(t, c, newRequest(t, proxiedHTTPS+":8443"))
	check(t, "Route of another port", got.Failure.Route, client.Route{
		URL: proxiedHTTPS + ":8443/instance", Proxy: proxy.Address(),
	})
	got = failedRead(t, c, newRequest(t, proxiedHTTP+":443"))
	checkFailure(t, got, failing{"host name not resolved", retried, ""}) // which is another origin, too

	config.ConnectTo = instancetest.ReserveAddress(t)
	request.Headers = http.Header{"X-Server": {config.ConnectTo}} // what everybody can see in connect_to hides no evidence
	got = failedRead(t, newClient(t, config), request)
	checkFailure(t, got, failing{"connection failed", retried, "dial tcp " + config.ConnectTo})
}

func TestReadsGoThroughAProxy(t *testing.T) {
	t.Parallel()
	credentials := "Basic " + base64.StdEncoding.EncodeToString([]byte(`corp\pr0xy-user:pr0xy/pa@ssw0rd`))
	for scheme, options := range map[string][]instancetest.ProxyOption{
		"http": nil, "https": {instancetest.WithProxyCertificate(instancetest.CertificateValid)},
	} {
		for url, option := range map[string]instancetest.Option{
			proxiedHTTP: instancetest.WithPlainHTTP(), proxiedHTTPS: instancetest.WithClientCertificate(),
		} {
			t.Run(scheme+" for "+url, func(t *testing.T) {
				t.Parallel()
				server, config := instancetest.New(t, option), newConfig()
				proxy := instancetest.NewProxy(t, append(options, instancetest.WithProxyTarget(server))...)
				config.ClientCertificate = &clientCertificate
				proxyURL := scheme + "://" + proxyUser + proxy.Address() + "/" // often written with this slash
				c := newClient(t, config, "http_proxy="+proxyURL, "https_proxy="+proxyURL)
				check(t, "Route", mustRead(t, c, newRequest(t, url)).Route, client.Route{
					URL: url + "/instance", Proxy: proxy.Address(), HeadersSent: true,
				})
				mustRead(t, c, newRequest(t, server.URL())) // loopback needs no proxy

				check(t, "number of requests to the proxy", len(proxy.Requests()), 1)
				sent := proxy.Requests()[0].Header
				check(t, "Proxy-Authorization", sent.Get("Proxy-Authorization"), credentials)
				check(t, "User-Agent", sent.Get("User-Agent"), userAgent)
				check(t, "Authorization sent to the proxy itself", sent.Get("Authorization") != "", url == proxiedHTTP)
				check(t, "Authorization", server.Requests()[0].Header.Get("Authorization"), secret)
			})
		}
	}
}

func TestFailuresWithAProxy(t *testing.T) {
	t.Parallel()
	const failed, http407 = "proxy failed", "status 407 Proxy Authentication Required"
	nowhere := instancetest.ReserveAddress(t)
	refusing := func(status int) string {
		return instancetest.NewProxy(t, instancetest.WithProxyRefusal(status)).Address()
	}
	expired := instancetest.NewProxy(t, instancetest.WithProxyCertificate(instancetest.CertificateExpired)).Address()
	echo := instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
		_, _ = io.WriteString(w, r.Header.Get("Proxy-Authorization"))
	})
	echoing := instancetest.New(t, instancetest.WithDefault(echo)).Address()
	const notShown = "(not shown, because it repeats a secret)"
	busy := hostOf(t, reply("HTTP/1.1 429 Busy\r\nRetry-After: 0\r\n\r\n"))
	of407 := instancetest.New(t, instancetest.WithTLS(), instancetest.WithDefault(instancetest.Status(407)))
	tunnel := instancetest.NewProxy(t, instancetest.WithProxyTarget(of407)).Address()
	redirecting := instancetest.New(t, instancetest.WithDefault(instancetest.Redirect(302, proxiedHTTP+"/x"))).URL()
	behindSOCKS := hostOf(t, func(c net.Conn) { // a SOCKS5 proxy (RFC 1928), which connects to nothing
		greeting, request := make([]byte, 4), make([]byte, len("\x05\x01\x00\x03\x14"+instancetest.ProxiedHost+"\x00\x50"))
		_, _ = io.ReadFull(c, greeting)
		_, _ = io.WriteString(c, "\x05\x00")
		_, _ = io.ReadFull(c, request)
		_, _ = io.WriteString(c, "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
		reply("HTTP/1.1 407 X\r\n\r\n")(c)
	})
	for name, test := range map[string]struct {
		scheme, proxy, url string
		want               failing
	}{
		"refuses":            {"http", refusing(403), proxiedHTTPS, failing{failed, final, "did not connect: status 403"}},
		"is busy":            {"http", busy, proxiedHTTPS, failing{failed, retried, "status 429 Busy, Retry-After: 0"}},
		"down":               {"http", nowhere, proxiedHTTPS, failing{failed, retried, "proxyconnect tcp: dial tcp"}},
		"not found":          {"http", "h.invalid:3128", proxiedHTTP, failing{failed, retried, "lookup h.invalid"}},
		"https, not trusted": {"https", expired, proxiedHTTPS, failing{failed, final, "has expired"}},
		"SOCKS, down":        {"socks5h", nowhere, proxiedHTTPS, failing{failed, retried, "dial tcp " + nowhere}},

		// What comes from beyond the proxy, or may do so, is a failure of the instance, but for a forwarded 407.
		"refuses, HTTP":        {"http", refusing(403), proxiedHTTP, failing{"status 403 Forbidden", final, ""}},
		"407 after a redirect": {"http", echoing, redirecting, failing{failed, final, "407 Proxy Authentication Required: " + notShown}},
		"407 in a tunnel":      {"http", tunnel, proxiedHTTPS, failing{http407, final, "status 407"}},
		"407 behind SOCKS":     {"socks5", behindSOCKS, proxiedHTTP, failing{http407, final, "status 407 X"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxyURL := test.scheme + "://" + proxyUser + test.proxy
			c := newClient(t, newConfig(), "HTTP_PROXY="+proxyURL, "HTTPS_PROXY="+proxyURL)
			got := failedRead(t, c, newRequest(t, test.url))
			checkFailure(t, got, test.want)
			check(t, "Proxy", got.Failure.Route.Proxy, test.proxy)
		})
	}
}

// What the URL of a proxy shows after its credentials is public, even if the user name is a part of it.
func TestProxyHostIsShown(t *testing.T) {
	t.Parallel()
	c := newClient(t, newConfig(), "HTTP_PROXY=http://gateway-eu:12345678@gateway-eu.invalid:3128")
	got := failedRead(t, c, newRequest(t, proxiedHTTP))
	check(t, "Proxy", got.Failure.Route.Proxy, "gateway-eu.invalid:3128")
	checkFailure(t, got, failing{"proxy failed", retried, "lookup gateway-eu.invalid"})
}

// A plain proxy that fails before a tunnel is open, or before a response has come, is at fault, whatever of it net/http
// meets first. Without it, the same server is an instance without a valid response.
func TestProxyThatIsNone(t *testing.T) {
	t.Parallel()
	const malformed, webServer = `malformed HTTP response "SSH-2.0-x"`, "HTTP/1.1 405 X\r\nContent-Length: 0\r\n\r\n"
	const webPage = "HTTP/1.1 200 X\r\nContent-Length: 6\r\n\r\n<html>"
	for name, test := range map[string]struct {
		serve  func(net.Conn)
		reason string // of a proxy for http, and of one for https, if that has the same
		https  failing
	}{
		"resets":      {instancetest.ResetConnection, "connection reset by peer", failing{"proxy failed", final, ""}}, // or EOF
		"closes":      {reply(""), "EOF", failing{"proxy failed", final, "unexpected EOF"}},
		"garbage":     {reply("SSH-2.0-x\r\n"), malformed, failing{"proxy failed", final, malformed}},
		"web server":  {reply(webServer), "", failing{"proxy failed", final, "the proxy did not connect: status 405 X"}},
		"web page":    {reply(webPage), "", failing{"proxy failed", final, "the proxy did not connect: status 200 X"}},
		"TLS, closed": {reply("HTTP/1.1 200 X\r\n\r\n"), "", failing{"no valid response", final, "EOF"}}, // behind the tunnel
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, config := hostOf(t, test.serve), newConfig()
			config.Retry.MaxAttempts = 1
			c := newClient(t, config, "HTTP_PROXY=http://"+host, "HTTPS_PROXY=http://"+host)
			for range 20 {
				checkFailure(t, failedRead(t, c, newRequest(t, proxiedHTTPS)), test.https)
				if test.reason != "" {
					checkFailure(t, failedRead(t, c, newRequest(t, proxiedHTTP)), failing{"proxy failed", final, test.reason})
					checkFailure(t, failedRead(t, c, newRequest(t, "http://"+host)), failing{"no valid response", final, test.reason})
				}
			}
		})
	}
}

// However wrong the URL of a proxy is, no text has a part of its password, or of what Go takes for its host by mistake.
func TestProxyURLsThatAreWrong(t *testing.T) {
	t.Parallel()
	for _, proxyURL := range []string{
		proxyUser + "h.invalid", "ftp://" + proxyUser + "h.invalid", "http://" + proxyUser, "http://" + proxyUser + "[::1",
		"http://" + proxyUser + "h\n.invalid", "http://pr0xy-u:12@passw0rd@h.invalid", "http://pr0xy-u:12/passw0rd@h.invalid",
		"http://pr0xy-u:12?passw0rd@h.invalid", "http://pr0xy-u:12#passw0rd@h.invalid",
	} {
		failedRead(t, newClient(t, newConfig(), "HTTP_PROXY="+proxyURL), newRequest(t, proxiedHTTP))
		failedRead(t, newClient(t, newConfig(), "HTTPS_PROXY="+proxyURL), newRequest(t, proxiedHTTPS))
	}
}
