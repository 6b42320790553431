package client_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const ok = "HTTP/1.1 200 OK\r\n"

// padded returns an instance document of size bytes.
func padded(size int) string {
	document := instancetest.Newer().JSON()
	return document + strings.Repeat(" ", size-len(document))
}

func TestInstanceIsReadInAnyFormOfHTTP(t *testing.T) {
	t.Parallel()
	document := instancetest.Newer().JSON()
	for name, answer := range map[string]string{
		"64 KiB":              ok + "\r\n" + padded(64<<10),
		"head of 15 KiB":      ok + "X: " + strings.Repeat("x", 15<<10) + "\r\n\r\n" + document,
		"Location with a 200": ok + "Location: http://[\r\n\r\n" + document,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := mustRead(t, newClient(t, newConfig()), newRequest(t, "http://"+hostOf(t, reply(answer))))
			check(t, "Document", strings.TrimRight(string(result.Document), " "), document)
			check(t, "ChunkSizeBytes", result.Details.ChunkSizeBytes, 20000000)
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	type row struct {
		answer   string
		class    string
		attempts int
		reason   string         // with the faults
		then     func(net.Conn) // after the answer, instead of ending the connection
	}
	stays := func(c net.Conn) {
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the client does not leave")
		}
	}
	invalid := func(answer, reason string) row { return row{answer, "no valid response", retried, reason, nil} }
	notJSON := func(answer, reason string) row {
		return row{ok + answer, "not JSON", final, "the body is not valid " + reason, nil}
	}
	incomplete := func(body, reason string) row { return row{ok + "\r\n" + body, "not JSON", retried, reason, nil} }
	notInstance := func(field, body, reason string) row {
		reason = "JSON that is not an instance document: " + reason
		return row{ok + "\r\n" + body, "not an instance document: " + field, final, reason, nil}
	}
	notFound := func(answer, reason string) row {
		return row{"HTTP/1.1 404" + answer, "status 404 Not Found", final, "status 404" + reason, nil}
	}
	busy := func(header, reason string) row {
		return row{"HTTP/1.1 503 X\r\n" + header, "status 503 Service Unavailable", retried, "status 503 X" + reason, nil}
	}
	redirect := func(location, reason string) row {
		answer := "HTTP/1.1 302 X\r\nContent-Length: 9\r\nLocation: " + location + "\r\n\r\n"
		return row{answer, "redirect not followed", final, "a redirect to " + reason, stays}
	}
	newer, x1000 := instancetest.Newer(), strings.Repeat("x", 1000)
	const text, notShown = " Not Found\r\n\r\n", "(not shown, because it repeats a secret)"
	tests := map[string]row{
		"closed":          invalid("", "EOF"),
		"reset":           {"", "no valid response", retried, "connection reset by peer", instancetest.ResetConnection},
		"cut in the body": invalid(ok+"Content-Length: 9\r\n\r\n{", "unexpected EOF"),
		"a long line":     invalid(x1000+"\r\n\r\n", `malformed HTTP response "`+x1000[:574]+"…"), // 600 characters
		"head of 17 KiB": invalid(ok+"X: "+strings.Repeat("x", 17<<10)+"\r\n\r\n",
			"net/http: server response headers exceeded 16384 bytes; aborted"),
		"64 KiB and a byte, without an end": {
			ok + "\r\n" + padded(64<<10+1), "not an instance document: the document", final,
			"the body has more than 65536 bytes", stays,
		},
		"switched protocol": {
			"HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", "status 101 Switching Protocols", final,
			"status 101 X", stays,
		},

		// Without a length, a connection that breaks looks like this.
		"empty body":     incomplete(" \n", "the body is empty"),
		"body that ends": incomplete(`{"a": 1`, "the body is incomplete JSON: it ends early"),

		"web page": notJSON("Content-Type: text/html\r\n\r\n<title>Sign in</title>",
			`JSON: invalid character '<' looking for beginning of value (Content-Type "text/html"); its text: Sign in`),
		"Brotli": notJSON("Content-Encoding: br\r\n\r\n!\xff",
			`JSON: invalid character '!' looking for beginning of value (Content-Type "", Content-Encoding "br")`),
		"Latin-1": notJSON("\r\n[\"\xf1\"]", `UTF-8 (Content-Type "")`),
		"compressed": notJSON("Content-Encoding: gzip\r\n\r\n\x1f\x8b", // although nobody asked for that
			`JSON: invalid character '\x1f' looking for beginning of value (Content-Type "", Content-Encoding "gzip")`),
		"other JSON": notInstance("fileMaxSize", `{"msg": 1}`, `{"msg":1}`),
		"two faults": notInstance("fileMaxSize", newer.Without("fileMaxSize").With("chunkSize", "1\nx").JSON(),
			`fileMaxSize: required, but missing; chunkSize: expected a whole number from 0, found a string "1\nx"`),
		"long value": notInstance("chunkSize", newer.With("chunkSize", x1000).JSON(),
			`chunkSize: expected a whole number from 0, found a string "`+x1000[:58]+"…"),

		"text":                       notFound(text+"Route missing", " Not Found: Route missing"),
		"long text":                  notFound(text+x1000, " Not Found: "+x1000[:199]+"…"),
		"too long a text":            notFound(text+padded(64<<10+1), " Not Found"),
		"cut text":                   notFound(" X\r\nContent-Length: 99\r\n\r\nGone", " X"),
		"status again":               notFound(text+"not found.", " Not Found"),
		"status again, and more":     notFound(text+"404 Not Found by policy", " Not Found: by policy"),
		"no words in the status":     notFound(" \r\n\r\nGone", " Not Found: Gone"),
		"words of the server":        notFound(" Blocked \x1b[1m\r\n\r\nWhy", " Blocked [1m: Why"),
		"words of the server, again": notFound(" Blocked\r\n\r\n404 Blocked", " Blocked"),
		"Go's words again":           notFound(" Blocked\r\n\r\n404 Not Found", " Blocked"),
		"Retry-After of a 404":       notFound(" X\r\nRetry-After: 120\r\n\r\n", " X"),
		"Retry-After":                busy("Retry-After: 0\r\n\r\nNo", ", Retry-After: 0: No"),
		"status that Go knows not":   {"HTTP/1.1 499\r\n\r\nNo", "status 499", final, "status 499: No", nil},

		"redirect to http":   redirect("ftp://h/x?s3cret", "ftp://h/x, which is neither http nor https"),
		"redirect, user":     redirect("http://s3cret@h/x", "http://h/x, which has user info"),
		"redirect, Unicode":  redirect("http://h%E2%93%97/s3cret", "a URL without a valid host"),
		"redirect, no URL":   redirect("//user:s3cret@[::1/x", "a URL that is not valid"),
		"redirect, secret":   redirect("ftp://h/bearer/s3cret%2FT0ken", notShown+", which is neither http nor https"),
		"no redirect at all": {"HTTP/1.1 302 X\r\n\r\n", "status 302 Found", final, "status 302 X", nil},

		// A server may repeat what it was sent.
		"secret in the text":    notFound(text+x1000[:195]+secret, " Not Found: "+notShown),
		"secret in the page":    notFound(text+"<title>Gone</title>"+secret, " Not Found: "+notShown),
		"secret between tags":   notFound(text+"Bearer s3<b>cret</b>/T0<b>k</b>en", " Not Found: "+notShown),
		"secret in the status":  notFound(" "+secret+"\r\n\r\nGone", " "+notShown+": Gone"),
		"secret in Retry-After": busy("Retry-After: "+secret+"\r\n\r\n", ", Retry-After: "+notShown),
		"secret in a line":      invalid(secret+"\r\n\r\n", notShown),
		"secret in a type": notJSON("Content-Type: "+secret+"\r\nContent-Encoding: "+secret+"\r\n\r\nx "+secret,
			"JSON: invalid character 'x' looking for beginning of value (Content-Type "+notShown+", Content-Encoding "+notShown+
				"); its text: "+notShown),
		"secret in JSON": notInstance("fileMaxSize", `{"a":"bearer s3cret\/T0ken"}`, notShown),
		"secret in a value": notInstance("chunkSize", newer.With("chunkSize", secret).JSON(),
			"chunkSize: expected a whole number from 0, found a string "+notShown),
	}
	for attempts, statuses := range map[int][]int{
		final:   {201, 204, 300, 304, 400, 403, 407, 425, 499, 501},
		retried: {408, 429, 500, 502, 504, 520, 999},
	} {
		for _, status := range statuses {
			class := strings.TrimSpace(fmt.Sprintf("status %d %s", status, http.StatusText(status)))
			reason := fmt.Sprintf("status %d X", status)
			tests[class] = row{"HTTP/1.1 " + reason[len("status "):] + "\r\n\r\n", class, attempts, reason, nil}
		}
	}
	host := hostOf(t, func(c net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		test := tests[strings.Trim(path.Dir(request.URL.Path), "/")]
		_, _ = io.WriteString(c, test.answer)
		if test.then == nil {
			test.then = endWrites
		}
		test.then(c)
	})
	c := newClient(t, newConfig())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := failedRead(t, c, newRequest(t, "http://"+host+"/"+name))
			checkFailure(t, got, failing{test.class, test.attempts, ""})
			check(t, "OneLine", got.Failure.OneLine(), test.reason)
			check(t, "Ending", got.Ending, client.GaveUp)
			check(t, "whether there is a StatusCode", got.Failure.StatusCode > 0, got.Failure.Kind == client.Status)
		})
	}
}

