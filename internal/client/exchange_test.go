package client_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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
		"gzip, upper case":    responds(okHead + "Content-Encoding: GZIP\r\n\r\n" + compressed(document)),
		"gzip, two members":   responds(okHead + "Content-Encoding: gzip\r\n\r\n" + compressed(document[:99]) + compressed(document[99:])),
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
	server := instancetest.NewRawTLS(t, func(c net.Conn) { protocol <- c.(*tls.Conn).ConnectionState().NegotiatedProtocol },
		func(config *tls.Config) { config.NextProtos = []string{"h2", "http/1.1"} })
	readError(t, newClient(t, newConfig()), newRequest(t, "https://"+server.Address()))
	check(t, "protocol", <-protocol, "http/1.1")
}

// Behind a load balancer or after a change of DNS, a connection that is kept would lead to the old server, or to the one that failed.
func TestEveryRequestHasAConnectionOfItsOwn(t *testing.T) {
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
				server.SetScript(instancetest.Redirect(302, "/instance"), instancetest.Status(503), gzipped(padded(5000)))
				mustRead(t, c, request)
				check(t, "number of connections of a read", connections(), 3)
				server.SetScript(instancetest.Status(404), instancetest.Answer())
				if _, err := c.Wait(t.Context(), request, anything()); err != nil {
					t.Fatal(err)
				}
				check(t, "number of connections after a wait", connections(), 5)
			})
		}
	}
}

// What nobody asked for must not be read as the answer to another request: a second response, an error, or one line break more. Nor may a
// server that is silent to the second request of a connection hold a read.
func TestNoReadGetsWhatIsMeantForAnother(t *testing.T) {
	t.Parallel()
	const limit = 60
	for name, excess := range map[string]string{
		"second response": okHead + "Content-Length: %d\r\n\r\n%s", "late 400": "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
		"line break": "\r\n", "nothing": "",
	} {
		for scheme, start := range rawServers {
			t.Run(name+", "+scheme, func(t *testing.T) {
				t.Parallel()
				server := start(t, func(c net.Conn) {
					request, err := http.ReadRequest(bufio.NewReader(c))
					if err != nil {
						return
					}
					size, _ := strconv.Atoi(strings.Split(request.URL.Path, "/")[1])
					document := instancetest.Newer().With("chunkSize", size).JSON()
					_, _ = fmt.Fprintf(c, okHead+"Content-Length: %d\r\n\r\n%s", len(document), document)
					other := instancetest.Newer().With("chunkSize", 1).JSON()
					_, _ = io.WriteString(c, strings.NewReplacer("%d", strconv.Itoa(len(other)), "%s", other).Replace(excess))
					instancetest.Await(c)
				})
				config := newConfig()
				config.Retry.MaxAttempts = 1
				c := newClient(t, config)
				var group sync.WaitGroup
				for n := range limit {
					group.Go(func() {
						size := int64(1000 + n)
						result, err := read(t, c, newRequest(t, fmt.Sprintf("%s://%s/%d", scheme, server.Address(), size)))
						if err != nil {
							t.Error(err)
							return
						}
						check(t, "chunk size", result.Details.ChunkSizeBytes, size)
					})
				}
				group.Wait()
			})
		}
	}
}

// rawServers start servers by the scheme of their URLs.
var rawServers = map[string]func(instancetest.TB, func(net.Conn)) *instancetest.RawServer{
	"http": instancetest.NewRaw,
	"https": func(t instancetest.TB, serve func(net.Conn)) *instancetest.RawServer {
		return instancetest.NewRawTLS(t, serve, nil)
	},
}

