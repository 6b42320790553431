package client_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestRedirectsFollowed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		script []it.Step
		paths  []string
	}{
		"301":            {[]it.Step{it.Redirect(301, "/a")}, []string{"/instance", "/a"}},
		"302":            {[]it.Step{it.Redirect(302, "/a")}, []string{"/instance", "/a"}},
		"303":            {[]it.Step{it.Redirect(303, "/a")}, []string{"/instance", "/a"}},
		"307":            {[]it.Step{it.Redirect(307, "/a")}, []string{"/instance", "/a"}},
		"308":            {[]it.Step{it.Redirect(308, "/a")}, []string{"/instance", "/a"}},
		"relative":       {[]it.Step{it.Redirect(302, "api/instance"), it.Redirect(302, "../b")}, []string{"/instance", "/api/instance", "/b"}},
		"query":          {[]it.Step{it.Redirect(302, "?session=1")}, []string{"/instance", "/instance"}},
		"fragment":       {[]it.Step{it.Redirect(302, "/a#top")}, []string{"/instance", "/a"}},
		"escaped":        {[]it.Step{it.Redirect(302, "/a%2Fb")}, []string{"/instance", "/a/b"}},
		"to itself once": {[]it.Step{it.Redirect(302, "/instance")}, []string{"/instance", "/instance"}},
		"five": {
			[]it.Step{it.Redirect(301, "/1"), it.Redirect(302, "/2"), it.Redirect(303, "/3"), it.Redirect(307, "/4"), it.Redirect(308, "/5")},
			[]string{"/instance", "/1", "/2", "/3", "/4", "/5"},
		},
		"with a large body": {
			[]it.Step{it.Func(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/a")
				w.WriteHeader(http.StatusFound)
				_, _ = w.Write(make([]byte, mebibyte))
			})},
			[]string{"/instance", "/a"},
		},
	}
	for name, test := range tests {
		for proto, option := range map[string]it.Option{"HTTP/1.1": it.WithTLSHTTP1(), "HTTP/2.0": it.WithTLS()} {
			t.Run(name+" over "+proto, func(t *testing.T) {
				t.Parallel()
				server := it.New(t, option, it.WithScript(test.script...), it.WithDefault(it.Body(200, "application/json", it.Newer().JSON())))
				read(t, server.URL(), trusting(server), withHeaders(t, map[string]string{"X-Api-Key": "k3y"}))
				requests := server.Requests()
				if len(requests) != len(test.paths) {
					t.Fatalf("%d requests, want %d", len(requests), len(test.paths))
				}
				for i, request := range requests {
					if request.Method != http.MethodGet || request.Path != test.paths[i] {
						t.Errorf("request %d is %s %s, want GET %s", i, request.Method, request.Path, test.paths[i])
					}
					if referer, sent := request.Header["Referer"]; sent {
						t.Errorf("request %d has the Referer %q", i, referer)
					}
					if request.Header.Get("X-Api-Key") != "k3y" {
						t.Errorf("request %d to the same origin lacks the extra header", i)
					}
				}
			})
		}
	}
}

func TestRedirectKeepsConnection(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithScript(it.Redirect(302, "/instance"), it.Redirect(302, "/instance")))
	read(t, server.URL())
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections for redirects within one origin, want 1", n)
	}
}

