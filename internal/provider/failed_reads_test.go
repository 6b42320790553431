package provider_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// failingRead is a read that fails.
type failingRead struct {
	provider arguments // with one attempt, unless they say otherwise
	source   arguments
	env      map[string]string
	ctx      context.Context // if it is canceled
	until    string          // what the message has at last, if the clock of Windows may not have moved on yet in the first read
}

// TestFailedReads has the whole message of each failure that a data source can meet, side by side in testdata/failed_reads.txt. Proxies
// come from environment variables, so reads follow each other.
func TestFailedReads(t *testing.T) {
	messages := make(map[string]string)
	for name, read := range failingReads(t) {
		t.Run(name, func(t *testing.T) {
			for variable, value := range read.env {
				t.Setenv(variable, value)
			}
			provider := arguments{"retry": arguments{"max_attempts": 1, "min_delay": "1ms", "max_delay": "2ms"}}
			maps.Copy(provider, read.provider)
			s := newSession(t)
			warnings := s.configure(t, provider)
			ctx := t.Context()
			if read.ctx != nil {
				ctx = read.ctx
			}
			_, text := s.read(ctx, t, read.source)
			for !strings.Contains(text, read.until) {
				_, text = s.read(ctx, t, read.source)
			}
			messages[name] = normalized(strings.Join(slices.DeleteFunc([]string{warnings, text}, func(text string) bool { return text == "" }), "\n"))
		})
	}
	requireGolden(t, "failed_reads.txt", messages)
	for name, message := range messages {
		requireNone(t, name, message, "hunter2")
	}
}

// A message names the variable that is set. On Windows, both names are that of one.
func TestProxyVariableInLowerCase(t *testing.T) {
	t.Setenv("http_proxy", instancetest.ReserveAddress(t))
	s := configured(t, arguments{"retry": arguments{"max_attempts": 1}})
	_, text := s.read(t.Context(), t, arguments{"base_url": "http://" + instancetest.ProxiedHost})
	if runtime.GOOS != "windows" && !strings.Contains(text, "through the proxy in http_proxy)") {
		t.Errorf("the message does not name http_proxy:\n%s", text)
	}
}

// normalized replaces what differs from run to run, and the words of the operating system.
func normalized(text string) string {
	ports := make(map[string]string)
	text = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllStringFunc(text, func(address string) string {
		if ports[address] == "" {
			ports[address] = fmt.Sprintf("127.0.0.1:%d", 10001+len(ports))
		}
		return ports[address]
	})
	reset := syscall.ECONNRESET
	if runtime.GOOS == "windows" {
		reset = 10054
	}
	const end = `.+?(\.?\n| \(\d+ attempt)`
	for pattern, replacement := range map[string]string{
		`(lookup \S+?)( on \S+)?: ` + end:                 "$1: (not found, in the words of the system)$3",
		`: connect(ex)?: ` + end:                          ": connect: (refused, in the words of the system)$2",
		": " + regexp.QuoteMeta(reset.Error()) + `\.?`:    ": (reset, in the words of the system).",
		`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)`: "(a time)",
	} {
		text = regexp.MustCompile(pattern).ReplaceAllString(text, replacement)
	}
	return text
}

