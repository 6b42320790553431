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
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const wait = "If this apply creates the instance, or if plans must go on while it is down, use the resource " +
	"filetransfer_instance_record. To make this data source wait for a new instance, set wait_until_ready = true."

// mustBeClean checks what holds for every diagnostic about a failure.
func mustBeClean(t *testing.T, text string) {
	t.Helper()
	mustNotSay(t, text, "..", "….", "\x1b", "  ", "x509:", "tls:", "net/http:")
	if !strings.HasSuffix(text, ".") {
		t.Errorf("it does not end as a sentence:\n%s", text)
	}
}

// TestWordsAboutAFailure: what is said of what the client reports. The client's tests show what it reports when.
func TestWordsAboutAFailure(t *testing.T) {
	t.Parallel()
	one := readOperation{
		provider: &providerData{requestTimeout: 10 * time.Second}, timeout: time.Minute,
		timeoutArgument: "timeouts.read", purpose: readOne,
	}
	long := strings.Repeat("a", 300)
	type (
		failure = client.Failure
		words   = []string
	)
	status := func(code int) failure {
		return failure{Kind: client.KindStatus, StatusCode: code, Reason: fmt.Sprintf("status %d", code), Attempts: 1}
	}
	of := func(kind client.Kind) failure { return failure{Kind: kind, Attempts: 1} }
	hint := func(kind client.Kind, hint client.Hint) failure { return failure{Kind: kind, Hint: hint, Attempts: 1} }
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
		failure      failure
		says, unsaid words
	}
	tests := map[string]test{
		"no such host": {
			failure{Kind: client.KindResolve, Reason: "no such host", Attempts: 1},
			words{"GET u: no such host.\n\nCheck the host name in the base URL, and that the machine", wait},
			words{"attempts", "timeouts.read", "max_concurrency"},
		},
		"no such host after a redirect": {
			redirected(failure{Kind: client.KindResolve, Reason: "no such host", Attempts: 1}),
			words{redirectFailed, "If that is a login page", "send them with request_headers."}, words{"Check the host name", wait},
		},
		"silent name servers": {of(client.KindNameServer), words{"whether it can reach them"}, words{"instance is up", wait}},
		"refused after a redirect": {
			redirected(of(client.KindConnect)), words{redirectFailed, "If that is a login page"}, words{"Check the host and", wait, "/api"},
		},
		"never asked": {
			failure{Kind: client.KindTimeout, Ending: client.TimeRanOut},
			words{"The time for the whole read, timeouts.read (1m), ran out.\n\nRaise timeouts.read."},
			words{"max_concurrency", wait},
		},
		"no time left": {
			failure{Kind: client.KindConnect, Ending: client.NoTimeLeft, Attempts: 2},
			words{"2 attempts were made. The time for the whole read, timeouts.read (1m), leaves no room for another attempt.\n\n"},
			words{"ran out"},
		},
		"only the last attempt was shorter than request_timeout": {
			failure{Kind: client.KindTimeout, Ending: client.TimeRanOut, AttemptTimedOut: true, Attempts: 2},
			words{"timeouts.read (1m), ran out.", "raise the provider's request_timeout"}, words{"raise timeouts.read"},
		},
		"broken, http": {
			failure{Kind: client.KindBroken, URL: "http://files.example.org/instance", Attempts: 1},
			words{"why it closed the connection", "If the server expects TLS on this port, write the base URL with https://.", wait},
			nil,
		},
		"broken, https": {
			failure{Kind: client.KindBroken, URL: "https://files.example.org/instance", Attempts: 1},
			nil, words{"TLS on this port"},
		},
		"unknown authority": {of(client.KindCertificate), words{setCACert + " to that authority's"}, words{"insecure"}},
		"expired": {
			hint(client.KindCertificate, client.HintExpired),
			words{"\n\nHave the certificate renewed", "ca_cert_pem does not help"}, words{setCACert},
		},
		"of another host": {
			hint(client.KindCertificate, client.HintWrongName),
			words{"Use a host name in the base URL that the certificate is for"}, nil,
		},
		"self-signed": {
			hint(client.KindCertificate, client.HintSelfSigned),
			words{setCACert + " to the certificate itself"}, words{"authority's"},
		},
		"TLS":         {of(client.KindTLS), words{"serves plain HTTP, write the base URL with http://", setCertificate}, words{wait}},
		"TLS version": {hint(client.KindTLS, client.HintTLSVersion), words{"TLS 1.2 or later"}, words{"client_cert_pem", "http://"}},
		"HTTP/2 only": {
			hint(client.KindTLS, client.HintHTTP2),
			words{"the provider speaks HTTP/1.1"}, words{"http://", "client_cert_pem"},
		},
		"unknown host name": {
			hint(client.KindTLS, client.HintHostName),
			words{"does not know this host name: check the host name in the base URL"}, words{"client_cert_pem"},
		},
		"client certificate missing": {
			hint(client.KindTLS, client.HintClientCertificate), words{setCertificate}, words{"redirect", "http://"},
		},
		"client certificate withheld": {
			redirected(hint(client.KindTLS, client.HintClientCertificate)), words{setTarget}, words{setCertificate},
		},
		"http on a TLS port": {hint(client.KindStatus, client.HintHTTPS), words{"write the base URL with https://"}, words{wait}},
		"silent proxy": {
			failure{Kind: client.KindProxy, AttemptTimedOut: true, Attempts: 1},
			words{"The time for one attempt, the provider's request_timeout (10s), ran out.", proxyVariables}, nil,
		},
		"proxy refuses": {behind("HTTPS_PROXY", of(client.KindProxy)), words{proxyVariables}, words{"went through", wait}},
		"proxy wants credentials": {
			behind("HTTPS_PROXY", hint(client.KindProxy, client.HintProxyCredentials)),
			words{putIntoProxyURL}, words{proxyVariables},
		},
		"403 through a proxy": {
			behind("HTTP_PROXY", status(403)),
			words{"went through the proxy in HTTP_PROXY: check that proxy too, or exclude the host with NO_PROXY"}, nil,
		},
		"not HTTP": {of(client.KindNotHTTP), words{"the port on which the instance serves HTTP"}, words{wait}},
		"redirect": {
			failure{Kind: client.KindRedirect, RedirectedTo: "https://b", Attempts: 1},
			words{"Set the base URL to the address at which the instance itself answers."}, words{redirectFailed, wait},
		},
		"too large": {of(client.KindTooLarge), words{"check that the base URL names an instance"}, nil},
		"not JSON":  {of(client.KindNotJSON), words{"instances often live under a path such as /api"}, words{"login page", "web page"}},
		"web page": {
			hint(client.KindNotJSON, client.HintWebPage),
			words{"not of its web page", "If that is a login page", "send them with request_headers."}, nil,
		},
		"connect_to": {
			failure{Kind: client.KindConnect, Hint: client.HintConnectTo, ConnectTo: "h:1", Reason: "connection refused", Attempts: 1},
			words{"GET u (connect_to h:1): connection refused.\n\nThe connection went to the provider's connect_to: check its host and port"},
			words{"in the base URL"},
		},
		"login page after a redirect": {
			redirected(hint(client.KindNotJSON, client.HintWebPage)),
			words{redirectFailed, "If that is a login page", "send them with request_headers."}, words{"/api", wait},
		},
		"204":                  {status(204), words{"An instance answers 200"}, words{wait}},
		"400":                  {status(400), words{"Check the base URL, and what a proxy in front of the instance allows."}, nil},
		"401":                  {status(401), words{"send them with request_headers, or " + setCertificate}, words{"were sent"}},
		"401 after a redirect": {redirected(status(401)), words{setTarget}, words{"were sent, and refused"}},
		"404":                  {status(404), words{"Check the path of the base URL", "/api"}, words{wait}},
		"404 after a redirect": {redirected(status(404)), words{redirectFailed}, words{"/api", wait}},
		"503 after a redirect": {redirected(status(503)), words{redirectFailed, "check its log"}, nil},
		"path given twice": {
			failure{Kind: client.KindStatus, StatusCode: 404, URL: "https://files.example.org/instance/instance"},
			words{"The base URL ends in /instance, a path that the provider adds itself: remove it."}, words{"/api"},
		},
		"407": {failure{Kind: client.KindStatus, StatusCode: 407, Hint: client.HintProxyCredentials}, words{putIntoProxyURL}, nil},
		"from a cache": {
			failure{Kind: client.KindStatus, StatusCode: 503, CacheAgeSeconds: 300, Reason: "status 503"},
			words{"GET u (from a cache, 300 seconds old): status 503.", "A cache answered in place of the instance: exclude /instance from it."}, nil,
		},
		"429": {status(429), words{"a lower -parallelism", "retry.max_delay"}, words{"max_concurrency"}},
		"499": {status(499), words{"Check the base URL, and"}, words{wait}},
		"500": {status(500), words{"check its log", wait}, nil},
		"not as expected": {
			failure{
				Kind: client.KindUnexpected, Ending: client.NoTimeLeft, Attempts: 2, Proxy: "HTTP_PROXY",
				Differences: []client.Difference{
					{Name: "chunk_size", Reported: "1", Expected: "1000"}, {Name: "file_max_age", Reported: "0", Expected: "5000"},
					{Name: "api_version", Reported: "a", Expected: long},
				},
			},
			words{
				"GET u answered, but the instance does not report what is expected:\n  - chunk_size is 1, expected 1000\n  - file_max_age is 0, expected 5000\n  - api_version is a, expected " + long + "\n\n",
				"leaves no room for another attempt", "change expected", "in HTTP_PROXY: check that proxy too, or exclude",
			},
			words{wait, "Before that", firstDigits},
		},
		"not as expected, then failing": {
			failure{
				Kind: client.KindStatus, StatusCode: 502, Reason: "status 502",
				Differences: []client.Difference{{Name: "chunk_size", Reported: "1", Expected: "1001"}},
			},
			words{
				"GET u: status 502.\n\nBefore that, the instance answered, but did not report what is expected:\n  - chunk_size is 1, expected 1001\n\n",
				firstDigits + `: 5 of "5 GB" or of "5e+09", as Helm writes the number 5000000000. Write the whole number, as a string. The instance, or`,
			},
			nil,
		},
		"document": {
			failure{Kind: client.KindDocument, RedirectedTo: "https://b/instance", Faults: []string{"a", "b"}},
			words{"GET u (redirected to https://b/instance) answered JSON", ":\n  - a\n  - b\n\n" + redirectFailed, "has to fix the fields named."},
			words{wait, "Check the path"},
		},
	}
	waiting := map[string]test{
		"no such host":       {of(client.KindResolve), words{"name servers may remember for a few minutes that it did not exist", "depends_on"}, nil},
		"name server failed": {of(client.KindNameServer), nil, words{"depends_on"}},
		"no such tunnel": {
			failure{Kind: client.KindResolve, ConnectTo: "tunnel:1", Hint: client.HintConnectTo}, words{"(connect_to tunnel:1)"}, words{"depends_on"},
		},
		"proxy that forwards": {
			failure{Kind: client.KindConnect, Proxy: "HTTP_PROXY"},
			words{"in HTTP_PROXY, which may keep a connection to an old server: check that proxy too, or exclude"}, nil,
		},
		"proxy that tunnels": {failure{Kind: client.KindConnect, Proxy: "HTTPS_PROXY"}, words{"in HTTPS_PROXY: check"}, words{"old server"}},
		"first digits, behind a redirect": {
			failure{
				Kind: client.KindUnexpected, RedirectedTo: "https://b/instance",
				Differences: []client.Difference{{Name: "file_max_size", Reported: "5", Expected: "5000000000"}},
			}, words{firstDigits, redirectFailed}, nil,
		},
	}
	inAFleet := map[string]test{
		"refused": {of(client.KindConnect), words{"Check the host and port in the base URL", wait}, nil},
		"never asked": { // it may well be ready
			failure{Kind: client.KindTimeout, Ending: client.TimeRanOut},
			words{"Raise timeouts.read, or max_concurrency so that more instances are asked at once."}, words{wait, "request_timeout"},
		},
		"429": {status(429), words{"lower max_concurrency", "retry.max_delay"}, words{"-parallelism"}},
	}
	withHeadersWithheld := map[string]test{
		"403": {failure{Kind: client.KindStatus, StatusCode: 403, ExtraHeaders: true}, words{"were sent, and refused"}, nil},
	}
	check := func(in string, op readOperation, tests map[string]test) {
		for name, test := range tests {
			t.Run(in+name, func(t *testing.T) {
				t.Parallel()
				test.failure.URL = cmp.Or(test.failure.URL, "u")
				got := readError(path.Root("base_url"), &test.failure, op).Detail()
				mustSay(t, got, test.says...)
				mustNotSay(t, got, test.unsaid...)
				mustBeClean(t, strings.ReplaceAll(got, "\n  - ", "\n"))
			})
		}
	}
	check("", one, tests)
	fleet, withheld, patient := one, one, one
	fleet.purpose, withheld.provider = readMany, &providerData{headers: http.Header{"X-Token": {"hunter2"}}}
	check("in a fleet: ", fleet, inAFleet)
	check("headers withheld: ", withheld, withHeadersWithheld)
	patient.waits = true
	check("waiting: ", patient, waiting)
}

