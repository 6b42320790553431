package provider

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

type (
	failure   = client.Failure
	readError = client.ReadError
)

// Reads that fail. The client's tests show which failure it reports when.
var (
	timeoutProvider = &providerData{requestTimeout: 10 * time.Second}
	dataSourceRead  = readOperation{provider: timeoutProvider, purpose: readOne, timeout: time.Minute, timeoutArgument: "timeouts.read"}
	fleetRead       = readOperation{provider: timeoutProvider, purpose: readMany, timeout: time.Minute, timeoutArgument: "timeouts.read"}
	recordRefresh   = readOperation{provider: timeoutProvider, purpose: refreshRecord, timeout: time.Minute, timeoutArgument: "timeouts.read"}
	dataSourceWait  = readOperation{provider: timeoutProvider, purpose: readOne, waits: true, timeout: time.Minute, timeoutArgument: "timeouts.read"}
	recordCreation  = readOperation{
		provider: timeoutProvider, purpose: waitForRecord, waits: true, timeout: time.Minute, timeoutArgument: "timeouts.create",
		until: client.Condition{StableFor: 30 * time.Second},
	}
)

// What several failures are advised.
const (
	useRecord = "If this apply creates the instance, or if plans must go on while it is down, use the resource filetransfer_instance_record. " +
		"To make this data source wait for a new instance, set wait_until_ready = true."
	checkRedirect = "The base URL redirects, and what failed is where it leads"
	checkLoginOf  = "If that is a login page, a proxy in front of the instance requires credentials: send them with request_headers."
	checkProxy    = "Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY"
	addProxyUser  = "sends those in the URL in HTTP_PROXY or HTTPS_PROXY, as Basic authentication: add or correct them"
	checkServer   = "Check the log of the server: it may stop and start again."
	checkSettings = "Check that the server runs the release and the settings that are expected"
)

// requireAdvice checks the advice on a failed read: each piece of it, in order, has one of the parts.
func requireAdvice(t *testing.T, name string, err *client.ReadError, op readOperation, parts []string) {
	t.Helper()
	got := failedRead{err, op}.advice()
	if len(got) != len(parts) {
		t.Fatalf("%s: %d pieces of advice, want %d:\n%s", name, len(got), len(parts), strings.Join(got, "\n"))
	}
	for i, part := range parts {
		if !strings.Contains(got[i], part) {
			t.Errorf("%s: piece %d of the advice is %q, want one with %q", name, i, got[i], part)
		}
		if !strings.HasSuffix(got[i], ".") || strings.Contains(got[i], "..") || strings.Contains(got[i], "  ") {
			t.Errorf("%s: piece %d of the advice is not made of sentences: %q", name, i, got[i])
		}
	}
}

