package client_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestInstanceIsReadInAnyFormOfHTTP(t *testing.T) {
	t.Parallel()
	document := instancetest.Newer().JSON()
	responds := func(text string) instancetest.Option { return instancetest.WithDefault(verbatim(text)) }
	var chunks strings.Builder
	for _, b := range []byte(document) {
		chunks.WriteString("1\r\n" + string([]byte{b}) + "\r\n")
	}
	authority := instancetest.New(t, instancetest.WithTLS()) // all servers have one
	manyPEM := authority.ClientCertPEM() + "\n" + authority.CACertPEM() + "\n" + authority.ClientKeyPEM()
	tests := map[string]struct {
		server  instancetest.Option
		option  option
		longest bool // the document is as long as it may be
	}{
		"HTTP":                {server: instancetest.WithPath("")},
		"HTTPS":               {server: instancetest.WithTLS()},
		"under a path":        {server: instancetest.WithPath("/files/api")},
		"gzip":                {server: instancetest.WithDefault(gzipped(document))},
		"byte order mark":     {server: instancetest.WithDocument("\ufeff" + document)},
		"other content type":  {server: instancetest.WithDefault(instancetest.Body(200, "text/html", document))},
		"no content type":     {server: instancetest.WithDefault(instancetest.Body(200, "", document))},
		"64 KiB":              {server: instancetest.WithDocument(padded(64 << 10)), longest: true},
		"64 KiB, gzip":        {server: instancetest.WithDefault(gzipped(padded(64 << 10))), longest: true},
		"64 KiB, no length":   {server: responds("HTTP/1.1 200 OK\r\n\r\n" + padded(64<<10)), longest: true},
		"HTTP/1.0":            {server: responds("HTTP/1.0 200 OK\r\n\r\n" + document)},
		"1xx before":          {server: responds("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + document)},
		"chunked by the byte": {server: responds("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks.String() + "0\r\n\r\n")},
		"mutual TLS":          {server: instancetest.WithClientCertificate(), option: withClientCert(authority)},
		"expired, insecure":   {server: instancetest.WithCertificate(instancetest.CertificateExpired), option: func(s *setup) { s.TLS.Insecure = true }},
		"several PEM blocks":  {server: instancetest.WithTLS(), option: func(s *setup) { s.TLS.CACertPEM = manyPEM }},
		"required header":     {server: instancetest.WithRequiredHeader("X-Api-Key", "k3y"), option: withHeaders(t, map[string]string{"X-Api-Key": "k3y"})},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := []option{trusting(authority)}
			if test.option != nil {
				options = append(options, test.option)
			}
			want := document
			if test.longest {
				want = padded(64 << 10)
			}
			server := instancetest.New(t, test.server)
			for _, url := range []string{server.URL(), server.URL() + "//", strings.Replace(server.URL(), "127.0.0.1", "LOCALHOST", 1)} {
				result := read(t, url, options...)
				if string(result.Document) != want || result.Details.FileMaxSizeBytes != 64424509440 {
					t.Errorf("the document is %.200q, want %.200q; details %+v", result.Document, want, result.Details)
				}
			}
			for _, request := range server.Requests() {
				if request.Method != http.MethodGet || server.Origin()+request.Path != server.URL()+"/instance" ||
					request.RawQuery != "" || request.Proto != "HTTP/1.1" {
					t.Errorf("the request was %+v", request)
				}
			}
		})
	}
}

// With HTTP/2, a server could hold a read past its timeouts.
func TestServersAreOfferedHTTP11Only(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithTLS())
	offered := make(chan []string, 1)
	spy := instancetest.NewRaw(t, func(c net.Conn) {
		_ = tls.Server(c, &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			offered <- hello.SupportedProtos
			return nil, io.EOF
		}}).HandshakeContext(t.Context())
	})
	for _, options := range [][]option{nil, {withClientCert(server)}} {
		readFailure(t, "https://"+spy.Address(), append(options, trusting(server), attempts(1))...)
		select {
		case protocols := <-offered:
			if !slices.Equal(protocols, []string{"http/1.1"}) {
				t.Errorf("the server was offered %q", protocols)
			}
		default:
			t.Error("the server was offered nothing")
		}
	}
}