// TestAdviceFitsTheSituation: what the client finds out, and what is configured, arrives in the words. Each situation is
// read as one instance and as a fleet of one.
func TestAdviceFitsTheSituation(t *testing.T) {
	t.Parallel()
	answering := func(step instancetest.Step) string { return instancetest.New(t, instancetest.WithDefault(step)).URL() }
	unauthorized, silent := answering(instancetest.Status(401)), answering(instancetest.Silent())
	unavailable := answering(instancetest.Status(503))
	headers := args{"request_headers": args{"X-Token": "hunter2"}}
	const noAnswer = "Instance did not answer in time"

	tests := map[string]struct {
		baseURL             string
		provider, arguments args
		summary             string
		says, unsaid        []string
	}{
		"provider's headers sent": {
			baseURL: unauthorized, provider: headers.with(args{"base_url": unauthorized + "/other"}),
			summary: "Instance answered with status 401",
			says:    []string{"request_headers were sent, and refused"}, unsaid: []string{"send them with"},
		},
		"provider's headers withheld": {
			baseURL: unauthorized, provider: headers.with(args{"base_url": silent}), summary: "Instance answered with status 401",
			says: []string{
				"The provider's request_headers were not sent",
				"own base_url, which is not this instance's. Set the provider's base_url to this instance, or set request_headers on the data source",
			},
			unsaid: []string{"send them with"},
		},
		"the read out of time": {
			baseURL: silent, arguments: args{"timeouts": args{"read": "250ms"}}, summary: noAnswer,
			says:   []string{"The time for the whole read, timeouts.read (250ms), ran out.", "raise timeouts.read"},
			unsaid: []string{"request_timeout", "max_concurrency"},
		},
		"not ready in time": {
			baseURL: unavailable, arguments: args{"wait_until_ready": true, "timeouts": args{"read": "300ms"}},
			summary: "Instance answered with status 503", says: []string{ // the last failure, not the end of the time
				"GET {url}/instance: status 503", "attempts were made.", "The wait ended: timeouts.read is 300ms.",
				"If the instance needs longer to start, raise timeouts.read.",
			},
			unsaid: []string{"set wait_until_ready"},
		},
	}
	for name, test := range tests {
		for source, argument := range map[string]string{instanceName: "base_url", instancesName: `base_urls["it"]`} {
			t.Run(source+" "+name, func(t *testing.T) {
				t.Parallel()
				got := read(t, impatient(2).with(test.provider), source, reading(source, test.baseURL).with(test.arguments))
				want := expected{at: argument, summary: test.summary}
				for _, part := range test.says {
					want.says = append(want.says, strings.ReplaceAll(part, "{url}", test.baseURL))
				}
				got.told.must(t, want)
				for _, one := range got.told {
					mustBeClean(t, strings.ReplaceAll(one.Detail, "\n  - ", "\n"))
					mustNotSay(t, one.Detail, append(test.unsaid, "hunter2")...)
				}
			})
		}
	}
}

func TestErrorAboutTheProvidersInstanceIsOnNoAttribute(t *testing.T) {
	t.Parallel()
	baseURL := "http://" + instancetest.ReserveAddress(t)
	read(t, oneAttempt().with(args{"base_url": baseURL}), instanceName, nil).told.must(t, expected{
		summary: "Instance not reachable", says: []string{"GET " + baseURL + "/instance: connection refused"},
	})
}
