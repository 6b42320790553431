package client_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestRedirectsAreFollowed(t *testing.T) {
	t.Parallel()
	toFiles := instancetest.Redirect(302, "/files/instance") // the next one is relative to it
	for location, path := range map[string]string{
		"api/instance": "/files/api/instance",
		"../b":         "/b",
		"?session=1":   "/files/instance",
		"/a#top":       "/a",
		"/a%2Fb":       "/a/b",
		"/instance":    "/instance",
	} {
		t.Run(location, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithScript(toFiles, instancetest.Redirect(302, location)),
				instancetest.WithDefault(instancetest.Body(200, "", instancetest.Newer().JSON())))
			mustRead(t, newClient(t, newConfig()), newRequest(t, server.URL()))
			check(t, "path", server.Requests()[2].Path, path)
		})
	}
	var redirects []instancetest.Step
	for _, status := range []int{301, 302, 303, 307, 308} {
		redirects = append(redirects, instancetest.Redirect(status, "/instance"))
	}
	server := instancetest.New(t, instancetest.WithTLS(), instancetest.WithScript(redirects...))
	mustRead(t, newClient(t, newConfig()), newRequest(t, server.URL()))
	want := ownHeaders()
	want.Set("Authorization", secret)
	for _, request := range server.Requests() {
		check(t, "method", request.Method, http.MethodGet)
		checkHeaders(t, "headers within one origin", request.Header, want)
	}
}

// A read waits for the body of a redirect only if that is known to be small: then it can go on using the connection.
func TestLargeBodyOfARedirectIsNotAwaited(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 302 Found\r\nLocation: /instance\r\n"
	large := instancetest.Verbatim(head+"Content-Length: 2049\r\n\r\n", instancetest.Silent())
	server := instancetest.New(t, instancetest.WithScript(large, instancetest.Verbatim(head+"\r\n", instancetest.Silent())))
	config := newConfig()
	config.Retry.MaxAttempts = 1
	mustRead(t, newClient(t, config), newRequest(t, server.URL()))
}

// Extra headers and the client certificate stay with the origin they were meant for, and go there again when a
// redirect leads back.
func TestHeadersAndCertificateStayWithTheirOrigin(t *testing.T) {
	t.Parallel()
	plain, tls := instancetest.WithPlainHTTP(), instancetest.WithTLS()
	tests := map[string]struct {
		first, second instancetest.Option // of the instance, and of the server to which it redirects
		host          string              // of that server in the redirect
	}{
		"other port":   {plain, plain, "127.0.0.1"},
		"other host":   {plain, plain, "localhost"},
		"other scheme": {plain, tls, "127.0.0.1"},
		"mutual TLS":   {instancetest.WithClientCertificate(), tls, "127.0.0.1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := instancetest.New(t, test.first), instancetest.New(t, test.second)
			first.SetScript(instancetest.Redirect(302, strings.Replace(second.URL(), "127.0.0.1", test.host, 1)+"/there?token=x"))
			second.SetScript(instancetest.Redirect(307, first.URL()+"/instance"))
			if name == "other scheme" { // there is no way back to http
				second.SetScript(instancetest.Body(200, "", instancetest.Newer().JSON()))
			}
			config := newConfig()
			config.TLS = certified
			request := newRequest(t, first.URL())
			request.Headers = http.Header{
				"Authorization": {secret}, "Cookie": {"a=b"}, "X-Api-Key": {"k3y"},
				"Host": {"files.example.org"}, "Accept": {"text/plain"}, "User-Agent": {"mine"},
			}
			mustRead(t, newClient(t, config), request)
			for _, sent := range first.Requests() {
				check(t, "Authorization", sent.Header.Get("Authorization"), secret)
				check(t, "User-Agent", sent.Header.Get("User-Agent"), "mine")
				check(t, "Host", sent.Host, "files.example.org")
				check(t, "certificate sent to the instance", sent.ClientCertificate, name == "mutual TLS")
			}
			check(t, "number of requests to the other origin", len(second.Requests()), 1)
			stray := second.Requests()[0]
			check(t, "target", stray.Path+"?"+stray.RawQuery, "/there?token=x")
			checkHeaders(t, "headers sent to the other origin", stray.Header, ownHeaders())
			check(t, "certificate sent to the other origin", stray.ClientCertificate, false)
			checkContains(t, "Host", stray.Host, test.host+":")
		})
	}
}