// TestAdvice has the advice on each kind of failure of https://h.example, read once by filetransfer_instance.
func TestAdvice(t *testing.T) {
	t.Parallel()
	status := func(code int) client.Failure { return failure{Kind: client.KindStatus, StatusCode: code} }
	tests := map[string]struct {
		failure client.Failure
		advice  []string
	}{
		// The name and the connection.
		"no such host":                       {failure{Kind: client.KindResolve}, []string{"Check the host name in the base URL, and that the machine", useRecord}},
		"no such host after a redirect":      {failure{Kind: client.KindResolve, RedirectedTo: "https://b", OtherOrigin: true}, []string{checkRedirect, checkLoginOf}},
		"no such host at connect_to":         {failure{Kind: client.KindResolve, ConnectTo: "h:1"}, []string{"the provider's connect_to: check its host and port", useRecord}},
		"silent name servers":                {failure{Kind: client.KindNameServer}, []string{"(AAAA), raise request_timeout and timeouts.read."}},
		"silent name servers, connect_to":    {failure{Kind: client.KindNameServer, ConnectTo: "h:1"}, []string{"the provider's connect_to: check its host and port"}},
		"this machine":                       {failure{Kind: client.KindLocal}, []string{"run with a lower -parallelism, or raise its limits (ulimit -n)."}},
		"refused":                            {failure{Kind: client.KindConnect}, []string{"Check the host and port in the base URL", useRecord}},
		"refused after a redirect":           {failure{Kind: client.KindConnect, RedirectedTo: "https://b", OtherOrigin: true}, []string{checkRedirect, checkLoginOf}},
		"refused after a redirect to itself": {failure{Kind: client.KindConnect, RedirectedTo: "https://h/b"}, []string{checkRedirect}},
		"broken":                             {failure{Kind: client.KindBroken}, []string{"for why it closed the connection", useRecord}},
		"timeout of the attempt":             {failure{Kind: client.KindTimeout, TimedOut: true}, []string{"If it is only slow, raise the provider's request_timeout.", useRecord}},

		// TLS.
		"certificate":                  {failure{Kind: client.KindCertificate}, []string{"set the provider's ca_cert_pem to that authority's certificate."}},
		"certificate, expired":         {failure{Kind: client.KindCertificateExpired}, []string{"Have the certificate renewed"}},
		"certificate, name":            {failure{Kind: client.KindCertificateName}, []string{"Use a host name in the base URL that the certificate is for"}},
		"certificate, self-signed":     {failure{Kind: client.KindCertificateSelfSigned}, []string{"set the provider's ca_cert_pem to the certificate itself."}},
		"TLS":                          {failure{Kind: client.KindTLS}, []string{"it may share no cipher suite with the provider, or not know the host name"}},
		"no TLS":                       {failure{Kind: client.KindNoTLS}, []string{"serves plain HTTP, write the base URL with http://"}},
		"certificate, unusable":        {failure{Kind: client.KindCertificateUnusable}, []string{"Have the certificate of the server reissued"}},
		"certificate, nothing trusted": {failure{Kind: client.KindCertificate, SystemCAsMissing: true}, []string{"Install the CA certificates of the system"}},
		"TLS version":                  {failure{Kind: client.KindTLSVersion}, []string{"the server must support TLS 1.2 or later."}},
		"TLS, HTTP/2 only":             {failure{Kind: client.KindTLSProtocol}, []string{"the provider speaks HTTP/1.1: enable HTTP/1.1 on the server"}},
		"HTTP/2 only":                  {failure{Kind: client.KindHTTP2Only}, []string{"the provider speaks HTTP/1.1: enable HTTP/1.1 on the server"}},
		"TLS host name":                {failure{Kind: client.KindTLSHostName}, []string{"may not know this host name: check that in the base URL."}},
		"HTTPS only":                   {failure{Kind: client.KindHTTPSOnly, StatusCode: 400}, []string{"write the base URL with https://"}},
		"HTTPS only, after a redirect": {failure{Kind: client.KindHTTPSOnly, StatusCode: 400, RedirectedTo: "http://b"}, []string{checkRedirect}},
		"client certificate missing":   {failure{Kind: client.KindClientCertificate}, []string{"set the provider's client_cert_pem and client_key_pem."}},
		"client certificate withheld": {
			failure{Kind: client.KindClientCertificate, RedirectedTo: "https://b", OtherOrigin: true},
			[]string{"sent only to the origin of the base URL, and a redirect led to another: set the base URL to the address that the redirect leads to."},
		},

		// Proxies and caches.
		"silent proxy":               {failure{Kind: client.KindProxy, TimedOut: true}, []string{checkProxy}},
		"proxy refuses":              {failure{Kind: client.KindProxy, Proxy: "HTTPS_PROXY", StatusCode: 403}, []string{checkProxy}},
		"proxy settings":             {failure{Kind: client.KindProxySettings}, []string{checkProxy}},
		"proxy requires credentials": {failure{Kind: client.KindProxy, Proxy: "HTTPS_PROXY", StatusCode: 407}, []string{addProxyUser}},
		"status 407":                 {failure{Kind: client.KindStatus, Proxy: "HTTP_PROXY", StatusCode: 407}, []string{addProxyUser}},
		"through a proxy": {
			failure{Kind: client.KindNotHTTP, Proxy: "http_proxy"},
			[]string{"the port on which the instance serves HTTP", "went through the proxy in http_proxy: check it too, or exclude the host with NO_PROXY."},
		},
		"status from a cache":      {failure{Kind: client.KindStatus, StatusCode: 404, CacheAgeSeconds: 300}, []string{"A cache answered in place of the instance", "Check the path"}},
		"cached":                   {failure{Kind: client.KindCached, CacheAgeSeconds: 12}, []string{"A cache answered in place of the instance: exclude /instance from it."}},
		"cached, after a redirect": {failure{Kind: client.KindCached, RedirectedTo: "https://b"}, []string{checkRedirect, "exclude /instance from it."}},

		// Statuses.
		"204": {status(204), []string{"An instance answers 200: check the base URL, and what a proxy in front of the instance allows."}},
		"401": {status(401), []string{"send them with request_headers, or set the provider's client_cert_pem and client_key_pem."}},
		"403": {status(403), []string{"send them with request_headers, or set the provider's client_cert_pem and client_key_pem.", "programs that are no browsers"}},
		"401 although headers were sent": {
			failure{Kind: client.KindStatus, StatusCode: 401, HeadersSent: true}, []string{"request_headers were sent, and refused: check their names and values."},
		},
		"401 after a redirect": {
			failure{Kind: client.KindStatus, StatusCode: 401, RedirectedTo: "https://b", OtherOrigin: true, HeadersSent: true},
			[]string{"set the base URL to the address that the redirect leads to."},
		},
		"404":                  {status(404), []string{"Check the path of the base URL: the provider adds /instance to it. Instances often live under a path such as /api."}},
		"404 after a redirect": {failure{Kind: client.KindStatus, StatusCode: 404, RedirectedTo: "https://b"}, []string{checkRedirect}},
		"429":                  {status(429), []string{"run with a lower -parallelism, or raise the provider's retry.max_delay and retry.max_attempts."}},
		"421":                  {status(421), []string{"write that name into the base URL, and set connect_to"}},
		"431, headers sent":    {failure{Kind: client.KindStatus, StatusCode: 431, HeadersSent: true}, []string{"check the request_headers that were sent"}},
		"499":                  {status(499), []string{"An instance answers 200"}},
		"500":                  {status(500), []string{"is failing: check its log.", useRecord}},
		"500, headers sent":    {failure{Kind: client.KindStatus, StatusCode: 500, HeadersSent: true}, []string{"is failing: check its log.", useRecord}},
		"500 at connect_to":    {failure{Kind: client.KindStatus, StatusCode: 500, ConnectTo: "h:1", Connected: true}, []string{"is failing: check its log.", useRecord}},
		"503 after a redirect": {failure{Kind: client.KindStatus, StatusCode: 503, RedirectedTo: "https://b"}, []string{checkRedirect, "is failing: check its log.", useRecord}},
		"redirect loop":        {failure{Kind: client.KindRedirectLoop, RedirectedTo: "https://b"}, []string{"have the proxy send X-Forwarded-Proto"}},
		"redirect":             {failure{Kind: client.KindRedirect, RedirectedTo: "https://b"}, []string{"Set the base URL to the address at which the instance itself answers."}},

		// Bodies.
		"not HTTP":                  {failure{Kind: client.KindNotHTTP}, []string{"Check that the base URL names the port on which the instance serves HTTP."}},
		"damaged":                   {failure{Kind: client.KindDamaged}, []string{"It answered HTTP: check how the server, or a proxy in front of it, writes"}},
		"encoded body":              {failure{Kind: client.KindEncodedBody}, []string{"It answered HTTP: check how the server, or a proxy in front of it, writes"}},
		"large body":                {failure{Kind: client.KindLargeBody}, []string{"less than a kilobyte: check that the base URL names an instance."}},
		"large head":                {failure{Kind: client.KindLargeHead}, []string{"what the proxy in front of it adds to its responses, such as cookies."}},
		"cut short":                 {failure{Kind: client.KindCutShort}, []string{"The document was cut short: check the log of the server"}},
		"empty body":                {failure{Kind: client.KindEmptyBody}, []string{"Check the log of the server, and that the base URL names an instance"}},
		"other JSON":                {failure{Kind: client.KindOtherJSON}, []string{"Check the log of the server, and that the base URL names an instance"}},
		"not JSON":                  {failure{Kind: client.KindNotJSON}, []string{"Check that the base URL is the address of the instance's API: instances often live under a path such as /api."}},
		"web page":                  {failure{Kind: client.KindWebPage}, []string{"the instance's API, not of its web page: instances often live under a path such as /api.", checkLoginOf}},
		"web page after a redirect": {failure{Kind: client.KindWebPage, RedirectedTo: "https://b"}, []string{checkRedirect, checkLoginOf}},
		"not an instance document":  {failure{Kind: client.KindDocument}, []string{"If it does, its operator has to fix the fields named."}},
		"another document, after a redirect": {
			failure{Kind: client.KindDocument, RedirectedTo: "https://b"}, []string{checkRedirect, "its operator has to fix the fields named."},
		},
	}
	for name, test := range tests {
		err := readError{URL: "https://h.example/instance", Attempts: 1, Failure: &test.failure}
		requireAdvice(t, name, &err, dataSourceRead, test.advice)
	}
}

