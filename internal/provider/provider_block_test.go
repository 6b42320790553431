package provider_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// textAt returns a string in a state.
func textAt(t testing.TB, state map[string]tftypes.Value, name string) (text string) {
	t.Helper()
	must(t, state[name].As(&text))
	return text
}

// requireRead reads a data source, which must have no diagnostics.
func requireRead(t testing.TB, s session, source arguments) map[string]tftypes.Value {
	t.Helper()
	state, text := s.read(t.Context(), t, source)
	if text != "" {
		t.Fatalf("the read has diagnostics:\n%s", text)
	}
	return state
}

// TestWarnings has every warning of the provider block and of the data sources, but that of allow_failures.
func TestWarnings(t *testing.T) {
	t.Parallel()
	const baseURL, connectTo = "https://files.example.org", "127.0.0.1:1"
	token := texts{"X-Token": "hunter2"}
	contradiction := instancetest.NewerEntry("1 hour", 3600).With("value", 61)
	doubtful := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("recommendedExpireTimes", []instancetest.Document{
		contradiction, instancetest.OlderEntry("30 minutes", 30), instancetest.NewerEntry("1 day", 86400),
	}))).URL()
	short := instancetest.New(t, instancetest.WithDocument(instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{
		instancetest.OlderEntry("59 seconds", 59), instancetest.OlderEntry("1 minute", 60),
	}))).URL()
	many := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("recommendedExpireTimes",
		slices.Repeat([]instancetest.Document{contradiction}, 25)))).URL()
	good := instancetest.New(t).URL()
	small := func(size, chunk, age int64) string {
		document := instancetest.Newer().With("fileMaxSize", size).With("chunkSize", chunk).With("fileMaxAge", age)
		return instancetest.New(t, instancetest.WithDocument(document)).URL()
	}
	missing := instancetest.New(t, instancetest.WithDefault(instancetest.Status(404))).URL()
	tests := map[string]struct{ provider, source arguments }{
		"headers, no base URL":    {provider: arguments{"request_headers": token}},
		"connect_to, no base URL": {provider: arguments{"connect_to": connectTo}},
		"insecure":                {provider: arguments{"base_url": baseURL, "insecure": true}},
		"insecure, no base URL":   {provider: arguments{"insecure": true}},
		"all three":               {provider: arguments{"request_headers": token, "connect_to": connectTo, "insecure": true}},
		"small limits":            {source: arguments{"base_url": small(1, 5, 59)}},
		"small limits, by one":    {source: arguments{"base_url": small(999_999, 65_535, 1_799)}},
		"small limits, one":       {source: arguments{"base_url": small(1_000_000, 65_535, 1_800)}},
		"small limits, zero":      {source: arguments{"base_url": small(1_000_000, 65_536, 0)}},
		"small limits, none":      {source: arguments{"base_url": small(1_000_000, 65_536, 1_800)}},
		"small limits, many instances": {
			source: arguments{"base_urls": texts{"a": small(1_000_000, 5, 1_799), "b": good, "c": small(999_999, 65_536, 1_800)}},
		},
		"units": {source: arguments{"base_url": doubtful}},
		"units, a minute at most": {
			provider: arguments{"base_url": short + "/", "request_headers": texts{"X-Token": "59 seconds"}}, source: arguments{"base_url": short},
		},
		"units, many options":   {source: arguments{"base_url": many}},
		"units, many instances": {source: arguments{"base_urls": texts{"a": doubtful, "b": good, "c": short + "/"}}},
		"units, beside a failure": {
			source: arguments{"base_urls": texts{"a": short, "b": missing}, "allow_failures": true},
		},
	}
	messages, mutex := make(map[string]string), sync.Mutex{}
	t.Run("rows", func(t *testing.T) { // which returns when all of them have ended
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newSession(t)
				text := s.configure(t, test.provider)
				if test.source != nil {
					_, text = s.read(t.Context(), t, test.source)
				}
				requireNone(t, name, text, "Error", "X-Token", "hunter2")
				mutex.Lock()
				defer mutex.Unlock()
				messages[name] = normalized(text)
			})
		}
	})
	requireGolden(t, "warnings.txt", messages)

	for name, provider := range map[string]arguments{
		"nothing":           nil,
		"all with base URL": {"base_url": baseURL, "request_headers": token, "connect_to": connectTo, "insecure": false},
		"base URL unknown":  {"base_url": unknown, "request_headers": token, "connect_to": connectTo},
		"no headers":        {"request_headers": texts{}, "insecure": unknown},
		"key unknown":       {"client_cert_pem": "a", "client_key_pem": unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if text := newSession(t).configure(t, provider); text != "" {
				t.Errorf("there is a warning:\n%s", text)
			}
		})
	}
}

