package provider

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

const wait = "If this apply creates the instance, or if plans must go on while it is down, use the resource " +
	"filetransfer_instance_record. To make this data source wait for a new instance, set wait_until_ready = true."

// TestWordsAboutAFailure checks what is said about each failure. The client's tests show which failure it reports when.
func TestWordsAboutAFailure(t *testing.T) {
	t.Parallel()
	one := readOperation{
		provider: &providerData{requestTimeout: 10 * time.Second}, timeout: time.Minute,
		timeoutArgument: "timeouts.read", purpose: readOne,
	}
	fleet, headersWithheld, waiting := one, one, one
	fleet.purpose = readMany
	headersWithheld.provider = &providerData{headers: http.Header{"X-Token": {"hunter2"}}}
	waiting.waits = true
	long := strings.Repeat("a", 300)
	type (
		failure = client.Failure
		texts   = []string
	)
	status := func(code int) failure {
		return failure{Kind: client.KindStatus, StatusCode: code, Reason: fmt.Sprintf("status %d", code), Attempts: 1}
	}
	ofKind := func(kind client.Kind) failure { return failure{Kind: kind, Attempts: 1} }
	withHint := func(kind client.Kind, hint client.Hint) failure { return failure{Kind: kind, Hint: hint, Attempts: 1} }
	// redirected returns a failure of what a redirect to another origin led to.
	redirected := func(failure failure) failure {
		failure.RedirectedTo, failure.OtherOrigin, failure.ExtraHeaders = "https://b", true, true
		return failure
	}
	behind := func(proxy string, failure failure) failure {
		failure.Proxy = proxy
		return failure
	}
	const (
		redirectFailed  = "The base URL redirects, and what failed is where it leads"
		setCertificate  = "set the provider's client_cert_pem and client_key_pem"
		setTarget       = "set the base URL to the address that the redirect leads to"
		proxyVariables  = "HTTP_PROXY, HTTPS_PROXY and NO_PROXY"
		setCACert       = "set the provider's ca_cert_pem"
		firstDigits     = "The server may have read only the digits at the beginning of a value"
		putIntoProxyURL = "sends those in the URL in HTTP_PROXY or HTTPS_PROXY, as Basic authentication: add or correct them"
	)
	type test struct {
		failure    failure
		has, lacks texts // the detail
	}
	tests := map[string]test{
		"no such host": {
			failure{Kind: client.KindResolve, Reason: "no such host", Attempts: 1},
			texts{"GET u: no such host.\n\nCheck the host name in the base URL, and that the machine", wait},
			texts{"attempts", "timeouts.read", "max_concurrency"},
		},
		"no such host after a redirect": {
			redirected(failure{Kind: client.KindResolve, Reason: "no such host", Attempts: 1}),
			texts{redirectFailed, "If that is a login page", "send them with request_headers."}, texts{"Check the host name", wait},
		},
		"silent name servers": {ofKind(client.KindNameServer), texts{"whether it can reach them"}, texts{"instance is up", wait}},
		"refused after a redirect": {
			redirected(ofKind(client.KindConnect)), texts{redirectFailed, "If that is a login page"}, texts{"Check the host and", wait, "/api"},
		},
		"never asked": {
			failure{Kind: client.KindTimeout, Ending: client.TimeRanOut},
			texts{"The time for the whole read, timeouts.read (1m), ran out.\n\nRaise timeouts.read."},
			texts{"max_concurrency", wait},
		},
		"no time left": {
			failure{Kind: client.KindConnect, Ending: client.NoTimeLeft, Attempts: 2},
			texts{"2 attempts were made. The time for the whole read, timeouts.read (1m), leaves no room for another attempt.\n\n"},
			texts{"ran out"},
		},
		"only the last attempt was shorter than request_timeout": {
			failure{Kind: client.KindTimeout, Ending: client.TimeRanOut, AttemptTimedOut: true, Attempts: 2},
			texts{"timeouts.read (1m), ran out.", "raise the provider's request_timeout"}, texts{"raise timeouts.read"},
		},
		"broken, http": {
			failure{Kind: client.KindBroken, URL: "http://files.example.org/instance", Attempts: 1},
			texts{"why it closed the connection", "If the server expects TLS on this port, write the base URL with https://.", wait},
			nil,
		},
		"broken, https": {
			failure{Kind: client.KindBroken, URL: "https://files.example.org/instance", Attempts: 1},
			nil, texts{"TLS on this port"},
		},
		"unknown authority": {ofKind(client.KindCertificate), texts{setCACert + " to that authority's"}, texts{"insecure"}},
		"expired": {
			withHint(client.KindCertificate, client.HintExpired),
			texts{"\n\nHave the certificate renewed", "ca_cert_pem does not help"}, texts{setCACert},
		},
		"of another host": {
			withHint(client.KindCertificate, client.HintWrongName),
			texts{"Use a host name in the base URL that the certificate is for"}, nil,
		},
		"self-signed": {
			withHint(client.KindCertificate, client.HintSelfSigned),
			texts{setCACert + " to the certificate itself"}, texts{"authority's"},
		},
		"TLS":         {ofKind(client.KindTLS), texts{"serves plain HTTP, write the base URL with http://", setCertificate}, texts{wait}},
		"TLS version": {withHint(client.KindTLS, client.HintTLSVersion), texts{"TLS 1.2 or later"}, texts{"client_cert_pem", "http://"}},
		"HTTP/2 only": {
			withHint(client.KindTLS, client.HintHTTP2),
			texts{"the provider speaks HTTP/1.1"}, texts{"http://", "client_cert_pem"},
		},
		"unknown host name": {
			withHint(client.KindTLS, client.HintHostName),
			texts{"does not know this host name: check the host name in the base URL"}, texts{"client_cert_pem"},
		},
		"client certificate missing": {
			withHint(client.KindTLS, client.HintClientCertificate), texts{setCertificate}, texts{"redirect", "http://"},
		},
		"client certificate withheld": {
			redirected(withHint(client.KindTLS, client.HintClientCertificate)), texts{setTarget}, texts{setCertificate},
		},
		"http on a TLS port": {withHint(client.KindStatus, client.HintHTTPS), texts{"write the base URL with https://"}, texts{wait}},
		"silent proxy": {
			failure{Kind: client.KindProxy, AttemptTimedOut: true, Attempts: 1},
			texts{"The time for one attempt, the provider's request_timeout (10s), ran out.", proxyVariables}, nil,
		},
		"proxy refuses": {behind("HTTPS_PROXY", ofKind(client.KindProxy)), texts{proxyVariables}, texts{"went through", wait}},
		"proxy wants credentials": {
			behind("HTTPS_PROXY", withHint(client.KindProxy, client.HintProxyCredentials)),
			texts{putIntoProxyURL}, texts{proxyVariables},
		},
		"403 through a proxy": {
			behind("HTTP_PROXY", status(403)),
			texts{"went through the proxy in HTTP_PROXY: check that proxy too, or exclude the host with NO_PROXY"}, nil,
		},
		"not HTTP": {ofKind(client.KindNotHTTP), texts{"the port on which the instance serves HTTP"}, texts{wait}},
		"redirect": {
			failure{Kind: client.KindRedirect, RedirectedTo: "https://b", Attempts: 1},
			texts{"Set the base URL to the address at which the instance itself answers."}, texts{redirectFailed, wait},
		},
		"too large": {ofKind(client.KindTooLarge), texts{"less than a kilobyte: check that the base URL names an instance"}, texts{"cookies"}},
		"head too large": {
			withHint(client.KindTooLarge, client.HintLargeHead),
			texts{"what the proxy in front of it adds to its responses, such as cookies"}, texts{"kilobyte"},
		},
		"damaged body": {
			withHint(client.KindNotHTTP, client.HintBody), texts{"It answered HTTP: check what the proxy"}, texts{"the port on which", "web page"},
		},
		"body that breaks": {
			failure{Kind: client.KindBroken, URL: "http://files.example.org/instance", Answered: true, Attempts: 1},
			texts{"why it closed the connection"}, texts{"https://"},
		},
		"body that ends early": {
			withHint(client.KindNotJSON, client.HintCutShort), texts{"The document was cut short: check the log of the server"}, texts{"web page", "/api"},
		},
		"error with status 200": {
			withHint(client.KindDocument, client.HintNoDocument), texts{"Check the log of the server, and that the base URL names"}, texts{"fields named"},
		},
		"429 until the time ran out": {
			failure{Kind: client.KindStatus, StatusCode: 429, Ending: client.TimeRanOut, Attempts: 3},
			texts{"a lower -parallelism, or raise timeouts.read."}, texts{"retry.max_delay"},
		},
		"cached": {
			failure{Kind: client.KindCached, CacheAgeSeconds: 12, Reason: "a cache answered, with a response of 12 s ago", Attempts: 1},
			texts{"GET u: a cache answered, with a response of 12 s ago.", "exclude /instance from it."}, texts{"(from a cache"},
		},
		"not JSON": {ofKind(client.KindNotJSON), texts{"instances often live under a path such as /api"}, texts{"login page", "web page"}},
		"web page": {
			withHint(client.KindNotJSON, client.HintWebPage),
			texts{"not of its web page", "If that is a login page", "send them with request_headers."}, nil,
		},
		"connect_to": {
			failure{Kind: client.KindConnect, Hint: client.HintConnectTo, ConnectTo: "h:1", Reason: "connection refused", Attempts: 1},
			texts{"GET u (connect_to h:1): connection refused.\n\nThe connection went to the provider's connect_to: check its host and port"},
			texts{"in the base URL"},
		},
		"login page after a redirect": {
			redirected(withHint(client.KindNotJSON, client.HintWebPage)),
			texts{redirectFailed, "If that is a login page", "send them with request_headers."}, texts{"/api", wait},
		},
		"204":                  {status(204), texts{"An instance answers 200"}, texts{wait}},
		"400":                  {status(400), texts{"Check the base URL, and what a proxy in front of the instance allows."}, nil},
		"401":                  {status(401), texts{"send them with request_headers, or " + setCertificate}, texts{"were sent"}},
		"401 after a redirect": {redirected(status(401)), texts{setTarget}, texts{"were sent, and refused"}},
		"404":                  {status(404), texts{"Check the path of the base URL", "/api"}, texts{wait}},
		"404 after a redirect": {redirected(status(404)), texts{redirectFailed}, texts{"/api", wait}},
		"503 after a redirect": {redirected(status(503)), texts{redirectFailed, "check its log"}, nil},
		"path given twice": {
			failure{Kind: client.KindStatus, StatusCode: 404, URL: "https://files.example.org/instance/instance"},
			texts{"The base URL ends in /instance, a path that the provider adds itself: remove it."}, texts{"/api"},
		},
		"407": {failure{Kind: client.KindStatus, StatusCode: 407, Hint: client.HintProxyCredentials}, texts{putIntoProxyURL}, nil},
		"from a cache": {
			failure{Kind: client.KindStatus, StatusCode: 503, CacheAgeSeconds: 300, Reason: "status 503"},
			texts{"GET u (from a cache, 300 seconds old): status 503.", "A cache answered in place of the instance: exclude /instance from it."}, nil,
		},
		"429": {status(429), texts{"a lower -parallelism", "retry.max_delay"}, texts{"max_concurrency"}},
		"499": {status(499), texts{"Check the base URL, and"}, texts{wait}},
		"500": {status(500), texts{"check its log", wait}, nil},
		"not as expected": {
			failure{
				Kind: client.KindUnexpected, Ending: client.NoTimeLeft, Attempts: 2, Proxy: "HTTP_PROXY",
				Differences: []client.Difference{
					{Name: "chunk_size", Reported: "1", Expected: "1000"}, {Name: "file_max_age", Reported: "0", Expected: "5000"},
					{Name: "api_version", Reported: "a", Expected: long},
				},
			},
			texts{
				"GET u answered, but the instance does not report what is expected:\n  - chunk_size is 1, expected 1000\n  - file_max_age is 0, expected 5000\n  - api_version is a, expected " + long + "\n\n",
				"leaves no room for another attempt", "change expected", "in HTTP_PROXY: check that proxy too, or exclude",
			},
			texts{wait, "Before that", firstDigits},
		},
		"not as expected, then failing": {
			failure{
				Kind: client.KindStatus, StatusCode: 502, Reason: "status 502",
				Differences: []client.Difference{{Name: "chunk_size", Reported: "1", Expected: "1001"}},
			},
			texts{
				"GET u: status 502.\n\nBefore that, the instance answered, but did not report what is expected:\n  - chunk_size is 1, expected 1001\n\n",
				"is failing: check its log. " + firstDigits + `: 5 of "5 GB" or of "5e+09", as Helm writes the number 5000000000. Write the whole number, as a string.`,
			},
			nil,
		},
		"document": {
			failure{Kind: client.KindDocument, RedirectedTo: "https://b/instance", Faults: []string{"a", "b"}},
			texts{"GET u (redirected to https://b/instance) answered JSON", ":\n  - a\n  - b\n\n" + redirectFailed, "has to fix the fields named."},
			texts{wait, "Check the path"},
		},
	}
	whileWaiting := map[string]test{
		"no such host":       {ofKind(client.KindResolve), texts{"name servers may remember for a few minutes that it did not exist", "depends_on"}, nil},
		"name server failed": {ofKind(client.KindNameServer), nil, texts{"depends_on"}},
		"no such tunnel": {
			failure{Kind: client.KindResolve, ConnectTo: "tunnel:1", Hint: client.HintConnectTo}, texts{"(connect_to tunnel:1)"}, texts{"depends_on"},
		},
		"proxy that forwards": {
			failure{Kind: client.KindConnect, Proxy: "HTTP_PROXY"},
			texts{"in HTTP_PROXY, which may keep a connection to an old server: check that proxy too, or exclude"}, nil,
		},
		"proxy that tunnels": {failure{Kind: client.KindConnect, Proxy: "HTTPS_PROXY"}, texts{"in HTTPS_PROXY: check"}, texts{"old server"}},
		"first digits, behind a redirect": {
			failure{
				Kind: client.KindUnexpected, RedirectedTo: "https://b/instance",
				Differences: []client.Difference{{Name: "file_max_size", Reported: "5", Expected: "5000000000"}},
			}, texts{firstDigits, redirectFailed}, nil,
		},
	}
	inAFleet := map[string]test{
		"refused": {ofKind(client.KindConnect), texts{"Check the host and port in the base URL", wait}, nil},
		"never asked": { // it may well be ready
			failure{Kind: client.KindTimeout, Ending: client.TimeRanOut},
			texts{"Raise timeouts.read, or max_concurrency so that more instances are asked at once."}, texts{wait, "request_timeout"},
		},
		"429": {status(429), texts{"lower max_concurrency", "retry.max_delay"}, texts{"-parallelism"}},
	}
	withHeadersWithheld := map[string]test{
		"403": {failure{Kind: client.KindStatus, StatusCode: 403, ExtraHeaders: true}, texts{"were sent, and refused"}, nil},
	}
	for situation, group := range map[string]struct {
		op    readOperation
		tests map[string]test
	}{
		"one instance":          {one, tests},
		"waiting":               {waiting, whileWaiting},
		"fleet":                 {fleet, inAFleet},
		"headers of the origin": {headersWithheld, withHeadersWithheld},
	} {
		for name, test := range group.tests {
			t.Run(situation+"/"+name, func(t *testing.T) {
				t.Parallel()
				test.failure.URL = cmp.Or(test.failure.URL, "u")
				got := readError(path.Root("base_url"), &test.failure, group.op).Detail()
				for _, text := range test.has {
					if !strings.Contains(got, text) {
						t.Errorf("no %q in:\n%s", text, got)
					}
				}
				for _, text := range append(test.lacks, "..", "….", "hunter2") {
					if strings.Contains(got, text) {
						t.Errorf("%q in:\n%s", text, got)
					}
				}
				if strings.Contains(strings.ReplaceAll(got, "\n  - ", "\n"), "  ") || !strings.HasSuffix(got, ".") {
					t.Errorf("not sentences:\n%s", got)
				}
			})
		}
	}
}
