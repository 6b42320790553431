package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// newServer returns a provider as Terraform sees it, and what it says about itself, which the framework has checked.
func newServer(t testing.TB) (tfprotov6.ProviderServer, *tfprotov6.GetProviderSchemaResponse) {
	t.Helper()
	server := providerserver.NewProtocol6(New("1.2.3")())()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || len(schemas.Diagnostics) > 0 {
		t.Fatalf("%v\n%s", err, protocolText(schemas.Diagnostics))
	}
	return server, schemas
}

// schemaOf returns the schema of a data source, a record, or the provider block, which is "provider".
func schemaOf(schemas *tfprotov6.GetProviderSchemaResponse, name string) *tfprotov6.Schema {
	all := maps.Clone(schemas.DataSourceSchemas)
	maps.Copy(all, schemas.ResourceSchemas)
	all["provider"] = schemas.Provider
	return all[name]
}

// validate validates a configuration, and returns the diagnostics and the log.
func validate(t *testing.T, name string, config *tfprotov6.DynamicValue) (diags []*tfprotov6.Diagnostic, log string) {
	t.Helper()
	server, schemas := newServer(t)
	ctx, output := captureLog(t.Context())
	var err error
	switch {
	case name == "provider":
		var resp *tfprotov6.ValidateProviderConfigResponse
		resp, err = server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
		diags = resp.Diagnostics
	case schemas.ResourceSchemas[name] != nil:
		var resp *tfprotov6.ValidateResourceConfigResponse
		resp, err = server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config})
		diags = resp.Diagnostics
	default:
		var resp *tfprotov6.ValidateDataResourceConfigResponse
		resp, err = server.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
		diags = resp.Diagnostics
	}
	if err != nil {
		t.Fatal(err)
	}
	return diags, output.String()
}

// invalid is a configuration in the JSON form of values, and the error about it.
type invalid struct {
	config  string
	at      string // the argument at fault, "" if the error has none: Terraform would print its line, which may have a secret
	summary string
	parts   []string // of the detail
}

// testValidation validates configurations. No diagnostic and no log may have hunter2 or the secrets.
func testValidation(t *testing.T, name string, invalid map[string]invalid, valid map[string]string, secrets ...string) {
	t.Helper()
	for title, test := range invalid {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			diags, log := validate(t, name, &tfprotov6.DynamicValue{JSON: []byte(test.config)})
			got := protocolText(diags)
			if want := "ERROR at " + test.at + ": " + test.summary + "\n"; len(diags) != 1 || !strings.HasPrefix(got, want) {
				t.Fatalf("the diagnostics are not one %q:\n%s", want, got)
			}
			requireTexts(t, got, test.parts...)
			requireNoTexts(t, got+log, append(secrets, "hunter2")...)
			requireNoTexts(t, got, "..", "….", ". .")
		})
	}
	for title, config := range valid {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			if diags, _ := validate(t, name, &tfprotov6.DynamicValue{JSON: []byte(config)}); len(diags) > 0 {
				t.Error(protocolText(diags))
			}
		})
	}
	t.Run("everything unknown", func(t *testing.T) {
		t.Parallel()
		_, schemas := newServer(t)
		diags, _ := validate(t, name, everythingUnknown(t, schemaOf(schemas, name)))
		if len(diags) > 0 {
			t.Error(protocolText(diags))
		}
	})
}

// everythingUnknown returns a configuration in which every argument and block is unknown.
func everythingUnknown(t *testing.T, schema *tfprotov6.Schema) *tfprotov6.DynamicValue {
	t.Helper()
	of := schema.ValueType().(tftypes.Object)
	values := make(map[string]tftypes.Value)
	for name, attributeType := range of.AttributeTypes {
		values[name] = tftypes.NewValue(attributeType, tftypes.UnknownValue)
	}
	for _, attribute := range schema.Block.Attributes {
		if !attribute.Optional && !attribute.Required {
			values[attribute.Name] = tftypes.NewValue(attribute.Type, nil)
		}
	}
	config, err := tfprotov6.NewDynamicValue(of, tftypes.NewValue(of, values))
	if err != nil {
		t.Fatal(err)
	}
	return &config
}

