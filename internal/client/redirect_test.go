package client_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestRedirectsAreFollowed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		script []instancetest.Step
		paths  []string
	}{
		"relative": {
			[]instancetest.Step{instancetest.Redirect(302, "api/instance"), instancetest.Redirect(302, "../b")}, []string{"/instance", "/api/instance", "/b"},
		},
		"query":     {[]instancetest.Step{instancetest.Redirect(302, "?session=1")}, []string{"/instance", "/instance"}},
		"fragment":  {[]instancetest.Step{instancetest.Redirect(302, "/a#top")}, []string{"/instance", "/a"}},
		"escaped":   {[]instancetest.Step{instancetest.Redirect(302, "/a%2Fb")}, []string{"/instance", "/a/b"}},
		"to itself": {[]instancetest.Step{instancetest.Redirect(302, "/instance")}, []string{"/instance", "/instance"}},
		"five, of each status": {
			[]instancetest.Step{instancetest.Redirect(301, "/1"), instancetest.Redirect(302, "/2"), instancetest.Redirect(303, "/3"), instancetest.Redirect(307, "/4"), instancetest.Redirect(308, "/5")},
			[]string{"/instance", "/1", "/2", "/3", "/4", "/5"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithTLS(), instancetest.WithScript(test.script...), instancetest.WithDefault(instancetest.Body(200, "", instancetest.Newer().JSON())))
			read(t, server.URL(), trusting(server), withHeaders(t, map[string]string{"X-Api-Key": "k3y"}))
			var paths []string
			for _, request := range server.Requests() {
				paths = append(paths, request.Path)
				if request.Method != http.MethodGet || request.Header.Get("X-Api-Key") != "k3y" || request.Header["Referer"] != nil {
					t.Errorf("the request within one origin was %+v", request)
				}
			}
			if !slices.Equal(paths, test.paths) {
				t.Errorf("asked for %q, want %q", paths, test.paths)
			}
		})
	}
}

// A redirect costs no connection, unless its body is so large that waiting for it would cost more. Go 1.26 closes the
// connection of a large body, and 1.27 reads for 50 ms first: neither can use it again while the body does not come.
func TestOnlyASmallBodyOfARedirectIsRead(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		redirect    instancetest.Step
		connections int
	}{
		"small": {instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(2<<10))
			redirect(w, "/a")
			_, _ = w.Write(make([]byte, 2<<10))
		}), 1},
		"small, chunked": {instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
			redirect(w, "/a")
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write(make([]byte, 1<<10))
		}), 1},
		"large": {instancetest.Verbatim(fmt.Sprintf("HTTP/1.1 302 Found\r\nLocation: /a\r\nContent-Length: %d\r\n\r\n", 2<<10+1), instancetest.Silent()), 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithScript(test.redirect), instancetest.WithDefault(instancetest.Body(200, "", instancetest.Newer().JSON())))
			read(t, server.URL(), attempts(1))
			if n := server.Connections(); n != test.connections {
				t.Errorf("%d connections, want %d", n, test.connections)
			}
		})
	}
}

// Extra headers and the client certificate stay with the origin they were meant for, and go there again when a
// redirect leads back.
func TestHeadersAndCertificateStayWithTheirOrigin(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		first, second []instancetest.Option
		location      func(second *instancetest.Server) string
	}{
		"other port": {nil, nil, (*instancetest.Server).URL},
		"other host": {nil, nil, func(second *instancetest.Server) string {
			return strings.Replace(second.URL(), "127.0.0.1", "localhost", 1)
		}},
		"other scheme": {nil, []instancetest.Option{instancetest.WithTLS()}, (*instancetest.Server).URL},
		"mutual TLS":   {[]instancetest.Option{instancetest.WithClientCertificate()}, []instancetest.Option{instancetest.WithTLS()}, (*instancetest.Server).URL},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := instancetest.New(t, test.first...), instancetest.New(t, test.second...)
			first.SetScript(instancetest.Redirect(302, test.location(second)+"/there?token=x"))
			second.SetScript(instancetest.Redirect(307, first.URL()+"/instance"))
			if first.URL()[:5] != second.URL()[:5] { // not back to http
				second.SetScript(instancetest.Body(200, "", instancetest.Newer().JSON()))
			}
			read(t, first.URL(), trusting(first), withClientCert(first), withHeaders(t, map[string]string{
				"Authorization": secret, "Cookie": "a=b", "X-Api-Key": "k3y",
				"Host": "files.example.org", "Accept": "text/plain", "User-Agent": "mine",
			}))
			for _, request := range first.Requests() {
				if request.Header.Get("Authorization") != secret || request.Host != "files.example.org" ||
					request.Header.Get("User-Agent") != "mine" || request.ClientCertificate != (test.first != nil) {
					t.Errorf("the instance's own origin was sent %+v", request)
				}
			}
			want := http.Header{"Accept": {"application/json"}, "Cache-Control": {"no-cache"}, "User-Agent": {userAgent}, "Accept-Encoding": {"gzip"}}
			strays := second.Requests()
			if len(strays) != 1 || strays[0].Path != "/there" || strays[0].RawQuery != "token=x" || strays[0].ClientCertificate ||
				!sameHeader(strays[0].Header, want) || strays[0].Host == "files.example.org" {
				t.Errorf("the other origin was sent %+v", strays)
			}
		})
	}
}

