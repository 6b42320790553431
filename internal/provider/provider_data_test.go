package provider

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestDefaults has every default as a user sees it. TestReadTimeout has those of the data sources.
func TestDefaults(t *testing.T) {
	t.Parallel()
	if got := newTestData(t, providerModel{}, retryModel{}).requestTimeout; got != 10*time.Second {
		t.Errorf("request_timeout is %s, want 10s", got)
	}
	if got, want := (retryModel{}).settings(), (client.Retry{MaxAttempts: 4, MinDelay: 500 * time.Millisecond, MaxDelay: 10 * time.Second}); got != want {
		t.Errorf("retry is %v, want %v", got, want)
	}
	if got := int64Or(types.NumberNull(), defaultMaxConcurrency); got != 32 {
		t.Errorf("max_concurrency is %d, want 32", got)
	}
	if defaultWaitTimeout != 10*time.Minute || defaultRefreshTimeout != 10*time.Second {
		t.Errorf("timeouts.create and timeouts.update are %s, want 10m, and timeouts.read of a record is %s, want 10s", defaultWaitTimeout, defaultRefreshTimeout)
	}
	_, schemas := newServer(t)
	for argument, want := range map[string]string{
		"provider request_timeout":                     "`\"10s\"`",
		"provider retry.max_attempts":                  "`4`",
		"provider retry.min_delay":                     "`\"500ms\"`",
		"provider retry.max_delay":                     "`\"10s\"`",
		"filetransfer_instance timeouts.read":          "`\"1m\"`, or `\"10m\"` with `wait_until_ready`",
		"filetransfer_instances timeouts.read":         "`\"1m\"`, or `\"10m\"` with `wait_until_ready`",
		"filetransfer_instances max_concurrency":       "`32`",
		"filetransfer_instance_record timeouts.create": "`\"10m\"`",
		"filetransfer_instance_record timeouts.read":   "`\"10s\"`",
		"filetransfer_instance_record timeouts.update": "`\"10m\"`",
	} {
		schema, name, _ := strings.Cut(argument, " ")
		if text := attributesOf("", schemaOf(schemas, schema).Block)[name].Description; !strings.HasSuffix(text, " Default: "+want+".") {
			t.Errorf("the description of %s does not end with the default %s: %s", argument, want, text)
		}
	}
}

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
		"key, unknown until apply": {
			providerModel{ClientCertPEM: text("hunter2"), ClientKeyPEM: text("hunter2")}, []string{"Error: Invalid TLS configuration\n"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := newProviderData(test.config, retryModel{}, "")
			if len(diags) != len(test.want) {
				t.Errorf("%d diagnostics, want %d:\n%s", len(diags), len(test.want), textOf(diags))
			}
			requireTexts(t, textOf(diags), test.want...)
			requireNoTexts(t, textOf(diags), "hunter2")
		})
	}
}