// One cause is of one class, and has one reason, whatever comes first by chance.
func TestOneCauseIsOneFailure(t *testing.T) {
	t.Parallel()
	const banner = "SSH-2.0-OpenSSH_9.9\r\n"
	speaks := func(c net.Conn) {
		_, _ = io.WriteString(c, banner)
		instancetest.Await(c)
	}
	banners := func(c net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(c))
		_, _ = io.WriteString(c, banner)
		_ = c.(*tls.Conn).CloseWrite()
		instancetest.Await(c)
	}
	socksThen := func(serve func(net.Conn)) func(net.Conn) {
		return func(c net.Conn) {
			socks(0)(c)
			serve(c)
		}
	}
	secured := func(serve func(net.Conn), change func(*tls.Config)) string {
		return "https://" + instancetest.NewRawTLS(t, serve, change).Address()
	}
	tls12 := func(config *tls.Config) { config.MaxVersion = tls.VersionTLS12 }
	plain := func(serve func(net.Conn)) string { return rawServer(t, "http", serve) }
	proxy := func(scheme string, serve func(net.Conn)) string { return rawServer(t, scheme, serve) }
	tunnel := func(serve func(net.Conn)) string {
		return instancetest.NewProxy(t, instancetest.WithProxyTarget(instancetest.NewRaw(t, serve))).URL()
	}
	behindHTTPS := instancetest.NewProxy(t, instancetest.WithProxyCertificate(instancetest.CertificateValid),
		instancetest.WithProxyTarget(instancetest.NewRawTLS(t, speaks, nil))).URL()
	const (
		malformed = `malformed HTTP response "SSH-2.0-OpenSSH_9.9"`
		notTLS    = "tls: first record does not look like a TLS handshake"
		reset     = "connection reset by peer"
	)
	longLine := `malformed HTTP response "` + strings.Repeat("x", 574) + "…" // 600 characters
	for name, test := range map[string]struct {
		url, proxy string // the proxy of the URL's scheme, or ""
		kind       client.Kind
		reason     string
	}{
		"speaks first":                    {plain(speaks), "", client.InvalidResponse, malformed},
		"speaks a long line":              {serverURL(t, verbatim(strings.Repeat("x", 999)+"\r\n\r\n")), "", client.InvalidResponse, longLine},
		"speaks first over TLS 1.2":       {secured(speaks, tls12), "", client.InvalidResponse, malformed},
		"speaks first over TLS 1.3":       {secured(speaks, nil), "", client.InvalidResponse, malformed},
		"speaks first instead of TLS":     {rawServer(t, "https", speaks), "", client.HandshakeFailed, notTLS},
		"speaks first in a tunnel":        {proxiedHTTPS, tunnel(speaks), client.HandshakeFailed, notTLS},
		"speaks first behind SOCKS":       {proxiedHTTP, proxy("socks5", socksThen(speaks)), client.InvalidResponse, malformed},
		"speaks first behind HTTPS":       {proxiedHTTPS, behindHTTPS, client.InvalidResponse, malformed},
		"proxy speaks first":              {proxiedHTTPS, proxy("http", speaks), client.ProxyFailed, malformed},
		"https proxy speaks first":        {proxiedHTTPS, secured(speaks, nil), client.ProxyFailed, malformed},
		"https proxy that forwards":       {proxiedHTTP, secured(speaks, nil), client.InvalidResponse, malformed},
		"proxy that says 200 on accept":   {proxiedHTTPS, proxy("http", answers("HTTP/1.1 200 OK\r\n\r\n"+banner)), client.HandshakeFailed, notTLS},
		"resets on accept":                {plain(instancetest.ResetConnection), "", client.ConnectionBroken, reset},
		"resets on accept, https":         {rawServer(t, "https", instancetest.ResetConnection), "", client.HandshakeFailed, reset},
		"proxy that resets on accept":     {proxiedHTTPS, proxy("http", instancetest.ResetConnection), client.ProxyFailed, reset},
		"resets after the request":        {plain(resetAfterRequest), "", client.ConnectionBroken, reset},
		"TLS 1.2 that closes after it":    {secured(banners, tls12), "", client.InvalidResponse, malformed},
		"TLS 1.3 that closes after it":    {secured(banners, nil), "", client.InvalidResponse, malformed},
		"alert of a port that wants TLS":  {serverURL(t, verbatim("\x15\x03\x01\x00\x02\x02\x16")), "", client.InvalidResponse, `malformed HTTP response "\x15\x03\x01\x00\x02\x02\x16"`},
		"greeting without a line break":   {plain(answersAndCloses("SSH-2.0-OpenSSH_9.9")), "", client.InvalidResponse, malformed},
		"forward proxy that resets":       {proxiedHTTP, proxy("http", instancetest.ResetConnection), client.ConnectionBroken, reset},
		"https proxy that resets":         {proxiedHTTP, proxy("https", instancetest.ResetConnection), client.ProxyFailed, reset},
		"SOCKS proxy that resets":         {proxiedHTTPS, proxy("socks5", instancetest.ResetConnection), client.ProxyFailed, reset},
		"reset in the body":               {plain(answersAndResets(okHead + "Content-Length: 99\r\n\r\n{")), "", client.ConnectionBroken, reset},
		"reset in the trailer":            {plain(answersAndResets(okHead + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")), "", client.ConnectionBroken, reset},
		"ends in the trailer":             {plain(answersAndCloses(okHead + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-A: b")), "", client.ConnectionBroken, "unexpected EOF"},
		"closes after the handshake":      {secured(closeNow, nil), "", client.ConnectionBroken, "EOF"},
		"ends in the first line":          {serverURL(t, verbatim("HTTP/1.1 20")), "", client.ConnectionBroken, "EOF"},
		"ends in a header":                {serverURL(t, verbatim(okHead+"X-")), "", client.ConnectionBroken, "EOF"},
		"ends after a header":             {serverURL(t, verbatim(okHead)), "", client.ConnectionBroken, "EOF"},
		"ends after an interim response":  {serverURL(t, verbatim("HTTP/1.1 103 X\r\n\r\n")), "", client.ConnectionBroken, "EOF"},
		"malformed after an interim":      {serverURL(t, verbatim("HTTP/1.1 103 X\r\n\r\n"+banner)), "", client.InvalidResponse, malformed},
		"status below 100":                {serverURL(t, verbatim("HTTP/1.1 099 X\r\n\r\n")), "", client.InvalidResponse, `malformed HTTP status code "099 X"`},
		"head too large":                  {plain(writesForever("HTTP/1.1 200 OK\r\nX: ", "x")), "", client.InvalidResponse, "the head has more than 16384 bytes"},
		"interim responses too large":     {plain(writesForever("", "HTTP/1.1 103 X\r\n\r\n")), "", client.InvalidResponse, "the head has more than 16384 bytes"},
		"gzip that is cut":                {serverURL(t, verbatim(okHead+"Content-Encoding: gzip\r\n\r\n"+compressed("{}")[:12])), "", client.ConnectionBroken, "unexpected EOF"},
		"gzip that is too short":          {serverURL(t, verbatim(okHead+"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}")), "", client.InvalidResponse, "gzip: the compressed data is damaged"},
		"refused CONNECT":                 {proxiedHTTPS, proxy("http", answers("HTTP/1.1 403 Not you\r\n\r\n")), client.ProxyFailed, "the proxy refused to connect: status 403 Not you"},
		"CONNECT that ends in the answer": {proxiedHTTPS, proxy("http", answersAndCloses("HTTP/1.1 200 OK\r\n")), client.ProxyFailed, "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := newConfig()
			config.Retry.MaxAttempts = 1
			scheme, _, _ := strings.Cut(test.url, "://")
			c := newClient(t, config, scheme+"_proxy="+test.proxy)
			for range 100 {
				got := readError(t, c, newRequest(t, test.url)).Failure
				check(t, "Kind", got.Kind, test.kind)
				// Windows has words of its own for a reset, and sometimes reports one as an end, or an end as one.
				if isEnd := test.reason == reset || test.reason == "EOF"; !isEnd || runtime.GOOS != "windows" {
					check(t, "Reason", got.Reason, test.reason)
				}
			}
		})
	}
}

// A server that closes a connection as soon as it has accepted it is of one class. Whether the system says "EOF" or "connection reset by
// peer" depends on whether the request had arrived.
func TestServerThatClosesAtOnceIsOfOneClass(t *testing.T) {
	t.Parallel()
	config := newConfig()
	config.Retry.MaxAttempts = 1
	for name, test := range map[string]struct {
		url, proxyScheme string
		kind             client.Kind
	}{
		"http": {"http://", "", client.ConnectionBroken}, "https": {"https://", "", client.HandshakeFailed},
		"forward proxy": {proxiedHTTP, "http", client.ConnectionBroken}, "CONNECT": {proxiedHTTPS, "http", client.ProxyFailed},
		"SOCKS proxy": {proxiedHTTPS, "socks5", client.ProxyFailed}, "https proxy": {proxiedHTTPS, "https", client.ProxyFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := instancetest.NewRaw(t, closeNow).Address()
			url, proxy := test.url+address, ""
			if test.proxyScheme != "" {
				url, proxy = test.url, test.proxyScheme+"://"+address
			}
			scheme, _, _ := strings.Cut(url, "://")
			c := newClient(t, config, scheme+"_proxy="+proxy)
			for range 100 {
				check(t, "Kind", readError(t, c, newRequest(t, url)).Failure.Kind, test.kind)
			}
		})
	}
}

// TLS says when a document is complete. A reset that follows, because the server has not read all of the request, takes nothing away.
func TestDocumentThatTLSHasEndedIsRead(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows drops what it has received if a reset follows")
	}
	server := instancetest.NewRawTLS(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 1000))
		_, _ = io.WriteString(c, okHead+"\r\n"+instancetest.Newer().JSON())
		_ = c.(*tls.Conn).CloseWrite()
		_ = c.(*tls.Conn).NetConn().Close()
	}, nil)
	config := newConfig()
	config.Retry.MaxAttempts = 1
	c, request := newClient(t, config), newRequest(t, "https://"+server.Address())
	request.Headers = http.Header{"X-Large": {strings.Repeat("x", 14<<10)}}
	for range 100 {
		mustRead(t, c, request)
	}
}