// The URL of a data source comes before that of the provider, and that before the environment variable. It is in the state as written.
func TestBaseURL(t *testing.T) {
	a, b, c := instancetest.New(t).URL()+"//", instancetest.New(t).URL()+"/", instancetest.New(t).URL()
	tests := map[string]struct {
		variable      string
		provider, own any
		want          string
	}{
		"variable":                     {a, nil, nil, a},
		"argument of the provider":     {a, b, nil, b},
		"argument of the data source":  {a, b, c, c},
		"empty variable":               {"", b, nil, b},
		"invalid variable, not needed": {"nope", nil, c, c},
		"unknown argument, not needed": {"", unknown, c, c},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("FILETRANSFER_BASE_URL", test.variable)
			s := configured(t, arguments{"base_url": test.provider})
			state := requireRead(t, s, arguments{"base_url": test.own})
			if got := textAt(t, state, "base_url"); got != test.want {
				t.Errorf("the base URL is %q, want %q", got, test.want)
			}
		})
	}
}

// An argument that is not known yet is not an argument that is missing: the environment variable is no substitute for it.
func TestUnknownBaseURLIsNotTakenFromTheEnvironment(t *testing.T) {
	t.Setenv("FILETRANSFER_BASE_URL", instancetest.New(t).URL())
	_, text := configured(t, arguments{"base_url": unknown}).read(t.Context(), t, arguments{})
	if !strings.HasPrefix(text, "Error: Provider configuration not known yet\n") {
		t.Errorf("the read has the diagnostics:\n%s", text)
	}
}

// The provider's headers go only to the origin of its base URL, in any spelling. Those of a data source win.
func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	instead := func(before, after string) func(string) string {
		return func(url string) string { return strings.Replace(url, before, after, 1) }
	}
	otherPort := "http://" + instancetest.ReserveAddress(t)
	own := func(headers texts) func(arguments) {
		return func(source arguments) { source["request_headers"] = headers }
	}
	tests := map[string]struct {
		provider, source func(url string) string // the base URLs, made from that of the instance
		own              func(arguments)
		want             map[string]string
	}{
		"provider's":               {want: map[string]string{"X-Token": "a", "X-More": "b"}},
		"other spelling":           {source: instead("http", "HTTP"), want: map[string]string{"X-Token": "a", "X-More": "b"}},
		"own ones win":             {own: own(texts{"X-TOKEN": "c", "X-Own": "d"}), want: map[string]string{"X-Token": "c", "X-More": "b", "X-Own": "d"}},
		"own empty one wins":       {own: own(texts{"X-Token": ""}), want: map[string]string{"X-Token": "", "X-More": "b"}},
		"own User-Agent":           {own: own(texts{"User-Agent": "c"}), want: map[string]string{"User-Agent": "c", "X-Token": "a", "X-More": "b"}},
		"another port":             {provider: func(string) string { return otherPort }, own: own(texts{"X-Own": "d"}), want: map[string]string{"X-Own": "d"}},
		"another scheme":           {provider: instead("http:", "https:")},
		"another name of the host": {source: instead("127.0.0.1", "localhost")},
	}
	for name, test := range tests {
		for kind, argument := range map[string]func(baseURL string) arguments{
			"one":  func(baseURL string) arguments { return arguments{"base_url": baseURL} },
			"many": func(baseURL string) arguments { return arguments{"base_urls": texts{"a": baseURL}} },
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				server := instancetest.New(t)
				baseURL, sourceURL := server.URL(), server.URL()
				if test.provider != nil {
					baseURL = test.provider(baseURL)
				}
				if test.source != nil {
					sourceURL = test.source(sourceURL)
				}
				s := configured(t, arguments{"base_url": baseURL, "request_headers": texts{"x-token": "a", "X-More": "b"}})
				source := argument(sourceURL)
				if test.own != nil {
					test.own(source)
				}
				requireRead(t, s, source)
				want := http.Header{
					"Accept": {"application/json"}, "Accept-Encoding": {"gzip"}, "Cache-Control": {"no-cache"}, "Connection": {"close"},
					"User-Agent": {"terraform-provider-filetransfer/test Terraform/1.11.4"},
				}
				for header, value := range test.want {
					want.Set(header, value)
				}
				if diff := cmp.Diff(want, server.Requests()[0].Header); diff != "" {
					t.Errorf("the headers differ, want (-), got (+):\n%s", diff)
				}
			})
		}
	}
}

