package provider_test

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// block is a block of a configuration: of the provider, of a data source or of the resource.
type block struct {
	name   string
	config arguments
}

func record(stableFor any, expected, timeouts arguments) block {
	if timeouts == nil {
		timeouts = arguments{}
	}
	return block{recordType, arguments{
		"base_url": "https://h", "stable_for": stableFor, "expected": expected, "timeouts": timeouts,
	}}
}

// product returns a product as Terraform calculates it, with 512 bits.
func product(t *testing.T, a, b string) *big.Float {
	t.Helper()
	result := big.NewFloat(1).SetPrec(512)
	for _, text := range []string{a, b} {
		factor, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		must(t, err)
		result.Mul(result, factor)
	}
	return result
}

// TestInvalidArguments has what a user reads about each invalid argument, side by side in
// testdata/invalid_arguments.txt. The tests of the package address have what is wrong with URLs.
func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t)
	key := material.ClientKeyPEM()
	const escapes = "-----BEGIN \x1b[31mX-----\nAAAA\n-----END \x1b[31mX-----\n"
	long := strings.Repeat("x", 50)
	reserved := texts{}
	for _, name := range client.ReservedHeaders {
		reserved[strings.ToLower(name)] = "hunter2"
	}
	expected := arguments{"chunk_size": 1}
	triggers := texts{"deploy": "1"}
	blocks := map[string]block{
		"provider": {"provider", arguments{
			"base_url": "https://h/api?token=hunter2", "connect_to": "me:hunter2@h:1", "request_timeout": "-5s",
			"request_headers": texts{"X-Token": "hunter2", "x-token": "hunter2"},
			"retry":           arguments{"max_attempts": 101, "min_delay": "0s", "max_delay": long},
		}},
		"provider, 0 attempts": {"provider", arguments{"retry": arguments{"max_attempts": 0}}},
		"data source": {"filetransfer_instance", arguments{
			"base_url": "files.example.org", "request_headers": texts{"X-A": nil, "X-B": "hunter2\n"},
			"timeouts": arguments{"read": "10"},
		}},
		"data source of many": {"filetransfer_instances", arguments{
			"base_urls":       texts{"a": "ftp://h", "b": "https://me:hunter2@h", "c": nil, "d": unknown, "e": "https://h"},
			"request_headers": texts{"Bearer hunter2": "a", "hunter2=": "b", "Host": unknown}, "timeouts": arguments{"read": ""},
		}},
		"headers, reserved":    {"provider", arguments{"request_headers": reserved}},
		"headers, one swapped": {"provider", arguments{"request_headers": texts{"Bearer hunter2": "Authorization"}}},
		"record, durations":    record("soon", expected, arguments{"create": "soon", "read": "soon", "update": "soon"}),
		"record, base URL":     {recordType, arguments{"base_url": ""}},
		"record, expected": record(nil, arguments{
			"api_version": "2.1", "chunk_size": -1, "file_max_age": product(t, "0.3", "86401"),
			"file_max_size": product(t, "9223372036854775808", "1"), "max_transfers_in_merge": 0.5,
		}, nil),
		"record, long version":     record(nil, arguments{"api_version": long}, nil),
		"record, nothing expected": {recordType, arguments{"base_url": "https://h", "triggers": triggers}},
		"record, an empty block": {recordType, arguments{
			"base_url": "https://h", "triggers": triggers, "stable_for": "1s", "expected": arguments{},
		}},
		"record, stable_for, create": record("60s", expected, arguments{"create": "1m"}),
		"record, stable_for, update": record("10m", expected, arguments{"create": "1h"}),
	}
	messages := make(map[string]string)
	for name, block := range blocks {
		messages[name] = newSession(t).validate(t, block.name, block.config)
	}
	// What takes two arguments or a parser of certificates is checked when the provider is configured, and so is what was
	// unknown before.
	for name, provider := range map[string]arguments{
		"configured, CA and connect_to":         {"ca_cert_pem": key, "connect_to": "127.0.0.1?hunter2"},
		"configured, headers":                   {"request_headers": texts{"Connection": "hunter2"}},
		"configured, certificate without a key": {"client_cert_pem": material.ClientCertPEM()},
		"configured, key without a certificate": {"client_key_pem": key},
		"configured, certificate with escapes":  {"client_cert_pem": escapes, "client_key_pem": key},
	} {
		messages[name] = newSession(t).configure(t, provider)
	}
	for name, message := range messages {
		requireNone(t, name, message, strings.Split(key, "\n")[1])
	}
	requireGolden(t, "invalid_arguments.txt", messages)
}

