package provider_test

import (
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// block is a block of a configuration: of the provider, of a data source or of the resource.
type block struct {
	name   string
	config arguments
}

func providerBlock(name string, value any) block { return block{"provider", arguments{name: value}} }
func headersBlock(headers texts) block           { return providerBlock("request_headers", headers) }
func retryBlock(name string, value any) block    { return providerBlock("retry", arguments{name: value}) }
func delaysBlock(minDelay, maxDelay any) block {
	return providerBlock("retry", arguments{"min_delay": minDelay, "max_delay": maxDelay})
}
func certificateBlock(certificate, key any) block {
	return block{"provider", arguments{"client_cert_pem": certificate, "client_key_pem": key}}
}

func expectedBlock(name string, value any) block {
	return block{"filetransfer_instance_record", arguments{"base_url": "https://h", "expected": arguments{name: value}}}
}

// decimal returns a number as Terraform parses it.
func decimal(t *testing.T, text string) *big.Float {
	t.Helper()
	number, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	must(t, err)
	return number
}

// product returns a product as Terraform calculates it.
func product(t *testing.T, a, b string) *big.Float {
	t.Helper()
	return new(big.Float).SetPrec(512).Mul(decimal(t, a), decimal(t, b))
}

// TestInvalidArguments has what a user reads about each invalid argument, side by side in testdata/invalid_arguments.txt.
func TestInvalidArguments(t *testing.T) { //nolint:tparallel // the messages are compared when all subtests have ended
	t.Parallel()
	material := instancetest.New(t)
	ca, certificate, key := material.CACertPEM(), material.ClientCertPEM(), material.ClientKeyPEM()
	const escapes = "-----BEGIN \x1b[31mX-----\nAAAA\n-----END \x1b[31mX-----\n"
	blocks := map[string]block{
		// Base URLs. The tests of the package address have more of them.
		"base URL, no scheme":        providerBlock("base_url", "files.example.org"),
		"base URL, other scheme":     providerBlock("base_url", "ftp://files.example.org"),
		"base URL, empty":            providerBlock("base_url", ""),
		"base URL, line break":       providerBlock("base_url", "https://files.example.org\n"),
		"base URL, port":             providerBlock("base_url", "https://files.example.org:22x"),
		"base URL, long port":        providerBlock("base_url", "https://h:"+strings.Repeat("x", 300)),
		"base URL, escape":           providerBlock("base_url", "https://files.example.org/%zz"),
		"base URL, query":            providerBlock("base_url", "https://files.example.org/api?token=hunter2"),
		"base URL, fragment":         providerBlock("base_url", "https://files.example.org/api#hunter2"),
		"base URL, quotation marks":  providerBlock("base_url", `"https://files.example.org"`),
		"base URL, key":              providerBlock("base_url", "-----BEGIN PRIVATE KEY-----\nhunter2\n"),
		"base URL, password":         providerBlock("base_url", "https://me:hunter2@files.example.org"),
		"base URL, password escaped": providerBlock("base_url", "https://me:hunter2%40files.example.org"),
		"base URL, password cut off": providerBlock("base_url", "me:hunter2@files.example.org"),
		"base URL, long":             providerBlock("base_url", strings.Repeat("x", 300)),
		"base URL, data source":      {"filetransfer_instance", arguments{"base_url": "files.example.org"}},
		"base URL, record":           {"filetransfer_instance_record", arguments{"base_url": "files.example.org"}},
		"base URLs": {"filetransfer_instances", arguments{"base_urls": texts{
			"a": "ftp://h", "b": "https://me:hunter2@h", "c": nil, "d": unknown, "e": "https://h",
		}}},

		// Headers.
		"header, Host":                headersBlock(texts{"host": "hunter2"}),
		"header, Accept-Encoding":     headersBlock(texts{"Accept-Encoding": "hunter2"}),
		"header, Connection":          headersBlock(texts{"Connection": "hunter2"}),
		"header, Content-Length":      headersBlock(texts{"Content-Length": "hunter2"}),
		"header, Proxy-Authorization": headersBlock(texts{"proxy-authorization": "Basic hunter2"}),
		"header, Trailer":             headersBlock(texts{"Trailer": "hunter2"}),
		"header, Transfer-Encoding":   headersBlock(texts{"transfer-encoding": "hunter2"}),
		"header, reserved, unknown":   headersBlock(texts{"Host": unknown}),
		"header, twice":               headersBlock(texts{"X-Token": "hunter2", "x-token": "hunter2"}),
		"header, null":                headersBlock(texts{"X-Token": nil}),
		"header, line break":          headersBlock(texts{"X-Token": "hunter2\n"}),
		"header, swapped with value":  headersBlock(texts{"Bearer hunter2": "Authorization"}),
		"headers, swapped":            headersBlock(texts{"Bearer hunter2": "a", "hunter2=": "b", "": "c"}),
		"header, data source":         {"filetransfer_instance", arguments{"request_headers": texts{"Host": "a"}}},
		"header, data source of many": {"filetransfer_instances", arguments{"base_urls": texts{}, "request_headers": texts{
			"Host": "a",
		}}},

		// Durations.
		"duration, negative":     providerBlock("request_timeout", "-5s"),
		"duration, zero":         providerBlock("request_timeout", "0s"),
		"duration, without unit": providerBlock("request_timeout", "10"),
		"duration, empty":        providerBlock("request_timeout", ""),
		"duration, too long":     providerBlock("request_timeout", "3000000h"),
		"duration, long":         providerBlock("request_timeout", strings.Repeat("x", 50)),
		"duration, min_delay":    retryBlock("min_delay", "soon"),
		"duration, max_delay":    retryBlock("max_delay", "soon"),
		"duration, instance":     {"filetransfer_instance", arguments{"timeouts": arguments{"read": "soon"}}},
		"duration, instances":    {"filetransfer_instances", arguments{"base_urls": texts{}, "timeouts": arguments{"read": "soon"}}},
		"duration, record": {"filetransfer_instance_record", arguments{
			"base_url": "https://h", "expected": arguments{"chunk_size": 1}, "stable_for": "soon",
			"timeouts": arguments{"create": "soon", "read": "soon", "update": "soon"},
		}},

		// Numbers.
		"number, 0":               retryBlock("max_attempts", 0),
		"number, 101":             retryBlock("max_attempts", 101),
		"number, fraction":        retryBlock("max_attempts", 1.5),
		"number, max_concurrency": {"filetransfer_instances", arguments{"base_urls": texts{}, "max_concurrency": 257}},
		"number, negative":        expectedBlock("chunk_size", -1),
		"number, above int64":     expectedBlock("file_max_size", decimal(t, "9223372036854775808")),
		"number, long fraction":   expectedBlock("file_max_age", product(t, "0.3", "86401")),
		"number, merge":           expectedBlock("max_transfers_in_merge", 0.5),
		"version of two numbers":  expectedBlock("api_version", "2.1"),
		"version, long":           expectedBlock("api_version", strings.Repeat("x", 50)),

		// connect_to, certificates and delays.
		"connect_to, no port":          providerBlock("connect_to", "127.0.0.1"),
		"connect_to, URL":              providerBlock("connect_to", "https://127.0.0.1:8443"),
		"connect_to, port 0":           providerBlock("connect_to", "127.0.0.1:0"),
		"connect_to, query":            providerBlock("connect_to", "127.0.0.1:8443?hunter2"),
		"connect_to, password":         providerBlock("connect_to", "me:hunter2%40127.0.0.1:8443"),
		"connect_to, quotation marks":  providerBlock("connect_to", `"127.0.0.1:8443"`),
		"connect_to, line break":       providerBlock("connect_to", "127.0.0.1:8443\nhunter2"),
		"connect_to, long":             providerBlock("connect_to", strings.Repeat("x", 50)),
		"CA, file name":                providerBlock("ca_cert_pem", "ca.pem"),
		"CA, empty":                    providerBlock("ca_cert_pem", ""),
		"CA, key":                      providerBlock("ca_cert_pem", key),
		"CA, in one line":              providerBlock("ca_cert_pem", strings.ReplaceAll(ca, "\n", " ")),
		"client certificate, no key":   certificateBlock(certificate, nil),
		"client key, no certificate":   certificateBlock(nil, key),
		"client key, not one":          certificateBlock(certificate, "hunter2"),
		"client key of another":        certificateBlock(ca, key),
		"client certificate, swapped":  certificateBlock(key, certificate),
		"client certificate, escapes":  certificateBlock(escapes, key),
		"delays, both":                 delaysBlock("3s", "2s"),
		"delays, default of max_delay": retryBlock("min_delay", "11s"),
		"delays, default of min_delay": retryBlock("max_delay", "499ms"),
	}
	messages, mutex := make(map[string]string), sync.Mutex{}
	record := func(t *testing.T, name, message string) {
		t.Helper()
		requireNone(t, name, message, "\x1b", "hunter2", strings.Split(key, "\n")[1])
		mutex.Lock()
		defer mutex.Unlock()
		messages[name] = message
	}
	s := newSession(t)
	t.Run("validated", func(t *testing.T) { // which returns when all of them have ended
		for name, block := range blocks {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				message := s.validate(t, block.name, block.config)
				if message == "" {
					t.Error("the arguments are valid")
				}
				record(t, name, message)
			})
		}
	})
	// What is unknown when a configuration is validated is checked when the provider is configured.
	t.Run("configured", func(t *testing.T) {
		for name, provider := range map[string]arguments{
			"configured with connect_to":         {"connect_to": "127.0.0.1?hunter2"},
			"configured with ca_cert_pem":        {"ca_cert_pem": "ca.pem"},
			"configured with client certificate": {"client_cert_pem": escapes, "client_key_pem": "hunter2"},
			"configured with request_headers":    {"request_headers": texts{"Host": "hunter2", "hunter2=": "X-Token"}},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				record(t, name, newSession(t).configure(t, provider))
			})
		}
	})
	requireGolden(t, "invalid_arguments.txt", messages)
}

