package provider

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const instanceName = "filetransfer_instance"

// TestMain keeps a default instance of whoever runs the tests out of them.
func TestMain(m *testing.M) {
	_ = os.Unsetenv(baseURLVariable)
	os.Exit(m.Run())
}

// factories serve the provider to the CLI of an acceptance test.
func factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		typeName: providerserver.NewProtocol6WithError(New("test")()),
	}
}

// needs skips an acceptance test whose configuration uses a feature that the
// CLI does not have yet. The versions of the products do not compare.
type needs struct{ feature, terraform, openTofu string }

var (
	needsPrecondition   = needs{"precondition", "1.2.0", "1.6.0"}
	needsTerraformData  = needs{"terraform_data", "1.4.0", "1.6.0"}
	needsSensitiveState = needs{"sensitive_values in the state", "1.4.6", "1.6.0"}
)

func (n needs) CheckTerraformVersion(_ context.Context, req tfversion.CheckTerraformVersionRequest, resp *tfversion.CheckTerraformVersionResponse) {
	product, minimum := "Terraform", n.terraform
	if strings.Contains(os.Getenv("TF_ACC_PROVIDER_HOST"), "opentofu") {
		product, minimum = "OpenTofu", n.openTofu
	}
	if req.TerraformVersion.Core().LessThan(version.Must(version.NewVersion(minimum))) {
		resp.Skip = fmt.Sprintf("%s needs %s %s, this is %s", n.feature, product, minimum, req.TerraformVersion)
	}
}

// words matches a text of the CLI, which breaks lines where it likes and may
// draw a bar before each.
func words(text string) *regexp.Regexp {
	fields := strings.Fields(text)
	for i, field := range fields {
		fields[i] = regexp.QuoteMeta(field)
	}
	return regexp.MustCompile(strings.Join(fields, `[\s│]+`))
}

// args are the arguments of a configuration as Go values: a string, a bool, an
// int, args for a map or an object, unknown, or nil. What an object lacks is
// null.
type args map[string]any

// unknown stands for a value that is only known after apply.
type unknown struct{}

// valueOf makes a Terraform value of a Go one.
func valueOf(t *testing.T, of tftypes.Type, value any) tftypes.Value {
	t.Helper()
	switch value := value.(type) {
	case unknown:
		return tftypes.NewValue(of, tftypes.UnknownValue)
	case args:
		values := make(map[string]tftypes.Value)
		if collection, ok := of.(tftypes.Map); ok {
			for name, element := range value {
				values[name] = valueOf(t, collection.ElementType, element)
			}
			return tftypes.NewValue(of, values)
		}
		object, ok := of.(tftypes.Object)
		if !ok {
			t.Fatalf("%v for a %s", value, of)
		}
		for name, attributeType := range object.AttributeTypes {
			values[name] = valueOf(t, attributeType, value[name])
		}
		for name := range value {
			if _, ok := values[name]; !ok {
				t.Fatalf("there is no argument %s", name)
			}
		}
		return tftypes.NewValue(of, values)
	default:
		return tftypes.NewValue(of, value)
	}
}

// plain makes a Go value of a Terraform one: a string, bool, int64, []any,
// args, unknown or nil.
func plain(t *testing.T, value tftypes.Value) any {
	t.Helper()
	if !value.IsKnown() {
		return unknown{}
	}
	if value.IsNull() {
		return nil
	}
	as := func(into any) {
		t.Helper()
		if err := value.As(into); err != nil {
			t.Fatal(err)
		}
	}
	switch value.Type().(type) {
	case tftypes.List:
		var elements []tftypes.Value
		as(&elements)
		list := make([]any, 0, len(elements))
		for _, element := range elements {
			list = append(list, plain(t, element))
		}
		return list
	case tftypes.Map, tftypes.Object:
		elements := make(args)
		for name, element := range elementsOf(t, value) {
			elements[name] = plain(t, element)
		}
		return elements
	}
	switch {
	case value.Type().Is(tftypes.String):
		return textOf(t, value)
	case value.Type().Is(tftypes.Bool):
		var truth bool
		as(&truth)
		return truth
	default:
		number := new(big.Float)
		as(number)
		integer, accuracy := number.Int64()
		if accuracy != big.Exact {
			t.Fatalf("%s is not an int64", number)
		}
		return integer
	}
}

// diagnostics are what a client is told.
type diagnostics []*tfprotov6.Diagnostic