func TestRedirectsThatAreNotFollowedAreNamedWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	for location, reason := range map[string]string{
		"http://files.example.org/x?s3cret":       "a redirect from https to http://files.example.org/x, which would give up TLS",
		"http://files\u202e.example.org/\u202e":   "a redirect from https to http://files.example.org/",
		"http://" + strings.Repeat("a", 10_000):   "aaa…, which would give up TLS",
		"ftp://files.example.org/x?s3cret":        "a redirect to ftp://files.example.org/x, which is neither http nor https",
		"javascript:alert(1)":                     "a redirect to javascript:, which is neither http nor https",
		"https://user:s3cret@files.example.org/x": "a redirect to a URL with user info, at https://files.example.org/x",
		"https:files":        "a redirect to a URL without a host",
		"https://:80/":       "a redirect to a URL without a host",
		"http://[::1/s3cret": "a redirect to a URL that is not valid",
		"//::?s3cret":/* url.Parse accepts it */ "a redirect to a URL that is not valid",
	} {
		t.Run(location[:min(len(location), 30)], func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithTLS(), instancetest.WithScript(instancetest.Redirect(302, location)))
			got := readError(t, newClient(t, newConfig()), newRequest(t, server.URL()))
			checkFailure(t, got, client.KindRedirect, final, reason)
			check(t, "StatusCode", got.Failure.StatusCode, 0)
		})
	}
}

func TestFiveRedirectsAreFollowedAtMost(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithOtherRoutes())
	c, location := newClient(t, newConfig()), func(n int) string { return fmt.Sprintf("/%d?s3cret", n) }
	for last, test := range map[string]failing{
		location(6): {"/5", client.KindRedirect, "more than 5 redirects"},
		location(2): {"/5", client.KindRedirectLoop, "a redirect loop: it returns to " + server.URL() + "/2"},
		"/1?n=2":    {"/5", client.KindRedirectLoop, "it returns to " + server.URL() + "/1"}, // counts its rounds
	} {
		var script []instancetest.Step
		for n := range 5 {
			script = append(script, instancetest.Redirect(302, location(n+1)))
		}
		server.SetScript(append(script, instancetest.Redirect(302, last))...)
		got := readError(t, c, newRequest(t, server.URL()))
		checkFailure(t, got, test.kind, final, test.reason)
		check(t, "RedirectedTo", got.Failure.RedirectedTo, server.URL()+test.url)
	}
}

// The query of the redirect is left out. OtherOrigin says that headers and certificate were not sent there.
func TestFailureAfterARedirectSaysWhereItLed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		target instancetest.Option
		kind   *client.Kind
	}{
		"credentials withheld":    {instancetest.WithRequiredHeader("Authorization", secret), client.KindStatus},
		"certificate withheld":    {instancetest.WithClientCertificate(), client.KindClientCertificate},
		"closed":                  {instancetest.WithDefault(instancetest.CloseConnection()), client.KindBroken},
		"not trusted, wrong name": {instancetest.WithCertificate(instancetest.CertificateWrongHost), client.KindCertificateName},
	}
	config := newConfig()
	config.TLS = certified
	c := newClient(t, config)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := instancetest.New(t, test.target, instancetest.WithPath("/there"))
			location := target.URL() + "/instance"
			server := instancetest.New(t, instancetest.WithDefault(instancetest.Redirect(302, location+"?token=s3cret#fragment")))
			got := readError(t, c, newRequest(t, server.URL()))
			check(t, "Kind", got.Failure.Kind, test.kind)
			check(t, "OtherOrigin", got.Failure.OtherOrigin, true)
			check(t, "RedirectedTo", got.Failure.RedirectedTo, location)
			check(t, "Target()", got.Target(), "GET "+server.URL()+"/instance (redirected to "+location+")")
		})
	}
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Status(403)))
	server.SetScript(instancetest.Redirect(302, "/other"))
	failure := readError(t, c, newRequest(t, server.URL())).Failure
	check(t, "OtherOrigin within one origin", failure.OtherOrigin, false)
	check(t, "RedirectedTo within one origin", failure.RedirectedTo, server.URL()+"/other")

	proxied := newClient(t, config, "HTTPS_PROXY="+instancetest.NewProxy(t, instancetest.WithProxyRefusal(403)).URL())
	failure = readError(t, proxied, newRequest(t, serverURL(t, instancetest.Redirect(302, proxiedHTTPS)))).Failure
	check(t, "Proxy of the other scheme", strings.ToUpper(failure.Proxy), "HTTPS_PROXY") // other tests may have set https_proxy for a moment

	longest := server.URL() + "/" + strings.Repeat("a", 199-len(server.URL()))
	for path, want := range map[string]string{"": longest, "a": longest[:199] + "…"} {
		server.SetScript(instancetest.Redirect(302, longest+path))
		check(t, "RedirectedTo, cut", readError(t, c, newRequest(t, server.URL())).Failure.RedirectedTo, want)
	}
}

// The stage that a timeout names is that of the request that took the time, which here was not the redirect.
func TestTimeoutAfterARedirectNamesTheTarget(t *testing.T) {
	t.Parallel()
	silent := rawServer(t, "https", instancetest.Await)
	config := newConfig()
	config.Retry.MaxAttempts, config.RequestTimeout = 1, 2*short
	failure := readError(t, newClient(t, config), newRequest(t, serverURL(t, instancetest.Redirect(302, silent)))).Failure
	check(t, "RedirectedTo", failure.RedirectedTo, silent)
	checkContains(t, "Reason", failure.Reason, "connected, but no TLS handshake in time")
}
