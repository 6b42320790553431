package client_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestInstanceIsReadInAnyFormOfHTTP(t *testing.T) {
	t.Parallel()
	document, longest := instancetest.Newer().JSON(), padded(64<<10)
	responds := func(text string) instancetest.Option { return instancetest.WithDefault(verbatim(text)) }
	var chunks strings.Builder
	for _, b := range []byte(document) {
		chunks.WriteString("1\r\n" + string([]byte{b}) + "\r\n")
	}
	config := newConfig()
	config.TLS = certified
	c := newClient(t, config)
	for name, option := range map[string]instancetest.Option{
		"HTTP":                instancetest.WithPlainHTTP(),
		"HTTPS":               instancetest.WithTLS(),
		"TLS 1.2":             instancetest.WithTLS12(),
		"mutual TLS":          instancetest.WithClientCertificate(),
		"under a path":        instancetest.WithPath("/files/api"),
		"required header":     instancetest.WithRequiredHeader("Authorization", secret),
		"gzip":                instancetest.WithDefault(gzipped(document)),
		"byte order mark":     instancetest.WithDocument("\ufeff" + document),
		"other content type":  instancetest.WithDefault(instancetest.Body(200, "text/html", document)),
		"64 KiB":              instancetest.WithDocument(longest),
		"64 KiB, gzip":        instancetest.WithDefault(gzipped(longest)),
		"HTTP/1.0":            responds("HTTP/1.0 200 OK\r\n\r\n" + document),
		"1xx before":          responds("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + document),
		"no redirect":         responds("HTTP/1.1 200 OK\r\nLocation: http://[\r\n\r\n" + document),
		"chunked by the byte": responds("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks.String() + "0\r\n\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, option)
			for _, url := range []string{server.URL(), server.URL() + "//", strings.Replace(server.URL(), "127.0.0.1", "LOCALHOST", 1)} {
				result := mustRead(t, c, newRequest(t, url))
				check(t, "document", strings.TrimRight(string(result.Document), " "), document)
				check(t, "FileMaxSizeBytes", result.Details.FileMaxSizeBytes, 64424509440)
			}
			for _, sent := range server.Requests() {
				check(t, "request", sent.Method+" "+server.Origin()+sent.Path+"?"+sent.RawQuery, "GET "+server.URL()+"/instance?")
			}
		})
	}
}

// With HTTP/2, a server could hold a read beyond its timeouts.
func TestServersAreOfferedHTTP11Only(t *testing.T) {
	t.Parallel()
	protocol := make(chan string, 2)
	server := instancetest.NewRawTLS(t, func(c net.Conn) { protocol <- c.(*tls.Conn).ConnectionState().NegotiatedProtocol }, "h2", "http/1.1")
	readError(t, newClient(t, newConfig()), newRequest(t, "https://"+server.Address()))
	check(t, "protocol", <-protocol, "http/1.1")
}