// TestAdviceOnARead has advice that also depends on what is read, on its URL, and on what the read met before it failed.
func TestAdviceOnARead(t *testing.T) {
	t.Parallel()
	withHeaders, refreshWithHeaders := dataSourceRead, recordRefresh
	withHeaders.provider = &providerData{headers: http.Header{"X-Token": {"a"}}}
	withTLS := dataSourceRead
	withTLS.provider = &providerData{hasCACerts: true, hasClientCert: true}
	refreshWithHeaders.provider = withHeaders.provider
	refused, noHost := &failure{Kind: client.KindConnect}, &failure{Kind: client.KindResolve}
	interrupted, timedOut := &failure{Kind: client.KindTimeout}, &failure{Kind: client.KindTimeout, TimedOut: true}
	unauthorized, limited := &failure{Kind: client.KindStatus, StatusCode: 401}, &failure{Kind: client.KindStatus, StatusCode: 429}
	unavailable, unexpected := &failure{Kind: client.KindStatus, StatusCode: 503}, &failure{Kind: client.KindUnexpected}
	const firstDigits, failing = "The server may have read only the digits.", "is failing: check its log."
	const needsLonger = "If the instance needs longer to start, raise timeouts.create."
	differing := []client.Difference{
		{Name: "api_version"}, {Name: "chunk_size", Remedy: firstDigits}, {Name: "file_max_size", Remedy: firstDigits},
	}
	once := client.Streak{Attempts: 1}
	localName := map[bool]string{false: "not by mDNS", true: "Check the host name"}[runtime.GOOS == "windows" || runtime.GOOS == "darwin"]

	tests := map[string]struct {
		op     readOperation
		err    client.ReadError
		advice []string
	}{
		"new name": {
			dataSourceWait, readError{Failure: noHost},
			[]string{"Check the host name", "name servers may remember for a few minutes that it did not exist: wait for it with depends_on"},
		},
		"name of connect_to": {dataSourceWait, readError{Failure: &failure{Kind: client.KindResolve, ConnectTo: "h:1"}}, []string{"connect_to"}},
		"server that did not start": {
			recordCreation, readError{Failure: refused}, []string{"Check the server's log: it may not have started. Check the host and port in the base URL"},
		},
		"fleet, refused": {fleetRead, readError{Attempts: 1, Failure: refused}, []string{"Check the host and port in the base URL", useRecord}},
		"proxy that forwards": {
			dataSourceWait, readError{URL: "http://h/instance", Failure: &failure{Kind: client.KindConnect, Proxy: "HTTP_PROXY", ProxyForwards: true}},
			[]string{"Check the server's log", "in HTTP_PROXY, which may keep a connection to an old server: check it too"},
		},
		"proxy that tunnels": {
			dataSourceWait, readError{URL: "https://h/instance", Failure: &failure{Kind: client.KindConnect, Proxy: "HTTPS_PROXY"}},
			[]string{"Check the server's log", "in HTTPS_PROXY: check it too"},
		},
		"broken, plain HTTP": {
			dataSourceRead, readError{URL: "HTTP://h/instance", Attempts: 1, Failure: &failure{Kind: client.KindBroken}},
			[]string{"for why it closed the connection", "If the server expects TLS on this port, write the base URL with https://.", useRecord},
		},
		"broken, plain HTTP, after the head": {
			dataSourceRead, readError{URL: "http://h/instance", Attempts: 1, Failure: &failure{Kind: client.KindBroken, Answered: true}},
			[]string{"for why it closed the connection", useRecord},
		},
		"broken, plain HTTP, after a redirect": {
			dataSourceRead, readError{URL: "http://h/instance", Attempts: 1, Failure: &failure{Kind: client.KindBroken, RedirectedTo: "http://b"}},
			[]string{checkRedirect, "for why it closed the connection"},
		},
		"404, path given twice": {
			dataSourceRead, readError{URL: "https://h/instance/instance", Failure: &failure{Kind: client.KindStatus, StatusCode: 404}},
			[]string{"The base URL ends in /instance, a path that the provider adds itself: remove it."},
		},

		// Time. An instance of which nothing was requested may well be ready.
		"nothing requested":        {dataSourceRead, readError{Ending: client.TimeRanOut, Failure: interrupted}, []string{"Raise timeouts.read."}},
		"fleet, nothing requested": {fleetRead, readError{Ending: client.TimeRanOut, Failure: interrupted}, []string{"Raise timeouts.read, or max_concurrency so that more"}},
		"interrupted":              {dataSourceRead, readError{Ending: client.TimeRanOut, Attempts: 1, Failure: interrupted}, []string{"If it is only slow, raise timeouts.read.", useRecord}},
		"refresh, interrupted": {
			recordRefresh, readError{Ending: client.TimeRanOut, Attempts: 1, Failure: interrupted},
			[]string{"raise timeouts.read; a refresh uses the new value after the next apply."},
		},
		"earlier attempts timed out": {dataSourceRead, readError{Ending: client.TimeRanOut, Attempts: 2, Failure: timedOut}, []string{"raise the provider's request_timeout.", useRecord}},
		"429 until the end":          {dataSourceRead, readError{Ending: client.TimeRanOut, Failure: limited}, []string{"run with a lower -parallelism, or raise timeouts.read."}},
		"fleet, 429":                 {fleetRead, readError{Failure: limited}, []string{"lower max_concurrency, or raise the provider's retry.max_delay"}},
		"wait that may be too short": {recordCreation, readError{Ending: client.NoTimeLeft, Failure: unavailable}, []string{failing, needsLonger}},
		"wait, no such host":         {recordCreation, readError{Ending: client.TimeRanOut, Failure: noHost}, []string{"Check the host name", "If the name is new", needsLonger}},
		"wait, silent name servers":  {recordCreation, readError{Ending: client.TimeRanOut, Failure: &failure{Kind: client.KindNameServer}}, []string{"(AAAA), raise request_timeout and timeouts.create."}},
		"wait, refused":              {recordCreation, readError{Ending: client.TimeRanOut, Failure: refused}, []string{"Check the server's log", needsLonger}},
		"wait, attempt timed out":    {recordCreation, readError{Ending: client.TimeRanOut, Attempts: 2, Failure: timedOut}, []string{"request_timeout", needsLonger}},
		"wait, attempt interrupted":  {recordCreation, readError{Ending: client.TimeRanOut, Attempts: 2, Failure: interrupted}, []string{"If it is only slow, raise timeouts.create."}},
		"wait, 429":                  {recordCreation, readError{Ending: client.TimeRanOut, Failure: limited}, []string{"or raise timeouts.create."}},
		"wait, not as expected":      {recordCreation, readError{Ending: client.TimeRanOut, Failure: unexpected}, []string{checkSettings}},
		"wait, web page": {
			recordCreation, readError{Ending: client.TimeRanOut, Failure: &failure{Kind: client.KindWebPage}},
			[]string{"not of its web page", "the provider's request_headers."},
		},
		"wait that was canceled":      {dataSourceWait, readError{Ending: client.Canceled, Failure: unavailable}, []string{failing}},
		"fleet, read again and again": {fleetRead, readError{Attempts: 4, Failure: unavailable}, []string{failing, useRecord}},

		// Credentials.
		"401, refresh": {recordRefresh, readError{Failure: unauthorized}, []string{"send them with the provider's request_headers, or"}},
		"401, headers are for another origin": {
			withHeaders, readError{Failure: unauthorized},
			[]string{"which is not this instance's. Set the provider's base_url to this instance, or set request_headers on the data source."},
		},
		"401, headers are for another origin, refresh": {
			refreshWithHeaders, readError{Failure: unauthorized}, []string{"to a provider block (with an alias) whose base_url is this instance."},
		},
		"refused, headers are for another origin": {
			withHeaders, readError{Attempts: 1, Failure: refused}, []string{"Check the host and port in the base URL", useRecord},
		},
		"refused, headers are for another origin, refresh": {
			refreshWithHeaders, readError{Failure: refused}, []string{"Check the host and port in the base URL"},
		},

		// What is set already is not to be set.
		"403, client certificate set":      {withTLS, readError{Failure: &failure{Kind: client.KindStatus, StatusCode: 403}}, []string{"accepts that in client_cert_pem", "programs that are no browsers"}},
		"403, client certificate not sent": {withTLS, readError{URL: "http://h", Failure: &failure{Kind: client.KindStatus, StatusCode: 403}}, []string{"send them with request_headers.", "programs that are no browsers"}},
		"client certificate not accepted":  {withTLS, readError{Failure: &failure{Kind: client.KindClientCertificate}}, []string{"did not accept the client certificate"}},
		"self-signed, ca_cert_pem set":     {withTLS, readError{Failure: &failure{Kind: client.KindCertificateSelfSigned}}, []string{"signed it: add to ca_cert_pem the certificate itself."}},
		"unknown authority, ca_cert_pem":   {withTLS, readError{Failure: &failure{Kind: client.KindCertificate}}, []string{"signed the certificate, add to ca_cert_pem that authority's"}},
		"authority that may be left out":   {withTLS, readError{Failure: &failure{Kind: client.KindCertificate, CACertsLeftOut: true}}, []string{"replace it in ca_cert_pem"}},
		"name that other programs resolve": {dataSourceRead, readError{URL: "http://docker.localhost/instance", Failure: noHost}, []string{localName}},
		"name of a neighbor":               {recordRefresh, readError{URL: "http://nas.local/instance", Failure: noHost}, []string{localName}},

		// Waits that had an answer.
		"not as expected": {recordCreation, readError{Differences: differing, Failure: unexpected}, []string{firstDigits, checkSettings}},
		"not as expected, through a proxy": {
			recordCreation, readError{URL: "https://h", Failure: &failure{Kind: client.KindUnexpected, Proxy: "HTTPS_PROXY"}},
			[]string{checkSettings, "in HTTPS_PROXY: check it too"},
		},
		"not as expected, after a redirect": {
			recordCreation, readError{Differences: differing, Failure: &failure{Kind: client.KindUnexpected, RedirectedTo: "https://b"}},
			[]string{firstDigits, checkRedirect, checkSettings},
		},
		"not as expected, from a cache": {
			recordCreation, readError{Differences: differing, Failure: &failure{Kind: client.KindUnexpected, CacheAgeSeconds: 300}},
			[]string{"A cache answered", firstDigits, checkSettings},
		},
		"not as expected, then broken": {
			recordCreation, readError{URL: "http://h/instance", Differences: differing, Failure: &failure{Kind: client.KindBroken}},
			[]string{"for why it closed the connection", "write the base URL with https://.", firstDigits},
		},
		"stable, then failing":      {recordCreation, readError{Ending: client.NoTimeLeft, Streak: once, Failure: unavailable}, []string{"as limit_req of nginx does with status 503"}},
		"stable, then this machine": {recordCreation, readError{Streak: once, Failure: &failure{Kind: client.KindLocal}}, []string{"This machine refused"}},
		"stable, then 403":          {recordCreation, readError{Streak: once, Failure: &failure{Kind: client.KindStatus, StatusCode: 403}}, []string{"as haproxy does with status 403", "programs that are no browsers"}},
		"stable, then 429":          {recordCreation, readError{Ending: client.NoTimeLeft, Streak: once, Failure: limited}, []string{"The instance limits requests, and a wait"}},
		"stable, then without credentials": {
			recordCreation, readError{Streak: once, Failure: &failure{Kind: client.KindStatus, StatusCode: 401, OtherOrigin: true}}, []string{checkServer},
		},
		"stable, then not as expected": {recordCreation, readError{Streak: once, Failure: unexpected}, []string{"may still run the old release. " + checkSettings}},
		"stable, then cached":          {recordCreation, readError{Streak: once, Failure: &failure{Kind: client.KindCached}}, []string{"A cache answered"}},
		"not stable": {
			recordCreation, readError{Ending: client.Unstable, Streak: once},
			[]string{checkServer, "The timeout includes the start and stable_for: if they need longer, raise timeouts.create."},
		},
		"not stable, 429": {recordCreation, readError{Ending: client.Unstable, Streak: once, Failure: limited}, []string{"raise that limit, or raise timeouts.create."}},
	}
	for name, test := range tests {
		requireAdvice(t, name, &test.err, test.op, test.advice)
	}
}

