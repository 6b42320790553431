package client_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

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
		change  func(*client.Config)
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
		"mutual TLS":          {server: instancetest.WithClientCertificate(), change: func(c *client.Config) { c.TLS = trustAndCertificate(t) }},
		"expired, insecure":   {server: instancetest.WithCertificate(instancetest.CertificateExpired), change: func(c *client.Config) { c.TLS.Insecure = true }},
		"several PEM blocks":  {server: instancetest.WithTLS(), change: func(c *client.Config) { c.TLS.CACertPEM = manyPEM }},
		"required header":     {server: instancetest.WithRequiredHeader("Authorization", secret)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := newConfig()
			config.TLS = trust(t)
			if test.change != nil {
				test.change(&config)
			}
			c := newClient(t, config)
			want := document
			if test.longest {
				want = padded(64 << 10)
			}
			server := instancetest.New(t, test.server)
			for _, url := range []string{server.URL(), server.URL() + "//", strings.Replace(server.URL(), "127.0.0.1", "LOCALHOST", 1)} {
				result := mustRead(t, c, newRequest(t, url))
				if string(result.Document) != want || result.Details.FileMaxSizeBytes != 64424509440 {
					t.Errorf("the document is %.200q, want %.200q; details %+v", result.Document, want, result.Details)
				}
			}
			for _, request := range server.Requests() {
				if request.Method != http.MethodGet || server.Origin()+request.Path != server.URL()+"/instance" ||
					request.RawQuery != "" || request.Proto != "HTTP/1.1" {
					t.Errorf("the request was %+v, want GET %s/instance with HTTP/1.1", request, server.URL())
				}
			}
		})
	}
}

// With HTTP/2, a server could hold a read past its timeouts.
func TestServersAreOfferedHTTP11Only(t *testing.T) {
	t.Parallel()
	protocol := make(chan string, 1)
	server := instancetest.NewRawTLS(t, func(c net.Conn) { protocol <- c.(*tls.Conn).ConnectionState().NegotiatedProtocol }, "h2", "http/1.1")
	config := newConfig()
	config.Retry.MaxAttempts, config.TLS = 1, trust(t)
	readError(t, newClient(t, config), newRequest(t, server.Origin()))
	check(t, "protocol", <-protocol, "http/1.1")
}

func TestRequestHasTheDocumentedHeaders(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	tests := map[string]struct {
		headers, want http.Header
		host          string
	}{
		"none": {nil, http.Header{
			"Accept": {"application/json"}, "Cache-Control": {"no-cache"}, "User-Agent": {userAgent}, "Accept-Encoding": {"gzip"},
		}, server.Address()},
		"extra": {
			http.Header{"X-Api-Key": {"k"}, "Accept": {"text/plain"}, "User-Agent": {"mine"}, "Host": {"files.example.org"}},
			http.Header{
				"X-Api-Key": {"k"}, "Accept": {"text/plain"}, "Cache-Control": {"no-cache"}, "User-Agent": {"mine"}, "Accept-Encoding": {"gzip"},
			}, "files.example.org",
		},
	}
	c := newClient(t, newConfig())
	for name, test := range tests {
		request := newRequest(t, server.URL())
		request.Headers = test.headers.Clone()
		mustRead(t, c, request)
		requests := server.Requests()
		sent := requests[len(requests)-1]
		if !maps.EqualFunc(sent.Header, test.want, slices.Equal[[]string]) || sent.Host != test.host {
			t.Errorf("%s: sent %v to host %q, want %v to %q", name, sent.Header, sent.Host, test.want, test.host)
		}
		if !maps.EqualFunc(request.Headers, test.headers, slices.Equal[[]string]) {
			t.Errorf("%s: the read changed its headers, which reads share, from %v to %v", name, test.headers, request.Headers)
		}
	}
}

func TestSequentialReadsShareOneConnection(t *testing.T) {
	t.Parallel()
	for name, instance := range map[string]instancetest.Option{
		"HTTP": instancetest.WithPath(""), "HTTPS": instancetest.WithTLS(), "mutual TLS": instancetest.WithClientCertificate(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instance)
			config := newConfig()
			config.TLS = trustAndCertificate(t)
			c, request := newClient(t, config), newRequest(t, server.URL())
			for range 10 {
				// Neither failures nor retries and redirects cost a connection.
				server.SetScript(instancetest.Status(503), instancetest.Redirect(302, "/instance"), instancetest.Answer(), // one read
					instancetest.Status(404), gzipped(padded(5000)), instancetest.Body(200, "", "{}"))
				for i, good := range []bool{true, false, true, false} {
					if _, err := c.Read(t.Context(), request); (err == nil) != good {
						t.Fatalf("read %d: error %v, want success: %t", i, err, good)
					}
				}
			}
			// net/http gives up a connection if its own goroutines are slow, on a very busy machine.
			if n, m := server.Connections(), len(server.Requests()); n > 3 || m != 60 {
				t.Errorf("%d connections for %d requests, want 1 for 60", n, m)
			}
		})
	}
}