func TestRequestHasTheDocumentedHeaders(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	for _, test := range []struct {
		headers map[string]string
		want    http.Header
		host    string
	}{
		{
			nil, http.Header{
				"Accept": {"application/json"}, "Cache-Control": {"no-cache"}, "User-Agent": {userAgent}, "Accept-Encoding": {"gzip"},
			}, server.Address(),
		},
		{
			map[string]string{"x-api-key": "k", "accept": "text/plain", "user-agent": "mine", "host": "files.example.org"},
			http.Header{
				"X-Api-Key": {"k"}, "Accept": {"text/plain"}, "Cache-Control": {"no-cache"}, "User-Agent": {"mine"}, "Accept-Encoding": {"gzip"},
			}, "files.example.org",
		},
	} {
		headers, _ := client.ParseHeaders(test.headers)
		before := headers.Clone()
		read(t, server.URL(), func(s *setup) { s.Headers = headers })
		requests := server.Requests()
		request := requests[len(requests)-1]
		if !sameHeader(request.Header, test.want) || request.Host != test.host {
			t.Errorf("headers %v to host %q, want %v to %q", request.Header, request.Host, test.want, test.host)
		}
		if !sameHeader(headers, before) {
			t.Errorf("the read changed its headers, which reads share, from %v to %v", before, headers)
		}
	}
}

func TestSequentialReadsShareOneConnection(t *testing.T) {
	t.Parallel()
	for name, instance := range map[string]instancetest.Option{"HTTP": instancetest.WithPath(""), "HTTPS": instancetest.WithTLS(), "mutual TLS": instancetest.WithClientCertificate()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instance)
			c, request := prepare(t, server.URL(), trusting(server), withClientCert(server))
			for range 10 {
				// Neither failures nor retries and redirects cost a connection.
				server.SetScript(instancetest.Status(503), instancetest.Redirect(302, "/instance"), instancetest.Answer(), // one read
					instancetest.Status(404), gzipped(padded(5000)), instancetest.Body(200, "", "{}"))
				for i, good := range []bool{true, false, true, false} {
					if _, err := c.Read(t.Context(), request); (err == nil) != good {
						t.Fatalf("read %d: %v", i, err)
					}
				}
			}
			// net/http gives up a connection if its own goroutines are slow, on a very
			// busy machine.
			if n, m := server.Connections(), len(server.Requests()); n > 3 || m != 60 {
				t.Errorf("%d connections for %d requests, want 1 for 60", n, m)
			}
		})
	}
}

func TestConnectionThatTheServerClosedMeanwhileCostsNoAttempt(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	c, request := prepare(t, server.URL(), attempts(1))
	for range 5 {
		if _, err := c.Read(t.Context(), request); err != nil {
			t.Fatalf("%v", err)
		}
		server.CloseClientConnections()
	}
}

// Slow instances do not delay the other reads of a fleet, not even at the same origin.
func TestSlowReadsDoNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	const many = 64
	slow := instancetest.Verbatim(head+"Content-Length: 61440\r\n\r\n"+padded(50<<10), instancetest.Silent())
	var waiting, slowReads sync.WaitGroup
	waiting.Add(many)
	server := instancetest.New(t, instancetest.WithPath("/good"), instancetest.WithDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/good/instance" {
			instancetest.Answer()(s, w, r)
			return
		}
		waiting.Done()
		slow(s, w, r)
	}))
	c, request := prepare(t, server.Origin(), attempts(1), timeout(long))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range many {
		slowReads.Go(func() {
			_, err := c.Read(ctx, request)
			checkCanceled(t, err)
		})
	}
	promptly(t, waiting.Wait)
	request.BaseURL = baseURL(t, server.URL())
	promptly(t, func() {
		if _, err := c.Read(ctx, request); err != nil {
			t.Errorf("%v", err)
		}
	})
	cancel()
	promptly(t, slowReads.Wait)
}

