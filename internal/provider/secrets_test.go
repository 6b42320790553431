package provider_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// echo answers with the values of the headers X-Token and X-Own.
func echo(status int, contentType, before, after string) instancetest.Step {
	return instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, before+r.Header.Get("X-Token")+" "+r.Header.Get("X-Own")+after)
	})
}

// The client's tests show that no secret is printed, wherever a server repeats it. This shows that the client knows every argument that
// is a secret, and that the framework, which logs at TRACE, logs none.
func TestSecretsAreInNoDiagnosticAndNoLog(t *testing.T) {
	t.Parallel()
	// The secrets are in a label, of which there is a warning.
	before, after, _ := strings.Cut(instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{
		instancetest.OlderEntry("\x1b|", 1),
	}).JSON(), "|")

	tests := map[string]struct {
		name   string
		config func(baseURL string) object
		own    string // what X-Own is sent as
	}{
		"instance": {instanceName, func(baseURL string) object {
			return object{"base_url": baseURL, "request_headers": object{"X-Own": "hunter2 own"}}
		}, "hunter2 own"},
		"fleet": {instancesName, func(baseURL string) object {
			return object{"base_urls": object{"it": baseURL}, "request_headers": object{"X-Own": "hunter2 own"}}
		}, "hunter2 own"},
		"record": {recordName, func(baseURL string) object { return object{"base_url": baseURL} }, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t, instancetest.WithClientCertificate())
			ctx, log := captureLog(t.Context())
			providerConfig := object{
				"base_url": instance.URL(), "request_headers": object{"X-Token": "hunter2-token"}, "ca_cert_pem": instance.CACertPEM(),
				"client_cert_pem": instance.ClientCertPEM(), "client_key_pem": instance.ClientKeyPEM(),
			}
			validate(ctx, t, providerBlock, providerConfig).require(t)
			p, _ := configure(ctx, t, providerConfig)
			config := test.config(instance.URL())
			readAgain := func() string { return p.read(ctx, t, test.name, config).diagnostics.String() }
			if test.name == recordName {
				created := p.apply(t, result{}, config)
				readAgain = func() string { return p.refresh(ctx, t, created).diagnostics.String() }
			}

			instance.SetDefault(echo(200, "application/json", before, after))
			warning := readAgain()
			assertContains(t, warning, "Expiry options shorter than a minute", "(redacted)")
			instance.SetDefault(echo(403, "text/plain", "you sent ", ""))
			failure := readAgain()
			assertContains(t, failure, "status 403", "you sent (redacted)")

			assertContains(t, log.String(), "Calling provider defined", "Read the instance", "Could not read the instance")
			assertNotContains(t, warning+failure+log.String(), "hunter2", strings.Split(instance.ClientKeyPEM(), "\n")[1])
			assertNotContains(t, warning+failure, "\x1b")
			sent := instance.Requests()[1].Header
			assertEqual(t, "X-Token", sent.Get("X-Token"), "hunter2-token")
			assertEqual(t, "X-Own", sent.Get("X-Own"), test.own)
		})
	}
}
