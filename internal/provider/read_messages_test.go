package provider_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// messageRow is a provider block and a data source, of which a user gets messages.
type messageRow struct {
	provider arguments // with one attempt, unless they say otherwise
	source   arguments // nil if the provider block alone has messages
	env      map[string]string
	ctx      context.Context // if it is canceled
	until    string          // what the text has at last: the clock of Windows may stand still in the first read
}

// TestReadMessages has each message of the provider block and of the data sources, side by side in
// testdata/read_messages.txt. Proxies come from environment variables, so rows follow each other.
func TestReadMessages(t *testing.T) {
	messages := make(map[string]string)
	for name, row := range messageRows(t) {
		t.Run(name, func(t *testing.T) {
			for variable, value := range row.env {
				t.Setenv(variable, value)
			}
			provider := arguments{"retry": arguments{"max_attempts": 1, "min_delay": "1ms", "max_delay": "2ms"}}
			maps.Copy(provider, row.provider)
			s, ctx := newSession(t), t.Context()
			if row.ctx != nil {
				ctx = row.ctx
			}
			messages[name] = s.configure(t, provider)
			for tries := 0; row.source != nil && tries < 1000; tries++ {
				_, text, _ := s.read(ctx, t, row.source, false)
				if strings.Contains(text, row.until) {
					messages[name] += text
					break
				}
			}
			messages[name] = normalized(messages[name])
			requireNone(t, name, messages[name])
		})
	}
	requireGolden(t, "read_messages.txt", messages)
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
	refused := syscall.ECONNREFUSED
	if runtime.GOOS == "windows" {
		refused = 10061
	}
	const words = "(in the words of the system)" // which may end with a period
	text = strings.NewReplacer(
		refused.Error()+" (", words+" (", strings.TrimSuffix(refused.Error(), "."), words, "connectex", "connect",
	).Replace(text)
	return regexp.MustCompile(`(lookup \S+?)( on \S+)?: .+?(\.?\n)`).ReplaceAllString(text, "$1: "+words+"$3")
}