// A base URL that is refused may have a secret in it, wherever it comes from. If it is in the configuration, Terraform shows it itself.
func TestRefusedBaseURLsHaveNoSecrets(t *testing.T) {
	for _, baseURL := range []string{
		"https://h/api?token=hunter2", "https://h:1x?hunter2", "https://h/api#hunter2", "ftp://h?hunter2", "h?hunter2", "https://me%40h:hunter2",
		"https://me:hunter2%40h", "https://me:hunter2@h", "hunter2://me%40h", "https://h\nhunter2", `"https://h/?hunter2"`, "https://h/%zz?hunter2",
	} {
		t.Run(baseURL, func(t *testing.T) {
			t.Setenv("FILETRANSFER_BASE_URL", baseURL)
			s := configured(t, nil)
			_, ofEnvironment := s.read(t.Context(), t, arguments{})
			_, ofArgument := configured(t, arguments{"base_url": baseURL}).read(t.Context(), t, arguments{})
			_, ofRead := s.read(t.Context(), t, arguments{"base_url": baseURL})
			_, ofReads := s.read(t.Context(), t, arguments{"base_urls": texts{"a": baseURL}})
			for name, message := range map[string]string{
				"environment": ofEnvironment, "provider": ofArgument, "data source": ofRead, "data source of many": ofReads,
				"validation": s.validate(t, "filetransfer_instances", arguments{"base_urls": texts{"a": baseURL}}),
			} {
				if !strings.Contains(message, "Invalid base URL") {
					t.Errorf("%s: got the message %q, want one about an invalid base URL", name, message)
				}
				requireNone(t, name, message, "hunter2")
			}
		})
	}
}