// Neither failures nor redirects cost a connection.
func TestSequentialReadsShareOneConnection(t *testing.T) {
	t.Parallel()
	for name, instance := range map[string]instancetest.Option{
		"HTTP": instancetest.WithPlainHTTP(), "HTTPS": instancetest.WithTLS(), "mutual TLS": instancetest.WithClientCertificate(),
	} {
		server := instancetest.New(t, instance)
		config := newConfig()
		config.TLS = certified
		c, request := newClient(t, config), newRequest(t, server.URL())
		for range 10 {
			server.SetScript(instancetest.Redirect(302, "/instance"), instancetest.Answer(), // one read
				instancetest.Status(404), gzipped(padded(5000)), instancetest.Body(200, "", "{}"))
			mustRead(t, c, request)
			readError(t, c, request)
			mustRead(t, c, request)
			readError(t, c, request)
		}
		// net/http gives up a connection if its own goroutines are slow, on a very busy machine.
		if n, m := server.Connections(), len(server.Requests()); n > 3 || m != 50 {
			t.Errorf("%s: %d connections for %d requests, want 1 for 50", name, n, m)
		}
	}
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

// Behind a load balancer or after a change of DNS, an old connection would still lead to the old server, or to the one that failed.
func TestRetriesAndWaitsHaveConnectionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]instancetest.Option{"HTTP": instancetest.WithPlainHTTP(), "TLS": instancetest.WithClientCertificate()} {
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
				config.TLS = certified
				c, request := newClient(t, config, "HTTP_PROXY="+proxy.URL(), "HTTPS_PROXY="+proxy.URL()), newRequest(t, url)
				mustRead(t, c, request) // leaves a connection in the pool
				before := connections()
				server.SetScript(instancetest.Status(503), instancetest.Answer())
				mustRead(t, c, request)
				check(t, "number of new connections for a retry", connections()-before, 1)
				before = connections()
				server.SetScript(instancetest.Status(503), instancetest.Status(404), instancetest.Answer())
				if _, err := c.Wait(t.Context(), request, anything()); err != nil {
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
	request := newRequest(t, proxiedHTTPS)
	other := instancetest.New(t, instancetest.WithTLS(), instancetest.WithScript(
		instancetest.Redirect(302, strings.Replace(proxiedHTTPS, "file", "FILE", 1)+"/instance"))) // the same origin
	server := instancetest.New(t, instancetest.WithClientCertificate(),
		instancetest.WithScript(instancetest.Status(404), instancetest.Redirect(302, other.URL()+"/there")))
	proxy := instancetest.NewProxy(t)
	config := newConfig()
	config.TLS, config.ConnectTo = certified, client.ConnectTo{Origin: request.BaseURL.Origin, HostPort: server.Address()}
	config.Retry.MaxAttempts = 1
	c := newClient(t, config, "HTTPS_PROXY="+proxy.URL())

	check(t, "Request", readError(t, c, request).Failure.Request, "GET "+proxiedHTTPS+"/instance (connect_to "+server.Address()+")")
	mustRead(t, c, request) // by way of the other server
	_, err := c.Wait(t.Context(), request, anything())
	check(t, "error of a wait", err, nil)
	check(t, "number of connections to the proxy", proxy.Connections(), 0)
	check(t, "number of requests", len(server.Requests()), 4)
	for _, sent := range server.Requests() {
		check(t, "Host and TLS name", strings.ToLower(sent.Host+" "+sent.TLSName), instancetest.ProxiedHost+" "+instancetest.ProxiedHost)
		check(t, "Authorization", sent.Header.Get("Authorization"), secret)
		check(t, "certificate sent", sent.ClientCertificate, true)
	}
	stray := other.Requests()[0]
	check(t, "Host of the other server", stray.Host, other.Address())
	check(t, "Authorization of the other server", stray.Header.Get("Authorization"), "")
	check(t, "certificate sent to the other server", stray.ClientCertificate, false)

	sameHostPort := newRequest(t, "http://"+instancetest.ProxiedHost+":443") // has another origin
	check(t, "Kind without connect_to", readError(t, c, sameHostPort).Failure.Kind, client.HostNotResolved)

	got := readError(t, c, newRequest(t, proxiedHTTPS+":8443")) // the proxy cannot resolve the host
	checkFailure(t, got, failing{"", client.ProxyFailed, final, "status 502 Bad Gateway"})
	checkProxyOf(t, got.Failure, proxiedHTTPS+":8443", "HTTPS_PROXY")
}

// The label of an option is safe to print.
func TestAmbiguousOptionsAreListed(t *testing.T) {
	t.Parallel()
	entry := instancetest.OlderEntry("30\n"+strings.TrimPrefix(secret, "Bearer "), 30)
	server := instancetest.New(t, instancetest.WithDocument(instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{entry})))
	result := mustRead(t, newClient(t, newConfig()), newRequest(t, server.URL()))
	if len(result.Ambiguities) != 1 {
		t.Fatalf("got the ambiguities %q, want one", result.Ambiguities)
	}
	checkContains(t, "ambiguity", result.Ambiguities[0], `recommendedExpireTimes[0] ("30\n(redacted)"): `)
}

// balancer starts a balancer of connections, as kube-proxy is one: choose returns the server that the n-th connection leads to.
func balancer(t *testing.T, choose func(n int64) *instancetest.Server) (url string) {
	t.Helper()
	var connections atomic.Int64
	return rawServer(t, "http", func(c net.Conn) {
		server, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", choose(connections.Add(1)).Address())
		if err != nil {
			return
		}
		go func() {
			_, _ = io.Copy(server, c)
			_ = server.Close()
		}()
		_, _ = io.Copy(c, server)
	})
}

// A connection from before a wait leads to the old server: one that was idle when the wait succeeded, and one that was in use.
func TestReadAfterAWaitMeetsTheNewServer(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	slow := instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-release
		_, _ = io.WriteString(w, instancetest.Older().JSON())
	})
	old := instancetest.New(t, instancetest.WithScript(slow), instancetest.WithDocument(instancetest.Older()))
	replacement := instancetest.New(t)
	c, request := newClient(t, newConfig()), newRequest(t, balancer(t, func(n int64) *instancetest.Server {
		if n <= 2 {
			return old
		}
		return replacement
	}))
	inUse := make(chan error)
	go func() {
		_, err := c.Read(t.Context(), request)
		inUse <- err
	}()
	<-asked
	check(t, "chunk size before", mustRead(t, c, request).Details.ChunkSizeBytes, 10000000)
	if _, err := c.Wait(t.Context(), request, stableFor(0)); err != nil {
		t.Fatal(err)
	}
	check(t, "chunk size after the wait", mustRead(t, c, request).Details.ChunkSizeBytes, 20000000)
	close(release)
	check(t, "error of the slow read", <-inUse, nil)
	check(t, "chunk size after the slow read", mustRead(t, c, request).Details.ChunkSizeBytes, 20000000)
}