// The Host header has the ASCII form of an internationalized name, as its origin has.
func TestInternationalizedHostIsAskedForByItsOrigin(t *testing.T) {
	t.Parallel()
	redirect := instancetest.Redirect(302, "http://\uff26iles.B\u00dcCHER.example/there")
	proxy := instancetest.New(t, instancetest.WithScript(redirect), instancetest.WithDefault(instancetest.Body(200, "", instancetest.Newer().JSON())))
	read(t, "http://B\u00dcCHER.example", proxied("HTTP_PROXY", proxy.Origin()))
	var hosts []string
	for _, request := range proxy.Requests() {
		hosts = append(hosts, request.Host)
	}
	if want := []string{"xn--bcher-kva.example", "files.xn--bcher-kva.example"}; !slices.Equal(hosts, want) {
		t.Errorf("asked for %q, want %q", hosts, want)
	}
}

// The client certificate is for the instance alone.
func TestClientCertificateIsNotShownToAProxy(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "https"} {
		for name, options := range map[string][]instancetest.ProxyOption{"https proxy": {instancetest.WithProxyCertificate(instancetest.CertificateValid)}, "http proxy": nil} {
			t.Run(scheme+" through an "+name, func(t *testing.T) {
				t.Parallel()
				server := instancetest.New(t)
				if scheme == "https" {
					server = instancetest.New(t, instancetest.WithClientCertificate())
				}
				proxy := instancetest.NewProxy(t, append(options, instancetest.WithProxyTarget(server))...)
				through := proxied(strings.ToUpper(scheme)+"_PROXY", proxy.URL())
				read(t, scheme+"://"+instancetest.ProxiedHost, trusting(server), withClientCert(server), through)
				if requests := proxy.Requests(); len(requests) != 1 || requests[0].ClientCertificate {
					t.Errorf("the proxy was sent %+v", requests)
				}
				if requests := server.Requests(); len(requests) != 1 || requests[0].ClientCertificate != (scheme == "https") {
					t.Errorf("the instance was sent %+v", requests)
				}
			})
		}
	}
}

func TestReadsGoThroughTheProxyOfTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, variable := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		for _, before := range []string{"", "http://", "http://user:" + proxyPassword + "@"} {
			t.Run(variable+"="+before, func(t *testing.T) {
				t.Parallel()
				scheme, _, _ := strings.Cut(strings.ToLower(variable), "_")
				instance := instancetest.WithPath("")
				if scheme == "https" {
					instance = instancetest.WithTLS()
				}
				server := instancetest.New(t, instance)
				proxy := instancetest.NewProxy(t, instancetest.WithProxyTarget(server))
				through := proxied(variable, before+proxy.Address())
				headers := withHeaders(t, map[string]string{"X-Api-Key": "k3y"})
				read(t, scheme+"://"+instancetest.ProxiedHost, trusting(server), through, headers)
				read(t, server.URL(), trusting(server), through) // loopback needs no proxy
				if requests := server.Requests(); len(requests) != 2 || requests[0].Host != instancetest.ProxiedHost ||
					requests[0].Header.Get("X-Api-Key") != "k3y" {
					t.Errorf("the instance was sent %+v", requests)
				}
				requests := proxy.Requests()
				if len(requests) != 1 ||
					strings.HasPrefix(requests[0].Header.Get("Proxy-Authorization"), "Basic ") != strings.Contains(before, "@") {
					t.Fatalf("the proxy was sent %+v", requests)
				}
				if scheme == "https" && (requests[0].Method != http.MethodConnect || requests[0].Header.Get("X-Api-Key") != "") {
					t.Errorf("the proxy was sent %+v", requests[0])
				}
			})
		}
	}
}

// A connection to a proxy that never answers ends with the request timeout, also when nothing waits for it any more.
//
//nolint:paralleltest // it looks for goroutines
func TestSilentSOCKSProxyLeavesNothingBehind(t *testing.T) {
	before := goleak.IgnoreCurrent()
	left := make(chan struct{})
	proxy := instancetest.NewRaw(t, func(c net.Conn) {
		instancetest.Await(c)
		close(left)
	})
	readFailure(t, "http://"+instancetest.ProxiedHost, proxied("HTTP_PROXY", "socks5://"+proxy.Address()), attempts(1), timeout(short))
	promptly(t, func() {
		<-left // before the proxy closes it
	})
	proxy.Close()
	if err := goleak.Find(before); err != nil {
		t.Errorf("%v", err)
	}
}