// A number with a huge exponent is refused at once: writing it out would take a minute. It is sent as JSON for the same reason.
func TestHugeExponents(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	for _, number := range []string{"1e-300000", "1e300000"} {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			resp, err := s.server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
				TypeName: "filetransfer_instance_record",
				Config:   &tfprotov6.DynamicValue{JSON: []byte(`{"base_url": "https://h", "expected": {"chunk_size": ` + number + `}}`)},
			})
			must(t, err)
			want := "Error at expected.chunk_size: Invalid number\n\nexpected.chunk_size is a number with a huge exponent.\n\nWrite a whole number from 0 to 9223372036854775807.\n"
			if got := textOf(resp.Diagnostics); got != want || time.Since(began) > 2*time.Second {
				t.Errorf("after %s:\n%s", time.Since(began), got)
			}
		})
	}
}

// requireNone checks that a message has no secret, and no sign that its parts do not fit together.
func requireNone(t *testing.T, name, message string, secrets ...string) {
	t.Helper()
	for _, part := range append(secrets, "..\n", ". .", "  \n", "%!", "bug in the provider") {
		if strings.Contains(message, part) {
			t.Errorf("%s: %q is in the message:\n%s", name, part, message)
		}
	}
}

func TestValidArguments(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t)
	ca, certificate, key := material.CACertPEM(), material.ClientCertPEM(), material.ClientKeyPEM()
	blocks := map[string]block{
		"nothing":                      {"provider", nil},
		"base URL":                     providerBlock("base_url", "https://[::1]:8080/api/"),
		"no base URLs":                 {"filetransfer_instances", arguments{"base_urls": texts{}}},
		"unknown base URLs":            {"filetransfer_instances", arguments{"base_urls": unknown}},
		"headers":                      headersBlock(texts{"X-Empty": "", "X-Later": unknown, "Authorization": "Bearer a", "User-Agent": "a"}),
		"durations":                    delaysBlock("1ns", "1.5s"),
		"equal delays":                 delaysBlock("1s", "1s"),
		"min_delay unknown":            delaysBlock(unknown, "1ms"),
		"max_delay unknown":            delaysBlock("11s", unknown),
		"longest timeout":              providerBlock("request_timeout", "2562047h"),
		"1 attempt":                    retryBlock("max_attempts", 1),
		"100 attempts":                 retryBlock("max_attempts", 100),
		"4.2 * 1000000000":             expectedBlock("file_max_size", product(t, "4.2", "1000000000")),
		"0.3 * 86400":                  expectedBlock("file_max_age", product(t, "0.3", "86400")),
		"largest number":               expectedBlock("file_max_size", decimal(t, "9223372036854775807")),
		"number 0":                     expectedBlock("chunk_size", 0),
		"version with a suffix":        expectedBlock("api_version", "2.1.0-rc.1+build"),
		"connect_to":                   providerBlock("connect_to", "[::1]:8443"),
		"two CAs, one unusable":        providerBlock("ca_cert_pem", ca+"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"),
		"client certificate":           certificateBlock(certificate, key),
		"both in one file":             certificateBlock(certificate+key, certificate+key),
		"with byte order marks":        certificateBlock("\uFEFF"+certificate, "\uFEFF"+key),
		"certificate, unknown key":     certificateBlock(certificate, unknown),
		"key, unknown certificate":     certificateBlock(unknown, key),
		"unknown header map, and more": {"provider", arguments{"request_headers": unknown, "base_url": unknown, "insecure": unknown}},
	}
	for name, timeouts := range map[string]arguments{
		"create unknown": {"create": unknown}, "update unknown": {"create": "2h", "update": unknown}, "both above it": {"create": "2h", "update": "2h"},
	} {
		blocks["stable_for, "+name] = block{"filetransfer_instance_record", arguments{
			"base_url": "https://h", "stable_for": "1h", "expected": arguments{"chunk_size": 1}, "timeouts": timeouts,
		}}
	}
	s := newSession(t)
	for name, block := range blocks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if text := s.validate(t, block.name, block.config); text != "" {
				t.Error(text)
			}
		})
	}
}
