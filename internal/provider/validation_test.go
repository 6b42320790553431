package provider

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// one returns a diagnostic as diagnostics. There are none if it is nil.
func one(diagnostic diag.Diagnostic) (diags diag.Diagnostics) {
	diags.Append(diagnostic)
	return diags
}

// TestValidators has what each validator says about an invalid value. TestAcc..._InvalidArguments show which argument has which. The
// error about a value that may be or contain a secret is at no argument: Terraform would print its line.
func TestValidators(t *testing.T) {
	t.Parallel()
	baseURL := func(text string) diag.Diagnostics { return one(baseURLValidator.validate(path.Root("base_url"), text)) }
	connectTo := func(text string) diag.Diagnostics {
		return one(connectToValidator.validate(path.Root("connect_to"), text))
	}
	header := func(name string, value attr.Value) diag.Diagnostics {
		return headersValidator.validate(path.Root("request_headers"), types.MapValueMust(types.StringType, map[string]attr.Value{name: value}))
	}
	upTo100 := func(text string) diag.Diagnostics {
		number, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven) // as the framework does
		if err != nil {
			t.Fatal(err)
		}
		var resp validator.NumberResponse
		req := validator.NumberRequest{Path: path.Root("max_attempts"), ConfigValue: types.NumberValue(number)}
		wholeNumber{1, 100}.ValidateNumber(t.Context(), req, &resp)
		return resp.Diagnostics
	}
	version := func(text string) diag.Diagnostics {
		return one(versionValidator.validate(path.Root("api_version"), text))
	}
	const reported = "Write the version that the instance reports, which has three numbers"
	tests := map[string]struct {
		got    diag.Diagnostics
		want   string // the severity, the argument and the summary
		detail string // its beginning
	}{
		"URL without a scheme":     {baseURL("files.example.org"), "Error at base_url: Invalid base URL", "base_url has no scheme"},
		"URL with a line break":    {baseURL("https://h\n"), "Error at base_url: Invalid base URL", "base_url has a control character"},
		"URL with user info":       {baseURL("https://me:hunter2@h"), "Error: Invalid base URL", "base_url has user info"},
		"URL that is a key":        {baseURL("-----BEGIN PRIVATE KEY-----\nhunter2\n"), "Error: Invalid base URL", "base_url has a control character"},
		"connect_to without port":  {connectTo("127.0.0.1"), "Error at connect_to: Invalid connect_to", "connect_to is not a host and a port"},
		"connect_to with password": {connectTo("me:hunter2"), "Error: Invalid connect_to", "connect_to is not a host and a port"},
		"header of the provider": {
			header("accept-encoding", types.StringValue("hunter2")), "Error: Invalid request header",
			`request_headers["accept-encoding"] cannot be used: the provider sets this header itself; remove it.`,
		},
		"header that is null": {
			header("X-Token", types.StringNull()), "Error: Invalid request header",
			`request_headers["X-Token"] cannot be used: the value is null; remove the header, or set a value.`,
		},
		"header not known yet, refused": {header("Connection", types.StringUnknown()), "Error: Invalid request header", `request_headers["Connection"] cannot`},
		"0":                             {upTo100("0"), "Error at max_attempts: Invalid number", "max_attempts is 0.\n\nWrite a whole number from 1 to 100."},
		"fraction, as it was written": {
			upTo100("1234567.5"), "Error at max_attempts: Invalid number", "max_attempts is 1234567.5.\n\nWrite a whole number from 1 to 100.",
		},
		"fraction in range":               {upTo100("1.5"), "Error at max_attempts: Invalid number", "max_attempts is 1.5.\n"},
		"101":                             {upTo100("101"), "Error at max_attempts: Invalid number", "max_attempts is 101.\n"},
		"beyond int64, as it was written": {upTo100("9223372036854775808"), "Error at max_attempts: Invalid number", "max_attempts is 9223372036854775808.\n"},
		"long number":                     {upTo100("1" + strings.Repeat("0", 50)), "Error at max_attempts: Invalid number", "max_attempts is 1" + strings.Repeat("0", 38) + "…\n\nWrite"},
		"version of two numbers":          {version("2.1"), "Error at api_version: Invalid version", "api_version is \"2.1\".\n\n" + reported},
		"empty version":                   {version(""), "Error at api_version: Invalid version", "api_version is \"\".\n\n" + reported},

		"header":             {got: header("X-Empty", types.StringValue(""))},
		"header not known":   {got: header("Host", types.StringUnknown())},
		"1":                  {got: upTo100("1")},
		"100":                {got: upTo100("100")},
		"version and suffix": {got: version("2.1.0-rc.1+build")},
		"URL":                {got: baseURL("https://[::1]:8080/api/")},
		"connect_to":         {got: connectTo("[::1]:8443")},
	}
	for name, test := range tests {
		requireValidation(t, name, test.got, test.want, test.detail)
	}
	requireTexts(t, textOf(baseURL("https://h\n")), "trimspace() removes white space around a text.")
	requireTexts(t, textOf(baseURL("https://me:hunter2@h")), "If a reverse proxy requires a secret, send it with request_headers")
}