// The arguments of the provider are used, for one instance and for many. The client's tests show what each does.
func TestProviderArguments(t *testing.T) {
	t.Parallel()
	secure, tunnel := instancetest.New(t, instancetest.WithTLS()), instancetest.New(t, instancetest.WithTLS())
	mutual := instancetest.New(t, instancetest.WithClientCertificate())
	selfSigned := instancetest.New(t, instancetest.WithCertificate(instancetest.CertificateSelfSigned))
	const attempts = 6
	failures := slices.Repeat([]instancetest.Step{instancetest.Status(503, "Retry-After", "86400")}, attempts-1)
	starting := instancetest.New(t, instancetest.WithScript(slices.Concat(failures, []instancetest.Step{instancetest.Answer()}, failures)...))
	ca, certificate, key := secure.CACertPEM(), secure.ClientCertPEM(), secure.ClientKeyPEM()
	tests := map[string]struct {
		provider arguments
		baseURL  string
	}{
		"ca_cert_pem":        {arguments{"ca_cert_pem": ca}, secure.URL()},
		"insecure":           {arguments{"insecure": true}, selfSigned.URL()},
		"client certificate": {arguments{"ca_cert_pem": ca, "client_cert_pem": certificate, "client_key_pem": key}, mutual.URL()},
		"connect_to": {
			arguments{"base_url": "https://" + instancetest.ProxiedHost, "connect_to": tunnel.Address(), "ca_cert_pem": ca}, "https://" + instancetest.ProxiedHost,
		},
		"retry": {arguments{"retry": arguments{"max_attempts": attempts, "min_delay": "1ms", "max_delay": "20ms"}}, starting.URL()},
	}
	for _, test := range tests {
		s := newSession(t)
		s.configure(t, test.provider) // with a warning, if it is insecure
		requireRead(t, s, arguments{"base_url": test.baseURL})
		requireRead(t, s, arguments{"base_urls": texts{"a": test.baseURL}})
	}
	if request := tunnel.Requests()[0]; request.Host != instancetest.ProxiedHost || request.TLSName != instancetest.ProxiedHost {
		t.Errorf("through connect_to, the request is for the host %q and the TLS name %q", request.Host, request.TLSName)
	}
}