func (d diagnostics) errors() diagnostics {
	return slices.DeleteFunc(slices.Clone(d), func(one *tfprotov6.Diagnostic) bool {
		return one.Severity != tfprotov6.DiagnosticSeverityError
	})
}

// String is everything that is said, for tests that look for what must not be.
func (d diagnostics) String() string {
	var all strings.Builder
	for _, one := range d {
		fmt.Fprintf(&all, "%s: %s (at %q)\n%s\n\n", one.Severity, one.Summary, placeOf(one), one.Detail)
	}
	return all.String()
}

// placeOf writes the path of a diagnostic as in a configuration, or "".
func placeOf(one *tfprotov6.Diagnostic) string {
	var place strings.Builder
	if one.Attribute == nil {
		return ""
	}
	for _, step := range one.Attribute.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			if place.Len() > 0 {
				place.WriteByte('.')
			}
			place.WriteString(string(step))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&place, "[%q]", string(step))
		}
	}
	return place.String()
}

// expected is a diagnostic that must be there.
type expected struct {
	warning bool
	at      string   // path of the attribute, "" for none
	summary string   // all of it
	says    []string // parts of the detail
}

// must checks that the diagnostics are those expected, each once and no other.
func (d diagnostics) must(t *testing.T, want ...expected) {
	t.Helper()
	if len(d) != len(want) {
		t.Errorf("%d diagnostics, want %d:\n%s", len(d), len(want), d)
		return
	}
	for _, one := range want {
		severity := tfprotov6.DiagnosticSeverityError
		if one.warning {
			severity = tfprotov6.DiagnosticSeverityWarning
		}
		found := slices.IndexFunc(d, func(got *tfprotov6.Diagnostic) bool {
			return got.Severity == severity && got.Summary == one.summary && placeOf(got) == one.at && one.saidBy(got)
		})
		if found < 0 {
			t.Errorf("no %s %q at %q that says %q in:\n%s", severity, one.summary, one.at, one.says, d)
		}
	}
}

func (e expected) saidBy(got *tfprotov6.Diagnostic) bool {
	return !slices.ContainsFunc(e.says, func(part string) bool { return !strings.Contains(got.Detail, part) })
}

// mustNotSay checks that none of the secrets shows.
func mustNotSay(t *testing.T, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%q shows in:\n%s", secret, text)
		}
	}
}

// providerBlock makes a provider block of the arguments.
func providerBlock(t *testing.T, arguments args) *tfprotov6.DynamicValue {
	t.Helper()
	var resp provider.SchemaResponse
	New("test")().Schema(t.Context(), provider.SchemaRequest{}, &resp)
	config := dynamicValue(t, valueOf(t, terraformTypes(resp.Schema.Attributes), arguments))
	return &config
}

// validateProvider is what `terraform validate` says of a provider block.
func validateProvider(t *testing.T, arguments args) diagnostics {
	t.Helper()
	server := providerserver.NewProtocol6(New("test")())()
	resp, err := server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: providerBlock(t, arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Diagnostics
}

// configure validates and configures the provider.
func configure(ctx context.Context, t *testing.T, arguments args) (tfprotov6.ProviderServer, diagnostics) {
	t.Helper()
	if faults := validateProvider(t, arguments); len(faults) > 0 {
		t.Fatalf("the provider block is not valid:\n%s", faults)
	}
	server := providerserver.NewProtocol6(New("1.2.3")())()
	resp, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.11.4",
		Config:           providerBlock(t, arguments),
	})
	if err != nil {
		t.Fatal(err)
	}
	return server, resp.Diagnostics
}

// validateInstance is what `terraform validate` says of a data source.
func validateInstance(t *testing.T, arguments args) diagnostics {
	t.Helper()
	server := providerserver.NewProtocol6(New("test")())()
	config := dynamicValue(t, valueOf(t, instanceType(), arguments))
	resp, err := server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: instanceName, Config: &config})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Diagnostics
}

// reading is the outcome of reading filetransfer_instance.
type reading struct {
	state    args // nil where there is none, or none is known
	deferred *tfprotov6.Deferred
	told     diagnostics
}

// must returns the state of a read that must have gone well in silence.
func (r reading) must(t *testing.T) args {
	t.Helper()
	if len(r.told) > 0 || r.state == nil {
		t.Fatalf("state %v, diagnostics:\n%s", r.state, r.told)
	}
	return r.state
}

