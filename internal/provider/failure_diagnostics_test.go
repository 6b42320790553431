package provider

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// constantsOfClient returns the names of the constants of the client that begin with prefix: a new one must have
// words, too.
func constantsOfClient(t *testing.T, prefix string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../client/failure.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, prefix) {
			names = append(names, spec.Names[0].Name)
		}
		return true
	})
	if len(names) == 0 {
		t.Fatalf("the client has no constant %s", prefix)
	}
	return names
}

func TestEveryKindAndHintHasWordsOfItsOwn(t *testing.T) {
	t.Parallel()
	taken := make(map[string]string)
	own := func(name, text string) {
		if other, ok := taken[text]; text == "" || ok {
			t.Errorf("%s has the words of %q: %q", name, other, text)
		}
		taken[text] = name
	}
	for i, name := range constantsOfClient(t, "Kind") {
		words := failureWords[client.Kind(i+1)]
		own(name, words.summary)
		own(name, words.remedy)
	}
	for i, name := range constantsOfClient(t, "Hint") {
		own(name, hintRemedies[client.Hint(i+1)])
	}
	mustEqual(t, "the number of words", len(taken), 2*len(failureWords)+len(hintRemedies))
}

const wait = "If this apply creates the instance, or if plans must go on while it is down, use the resource filetransfer_instance_record. " +
	"To make this data source wait for a new instance, set wait_until_ready = true."

// mustBeClean checks what holds for every diagnostic about a failure.
func mustBeClean(t *testing.T, text string) {
	t.Helper()
	mustNotSay(t, text, "..", "….", "BASE_URL", "\x1b", "  ", "x509:", "tls:", "net/http:")
	if !strings.HasSuffix(text, ".") {
		t.Errorf("it does not end as a sentence:\n%s", text)
	}
}