// protocolText returns diagnostics as text.
func protocolText(diags []*tfprotov6.Diagnostic) string {
	var text strings.Builder
	for _, one := range diags {
		var at strings.Builder
		for i, step := range one.Attribute.Steps() {
			switch step := step.(type) {
			case tftypes.AttributeName:
				if i > 0 {
					at.WriteByte('.')
				}
				at.WriteString(string(step))
			case tftypes.ElementKeyString:
				fmt.Fprintf(&at, "[%q]", string(step))
			}
		}
		fmt.Fprintf(&text, "%s at %s: %s\n%s\n\n", one.Severity, at.String(), one.Summary, one.Detail)
	}
	return text.String()
}

// captureLog returns a context in which everything is logged at TRACE, by the provider and by the framework.
func captureLog(ctx context.Context) (context.Context, *logOutput) {
	output := &logOutput{}
	return tfsdklogtest.RootLogger(tflogtest.RootLogger(ctx, output), output), output
}

// logOutput collects the lines of several loggers.
type logOutput struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *logOutput) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(line)
}

func (l *logOutput) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// inJSON returns text as JSON.
func inJSON(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded)
}

func TestDurationValidator(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 40)
	tests := map[string]string{
		"-5s":                        `request_timeout is "-5s", which is not positive.`,
		"0s":                         `is "0s", which is not positive.`,
		"abc":                        `is "abc", which is not a duration.`,
		"":                           `is "", which is not a duration.`,
		"10":                         `is "10", which is not a duration.`,
		"1 s":                        `is "1 s", which is not a duration.`,
		" 1s":                        `is " 1s", which is not a duration.`,
		"3000000h":                   `is "3000000h", which is not a duration.`, // longer than an int64
		long:                         `is "` + long + `", which is not a duration.`,
		strings.Repeat("hunter2", 6): `is a long text, which is not a duration.`, // may be a key
	}
	for text, want := range tests {
		got := durationValidator.validate(path.Root("request_timeout"), text)
		if got == nil {
			t.Errorf("%q is valid", text)
			continue
		}
		requireDiagnostic(t, diag.Diagnostics{got}, "Error at request_timeout: Invalid duration",
			want+"\n\nWrite a positive duration such as \"500ms\", \"10s\" or \"1m30s\"; the units are ms, s, m and h.\n")
	}
	for _, text := range []string{"1ns", "500ms", "1m30s", "1h", "1.5s"} {
		if got := durationValidator.validate(path.Root("request_timeout"), text); got != nil {
			t.Errorf("%q is not valid: %s", text, got.Detail())
		}
	}
}

