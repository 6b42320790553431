package provider

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// TestFailureDetail checks what is said about each failure. The client's tests show which failure it reports when.
func TestFailureDetail(t *testing.T) {
	t.Parallel()
	const (
		redirectFailed = "The base URL redirects, and what failed is where it leads"
		setCertificate = "set the provider's client_cert_pem and client_key_pem"
		setTarget      = "set the base URL to the address that the redirect leads to"
		proxyVariables = "HTTP_PROXY, HTTPS_PROXY and NO_PROXY"
		setCACert      = "set the provider's ca_cert_pem"
		proxyURL       = "sends those in the URL in HTTP_PROXY or HTTPS_PROXY, as Basic authentication: add or correct them"
		firstDigits    = "The server may have read only the digits."
		oldServer      = "which may keep a connection to an old server"
		checkLog       = "Check the log of the server: it may stop and start again."
		useRecord      = "If this apply creates the instance, or if plans must go on while it is down, use the resource " +
			"filetransfer_instance_record. To make this data source wait for a new instance, set wait_until_ready = true."
	)
	one := readOperation{
		provider: &providerData{requestTimeout: 10 * time.Second}, purpose: readOne, timeout: time.Minute, timeoutArgument: "timeouts.read",
	}
	fleet := one
	fleet.purpose = readMany
	waiting := one
	waiting.waits = true
	refresh := one
	refresh.purpose = refreshRecord
	record := readOperation{
		provider: one.provider, purpose: waitForRecord, waits: true, timeout: time.Minute, timeoutArgument: "timeouts.create",
		until: client.Condition{StableFor: 30 * time.Second},
	}
	withHeaders, refreshWithHeaders := one, refresh
	withHeaders.provider = &providerData{headers: http.Header{"X-Token": {"hunter2"}}}
	refreshWithHeaders.provider = withHeaders.provider

	type (
		failure = client.Failure
		texts   = []string
	)
	long := strings.Repeat("a", 300)
	differing := []client.Difference{
		{Name: "chunk_size", Reported: "1", Expected: "1001", Remedy: firstDigits},
		{Name: "file_max_size", Reported: "5", Expected: "5000000000", Remedy: firstDigits},
		{Name: "api_version", Reported: "a", Expected: long},
	}
	differences := "\n  - chunk_size is 1, expected 1001\n  - file_max_size is 5, expected 5000000000\n  - api_version is a, expected " + long + "\n\n"

	tests := map[string]struct {
		failure failure
		err     client.ReadError // the rest of it
		op      readOperation    // one by default
		has     texts
		lacks   texts
	}{
		// The name and the connection.
		"no such host": {
			failure: failure{Kind: client.KindResolve, Reason: "no such host"}, err: client.ReadError{Attempts: 1},
			has:   texts{"GET u: no such host.\n\nCheck the host name in the base URL, and that the machine", useRecord},
			lacks: texts{"attempts", "timeouts.read", "max_concurrency"},
		},
		"no such host, waiting": {
			failure: failure{Kind: client.KindResolve}, op: waiting,
			has: texts{"name servers may remember for a few minutes that it did not exist", "depends_on"},
		},
		"no such host, redirected": {
			failure: failure{Kind: client.KindResolve, RedirectedTo: "https://b", OtherOrigin: true}, err: client.ReadError{Attempts: 1},
			has:   texts{redirectFailed, "If that is a login page", "send them with request_headers."},
			lacks: texts{"Check the host name", useRecord},
		},
		"silent name servers": {
			failure: failure{Kind: client.KindNameServer}, op: waiting, has: texts{"whether it can reach them"},
			lacks: texts{"instance is up", useRecord, "depends_on"},
		},
		"refused": {
			failure: failure{Kind: client.KindConnect}, op: fleet, err: client.ReadError{Attempts: 1},
			has: texts{"Check the host and port in the base URL", useRecord},
		},
		"refused, redirected": {
			failure: failure{Kind: client.KindConnect, RedirectedTo: "https://b", OtherOrigin: true}, err: client.ReadError{Attempts: 1},
			has: texts{redirectFailed, "If that is a login page"}, lacks: texts{"Check the host and", useRecord, "/api"},
		},
		"refused, record": {
			failure: failure{Kind: client.KindConnect}, op: record, has: texts{"Check the server's log: it may not have started."}, lacks: texts{useRecord},
		},
		"no tunnel at connect_to": {
			failure: failure{Kind: client.KindConnect, ConnectTo: "h:1", Reason: "connection refused"},
			has:     texts{"GET u (connect_to h:1): connection refused.\n\nThe connection went to the provider's connect_to: check its host and port"},
			lacks:   texts{"in the base URL"},
		},
		"no such host at connect_to, waiting": {
			failure: failure{Kind: client.KindResolve, ConnectTo: "tunnel:1"}, op: waiting, has: texts{"(connect_to tunnel:1)"}, lacks: texts{"depends_on"},
		},
		"silent name servers, connect_to": {
			failure: failure{Kind: client.KindNameServer, ConnectTo: "tunnel:1"}, has: texts{"check its host and port"}, lacks: texts{"Check the name servers"},
		},
		"500 through connect_to": {
			failure: failure{Kind: client.KindStatus, StatusCode: 500, ConnectTo: "h:1", Connected: true}, lacks: texts{"check its host"},
		},

		// Time.
		"nothing requested": {
			failure: failure{Kind: client.KindTimeout}, err: client.ReadError{Ending: client.TimeRanOut},
			has:   texts{"The time for the whole read, timeouts.read (1m), ran out.\n\nRaise timeouts.read."},
			lacks: texts{"max_concurrency", useRecord},
		},
		"nothing requested, fleet": { // it may well be ready
			failure: failure{Kind: client.KindTimeout}, err: client.ReadError{Ending: client.TimeRanOut}, op: fleet,
			has:   texts{"Raise timeouts.read, or max_concurrency so that more instances are asked at once."},
			lacks: texts{useRecord, "request_timeout"},
		},
		"interrupted by the end of the read": {
			failure: failure{Kind: client.KindTimeout}, err: client.ReadError{Ending: client.TimeRanOut, Attempts: 1},
			has: texts{"timeouts.read (1m), ran out.", "If it is only slow, raise timeouts.read."}, lacks: texts{"request_timeout", "attempts"},
		},
		"interrupted by the end of a refresh": {
			failure: failure{Kind: client.KindTimeout}, err: client.ReadError{Ending: client.TimeRanOut, Attempts: 1}, op: refresh,
			has: texts{"raise timeouts.read; a refresh uses the new value after the next apply."}, lacks: texts{useRecord},
		},
		"an attempt timed out": {
			failure: failure{Kind: client.KindTimeout, TimedOut: true}, err: client.ReadError{Attempts: 3},
			has:   texts{"3 attempts were made. The time for one attempt, the provider's request_timeout (10s), ran out.", "raise the provider's request_timeout.", useRecord},
			lacks: texts{"timeouts.read"},
		},
		"only the last attempt was interrupted": {
			failure: failure{Kind: client.KindTimeout, TimedOut: true}, err: client.ReadError{Ending: client.TimeRanOut, Attempts: 2},
			has: texts{"timeouts.read (1m), ran out.", "raise the provider's request_timeout"}, lacks: texts{"raise timeouts.read"},
		},
		"no time left": {
			failure: failure{Kind: client.KindConnect}, err: client.ReadError{Ending: client.NoTimeLeft, Attempts: 2},
			has:   texts{"2 attempts were made. The time for the whole read, timeouts.read (1m), leaves no room for another attempt.\n\n"},
			lacks: texts{"ran out"},
		},
		"a wait that ended": {
			failure: failure{Kind: client.KindStatus, StatusCode: 503}, err: client.ReadError{Ending: client.NoTimeLeft, Attempts: 9}, op: record,
			has: texts{"9 attempts were made. The wait ended: timeouts.create is 1m.", "If the instance needs longer to start, raise timeouts.create."},
		},
		"429 until the end": {
			failure: failure{Kind: client.KindStatus, StatusCode: 429}, err: client.ReadError{Ending: client.TimeRanOut, Attempts: 3},
			has: texts{"a lower -parallelism, or raise timeouts.read."}, lacks: texts{"retry.max_delay"},
		},
		"429": {
			failure: failure{Kind: client.KindStatus, StatusCode: 429}, has: texts{"a lower -parallelism", "retry.max_delay"}, lacks: texts{"max_concurrency"},
		},
		"429, fleet": {
			failure: failure{Kind: client.KindStatus, StatusCode: 429}, op: fleet, has: texts{"lower max_concurrency", "retry.max_delay"},
			lacks: texts{"-parallelism"},
		},

		// A connection that broke.
		"broken, http": {
			failure: failure{Kind: client.KindBroken}, err: client.ReadError{URL: "HTTP://h/instance", Attempts: 1},
			has: texts{"why it closed the connection", "If the server expects TLS on this port, write the base URL with https://.", useRecord},
		},
		"broken, https": {
			failure: failure{Kind: client.KindBroken}, err: client.ReadError{URL: "https://h/instance"}, lacks: texts{"TLS on this port"},
		},
		"broken, after the head": {
			failure: failure{Kind: client.KindBroken, Answered: true}, err: client.ReadError{URL: "http://h/instance"},
			has: texts{"why it closed the connection"}, lacks: texts{"https://"},
		},

		// TLS.
		"certificate":                 {failure: failure{Kind: client.KindCertificate}, has: texts{setCACert + " to that authority's"}, lacks: texts{"insecure"}},
		"certificate, expired":        {failure: failure{Kind: client.KindCertificateExpired}, has: texts{"\n\nHave the certificate renewed", "ca_cert_pem does not help"}, lacks: texts{setCACert}},
		"certificate, name":           {failure: failure{Kind: client.KindCertificateName}, has: texts{"Use a host name in the base URL that the certificate is for"}},
		"certificate, self-signed":    {failure: failure{Kind: client.KindCertificateSelfSigned}, has: texts{setCACert + " to the certificate itself"}, lacks: texts{"authority's"}},
		"TLS":                         {failure: failure{Kind: client.KindTLS}, has: texts{"serves plain HTTP, write the base URL with http://", setCertificate}, lacks: texts{useRecord}},
		"TLS version":                 {failure: failure{Kind: client.KindTLSVersion}, has: texts{"TLS 1.2 or later"}, lacks: texts{"client_cert_pem", "http://"}},
		"TLS, HTTP/2 only":            {failure: failure{Kind: client.KindTLSProtocol}, has: texts{"the provider speaks HTTP/1.1"}, lacks: texts{"http://", "client_cert_pem"}},
		"HTTP/2 only":                 {failure: failure{Kind: client.KindHTTP2Only}, has: texts{"the provider speaks HTTP/1.1"}, lacks: texts{"http://"}},
		"TLS host name":               {failure: failure{Kind: client.KindTLSHostName}, has: texts{"check the host name in the base URL"}, lacks: texts{"client_cert_pem"}},
		"client certificate missing":  {failure: failure{Kind: client.KindClientCertificate}, has: texts{setCertificate}, lacks: texts{"redirect", "http://"}},
		"client certificate withheld": {failure: failure{Kind: client.KindClientCertificate, OtherOrigin: true, RedirectedTo: "https://b"}, has: texts{setTarget}, lacks: texts{setCertificate, redirectFailed}},
		"HTTPS only":                  {failure: failure{Kind: client.KindHTTPSOnly, StatusCode: 400}, has: texts{"write the base URL with https://"}, lacks: texts{useRecord}},
		"HTTPS only, redirected":      {failure: failure{Kind: client.KindHTTPSOnly, StatusCode: 400, RedirectedTo: "http://b"}, has: texts{redirectFailed}, lacks: texts{"https://."}},

		// Proxies and caches.
		"silent proxy":  {failure: failure{Kind: client.KindProxy, TimedOut: true}, has: texts{"request_timeout (10s), ran out.", proxyVariables}},
		"proxy refuses": {failure: failure{Kind: client.KindProxy, Proxy: "HTTPS_PROXY"}, has: texts{proxyVariables}, lacks: texts{"went through", useRecord}},
		"proxy requires credentials": {
			failure: failure{Kind: client.KindProxy, Proxy: "HTTPS_PROXY", StatusCode: 407}, has: texts{proxyURL}, lacks: texts{proxyVariables},
		},
		"proxy allows nothing": {
			failure: failure{Kind: client.KindProxy, Proxy: "HTTPS_PROXY", StatusCode: 403}, has: texts{proxyVariables}, lacks: texts{"request_headers"},
		},
		"407": {failure: failure{Kind: client.KindStatus, StatusCode: 407}, has: texts{proxyURL}},
		"403 through a proxy": {
			failure: failure{Kind: client.KindStatus, StatusCode: 403, Proxy: "http_proxy"},
			has:     texts{"went through the proxy in http_proxy: check that proxy too, or exclude the host with NO_PROXY"},
		},
		"waiting through a proxy that forwards": {
			failure: failure{Kind: client.KindConnect, Proxy: "HTTP_PROXY"}, err: client.ReadError{URL: "http://h/instance"}, op: waiting,
			has: texts{"in HTTP_PROXY, " + oldServer + ": check that proxy too, or exclude"},
		},
		"waiting through a proxy that tunnels": {
			failure: failure{Kind: client.KindConnect, Proxy: "HTTPS_PROXY"}, err: client.ReadError{URL: "https://h/instance"}, op: waiting,
			has: texts{"in HTTPS_PROXY: check"}, lacks: texts{oldServer},
		},
		"from a cache": {
			failure: failure{Kind: client.KindStatus, StatusCode: 503, CacheAgeSeconds: 300, Reason: "status 503"},
			has:     texts{"GET u (from a cache, 300 seconds old): status 503.", "A cache answered in place of the instance: exclude /instance from it."},
		},
		"cached": {
			failure: failure{Kind: client.KindCached, CacheAgeSeconds: 12, Reason: "a cache answered, with a response of 12 s ago"},
			has:     texts{"GET u: a cache answered, with a response of 12 s ago.", "exclude /instance from it."}, lacks: texts{"(from a cache", "exclude /instance from it. A"},
		},
		"cached, redirected": {failure: failure{Kind: client.KindCached, RedirectedTo: "https://b"}, has: texts{redirectFailed, "exclude /instance from it."}},

		// Statuses.
		"204": {failure: failure{Kind: client.KindStatus, StatusCode: 204}, has: texts{"An instance answers 200"}, lacks: texts{useRecord}},
		"400": {failure: failure{Kind: client.KindStatus, StatusCode: 400}, has: texts{"check the base URL, and what a proxy in front of the instance allows."}},
		"401": {failure: failure{Kind: client.KindStatus, StatusCode: 401}, has: texts{"send them with request_headers, or " + setCertificate}, lacks: texts{"were sent"}},
		"403": {failure: failure{Kind: client.KindStatus, StatusCode: 403}, has: texts{"send them with request_headers"}, lacks: texts{"An instance answers 200"}},
		"401, headers sent": {
			failure: failure{Kind: client.KindStatus, StatusCode: 401, HeadersSent: true}, op: withHeaders,
			has: texts{"request_headers were sent, and refused"}, lacks: texts{"send them with"},
		},
		"401, headers of another origin": {
			failure: failure{Kind: client.KindStatus, StatusCode: 401}, op: withHeaders,
			has: texts{
				"The provider's request_headers were not sent",
				"which is not this instance's. Set the provider's base_url to this instance, or set request_headers on the data source.",
			},
			lacks: texts{"send them with"},
		},
		"401, headers of another origin, refresh": {
			failure: failure{Kind: client.KindStatus, StatusCode: 401}, op: refreshWithHeaders, has: texts{"to a provider block (with an alias)"},
		},
		"401, refresh": {
			failure: failure{Kind: client.KindStatus, StatusCode: 401}, op: refresh, has: texts{"send them with the provider's request_headers"},
		},
		"401, redirected": {
			failure: failure{Kind: client.KindStatus, StatusCode: 401, RedirectedTo: "https://b", OtherOrigin: true, HeadersSent: true},
			has:     texts{setTarget}, lacks: texts{"were sent, and refused"},
		},
		"404": {
			failure: failure{Kind: client.KindStatus, StatusCode: 404}, err: client.ReadError{URL: "https://h/instance"},
			has: texts{"Check the path of the base URL", "/api"}, lacks: texts{useRecord},
		},
		"404, redirected": {failure: failure{Kind: client.KindStatus, StatusCode: 404, RedirectedTo: "https://b"}, has: texts{redirectFailed}, lacks: texts{"/api", useRecord}},
		"404, path given twice": {
			failure: failure{Kind: client.KindStatus, StatusCode: 404}, err: client.ReadError{URL: "https://h/instance/instance"},
			has: texts{"The base URL ends in /instance, a path that the provider adds itself: remove it."}, lacks: texts{"/api"},
		},
		"499":             {failure: failure{Kind: client.KindStatus, StatusCode: 499}, has: texts{"check the base URL, and"}, lacks: texts{useRecord}},
		"500":             {failure: failure{Kind: client.KindStatus, StatusCode: 500}, has: texts{"check its log", useRecord}},
		"503, redirected": {failure: failure{Kind: client.KindStatus, StatusCode: 503, RedirectedTo: "https://b"}, has: texts{redirectFailed, "check its log"}},
		"redirect":        {failure: failure{Kind: client.KindRedirect, RedirectedTo: "https://b"}, has: texts{"Set the base URL to the address at which the instance itself answers."}, lacks: texts{redirectFailed, useRecord}},

		// Bodies.
		"not HTTP":     {failure: failure{Kind: client.KindNotHTTP}, has: texts{"the port on which the instance serves HTTP"}, lacks: texts{useRecord}},
		"damaged body": {failure: failure{Kind: client.KindDamagedBody}, has: texts{"It answered HTTP: check what the proxy"}, lacks: texts{"the port on which", "web page"}},
		"encoded body": {failure: failure{Kind: client.KindEncodedBody}, has: texts{"It answered HTTP: check what the proxy"}, lacks: texts{"/api"}},
		"large body":   {failure: failure{Kind: client.KindLargeBody}, has: texts{"less than a kilobyte: check that the base URL names an instance"}, lacks: texts{"cookies"}},
		"large head":   {failure: failure{Kind: client.KindLargeHead}, has: texts{"what the proxy in front of it adds to its responses, such as cookies"}, lacks: texts{"kilobyte"}},
		"cut short":    {failure: failure{Kind: client.KindCutShort}, has: texts{"The document was cut short: check the log of the server"}, lacks: texts{"web page", "/api"}},
		"empty body":   {failure: failure{Kind: client.KindEmptyBody}, has: texts{"Check the log of the server, and that the base URL names"}, lacks: texts{"/api"}},
		"error, 200":   {failure: failure{Kind: client.KindErrorMessage}, has: texts{"Check the log of the server, and that the base URL names"}, lacks: texts{"fields named"}},
		"not JSON":     {failure: failure{Kind: client.KindNotJSON}, has: texts{"instances often live under a path such as /api"}, lacks: texts{"login page", "web page"}},
		"web page":     {failure: failure{Kind: client.KindWebPage}, has: texts{"not of its web page", "If that is a login page", "send them with request_headers."}},
		"web page, redirected": {
			failure: failure{Kind: client.KindWebPage, RedirectedTo: "https://b"},
			has:     texts{redirectFailed, "If that is a login page", "send them with request_headers."}, lacks: texts{"/api", useRecord},
		},
		"document": {
			failure: failure{Kind: client.KindDocument, RedirectedTo: "https://b/instance", Faults: []string{"a", "b"}},
			has: texts{
				"GET u (redirected to https://b/instance) answered JSON that the provider cannot read as an instance document:\n  - a\n  - b\n\n" + redirectFailed,
				"has to fix the fields named.",
			},
			lacks: texts{useRecord, "Check the path"},
		},

		// Waits that had an answer.
		"not as expected": {
			failure: failure{Kind: client.KindUnexpected, Proxy: "HTTP_PROXY"}, op: record,
			err: client.ReadError{URL: "https://h", Ending: client.NoTimeLeft, Attempts: 2, Differences: differing},
			has: texts{
				"GET https://h answered, but the instance does not report what is expected:" + differences + "2 attempts were made. The wait ended",
				"\n\n" + firstDigits + " Check that the server runs", "change expected.", "in HTTP_PROXY: check that proxy too, or exclude",
			},
			lacks: texts{useRecord, "Before that", "needs longer"},
		},
		"not as expected, redirected": {
			failure: failure{Kind: client.KindUnexpected, RedirectedTo: "https://b/instance"}, op: record,
			err: client.ReadError{Differences: differing}, has: texts{firstDigits + " " + redirectFailed},
		},
		"not as expected, from a cache": {
			failure: failure{Kind: client.KindUnexpected, CacheAgeSeconds: 300}, op: record,
			err: client.ReadError{Differences: differing}, has: texts{"exclude /instance from it. " + firstDigits},
		},
		"not as expected, then broken": {
			failure: failure{Kind: client.KindBroken}, op: record, err: client.ReadError{URL: "http://h/instance", Differences: differing},
			has: texts{"write the base URL with https://. " + firstDigits},
		},
		"not as expected, then failing": {
			failure: failure{Kind: client.KindStatus, StatusCode: 502, Reason: "status 502"}, op: record, err: client.ReadError{Differences: differing},
			has: texts{
				"GET u: status 502.\n\nBefore that, the instance answered, but did not report what is expected:" + differences,
				"is failing: check its log. " + firstDigits,
			},
		},
		"stable, then failing": {
			failure: failure{Kind: client.KindStatus, StatusCode: 503, Reason: "status 503"}, op: record,
			err:   client.ReadError{Ending: client.NoTimeLeft, Attempts: 9, Streak: client.Streak{Attempts: 1}},
			has:   texts{"GET u: status 503.\n\nThe instance last reported what is expected once. stable_for is 30s.\n\n", checkLog},
			lacks: texts{"needs longer", "Check that the server runs"},
		},
		"stable, then without credentials": {
			failure: failure{Kind: client.KindStatus, StatusCode: 401, RedirectedTo: "https://b", OtherOrigin: true}, op: record,
			err: client.ReadError{Streak: client.Streak{Attempts: 1}}, has: texts{checkLog}, lacks: texts{setTarget},
		},
		"stable, then not as expected": {
			failure: failure{Kind: client.KindUnexpected}, op: record,
			err: client.ReadError{Differences: differing, Streak: client.Streak{Attempts: 1}}, has: texts{checkLog, "Check that the server runs"},
		},
		"stable, then cached": {
			failure: failure{Kind: client.KindCached}, op: record, err: client.ReadError{Streak: client.Streak{Attempts: 1}}, lacks: texts{checkLog},
		},
		"not stable, rate limited": {
			failure: failure{Kind: client.KindStatus, StatusCode: 429, Reason: "status 429", RedirectedTo: "https://b"}, op: record,
			err: client.ReadError{Ending: client.Unstable, Streak: client.Streak{Attempts: 5}},
			has: texts{"raise that limit, or raise timeouts.create."}, lacks: texts{checkLog, redirectFailed, "needs longer"},
		},
		"not stable for long enough": {
			failure: failure{Kind: client.KindStatus, StatusCode: 503, Reason: "status 503"}, op: record,
			err: client.ReadError{Ending: client.Unstable, Attempts: 12, Streak: client.Streak{Attempts: 5, Lasted: 1234 * time.Millisecond}},
			has: texts{
				"GET u: the instance reports what is expected, but not for long enough yet.\n\nThe instance last reported what is expected for " +
					"1.2s (5 answers). stable_for is 30s. The last failure before that: GET u: status 503.\n\n12 attempts were made. The wait ended: timeouts.create is 1m.\n\n" +
					checkLog, "The timeout includes the start and stable_for: if they need longer, raise timeouts.create.",
			},
			lacks: texts{"The instance, or a proxy"},
		},
		"canceled": {
			failure: failure{Kind: client.KindStatus, StatusCode: 503, Reason: "status 503"}, err: client.ReadError{Ending: client.Canceled, Attempts: 1},
			op: waiting, has: texts{"Reading the instance was canceled after 1 attempt. The last one that finished failed:\n\nGET u: status 503.\n\n"},
			lacks: texts{"needs longer"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			op := test.op
			if op.purpose == 0 {
				op = one
			}
			test.err.Failure = &test.failure
			if test.err.URL == "" {
				test.err.URL = "u"
			}
			got := readDiagnostic(path.Root("base_url"), &test.err, op).Detail()
			requireTexts(t, got, test.has...)
			requireNoTexts(t, got, append(test.lacks, "..", "….", "hunter2", "{", "}")...)
			if strings.Contains(strings.ReplaceAll(got, "\n  - ", "\n"), "  ") || !strings.HasSuffix(got, ".") {
				t.Errorf("the detail is not made of sentences:\n%s", got)
			}
		})
	}
}