// requireValidation checks that there is an error with a heading and the beginning of a detail, or none if want is "". It never has a secret.
func requireValidation(t *testing.T, name string, got diag.Diagnostics, want, detail string) {
	t.Helper()
	text := textOf(got)
	if want == "" && text != "" || want != "" && (len(got) != 1 || !strings.HasPrefix(text, want+"\n"+detail)) {
		t.Errorf("%s: the diagnostics are\n%s\n\nwant\n%s\n%s", name, text, want, detail)
	}
	requireNoTexts(t, text, "hunter2", "..", "….", ". .", "tls: ", "x509: ")
}

func TestDurationValidator(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 40)
	tests := map[string]string{
		"-5s":                             `request_timeout is "-5s", which is not positive.`,
		"0s":                              `request_timeout is "0s", which is not positive.`,
		"":                                `request_timeout is "", which is not a duration.`,
		"10":                              `request_timeout is "10", which is not a duration.`,
		"1 s":                             `request_timeout is "1 s", which is not a duration.`,
		"3000000h":                        `request_timeout is "3000000h", which is not a duration.`, // longer than an int64
		long:                              `request_timeout is "` + long + `", which is not a duration.`,
		strings.Repeat("hunter2", 6)[:41]: `request_timeout is a long text, which is not a duration.`, // may be a key
	}
	for text, want := range tests {
		requireValidation(t, text, one(durationValidator.validate(path.Root("request_timeout"), text)), "Error at request_timeout: Invalid duration",
			want+"\n\nWrite a positive duration such as \"500ms\", \"10s\" or \"1m30s\"; the units are ms, s, m and h.\n")
	}
	for _, text := range []string{"1ns", "500ms", "1m30s", "1h", "1.5s"} {
		requireValidation(t, text, one(durationValidator.validate(path.Root("request_timeout"), text)), "", "")
	}
}

// The error is at no argument if there may be a key on its lines.
func TestCertificateValidators(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t)
	cert, key, ca := material.ClientCertPEM(), material.ClientKeyPEM(), material.CACertPEM()
	check := func(ca string) diag.Diagnostics { return one(caCertsValidator.validate(path.Root("ca_cert_pem"), ca)) }
	pair := func(cert, key string) diag.Diagnostics {
		return one(checkClientCertificate(types.StringValue(cert), types.StringValue(key)))
	}
	text, null, unknown := types.StringValue, types.StringNull(), types.StringUnknown()
	const atCA, invalidPair = "Error at ca_cert_pem: Invalid CA certificates", "Error at client_cert_pem: Invalid TLS configuration"
	const noCertificate = "ca_cert_pem cannot be used: there is no certificate in PEM form (a block that begins with \"-----BEGIN CERTIFICATE-----\")"
	const none = noCertificate + ".\n\nSet it to the certificates themselves, for example file(\"ca.pem\"), not to the name of a file."
	tests := map[string]struct {
		got    diag.Diagnostics
		want   string // the severity, the argument and the summary
		detail string // its beginning
	}{
		"CA, file name":               {check("ca.pem"), atCA, none},
		"CA, as long as a file name":  {check(strings.Repeat("x", 255)), atCA, none},
		"CA, longer than a file name": {check(strings.Repeat("hunter2-", 32)), "Error: Invalid CA certificates", noCertificate + ".\n\nSet it to certificates"},
		"CA, key":                     {check(key), "Error: Invalid CA certificates", noCertificate + "; block 1 is a PRIVATE KEY.\n\nSet it to certificates, each in a block"},
		"CA, in one line":             {check(strings.ReplaceAll(ca, "\n", " ")), atCA, noCertificate + "; block 1 is not valid PEM: it may be cut short, indented or changed by an editor.\n\nSet it to certificates"},
		"CA, indented":                {check(strings.ReplaceAll(ca, "\n", "\n  ")), atCA, noCertificate + "; block 1 is not valid PEM: "},
		"certificate without key": {
			one(checkClientCertificate(text(cert), null)), "Error at client_cert_pem: Client certificate without its key", "client_cert_pem is set, but client_key_pem is not.",
		},
		"key without certificate": {
			one(checkClientCertificate(null, text(key))), "Error at client_cert_pem: Client key without its certificate", "client_key_pem is set, but client_cert_pem is not.",
		},
		"certificate and key in one argument": {
			one(checkClientCertificate(text(cert+key), null)), "Error: Client certificate without its key",
			"client_cert_pem is set, but client_key_pem is not.\n\nSet both, or neither. If one PEM file contains both, pass it to both arguments.",
		},
		"not a key":                  {pair(cert, "hunter2"), invalidPair, "The client certificate and key cannot be used: "},
		"key of another certificate": {pair(ca, key), invalidPair, "The client certificate and key cannot be used: private key does not match public key.\n\nSet"},
		"swapped":                    {pair(key, cert), "Error: Invalid TLS configuration", "The client certificate and key cannot be used: "},

		"two CAs":                         {got: check(ca + ca)},
		"certificate and key":             {got: pair(cert, key)},
		"after a byte order mark":         {got: pair("\ufeff"+cert, "\ufeff"+key)},
		"both in one text, given twice":   {got: pair(cert+key, cert+key)},
		"neither":                         {got: one(checkClientCertificate(null, null))},
		"certificate, unknown key":        {got: one(checkClientCertificate(text(cert), unknown))},
		"unknown certificate, with a key": {got: one(checkClientCertificate(unknown, text(key)))},
	}
	for name, test := range tests {
		requireValidation(t, name, test.got, test.want, test.detail)
		requireNoTexts(t, textOf(test.got), strings.Split(key, "\n")[1])
	}
}