func TestValidateProvider(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t, instancetest.WithTLS())
	cert, key, ca := material.ClientCertPEM(), material.ClientKeyPEM(), material.CACertPEM()
	pem := func(name, text string) string { return fmt.Sprintf("{%q: %s}", name, inJSON(text)) }
	pair := func(cert, key string) string {
		return fmt.Sprintf(`{"client_cert_pem": %s, "client_key_pem": %s}`, inJSON(cert), inJSON(key))
	}
	const anyDefault = "(the defaults are 500ms and 10s)"
	testValidation(t, "provider", map[string]invalid{
		"base_url":              {`{"base_url": "files.example.org"}`, "base_url", "Invalid base URL", []string{"base_url has no scheme", `"https://"`}},
		"base_url, white space": {`{"base_url": "https://h\n"}`, "base_url", "Invalid base URL", []string{"has a control character", "trimspace()"}},
		"base_url, user info":   {`{"base_url": "https://me:hunter2@h"}`, "", "Invalid base URL", []string{"has user info", "Remove it", "request_headers"}},
		"base_url, key":         {`{"base_url": "-----BEGIN PRIVATE KEY-----\nhunter2\n"}`, "", "Invalid base URL", []string{"has a control character"}},

		"connect_to":           {`{"connect_to": "127.0.0.1"}`, "connect_to", "Invalid connect_to", []string{"is not a host and a port", `"127.0.0.1:8443"`}},
		"connect_to, password": {`{"connect_to": "me:hunter2"}`, "", "Invalid connect_to", []string{"is not a host and a port"}},

		"request_headers, refused": {
			`{"request_headers": {"accept-encoding": "hunter2"}}`, "", "Invalid request header",
			[]string{`request_headers["accept-encoding"] cannot be used: the provider sets this header itself; remove it.`},
		},
		"request_headers, null":       {`{"request_headers": {"X-Token": null}}`, "", "Invalid request header", []string{`["X-Token"]`, "the value is null; remove the header"}},
		"request_headers, line break": {`{"request_headers": {"X-Token": "hunter2\n"}}`, "", "Invalid request header", []string{"line break", "trimspace()"}},

		"request_timeout": {`{"request_timeout": "0s"}`, "request_timeout", "Invalid duration", []string{"request_timeout is"}},
		"min_delay":       {`{"retry": {"min_delay": "0s"}}`, "retry.min_delay", "Invalid duration", []string{"retry.min_delay is"}},
		"max_delay":       {`{"retry": {"max_delay": "0s"}}`, "retry.max_delay", "Invalid duration", []string{"retry.max_delay is"}},

		"max_attempts 0":   {`{"retry": {"max_attempts": 0}}`, "retry.max_attempts", "Invalid number", []string{"is 0.", "Write a whole number from 1 to 100."}},
		"max_attempts 1.5": {`{"retry": {"max_attempts": 1.5}}`, "retry.max_attempts", "Invalid number", []string{"is 1.5."}},
		"max_attempts 101": {`{"retry": {"max_attempts": 101}}`, "retry.max_attempts", "Invalid number", []string{"is 101."}},

		"min_delay above max_delay": {
			`{"retry": {"min_delay": "3s", "max_delay": "2s"}}`, "retry.min_delay", "min_delay is longer than max_delay",
			[]string{"retry.min_delay is 3s and retry.max_delay is 2s " + anyDefault, "Make min_delay at most max_delay."},
		},
		"min_delay above the default max_delay": {
			`{"retry": {"min_delay": "11s"}}`, "retry.min_delay", "min_delay is longer than max_delay",
			[]string{"retry.min_delay is 11s and retry.max_delay is 10s " + anyDefault},
		},
		"max_delay below the default min_delay": {
			`{"retry": {"max_delay": "499ms"}}`, "retry.max_delay", "min_delay is longer than max_delay",
			[]string{"retry.min_delay is 500ms and retry.max_delay is 499ms " + anyDefault},
		},

		"certificate without key":                 {pem("client_cert_pem", cert), "client_cert_pem", "Client certificate without its key", []string{"client_key_pem is not", "Set both, or neither."}},
		"key without certificate":                 {pem("client_key_pem", key), "client_cert_pem", "Client key without its certificate", []string{"client_cert_pem is not"}},
		"certificate and key in one text, no key": {pem("client_cert_pem", cert+key), "", "Client certificate without its key", []string{"pass it to both arguments"}},
		"not a key": {pair(cert, "hunter2"), "client_cert_pem", "Invalid TLS configuration", []string{"PEM", "unencrypted", "client_key_pem"}},
		"key of another certificate": {
			pair(ca, key), "client_cert_pem", "Invalid TLS configuration",
			[]string{"The client certificate and key cannot be used: private key does not match public key."},
		},
		"key and certificate swapped":         {pair(key, cert), "", "Invalid TLS configuration", []string{"PEM"}},
		"ca_cert_pem, file name":              {pem("ca_cert_pem", "ca.pem"), "ca_cert_pem", "Invalid CA certificates", []string{"there is no certificate in PEM form", `file("ca.pem")`}},
		"ca_cert_pem, indented":               {pem("ca_cert_pem", strings.ReplaceAll(ca, "\n", "\n  ")), "ca_cert_pem", "Invalid CA certificates", []string{"not valid PEM"}},
		"ca_cert_pem, key":                    {pem("ca_cert_pem", key), "", "Invalid CA certificates", []string{"there is no certificate"}},
		"ca_cert_pem, long text":              {pem("ca_cert_pem", strings.Repeat("hunter2 ", 32)), "", "Invalid CA certificates", []string{"there is no certificate"}},
		"ca_cert_pem, as long as a file name": {pem("ca_cert_pem", strings.Repeat("x", 255)), "ca_cert_pem", "Invalid CA certificates", []string{"there is no certificate"}},
	}, map[string]string{
		"nothing": `{}`,
		"everything": fmt.Sprintf(`{
			"base_url": "https://[::1]:8080/api/", "request_headers": {"X-Token": "a", "Host": "b:1", "Accept": "c", "user-agent": "d", "X-Empty": ""},
			"request_timeout": "1m30s", "retry": {"max_attempts": 100, "min_delay": "1s", "max_delay": "1s"}, "connect_to": "[::1]:8443",
			"ca_cert_pem": %s, "client_cert_pem": %s, "client_key_pem": %s, "insecure": true
		}`, inJSON(ca+ca), inJSON(cert), inJSON(key)),
		"one attempt":                     `{"retry": {"max_attempts": 1}}`,
		"certificate and key in one text": pair(cert+key, cert+key),
	}, "tls: ", "x509: ", strings.Split(key, "\n")[1])
}