// readInstance configures the provider, which must go well, and reads.
func readInstance(ctx context.Context, t *testing.T, provider, arguments args) reading {
	t.Helper()
	server, faults := configure(ctx, t, provider)
	if len(faults.errors()) > 0 {
		t.Fatalf("configuring:\n%s", faults)
	}
	return readInstanceFrom(ctx, t, server, arguments, false)
}

func readInstanceFrom(ctx context.Context, t *testing.T, server tfprotov6.ProviderServer, arguments args, deferral bool) reading {
	t.Helper()
	if faults := validateInstance(t, arguments); len(faults) > 0 {
		t.Fatalf("the configuration is not valid:\n%s", faults)
	}
	config := dynamicValue(t, valueOf(t, instanceType(), arguments))
	resp, err := server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName:           instanceName,
		Config:             &config,
		ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: deferral},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := reading{deferred: resp.Deferred, told: resp.Diagnostics}
	if len(got.told.errors()) > 0 {
		return got
	}
	state, err := resp.State.Unmarshal(instanceType())
	if err != nil {
		t.Fatal(err)
	}
	got.state, _ = plain(t, state).(args)
	return got
}

// oneAttempt switches retries off.
func oneAttempt() args { return args{"retry": args{"max_attempts": 1}} }

// impatient makes delays short.
func impatient(maxAttempts int) args {
	return args{"retry": args{"max_attempts": maxAttempts, "min_delay": "1ms", "max_delay": "2ms"}}
}

// with returns arguments with further ones.
func (a args) with(more args) args {
	merged := maps.Clone(a)
	maps.Copy(merged, more)
	return merged
}

func mustEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s is %#v, want %#v", what, got, want)
	}
}

// mustMatch checks the attributes that want has.
func (a args) mustMatch(t *testing.T, want args) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		mustEqual(t, name, a[name], want[name])
	}
}

func TestSchemasAreValid(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	subject := &filetransferProvider{}

	var ours provider.SchemaResponse
	subject.Schema(ctx, provider.SchemaRequest{}, &ours)
	if diags := ours.Schema.ValidateImplementation(ctx); diags.HasError() {
		t.Errorf("provider: %v", diags)
	}
	for _, make := range subject.DataSources(ctx) {
		var resp datasource.SchemaResponse
		make().Schema(ctx, datasource.SchemaRequest{}, &resp)
		if diags := resp.Schema.ValidateImplementation(ctx); diags.HasError() {
			t.Errorf("%T: %v", make(), diags)
		}
	}
	for _, make := range subject.Functions(ctx) {
		var named function.MetadataResponse
		make().Metadata(ctx, function.MetadataRequest{}, &named)
		var resp function.DefinitionResponse
		make().Definition(ctx, function.DefinitionRequest{}, &resp)
		var checked function.DefinitionValidateResponse
		resp.Definition.ValidateImplementation(ctx, function.DefinitionValidateRequest{FuncName: named.Name}, &checked)
		if checked.Diagnostics.HasError() {
			t.Errorf("%s: %v", named.Name, checked.Diagnostics)
		}
	}
}

func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	server := providerserver.NewProtocol6(New("test")())()
	resp, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	diagnostics(resp.Diagnostics).must(t)

	described := 0
	describe := func(place, text string) {
		described++
		if strings.TrimSpace(text) == "" {
			t.Errorf("%s has no description", place)
		}
	}
	var walk func(place string, attributes []*tfprotov6.SchemaAttribute)
	walk = func(place string, attributes []*tfprotov6.SchemaAttribute) {
		for _, attribute := range attributes {
			place := place + "." + attribute.Name
			describe(place, attribute.Description)
			if attribute.DescriptionKind != tfprotov6.StringKindMarkdown {
				t.Errorf("the description of %s is not Markdown", place)
			}
			if attribute.NestedType != nil {
				walk(place, attribute.NestedType.Attributes)
			}
		}
	}
	schemas := map[string]*tfprotov6.Schema{"provider": resp.Provider}
	maps.Copy(schemas, resp.DataSourceSchemas)
	for place, schema := range schemas {
		describe(place, schema.Block.Description)
		walk(place, schema.Block.Attributes)
	}
	for place, function := range resp.Functions {
		describe(place, function.Summary)
		describe(place, function.Description)
		for _, parameter := range function.Parameters {
			describe(place+"."+parameter.Name, parameter.Description)
		}
	}

	names := slices.Sorted(maps.Keys(resp.DataSourceSchemas))
	mustEqual(t, "the data sources", names, []string{"filetransfer_instance", "filetransfer_instances"})
	if described < 50 {
		t.Errorf("only %d descriptions were looked at", described)
	}
}