// TestLongerTimeout shows which failures of a wait that ran out of time can mean that the instance only starts slowly.
func TestLongerTimeout(t *testing.T) {
	t.Parallel()
	tests := map[bool][]client.Failure{
		true: {
			{Kind: client.KindResolve}, {Kind: client.KindNameServer}, {Kind: client.KindConnect}, {Kind: client.KindTimeout, TimedOut: true},
			{Kind: client.KindStatus, StatusCode: 503},
		},
		false: {
			{Kind: client.KindTimeout}, // the advice on the cause says so already
			{Kind: client.KindStatus, StatusCode: 404}, {Kind: client.KindStatus, StatusCode: 429}, {Kind: client.KindUnexpected},
			{Kind: client.KindDocument}, {Kind: client.KindWebPage}, {Kind: client.KindBroken},
		},
	}
	for want, failures := range tests {
		for _, failure := range failures {
			err := &client.ReadError{Ending: client.TimeRanOut, Attempts: 2, Failure: &failure}
			if got := (failedRead{err, err.Failure, readOperation{}}).mayHaveBeenTooShort(); got != want {
				t.Errorf("mayHaveBeenTooShort of %+v is %t, want %t", failure, got, want)
			}
		}
	}
}

// TestFailureSummary also finds a kind of failure without a summary.
func TestFailureSummary(t *testing.T) {
	t.Parallel()
	status := func(kind *client.Kind, code int) *client.ReadError {
		return &client.ReadError{Failure: &client.Failure{Kind: kind, StatusCode: code}}
	}
	tests := map[string]struct {
		err  *client.ReadError
		want string
	}{
		"status":               {status(client.KindStatus, 503), "Instance answered with status 503"},
		"status of a proxy":    {status(client.KindProxy, 403), "Instance not reachable through the proxy"},
		"unstable":             {&client.ReadError{Ending: client.Unstable}, "Instance was not stable for long enough"},
		"unstable after a 503": {&client.ReadError{Ending: client.Unstable, Failure: &client.Failure{StatusCode: 503}}, "Instance was not stable for long enough"},
		"head too large":       {status(client.KindLargeHead, 0), "Response of the instance too large"},
	}
	for name, test := range tests {
		if got := failureSummary(test.err); got != test.want {
			t.Errorf("%s: the summary is %q, want %q", name, got, test.want)
		}
	}
}