// A number with a huge exponent is refused at once: writing it out would take a minute. It is sent as JSON for the same
// reason.
func TestHugeExponents(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	for _, number := range []string{"1e-300000", "1e300000"} {
		began := time.Now()
		resp, err := s.server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
			TypeName: recordType,
			Config: &tfprotov6.DynamicValue{
				JSON: []byte(`{"base_url": "https://h", "expected": {"chunk_size": ` + number + `}}`),
			},
		})
		must(t, err)
		const want = "expected.chunk_size is a number with a huge exponent."
		if got := textOf(resp.Diagnostics); !strings.Contains(got, want) || time.Since(began) > 2*time.Second {
			t.Errorf("%s, after %s:\n%s", number, time.Since(began), got)
		}
	}
}

func TestValidArguments(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t)
	certificate, key := material.ClientCertPEM(), material.ClientKeyPEM()
	provider := func(config arguments) block { return block{"provider", config} }
	one := arguments{"chunk_size": 1}
	blocks := map[string]block{
		"everything": provider(arguments{
			"base_url": "https://[::1]:8080/api/", "connect_to": "[::1]:8443", "insecure": false, "request_timeout": "1ns",
			"request_headers": texts{"X-Empty": "", "X-Later": unknown, "Authorization": "Bearer a", "User-Agent": "a"},
			"client_cert_pem": certificate + key, "client_key_pem": certificate + key, "ca_cert_pem": material.CACertPEM(),
			"retry": arguments{"max_attempts": 100, "min_delay": "3s", "max_delay": "2s"},
		}),
		"nothing":                provider(nil),
		"empty ones":             provider(arguments{"ca_cert_pem": "", "request_headers": texts{}, "retry": arguments{}}),
		"an unknown key":         provider(arguments{"client_cert_pem": "a", "client_key_pem": unknown, "insecure": unknown}),
		"an unknown certificate": provider(arguments{"client_cert_pem": unknown, "client_key_pem": key}),
		"an unknown base URL": provider(arguments{
			"base_url": unknown, "request_headers": texts{"X-A": "a"}, "connect_to": "h:1",
		}),
		"unknown base URLs": {"filetransfer_instances", arguments{"base_urls": unknown, "request_headers": unknown}},
		"the least numbers": record(nil, arguments{
			"api_version": "2.1.0-rc.1+build", "chunk_size": 0, "file_max_age": product(t, "0.3", "86400"),
		}, nil),
		"the largest number": record(nil, arguments{"file_max_size": product(t, "9223372036854775807", "1")}, nil),
		"a long stable_for":  record("1h", one, arguments{"create": "3601s", "update": "3601s"}),
		"an unknown create":  record("1h", one, arguments{"create": unknown}),
		"an unknown update":  record("1h", one, arguments{"create": "2h", "update": unknown}),
		"unknown timeouts": {recordType, arguments{
			"base_url": "https://h", "stable_for": "1h", "expected": one, "timeouts": unknown,
		}},
		"no triggers": {recordType, arguments{"base_url": unknown, "triggers": texts{}}},
		"an unknown record": {recordType, arguments{
			"base_url": unknown, "stable_for": unknown, "triggers": unknown, "expected": arguments{"api_version": unknown},
		}},
	}
	for name, block := range blocks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			text := s.validate(t, block.name, block.config)
			if block.name == "provider" {
				text += s.configure(t, block.config)
			}
			if text != "" {
				t.Error(text)
			}
		})
	}
}

