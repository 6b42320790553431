package provider_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/provider"
)

// Acceptance tests (TestAcc...) run configurations through Terraform or OpenTofu. All others speak the plugin protocol with the
// provider in their own process, through what is in this file: they are for tables of cases that no plan distinguishes.

func TestMain(m *testing.M) {
	acctest.CleanEnvironment()
	os.Exit(m.Run())
}

// What has a configuration.
const (
	providerBlock = "provider"
	instanceName  = "filetransfer_instance"
	instancesName = "filetransfer_instances"
	recordName    = "filetransfer_instance_record"
)

// object is a configuration, a plan or a state, or an object or a map in one, as Go values: string, bool, a number, []any, object,
// unknown, or nil. What it lacks is null.
type object map[string]any

// unknown is a value that is known only after apply.
type unknown struct{}

// with returns a copy with other or further values.
func (o object) with(more object) object {
	merged := maps.Clone(o)
	if merged == nil {
		merged = make(object)
	}
	maps.Copy(merged, more)
	return merged
}

// toTerraform converts a Go value to a Terraform value.
func toTerraform(tb testing.TB, of tftypes.Type, value any) tftypes.Value {
	tb.Helper()
	switch value := value.(type) {
	case unknown:
		return tftypes.NewValue(of, tftypes.UnknownValue)
	case []any:
		var elements []tftypes.Value
		for _, element := range value {
			elements = append(elements, toTerraform(tb, of.(tftypes.List).ElementType, element))
		}
		return tftypes.NewValue(of, elements)
	case object:
		values := make(map[string]tftypes.Value)
		if isMap, ok := of.(tftypes.Map); ok {
			for key, element := range value {
				values[key] = toTerraform(tb, isMap.ElementType, element)
			}
			return tftypes.NewValue(of, values)
		}
		for name, attributeType := range of.(tftypes.Object).AttributeTypes {
			values[name] = toTerraform(tb, attributeType, value[name])
		}
		for name := range value {
			if _, ok := values[name]; !ok {
				tb.Fatalf("there is no argument %s", name)
			}
		}
		return tftypes.NewValue(of, values)
	default:
		return tftypes.NewValue(of, value)
	}
}

// toGo converts a Terraform value to a string, a bool, an int64, []any, an object, unknown or nil.
func toGo(tb testing.TB, value tftypes.Value) any {
	tb.Helper()
	switch of := value.Type(); {
	case !value.IsKnown():
		return unknown{}
	case value.IsNull():
		return nil
	case of.Is(tftypes.String):
		return convert[string](tb, value)
	case of.Is(tftypes.Bool):
		return convert[bool](tb, value)
	case of.Is(tftypes.Number):
		integer, accuracy := convert[*big.Float](tb, value).Int64()
		if accuracy != big.Exact {
			tb.Fatalf("%s is not an int64", value)
		}
		return integer
	case of.Is(tftypes.List{}):
		list := []any{}
		for _, element := range convert[[]tftypes.Value](tb, value) {
			list = append(list, toGo(tb, element))
		}
		return list
	default:
		values := make(object)
		for name, element := range convert[map[string]tftypes.Value](tb, value) {
			values[name] = toGo(tb, element)
		}
		return values
	}
}

func convert[T any](tb testing.TB, value tftypes.Value) (converted T) {
	tb.Helper()
	requireNoError(tb, value.As(&converted))
	return converted
}

// schemas returns what the provider tells Terraform about itself, after the framework has checked it.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	resp, err := newTestProvider().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || len(resp.Diagnostics) > 0 {
		panic(fmt.Sprintf("%v\n%s", err, diagnostics(resp.Diagnostics)))
	}
	return resp
})

func schemaOf(name string) *tfprotov6.Schema {
	switch name {
	case providerBlock:
		return schemas().Provider
	case recordName:
		return schemas().ResourceSchemas[name]
	default:
		return schemas().DataSourceSchemas[name]
	}
}

// encode encodes the configuration, the plan or the state of the provider block, a data source or a record. A nil object is an empty
// configuration, and no record at all.
func encode(tb testing.TB, name string, values object) *tfprotov6.DynamicValue {
	tb.Helper()
	of := schemaOf(name).ValueType()
	value := toTerraform(tb, of, values)
	if name == recordName && values == nil {
		value = tftypes.NewValue(of, nil)
	}
	encoded, err := tfprotov6.NewDynamicValue(of, value)
	requireNoError(tb, err)
	return &encoded
}