func TestValidateInstance(t *testing.T) {
	t.Parallel()
	testValidation(t, "filetransfer_instance", map[string]invalid{
		"base_url":        {`{"base_url": "files.example.org"}`, "base_url", "Invalid base URL", []string{"base_url has no scheme"}},
		"request_headers": {`{"request_headers": {"Connection": "hunter2"}}`, "", "Invalid request header", []string{"remove it."}},
		"timeouts.read":   {`{"timeouts": {"read": "0s"}}`, "timeouts.read", "Invalid duration", []string{"timeouts.read is"}},
	}, map[string]string{
		"nothing":    `{}`,
		"everything": `{"base_url": "https://h/files/", "request_headers": {"X-Token": "a"}, "wait_until_ready": true, "timeouts": {"read": "1h"}}`,
	})
}

func TestValidateInstances(t *testing.T) {
	t.Parallel()
	testValidation(t, "filetransfer_instances", map[string]invalid{
		"no instance": {`{"base_urls": {}}`, "base_urls", "Invalid base URL", []string{"base_urls is empty. Name at least one instance."}},
		"null URL":    {`{"base_urls": {"b": null}}`, `base_urls["b"]`, "Invalid base URL", []string{`base_urls["b"] is null. Remove the key, or set it to a URL.`}},
		"base_urls":   {`{"base_urls": {"a": "ftp://h"}}`, `base_urls["a"]`, "Invalid base URL", []string{`base_urls["a"] has a scheme other than http and https`}},
		"max_concurrency 0": {
			`{"base_urls": {"a": "https://h"}, "max_concurrency": 0}`, "max_concurrency", "Invalid number",
			[]string{"max_concurrency is 0.", "Write a whole number from 1 to 256."},
		},
		"max_concurrency 257": {`{"base_urls": {"a": "https://h"}, "max_concurrency": 257}`, "max_concurrency", "Invalid number", []string{"max_concurrency is 257."}},
		"request_headers":     {`{"base_urls": {"a": "https://h"}, "request_headers": {"Connection": "hunter2"}}`, "", "Invalid request header", []string{"remove it."}},
		"timeouts.read":       {`{"base_urls": {"a": "https://h"}, "timeouts": {"read": "0s"}}`, "timeouts.read", "Invalid duration", []string{"timeouts.read is"}},
	}, map[string]string{
		"one instance": `{"base_urls": {"a": "https://h"}}`,
		"everything": `{
			"base_urls": {"a": "https://h"}, "max_concurrency": 256, "allow_failures": true, "wait_until_ready": true, "timeouts": {"read": "1h"},
			"request_headers": {"X-Token": "a"}
		}`,
	})
}