func TestBaseURLFor(t *testing.T) {
	const secret = "https://me:hunter2@files.example.org"
	text, null := types.StringValue, types.StringNull()
	tests := map[string]struct {
		variable      string // of the environment
		provider, own types.String
		want          string // the base URL, or the beginning of the error
		part          string // of its detail
	}{
		"variable":                   {"https://a/", null, null, "https://a/", ""},
		"provider's argument wins":   {"https://a", text("https://b"), null, "https://b", ""},
		"own wins":                   {"https://a", text("https://b"), text("https://c"), "https://c", ""},
		"empty variable":             {"", text("https://b"), null, "https://b", ""},
		"none":                       {"", null, null, "Error: No instance to read", "FILETRANSFER_BASE_URL is not set.\n\nSet one of them."},
		"unknown":                    {"https://a", types.StringUnknown(), null, "", ""}, // the read is deferred, or refused
		"own, unknown until apply":   {"", null, text("https://h\n"), "Error at base_url: Invalid base URL", "base_url has a control character"},
		"own, with a secret":         {"", null, text(secret), "Error: Invalid base URL", "base_url has user info"},
		"bad variable":               {secret, null, null, "Error: Invalid base URL", "The environment variable FILETRANSFER_BASE_URL has user info"},
		"bad variable, not used":     {secret, null, text("https://c"), "https://c", ""},
		"line break in the variable": {"https://h\n", null, null, "Error: Invalid base URL", "such as a line break at its end. Remove it.\n\n"}, // no trimspace()
		"variable not in UTF-8":      {"https://h/\xff", null, null, "Error: Invalid base URL", "The environment variable FILETRANSFER_BASE_URL is not valid UTF-8."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("FILETRANSFER_BASE_URL", test.variable)
			// Where there is a variable, valid or not, the headers are not unused.
			config := providerModel{BaseURL: test.provider}
			if test.variable != "" {
				config.RequestHeaders = mapOf(map[string]string{"X-Token": "a"})
			}
			got, diagnostic := newTestData(t, config, retryModel{}).baseURLFor(test.own)
			if diagnostic == nil {
				if got.Written != test.want {
					t.Errorf("the base URL is %q, want %q", got.Written, test.want)
				}
				return
			}
			requireDiagnostic(t, diag.Diagnostics{diagnostic}, test.want, test.part)
			requireNoTexts(t, diagnostic.Detail(), "hunter2")
		})
	}
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

// TestCheckKnownArguments shows which unknown arguments a read needs: base_url if it has no base URL of its own or if headers or
// connect_to are set, and any other argument always.
func TestCheckKnownArguments(t *testing.T) {
	t.Parallel()
	unknown, text := types.StringUnknown(), types.StringValue
	token := mapOf(map[string]string{"X-Token": "a"})
	oneUnknown := types.MapValueMust(types.StringType, map[string]attr.Value{"X-A": text("a"), "X-B": unknown})
	unknownMap := types.MapUnknown(types.StringType)
	block := types.ObjectUnknown(map[string]attr.Type{})
	tests := map[string]struct {
		config     providerModel
		retry      retryModel
		ofProvider bool // the read has no base URL of its own
		want       []string
	}{
		"base_url":                 {config: providerModel{BaseURL: unknown}},
		"base_url, of provider":    {config: providerModel{BaseURL: unknown}, ofProvider: true, want: []string{"base_url"}},
		"base_url, no headers":     {config: providerModel{BaseURL: unknown, RequestHeaders: mapOf(map[string]string{})}},
		"base_url, headers":        {config: providerModel{BaseURL: unknown, RequestHeaders: token}, want: []string{"base_url"}},
		"base_url, and headers":    {config: providerModel{BaseURL: unknown, RequestHeaders: unknownMap}, want: []string{"base_url", "request_headers"}},
		"base_url, connect_to":     {config: providerModel{BaseURL: unknown, ConnectTo: text("127.0.0.1:1")}, want: []string{"base_url"}},
		"base_url, and connect_to": {config: providerModel{BaseURL: unknown, ConnectTo: unknown}, want: []string{"base_url", "connect_to"}},
		"base_url, and insecure":   {config: providerModel{BaseURL: unknown, Insecure: types.BoolUnknown()}, want: []string{"insecure"}},
		"request_headers":          {config: providerModel{RequestHeaders: unknownMap}, want: []string{"request_headers"}},
		"one header":               {config: providerModel{BaseURL: text("https://h"), RequestHeaders: oneUnknown}, want: []string{"request_headers"}},
		"connect_to":               {config: providerModel{ConnectTo: unknown}, want: []string{"connect_to"}},
		"retry":                    {config: providerModel{Retry: block}, want: []string{"retry"}},
		"in retry": {
			retry: retryModel{types.NumberUnknown(), unknown, unknown}, want: []string{"retry.max_attempts", "retry.max_delay", "retry.min_delay"},
		},
		"everything": {
			config: providerModel{unknown, unknownMap, unknown, block, unknown, unknown, unknown, unknown, types.BoolUnknown()},
			want: []string{
				"base_url", "ca_cert_pem", "client_cert_pem", "client_key_pem", "connect_to", "insecure", "request_headers", "request_timeout", "retry",
			},
		},
		"nothing": {},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, diags := newProviderData(test.config, test.retry, "")
			if diags.HasError() {
				t.Fatal(textOf(diags))
			}
			if deferred, err := data.checkKnownArguments(!test.ofProvider, true, ""); deferred != (test.want != nil) || err != nil {
				t.Errorf("deferred: %t, error: %v", deferred, err)
			}
			deferred, err := data.checkKnownArguments(!test.ofProvider, false, ", or something else")
			switch {
			case deferred:
				t.Error("deferred, but the client does not allow it")
			case test.want == nil && err != nil:
				t.Error(err.Detail())
			case test.want != nil:
				requireDiagnostic(t, diag.Diagnostics{err}, "Error: Provider configuration not known yet",
					"known only after apply:\n  - "+strings.Join(test.want, "\n  - ")+"\n\nGive them values", "-target=...), or something else.\n")
			}
		})
	}
}