// TestArguments pins the names, types and sensitivity that users write.
func TestArguments(t *testing.T) {
	t.Parallel()
	server := providerserver.NewProtocol6(New("test")())()
	resp, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var list func(prefix string, attributes []*tfprotov6.SchemaAttribute) []string
	list = func(prefix string, attributes []*tfprotov6.SchemaAttribute) []string {
		var lines []string
		for _, attribute := range attributes {
			line := prefix + attribute.Name
			switch {
			case attribute.Required:
				line += " required"
			case attribute.Optional:
				line += " optional"
			}
			if attribute.Computed {
				line += " computed"
			}
			if attribute.Sensitive {
				line += " sensitive"
			}
			if attribute.NestedType == nil {
				lines = append(lines, line+" "+attribute.Type.String())
				continue
			}
			lines = append(lines, line+" "+attribute.NestedType.Nesting.String())
			lines = append(lines, list(prefix+attribute.Name+".", attribute.NestedType.Attributes)...)
		}
		return lines
	}
	tests := map[string]struct {
		schema *tfprotov6.Schema
		want   string
	}{
		"provider": {resp.Provider, `
			base_url optional tftypes.String
			ca_cert_pem optional tftypes.String
			client_cert_pem optional tftypes.String
			client_key_pem optional sensitive tftypes.String
			insecure optional tftypes.Bool
			request_headers optional sensitive tftypes.Map[tftypes.String]
			request_timeout optional tftypes.String
			retry optional SINGLE
			retry.max_attempts optional tftypes.Number
			retry.max_delay optional tftypes.String
			retry.min_delay optional tftypes.String`},
		instanceName: {resp.DataSourceSchemas[instanceName], `
			api_version computed tftypes.String
			api_version_major computed tftypes.Number
			api_version_minor computed tftypes.Number
			api_version_patch computed tftypes.Number
			base_url optional computed tftypes.String
			chunk_size computed tftypes.Number
			file_max_age computed tftypes.Number
			file_max_size computed tftypes.Number
			max_transfers_in_merge computed tftypes.Number
			recommended_expire_times computed LIST
			recommended_expire_times.in_minutes computed tftypes.Number
			recommended_expire_times.in_seconds computed tftypes.Number
			recommended_expire_times.label computed tftypes.String
			request_headers optional sensitive tftypes.Map[tftypes.String]
			require_password computed tftypes.Bool
			response_body computed tftypes.String
			timeouts optional SINGLE
			timeouts.read optional tftypes.String
			wait_until_ready optional tftypes.Bool`},
		instancesName: {resp.DataSourceSchemas[instancesName], `
			allow_failures optional tftypes.Bool
			base_urls required tftypes.Map[tftypes.String]
			errors computed tftypes.Map[tftypes.String]
			instances computed MAP
			instances.api_version computed tftypes.String
			instances.api_version_major computed tftypes.Number
			instances.api_version_minor computed tftypes.Number
			instances.api_version_patch computed tftypes.Number
			instances.base_url computed tftypes.String
			instances.chunk_size computed tftypes.Number
			instances.file_max_age computed tftypes.Number
			instances.file_max_size computed tftypes.Number
			instances.max_transfers_in_merge computed tftypes.Number
			instances.recommended_expire_times computed LIST
			instances.recommended_expire_times.in_minutes computed tftypes.Number
			instances.recommended_expire_times.in_seconds computed tftypes.Number
			instances.recommended_expire_times.label computed tftypes.String
			instances.require_password computed tftypes.Bool
			max_concurrency optional tftypes.Number
			request_headers optional sensitive tftypes.Map[tftypes.String]
			timeouts optional SINGLE
			timeouts.read optional tftypes.String
			wait_until_ready optional tftypes.Bool`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(list("", test.schema.Block.Attributes), "\n")
			if want := strings.Join(strings.Split(strings.TrimSpace(test.want), "\n\t\t\t"), "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestDefaults pins the defaults that are promised, and what the documentation
// says of them.
func TestDefaults(t *testing.T) {
	t.Parallel()
	var nothing providerModel
	retry, faults := nothing.retry(t.Context())
	if faults.HasError() {
		t.Fatal(faults)
	}
	mustEqual(t, "retry", retry, client.Retry{MaxAttempts: 4, MinDelay: 500 * time.Millisecond, MaxDelay: 10 * time.Second})

	data, faults := nothing.configure(t.Context(), "test")
	if faults.HasError() {
		t.Fatal(faults)
	}
	// The client does not tell its timeout, but by an attempt that takes as long.
	timeout := reflect.ValueOf(data.client).Elem().FieldByName("requestTimeout").Int()
	mustEqual(t, "request_timeout", time.Duration(timeout), 10*time.Second)

	raw := valueOf(t, instancesType(), args{"base_urls": args{"a": "https://files.example.org"}})
	fleet, faults := fleetArgumentsFrom(t.Context(), tfsdk.Config{Raw: raw, Schema: instancesSchema()}, elementsOf(t, raw))
	if faults.HasError() {
		t.Fatal(faults)
	}
	mustEqual(t, "max_concurrency", fleet.maxConcurrency, int64(16))
	mustEqual(t, "allow_failures", fleet.allowFailures, false)

	server := providerserver.NewProtocol6(New("test")())()
	resp, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	described := make(map[string]string)
	var describe func(prefix string, attributes []*tfprotov6.SchemaAttribute)
	describe = func(prefix string, attributes []*tfprotov6.SchemaAttribute) {
		for _, attribute := range attributes {
			described[prefix+attribute.Name] = attribute.Description
			if attribute.NestedType != nil {
				describe(prefix+attribute.Name+".", attribute.NestedType.Attributes)
			}
		}
	}
	describe("provider ", resp.Provider.Block.Attributes)
	describe("instance ", resp.DataSourceSchemas[instanceName].Block.Attributes)
	describe("instances ", resp.DataSourceSchemas[instancesName].Block.Attributes)
	for place, text := range map[string]string{
		"provider request_timeout":    "Default: `\"10s\"`.",
		"provider retry.max_attempts": "Default: `4`.",
		"provider retry.min_delay":    "Default: `\"500ms\"`.",
		"provider retry.max_delay":    "Default: `\"10s\"`.",
		"instance timeouts.read":      "Default: `\"1m\"`, or `\"10m\"` with `wait_until_ready`.",
		"instances timeouts.read":     "Default: `\"1m\"`, or `\"10m\"` with `wait_until_ready`.",
		"instances max_concurrency":   "from 1 to 256. An instance that waits for its next attempt does not count. Default: `16`.",
	} {
		if !strings.Contains(described[place], text) {
			t.Errorf("%s does not say %s: %s", place, text, described[place])
		}
	}
}

// urlsToRefuse are base URLs of every kind that is refused, with what the
// error must say, and whether they hold the secret "hunter2".
var urlsToRefuse = map[string]struct {
	text   string
	says   []string
	secret bool
}{
	"empty":            {"", []string{"no scheme", `"https://"`}, false},
	"no scheme":        {"files.example.org", []string{"no scheme", `"https://"`}, false},
	"other scheme":     {"ftp://files.example.org", []string{"not http or https", `"https://"`}, false},
	"host and port":    {"files.example.org:8080", []string{"http"}, false},
	"no host":          {"https:///files", []string{"no host"}, false},
	"bad port":         {"https://files.example.org:99999", []string{"port", "65535"}, false},
	"space":            {"https://files .example.org", []string{"not a valid URL"}, false},
	"user info":        {"https://me:hunter2@files.example.org", []string{"user info", "Remove it", "request_headers"}, true},
	"token as user":    {"https://hunter2@files.example.org", []string{"user info", "request_headers"}, true},
	"unparsable":       {"https://me:hunter2%zz@files.example.org", []string{"not a valid URL"}, true},
	"unparsable, no @": {"https://me:hunter2%zz", []string{"not a valid URL"}, true},
	"query":            {"https://files.example.org/?token=hunter2", []string{"query", "Remove", "request_headers"}, true},
	"empty query":      {"https://files.example.org/?", []string{"query"}, false},
	"fragment":         {"https://files.example.org/#hunter2", []string{"fragment", "Remove"}, true},
	"user info, other": {"ftp://me:hunter2@files.example.org", []string{"http"}, true},
}

// refusal is the error for a base URL. What may hold a secret is not at the
// attribute: the CLI would print the line of the configuration.
func refusal(text string, says []string, secret bool) expected {
	one := expected{at: "base_url", summary: "Invalid base URL", says: append([]string{"base_url"}, says...)}
	if secret || strings.ContainsAny(text, "@?#") {
		one.at = ""
	}
	return one
}

// headersToRefuse are request headers of every kind that is refused.
var headersToRefuse = map[string]struct {
	headers args
	at      string
	says    []string
}{
	"Accept-Encoding":   {args{"accept-encoding": "hunter2"}, "accept-encoding", []string{"accept-encoding", "remove it"}},
	"Connection":        {args{"Connection": "hunter2"}, "Connection", []string{"Connection", "remove it"}},
	"Content-Length":    {args{"CONTENT-LENGTH": "hunter2"}, "CONTENT-LENGTH", []string{"remove it"}},
	"Transfer-Encoding": {args{"Transfer-Encoding": "hunter2"}, "Transfer-Encoding", []string{"remove it"}},
	"null":              {args{"X-Token": nil}, "X-Token", []string{"X-Token", "null", "leave the header out"}},
	"folded names":      {args{"X-Token": "hunter2", "x-token": "hunter2"}, "x-token", []string{`"X-Token"`, "same header"}},
	"line break":        {args{"X-Token": "hunter2\n"}, "X-Token", []string{"line break", "trimspace()"}},
	"header injection":  {args{"X-Token": "a\r\nX-Other: hunter2"}, "X-Token", []string{"line break"}},
	"control character": {args{"X-Token": "hunter2\x00"}, "X-Token", []string{"control character"}},
	"name with space":   {args{"X Token": "hunter2"}, "X Token", []string{"not a valid HTTP header name"}},
	"empty name":        {args{"": "hunter2"}, "", []string{"not a valid HTTP header name"}},
	"empty Host":        {args{"Host": ""}, "Host", []string{"host and port"}},
	"bad Host":          {args{"Host": "hunter2 x"}, "Host", []string{"host and port"}},
}

// durationsToRefuse are durations of every kind that is refused.
var durationsToRefuse = map[string][]string{
	"-5s": {` is "-5s", which `, "not positive", `"10s"`},
	"0s":  {`"0s"`, "not positive", `"10s"`},
	"0":   {`"0"`, "not positive"},
	"abc": {`"abc"`, "not a duration", `"10s"`, "ms, s, m and h"},
	"":    {`""`, "not a duration"},
	"10":  {`"10"`, "not a duration"},
	"1d":  {`"1d"`, "not a duration", "ms, s, m and h"},
}

// validationCase is what is said of arguments.
type validationCase struct {
	arguments args
	want      []expected
}

// addRefusals adds all that is refused of base_url, request_headers and the
// durations at the paths named.
func addRefusals(tests map[string]validationCase, durations ...string) {
	for name, refused := range urlsToRefuse {
		tests["base_url, "+name] = validationCase{args{"base_url": refused.text}, []expected{refusal(refused.text, refused.says, refused.secret)}}
	}
	for name, refused := range headersToRefuse {
		says := append(slices.Clone(refused.says), fmt.Sprintf("request_headers[%q] is not usable", refused.at))
		tests["request_headers, "+name] = validationCase{args{"request_headers": refused.headers}, []expected{{summary: "Invalid request header", says: says}}}
	}
	for text, says := range durationsToRefuse {
		for _, at := range durations {
			arguments := args{at: text}
			if object, name, nested := strings.Cut(at, "."); nested {
				arguments = args{object: args{name: text}}
			}
			tests[fmt.Sprintf("%s %q", at, text)] = validationCase{arguments, []expected{{at: at, summary: "Invalid duration", says: append(slices.Clone(says), at)}}}
		}
	}
}

func TestProviderValidation(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithTLS())
	cert, key, ca := server.ClientCertPEM(), server.ClientKeyPEM(), server.CACertPEM()
	block := func(kind string) string {
		return "-----BEGIN " + kind + "-----\naHVudGVyMg==\n-----END " + kind + "-----\n"
	}
	notPair := func(says ...string) []expected {
		return []expected{{at: "client_cert_pem", summary: "Client certificate not usable", says: append(says, "client_key_pem")}}
	}
	// An error about a text that holds a key sits on no attribute: Terraform prints the lines of one.
	onNothing := func(want []expected) []expected {
		want[0].at = ""
		return want
	}
	const delays = "Retry delays the wrong way round"

	tests := map[string]validationCase{
		"nothing": {nil, nil},
		"everything": {args{
			"base_url": "https://files.example.org/api/", "request_headers": args{"X-Token": "a", "Host": "b:1", "Accept": "c", "user-agent": "d", "X-Empty": ""},
			"request_timeout": "1m30s", "retry": args{"max_attempts": 1, "min_delay": "1s", "max_delay": "1s"},
			"ca_cert_pem": ca + ca, "client_cert_pem": cert, "client_key_pem": key, "insecure": true,
		}, nil},
		"everything unknown": {args{
			"base_url": unknown{}, "request_headers": unknown{}, "request_timeout": unknown{}, "retry": unknown{},
			"ca_cert_pem": unknown{}, "client_cert_pem": unknown{}, "client_key_pem": unknown{}, "insecure": unknown{},
		}, nil},
		"elements unknown": {args{
			"request_headers": args{"X-Token": unknown{}, "Host": unknown{}},
			"retry":           args{"max_attempts": unknown{}, "min_delay": unknown{}, "max_delay": unknown{}},
			"client_cert_pem": unknown{}, "client_key_pem": key,
		}, nil},
		"fault beside an unknown value": {
			args{"request_headers": args{"X-Token": unknown{}, "Connection": unknown{}}},
			[]expected{{summary: "Invalid request header", says: []string{"remove it"}}},
		},

		"max_attempts": {
			args{"retry": args{"max_attempts": 0}},
			[]expected{{at: "retry.max_attempts", summary: "Invalid number", says: []string{"retry.max_attempts is 0.", "a whole number, at least 1"}}},
		},
		"max_attempts with a fraction": {
			args{"retry": args{"max_attempts": big.NewFloat(1.5)}},
			[]expected{{at: "retry.max_attempts", summary: "Invalid number", says: []string{"retry.max_attempts is 1.5.", "a whole number"}}},
		},
		"max_attempts beyond 64 bits": {
			args{"retry": args{"max_attempts": big.NewFloat(1e30)}},
			[]expected{{at: "retry.max_attempts", summary: "Invalid number", says: []string{"retry.max_attempts is 1e+30."}}},
		},
		"max_attempts of 64 bits": {args{"retry": args{"max_attempts": math.MaxInt64}}, nil},
		"min_delay above max_delay": {
			args{"retry": args{"min_delay": "3s", "max_delay": "2s"}},
			[]expected{{at: "retry.min_delay", summary: delays, says: []string{"3s", "2s", "Make min_delay at most max_delay"}}},
		},
		"min_delay above the default max_delay": {
			args{"retry": args{"min_delay": "11s"}},
			[]expected{{at: "retry.min_delay", summary: delays, says: []string{"11s", "10s", "default"}}},
		},
		"max_delay below the default min_delay": {
			args{"retry": args{"max_delay": "499ms"}},
			[]expected{{at: "retry.max_delay", summary: delays, says: []string{"500ms", "499ms", "default"}}},
		},
		"min_delay above an unknown max_delay":           {args{"retry": args{"min_delay": "11s", "max_delay": unknown{}}}, nil},
		"unknown min_delay, max_delay below its default": {args{"retry": args{"min_delay": unknown{}, "max_delay": "100ms"}}, nil},

		"certificate without key": {
			args{"client_cert_pem": cert},
			[]expected{{at: "client_cert_pem", summary: "Client certificate without its key", says: []string{"client_key_pem"}}},
		},
		"key without certificate": {
			args{"client_key_pem": key},
			[]expected{{at: "client_cert_pem", summary: "Client key without its certificate", says: []string{"client_cert_pem"}}},
		},
		"not a certificate": {args{"client_cert_pem": "hunter2", "client_key_pem": key}, notPair("PEM")},
		"not a key":         {args{"client_cert_pem": cert, "client_key_pem": "hunter2"}, notPair("PEM")},
		"bad certificate":   {args{"client_cert_pem": block("CERTIFICATE"), "client_key_pem": key}, notPair()},
		"bad key":           {args{"client_cert_pem": cert, "client_key_pem": block("PRIVATE KEY")}, notPair()},
		"encrypted key":     {args{"client_cert_pem": cert, "client_key_pem": block("ENCRYPTED PRIVATE KEY")}, notPair("unencrypted")},
		"swapped":           {args{"client_cert_pem": key, "client_key_pem": cert}, onNothing(notPair("PEM"))},
		"key of another, in one text with the certificate": {args{"client_cert_pem": cert + key, "client_key_pem": block("PRIVATE KEY")}, onNothing(notPair())},
		"pair in one text": {args{"client_cert_pem": cert + key, "client_key_pem": cert + key}, nil},
		"certificate and key in one text, no key": {
			args{"client_cert_pem": cert + key},
			[]expected{{summary: "Client certificate without its key", says: []string{"client_key_pem", "for both"}}},
		},
		"not a pair": {args{"client_cert_pem": ca, "client_key_pem": key}, notPair("pair")},
		"file name for the CA": {
			args{"ca_cert_pem": "ca.pem"},
			[]expected{{at: "ca_cert_pem", summary: "CA certificates not usable", says: []string{"BEGIN CERTIFICATE", `file("ca.pem")`}}},
		},
		"key without its first line for the CA": {
			args{"ca_cert_pem": strings.Repeat("hunter2 ", 100)},
			[]expected{{summary: "CA certificates not usable", says: []string{"no certificate", "ca_cert_pem"}}},
		},
		"key for the CA": {
			args{"ca_cert_pem": key},
			[]expected{{summary: "CA certificates not usable", says: []string{"no certificate"}}},
		},
	}
	addRefusals(tests, "request_timeout", "retry.min_delay", "retry.max_delay")
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := validateProvider(t, test.arguments)
			got.must(t, test.want...)
			mustNotSay(t, got.String(), "hunter2", "aHVudGVyMg", strings.Split(key, "\n")[1])
		})
	}
}