// Extra headers and the client certificate stay with the origin they were meant
// for, and go there again when a redirect leads back.
func TestRedirectToAnotherOrigin(t *testing.T) {
	t.Parallel()
	const toHost = "localhost" // another host name for the same address
	tests := map[string]struct {
		first, second []it.Option
		location      func(second *it.Server) string
		certificate   bool
	}{
		"other port": {nil, nil, (*it.Server).URL, false},
		"other host": {nil, nil, func(second *it.Server) string { return strings.Replace(second.URL(), "127.0.0.1", toHost, 1) }, false},
		"other scheme": {
			nil, []it.Option{it.WithTLS()}, (*it.Server).URL, false,
		},
		"HTTP/2": {[]it.Option{it.WithTLS()}, []it.Option{it.WithTLS()}, (*it.Server).URL, true},
		"HTTPS over HTTP/1": {
			[]it.Option{it.WithTLSHTTP1(), it.WithClientCertificate()}, []it.Option{it.WithTLSHTTP1()}, (*it.Server).URL, true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := it.New(t, test.first...), it.New(t, test.second...)
			first.SetScript(it.Redirect(302, test.location(second)+"/there?token=x"))
			second.SetScript(it.Redirect(307, first.URL()+"/instance"))
			if first.URL()[:5] != second.URL()[:5] { // not back to http
				second.SetScript(it.Body(200, "", it.Newer().JSON()))
			}
			options := []option{trusting(first), withHeaders(t, map[string]string{
				"Authorization": secret, "Cookie": "a=b", "X-Api-Key": "k3y", "Host": "files.example.org", "Accept": "text/plain", "User-Agent": "mine",
			})}
			if test.certificate {
				options = append(options, withClientCert(first))
			}
			read(t, first.URL(), options...)

			for i, request := range first.Requests() {
				if request.Header.Get("Authorization") != secret || request.Host != "files.example.org" || request.Header.Get("User-Agent") != "mine" {
					t.Errorf("request %d to the instance's own origin lacks its headers: %v", i, request.Header)
				}
				if request.ClientCertificate != test.certificate {
					t.Errorf("request %d to the instance's own origin: client certificate %t, want %t", i, request.ClientCertificate, test.certificate)
				}
			}
			strays := second.Requests()
			if len(strays) != 1 || strays[0].Path != "/there" || strays[0].RawQuery != "token=x" {
				t.Fatalf("requests to the other origin: %+v", strays)
			}
			want := http.Header{"Accept": {"application/json"}, "User-Agent": {userAgent}, "Accept-Encoding": {"gzip"}}
			for name, values := range strays[0].Header {
				if want.Get(name) != values[0] {
					t.Errorf("the other origin was sent %s: %v", name, values)
				}
			}
			if !strings.HasSuffix(strays[0].Host, second.Address()[strings.Index(second.Address(), ":"):]) {
				t.Errorf("the other origin was asked for the host %q", strays[0].Host)
			}
			if strays[0].ClientCertificate {
				t.Error("the other origin was shown the client certificate")
			}
		})
	}
}

func TestRedirectsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		instance []it.Option
		location string
		words    []string
	}{
		"https to http":        {[]it.Option{it.WithTLS()}, "http://files.example.org/x?token=s3cret", []string{"redirect from https to http://files.example.org/x", "would give up TLS"}},
		"https to HTTP":        {[]it.Option{it.WithTLSHTTP1()}, "HTTP://files.example.org/", []string{"would give up TLS"}},
		"file":                 {nil, "file:///etc/passwd", []string{"redirect to file:", "neither http nor https"}},
		"ftp":                  {nil, "ftp://files.example.org/x?s3cret", []string{"redirect to ftp://files.example.org/x", "neither http nor https"}},
		"javascript":           {nil, "javascript:alert(1)", []string{"redirect to javascript:", "neither http nor https"}},
		"user info":            {nil, "http://user:s3cret@files.example.org/x", []string{"user info", "http://files.example.org/x"}},
		"no host":              {nil, "http:///x", []string{"redirect to a URL without a host"}},
		"opaque":               {nil, "http:files", []string{"redirect to a URL without a host"}},
		"port only":            {nil, "http://:80/", []string{"redirect to a URL without a host"}},
		"not valid":            {nil, "http://[::1/s3cret", []string{"redirect to a URL that is not valid"}},
		"invalid escape":       {nil, "/%zz?s3cret", []string{"redirect to a URL that is not valid"}},
		"without a valid form": {nil, "//::?s3cret", []string{"redirect to a URL that is not valid"}},
		"loop":                 {nil, "/instance?s3cret", []string{"more than 5 redirects", "redirected to"}},
		"direction characters": {[]it.Option{it.WithTLS()}, "http://files\u202e.example.org/\u202e", []string{"redirect from https to http://files.example.org/"}},
		"endless host":         {[]it.Option{it.WithTLS()}, "http://" + strings.Repeat("a", 100_000), []string{"would give up TLS", "aaa…"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, append(test.instance, it.WithDefault(it.Redirect(302, test.location)))...)
			failure := failing(t, server.URL(), trusting(server))
			must(t, failure, client.KindRedirect, 1, test.words...)
			if strings.Contains(failure.Error(), "s3cret") {
				t.Errorf("the failure %q repeats a query, user info or an invalid URL", failure)
			}
			if failure.StatusCode != 302 {
				t.Errorf("status %d, want 302", failure.StatusCode)
			}
		})
	}
}

