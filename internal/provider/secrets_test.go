package provider

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

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

// TestSecretsAreInNoDiagnosticAndNoLog shows that the client, whose tests show that no secret is printed, knows every argument that is a
// secret, and that the framework, which logs at TRACE, logs none.
func TestSecretsAreInNoDiagnosticAndNoLog(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithClientCertificate())
	config := func(format string, texts ...any) *tfprotov6.DynamicValue {
		for i, text := range texts {
			texts[i] = inJSON(text.(string))
		}
		return &tfprotov6.DynamicValue{JSON: fmt.Appendf(nil, format, texts...)}
	}
	providerBlock := config(`{"base_url": %s, "request_headers": {"X-Token": "hunter2-token"}, "ca_cert_pem": %s, "client_cert_pem": %s, "client_key_pem": %s}`,
		instance.URL(), instance.CACertPEM(), instance.ClientCertPEM(), instance.ClientKeyPEM())
	ctx, log := captureLog(t.Context())
	server, _ := newServer(t)
	validated, err := server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: providerBlock})
	if err != nil || len(validated.Diagnostics) > 0 {
		t.Fatalf("%v\n%s", err, protocolText(validated.Diagnostics))
	}
	if _, err = server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: providerBlock, TerraformVersion: "1.11.4"}); err != nil {
		t.Fatal(err)
	}

	readDataSource := func(name string, config *tfprotov6.DynamicValue) string {
		resp, err := server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: config})
		if err != nil {
			t.Fatal(err)
		}
		return protocolText(resp.Diagnostics)
	}
	reads := map[string]func() string{
		"hunter2 own": func() string {
			return readDataSource("filetransfer_instance", config(`{"base_url": %s, "request_headers": {"X-Own": "hunter2 own"}}`, instance.URL()))
		},
		"hunter2 fleet": func() string {
			return readDataSource("filetransfer_instances", config(`{"base_urls": {"a": %s}, "request_headers": {"X-Own": "hunter2 fleet"}}`, instance.URL()))
		},
	}
	before, after, _ := strings.Cut(instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{
		instancetest.OlderEntry("\x1b|", 1), // a label, of which there is a warning
	}).JSON(), "|")
	for ownHeader, read := range reads {
		instance.SetDefault(echo(200, "application/json", before, after))
		warning := read()
		requireTexts(t, warning, "Expiry options shorter than a minute", "(redacted)")
		instance.SetDefault(echo(403, "text/plain", "you sent ", ""))
		failure := read()
		requireTexts(t, failure, "status 403", "you sent (redacted)")
		requireNoTexts(t, warning+failure, "hunter2", "\x1b")
		requests := instance.Requests()
		if sent := requests[len(requests)-1].Header; sent.Get("X-Token") != "hunter2-token" || sent.Get("X-Own") != ownHeader {
			t.Errorf("X-Token is %q and X-Own %q, want %q", sent.Get("X-Token"), sent.Get("X-Own"), ownHeader)
		}
		if got := requests[0].Header.Get("User-Agent"); got != "terraform-provider-filetransfer/1.2.3 Terraform/1.11.4" {
			t.Errorf("User-Agent is %q", got)
		}
	}
	requireTexts(t, log.String(), "Calling provider defined", "Read the instance", "Could not read the instance")
	requireNoTexts(t, log.String(), "hunter2", strings.Split(instance.ClientKeyPEM(), "\n")[1])
}