// messageRows returns reads of servers that run until the test ends. The tests of the client show which failure it
// reports when, and have more of its words.
func messageRows(t *testing.T) map[string]messageRow {
	t.Helper()
	const origin, files = "http://" + instancetest.ProxiedHost, "https://files.example.org" // resolves nowhere
	newer := instancetest.Newer()
	answering := func(step instancetest.Step, more ...instancetest.Option) string {
		return instancetest.New(t, append(more, instancetest.WithDefault(step))...).URL()
	}
	status := func(code int, headers ...string) string { return answering(instancetest.Status(code, headers...)) }
	reporting := func(document instancetest.Document) string {
		return instancetest.New(t, instancetest.WithDocument(document)).URL()
	}
	small := func(size, chunk, age, option int64) string {
		return reporting(newer.With("fileMaxSize", size).With("chunkSize", chunk).With("fileMaxAge", age).
			With("recommendedExpireTimes", []instancetest.Document{instancetest.NewerEntry("a", option)}))
	}
	own := func(baseURL string) arguments { return arguments{"base_url": baseURL} }
	row := func(baseURL string) messageRow { return messageRow{source: own(baseURL)} }
	trusting := func(baseURL string) messageRow {
		ca := instancetest.New(t).CACertPEM()
		return messageRow{provider: arguments{"ca_cert_pem": ca}, source: own(baseURL)}
	}
	withToken := func(baseURL, sourceURL string) messageRow {
		provider := arguments{"base_url": baseURL, "request_headers": texts{"X-Token": "hunter2-token"}}
		return messageRow{provider: provider, source: own(sourceURL)}
	}
	connectingTo := func(baseURL, serverURL string) messageRow {
		_, hostPort, _ := strings.Cut(serverURL, "://")
		return messageRow{provider: arguments{"base_url": baseURL, "connect_to": hostPort}, source: own(baseURL)}
	}
	throughProxy := func(scheme, proxyURL string) messageRow {
		env := map[string]string{strings.ToUpper(scheme) + "_PROXY": strings.Replace(proxyURL, "://", "://user:hunter2@", 1)}
		return messageRow{source: own(scheme + "://" + instancetest.ProxiedHost), env: env}
	}
	refusingProxy := func(code int) string { return instancetest.NewProxy(t, instancetest.WithProxyRefusal(code)).URL() }
	login := instancetest.Body(200, "text/html", "<html><title>Sign in</title>")
	instance, silent := instancetest.New(t).URL(), answering(instancetest.Silent())
	unauthorized, closing := status(401), answering(instancetest.CloseConnection())
	lost := answering(instancetest.Redirect(302, status(403)+"/other?token=hunter2"))
	refused := "http://" + instancetest.ReserveAddress(t)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	canceledLater, cancelLater := context.WithCancel(t.Context())
	canceling := instancetest.Func(func(_ http.ResponseWriter, r *http.Request) {
		cancelLater()
		<-r.Context().Done()
	})
	long := instancetest.Body(503, "text/plain", strings.Repeat("long ", 50))
	many := texts{"good": instance}
	for i := range 21 {
		many[fmt.Sprintf("key%02d", i)] = refused
	}
	variable := func(baseURL string) map[string]string { return map[string]string{"FILETRANSFER_BASE_URL": baseURL} }
	allowing := func(baseURLs texts) arguments { return arguments{"base_urls": baseURLs, "allow_failures": true} }

	return map[string]messageRow{
		// The name, the connection and TLS.
		"host not resolved":    row("http://files..example.org"),
		"refused":              row(refused),
		"refused, provider's":  {provider: arguments{"base_url": refused}, source: arguments{}},
		"refused, connect_to":  connectingTo(origin, refused),
		"closed":               row(closing),
		"no TLS, connect_to":   connectingTo("https://"+instancetest.ProxiedHost, instance),
		"no such connect_to":   connectingTo(origin, "http://nosuch..invalid:443"),
		"certificate":          trusting(answering(login, instancetest.WithCertificate(instancetest.CertificateSelfSigned))),
		"handshake":            trusting(instancetest.New(t, instancetest.WithClientCertificate()).URL()),
		"no TLS":               row(strings.Replace(instance, "http:", "https:", 1)),
		"proxy down":           throughProxy("http", refused),
		"proxy refuses":        throughProxy("http", refusingProxy(407)),
		"proxy refuses, https": throughProxy("https", refusingProxy(403)),

		// Time limits.
		"request_timeout": {
			provider: arguments{"request_timeout": "50ms", "retry": arguments{"max_attempts": 2, "min_delay": "1ms"}},
			source:   arguments{"base_url": silent},
		},
		"request_timeout and timeouts.read": {
			provider: arguments{"request_timeout": "50ms", "retry": arguments{"min_delay": "1m"}},
			source:   arguments{"base_url": silent, "timeouts": arguments{"read": "400ms"}},
		},
		"timeouts.read": {source: arguments{"base_url": silent, "timeouts": arguments{"read": "300ms"}}},
		"timeouts.read, no time": {
			source: arguments{"base_url": silent, "timeouts": arguments{"read": "1ns"}}, until: "no request was sent",
		},
		"canceled": {source: arguments{"base_url": silent}, ctx: canceled},
		"canceled, after a retry": {
			provider: arguments{"retry": arguments{"min_delay": "1ms"}}, ctx: canceledLater,
			source: own(answering(canceling, instancetest.WithScript(instancetest.Status(503)))),
		},

		// Redirects, statuses and bodies.
		"redirect, another scheme":           row(answering(instancetest.Redirect(302, "ftp://h/?token=hunter2"))),
		"redirect, loop":                     row(answering(instancetest.Redirect(302, "/instance"))),
		"redirect, then 404":                 row(answering(instancetest.Redirect(302, status(404)+"/other?token=hunter2"))),
		"redirect, then 403 without headers": withToken(lost, lost),
		"status 204":                         row(status(204)),
		"redirect, then 301":                 row(answering(instancetest.Redirect(302, status(301)))), // without a location
		"status 400":                         row(status(400)),
		"status 401, headers": {
			provider: withToken(origin, "").provider,
			source:   arguments{"base_url": unauthorized, "request_headers": texts{"X-Token": "hunter2-own"}},
		},
		"status 401, base URL not valid":        withToken("nope", unauthorized), // and no warning that there is none
		"status 403 of a proxy":                 throughProxy("http", refusingProxy(403)),
		"status 404, from a cache":              row(status(404, "Age", "42")),
		"status 429":                            row(status(429, "Retry-After", "120")),
		"status 503":                            row(answering(long)),
		"not JSON":                              row(answering(login)),
		"too large":                             row(answering(instancetest.EndlessBody(200, " "))),
		"document, another one":                 row(reporting(instancetest.Document{}.With("msg", "starting"))),
		"document, faults":                      row(reporting(newer.With("fileMaxSize", nil).With("chunkSize", -1))),
		"no base URL":                           {source: arguments{}},
		"base URL of the environment not valid": {source: arguments{}, env: variable("https://me:hunter2@h")},
		"base URL that was unknown not valid":   row("https://me:hunter2@h"),
		"base URL of the provider not valid":    {provider: arguments{"base_url": "https://h?hunter2"}, source: arguments{}},
		"base URLs that were unknown not valid": {source: allowing(texts{"a": "https://h#hunter2", "b": instance})},
		"provider not known yet": {
			provider: arguments{
				"base_url": unknown, "request_headers": unknown, "request_timeout": unknown, "ca_cert_pem": unknown,
				"client_cert_pem": unknown, "client_key_pem": unknown, "connect_to": unknown, "insecure": unknown,
				"retry": arguments{"max_attempts": unknown, "min_delay": unknown, "max_delay": unknown},
			},
			source: arguments{},
			env:    variable(instance), // which is no substitute
		},

		// Many instances.
		"instances, errors": {source: arguments{"base_urls": texts{"a": refused, "b": status(404), "good": instance}}},
		"instances, allowed failures": {
			provider: arguments{
				"base_url": lost, "request_headers": texts{"X-Token": "hunter2-token"},
				"retry": arguments{"max_attempts": 2, "min_delay": "1ms", "max_delay": "1ms"},
			},
			source: allowing(texts{
				"a": lost, "b": refused + "/", "c": reporting(newer.With("fileMaxSize", "5 GB").With("chunkSize", 0.5)),
				"good": instance,
			}),
		},
		"instances, more failures than are listed": {source: allowing(many)},
		"instances, canceled":                      {source: allowing(texts{"a": silent, "b": silent}), ctx: canceled},

		// Warnings.
		"warnings, no base URL": {provider: arguments{
			"request_headers": texts{"X-Token": "hunter2"}, "connect_to": "127.0.0.1:1", "insecure": true,
		}},
		"warnings, base URL": {provider: arguments{
			"base_url": files, "request_headers": texts{"X-Token": "hunter2"}, "connect_to": "127.0.0.1:1", "insecure": true,
		}},
		"small limits":       row(small(999_999, 65_535, 1_799, 59)),
		"small limits, one":  row(small(1, 65_536, 1_800, 60)),
		"small limits, none": row(small(1_000_000, 65_536, 1_800, 60)),
		"small limits, many instances": {source: allowing(texts{
			"a": small(1_000_000, 5, 0, 60), "b": instance, "c": small(1_000_000, 65_536, 1_800, 1), "d": status(404),
		})},
	}
}