// decode decodes a plan or a state. Returns nil if there is none.
func decode(tb testing.TB, name string, encoded *tfprotov6.DynamicValue) object {
	tb.Helper()
	if encoded == nil {
		return nil
	}
	value, err := encoded.Unmarshal(schemaOf(name).ValueType())
	requireNoError(tb, err)
	values, _ := toGo(tb, value).(object)
	return values
}

// testProvider is a provider behind the plugin protocol.
type testProvider struct {
	tfprotov6.ProviderServer
	deferralAllowed bool // by the client
}

func newTestProvider() testProvider {
	return testProvider{ProviderServer: providerserver.NewProtocol6(provider.New("1.2.3")())()}
}

// validate validates the configuration of the provider block, a data source or a record.
func validate(ctx context.Context, tb testing.TB, name string, config object) diagnostics {
	tb.Helper()
	encoded := encode(tb, name, config)
	switch name {
	case providerBlock:
		resp, err := newTestProvider().ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: encoded})
		requireNoError(tb, err)
		return resp.Diagnostics
	case recordName:
		resp, err := newTestProvider().ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: encoded})
		requireNoError(tb, err)
		return resp.Diagnostics
	default:
		resp, err := newTestProvider().ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: encoded})
		requireNoError(tb, err)
		return resp.Diagnostics
	}
}

// configure configures a provider.
func configure(ctx context.Context, tb testing.TB, config object) (testProvider, diagnostics) {
	tb.Helper()
	p := newTestProvider()
	resp, err := p.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.11.4", Config: encode(tb, providerBlock, config)})
	requireNoError(tb, err)
	return p, resp.Diagnostics
}

// result is what an operation on a data source or a record returned.
type result struct {
	state       object // nil after an error, if it is deferred, and without a record
	diagnostics diagnostics
	deferred    *tfprotov6.Deferred
	private     []byte // of a record
}

// read reads a data source.
func (p testProvider) read(ctx context.Context, tb testing.TB, name string, config object) result {
	tb.Helper()
	resp, err := p.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName:           name,
		Config:             encode(tb, name, config),
		ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: p.deferralAllowed},
	})
	requireNoError(tb, err)
	got := result{diagnostics: resp.Diagnostics, deferred: resp.Deferred}
	if !slices.ContainsFunc(got.diagnostics, isError) {
		got.state = decode(tb, name, resp.State)
	}
	return got
}

// read configures a provider, without diagnostics, and reads a data source.
func read(tb testing.TB, providerConfig object, name string, config object) result {
	tb.Helper()
	p, diags := configure(tb.Context(), tb, providerConfig)
	diags.require(tb)
	return p.read(tb.Context(), tb, name, config)
}

// unsetArguments is null for each argument of a record.
func unsetArguments() object {
	unset := make(object)
	for _, attribute := range schemaOf(recordName).Block.Attributes {
		if !attribute.Computed {
			unset[attribute.Name] = nil
		}
	}
	for _, nested := range schemaOf(recordName).Block.BlockTypes {
		unset[nested.TypeName] = nil
	}
	return unset
}

// plan plans a record with this configuration. It is nil to destroy the record.
func (p testProvider) plan(tb testing.TB, prior result, config object) result {
	tb.Helper()
	proposed := maps.Clone(config)
	for name, value := range prior.state { // what is computed, as Terraform proposes it
		if _, isArgument := unsetArguments()[name]; config != nil && !isArgument {
			proposed[name] = value
		}
	}
	resp, err := p.PlanResourceChange(tb.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName:         recordName,
		PriorState:       encode(tb, recordName, prior.state),
		PriorPrivate:     prior.private,
		ProposedNewState: encode(tb, recordName, proposed),
		Config:           encode(tb, recordName, config),
	})
	requireNoError(tb, err)
	if len(resp.RequiresReplace) > 0 {
		tb.Errorf("%v replace the record", resp.RequiresReplace)
	}
	return result{state: decode(tb, recordName, resp.PlannedState), diagnostics: resp.Diagnostics, private: resp.PlannedPrivate}
}

// applyPlan applies what plan returned.
func (p testProvider) applyPlan(ctx context.Context, tb testing.TB, prior, planned result, config object) result {
	tb.Helper()
	resp, err := p.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName:       recordName,
		PriorState:     encode(tb, recordName, prior.state),
		PlannedState:   encode(tb, recordName, planned.state),
		PlannedPrivate: planned.private,
		Config:         encode(tb, recordName, config),
	})
	requireNoError(tb, err)
	return result{state: decode(tb, recordName, resp.NewState), diagnostics: resp.Diagnostics, private: resp.Private}
}