// Whether the system or net/http comes first is chance, and one cause has one class all the same.
func TestOneCauseIsOneFailure(t *testing.T) {
	t.Parallel()
	const malformed, reset = `malformed HTTP response "SSH-2.0-x"`, "connection reset by peer"
	for name, test := range map[string]struct{ url, reason string }{
		"garbage":               {"http://" + hostOf(t, reply("SSH-2.0-x\r\n")), malformed},
		"speaks first":          {"http://" + hostOf(t, speak("SSH-2.0-x\r\n")), ""}, // net/http may lose its words
		"speaks first over TLS": {"https://" + instancetest.NewRawTLS(t, speak("SSH-2.0-x\r\n"), nil).Address(), ""},
		"resets":                {"http://" + hostOf(t, instancetest.ResetConnection), reset},
		"resets the handshake":  {"https://" + hostOf(t, instancetest.ResetConnection), reset},
		"closes":                {"http://" + hostOf(t, func(net.Conn) {}), ""}, // an EOF, or a reset
		"closes the handshake":  {"https://" + hostOf(t, func(net.Conn) {}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := newConfig()
			config.Retry.MaxAttempts = 1
			c := newClient(t, config)
			for range 20 {
				checkFailure(t, failedRead(t, c, newRequest(t, test.url)), failing{"no valid response", final, test.reason})
			}
		})
	}
}