// TestFailureDetail has whole messages: what failed, what came before, the attempts and the limit that ended them, and the advice.
func TestFailureDetail(t *testing.T) {
	t.Parallel()
	const url = "https://h/instance"
	update := recordCreation
	update.timeoutArgument = "timeouts.update"
	unavailable := &failure{Kind: client.KindStatus, StatusCode: 503, Reason: "status 503"}
	failing := "The instance, or a proxy in front of it, is failing: check its log."
	differing := []client.Difference{
		{Name: "chunk_size", Reported: "1", Expected: "1001", Remedy: "Write the whole number."}, {Name: "api_version", Reported: "a", Expected: "b"},
	}
	const limit = " A proxy may limit requests, as limit_req of nginx does with status 503, and a wait asks about five times a second at first: raise that " +
		"limit, or raise timeouts.create."
	const differences = "\n  - chunk_size is 1, expected 1001\n  - api_version is a, expected b\n\n"
	tests := map[string]struct {
		op   readOperation
		err  client.ReadError
		want string
	}{
		"one attempt": {
			dataSourceRead, readError{URL: url, Attempts: 1, Failure: &failure{Kind: client.KindNotHTTP, Reason: "the response is not valid HTTP"}},
			"GET https://h/instance: the response is not valid HTTP.\n\nCheck that the base URL names the port on which the instance serves HTTP.",
		},
		"attempts that timed out": {
			fleetRead, readError{URL: url, Attempts: 3, Failure: &failure{Kind: client.KindProxy, Reason: "no answer", TimedOut: true}},
			"GET https://h/instance: no answer.\n\n3 attempts were made. The time for one attempt, the provider's request_timeout (10s), ran out.\n\n" +
				"Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and what the proxy allows.",
		},
		"out of time": {
			dataSourceRead, readError{URL: url, Ending: client.TimeRanOut, Failure: &failure{Kind: client.KindTimeout, Reason: "no time"}},
			"GET https://h/instance: no time.\n\nThe time for the whole read, timeouts.read (1m), ran out.\n\nRaise timeouts.read.",
		},
		"no time left": {
			recordRefresh, readError{URL: url, Ending: client.NoTimeLeft, Attempts: 2, Failure: unavailable},
			"GET https://h/instance: status 503.\n\n2 attempts were made. The time for the whole read, timeouts.read (1m), leaves no room for another " +
				"attempt.\n\n" + failing,
		},
		"faults of a document": {
			dataSourceRead, readError{URL: url, Attempts: 1, Failure: &failure{Kind: client.KindDocument, Faults: []string{"a", "b"}}},
			"GET https://h/instance answered JSON that the provider cannot read as an instance document:\n  - a\n  - b\n\nCheck that the base URL " +
				"names an instance of the file transfer service. If it does, its operator has to fix the fields named.",
		},
		"not as expected": {
			recordCreation, readError{URL: url, Ending: client.NoTimeLeft, Attempts: 2, Differences: differing, Failure: &failure{Kind: client.KindUnexpected}},
			"GET https://h/instance answered, but the instance does not report what is expected:" + differences +
				"2 attempts were made. The wait ended: timeouts.create is 1m.\n\nWrite the whole number. " + adviceUnexpected,
		},
		"not as expected, then failing": {
			recordCreation, readError{URL: url, Attempts: 1, Differences: differing, Failure: unavailable},
			"GET https://h/instance: status 503.\n\nBefore that, the instance answered, but did not report what is expected:" + differences +
				failing + " Write the whole number.",
		},
		"stable, then failing": {
			recordCreation, readError{URL: url, Ending: client.TimeRanOut, Attempts: 9, Streak: client.Streak{Attempts: 1}, Failure: unavailable},
			"GET https://h/instance: status 503.\n\nThe instance last reported what is expected once. stable_for is 30s.\n\n9 attempts were made. " +
				"The wait ended: timeouts.create is 1m.\n\n" + adviceUnstable + limit,
		},
		"not stable for long enough": {
			recordCreation, readError{
				URL: url, Ending: client.Unstable, Attempts: 12, Streak: client.Streak{Attempts: 5, Lasted: 1234 * time.Millisecond}, Failure: unavailable,
			},
			"GET https://h/instance: the instance reports what is expected, but not for long enough yet.\n\nThe instance last reported what is " +
				"expected for 1.2s (5 answers). stable_for is 30s. The last failure before that: GET https://h/instance: status 503.\n\n12 attempts " +
				"were made. The wait ended: timeouts.create is 1m.\n\n" + adviceUnstable + limit +
				" The timeout includes the start and stable_for: if they need longer, raise timeouts.create.",
		},
		"not stable, without a failure": {
			recordCreation, readError{URL: url, Ending: client.Unstable, Attempts: 1, Streak: client.Streak{Attempts: 1}},
			"GET https://h/instance: the instance reports what is expected, but not for long enough yet.\n\nThe instance last reported what is " +
				"expected once. stable_for is 30s.\n\nThe wait ended: timeouts.create is 1m.\n\n" + adviceUnstable +
				" The timeout includes the start and stable_for: if they need longer, raise timeouts.create.",
		},
		"canceled": {
			dataSourceWait, readError{URL: url, Ending: client.Canceled, Attempts: 2, Failure: unavailable},
			"Reading the instance was canceled after 2 attempts. The last one that finished failed:\n\nGET https://h/instance: status 503.\n\n" + failing,
		},
		"canceled, update of a record": {
			update, readError{URL: url, Ending: client.Canceled},
			"Reading the instance was canceled after 0 attempts: GET https://h/instance.\n\nThe next apply waits again.",
		},
	}
	for name, test := range tests {
		if got := readDiagnostic(path.Root("base_url"), &test.err, test.op).Detail(); got != test.want {
			t.Errorf("%s: the detail is\n%s\n\nwant\n%s", name, got, test.want)
		}
	}
}

func TestFailureSummary(t *testing.T) {
	t.Parallel()
	unavailable := &failure{Kind: client.KindStatus, StatusCode: 503}
	tests := map[string]readError{
		"Instance answered with status 503":        {Failure: unavailable},
		"Instance not reachable through the proxy": {Failure: &failure{Kind: client.KindProxy, StatusCode: 403}},
		"Instance was not stable for long enough":  {Ending: client.Unstable, Failure: unavailable},
		"Response of the instance too large":       {Failure: &failure{Kind: client.KindLargeHead}},
		"A cache answered instead of the instance": {Failure: &failure{Kind: client.KindCached}},
	}
	for want, err := range tests {
		if got := failureSummary(&err); got != want {
			t.Errorf("the summary of %+v is %q, want %q", err, got, want)
		}
	}
}