// TestDataSourcesDefer if arguments of the provider that they need are unknown, or fail.
func TestDataSourcesDefer(t *testing.T) {
	t.Parallel()
	data := newTestData(t, providerModel{RequestTimeout: types.StringUnknown()}, retryModel{})
	one, many := nullModel[instanceModel](t, instanceState()), nullModel[instancesModel](t, instancesState())
	one.BaseURL, many.BaseURLs = types.StringValue("http://h.invalid"), mapOf(map[string]string{"a": "http://h.invalid"})
	many.AllowFailures = types.BoolValue(true)
	reads := map[string]func(deferralAllowed bool) datasource.ReadResponse{
		"instance": func(deferralAllowed bool) datasource.ReadResponse {
			return readDataSource(t.Context(), t, &instanceDataSource{dataSource{data}}, instanceState(), &one, deferralAllowed)
		},
		"fleet": func(deferralAllowed bool) datasource.ReadResponse {
			return readDataSource(t.Context(), t, &instancesDataSource{dataSource{data}}, instancesState(), &many, deferralAllowed)
		},
	}
	for name, read := range reads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireDiagnostic(t, read(false).Diagnostics, "Error: Provider configuration not known yet", "\n  - request_timeout\n\n", "depends_on")
			deferred := read(true)
			requireNoDiagnostics(t, deferred.Diagnostics)
			if deferred.Deferred == nil || deferred.Deferred.Reason != datasource.DeferredReasonProviderConfigUnknown || deferred.State.Raw.IsKnown() {
				t.Errorf("deferred is %v, and the state %s", deferred.Deferred, deferred.State.Raw)
			}
		})
	}
	// To defer a read for which there is nothing to read would only put the error off.
	none := nullModel[instanceModel](t, instanceState())
	nothing := readDataSource(t.Context(), t, &instanceDataSource{dataSource{data}}, instanceState(), &none, true)
	requireDiagnostic(t, nothing.Diagnostics, "Error: No instance to read")
}