func TestConfigureWarns(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	unused := expected{
		warning: true, summary: "Request headers without an instance to send them to",
		says: []string{"base_url", "never sent", "on the data sources"},
	}
	insecure := expected{warning: true, at: "insecure", summary: "Certificates are not verified", says: []string{"ca_cert_pem"}}
	headers := args{"request_headers": args{"X-Token": "a"}}
	tests := map[string]struct {
		arguments args
		want      []expected
	}{
		"nothing":                        {nil, nil},
		"base URL":                       {args{"base_url": server.URL()}, nil},
		"headers with a base URL":        {headers.with(args{"base_url": server.URL()}), nil},
		"headers without a base URL":     {headers, []expected{unused}},
		"headers, base URL unknown":      {headers.with(args{"base_url": unknown{}}), nil},
		"no headers in the map":          {args{"request_headers": args{}}, nil},
		"insecure":                       {args{"insecure": true}, []expected{insecure}},
		"not insecure":                   {args{"insecure": false}, nil},
		"insecure unknown":               {args{"insecure": unknown{}}, nil},
		"insecure, headers and no more":  {headers.with(args{"insecure": true}), []expected{unused, insecure}},
		"everything unknown is no error": {args{"base_url": unknown{}, "request_headers": unknown{}, "request_timeout": unknown{}, "retry": unknown{}, "ca_cert_pem": unknown{}, "client_cert_pem": unknown{}, "client_key_pem": unknown{}, "insecure": unknown{}}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, got := configure(t.Context(), t, test.arguments)
			got.must(t, test.want...)
		})
	}
	t.Cleanup(func() { mustEqual(t, "the number of connections", server.Connections(), 0) })
}