// failingReads returns reads of servers that run until the test ends. The client's tests show in more detail which failure it reports when.
func failingReads(t *testing.T) map[string]failingRead {
	t.Helper()
	const origin = "http://" + instancetest.ProxiedHost // resolves nowhere
	type options = []instancetest.Option
	answering := func(step instancetest.Step, more ...instancetest.Option) string {
		return instancetest.New(t, append(options{instancetest.WithDefault(step)}, more...)...).URL()
	}
	status := func(code int, headers ...string) string { return answering(instancetest.Status(code, headers...)) }
	body := func(code int, contentType, text string) string {
		return answering(instancetest.Body(code, contentType, text))
	}
	of := func(baseURL string) failingRead { return failingRead{source: arguments{"base_url": baseURL}} }
	ca := instancetest.New(t).CACertPEM()
	trusting := func(baseURL string) failingRead {
		return failingRead{provider: arguments{"ca_cert_pem": ca}, source: arguments{"base_url": baseURL}}
	}
	showing := func(certificate instancetest.Certificate) failingRead {
		return trusting(instancetest.New(t, instancetest.WithCertificate(certificate)).URL())
	}
	withUnusableBlock := func(certificate instancetest.Certificate) failingRead {
		read := showing(certificate)
		read.provider["ca_cert_pem"] = ca + "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
		return read
	}
	wrongHost := instancetest.New(t, instancetest.WithCertificate(instancetest.CertificateWrongHost)).URL()
	closedOverTLS := answering(instancetest.CloseConnection(), instancetest.WithTLS())
	withClientCertificate := func(baseURL string) failingRead {
		material := instancetest.New(t)
		return failingRead{
			provider: arguments{"ca_cert_pem": ca, "client_cert_pem": material.ClientCertPEM(), "client_key_pem": material.ClientKeyPEM()},
			source:   arguments{"base_url": baseURL},
		}
	}
	demanding := instancetest.New(t, instancetest.WithClientCertificate(), instancetest.WithTLS12()).URL()
	throughProxy := func(scheme, proxyURL string) failingRead {
		return failingRead{
			source: arguments{"base_url": scheme + "://" + instancetest.ProxiedHost},
			env:    map[string]string{strings.ToUpper(scheme) + "_PROXY": proxyURL},
		}
	}
	proxied := func(options ...instancetest.ProxyOption) failingRead {
		return throughProxy("http", strings.Replace(instancetest.NewProxy(t, options...).URL(), "://", "://user:hunter2@", 1))
	}
	untrustedProxy := instancetest.NewProxy(t, instancetest.WithProxyCertificate(instancetest.CertificateSelfSigned)).URL()
	withToken := func(baseURL, sourceURL string) failingRead {
		provider := arguments{"base_url": baseURL, "request_headers": texts{"X-Token": "hunter2-token"}}
		return failingRead{provider: provider, source: arguments{"base_url": sourceURL}}
	}
	headersOnly := arguments{"request_headers": texts{"X-Token": "hunter2-token"}}
	loginPage := instancetest.Body(200, "text/html", "<html><title>Sign in</title>")
	login := answering(loginPage)
	withheldByRedirect := func(location string) failingRead {
		home := answering(instancetest.Redirect(302, location))
		return withToken(home, home)
	}
	maintenance := instancetest.Verbatim("HTTP/1.1 503 Maintenance until 10:00\r\n\r\n", instancetest.CloseConnection())
	unauthorized, silent := status(401), answering(instancetest.Silent())
	hasty := func(provider, timeouts arguments) failingRead {
		return failingRead{provider: provider, source: arguments{"base_url": silent, "timeouts": timeouts}}
	}
	document := func(text string) failingRead { return of(body(200, "application/json", text)) }
	instance := instancetest.New(t).URL()
	refused := "http://" + instancetest.ReserveAddress(t)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	many := texts{"good": instance}
	for i := range 25 {
		many[fmt.Sprintf("key%02d", i)] = refused
	}

	return map[string]failingRead{
		// The name and the connection.
		"host not resolved": of("http://files..example.org"),
		"refused":           of(refused),
		"refused, retried": {
			provider: arguments{"retry": arguments{"max_attempts": 2, "min_delay": "1ms"}}, source: arguments{"base_url": refused},
		},
		"refused, provider's":   {provider: arguments{"base_url": refused}},
		"refused, environment":  {env: map[string]string{"FILETRANSFER_BASE_URL": refused}},
		"refused, connect_to":   {provider: arguments{"base_url": origin, "connect_to": strings.TrimPrefix(refused, "http://")}},
		"refused, with headers": withToken(refused, refused), // which have not been sent
		"reset":                 of(answering(instancetest.Reset())),
		"closed":                of(answering(instancetest.CloseConnection())),

		// Time limits.
		"request_timeout":                hasty(arguments{"request_timeout": "100ms"}, arguments{"read": "10s"}),
		"request_timeout, retried":       hasty(arguments{"request_timeout": "100ms", "retry": arguments{"max_attempts": 2, "min_delay": "1ms"}}, nil),
		"timeouts.read, not asked":       {source: arguments{"base_url": silent, "timeouts": arguments{"read": "1ns"}}, until: "not asked"},
		"timeouts.read":                  hasty(nil, arguments{"read": "100ms"}),
		"timeouts.read, no time to wait": {provider: arguments{"retry": arguments{"min_delay": "9s"}}, source: arguments{"base_url": status(503), "timeouts": arguments{"read": "1s"}}},
		"canceled":                       {source: arguments{"base_url": silent}, ctx: canceled},
		"canceled, retried":              canceledAfterOneAttempt(t),

		// TLS.
		"certificate, unknown authority":                 showing(instancetest.CertificateSelfSigned),
		"certificate, unknown authority, unusable block": withUnusableBlock(instancetest.CertificateSelfSigned),
		"certificate, expired, unusable block":           withUnusableBlock(instancetest.CertificateExpired),
		"certificate, of an expired authority":           showing(instancetest.CertificateOfExpired),
		"certificate, of a constrained authority":        showing(instancetest.CertificateOfConstrained),
		"certificate, host name":                         showing(instancetest.CertificateWrongHost),
		"certificate, expired":                           showing(instancetest.CertificateExpired),
		"certificate, of a client":                       trusting(tlsServer(t, &tls.Config{MinVersion: tls.VersionTLS12})),
		"handshake, client certificate required":         trusting(demanding),
		"handshake, client certificate refused":          withClientCertificate(tlsServer(t, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})),
		"handshake, client certificate withheld":         withClientCertificate(answering(instancetest.Redirect(302, demanding))),
		"closed over TLS":                                trusting(closedOverTLS),
		"closed over TLS, client certificate withheld":   withClientCertificate(answering(instancetest.Redirect(302, closedOverTLS))),
		"no TLS":                 of(strings.Replace(instance, "http:", "https:", 1)),
		"handshake, old version": trusting(tlsServer(t, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})),

		// Redirects.
		"redirect, another scheme":                  of(answering(instancetest.Redirect(302, "ftp://files.example.org/?token=hunter2"))),
		"redirect, loop":                            of(answering(instancetest.Redirect(302, "/instance"))),
		"redirect, gives up TLS":                    trusting(answering(instancetest.Redirect(302, origin), instancetest.WithTLS())),
		"redirect, then refused":                    of(answering(instancetest.Redirect(302, refused))),
		"redirect, then closed":                     of(answering(instancetest.Redirect(302, answering(instancetest.CloseConnection())))),
		"redirect, then another host's certificate": trusting(answering(instancetest.Redirect(302, wrongHost))),
		"redirect, then 404":                        of(answering(instancetest.Redirect(302, status(404)+"/other?token=hunter2"))),

		// Statuses.
		"status 202":                             of(body(202, "", "")),
		"status 204":                             of(status(204)),
		"status 400, certificate required":       of(body(400, "text/html", "<title>400 No required SSL certificate was sent</title>")),
		"status 400, certificate withheld":       withClientCertificate(answering(instancetest.Redirect(302, status(400)))),
		"status 421":                             of(status(421)),
		"status 426":                             of(status(426)),
		"status 431, headers withheld":           withheldByRedirect(status(431)),
		"status 301 without a location":          of(status(301)),
		"status 400, HTTP to a TLS port":         of(strings.Replace(instancetest.New(t, instancetest.WithTLS()).Origin(), "https:", "http:", 1)),
		"status 401":                             of(status(401)),
		"status 401, headers for another origin": withToken(origin, status(401)),
		"status 401, own headers sent": {
			provider: withToken(origin, "").provider,
			source:   arguments{"base_url": status(401), "request_headers": texts{"X-Token": "hunter2-own"}},
		},
		"status 401, headers sent":               withToken(unauthorized, unauthorized),
		"status 401, headers without a base URL": {provider: headersOnly, source: arguments{"base_url": unauthorized}},
		"status 401, headers and an invalid variable": {
			provider: headersOnly, source: arguments{"base_url": unauthorized}, env: map[string]string{"FILETRANSFER_BASE_URL": "nope"},
		},
		"status 401, headers lost in a redirect":  withheldByRedirect(status(401)),
		"status 403, a page":                      of(body(403, "text/html", "<h1>403 Forbidden</h1>\nRequest forbidden by administrative rules.")),
		"status 403, headers lost in a redirect":  withheldByRedirect(status(403)),
		"status 403, JSON without a message":      of(body(403, "", `{"error":"Forbidden","reason":"192.0.2.1 is not on the list"}`)),
		"status 404":                              of(status(404)),
		"status 404, from a cache":                of(status(404, "Age", "42")),
		"status 404, headers for another origin":  withToken(origin, status(404)), // has nothing to do with them
		"status 407, without a proxy":             of(status(407)),
		"status 429":                              of(status(429, "Retry-After", "120")),
		"status 500":                              of(status(500)),
		"status 503, Retry-After":                 of(status(503, "Retry-After", "120")),
		"status 503, in the server's words":       of(answering(maintenance)),
		"status 503, which the page only repeats": of(body(503, "text/html", "<title>503 Service Unavailable</title>")),

		// Bodies.
		"invalid response":                     of(answering(instancetest.Verbatim("SSH-2.0-OpenSSH_9.6\r\n", instancetest.CloseConnection()))),
		"too large":                            of(answering(instancetest.EndlessBody(200, " "))),
		"not JSON, empty":                      document(""),
		"not JSON, incomplete":                 document(`{"fileMaxSize":`),
		"not JSON, a page":                     of(login),
		"not JSON, headers for another origin": withToken(origin, login),
		"not JSON, login after a redirect":     withheldByRedirect(login),
		"document, faults": document(instancetest.Newer().With("fileMaxSize", nil).With("chunkSize", -1).With("apiVersion", "v2").
			Without("fileMaxAge").JSON()),
		"document, more faults than are listed": document(instancetest.Newer().With("recommendedExpireTimes", make([]instancetest.Document, 25)).JSON()),
		"document, numbers too large": document(instancetest.Newer().With("fileMaxSize", instancetest.Raw("100000000000000000000")).
			With("fileMaxAge", "9223372036854775808").JSON()),
		"document, release 1.0.0": document(`{"apiVersion":"1.0.0","chunkSize":10000000,"fileMaxSize":20000000000,"requirePassword":false}`),
		"document, another one":   document(`{"success":false,"msg":"backend is starting"}`),

		// Proxies.
		"proxy refuses":         proxied(instancetest.WithProxyRefusal(407)),
		"proxy refuses CONNECT": throughProxy("https", instancetest.NewProxy(t, instancetest.WithProxyRefusal(403)).URL()),
		"proxy refuses CONNECT, with headers": {
			provider: headersOnly, source: arguments{"base_url": "https://" + instancetest.ProxiedHost, "request_headers": texts{"X-Own": "hunter2-own"}},
			env: map[string]string{"HTTPS_PROXY": instancetest.NewProxy(t, instancetest.WithProxyRefusal(403)).URL()},
		},
		"proxy down":                 throughProxy("http", refused),
		"proxy variable not valid":   throughProxy("http", "http://user:hunter2@%zz"),
		"proxy's certificate":        throughProxy("http", untrustedProxy),
		"proxy's certificate, https": throughProxy("https", untrustedProxy),
		"status 403 of a proxy":      proxied(instancetest.WithProxyRefusal(403)),
		"status 502 of a proxy":      proxied(instancetest.WithProxyRefusal(502)),
		"login page of a proxy":      proxied(instancetest.WithProxyTarget(instancetest.New(t, instancetest.WithDefault(loginPage)))),
		"status 404 through a proxy": proxied(instancetest.WithProxyTarget(instancetest.New(t, instancetest.WithDefault(instancetest.Status(404))))),

		// Many instances.
		"instances, errors": {source: arguments{"base_urls": texts{"a": refused, "b": status(404), "good": instance}}},
		"instances, allowed failures": {source: arguments{
			"base_urls": texts{"a": refused, "b": status(404) + "/", "c": document(`{"fileMaxSize":"5 GB"}`).source["base_url"], "good": instance}, "allow_failures": true,
		}},
		"instances, one allowed failure":           {source: arguments{"base_urls": texts{"a": refused, "good": instance}, "allow_failures": true}},
		"instances, more failures than are listed": {source: arguments{"base_urls": many, "allow_failures": true}},
		"instances, not asked in time": {
			source: arguments{"base_urls": texts{"a": instance}, "timeouts": arguments{"read": "1ns"}}, until: "not asked",
		},
		"instances, canceled after a failure": canceledAfterFailure(t, texts{"a": status(404), "b": silent}),
		"instances, canceled": {
			source: arguments{"base_urls": texts{"a": silent, "b": silent}, "allow_failures": true}, ctx: canceled,
		},

		// Nothing to read, or not yet.
		"no base URL":                               {},
		"base URL of the environment not valid":     {env: map[string]string{"FILETRANSFER_BASE_URL": "files.example.org"}},
		"base URL of the environment with password": {env: map[string]string{"FILETRANSFER_BASE_URL": "https://me:hunter2@files.example.org"}},
		"base URL that was unknown not valid":       of("https://files.example.org\n"),
		"provider not known yet":                    {provider: arguments{"base_url": unknown, "retry": arguments{"max_attempts": unknown}}},
		"provider not known yet, instances":         {provider: arguments{"base_url": instance, "request_headers": texts{"X-Token": unknown}}, source: arguments{"base_urls": texts{"a": instance}}},
	}
}

