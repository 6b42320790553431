package provider

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestProviderWarnings(t *testing.T) {
	t.Parallel()
	text, yes := types.StringValue, types.BoolValue(true)
	baseURL, token := text("https://files.example.org"), mapOf(map[string]string{"X-Token": "hunter2"})
	const (
		noHeaders = "Warning: Request headers without an instance to send them to\nThe provider's request_headers are sent only to the origin of its own base_url."
		noConnect = "Warning at connect_to: connect_to without a base URL\n"
		insecure  = "Warning at insecure: Certificates are not verified"
	)
	tests := map[string]struct {
		config providerModel
		want   []string // parts of the diagnostics, one each
	}{
		"nothing":                         {},
		"headers":                         {providerModel{BaseURL: baseURL, RequestHeaders: token}, nil},
		"headers, no base URL":            {providerModel{RequestHeaders: token}, []string{noHeaders}},
		"headers, base URL unknown":       {providerModel{BaseURL: types.StringUnknown(), RequestHeaders: token}, nil},
		"empty headers, no base URL":      {providerModel{RequestHeaders: mapOf(map[string]string{})}, nil},
		"connect_to":                      {providerModel{BaseURL: baseURL, ConnectTo: text("127.0.0.1:1")}, nil},
		"connect_to, no base URL":         {providerModel{ConnectTo: text("127.0.0.1:1")}, []string{noConnect}},
		"connect_to, base URL unknown":    {providerModel{BaseURL: types.StringUnknown(), ConnectTo: text("127.0.0.1:1")}, nil},
		"insecure":                        {providerModel{BaseURL: baseURL, Insecure: yes}, []string{insecure + ": https://files.example.org\n"}},
		"insecure and headers":            {providerModel{RequestHeaders: token, Insecure: yes}, []string{noHeaders, insecure + "\n"}},
		"not insecure":                    {providerModel{Insecure: types.BoolValue(false)}, nil},
		"insecure unknown":                {providerModel{Insecure: types.BoolUnknown()}, nil},
		"connect_to, unknown until apply": {providerModel{BaseURL: baseURL, ConnectTo: text("me:hunter2@h")}, []string{"Error: Invalid connect_to\nconnect_to is not a host and a port"}},
		"key unknown":                     {providerModel{ClientCertPEM: text("hunter2"), ClientKeyPEM: types.StringUnknown()}, nil},
		"certificate unknown":             {providerModel{ClientCertPEM: types.StringUnknown(), ClientKeyPEM: text("hunter2")}, nil},
		"key, unknown until apply": {
			providerModel{ClientCertPEM: text("hunter2"), ClientKeyPEM: text("hunter2")}, []string{"Error: Invalid TLS configuration\n"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := providerDataFor(t, test.config, retryModel{})
			if len(diags) != len(test.want) {
				t.Errorf("%d diagnostics, want %d:\n%s", len(diags), len(test.want), textOf(diags))
			}
			requireTexts(t, textOf(diags), test.want...)
			requireNoTexts(t, textOf(diags), "hunter2")
		})
	}
}

// The URL of a data source comes before that of the provider, and that before the environment variable.
func TestBaseURLFor(t *testing.T) {
	text, null := types.StringValue, types.StringNull()
	tests := map[string]struct {
		variable      string
		provider, own types.String
		want          string
	}{
		"variable":                 {"https://a/", null, null, "https://a/"},
		"provider's argument wins": {"https://a", text("https://b"), null, "https://b"},
		"own wins":                 {"https://a", text("https://b"), text("https://c"), "https://c"},
		"empty variable":           {"", text("https://b"), null, "https://b"},
		"unknown":                  {"https://a", types.StringUnknown(), null, ""}, // the read is deferred, or refused
		"bad variable, not used":   {"nope", null, text("https://c"), "https://c"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("FILETRANSFER_BASE_URL", test.variable)
			got, err := newTestData(t, providerModel{BaseURL: test.provider}, retryModel{}).baseURLFor(test.own)
			requireNoDiagnostics(t, one(err))
			if got.Written != test.want {
				t.Errorf("the base URL is %q, want %q", got.Written, test.want)
			}
		})
	}
}