// A server may answer a large request without reading it. What it says must not be lost because the request cannot be written to its end.
func TestEarlyAnswerIsRead(t *testing.T) {
	t.Parallel()
	for scheme, start := range rawServers {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			stop := make(chan struct{})
			server := start(t, func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 431 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
				select {
				case <-stop:
				case <-time.After(5 * time.Second): // an emulated Windows ends a write only together with its connection
				}
			})
			t.Cleanup(func() { close(stop) })
			config := newConfig()
			config.Retry.MaxAttempts, config.RequestTimeout = 1, 5*time.Second
			config.Dial = func(ctx context.Context, network, hostPort string) (net.Conn, error) {
				c, err := new(net.Dialer).DialContext(ctx, network, hostPort)
				if err == nil {
					err = c.(*net.TCPConn).SetWriteBuffer(4 << 10)
				}
				return c, err
			}
			c, request := newClient(t, config), newRequest(t, scheme+"://"+server.Address())
			request.Headers = http.Header{strings.Repeat("X", 1<<20): {""}} // more than the systems of both sides take without a reader
			for range 100 {
				class := readError(t, c, request).Failure.Class()
				check(t, "Class", class, "status 431 Request Header Fields Too Large")
			}
		})
	}
}

// A message lists what has been sent: nothing to a port that refuses, the certificate as soon as its handshake has begun, and the headers
// after it.
func TestFailureSaysWhatWasSent(t *testing.T) {
	t.Parallel()
	refusing := instancetest.ReserveAddress(t)
	config := newConfig()
	config.TLS = certified
	c := newClient(t, config, "HTTPS_PROXY="+instancetest.NewProxy(t, instancetest.WithProxyRefusal(403)).URL())
	secured := "https://" + instancetest.NewRawTLS(t, closeNow, nil).Address()
	for name, test := range map[string]struct {
		url  string
		want client.Asked
	}{
		"refused":             {"http://" + refusing, client.Asked{}},
		"refused, https":      {"https://" + refusing, client.Asked{}},
		"refused by a proxy":  {proxiedHTTPS, client.Asked{ProxyVariable: "HTTPS_PROXY"}},
		"no certificate sent": {rawServer(t, "http", closeNow), client.Asked{HeadersSent: true}},
		"handshake":           {rawServer(t, "https", closeNow), client.Asked{CertificateSent: true}},
		"response":            {secured, client.Asked{HeadersSent: true, CertificateSent: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.want.URL = test.url + "/instance"
			check(t, "Asked", readError(t, c, newRequest(t, test.url)).Failure.Asked, test.want)
		})
	}
}