func TestSixthRedirectRefused(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	var script []it.Step
	for i := range 6 {
		script = append(script, it.Redirect(302, server.URL()+"/"+strconv.Itoa(i)+"?token=s3cret"))
	}
	server.SetScript(script...)
	failure := failOnce(t, server.URL())
	must(t, failure, client.KindRedirect, 1, "more than 5 redirects")
	if want := server.URL() + "/4"; failure.RedirectedTo != want {
		t.Errorf("redirected to %q, want %q", failure.RedirectedTo, want)
	}
	if n := len(server.Requests()); n != 6 {
		t.Errorf("%d requests, want 6", n)
	}
}

// What fails after a redirect names where it led, without the query, and counts
// as one attempt with the redirects before it.
func TestFailureAfterRedirect(t *testing.T) {
	t.Parallel()
	target := it.New(t, it.WithDefault(it.Status(503)))
	server := it.New(t, it.WithDefault(it.Redirect(302, target.URL()+"/there?token=s3cret#fragment")))
	failure := failing(t, server.URL())
	must(t, failure, client.KindStatus, 4, "GET "+server.URL()+"/instance: redirected to "+target.URL()+"/there: status 503")
	if strings.ContainsAny(failure.Error(), "?#") {
		t.Errorf("the failure %q repeats the query", failure)
	}
	if failure.RedirectedTo != target.URL()+"/there" {
		t.Errorf("redirected to %q", failure.RedirectedTo)
	}
	if n, m := len(server.Requests()), len(target.Requests()); n != 8 || m != 8 {
		t.Errorf("%d and %d requests in two reads, want 8 each", n, m)
	}
}

func TestRedirectToNowhere(t *testing.T) {
	t.Parallel()
	address := it.ReserveAddress(t)
	server := it.New(t, it.WithDefault(it.Redirect(302, "http://"+address+"/x")))
	must(t, failing(t, server.URL()), client.KindConnect, 4, "redirected to http://"+address+"/x: ", "refused")
}

func TestRedirectToClosedConnection(t *testing.T) {
	t.Parallel()
	target := it.New(t, it.WithDefault(it.CloseConnection()))
	server := it.New(t, it.WithDefault(it.Redirect(302, target.URL())))
	must(t, failing(t, server.URL()), client.KindBroken, 4, "redirected to "+target.URL()+": ", "before it had answered")
}

// How far the request before a redirect came says nothing of the one after it.
func TestRedirectToSilence(t *testing.T) {
	t.Parallel()
	silent := "https://" + listen(t, nil)
	server := it.New(t, it.WithDefault(it.Redirect(302, silent)))
	const patience = 2 * soon // the redirect has to come within it
	failure := failing(t, server.URL(), attempts(1), timeout(patience))
	must(t, failure, client.KindTimeout, 1, "redirected to "+silent+": no connection within "+patience.String())
}

// Where the redirect itself took all the time, its target is not to blame.
func TestRedirectThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	target := it.New(t)
	server := it.New(t, it.WithDefault(it.Verbatim("HTTP/1.1 302 Found\r\nLocation: "+target.URL()+"\r\nContent-Length: 9\r\n\r\n", it.Silent())))
	failure := failing(t, server.URL(), attempts(1), timeout(soon))
	must(t, failure, client.KindTimeout, 1, "no complete response within "+soon.String())
	if failure.RedirectedTo != "" || len(target.Requests()) != 0 {
		t.Errorf("%v; %d requests to the target", failure, len(target.Requests()))
	}
}