func TestRedirectsThatAreNotFollowedAreNamedWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		location string
		words    []string
		requests int
	}{
		"https to http":        {"http://files.example.org/x?s3cret", []string{"from https to http://files.example.org/x", "give up TLS"}, 1},
		"ftp":                  {"ftp://files.example.org/x?s3cret", []string{"to ftp://files.example.org/x", "neither http nor https"}, 1},
		"javascript":           {"javascript:alert(1)", []string{"redirect to javascript:", "neither http nor https"}, 1},
		"user info":            {"https://user:s3cret@files.example.org/x", []string{"user info", "https://files.example.org/x"}, 1},
		"no host":              {"https:///x", []string{"redirect to a URL without a host"}, 1},
		"opaque":               {"https:files", []string{"redirect to a URL without a host"}, 1},
		"port only":            {"https://:80/", []string{"redirect to a URL without a host"}, 1},
		"not valid":            {"http://[::1/s3cret", []string{"redirect to a URL that is not valid"}, 1},
		"without a valid form": {"//::?s3cret", []string{"redirect to a URL that is not valid"}, 1},
		"loop":                 {"/instance?s3cret", []string{"more than 5 redirects", "redirected to"}, 6},
		"direction characters": {"http://files\u202e.example.org/\u202e", []string{"redirect from https to http://files.example.org/"}, 1},
		"endless host":         {"http://" + strings.Repeat("a", 10_000), []string{"would give up TLS", "aaa…"}, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithTLS(), instancetest.WithDefault(instancetest.Redirect(302, test.location)))
			failure := readFailure(t, server.URL(), trusting(server))
			checkContains(t, failure.Error(), test.words...)
			if failure.StableReason != "redirect not followed" || failure.StatusCode != 0 || failure.Attempts != 1 {
				t.Errorf("%+v", failure)
			}
			if strings.Contains(failure.Error(), "s3cret") {
				t.Errorf("%q repeats a query, user info or an invalid URL", failure)
			}
			if n := len(server.Requests()); n != test.requests {
				t.Errorf("%d requests, want %d", n, test.requests)
			}
		})
	}
}

// The query of the redirect is left out. OtherOrigin says that headers and certificate were not sent there.
func TestFailureAfterARedirectSaysWhereItLed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		target       instancetest.Option
		stableReason string
		hint         client.Hint
		tries        int
	}{
		"credentials withheld":    {instancetest.WithRequiredHeader("Authorization", secret), "status 401 Unauthorized", 0, 1},
		"certificate withheld":    {instancetest.WithClientCertificate(), "TLS handshake failed", client.HintClientCertificate, 1},
		"closed":                  {instancetest.WithDefault(instancetest.CloseConnection()), "connection broken", 0, 4},
		"path repeated":           {instancetest.WithDefault(instancetest.Status(404)), "status 404 Not Found", 0, 1},
		"not trusted, wrong name": {instancetest.WithCertificate(instancetest.CertificateWrongHost), "certificate not trusted", client.HintWrongName, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := instancetest.New(t, test.target, instancetest.WithPath("/there"))
			server := instancetest.New(t, instancetest.WithDefault(instancetest.Redirect(302, target.Origin()+"/there/instance?token=s3cret#fragment")))
			failure := readFailure(t, server.URL(), trusting(target), withClientCert(target))
			if failure.StableReason != test.stableReason || failure.Hint != test.hint || failure.Attempts != test.tries ||
				!failure.OtherOrigin || !failure.ExtraHeaders || failure.RedirectedTo != target.Origin()+"/there/instance" {
				t.Errorf("%+v, want stableReason %q, hint %d after %d attempts", failure, test.stableReason, test.hint, test.tries)
			}
			checkContains(t, failure.Error(), "GET "+server.URL()+"/instance (redirected to "+target.Origin()+"/there/instance): ")
			if strings.ContainsAny(failure.Error(), "?#") {
				t.Errorf("%q repeats the query", failure)
			}
		})
	}
	same := instancetest.New(t, instancetest.WithScript(instancetest.Redirect(302, "/other")), instancetest.WithDefault(instancetest.Status(403)))
	if failure := readFailure(t, same.URL()); failure.OtherOrigin || failure.RedirectedTo != same.URL()+"/other" {
		t.Errorf("%+v", failure)
	}
}

// The stage that a timeout names is that of the request that took the time. If that was the redirect, its target is not named.
func TestTimeoutNamesTheRequestThatTookTheTime(t *testing.T) {
	t.Parallel()
	silent := "https://" + instancetest.NewRaw(t, instancetest.Await).Address()
	tests := map[string]struct {
		redirect             instancetest.Step
		redirectedTo, reason string
	}{
		"target":   {instancetest.Redirect(302, silent), silent, "connected, but no TLS handshake in time"},
		"redirect": {instancetest.Verbatim("HTTP/1.1 302 Found\r\nLocation: "+silent+"\r\nContent-Length: 9\r\n\r\n", instancetest.Silent()), "", "no complete response in time"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithDefault(test.redirect))
			failure := readFailure(t, server.URL(), attempts(1), timeout(short))
			if failure.RedirectedTo != test.redirectedTo || failure.Reason != test.reason {
				t.Errorf("%+v", failure)
			}
		})
	}
}
