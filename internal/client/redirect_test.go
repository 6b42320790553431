package client_test

import (
	"fmt"
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
	toFiles := instancetest.Redirect(302, "/files/instance") // the next one is relative to it
	for location, path := range map[string]string{
		"api/instance": "/files/api/instance",
		"../b":         "/b",
		"?session=1":   "/files/instance",
		"/a%2Fb#top":   "/a/b",
	} {
		t.Run(location, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithScript(toFiles, instancetest.Redirect(302, location)),
				instancetest.WithDefault(instancetest.Body(200, "", instancetest.Newer().JSON())))
			mustRead(t, newClient(t, newConfig()), newRequest(t, server.URL()))
			check(t, "path", server.Requests()[2].Path, path)
		})
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithTLS(), instancetest.WithScript(instancetest.Redirect(status, "/instance")))
			mustRead(t, newClient(t, newConfig()), newRequest(t, server.URL()))
			check(t, "Authorization within one origin", server.Requests()[1].Header.Get("Authorization"), secret)
		})
	}
}

// Extra headers and the client certificate stay with the origin that they are meant for. They are not sent any more once a redirect has
// left it, even if the next one leads back.
func TestHeadersAndCertificateStayWithTheirOrigin(t *testing.T) {
	t.Parallel()
	plain, tls := instancetest.WithPlainHTTP(), instancetest.WithTLS()
	tests := map[string]struct {
		first, second instancetest.Option // of the instance, and of the server to which it redirects
		host          string              // of that server in the redirect
		leadsBack     bool                // to http, and without the certificate, there is no way back
		isMutual      bool
	}{
		"other port":   {plain, plain, "127.0.0.1", true, false},
		"other host":   {plain, plain, "localhost", true, false},
		"other scheme": {plain, tls, "127.0.0.1", false, false},
		"mutual TLS":   {instancetest.WithClientCertificate(), tls, "127.0.0.1", false, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := instancetest.New(t, test.first), instancetest.New(t, test.second)
			first.SetScript(instancetest.Redirect(302, strings.Replace(second.URL(), "127.0.0.1", test.host, 1)+"/there?token=x"))
			if test.leadsBack {
				second.SetScript(instancetest.Redirect(307, first.URL()+"/instance"))
			} else {
				second.SetScript(instancetest.Body(200, "", instancetest.Newer().JSON()))
			}
			config := newConfig()
			config.TLS = certified
			request := newRequest(t, first.URL())
			request.Headers = http.Header{
				"Authorization": {secret}, "Cookie": {"a=b"}, "X-Api-Key": {"k3y"}, "Accept": {"text/plain"}, "User-Agent": {"mine"},
			}
			mustRead(t, newClient(t, config), request)
			want := ownHeaders()
			maps.Copy(want, request.Headers)
			sent := first.Requests()[0]
			check(t, "headers sent to the instance", fmt.Sprint(sent.Header), fmt.Sprint(want))
			check(t, "Host", sent.Host, first.Address())
			check(t, "certificate sent to the instance", sent.ClientCertificate, test.isMutual)
			if test.leadsBack {
				check(t, "headers sent on the way back", fmt.Sprint(first.Requests()[1].Header), fmt.Sprint(ownHeaders()))
			}
			check(t, "number of requests to the other origin", len(second.Requests()), 1)
			stray := second.Requests()[0]
			check(t, "target", stray.Path+"?"+stray.RawQuery, "/there?token=x")
			check(t, "headers sent to the other origin", fmt.Sprint(stray.Header), fmt.Sprint(ownHeaders()))
			check(t, "certificate sent to the other origin", stray.ClientCertificate, false)
			checkContains(t, "Host", stray.Host, test.host+":")
		})
	}
}

func TestRedirectsThatAreNotFollowed(t *testing.T) {
	t.Parallel()
	tests := make(map[string]failing)
	for location, reason := range map[string]string{
		"http://files.example.org/x?s3cret":       "a redirect to http://files.example.org/x, which would give up TLS",
		"http://files\u202e.example.org/\u202e":   "a redirect to http://files",
		"http://" + strings.Repeat("a", 10_000):   "aaa…",
		"ftp://h/" + strings.Repeat("p", 700):     "p…, which is neither http nor https",
		"ftp://files.example.org/x?s3cret":        "a redirect to ftp://files.example.org/x, which is neither http nor https",
		"javascript:alert(1)":                     "which is neither http nor https",
		"https://user:s3cret@files.example.org/x": "a redirect to https://files.example.org/x, which has user info",
		"https:files":                  "which has no host",
		"https://:80/":                 "which has no host",
		"http://[::1/s3cret":           "a redirect to a URL that is not valid",
		"//::/x?s3cret":                "a redirect to a URL that is not valid",
		"https://h:99999/x":            "a redirect to a URL that is not valid",
		"https://a%22b.example/s3cret": "a redirect to a URL that is not valid",
	} {
		server := instancetest.New(t, instancetest.WithTLS(), instancetest.WithScript(instancetest.Redirect(302, location)))
		tests[location[:min(len(location), 30)]] = failing{server.URL(), client.RedirectNotFollowed, final, reason}
	}
	secure := instancetest.New(t, instancetest.WithTLS(), instancetest.WithScript(instancetest.Redirect(302, "http://files.example.org/x")))
	tests["back to http"] = failing{
		serverURL(t, instancetest.Redirect(302, secure.URL())), client.RedirectNotFollowed, final, "which would give up TLS",
	}
	checkFailures(t, tests)
	loop := instancetest.New(t, instancetest.WithOtherRoutes(), instancetest.WithDefault(instancetest.Redirect(302, "/there?s3cret")))
	got := readError(t, newClient(t, newConfig()), newRequest(t, loop.URL()))
	checkFailure(t, got, failing{"", client.RedirectNotFollowed, final, "a redirect to " + loop.URL() + "/there, after 5 redirects"})
	check(t, "RedirectedTo", got.Failure.Asked.RedirectedTo, loop.URL()+"/there")
	check(t, "number of requests", len(loop.Requests()), 6)
}