// Whatever is wrong with an answer, a user has to know that a cache gave it.
func TestFailureSaysThatACacheAnswered(t *testing.T) {
	t.Parallel()
	const body = "Age: 7\r\nAge: 42\r\n\r\n"
	for name, head := range map[string]string{
		"status": "HTTP/1.1 404 Not Found\r\n" + body, "other JSON": okHead + body + "{}", "no JSON": okHead + body + "x",
		"cut": okHead + "Content-Length: 9\r\n" + body, "redirect": "HTTP/1.1 302 Found\r\nLocation: ftp://h\r\n" + body,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := newRequest(t, serverURL(t, verbatim(head)))
			check(t, "Asked", readError(t, newClient(t, newConfig()), request).Failure.Asked, client.Asked{
				URL: request.BaseURL.DocumentURL.String(), HeadersSent: true, FromCache: true, Age: 42 * time.Second,
			})
		})
	}
}

// A control character in a header is refused before a server can take it for another header.
func TestUserAgentWithAControlCharacterIsRefused(t *testing.T) {
	t.Parallel()
	config := newConfig()
	config.UserAgent += "\r\nX-Injected: 1"
	if _, err := client.New(config); err == nil {
		t.Fatal("no error")
	} else {
		check(t, "error", err.Error(), "the User-Agent has a control character")
	}
}