func TestBaseURLFromTheEnvironment(t *testing.T) {
	older := instancetest.New(t, instancetest.WithDocument(instancetest.Older()), instancetest.WithPath("/older"))
	newer := instancetest.New(t)
	tests := map[string]struct {
		variable  string
		provider  args
		arguments args
		want      string // base_url in the state; "" for none
	}{
		"variable":                   {older.URL() + "/", nil, nil, older.URL() + "/"},
		"provider's argument wins":   {older.URL(), args{"base_url": newer.URL()}, nil, newer.URL()},
		"data source's wins":         {older.URL(), nil, args{"base_url": newer.URL()}, newer.URL()},
		"empty variable":             {"", nil, nil, ""},
		"empty variable, argument":   {"", args{"base_url": newer.URL()}, nil, newer.URL()},
		"headers need no argument":   {older.URL(), args{"request_headers": args{"X-A": "b"}}, nil, older.URL()},
		"variable and data source's": {newer.URL(), args{"request_headers": args{"X-A": "b"}}, args{"base_url": older.URL()}, older.URL()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv(baseURLVariable, test.variable)
			got := readInstance(t.Context(), t, test.provider, test.arguments)
			if test.want == "" {
				got.told.must(t, expected{summary: "No instance to read", says: []string{"base_url", "FILETRANSFER_BASE_URL", "Set one"}})
				return
			}
			mustEqual(t, "base_url", got.must(t)["base_url"], test.want)
		})
	}
	t.Run("not a base URL", func(t *testing.T) {
		t.Setenv(baseURLVariable, "https://me:hunter2@files.example.org")
		_, got := configure(t.Context(), t, nil)
		got.must(t, expected{summary: "Invalid base URL", says: []string{"environment variable FILETRANSFER_BASE_URL", "user info"}})
		mustNotSay(t, got.String(), "hunter2")
	})
}