// As many connections to one host are kept as reads can be under way at once.
func TestReadsAtOnceKeepTheirConnections(t *testing.T) {
	t.Parallel()
	const reads = 16
	var underWay atomic.Pointer[sync.WaitGroup]
	server := instancetest.New(t, instancetest.WithDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
		all := underWay.Load()
		all.Done()
		all.Wait()
		instancetest.Answer()(s, w, r)
	}))
	c, request := newClient(t, newConfig()), newRequest(t, server.URL())
	for range 3 {
		all, running := new(sync.WaitGroup), new(sync.WaitGroup)
		all.Add(reads)
		underWay.Store(all)
		for range reads {
			running.Go(func() {
				if _, err := c.Read(t.Context(), request); err != nil {
					t.Error(err)
				}
			})
		}
		inTime(t, running.Wait)
	}
	if n := server.Connections(); n > 2*reads { // net/http may dial while another connection becomes free
		t.Errorf("%d connections for three times %d reads at once, want about %d", n, reads, reads)
	}
}

// Servers and load balancers close idle connections after a minute or more. The client has to be first: a request could meet the end.
func TestIdleConnectionIsClosedBeforeServersDo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, newConfig())
		idleFor := make(chan time.Duration, 1)
		c.DialWith(func() net.Conn {
			ours, theirs := net.Pipe()
			go func() {
				reader, document := bufio.NewReader(theirs), instancetest.Newer().JSON()
				for last := time.Now(); ; last = time.Now() {
					if _, err := http.ReadRequest(reader); err != nil {
						idleFor <- time.Since(last)
						return
					}
					_, _ = fmt.Fprintf(theirs, "%sContent-Length: %d\r\n\r\n%s", okHead, len(document), document)
				}
			}()
			return ours
		})
		mustRead(t, c, newRequest(t, "http://files.example.org"))
		if idle := <-idleFor; idle < 10*time.Second || idle > 50*time.Second {
			t.Errorf("the connection was idle for %s, want 10 to 50 s", idle)
		}
	})
}

func TestConnectionThatTheServerClosedMeanwhileCostsNoAttempt(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	config := newConfig()
	config.Retry.MaxAttempts = 1
	c, request := newClient(t, config), newRequest(t, server.URL())
	for range 5 {
		mustRead(t, c, request)
		server.CloseClientConnections()
	}
}

// Behind a load balancer or after a change of DNS, an old connection would still lead to the old server.
func TestEachAttemptOfAWaitHasAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]instancetest.Option{"HTTP": instancetest.WithPath(""), "TLS": instancetest.WithClientCertificate()} {
		for _, throughProxy := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, proxy: %t", name, throughProxy), func(t *testing.T) {
				t.Parallel()
				server := instancetest.New(t, option)
				proxy := instancetest.NewProxy(t, instancetest.WithProxyTarget(server))
				url, connections := server.URL(), server.Connections
				if throughProxy {
					url = strings.Replace(url, server.Address(), instancetest.ProxiedHost, 1)
					connections = proxy.Connections // what it connects to is up to the proxy
				}
				config := newConfig()
				config.TLS = trustAndCertificate(t)
				c, request := newClient(t, config, "HTTP_PROXY="+proxy.URL(), "HTTPS_PROXY="+proxy.URL()), newRequest(t, url)
				mustRead(t, c, request) // leaves a connection in the pool
				before := connections()
				server.SetScript(instancetest.Status(503), instancetest.Status(404), instancetest.Answer())
				if _, err := c.Wait(t.Context(), request, client.Condition{}); err != nil {
					t.Fatal(err)
				}
				check(t, "number of connections for three attempts", connections()-before, 3)
			})
		}
	}
}