// The errors are about the environment variable, or own, the URL of a data source that was not known before.
func TestBaseURLForErrors(t *testing.T) {
	const secret = "https://me:hunter2@files.example.org"
	text, null := types.StringValue, types.StringNull()
	tests := map[string]struct {
		variable string
		own      types.String
		want     string // the beginning of the error
	}{
		"none": {"", null, "Error: No instance to read\nbase_url is set neither here nor in the provider block, and the environment variable " +
			"FILETRANSFER_BASE_URL is not set.\n\nSet one of them."},
		"own":                    {"", text("https://h\n"), "Error at base_url: Invalid base URL\nbase_url has a control character"},
		"own, with a secret":     {"", text(secret), "Error: Invalid base URL\nbase_url has user info"},
		"variable with a secret": {secret, null, "Error: Invalid base URL\nThe environment variable FILETRANSFER_BASE_URL has user info"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("FILETRANSFER_BASE_URL", test.variable)
			config := providerModel{RequestHeaders: mapOf(map[string]string{"X-Token": "a"})}
			data, warnings := providerDataFor(t, config, retryModel{})
			if unused := len(warnings) > 0; unused != (test.variable == "") { // also an invalid variable is one
				t.Errorf("there is a warning about unused headers: %t", unused)
			}
			_, err := data.baseURLFor(test.own)
			if got := textOf(one(err)); !strings.HasPrefix(got, test.want) || strings.Contains(got, "hunter2") {
				t.Errorf("the error is\n%s\n\nwant\n%s", got, test.want)
			}
		})
	}
	t.Setenv("FILETRANSFER_BASE_URL", "https://h\n")
	_, err := newTestData(t, providerModel{}, retryModel{}).baseURLFor(null)
	requireTexts(t, textOf(one(err)), "such as a line break at its end. Remove it.\n\n") // without trimspace(), which is for a configuration
}

func TestWithHeaders(t *testing.T) {
	t.Parallel()
	data := newTestData(t, providerModel{
		BaseURL: types.StringValue("https://files.example.org/some/path"), RequestHeaders: mapOf(map[string]string{"x-token": "a", "X-More": "b"}),
	}, retryModel{})
	tests := map[string]struct {
		baseURL   string
		own, want http.Header
	}{
		"provider's":            {"https://files.example.org/other", nil, http.Header{"X-Token": {"a"}, "X-More": {"b"}}},
		"other spelling":        {"HTTPS://Files.Example.org:0443", nil, http.Header{"X-Token": {"a"}, "X-More": {"b"}}},
		"own win":               {"https://files.example.org", http.Header{"X-Token": {"c"}, "X-Own": {"d"}}, http.Header{"X-Token": {"c"}, "X-More": {"b"}, "X-Own": {"d"}}},
		"own empty value wins":  {"https://files.example.org", http.Header{"X-Token": {""}}, http.Header{"X-Token": {""}, "X-More": {"b"}}},
		"other port":            {"https://files.example.org:8443", http.Header{"X-Own": {"d"}}, http.Header{"X-Own": {"d"}}},
		"other scheme":          {"http://files.example.org", nil, nil},
		"host with another end": {"https://files.example.org.evil.example", nil, nil},
	}
	for name, test := range tests {
		baseURL, err := address.ParseBaseURL(test.baseURL)
		if err != nil {
			t.Fatal(err)
		}
		got := data.withHeaders(client.Request{BaseURL: baseURL, Headers: test.own}).Headers
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: the headers differ, want (-), got (+):\n%s", name, diff)
		}
	}
	if len(data.headers) != 2 {
		t.Errorf("the provider's headers became %v", data.headers)
	}
}

// TestCheckKnownArguments shows which unknown arguments a read with its own base URL needs: all but base_url, which it needs to know
// where headers and connect_to apply.
func TestCheckKnownArguments(t *testing.T) {
	t.Parallel()
	unknown, text, unknownMap := types.StringUnknown(), types.StringValue, types.MapUnknown(types.StringType)
	oneUnknown := types.MapValueMust(types.StringType, map[string]attr.Value{"X-A": text("a"), "X-B": unknown})
	tests := map[string]struct {
		config providerModel
		want   []string
	}{
		"nothing":                  {providerModel{}, nil},
		"base_url":                 {providerModel{BaseURL: unknown}, nil},
		"base_url, no headers":     {providerModel{BaseURL: unknown, RequestHeaders: mapOf(map[string]string{})}, nil},
		"base_url, headers":        {providerModel{BaseURL: unknown, RequestHeaders: mapOf(map[string]string{"X-Token": "a"})}, []string{"base_url"}},
		"base_url, and headers":    {providerModel{BaseURL: unknown, RequestHeaders: unknownMap}, []string{"base_url", "request_headers"}},
		"base_url, connect_to":     {providerModel{BaseURL: unknown, ConnectTo: text("127.0.0.1:1")}, []string{"base_url"}},
		"base_url, and connect_to": {providerModel{BaseURL: unknown, ConnectTo: unknown}, []string{"base_url", "connect_to"}},
		"base_url, and insecure":   {providerModel{BaseURL: unknown, Insecure: types.BoolUnknown()}, []string{"insecure"}},
		"one header":               {providerModel{BaseURL: text("https://h"), RequestHeaders: oneUnknown}, []string{"request_headers"}},
		"everything": {
			providerModel{unknown, unknownMap, unknown, types.Object{}, unknown, unknown, unknown, unknown, types.BoolUnknown()},
			[]string{"base_url", "ca_cert_pem", "client_cert_pem", "client_key_pem", "connect_to", "insecure", "request_headers", "request_timeout"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireUnknown(t, newTestData(t, test.config, retryModel{}), true, test.want)
		})
	}
	requireUnknown(t, newTestData(t, providerModel{BaseURL: unknown}, retryModel{}), false, []string{"base_url"}) // it reads the provider's
	requireUnknown(t, newTestData(t, providerModel{}, retryModel{types.NumberUnknown(), unknown, unknown}), true,
		[]string{"retry.max_attempts", "retry.max_delay", "retry.min_delay"})
}

