package provider_test

import (
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestAdviceFitsTheSituation reads each instance alone and in a fleet. TestWordsAboutAFailure has the words; this shows that what the
// client finds out, and what is configured, arrives in them.
func TestAdviceFitsTheSituation(t *testing.T) {
	t.Parallel()
	unauthorized := instancetest.New(t, instancetest.WithDefault(instancetest.Status(401))).URL()
	unavailable := instancetest.New(t, instancetest.WithDefault(instancetest.Status(503))).URL()
	silent := instancetest.New(t, instancetest.WithDefault(instancetest.Silent())).URL()

	tests := map[string]struct {
		baseURL                string
		providerConfig, config object
		summary                string
		has, lacks             []string // the detail
	}{
		"provider's headers sent": {
			baseURL:        unauthorized,
			providerConfig: object{"base_url": unauthorized + "/other", "request_headers": object{"X-Token": "hunter2"}},
			summary:        "Instance answered with status 401",
			has:            []string{"request_headers were sent, and refused"},
			lacks:          []string{"send them with"},
		},
		"provider's headers withheld": {
			baseURL:        unauthorized,
			providerConfig: object{"base_url": silent, "request_headers": object{"X-Token": "hunter2"}},
			summary:        "Instance answered with status 401",
			has: []string{
				"The provider's request_headers were not sent",
				"own base_url, which is not this instance's. Set the provider's base_url to this instance, or set request_headers on the data source",
			},
			lacks: []string{"send them with"},
		},
		"no time left": {
			baseURL: silent,
			config:  object{"timeouts": object{"read": "250ms"}},
			summary: "Instance did not answer in time",
			has:     []string{"The time for the whole read, timeouts.read (250ms), ran out.", "raise timeouts.read"},
			lacks:   []string{"request_timeout", "max_concurrency"},
		},
		"not ready in time": { // the last failure, not the end of the time
			baseURL: unavailable,
			config:  object{"wait_until_ready": true, "timeouts": object{"read": "300ms"}},
			summary: "Instance answered with status 503",
			has: []string{
				"GET " + unavailable + "/instance: status 503", "attempts were made.", "The wait ended: timeouts.read is 300ms.",
				"If the instance needs longer to start, raise timeouts.read.",
			},
			lacks: []string{"set wait_until_ready"},
		},
	}
	for name, test := range tests {
		providerConfig := shortRetries(2).with(test.providerConfig)
		t.Run(name+"/one", func(t *testing.T) {
			t.Parallel()
			got := read(t, providerConfig, instanceName, test.config.with(object{"base_url": test.baseURL})).diagnostics
			got.require(t, errorAt("base_url", test.summary, test.has...))
			assertNotContains(t, got.String(), append(test.lacks, "hunter2")...)
		})
		t.Run(name+"/fleet", func(t *testing.T) {
			t.Parallel()
			got := read(t, providerConfig, instancesName, test.config.with(object{"base_urls": object{"it": test.baseURL}})).diagnostics
			got.require(t, errorAt(`base_urls["it"]`, test.summary, test.has...))
			assertNotContains(t, got.String(), append(test.lacks, "hunter2")...)
		})
	}
}

// TestErrorNamesWhatCame shows the whole way from the bytes of a response to the error.
func TestErrorNamesWhatCame(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nConnection: close\r\n"
	verbatim := func(response string) instancetest.Step {
		return instancetest.Verbatim(response, instancetest.CloseConnection())
	}
	utf16 := "\xff\xfe" + strings.Join(strings.Split(instancetest.Newer().JSON(), ""), "\x00") + "\x00"
	tests := map[string]struct {
		step       instancetest.Step
		summary    string
		has, lacks []string
	}{
		"nothing": {
			instancetest.Body(200, "application/json", ""), "Response of the instance is not JSON",
			[]string{"the body is empty"}, []string{"web page"},
		},
		"text": {
			instancetest.Body(200, "text/plain", "It works!"), "Response of the instance is not JSON",
			[]string{"it begins with: It works!", "such as /api"}, []string{"web page"},
		},
		"HTML": {
			instancetest.Body(200, "text/html", "<title>Stend</title>"), "Response of the instance is not JSON",
			[]string{`the body is an HTML page titled "Stend", not JSON`, "not of its web page"}, nil,
		},
		"UTF-16": {
			instancetest.Body(200, "application/json", utf16), "Response of the instance is not JSON",
			[]string{"the body is text in UTF-16, but JSON must be in UTF-8"}, []string{"fileMaxSize"},
		},
		"encoding": {
			verbatim(head + "Content-Encoding: br\r\n\r\nabc"), "Response of the instance is not JSON",
			[]string{"an encoding that the provider did not ask for", `Content-Encoding "br"`, "It answered HTTP: check what the proxy"}, []string{"abc"},
		},
		"beginning of a document": {
			instancetest.Body(200, "application/json", instancetest.Newer().JSON()[:300]), "Response of the instance is not JSON",
			[]string{"the body is incomplete JSON", "…", "The document was cut short"}, []string{"web page"},
		},
		"error with status 200": {
			instancetest.Body(200, "application/json", `{"error":"Not Found","message":"Route GET:/x not found"}`), "Response is not an instance document",
			[]string{"an error instead of an instance document, although with status 200: Route GET:/x not found"}, []string{"fileMaxSize", "required, but missing"},
		},
		"bad chunk": {
			verbatim(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), "Response of the instance is not valid HTTP",
			[]string{"It answered HTTP: check what the proxy"}, []string{"the port on which"},
		},
		"head too large": {
			verbatim(head + "Set-Cookie: " + strings.Repeat("a", 20_000) + "\r\n\r\n"), "Response of the instance too large",
			[]string{"such as cookies"}, nil,
		},
		"body too large": {
			instancetest.EndlessBody(200, "{"), "Response of the instance too large",
			[]string{"less than a kilobyte"}, []string{"cookies"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			baseURL := instancetest.New(t, instancetest.WithDefault(test.step)).URL()
			got := read(t, shortRetries(1), instanceName, object{"base_url": baseURL}).diagnostics
			got.require(t, errorAt("base_url", test.summary, test.has...))
			assertNotContains(t, got.String(), append(test.lacks, "\x00")...)
		})
	}
}

// TestHeaderValuesDoNotRedactTheProvidersOwnWords uses values of headers that are words or numbers of messages. Only what a server wrote is
// redacted.
func TestHeaderValuesDoNotRedactTheProvidersOwnWords(t *testing.T) {
	t.Parallel()
	serving := func(step instancetest.Step) string { return instancetest.New(t, instancetest.WithDefault(step)).URL() }
	guarded := instancetest.New(t, instancetest.WithClientCertificate())
	largeHead := instancetest.Verbatim("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("a", 20_000)+"\r\n\r\n", instancetest.CloseConnection())
	tests := map[string]struct {
		baseURL string
		value   string // of a header
		want    diagnostic
	}{
		"broken connection": {
			serving(instancetest.Reset()), "server",
			errorAt("base_url", "Connection to the instance broke", "the server closed or reset the connection before it had answered"),
		},
		"no connection": {
			"http://" + instancetest.ReserveAddress(t), "connection",
			errorAt("base_url", "Instance not reachable", "connection refused"),
		},
		"refused handshake": {
			guarded.URL(), "certificate",
			errorAt("base_url", "TLS handshake with the instance failed", "certificate required"),
		},
		"large head": {
			serving(largeHead), "server",
			errorAt("base_url", "Response of the instance too large", "such as cookies"),
		},
		"text": {
			serving(instancetest.Body(200, "text/plain", "hello")), "body",
			errorAt("base_url", "Response of the instance is not JSON", "the body is not JSON"),
		},
		"document": {
			serving(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", "x"))), "not",
			errorAt("base_url", "Response is not an instance document", "the provider cannot read as an instance document", "fileMaxSize: expected an integer"),
		},
		"number in a document": {
			serving(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", -20000))), "20000",
			errorAt("base_url", "Response is not an instance document", "chunkSize: expected an integer from 0 to 9223372036854775807"),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, shortRetries(1).with(object{"ca_cert_pem": guarded.CACertPEM()}), instanceName,
				object{"base_url": test.baseURL, "request_headers": object{"X-Role": test.value}})
			got.diagnostics.require(t, test.want)
		})
	}
}

func TestErrorAboutTheProvidersInstanceIsOnNoAttribute(t *testing.T) {
	t.Parallel()
	baseURL := "http://" + instancetest.ReserveAddress(t)
	got := read(t, shortRetries(1).with(object{"base_url": baseURL}), instanceName, nil)
	got.diagnostics.require(t, errorAt("", "Instance not reachable", "GET "+baseURL+"/instance: connection refused"))
}