// TestValidateRecord has the numbers in expected as they were written.
func TestValidateRecord(t *testing.T) {
	t.Parallel()
	const number, version = "Write a whole number from 0 to 9223372036854775807.", "Write the version that the instance reports, which has three numbers"
	record := func(arguments string) string { return `{"base_url": "https://h", ` + arguments + `}` }
	testValidation(t, "filetransfer_instance_record", map[string]invalid{
		"base_url":               {`{"base_url": "files.example.org"}`, "base_url", "Invalid base URL", []string{"base_url has no scheme"}},
		"timeouts.create":        {record(`"timeouts": {"create": "0s"}`), "timeouts.create", "Invalid duration", []string{"timeouts.create is"}},
		"timeouts.read":          {record(`"timeouts": {"read": "0s"}`), "timeouts.read", "Invalid duration", []string{"timeouts.read is"}},
		"timeouts.update":        {record(`"timeouts": {"update": "0s"}`), "timeouts.update", "Invalid duration", []string{"timeouts.update is"}},
		"stable_for":             {record(`"stable_for": "0s", "expected": {"chunk_size": 1}`), "stable_for", "Invalid duration", []string{"stable_for is"}},
		"chunk_size":             {record(`"expected": {"chunk_size": -1}`), "expected.chunk_size", "Invalid number", []string{"expected.chunk_size is -1.", number}},
		"file_max_age":           {record(`"expected": {"file_max_age": 1.5}`), "expected.file_max_age", "Invalid number", []string{"is 1.5.", number}},
		"max_transfers_in_merge": {record(`"expected": {"max_transfers_in_merge": 1234567.5}`), "expected.max_transfers_in_merge", "Invalid number", []string{"is 1234567.5.", number}},
		"file_max_size":          {record(`"expected": {"file_max_size": 9223372036854775808}`), "expected.file_max_size", "Invalid number", []string{"is 9223372036854775808.", number}},
		"file_max_size, long": {
			record(`"expected": {"file_max_size": 1` + strings.Repeat("0", 50) + `}`), "expected.file_max_size", "Invalid number",
			[]string{"is 1" + strings.Repeat("0", 38) + "…"},
		},
		"api_version":           {record(`"expected": {"api_version": "2.1"}`), "expected.api_version", "Invalid version", []string{`expected.api_version is "2.1".`, version}},
		"api_version, empty":    {record(`"expected": {"api_version": ""}`), "expected.api_version", "Invalid version", []string{`expected.api_version is "".`}},
		"triggers, no block":    {record(`"triggers": {"a": "1"}`), "triggers", "Triggers without anything expected", []string{"Set an argument in the block expected, or remove triggers."}},
		"triggers, empty block": {record(`"triggers": {"a": "1"}, "expected": {}`), "triggers", "Triggers without anything expected", nil},
		"stable_for, no block":  {record(`"stable_for": "1s"`), "stable_for", "stable_for without anything expected", []string{"or remove stable_for."}},
		"stable_for, creation": {
			record(`"stable_for": "60s", "expected": {"chunk_size": 1}, "timeouts": {"create": "1m"}`), "stable_for", "stable_for is too long",
			[]string{"stable_for is 1m, timeouts.create is 1m and timeouts.update is 10m:", "Make stable_for shorter than both."},
		},
		"stable_for, update": {
			record(`"stable_for": "61s", "expected": {"chunk_size": 1}, "timeouts": {"update": "1m"}`), "stable_for", "stable_for is too long",
			[]string{"stable_for is 1m1s, timeouts.create is 10m and timeouts.update is 1m:"},
		},
		"stable_for, default": {
			record(`"stable_for": "10m", "expected": {"chunk_size": 1}`), "stable_for", "stable_for is too long",
			[]string{"timeouts.create is 10m and timeouts.update is 10m:"},
		},
	}, map[string]string{
		"base_url": `{"base_url": "https://h"}`,
		"everything": record(`
			"expected": {"api_version": "2.1.0-rc.1+build", "chunk_size": 0, "file_max_age": 1, "file_max_size": 9223372036854775807,
				"max_transfers_in_merge": 1, "require_password": false},
			"stable_for": "599s", "triggers": {"a": "1"}, "timeouts": {"create": "10m", "read": "1s", "update": "10m"}`),
		"no trigger": record(`"triggers": {}`),
	})
}