// A URL of a data source comes before that of the provider, and that before the environment variable. It is in the
// state as written.
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
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("FILETRANSFER_BASE_URL", test.variable)
			state := configured(t, arguments{"base_url": test.provider}).requireRead(t, arguments{"base_url": test.own})
			if !state["base_url"].Equal(tftypes.NewValue(tftypes.String, test.want)) {
				t.Errorf("the base URL is %s, want %q", state["base_url"], test.want)
			}
		})
	}
}

// The provider's headers go only to the origin of its base URL, in any spelling. Those of a data source win.
func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	otherPort := "http://" + instancetest.ReserveAddress(t)
	spelled := func(before, after string) func(string) string {
		return func(url string) string { return strings.Replace(url, before, after, 1) }
	}
	otherPath := func(url string) string { return strings.Replace(url, "http", "HTTP", 1) + "/other" }
	tests := map[string]struct {
		provider func(url string) string // the base URL of the provider, made from that of the instance
		own      any                     // the request_headers of the data source
		want     map[string]string
	}{
		"provider's": {otherPath, nil, map[string]string{"X-Token": "a", "X-More": "b"}},
		"own ones win": {
			spelled("", ""), texts{"X-TOKEN": "c", "X-Own": "d"}, map[string]string{"X-Token": "c", "X-More": "b", "X-Own": "d"},
		},
		"empty one wins": {spelled("", ""), texts{"X-Token": ""}, map[string]string{"X-Token": "", "X-More": "b"}},
		"another port":   {func(string) string { return otherPort }, texts{"X-Own": "d"}, map[string]string{"X-Own": "d"}},
		"another scheme": {spelled("http:", "https:"), nil, nil},
		"another name":   {spelled("127.0.0.1", "localhost"), nil, nil},
	}
	for name, test := range tests {
		for _, argument := range []string{"base_url", "base_urls"} {
			t.Run(name+", "+argument, func(t *testing.T) {
				t.Parallel()
				server := instancetest.New(t)
				baseURL, source := test.provider(server.URL()), arguments{"request_headers": test.own}
				if source[argument] = any(server.URL()); argument == "base_urls" {
					source[argument] = texts{"a": server.URL()}
				}
				s := configured(t, arguments{"base_url": baseURL, "request_headers": texts{"x-token": "a", "X-More": "b"}})
				s.requireRead(t, source)
				want := http.Header{
					"Accept": {"application/json"}, "Cache-Control": {"no-cache"},
					"Connection": {"close"}, "User-Agent": {"terraform-provider-filetransfer/test Terraform/1.11.4"},
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

// The arguments of the provider are used. The tests of the client show what each does.
func TestProviderArguments(t *testing.T) {
	t.Parallel()
	failures := slices.Repeat([]instancetest.Step{instancetest.Status(503, "Retry-After", "86400")}, 5)
	mutual := instancetest.New(t, instancetest.WithClientCertificate(), instancetest.WithScript(failures...))
	selfSigned := instancetest.New(t, instancetest.WithCertificate(instancetest.CertificateSelfSigned))
	configured(t, arguments{
		"base_url": "https://" + instancetest.ProxiedHost, "connect_to": mutual.Address(), "ca_cert_pem": mutual.CACertPEM(),
		"client_cert_pem": mutual.ClientCertPEM(), "client_key_pem": mutual.ClientKeyPEM(),
		"retry": arguments{"max_attempts": 6, "min_delay": "1ms", "max_delay": "20ms"},
	}).requireRead(t, arguments{})
	s := newSession(t)
	s.configure(t, arguments{"insecure": true}) // with a warning
	s.requireRead(t, arguments{"base_url": selfSigned.URL()})
}

// While any argument of the provider is unknown, a read is deferred where that is allowed. Otherwise, it is refused.
func TestUnknownArguments(t *testing.T) {
	t.Parallel()
	for _, source := range []arguments{{"base_url": "https://h"}, {"base_urls": texts{"a": "https://h"}}} {
		headers := texts{"X-A": unknown, "X-B": unknown}
		s := configured(t, arguments{"base_url": "https://other", "request_headers": headers})
		if _, text, deferred := s.read(t.Context(), t, source, true); !deferred || text != "" {
			t.Errorf("the read is deferred: %t\n%s", deferred, text)
		}
		_, text, _ := s.read(t.Context(), t, source, false)
		if !strings.Contains(text, "after apply:\n  - request_headers\n\n") {
			t.Errorf("the read is not refused, or in another way:\n%s", text)
		}
	}
	// Deferring a read for which there is nothing to read would only put the error off.
	_, text, _ := configured(t, arguments{"request_timeout": unknown}).read(t.Context(), t, arguments{}, true)
	if !strings.HasPrefix(text, "Error: No instance to read\n") {
		t.Errorf("without a base URL, the diagnostics are:\n%s", text)
	}
}

// An instance repeats the headers of the provider and of the data source, and neither diagnostics nor the log at TRACE
// have them. The tests of the client have every place where it can. What an attempt has asked is in the log at DEBUG.
func TestSecretsAreInNoDiagnosticAndNoLog(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	echo := instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "you sent "+r.Header.Get("X-Token")+" "+r.Header.Get("X-Own"))
	})
	s := configured(t, arguments{"base_url": server.URL(), "request_headers": texts{"X-Token": "Bearer hunter2-token"}})
	var log bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &log)
	headers := texts{"X-Own": "hunter2 own"}
	for _, source := range []arguments{
		{"request_headers": headers}, {"base_urls": texts{"a": server.URL()}, "request_headers": headers},
	} {
		server.SetDefault(instancetest.Answer())
		state, _, _ := s.read(ctx, t, source, false)
		if strings.Contains(fmt.Sprint(state), "hunter2-token") {
			t.Errorf("the state has a secret of the provider: %s", state)
		}
		server.SetDefault(echo)
		_, failure, _ := s.read(ctx, t, source, false)
		if !strings.Contains(failure, "403 Forbidden: (not shown, because it repeats a secret).") {
			t.Errorf("the diagnostics are:\n%s", failure)
		}
		requireNone(t, "the diagnostics", failure)
	}
	requireNone(t, "the log", log.String())
	events, err := tflogtest.MultilineJSONDecode(&log)
	must(t, err)
	want := map[string]any{
		"@level": "debug", "@module": "provider", "@message": "Asked the instance", "attempt": 1.0, "address": "",
		"url": server.URL() + "/instance", "reason": "status 403 Forbidden: (not shown, because it repeats a secret)",
	}
	if !slices.ContainsFunc(events, func(event map[string]any) bool { return cmp.Equal(event, want) }) {
		t.Errorf("no event in the log is %v:\n%v", want, events)
	}
}

// Each key is one read, also if two name the same URL. Three hundred instances that are down are no reason for three
// hundred errors.
func TestInstances(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	s := configured(t, arguments{"retry": arguments{"max_attempts": 1}})
	url := server.URL()
	state := s.requireRead(t, arguments{"base_urls": texts{"a": url, "b": url, "c": url + "//"}})
	var instances map[string]tftypes.Value
	must(t, state["instances"].As(&instances))
	if got := len(server.Requests()); got != 3 || !strings.Contains(instances["c"].String(), url+"//") {
		t.Errorf("there are %d requests, and the instance c is %s", got, instances["c"])
	}
	down, refused := make(texts), "http://"+instancetest.ReserveAddress(t)
	for i := range 300 {
		down[fmt.Sprintf("key%03d", i)] = refused
	}
	_, text, _ := s.read(t.Context(), t, arguments{"base_urls": down}, false)
	const last = "Error at base_urls: More instances could not be read\n\n" +
		"300 instances could not be read, and 280 of them have no error of their own.\n\n" +
		"Fix what the other errors are about, and read again. To read the other instances anyway, set allow_failures = true."
	if strings.Count(text, "Error ") != 21 || !strings.Contains(text, `["key019"]`) || !strings.Contains(text, last) {
		t.Errorf("the first 20 have no errors of their own, or no error counts the others:\n%s", text)
	}
}
