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
	const head = "HTTP/1.1 200 OK\r\nConnection: close\r\n"
	badChunk := instancetest.New(t, instancetest.WithDefault(
		instancetest.Verbatim(head+"Transfer-Encoding: chunked\r\n\r\nxyz\r\n", instancetest.CloseConnection()))).URL()
	halfABody := instancetest.New(t, instancetest.WithDefault(
		instancetest.Verbatim(head+"Content-Length: 100\r\n\r\n{", instancetest.CloseConnection()))).URL()

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
		"bad chunk": {
			baseURL: badChunk,
			summary: "Response of the instance is not valid HTTP",
			has:     []string{"It answered HTTP: check what the proxy"},
			lacks:   []string{"the port on which"},
		},
		"half a body": {
			baseURL: halfABody,
			summary: "Connection to the instance broke",
			has:     []string{"why it closed the connection."},
			lacks:   []string{"expects TLS"},
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