// TestReadsUseTheProviderBlock: both data sources and the record go to connect_to with the provider's headers, on one connection.
func TestReadsUseTheProviderBlock(t *testing.T) {
	t.Parallel()
	const baseURL = "http://" + instancetest.ProxiedHost // which resolves nowhere
	server := instancetest.New(t)
	data := newTestData(t, providerModel{
		BaseURL: types.StringValue(baseURL), ConnectTo: types.StringValue(server.Address()), RequestHeaders: mapOf(map[string]string{"X-Token": "a"}),
	}, retryModel{})
	state, diags := readInstance(t.Context(), t, data, func(model *instanceModel) { model.RequestHeaders = mapOf(map[string]string{"x-own": "b"}) })
	requireNoDiagnostics(t, diags)
	want := nullModel[instanceModel](t, instanceState())
	want.BaseURL, want.ResponseBody, want.RequestHeaders = types.StringValue(baseURL), types.StringValue(instancetest.Newer().JSON()), state.RequestHeaders
	want.detailsModel = detailsOf(t, instancetest.Newer())
	if diff := cmp.Diff(want, state, cmp.AllowUnexported(instanceModel{})); diff != "" {
		t.Errorf("filetransfer_instance differs, want (-), got (+):\n%s", diff)
	}
	_, diags = readInstances(t.Context(), t, data, map[string]string{"a": baseURL}, func(model *instancesModel) {
		model.RequestHeaders = mapOf(map[string]string{"x-own": "b"})
	})
	requireNoDiagnostics(t, diags)
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
	if got := server.Connections(); got != 1 {
		t.Errorf("%d connections, want 1", got)
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

// TestProviderArgumentsApply: the client's tests show what each does.
func TestProviderArgumentsApply(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t)
	text := types.StringValue
	ca, cert, key := text(material.CACertPEM()), text(material.ClientCertPEM()), text(material.ClientKeyPEM())
	failing, silent := instancetest.WithDefault(instancetest.Status(503)), instancetest.WithDefault(instancetest.Silent())
	selfSigned := instancetest.WithCertificate(instancetest.CertificateSelfSigned)
	tests := map[string]struct {
		config   providerModel
		retry    retryModel
		instance instancetest.Option
		part     string // of the error, "" for none
		requests int
	}{
		"max_attempts":       {providerModel{}, impatient(6), failing, "Instance answered with status 503", 6},
		"request_timeout":    {providerModel{RequestTimeout: text("1s")}, impatient(1), silent, "request_timeout (1s), ran out.", 1},
		"ca_cert_pem":        {providerModel{CACertPEM: ca}, retryModel{}, instancetest.WithTLS(), "", 1},
		"no ca_cert_pem":     {providerModel{}, retryModel{}, instancetest.WithTLS(), "Certificate of the instance not trusted", 0},
		"insecure":           {providerModel{Insecure: types.BoolValue(true)}, retryModel{}, selfSigned, "", 1},
		"client certificate": {providerModel{CACertPEM: ca, ClientCertPEM: cert, ClientKeyPEM: key}, retryModel{}, instancetest.WithClientCertificate(), "", 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, test.instance)
			data, _ := newProviderData(test.config, test.retry, "")
			_, diags := readInstance(t.Context(), t, data, func(model *instanceModel) {
				model.BaseURL, model.Timeouts = text(server.URL()), readTimeouts(text("8s")) // less than request_timeout by default
			})
			if test.part == "" {
				requireNoDiagnostics(t, diags)
			}
			requireTexts(t, textOf(diags), test.part)
			if got := len(server.Requests()); got != test.requests {
				t.Errorf("%d requests, want %d", got, test.requests)
			}
		})
	}
}

// TestFaultOfAProxyVariable: a wait does not wait for it, and the message names the variable as it is set.
func TestFaultOfAProxyVariable(t *testing.T) {
	t.Setenv("http_proxy", "http://me:hunter2@%zz")
	t.Setenv("HTTP_PROXY", "http://proxy.invalid") // which the other one comes before
	_, diags := readInstance(t.Context(), t, newTestData(t, providerModel{}, impatient(1)), func(model *instanceModel) {
		model.BaseURL, model.WaitUntilReady = types.StringValue("http://"+instancetest.ProxiedHost), types.BoolValue(true)
	})
	requireDiagnostic(t, diags, "Error at base_url: Instance not reachable through the proxy", "http_proxy is not valid",
		"Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY")
	requireNoTexts(t, textOf(diags), "timeouts.read", "wait_until_ready", "hunter2")
}

// TestErrorAboutTheProvidersInstance is at no attribute of the data source.
func TestErrorAboutTheProvidersInstance(t *testing.T) {
	t.Parallel()
	baseURL := "http://" + instancetest.ReserveAddress(t)
	_, diags := readInstance(t.Context(), t, newTestData(t, providerModel{BaseURL: types.StringValue(baseURL)}, impatient(1)), func(*instanceModel) {})
	requireDiagnostic(t, diags, "Error: Instance not reachable", "GET "+baseURL+"/instance: connection refused.\n")
}