// A name may have several addresses, so a failure has the one that was connected to, if there was one.
func TestAddressThatWasConnectedTo(t *testing.T) {
	t.Parallel()
	nowhere, server := instancetest.ReserveAddress(t), hostOf(t, reply("HTTP/1.1 404 X\r\n\r\n"))
	redirecting := hostOf(t, reply("HTTP/1.1 302 X\r\nAge: 60\r\nLocation: http://"+nowhere+"\r\n\r\n"))
	mapped := func(host string) string { return "[::ffff:127.0.0.1]" + strings.TrimPrefix(host, "127.0.0.1") }
	notFound := failing{"status 404 Not Found", final, ""}
	for host, test := range map[string]struct {
		want  failing
		route client.Route
	}{
		nowhere:                  {failing{"connection failed", retried, "dial tcp " + nowhere}, client.Route{}},
		instancetest.ProxiedHost: {failing{"host name not resolved", retried, "lookup "}, client.Route{}},
		server:                   {notFound, client.Route{HeadersSent: true}},
		mapped(server):           {notFound, client.Route{Address: server, HeadersSent: true}},
		mapped(redirecting): {failing{"connection failed", retried, ""}, client.Route{
			HeadersSent: true, HeadersWithheld: true, RedirectedTo: "http://" + nowhere,
		}},
	} {
		request := newRequest(t, "http://"+host)
		request.Headers.Set("X-Server", host) // what everybody can see in the URL hides no evidence
		got := failedRead(t, newClient(t, newConfig()), request)
		checkFailure(t, got, test.want)
		test.route.URL = "http://" + host + "/instance"
		check(t, "Route", got.Failure.Route, test.route)
	}
}

func TestFailuresOfTLS(t *testing.T) {
	t.Parallel()
	const notTrusted, failed = "certificate not trusted", "TLS handshake failed"
	const issued = `(its subject is "CN=instancetest", its issuer is "CN=instancetest CA")`
	const byExpired = `(its subject is "CN=instancetest expired CA", its issuer is "CN=instancetest CA")`
	with := func(options ...instancetest.Option) string { return instancetest.New(t, options...).Address() }
	ofKind := func(kind instancetest.Certificate) string { return with(instancetest.WithCertificate(kind)) }
	changed := func(change func(*tls.Config)) string {
		return instancetest.NewRawTLS(t, instancetest.Await, change).Address()
	}
	tls11 := func(config *tls.Config) { config.MinVersion, config.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }
	mutual := instancetest.WithClientCertificate()
	http3 := func(config *tls.Config) { config.NextProtos = []string{"h3"} }
	for name, test := range map[string]struct {
		host string
		want failing
	}{
		"expired":           {ofKind(instancetest.CertificateExpired), failing{notTrusted, final, issued}},
		"expired authority": {ofKind(instancetest.CertificateOfExpired), failing{notTrusted, final, byExpired}},
		"plain HTTP":        {with(), failing{"no TLS", final, "server gave HTTP response to HTTPS client"}},
		"not TLS":           {hostOf(t, reply("220 mail\r\n")), failing{failed, final, "not look like a TLS handshake"}},
		"TLS 1.1":           {changed(tls11), failing{failed, retried, "tls: "}},
		"no HTTP/1.1":       {changed(http3), failing{failed, retried, "tls: no application protocol"}},
		"required, TLS 1.3": {with(mutual), failing{failed, retried, "tls: certificate required"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && strings.HasSuffix(name, "TLS 1.3") {
				t.Skip("Windows drops an alert that a reset follows, as it does here on loopback")
			}
			checkFailure(t, failedRead(t, newClient(t, newConfig()), newRequest(t, "https://"+test.host)), test.want)
		})
	}
}

// A server may list other authorities than the one that has signed the certificate it accepts.
func TestClientCertificateIsSentWhateverAuthorityIsAskedFor(t *testing.T) {
	t.Parallel()
	server := instancetest.NewRawTLS(t, reply(ok+"\r\n"+instancetest.Newer().JSON()), func(config *tls.Config) {
		config.ClientAuth, config.ClientCAs = tls.RequireAnyClientCert, x509.NewCertPool()
		config.ClientCAs.AddCert(clientCertificate.Leaf) // which is no authority
	})
	config := newConfig()
	config.ClientCertificate, config.RootCAs, config.Insecure = &clientCertificate, nil, true
	mustRead(t, newClient(t, config), newRequest(t, "https://"+server.Address()))
}