// TestWordsAboutAFailure: what is said of what the client reports. Situations that tests can bring about with servers
// are in TestAdviceFitsTheSituation and TestAdviceNamesTheProxyThatWasUsed.
func TestWordsAboutAFailure(t *testing.T) {
	t.Parallel()
	one := readInfo{baseURLArgument: "base_url", timeoutArgument: "timeouts.read", timeout: time.Minute, requestTimeout: 10 * time.Second, canWait: true}
	fleet := one
	fleet.fleet, fleet.baseURLArgument = true, `base_urls["a"]`
	withheld := one
	withheld.headersWithheld = true
	status := func(code int) client.Failure {
		return client.Failure{Kind: client.KindStatus, StatusCode: code, Reason: fmt.Sprintf("status %d", code), Attempts: 1}
	}
	with := func(failure client.Failure, change func(*client.Failure)) client.Failure {
		change(&failure)
		return failure
	}
	hint := func(kind client.Kind, hint client.Hint) client.Failure {
		return client.Failure{Kind: kind, Hint: hint, Attempts: 1}
	}
	tests := map[string]struct {
		failure client.Failure
		info    readInfo
		summary string
		says    []string
		unsaid  []string
	}{
		"no such host": {
			client.Failure{Kind: client.KindResolve, Reason: "no such host", Attempts: 1}, one, "Host name of the instance not found",
			[]string{"GET u: no such host.\n\nCheck the host name in base_url, and that the machine", wait}, []string{"attempts", "timeouts.read", "max_concurrency"},
		},
		"silent name servers": {
			client.Failure{Kind: client.KindNameServer, Attempts: 1}, one, "Host name lookup failed",
			[]string{"whether it can reach them"}, []string{"instance is up", wait},
		},
		"never asked": {
			client.Failure{Kind: client.KindTimeout, TimeRanOut: true}, one, "Instance did not answer in time",
			[]string{"\n\nRaise timeouts.read."}, []string{"max_concurrency", wait},
		},
		"never asked, in a fleet": { // it may well be ready
			client.Failure{Kind: client.KindTimeout, TimeRanOut: true}, fleet, "Instance did not answer in time",
			[]string{"Raise timeouts.read, or max_concurrency so that more instances are asked at once."}, []string{wait, "request_timeout"},
		},
		"broken, http": {
			client.Failure{Kind: client.KindBroken, URL: "http://files.example.org/instance", Attempts: 1}, one, "Connection to the instance broke",
			[]string{"why it closed the connection", "If the server expects TLS on this port, write base_url with https://.", wait}, nil,
		},
		"broken, https": {
			client.Failure{Kind: client.KindBroken, URL: "https://files.example.org/instance", Attempts: 1}, one, "Connection to the instance broke", nil, []string{"TLS on this port"},
		},
		"TLS version": {hint(client.KindTLS, client.HintTLSVersion), one, "TLS handshake with the instance failed", []string{"TLS 1.2 or later"}, []string{"client_cert_pem", "http://"}},
		"HTTP/2 only": {hint(client.KindTLS, client.HintHTTP2), one, "TLS handshake with the instance failed", []string{"the provider speaks HTTP/1.1"}, []string{"http://", "client_cert_pem"}},
		"no such host after a redirect": {
			client.Failure{Kind: client.KindResolve, RedirectedTo: "https://b", Reason: "no such host", Attempts: 1}, one, "Host name of the instance not found",
			[]string{"base_url redirects to https://b, and that is what failed"}, []string{"Check the host name", wait},
		},
		"silent proxy": {
			client.Failure{Kind: client.KindProxy, AttemptTimedOut: true, Attempts: 1}, one, "Instance not reachable through the proxy",
			[]string{"The time for one attempt, the provider's request_timeout (10s), ran out."}, nil,
		},
		"unknown host name":    {hint(client.KindTLS, client.HintHostName), one, "TLS handshake with the instance failed", []string{"does not know this host name: check the host name in base_url"}, []string{"client_cert_pem"}},
		"not HTTP":             {client.Failure{Kind: client.KindNotHTTP, Attempts: 1}, one, "Response of the instance is not valid HTTP", []string{"the port on which the instance serves HTTP"}, []string{wait}},
		"redirect":             {client.Failure{Kind: client.KindRedirect, Attempts: 1}, one, "Redirect of the instance not followed", []string{"Set base_url to the address at which the instance itself answers."}, []string{wait}},
		"too large":            {client.Failure{Kind: client.KindTooLarge}, one, "Response of the instance too large", []string{"check that base_url names an instance"}, nil},
		"not JSON":             {client.Failure{Kind: client.KindNotJSON}, one, "Response of the instance is not JSON", []string{"not of its web page"}, nil},
		"204":                  {status(204), one, "Instance answered with status 204", []string{"An instance answers 200"}, []string{wait}},
		"404":                  {status(404), one, "Instance answered with status 404", []string{"Check the path of base_url", "/api"}, []string{wait}},
		"418":                  {status(418), one, "Instance answered with status 418", []string{"Check base_url, and what a proxy in front of the instance allows."}, nil},
		"429":                  {status(429), one, "Instance answered with status 429", []string{"a lower -parallelism", "retry.max_delay"}, []string{"max_concurrency"}},
		"429 in a fleet":       {status(429), fleet, "Instance answered with status 429", []string{"lower max_concurrency", "retry.max_delay"}, []string{"-parallelism"}},
		"502":                  {status(502), one, "Instance answered with status 502", []string{"check its log", wait}, nil},
		"403, headers of both": {with(status(403), func(f *client.Failure) { f.ExtraHeaders = true }), withheld, "Instance answered with status 403", []string{"were sent, and refused"}, nil},
		"document": {
			client.Failure{Kind: client.KindDocument, RedirectedTo: "https://b/instance", Faults: []string{"a", "b"}}, one, "Response is not an instance document",
			[]string{"GET u (redirected to https://b/instance) answered JSON", ":\n  - a\n  - b\n\n", "its operator has to fix the fields"}, []string{wait},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.failure.URL == "" {
				test.failure.URL = "u"
			}
			got := readError(path.Root("base_url"), &test.failure, test.info)
			mustEqual(t, "the summary", got.Summary(), test.summary)
			mustSay(t, got.Detail(), test.says...)
			mustNotSay(t, got.Detail(), test.unsaid...)
			if test.failure.Kind != client.KindDocument {
				mustBeClean(t, got.Detail())
			}
		})
	}
}

func TestErrorsThatAreNoFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err     error
		info    readInfo
		summary string
		says    string
	}{
		"canceled":        {fmt.Errorf("reading: %w", context.Canceled), readInfo{}, "Read canceled", "Reading the instance was canceled"},
		"fleet, canceled": {context.Canceled, readInfo{fleet: true}, "Read canceled", "Reading the instances was canceled"},
		"other":           {errors.New("boo"), readInfo{}, "Unexpected data in the provider", "This is a bug in the provider; please report it."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := readError(path.Empty(), test.err, test.info)
			mustEqual(t, "the summary", got.Summary(), test.summary)
			mustSay(t, got.Detail(), test.says)
		})
	}
}

// TestAdviceFitsTheSituation reproduces situations with servers: what the client finds out has to arrive in the
// words. Each is read as one instance and as a fleet of one.
func TestAdviceFitsTheSituation(t *testing.T) {
	t.Parallel()
	serving := func(step instancetest.Step, options ...instancetest.Option) *instancetest.Server {
		return instancetest.New(t, append(options, instancetest.WithDefault(step))...)
	}
	status := func(code int) string { return serving(instancetest.Status(code)).URL() }
	page := func(code int, text string) string { return serving(instancetest.Body(code, "text/html", text)).URL() }
	redirectTo := func(location string) string { return serving(instancetest.Redirect(307, location)).URL() }
	redirect := func(to *instancetest.Server) string { return redirectTo(to.URL() + "/instance") }
	nowhere := instancetest.ReserveAddress(t)
	secure, expired := instancetest.New(t, instancetest.WithTLS()), instancetest.New(t, instancetest.WithCertificate(instancetest.CertificateExpired))
	wrongHost := instancetest.New(t, instancetest.WithCertificate(instancetest.CertificateWrongHost))
	mutual := instancetest.New(t, instancetest.WithClientCertificate())
	plainHTTP := instancetest.New(t)
	unauthorized := serving(instancetest.Status(401))
	pair := args{"client_cert_pem": mutual.ClientCertPEM(), "client_key_pem": mutual.ClientKeyPEM()}
	ca := args{"ca_cert_pem": mutual.CACertPEM()}
	own := args{"request_headers": args{"X-Token": "hunter2"}}
	providers := func(baseURL string) args { return own.with(args{"base_url": baseURL}) }
	const withheld = "set base_url to the address that the redirect leads to"

	tests := map[string]struct {
		baseURL             string
		provider, arguments args
		summary             string
		says                []string
		unsaid              []string
	}{
		"refused": {
			baseURL: "http://" + instancetest.ReserveAddress(t), summary: "Instance not reachable",
			says:   []string{"GET {url}/instance: connection refused.\n\nThis was the last of 2 attempts.\n\nCheck the host and port in base_url", wait},
			unsaid: []string{"timeouts.read"},
		},
		"401":                              {baseURL: status(401), summary: "Instance answered with status 401", says: []string{"send them with request_headers, or set the provider's client_cert_pem"}, unsaid: []string{"were sent"}},
		"401, own headers sent":            {baseURL: status(401), arguments: own, summary: "Instance answered with status 401", says: []string{"request_headers were sent, and refused"}, unsaid: []string{"send them with"}},
		"403, provider's headers sent":     {baseURL: unauthorized.URL(), provider: providers(unauthorized.URL() + "/other"), summary: "Instance answered with status 401", says: []string{"request_headers were sent, and refused"}, unsaid: []string{"send them with"}},
		"403, provider's headers withheld": {baseURL: status(403), provider: providers(plainHTTP.URL()), summary: "Instance answered with status 403", says: []string{"The provider's request_headers were not sent", "another. Set that base_url to this instance, or set request_headers on the data source"}, unsaid: []string{"send them with"}},
		"401 after a redirect":             {baseURL: redirect(unauthorized), arguments: own, summary: "Instance answered with status 401", says: []string{"(redirected to " + unauthorized.URL() + "/instance)", withheld}, unsaid: []string{"were sent, and refused"}},
		"refused after a redirect": {
			baseURL: redirectTo("http://" + nowhere), summary: "Instance not reachable",
			says: []string{"base_url redirects to http://" + nowhere + ", and that is what failed"}, unsaid: []string{"Check the host and port", wait, "/api"},
		},
		"404 after a redirect": {
			baseURL: redirectTo(plainHTTP.URL() + "/gone"), summary: "Instance answered with status 404",
			says: []string{"base_url redirects to " + plainHTTP.URL() + "/gone"}, unsaid: []string{"/api", wait},
		},
		"login page after a redirect": {
			baseURL: redirectTo(page(200, "<title>Sign in</title>") + "/instance?session=hunter2"), summary: "Response of the instance is not JSON",
			says: []string{`an HTML page titled "Sign in"`, "base_url redirects to ", "If that is a login page", "send them with request_headers."}, unsaid: []string{"/api", wait},
		},
		"client certificate missing":  {baseURL: mutual.URL(), provider: ca, summary: "TLS handshake with the instance failed", says: []string{"set the provider's client_cert_pem and client_key_pem"}, unsaid: []string{"redirect"}},
		"client certificate withheld": {baseURL: redirect(mutual), provider: ca.with(pair), summary: "TLS handshake with the instance failed", says: []string{withheld}, unsaid: []string{"set the provider's"}},
		"nginx wants a client certificate": {
			baseURL: page(400, "<html><head><title>400 No required SSL certificate was sent</title></head></html>"),
			summary: "Instance answered with status 400", says: []string{"set the provider's client_cert_pem and client_key_pem"}, unsaid: []string{"Check base_url"},
		},
		"http on a TLS port":   {baseURL: "http://" + secure.Address(), summary: "Instance answered with status 400", says: []string{"write base_url with https://"}},
		"https on a http port": {baseURL: "https://" + plainHTTP.Address(), summary: "TLS handshake with the instance failed", says: []string{"does not speak TLS on this port", "write base_url with http://"}},
		"expired":              {baseURL: expired.URL(), provider: ca, summary: "Certificate of the instance not trusted", says: []string{"GET {url}/instance: certificate has expired", "\n\nHave the certificate renewed", "ca_cert_pem does not help"}, unsaid: []string{"set the provider's ca_cert_pem"}},
		"of another host":      {baseURL: wrongHost.URL(), provider: ca, summary: "Certificate of the instance not trusted", says: []string{"Use a host name in base_url that the certificate is for"}},
		"self-signed": {
			baseURL: instancetest.New(t, instancetest.WithCertificate(instancetest.CertificateSelfSigned)).URL(), summary: "Certificate of the instance not trusted",
			says: []string{"GET {url}/instance: the certificate is self-signed.", "set the provider's ca_cert_pem to the certificate itself"}, unsaid: []string{"possibly because", "authority's"},
		},
		"unknown authority": {baseURL: secure.URL(), summary: "Certificate of the instance not trusted", says: []string{"GET {url}/instance: certificate signed by unknown authority", "set the provider's ca_cert_pem"}, unsaid: []string{"insecure"}},
		"path given twice":  {baseURL: plainHTTP.URL() + "/instance", summary: "Instance answered with status 404", says: []string{"base_url ends in /instance, a path that the provider adds itself: remove it"}},
		"error page":        {baseURL: page(502, "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1>nginx/1.22.1"), summary: "Instance answered with status 502", says: []string{"GET {url}/instance: status 502 Bad Gateway.\n\n"}},
		"error that is a sentence": {
			baseURL: serving(instancetest.Body(500, "application/json", `{"message":"The disk is full."}`)).URL(),
			summary: "Instance answered with status 500", says: []string{"GET {url}/instance: status 500 Internal Server Error: The disk is full.\n\n"},
		},
		"long error": {
			baseURL: serving(instancetest.Body(500, "text/plain", strings.Repeat("too long ", 100))).URL(),
			summary: "Instance answered with status 500", says: []string{"too long t…\n\n"},
		},
		"document": {
			baseURL: serving(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", nil).With("chunkSize", "x"))).URL(),
			summary: "Response is not an instance document", says: []string{"GET {url}/instance answered JSON", "\n  - fileMaxSize: expected an integer", "found null\n  - chunkSize: ", "its operator has to fix"},
		},
		"no room for another attempt": {
			baseURL: status(503), provider: args{"retry": args{"min_delay": "5s"}}, arguments: args{"timeouts": args{"read": "200ms"}},
			summary: "Instance answered with status 503", says: []string{"This was the last of 2 attempts.", "timeouts.read (200ms), leaves no room for another attempt."}, unsaid: []string{"ran out"},
		},
		"one attempt out of time": {
			baseURL: serving(instancetest.Silent()).URL(), provider: oneAttempt().with(args{"request_timeout": "50ms"}),
			summary: "Instance did not answer in time", says: []string{"connected, but no response in time", "The time for one attempt, the provider's request_timeout (50ms), ran out.", "raise the provider's request_timeout", wait}, unsaid: []string{"timeouts.read"},
		},
		"the read out of time": {
			baseURL: serving(instancetest.Silent()).URL(), arguments: args{"timeouts": args{"read": "100ms"}},
			summary: "Instance did not answer in time", says: []string{"The time for the whole read, timeouts.read (100ms), ran out.", "raise timeouts.read"}, unsaid: []string{"request_timeout", "max_concurrency"},
		},
	}
	for name, test := range tests {
		for source, argument := range map[string]string{instanceName: "base_url", instancesName: `base_urls["it"]`} {
			t.Run(source+" "+name, func(t *testing.T) {
				t.Parallel()
				got := read(t, impatient(2).with(test.provider), source, reading(source, test.baseURL).with(test.arguments))
				want := expected{at: argument, summary: test.summary}
				for _, part := range test.says {
					if !strings.Contains(part, "that base_url") { // which is the provider's
						part = strings.ReplaceAll(part, "base_url", argument)
					}
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

func TestAdviceNamesTheProxyThatWasUsed(t *testing.T) {
	instance := instancetest.New(t)
	forwarding := instancetest.NewProxy(t, instancetest.WithProxyTarget(instance))
	refusing := func(status int) string { return instancetest.NewProxy(t, instancetest.WithProxyRefusal(status)).URL() }
	secret := func(address string) string { return "http://me:hunter2@" + address }
	const plain, secure = "http://" + instancetest.ProxiedHost, "https://" + instancetest.ProxiedHost
	const noProxy = "Instance not reachable through the proxy"
	tests := map[string]struct {
		proxy, baseURL, summary string
		says                    []string
	}{
		"works":                   {forwarding.URL(), plain, "", nil},
		"refuses, plain HTTP":     {refusing(403), plain, "Instance answered with status 403", []string{"the proxy in HTTP_PROXY: check that proxy too, or exclude the host with NO_PROXY"}},
		"credentials, plain HTTP": {refusing(407), plain, "Instance answered with status 407", []string{"put them into the URL in HTTP_PROXY or HTTPS_PROXY"}},
		"refuses, TLS":            {refusing(403), secure, noProxy, []string{"refused to connect to the instance: status 403 Forbidden", "HTTP_PROXY, HTTPS_PROXY and NO_PROXY"}},
		"credentials, TLS":        {refusing(407), secure, noProxy, []string{"status 407", "put them into the URL in HTTP_PROXY or HTTPS_PROXY"}},
		"not there":               {secret(instancetest.ReserveAddress(t)), plain, noProxy, []string{"the proxy could not be reached: connection refused", "HTTP_PROXY"}},
		"not a URL":               {secret("%zz"), secure, noProxy, []string{"the proxy URL in the environment variable HTTPS_PROXY is not valid"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HTTP_PROXY", test.proxy)
			t.Setenv("HTTPS_PROXY", test.proxy)
			got := read(t, oneAttempt(), instanceName, args{"base_url": test.baseURL})
			if test.summary == "" {
				got.must(t)
				return
			}
			got.told.must(t, expected{at: "base_url", summary: test.summary, says: test.says})
			mustBeClean(t, got.told[0].Detail)
			mustNotSay(t, got.told.String(), "hunter2")
			if test.summary == noProxy {
				mustNotSay(t, got.told.String(), "went through", wait)
			}
		})
	}
}

func TestSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no such host": "No such host.", "No such host.": "No such host.", "étrange": "Étrange.", "2 faults": "2 faults.", "cut short…": "Cut short…",
	} {
		mustEqual(t, text, sentence(text), want)
	}
}

func TestFormatDuration(t *testing.T) {
	t.Parallel()
	for want, duration := range map[string]time.Duration{
		"500ms": 500 * time.Millisecond, "1s": time.Second, "1m": time.Minute, "1m30s": 90 * time.Second, "10m": 10 * time.Minute,
		"1h": time.Hour, "1h10m": 70 * time.Minute, "1h0m5s": time.Hour + 5*time.Second, "20h": 20 * time.Hour, "1.5s": 1500 * time.Millisecond,
	} {
		mustEqual(t, want, formatDuration(duration), want)
	}
}