// A read with its own base URL needs every argument of the provider but base_url, which it needs to know where headers and connect_to
// apply. It is deferred where that is allowed, and otherwise refused.
func TestUnknownArguments(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t).URL()
	own := arguments{"base_url": instance}
	tests := map[string]struct {
		provider, source arguments
		want             []string
	}{
		"base_url, read from the provider": {arguments{"base_url": unknown}, arguments{}, []string{"base_url"}},
		"base_url":                         {arguments{"base_url": unknown}, own, nil},
		"base_url, no headers":             {arguments{"base_url": unknown, "request_headers": texts{}}, own, nil},
		"base_url, headers":                {arguments{"base_url": unknown, "request_headers": texts{"X-Token": "a"}}, own, []string{"base_url"}},
		"base_url, unknown headers":        {arguments{"base_url": unknown, "request_headers": unknown}, own, []string{"base_url", "request_headers"}},
		"base_url, connect_to":             {arguments{"base_url": unknown, "connect_to": "127.0.0.1:1"}, own, []string{"base_url"}},
		"base_url, unknown connect_to":     {arguments{"base_url": unknown, "connect_to": unknown}, own, []string{"base_url", "connect_to"}},
		"base_url, insecure":               {arguments{"base_url": unknown, "insecure": unknown}, own, []string{"insecure"}},
		"one header":                       {arguments{"base_url": instance, "request_headers": texts{"X-A": unknown, "X-B": unknown}}, own, []string{"request_headers"}},
		"one header, for another path":     {arguments{"base_url": instance + "/other", "request_headers": texts{"X-B": unknown}}, own, []string{"request_headers"}},
		"one header, for another origin":   {arguments{"base_url": "https://h", "request_headers": texts{"X-A": "a", "X-B": unknown}}, own, nil},
		"many instances":                   {arguments{"request_timeout": unknown}, arguments{"base_urls": texts{"a": instance}}, []string{"request_timeout"}},
		"one header, for one of many": {
			arguments{"base_url": instance, "request_headers": texts{"X-A": unknown}},
			arguments{"base_urls": texts{"a": instance, "b": "https://h"}}, []string{"request_headers"},
		},
		"everything": {
			arguments{
				"base_url": unknown, "request_headers": unknown, "request_timeout": unknown, "ca_cert_pem": unknown, "client_cert_pem": unknown,
				"client_key_pem": unknown, "connect_to": unknown, "insecure": unknown,
				"retry": arguments{"max_attempts": unknown, "min_delay": unknown, "max_delay": unknown},
			},
			own,
			[]string{
				"base_url", "ca_cert_pem", "client_cert_pem", "client_key_pem", "connect_to", "insecure", "request_headers", "request_timeout",
				"retry.max_attempts", "retry.max_delay", "retry.min_delay",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := configured(t, test.provider)
			if test.want == nil {
				requireRead(t, s, test.source)
				return
			}
			refused, _ := s.readResponse(t.Context(), t, test.source, false)
			wantError := "known only after apply:\n  - " + strings.Join(test.want, "\n  - ") + "\n\n"
			if got := textOf(refused.Diagnostics); !strings.Contains(got, wantError) || len(refused.Diagnostics) != 1 {
				t.Errorf("the read is not refused because of %q:\n%s", test.want, got)
			}
			deferred, of := s.readResponse(t.Context(), t, test.source, true)
			state, err := deferred.State.Unmarshal(of)
			must(t, err)
			if len(deferred.Diagnostics) > 0 || deferred.Deferred == nil || deferred.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown || state.IsKnown() {
				t.Errorf("deferred is %v, the state is %s, and the diagnostics are:\n%s", deferred.Deferred, state, textOf(deferred.Diagnostics))
			}
		})
	}
	// Deferring a read for which there is nothing to read would only put the error off.
	nothing, _ := configured(t, arguments{"request_timeout": unknown}).readResponse(t.Context(), t, arguments{}, true)
	if got := textOf(nothing.Diagnostics); !strings.HasPrefix(got, "Error: No instance to read\n") {
		t.Errorf("without a base URL, the diagnostics are:\n%s", got)
	}
}

// An instance repeats the headers of the provider and of the data source, and neither diagnostics nor the log at TRACE have them. The
// client's tests have every place where it can. What an attempt has asked, and where, is in the log at DEBUG.
func TestSecretsAreInNoDiagnosticAndNoLog(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	echo := func(status int, text string) instancetest.Step {
		return instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, strings.Replace(text, "ECHO", r.Header.Get("X-Token")+" "+r.Header.Get("X-Own"), 1))
		})
	}
	warned := instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{instancetest.OlderEntry("ECHO", 1)}).JSON()
	s := configured(t, arguments{"base_url": server.URL(), "request_headers": texts{"X-Token": "Bearer hunter2-token"}})
	var log bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &log)
	headers := texts{"X-Own": "hunter2 own"}
	for name, source := range map[string]arguments{
		"instance":  {"request_headers": headers},
		"instances": {"base_urls": texts{"a": server.URL()}, "request_headers": headers},
	} {
		server.SetDefault(echo(200, warned))
		_, warning := s.read(ctx, t, source)
		server.SetDefault(echo(403, `{"message": "you sent ECHO"}`))
		_, failure := s.read(ctx, t, source)
		if !strings.Contains(warning, `("(redacted) (redacted)"): its value is 1`) || !strings.Contains(failure, "403 Forbidden: you sent (redacted) (redacted).") {
			t.Errorf("%s: the diagnostics are:\n%s%s", name, warning, failure)
		}
		requireNone(t, name, warning+failure, "hunter2")
	}
	requireNone(t, "the log", log.String(), "hunter2")
	events, err := tflogtest.MultilineJSONDecode(&log)
	must(t, err)
	want := map[string]any{
		"@level": "debug", "@module": "provider", "@message": "Asked the instance", "attempt": 1.0, "url": server.URL() + "/instance",
		"address": server.Address(), "reason": "status 403 Forbidden: you sent (redacted) (redacted)",
	}
	if !slices.ContainsFunc(events, func(event map[string]any) bool { return cmp.Equal(event, want) }) {
		t.Errorf("no event in the log is %v:\n%v", want, events)
	}
	server.SetDefault(instancetest.Answer())
	if state := fmt.Sprint(requireRead(t, s, arguments{})); strings.Contains(state, "hunter2") {
		t.Errorf("the state has a secret of the provider: %s", state)
	}
}