// canceledAfterOneAttempt returns a read whose second attempt is canceled.
func canceledAfterOneAttempt(t *testing.T) failingRead {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Bool
	server := instancetest.New(t, instancetest.WithDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
		if !asked.Swap(true) {
			instancetest.Status(503)(s, w, r)
			return
		}
		cancel()
		instancetest.Silent()(s, w, r)
	}))
	retry := arguments{"max_attempts": 3, "min_delay": "1ms"}
	return failingRead{provider: arguments{"retry": retry}, source: arguments{"base_url": server.URL()}, ctx: ctx}
}

// canceledAfterFailure returns a read of several instances that is canceled as soon as one has failed.
func canceledAfterFailure(t *testing.T, baseURLs texts) failingRead {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	log := writerFunc(func(line []byte) (int, error) {
		if strings.Contains(string(line), "status 404") {
			cancel()
		}
		return len(line), nil
	})
	return failingRead{source: arguments{"base_urls": baseURLs}, ctx: tflogtest.RootLogger(ctx, log)}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

// tlsServer returns the URL of a server with a certificate that is for clients.
func tlsServer(t *testing.T, config *tls.Config) string {
	t.Helper()
	material := instancetest.New(t)
	certificate, err := tls.X509KeyPair([]byte(material.ClientCertPEM()), []byte(material.ClientKeyPEM()))
	must(t, err)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	config.Certificates = []tls.Certificate{certificate}
	server.TLS = config
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}