func TestCheckDelays(t *testing.T) {
	t.Parallel()
	text, null, unknown := types.StringValue, types.StringNull(), types.StringUnknown()
	tests := map[string]struct {
		retry  retryModel
		at     string // "" for no error
		detail string
	}{
		"min_delay above max_delay":             {retryModel{MinDelay: text("3s"), MaxDelay: text("2s")}, "retry.min_delay", "retry.min_delay is 3s and retry.max_delay is 2s"},
		"min_delay above the default max_delay": {retryModel{MinDelay: text("11s"), MaxDelay: null}, "retry.min_delay", "retry.min_delay is 11s and retry.max_delay is 10s"},
		"max_delay below the default min_delay": {retryModel{MinDelay: null, MaxDelay: text("499ms")}, "retry.max_delay", "retry.min_delay is 500ms and retry.max_delay is 499ms"},
		"equal":                                 {retry: retryModel{MinDelay: text("1s"), MaxDelay: text("1s")}},
		"max_delay not known":                   {retry: retryModel{MinDelay: text("11s"), MaxDelay: unknown}},
		"min_delay not known":                   {retry: retryModel{MinDelay: unknown, MaxDelay: text("1ms")}},
	}
	for name, test := range tests {
		if test.at == "" {
			requireValidation(t, name, one(checkDelays(test.retry)), "", "")
			continue
		}
		requireValidation(t, name, one(checkDelays(test.retry)), "Error at "+test.at+": min_delay is longer than max_delay",
			test.detail+" (the defaults are 500ms and 10s).\n\nMake min_delay at most max_delay.")
	}
}

func TestBaseURLsValidator(t *testing.T) {
	t.Parallel()
	text := types.StringValue
	tests := map[string]struct {
		baseURLs map[string]attr.Value
		want     []string // one text for each diagnostic
	}{
		"none":    {nil, nil},
		"null":    {map[string]attr.Value{"b": types.StringNull()}, []string{"Error at base_urls[\"b\"]: Invalid base URL\nbase_urls[\"b\"] is null. Remove the key, or set it to a URL.\n\n"}},
		"invalid": {map[string]attr.Value{"a": text("ftp://h")}, []string{"Error at base_urls[\"a\"]: Invalid base URL\nbase_urls[\"a\"] has a scheme other than http and https"}},
		"several, one with a secret": { // all may be on one line of the configuration, which Terraform would print
			map[string]attr.Value{"a": text("https://me:hunter2@h"), "b": text("nope"), "c": types.StringNull()},
			[]string{"Error: Invalid base URL\nbase_urls[\"a\"] has user info", "Error: Invalid base URL\nbase_urls[\"b\"] has no scheme", "Error: Invalid base URL\nbase_urls[\"c\"] is null"},
		},
		"valid":   {map[string]attr.Value{"a": text("https://h")}, nil},
		"unknown": {map[string]attr.Value{"a": types.StringUnknown()}, nil},
	}
	for name, test := range tests {
		got := baseURLsValidator.validate(path.Root("base_urls"), types.MapValueMust(types.StringType, test.baseURLs))
		if len(got) != len(test.want) {
			t.Errorf("%s: %d errors, want %d:\n%s", name, len(got), len(test.want), textOf(got))
			continue
		}
		for i, want := range test.want {
			if text := textOf(got[i : i+1]); !strings.HasPrefix(text, want) || strings.Contains(text, "hunter2") {
				t.Errorf("%s: error %d is\n%s\nwant\n%s", name, i, text, want)
			}
		}
	}
}