// requireUnknown checks that a read is deferred or refused because of these arguments, or neither if there are none.
func requireUnknown(t *testing.T, data *providerData, ownBaseURL bool, want []string) {
	t.Helper()
	if deferred, err := data.checkKnownArguments(ownBaseURL, true, ""); deferred != (want != nil) || err != nil {
		t.Errorf("if that is allowed, the read is deferred: %t, and the error is %v; want %q to defer it", deferred, err, want)
	}
	deferred, err := data.checkKnownArguments(ownBaseURL, false, ", or something else")
	if deferred {
		t.Error("the read is deferred although that is not allowed")
	}
	if want == nil {
		requireNoDiagnostics(t, one(err))
		return
	}
	requireDiagnostic(t, one(err), "Error: Provider configuration not known yet",
		"known only after apply:\n  - "+strings.Join(want, "\n  - ")+"\n\nGive them values", "-target=...), or something else.\n")
}

// If arguments of the provider that they need are unknown, data sources defer their read, or fail.
func TestDataSourcesDefer(t *testing.T) {
	t.Parallel()
	data := dataSource{newTestData(t, providerModel{RequestTimeout: types.StringUnknown()}, retryModel{})}
	instance, instances := nullModel[instanceModel](t, instanceState()), nullModel[instancesModel](t, instancesState())
	// To defer a read for which there is nothing to read would only put the error off.
	nothing := readDataSource(t.Context(), t, &instanceDataSource{data}, instanceState(), &instance, true)
	requireDiagnostic(t, nothing.Diagnostics, "Error: No instance to read")

	instance.BaseURL, instances.BaseURLs = types.StringValue("http://h.invalid"), mapOf(map[string]string{"a": "http://h.invalid"})
	instances.AllowFailures = types.BoolValue(true)
	read := func(deferralAllowed bool) map[string]datasource.ReadResponse {
		return map[string]datasource.ReadResponse{
			"instance":  readDataSource(t.Context(), t, &instanceDataSource{data}, instanceState(), &instance, deferralAllowed),
			"instances": readDataSource(t.Context(), t, &instancesDataSource{data}, instancesState(), &instances, deferralAllowed),
		}
	}
	for _, refused := range read(false) {
		requireDiagnostic(t, refused.Diagnostics, "Error: Provider configuration not known yet", "\n  - request_timeout\n\n", "depends_on")
	}
	for name, deferred := range read(true) {
		requireNoDiagnostics(t, deferred.Diagnostics)
		if deferred.Deferred == nil || deferred.Deferred.Reason != datasource.DeferredReasonProviderConfigUnknown || deferred.State.Raw.IsKnown() {
			t.Errorf("%s: deferred is %v, and the state %s, want an unknown state", name, deferred.Deferred, deferred.State.Raw)
		}
	}
}

