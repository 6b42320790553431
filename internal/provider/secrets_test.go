package provider

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// echo answers with the headers X-Token and X-Own in the place of "ECHO".
func echo(status int, text string) instancetest.Step {
	return instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.Replace(text, "ECHO", r.Header.Get("X-Token")+" "+r.Header.Get("X-Own"), 1))
	})
}

// An instance repeats the headers of the provider and of the data source. The client's tests have every place where it can.
func TestSecretsAreInNoDiagnosticAndNoLog(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	warned := instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{instancetest.OlderEntry("ECHO", 1)}).JSON()
	data := newTestData(t, providerModel{
		BaseURL: types.StringValue(server.URL()), RequestHeaders: mapOf(map[string]string{"X-Token": "hunter2-token"}),
	}, retryModel{})
	own := mapOf(map[string]string{"X-Own": "hunter2 own"})
	var log bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &log) // at TRACE
	reads := map[string]func() string{
		"instance": func() string {
			_, diags := readInstance(ctx, t, data, func(model *instanceModel) { model.RequestHeaders = own })
			return textOf(diags)
		},
		"fleet": func() string {
			_, diags := readInstances(ctx, t, data, map[string]string{"a": server.URL()}, func(model *instancesModel) { model.RequestHeaders = own })
			return textOf(diags)
		},
	}
	for name, read := range reads {
		server.SetDefault(echo(200, warned))
		warning := read()
		requireTexts(t, warning, "Expiry options shorter than a minute", `("(redacted) (redacted)"): 1`)
		server.SetDefault(echo(403, `{"message": "you sent ECHO"}`))
		failure := read()
		requireTexts(t, failure, "status 403", "you sent (redacted)")
		requireNoTexts(t, warning+failure, "hunter2")
		requests := server.Requests()
		if sent := requests[len(requests)-1].Header; sent.Get("X-Token") != "hunter2-token" || sent.Get("X-Own") != "hunter2 own" {
			t.Errorf("%s: X-Token is %q and X-Own is %q, want both headers", name, sent.Get("X-Token"), sent.Get("X-Own"))
		}
	}
	requireTexts(t, log.String(), "Read the instance", "Could not read the instance")
	requireNoTexts(t, log.String(), "hunter2")
}

// The block retry applies, and User-Agent says which versions of the provider and of Terraform ask. An error about the provider's
// instance is at no attribute of the data source.
func TestConfigure(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Status(503)))
	config := nullModel[providerModel](t, providerState())
	var diags diag.Diagnostics
	config.BaseURL = types.StringValue(server.URL())
	config.Retry, diags = types.ObjectValueFrom(t.Context(), config.Retry.AttributeTypes(t.Context()), impatient(2))
	requireNoDiagnostics(t, diags)
	var resp provider.ConfigureResponse
	(&filetransferProvider{version: "1.2.3"}).Configure(t.Context(), provider.ConfigureRequest{
		TerraformVersion: "1.11.4", Config: tfsdk.Config(withModel(t, providerState(), &config)),
	}, &resp)
	requireNoDiagnostics(t, resp.Diagnostics)
	_, diags = readInstance(t.Context(), t, resp.DataSourceData.(*providerData), func(*instanceModel) {})
	requireDiagnostic(t, diags, "Error: Instance answered with status 503", "\n\n2 attempts were made.")
	if got, want := server.Requests()[0].Header.Get("User-Agent"), "terraform-provider-filetransfer/1.2.3 Terraform/1.11.4"; got != want {
		t.Errorf("User-Agent is %q, want %q", got, want)
	}
	if resp.ResourceData != resp.DataSourceData {
		t.Errorf("the record gets %v, want what the data sources get", resp.ResourceData)
	}
}