// apply plans a record, without diagnostics, and applies the plan.
func (p testProvider) apply(tb testing.TB, prior result, config object) result {
	tb.Helper()
	planned := p.plan(tb, prior, config)
	planned.diagnostics.require(tb)
	return p.applyPlan(tb.Context(), tb, prior, planned, config)
}

// refresh refreshes a record.
func (p testProvider) refresh(ctx context.Context, tb testing.TB, prior result) result {
	tb.Helper()
	resp, err := p.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName:           recordName,
		CurrentState:       encode(tb, recordName, prior.state),
		Private:            prior.private,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: p.deferralAllowed},
	})
	requireNoError(tb, err)
	return result{decode(tb, recordName, resp.NewState), resp.Diagnostics, resp.Deferred, resp.Private}
}

// importRecord imports a record, without the refresh that follows.
func (p testProvider) importRecord(tb testing.TB, id string) result {
	tb.Helper()
	resp, err := p.ImportResourceState(tb.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: recordName, ID: id})
	requireNoError(tb, err)
	got := result{diagnostics: resp.Diagnostics}
	for _, imported := range resp.ImportedResources {
		got.state, got.private = decode(tb, recordName, imported.State), imported.Private
	}
	return got
}

// requireSuccess returns the state after an operation without diagnostics.
func (r result) requireSuccess(tb testing.TB) object {
	tb.Helper()
	if len(r.diagnostics) > 0 || r.state == nil {
		tb.Fatalf("state %v, diagnostics:\n%s", r.state, r.diagnostics)
	}
	return r.state
}

type diagnostics []*tfprotov6.Diagnostic

func isError(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }

// String returns all texts of all diagnostics.
func (d diagnostics) String() string {
	var all strings.Builder
	for _, one := range d {
		fmt.Fprintf(&all, "%s: %s (at %q)\n%s\n\n", one.Severity, one.Summary, attributeOf(one), one.Detail)
	}
	return all.String()
}

// attributeOf returns the path of the attribute of a diagnostic as a configuration would write it. Returns "" if it has none.
func attributeOf(d *tfprotov6.Diagnostic) string {
	var path strings.Builder
	for _, step := range d.Attribute.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			if path.Len() > 0 {
				path.WriteByte('.')
			}
			path.WriteString(string(step))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&path, "[%q]", string(step))
		}
	}
	return path.String()
}

// diagnostic is a diagnostic that a test wants.
type diagnostic struct {
	severity  tfprotov6.DiagnosticSeverity
	attribute string // its path, "" for none
	summary   string
	details   []string // parts of the detail
}

// errorAt returns an error on an attribute, "" for none, with these parts in its detail.
func errorAt(attribute, summary string, details ...string) diagnostic {
	return diagnostic{tfprotov6.DiagnosticSeverityError, attribute, summary, details}
}

// warningAt returns a warning on an attribute, "" for none, with these parts in its detail.
func warningAt(attribute, summary string, details ...string) diagnostic {
	return diagnostic{tfprotov6.DiagnosticSeverityWarning, attribute, summary, details}
}

func (d diagnostic) matches(got *tfprotov6.Diagnostic) bool {
	lacks := func(part string) bool { return !strings.Contains(got.Detail, part) }
	return got.Severity == d.severity && got.Summary == d.summary && attributeOf(got) == d.attribute && !slices.ContainsFunc(d.details, lacks)
}

// require checks that there are these diagnostics and no others.
func (d diagnostics) require(tb testing.TB, want ...diagnostic) {
	tb.Helper()
	if len(d) != len(want) {
		tb.Errorf("%d diagnostics, want %d:\n%s", len(d), len(want), d)
		return
	}
	for _, one := range want {
		if !slices.ContainsFunc(d, one.matches) {
			tb.Errorf("no %s %q at %q with %q in:\n%s", one.severity, one.summary, one.attribute, one.details, d)
		}
	}
}

func requireNoError(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func assertEqual(tb testing.TB, name string, got, want any) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("%s: want (-), got (+):\n%s", name, diff)
	}
}

func assertContains(tb testing.TB, text string, parts ...string) {
	tb.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			tb.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

func assertNotContains(tb testing.TB, text string, parts ...string) {
	tb.Helper()
	for _, part := range parts {
		if at := strings.Index(text, part); at >= 0 {
			tb.Errorf("%q is in:\n%s", part, text[max(0, at-500):min(len(text), at+500)]) // a log is long
		}
	}
}

// shortRetries are arguments of the provider for short delays.
func shortRetries(maxAttempts int) object {
	return object{"retry": object{"max_attempts": maxAttempts, "min_delay": "1ms", "max_delay": "2ms"}}
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