// Its URL, Host header and TLS name stay the same, and no proxy is used. Other origins are reached as always.
func TestConnectToIsForOneOrigin(t *testing.T) {
	t.Parallel()
	request := newRequest(t, proxiedHTTPS)
	server := instancetest.New(t, instancetest.WithClientCertificate(), instancetest.WithScript(
		instancetest.Status(404), instancetest.Redirect(302, strings.Replace(proxiedHTTPS, "file", "FILE", 1)+"/instance"))) // the same origin
	proxy := instancetest.NewProxy(t)
	config := newConfig()
	config.TLS, config.ConnectTo, config.ConnectToOrigin = certified, server.Address(), request.BaseURL.Origin
	config.Retry.MaxAttempts = 1
	c := newClient(t, config, "HTTPS_PROXY="+proxy.URL())

	check(t, "Asked", readError(t, c, request).Failure.Asked, client.Asked{
		URL: proxiedHTTPS + "/instance", ConnectTo: server.Address(), HeadersSent: true, CertificateSent: true,
	})
	_, err := c.Wait(t.Context(), request, anything())
	check(t, "error of a wait", err, nil)
	check(t, "number of connections to the proxy", proxy.Connections(), 0)
	check(t, "number of requests", len(server.Requests()), 3)
	for _, sent := range server.Requests() {
		check(t, "Host and TLS name", strings.ToLower(sent.Host+" "+sent.TLSName), instancetest.ProxiedHost+" "+instancetest.ProxiedHost)
		check(t, "Authorization", sent.Header.Get("Authorization"), secret)
		check(t, "certificate sent", sent.ClientCertificate, true)
	}
	sameHostPort := newRequest(t, "http://"+instancetest.ProxiedHost+":443") // has another origin
	check(t, "Kind without connect_to", readError(t, c, sameHostPort).Failure.Kind, client.HostNotResolved)

	got := readError(t, c, newRequest(t, proxiedHTTPS+":8443")) // the proxy cannot resolve the host
	checkFailure(t, got, failing{"", client.ProxyFailed, final, "status 502 Bad Gateway"})
	checkProxyOf(t, got.Failure, proxiedHTTPS+":8443", "HTTPS_PROXY", false)
}

// The label of an option is safe to print.
func TestAmbiguousOptionsAreListed(t *testing.T) {
	t.Parallel()
	echo := instancetest.OlderEntry("30\n"+strings.TrimPrefix(secret, "Bearer "), 30)
	long := instancetest.OlderEntry(strings.Repeat("\n", 60), 30) // which is twice as long in quotes
	options := []instancetest.Document{echo, long}
	server := instancetest.New(t, instancetest.WithDocument(instancetest.Older().With("recommendedExpireTimes", options)))
	result := mustRead(t, newClient(t, newConfig()), newRequest(t, server.URL()))
	if len(result.Ambiguities) != 2 {
		t.Fatalf("got the ambiguities %q, want two", result.Ambiguities)
	}
	checkContains(t, "ambiguity", result.Ambiguities[0], `recommendedExpireTimes[0] ("30\n(redacted)"): `)
	checkContains(t, "long ambiguity", result.Ambiguities[1], `recommendedExpireTimes[1] ("`+strings.Repeat(`\n`, 29)+"…): ")
}

// A read after a wait is as new as the wait, also one by another client, and one that follows a read from before.
func TestReadAfterAWaitMeetsTheNewServer(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDocument(instancetest.Older()))
	c, other, request := newClient(t, newConfig()), newClient(t, newConfig()), newRequest(t, server.URL())
	for _, reader := range []*client.Client{c, other} {
		check(t, "chunk size before", mustRead(t, reader, request).Details.ChunkSizeBytes, 10000000)
	}
	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer()))
	if _, err := c.Wait(t.Context(), request, stableFor(0)); err != nil {
		t.Fatal(err)
	}
	for _, reader := range []*client.Client{c, other} {
		check(t, "chunk size after the wait", mustRead(t, reader, request).Details.ChunkSizeBytes, 20000000)
	}
	check(t, "number of connections", server.Connections(), len(server.Requests()))
}