// Both data sources and the record go to connect_to with the provider's headers. The data sources keep their arguments, and have every
// value.
func TestReadsUseTheProviderBlock(t *testing.T) {
	t.Parallel()
	const baseURL = "http://" + instancetest.ProxiedHost + "/" // which resolves nowhere, and stays as it is written
	server := instancetest.New(t)
	data := newTestData(t, providerModel{
		BaseURL: types.StringValue(baseURL), ConnectTo: types.StringValue(server.Address()), RequestHeaders: mapOf(map[string]string{"X-Token": "a"}),
	}, retryModel{})
	arguments := readModel{mapOf(map[string]string{"x-own": "b"}), types.BoolValue(false), readTimeouts(types.StringValue("30s"))}
	state, diags := readInstance(t.Context(), t, data, func(model *instanceModel) { model.readModel = arguments })
	requireNoDiagnostics(t, diags)
	want := instanceModel{
		types.StringValue(baseURL), types.StringValue(instancetest.Newer().JSON()), arguments, detailsOf(t, instancetest.Newer()),
	}
	if diff := cmp.Diff(want, state, cmp.AllowUnexported(instanceModel{})); diff != "" {
		t.Errorf("filetransfer_instance differs, want (-), got (+):\n%s", diff)
	}
	fleet, diags := readInstances(t.Context(), t, data, map[string]string{"a": baseURL}, func(model *instancesModel) {
		model.MaxConcurrency, model.AllowFailures, model.readModel = numberOf(3), types.BoolValue(true), arguments
	})
	requireNoDiagnostics(t, diags)
	values := want.values()
	values["base_url"] = want.BaseURL
	wantFleet := instancesModel{
		mapOf(map[string]string{"a": baseURL}), numberOf(3), types.BoolValue(true), types.MapValueMust(listedInstanceType, map[string]attr.Value{
			"a": types.ObjectValueMust(listedInstanceType.AttrTypes, values),
		}), mapOf(map[string]string{}), arguments,
	}
	if diff := cmp.Diff(wantFleet, fleet, cmp.AllowUnexported(instancesModel{})); diff != "" {
		t.Errorf("filetransfer_instances differs, want (-), got (+):\n%s", diff)
	}
	_, diags = refreshRecordModel(t.Context(), t, data, newRecord(t, baseURL))
	requireNoDiagnostics(t, diags)

	always := http.Header{
		"Accept": {"application/json"}, "Accept-Encoding": {"gzip"}, "Cache-Control": {"no-cache"},
		"User-Agent": {"terraform-provider-filetransfer/1.2.3 Terraform/1.11.4"}, "X-Token": {"a"},
	}
	requests := server.Requests()
	if len(requests) != 3 {
		t.Fatalf("%d requests, want 3", len(requests))
	}
	for i, request := range requests {
		want := always.Clone()
		if i < 2 { // of the data sources
			want.Set("X-Own", "b")
		}
		if diff := cmp.Diff(want, request.Header); diff != "" || request.Host != instancetest.ProxiedHost {
			t.Errorf("request %d to host %q, its headers, want (-), got (+):\n%s", i, request.Host, diff)
		}
	}
}

// The client's tests show what each does.
func TestProviderArgumentsApply(t *testing.T) {
	t.Parallel()
	secure, mutual := instancetest.New(t, instancetest.WithTLS()), instancetest.New(t, instancetest.WithClientCertificate())
	selfSigned := instancetest.New(t, instancetest.WithCertificate(instancetest.CertificateSelfSigned))
	silent := instancetest.New(t, instancetest.WithDefault(instancetest.Silent()))
	text := types.StringValue
	ca, cert, key := text(secure.CACertPEM()), text(secure.ClientCertPEM()), text(secure.ClientKeyPEM())
	tests := map[string]struct {
		config    providerModel
		baseURL   string
		wantError string // a part, "" for none
	}{
		"ca_cert_pem":        {providerModel{CACertPEM: ca}, secure.URL(), ""},
		"no ca_cert_pem":     {providerModel{}, secure.URL(), "Error at base_url: Certificate of the instance not trusted"},
		"another CA":         {providerModel{CACertPEM: cert}, selfSigned.URL(), "add to ca_cert_pem the certificate itself."},
		"insecure":           {providerModel{Insecure: types.BoolValue(true)}, selfSigned.URL(), ""},
		"client certificate": {providerModel{CACertPEM: ca, ClientCertPEM: cert, ClientKeyPEM: key}, mutual.URL(), ""},
		"request_timeout":    {providerModel{RequestTimeout: text("200ms")}, silent.URL(), "request_timeout (200ms), ran out."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, _ := providerDataFor(t, test.config, impatient(1))
			_, diags := readInstance(t.Context(), t, data, func(model *instanceModel) { model.BaseURL = text(test.baseURL) })
			if test.wantError == "" {
				requireNoDiagnostics(t, diags)
			}
			requireTexts(t, textOf(diags), test.wantError)
		})
	}
}

// A wait does not wait for the variable to change, and the message names it as it is set.
func TestFaultOfAProxyVariable(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://proxy.invalid")
	t.Setenv("http_proxy", "http://me:hunter2@%zz") // comes before the other one; both are one variable on Windows
	_, diags := readInstance(t.Context(), t, newTestData(t, providerModel{}, impatient(1)), func(model *instanceModel) {
		model.BaseURL, model.WaitUntilReady = types.StringValue("http://"+instancetest.ProxiedHost), types.BoolValue(true)
	})
	requireDiagnostic(t, diags, "Error at base_url: Instance not reachable through the proxy", "http_proxy is not valid",
		"Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY")
	requireNoTexts(t, textOf(diags), "timeouts.read", "wait_until_ready", "hunter2")
}