// Its URL, Host header and TLS name stay the same, and no proxy is used. Other origins are reached as always.
func TestConnectToIsForOneOrigin(t *testing.T) {
	t.Parallel()
	tunneled, other := instancetest.New(t, instancetest.WithClientCertificate()), instancetest.New(t, instancetest.WithTLS())
	proxy := instancetest.NewProxy(t)
	config := newConfig()
	config.Retry.MaxAttempts, config.TLS = 1, trustAndCertificate(t)
	config.ConnectTo = map[string]string{baseURL(t, proxiedHTTPS).Origin: tunneled.Address()}
	c, request := newClient(t, config, "HTTPS_PROXY="+proxy.URL()), newRequest(t, proxiedHTTPS)
	tunneled.SetScript(instancetest.Redirect(302, other.URL()+"/there"), instancetest.Answer(), instancetest.Status(404))
	other.SetScript(instancetest.Redirect(302, proxiedHTTPS+"/instance"))
	mustRead(t, c, request)
	got := readError(t, c, request)
	check(t, "Target()", got.Target(), "GET "+proxiedHTTPS+"/instance (connect_to "+tunneled.Address()+")")
	if _, err := c.Wait(t.Context(), request, client.Condition{}); err != nil {
		t.Error(err)
	}
	for _, sent := range tunneled.Requests() {
		if sent.Host != instancetest.ProxiedHost || sent.TLSName != instancetest.ProxiedHost ||
			sent.Header.Get("Authorization") != secret || !sent.ClientCertificate {
			t.Errorf("the instance was sent %+v, want its name, headers and certificate", sent)
		}
	}
	for _, sent := range other.Requests() {
		if sent.Host != other.Address() || sent.Header.Get("Authorization") != "" || sent.ClientCertificate {
			t.Errorf("the other origin was sent %+v, want neither headers nor a certificate", sent)
		}
	}
	check(t, "number of requests to the instance", len(tunneled.Requests()), 4)
	check(t, "number of connections to the proxy", proxy.Connections(), 0)
	got = readError(t, c, newRequest(t, proxiedHTTPS+":8443")) // the same host; the proxy cannot resolve it
	check(t, "ConnectTo", got.Failure.ConnectTo, "")
	check(t, "number of connections to the proxy", proxy.Connections(), 1)
}

// The Host header has the ASCII form of an internationalized name, as its origin has.
func TestInternationalizedHostIsAskedForByItsOrigin(t *testing.T) {
	t.Parallel()
	redirect := instancetest.Redirect(302, "http://\uff26iles.B\u00dcCHER.example/there")
	proxy := instancetest.New(t, instancetest.WithScript(redirect), instancetest.WithDefault(instancetest.Body(200, "", instancetest.Newer().JSON())))
	mustRead(t, newClient(t, newConfig(), "HTTP_PROXY="+proxy.Origin()), newRequest(t, "http://B\u00dcCHER.example"))
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
		for name, options := range map[string][]instancetest.ProxyOption{
			"https proxy": {instancetest.WithProxyCertificate(instancetest.CertificateValid)}, "http proxy": nil,
		} {
			t.Run(scheme+" through an "+name, func(t *testing.T) {
				t.Parallel()
				server := instancetest.New(t)
				if scheme == "https" {
					server = instancetest.New(t, instancetest.WithClientCertificate())
				}
				proxy := instancetest.NewProxy(t, append(options, instancetest.WithProxyTarget(server))...)
				config := newConfig()
				config.TLS = trustAndCertificate(t)
				c := newClient(t, config, strings.ToUpper(scheme)+"_PROXY="+proxy.URL())
				mustRead(t, c, newRequest(t, scheme+"://"+instancetest.ProxiedHost))
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
				config := newConfig()
				config.TLS = trust(t)
				c := newClient(t, config, variable+"="+before+proxy.Address())
				mustRead(t, c, newRequest(t, scheme+"://"+instancetest.ProxiedHost))
				mustRead(t, c, newRequest(t, server.URL())) // loopback needs no proxy
				if requests := server.Requests(); len(requests) != 2 || requests[0].Host != instancetest.ProxiedHost ||
					requests[0].Header.Get("Authorization") != secret {
					t.Errorf("the instance was sent %+v", requests)
				}
				requests := proxy.Requests()
				if len(requests) != 1 ||
					strings.HasPrefix(requests[0].Header.Get("Proxy-Authorization"), "Basic ") != strings.Contains(before, "@") {
					t.Fatalf("the proxy was sent %+v", requests)
				}
				if scheme == "https" && (requests[0].Method != http.MethodConnect || requests[0].Header.Get("Authorization") != "") {
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
	config := newConfig()
	config.Retry.MaxAttempts, config.RequestTimeout = 1, short
	readError(t, newClient(t, config, "HTTP_PROXY=socks5://"+proxy.Address()), newRequest(t, proxiedHTTP))
	inTime(t, func() {
		<-left // before the proxy closes it
	})
	proxy.Close()
	if err := goleak.Find(before); err != nil {
		t.Errorf("%v", err)
	}
}