// TestValidateUnknown leaves what is not known yet to the plan, and finds faults beside it.
func TestValidateUnknown(t *testing.T) {
	t.Parallel()
	text, unknown := types.StringValue, types.StringUnknown()
	if got := checkDelays(retryModel{MinDelay: text("11s"), MaxDelay: unknown}); got != nil {
		t.Errorf("min_delay beside an unknown max_delay: %s", got.Detail())
	}
	if got := checkDelays(retryModel{MinDelay: unknown, MaxDelay: text("1ms")}); got != nil {
		t.Errorf("max_delay beside an unknown min_delay: %s", got.Detail())
	}
	if got := checkClientCertificate(unknown, text("key")); got != nil {
		t.Errorf("client_key_pem beside an unknown client_cert_pem: %s", got.Detail())
	}
	if got := checkClientCertificate(text("certificate"), unknown); got != nil {
		t.Errorf("client_cert_pem beside an unknown client_key_pem: %s", got.Detail())
	}
	elements := func(names ...string) types.Map {
		values := make(map[string]attr.Value)
		for _, name := range names {
			values[name] = types.StringUnknown()
		}
		return types.MapValueMust(types.StringType, values)
	}
	_, diags := parseHeaders(path.Root("request_headers"), elements("X-Token", "Host"))
	requireNoDiagnostics(t, diags)
	_, diags = parseHeaders(path.Root("request_headers"), elements("X-Token", "Connection"))
	requireDiagnostic(t, diags, "Error: Invalid request header", "remove it")
	requireNoDiagnostics(t, baseURLsValidator.validate(path.Root("base_urls"), elements("a")))

	expected := objectOf(t, "expected", expectedModel{ChunkSize: numberOf(1)})
	triggers := mapOf(map[string]string{"deploy": "1"})
	records := map[string]func(*recordModel){
		"expected": func(record *recordModel) {
			record.Expected, record.Triggers, record.StableFor = types.ObjectUnknown(expected.AttributeTypes(t.Context())), triggers, text("1m")
		},
		"an argument of expected": func(record *recordModel) {
			record.Expected, record.Triggers, record.StableFor = objectOf(t, "expected", expectedModel{ChunkSize: types.NumberUnknown()}), triggers, text("1m")
		},
		"triggers":   func(record *recordModel) { record.Triggers = types.MapUnknown(types.StringType) },
		"stable_for": func(record *recordModel) { record.StableFor = unknown },
		"timeouts": func(record *recordModel) {
			record.Expected, record.StableFor, record.Timeouts = expected, text("1h"), types.ObjectUnknown(record.Timeouts.AttributeTypes(t.Context()))
		},
		"an argument of timeouts": func(record *recordModel) {
			record.Expected, record.StableFor = expected, text("1h")
			record.Timeouts = objectOf(t, "timeouts", recordTimeoutsModel{Create: unknown})
		},
	}
	for name, set := range records {
		record := newRecord(t, "https://files.example.org")
		set(&record)
		config := tfsdk.Config(withModel(t, recordState(), &record))
		var resp resource.ValidateConfigResponse
		(&instanceRecordResource{}).ValidateConfig(t.Context(), resource.ValidateConfigRequest{Config: config}, &resp)
		if len(resp.Diagnostics) > 0 {
			t.Errorf("%s unknown: %s", name, textOf(resp.Diagnostics))
		}
	}
}