// Neither does the certificate reach its own origin after a redirect away and back.
func TestCertificateIsNotSentOnTheWayBack(t *testing.T) {
	t.Parallel()
	first := instancetest.New(t, instancetest.WithClientCertificate(), instancetest.WithTLS12())
	second := instancetest.New(t, instancetest.WithTLS())
	first.SetScript(instancetest.Redirect(302, second.URL()+"/there"))
	second.SetScript(instancetest.Redirect(302, first.URL()+"/back"))
	config := newConfig()
	config.TLS, config.Retry.MaxAttempts = certified, 1
	got := readError(t, newClient(t, config), newRequest(t, first.URL()))
	checkFailure(t, got, failing{"", client.HandshakeFailed, final, "tls: "})
	check(t, "CertificateSent", got.Failure.Asked.CertificateSent, true) // in the first exchange
	check(t, "CertificateWithheld", got.Failure.Asked.CertificateWithheld, true)
	check(t, "number of requests with the certificate", len(first.Requests()), 1)
}

// A host that is not ASCII is mapped in one way only. net/http would connect to one host, and name another in the request, with the headers
// that are for the first.
func TestRedirectToAHostInAnotherSpelling(t *testing.T) {
	t.Parallel()
	server, proxy := instancetest.New(t), instancetest.New(t)
	_, port, _ := net.SplitHostPort(server.Address())
	server.SetScript(instancetest.Redirect(302, "http://local%E2%93%97ost:"+port+"/instance"))
	mustRead(t, newClient(t, newConfig()), newRequest(t, "http://localhost:"+port))
	check(t, "Host of the second request", server.Requests()[1].Host, "localhost:"+port)

	proxy.SetScript(instancetest.Redirect(302, "http://files%EF%BC%8Eexample.org/instance"))
	mustRead(t, newClient(t, newConfig(), "HTTP_PROXY="+proxy.Origin()), newRequest(t, "http://files.example.org"))
	check(t, "Host at the proxy", proxy.Requests()[1].Host, "files.example.org")
	check(t, "Authorization at the proxy", proxy.Requests()[1].Header.Get("Authorization"), secret)
}

// A failure says what was asked before the redirect and after it. The query of the redirect is left out.
func TestFailureAfterARedirectSaysWhereItLed(t *testing.T) {
	t.Parallel()
	demanding := func(s *instancetest.Server) { // in the handshake itself
		instancetest.WithClientCertificate()(s)
		instancetest.WithTLS12()(s)
	}
	nowhere := "http://" + instancetest.ReserveAddress(t)
	server := func(option instancetest.Option) string {
		return instancetest.New(t, option, instancetest.WithPath("/there")).URL()
	}
	tests := map[string]struct {
		target string
		kind   client.Kind
	}{
		"refused":              {nowhere, client.ConnectionFailed},
		"not found":            {"http://nonexistent.invalid/there", client.HostNotResolved},
		"credentials withheld": {server(instancetest.WithRequiredHeader("Authorization", secret)), client.Status},
		"certificate withheld": {server(demanding), client.HandshakeFailed},
		"closed":               {server(instancetest.WithDefault(instancetest.CloseConnection())), client.ConnectionBroken},
		"wrong name":           {server(instancetest.WithCertificate(instancetest.CertificateWrongHost)), client.CertificateNotTrusted},
		"login page":           {server(instancetest.WithDefault(instancetest.Body(200, "text/html", "<title>Sign in</title>"))), client.NotJSON},
	}
	config := newConfig()
	config.TLS, config.Retry.MaxAttempts = certified, 1
	c := newClient(t, config)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			location := test.target + "/instance"
			request := newRequest(t, serverURL(t, instancetest.Redirect(302, location+"?token=s3cret#fragment")))
			failure := readError(t, c, request).Failure
			check(t, "Kind", failure.Kind, test.kind)
			check(t, "Asked", failure.Asked, client.Asked{
				URL: request.BaseURL.DocumentURL.String(), RedirectedTo: location, HeadersSent: true, HeadersWithheld: true, CertificateWithheld: true,
			})
			request.Headers = nil
			without := readError(t, c, request).Failure.Asked
			check(t, "HeadersSent or HeadersWithheld without headers", without.HeadersSent || without.HeadersWithheld, false)
		})
	}
}

// A redirect within the origin leaves nothing behind. One to the same URL is a redirect, too.
func TestRedirectWithinAnOrigin(t *testing.T) {
	t.Parallel()
	config := newConfig()
	config.TLS = certified
	c := newClient(t, config)
	server := instancetest.New(t, instancetest.WithClientCertificate(), instancetest.WithDefault(instancetest.Status(403)))
	longest := "/" + strings.Repeat("a", 200-len(server.URL()))
	for location, want := range map[string]string{
		"/other": server.URL() + "/other", "/instance": server.URL() + "/instance", longest: server.URL() + longest[:199-len(server.URL())] + "…",
	} {
		server.SetScript(instancetest.Redirect(302, location))
		check(t, "Asked", readError(t, c, newRequest(t, server.URL())).Failure.Asked, client.Asked{
			URL: server.URL() + "/instance", RedirectedTo: want, HeadersSent: true, CertificateSent: true,
		})
	}
}
