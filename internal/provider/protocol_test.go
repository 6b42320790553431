package provider

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
)

// The tests of this package speak the plugin protocol with the provider, as Terraform does, in their own process. Those that go
// through Terraform itself come first, see acceptance_test.go.

// What has a configuration: the provider block, the data sources and the resource.
const (
	block         = "provider"
	instanceName  = "filetransfer_instance"
	instancesName = "filetransfer_instances"
	recordName    = "filetransfer_instance_record"
)

// TestMain keeps the environment of whoever runs the tests out of them. The test framework serves the provider under the address
// that the CLI makes of its source.
func TestMain(m *testing.M) {
	if os.Getenv("TF_ACC_PROVIDER_NAMESPACE") == "" {
		_ = os.Setenv("TF_ACC_PROVIDER_NAMESPACE", typeName)
	}
	for _, name := range []string{baseURLVariable, "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"} {
		_ = os.Unsetenv(name)
	}
	os.Exit(m.Run())
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// args are the arguments of a configuration as Go values: a string, a bool, a number, []any for a list, args for a
// map or an object, unknown, or nil. What an object lacks is null.
type args map[string]any

// unknown stands for a value that is known only after apply.
type unknown struct{}

// with returns the arguments with further ones.
func (a args) with(more args) args {
	merged := maps.Clone(a)
	if merged == nil {
		merged = make(args)
	}
	maps.Copy(merged, more)
	return merged
}

// valueOf makes a Terraform value of a Go value.
func valueOf(tb testing.TB, of tftypes.Type, value any) tftypes.Value {
	tb.Helper()
	switch value := value.(type) {
	case unknown:
		return tftypes.NewValue(of, tftypes.UnknownValue)
	case []any:
		var elements []tftypes.Value
		for _, element := range value {
			elements = append(elements, valueOf(tb, of.(tftypes.List).ElementType, element))
		}
		return tftypes.NewValue(of, elements)
	case args:
		values := make(map[string]tftypes.Value)
		if object, ok := of.(tftypes.Object); ok {
			for name, attributeType := range object.AttributeTypes {
				values[name] = valueOf(tb, attributeType, value[name])
			}
			for name := range value {
				if _, ok := values[name]; !ok {
					tb.Fatalf("there is no argument %s", name)
				}
			}
			return tftypes.NewValue(of, values)
		}
		for name, element := range value {
			values[name] = valueOf(tb, of.(tftypes.Map).ElementType, element)
		}
		return tftypes.NewValue(of, values)
	default:
		return tftypes.NewValue(of, value)
	}
}

// plain makes a Go value of a Terraform value: a string, a bool, an int64, []any, args, unknown or nil.
func plain(tb testing.TB, value tftypes.Value) any {
	tb.Helper()
	switch of := value.Type(); {
	case !value.IsKnown():
		return unknown{}
	case value.IsNull():
		return nil
	case of.Is(tftypes.String):
		return as[string](tb, value)
	case of.Is(tftypes.Bool):
		return as[bool](tb, value)
	case of.Is(tftypes.Number):
		number := as[*big.Float](tb, value)
		integer, accuracy := number.Int64()
		if accuracy != big.Exact {
			tb.Fatalf("%s is not an int64", number)
		}
		return integer
	case of.Is(tftypes.List{}):
		list := []any{}
		for _, element := range as[[]tftypes.Value](tb, value) {
			list = append(list, plain(tb, element))
		}
		return list
	default:
		values := make(args)
		for name, element := range as[map[string]tftypes.Value](tb, value) {
			values[name] = plain(tb, element)
		}
		return values
	}
}

// as makes a T of a Terraform value.
func as[T any](tb testing.TB, value tftypes.Value) (converted T) {
	tb.Helper()
	must(tb, value.As(&converted))
	return converted
}

func dynamic(tb testing.TB, value tftypes.Value) *tfprotov6.DynamicValue {
	tb.Helper()
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	must(tb, err)
	return &encoded
}

// schemas are what the provider tells Terraform about itself, after the framework has checked every one of them.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	resp, err := newProtocol().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || len(resp.Diagnostics) > 0 {
		panic(fmt.Sprintf("%v\n%s", err, diagnostics(resp.Diagnostics)))
	}
	return resp
})

func schemaOf(name string) *tfprotov6.Schema {
	switch name {
	case block:
		return schemas().Provider
	case recordName:
		return schemas().ResourceSchemas[name]
	default:
		return schemas().DataSourceSchemas[name]
	}
}

// configuration makes the configuration of the provider block, a data source or the resource.
func configuration(tb testing.TB, name string, arguments args) *tfprotov6.DynamicValue {
	tb.Helper()
	return dynamic(tb, valueOf(tb, schemaOf(name).ValueType(), arguments))
}

// protocol is a provider behind the plugin protocol.
type protocol struct {
	tfprotov6.ProviderServer
	// deferral is true if the client allows a read to be deferred.
	deferral bool
}

func newProtocol() protocol {
	return protocol{ProviderServer: providerserver.NewProtocol6(New("1.2.3")())()}
}

// send sends a request of the plugin protocol.
func send[Request, Response any](
	ctx context.Context, tb testing.TB, method func(context.Context, Request) (Response, error), request Request,
) Response {
	tb.Helper()
	response, err := method(ctx, request)
	must(tb, err)
	return response
}

// validate is `terraform validate` for the provider block, a data source or the record.
func validate(ctx context.Context, tb testing.TB, name string, arguments args) diagnostics {
	tb.Helper()
	config := configuration(tb, name, arguments)
	if name == block {
		return send(ctx, tb, newProtocol().ValidateProviderConfig, &tfprotov6.ValidateProviderConfigRequest{Config: config}).Diagnostics
	}
	if name == recordName {
		return send(ctx, tb, newProtocol().ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config}).Diagnostics
	}
	request := &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config}
	return send(ctx, tb, newProtocol().ValidateDataResourceConfig, request).Diagnostics
}

// configure configures a provider.
func configure(ctx context.Context, tb testing.TB, arguments args) (protocol, diagnostics) {
	tb.Helper()
	server := newProtocol()
	resp := send(ctx, tb, server.ConfigureProvider, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.11.4",
		Config:           configuration(tb, block, arguments),
	})
	return server, resp.Diagnostics
}

// stateOf decodes a state or a plan; nil if there is none.
func stateOf(tb testing.TB, name string, encoded *tfprotov6.DynamicValue) args {
	tb.Helper()
	if encoded == nil {
		return nil
	}
	value, err := encoded.Unmarshal(schemaOf(name).ValueType())
	must(tb, err)
	state, _ := plain(tb, value).(args)
	return state
}

// answer is what reading a data source gave, or what an operation on a record left.
type answer struct {
	state    args // nil if the read failed, or is deferred; nil without a record
	told     diagnostics
	deferred *tfprotov6.Deferred
	private  []byte // of a record
}

// read reads a data source.
func (p protocol) read(ctx context.Context, tb testing.TB, name string, arguments args) answer {
	tb.Helper()
	resp := send(ctx, tb, p.ReadDataSource, &tfprotov6.ReadDataSourceRequest{
		TypeName:           name,
		Config:             configuration(tb, name, arguments),
		ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: p.deferral},
	})
	got := answer{told: resp.Diagnostics, deferred: resp.Deferred}
	if !slices.ContainsFunc(got.told, isError) {
		got.state = stateOf(tb, name, resp.State)
	}
	return got
}

// read configures a provider, about which there must be nothing to tell, and reads a data source.
func read(tb testing.TB, provider args, name string, arguments args) answer {
	tb.Helper()
	server, told := configure(tb.Context(), tb, provider)
	told.must(tb)
	return server.read(tb.Context(), tb, name, arguments)
}

// record makes the configuration, the plan or the state of a record; none of nil.
func record(tb testing.TB, values args) *tfprotov6.DynamicValue {
	tb.Helper()
	if values == nil {
		return dynamic(tb, tftypes.NewValue(schemaOf(recordName).ValueType(), nil))
	}
	return configuration(tb, recordName, values)
}

// unsetArguments is null for each argument of a record.
func unsetArguments() args {
	unset := make(args)
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

// plan plans a record with these arguments; none to destroy it.
func (p protocol) plan(tb testing.TB, prior answer, arguments args) answer {
	tb.Helper()
	proposed := maps.Clone(arguments)
	for name, value := range prior.state { // what is computed, as Terraform proposes it
		if _, isArgument := unsetArguments()[name]; arguments != nil && !isArgument {
			proposed[name] = value
		}
	}
	resp := send(tb.Context(), tb, p.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
		TypeName: recordName, PriorState: record(tb, prior.state), PriorPrivate: prior.private,
		ProposedNewState: record(tb, proposed), Config: record(tb, arguments),
	})
	mustEqual(tb, "what replaces the record", len(resp.RequiresReplace), 0)
	return answer{state: stateOf(tb, recordName, resp.PlannedState), told: resp.Diagnostics, private: resp.PlannedPrivate}
}

// applyPlan applies what plan planned.
func (p protocol) applyPlan(ctx context.Context, tb testing.TB, prior, planned answer, arguments args) answer {
	tb.Helper()
	resp := send(ctx, tb, p.ApplyResourceChange, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: recordName, PriorState: record(tb, prior.state), PlannedState: record(tb, planned.state),
		PlannedPrivate: planned.private, Config: record(tb, arguments),
	})
	return answer{state: stateOf(tb, recordName, resp.NewState), told: resp.Diagnostics, private: resp.Private}
}

// apply plans, about which there must be nothing to tell, and applies.
func (p protocol) apply(tb testing.TB, prior answer, arguments args) answer {
	tb.Helper()
	planned := p.plan(tb, prior, arguments)
	planned.told.must(tb)
	return p.applyPlan(tb.Context(), tb, prior, planned, arguments)
}

// refresh refreshes a record.
func (p protocol) refresh(ctx context.Context, tb testing.TB, prior answer) answer {
	tb.Helper()
	resp := send(ctx, tb, p.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName: recordName, CurrentState: record(tb, prior.state), Private: prior.private,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: p.deferral},
	})
	return answer{stateOf(tb, recordName, resp.NewState), resp.Diagnostics, resp.Deferred, resp.Private}
}

// importRecord imports a record, without the refresh that follows.
func (p protocol) importRecord(tb testing.TB, id string) answer {
	tb.Helper()
	resp := send(tb.Context(), tb, p.ImportResourceState, &tfprotov6.ImportResourceStateRequest{TypeName: recordName, ID: id})
	got := answer{told: resp.Diagnostics}
	for _, imported := range resp.ImportedResources {
		got.state, got.private = stateOf(tb, recordName, imported.State), imported.Private
	}
	return got
}

// must returns the state after an operation about which there is nothing to tell.
func (a answer) must(tb testing.TB) args {
	tb.Helper()
	if len(a.told) > 0 || a.state == nil {
		tb.Fatalf("state %v, diagnostics:\n%s", a.state, a.told)
	}
	return a.state
}

// instances are the instances of a fleet that were read.
func (a answer) instances() args {
	instances, _ := a.state["instances"].(args)
	return instances
}

// errors are the failures of a fleet.
func (a answer) errors() args {
	errors, _ := a.state["errors"].(args)
	return errors
}

// diagnostics are what Terraform is told.
type diagnostics []*tfprotov6.Diagnostic

func isError(one *tfprotov6.Diagnostic) bool {
	return one.Severity == tfprotov6.DiagnosticSeverityError
}

// String is everything that is told, for tests that look for what must not be.
func (d diagnostics) String() string {
	var all strings.Builder
	for _, one := range d {
		fmt.Fprintf(&all, "%s: %s (at %q)\n%s\n\n", one.Severity, one.Summary, placeOf(one), one.Detail)
	}
	return all.String()
}

// placeOf writes the path of a diagnostic as a configuration would, or "".
func placeOf(one *tfprotov6.Diagnostic) string {
	var place strings.Builder
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
	at      string // path of the attribute, "" for none
	summary string
	says    []string // parts of the detail
}

// fault is one error that must be there.
func fault(at, summary string, says ...string) []expected {
	return []expected{{at: at, summary: summary, says: says}}
}

// warning is one warning that must be there, on no attribute.
func warning(summary string, says ...string) []expected {
	return []expected{{warning: true, summary: summary, says: says}}
}

// must checks that the diagnostics are those expected, each once, and no other.
func (d diagnostics) must(tb testing.TB, want ...expected) {
	tb.Helper()
	if len(d) != len(want) {
		tb.Errorf("%d diagnostics, want %d:\n%s", len(d), len(want), d)
		return
	}
	for _, one := range want {
		if !slices.ContainsFunc(d, one.is) {
			tb.Errorf("no diagnostic %+v in:\n%s", one, d)
		}
	}
}

func (e expected) is(got *tfprotov6.Diagnostic) bool {
	return isError(got) != e.warning && got.Summary == e.summary && placeOf(got) == e.at && says(got.Detail, e.says)
}

// says tells whether a text has all the parts.
func says(text string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
}

// mustSay checks that a text has all the parts.
func mustSay(tb testing.TB, text string, parts ...string) {
	tb.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			tb.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

// mustNotSay checks that a text has none of the parts.
func mustNotSay(tb testing.TB, text string, parts ...string) {
	tb.Helper()
	for _, part := range parts {
		if at := strings.Index(text, part); at >= 0 {
			tb.Errorf("%q is in:\n%s", part, text[max(0, at-500):min(len(text), at+500)]) // a log is long
		}
	}
}

// mustEqual compares two values, without the attributes of instances that want does not know: adding one to the model must
// not fail the tests of all others.
func mustEqual(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if diff := cmp.Diff(want, knownTo(want, got)); diff != "" {
		tb.Errorf("%s is not as it should be (-) but (+):\n%s", what, diff)
	}
}

// knownTo returns a value without the attributes of instances that want, a value of the same form, does not have.
func knownTo(want, got any) any {
	wanted, isObject := want.(args)
	object, ok := got.(args)
	if !isObject || !ok || object == nil {
		return got
	}
	known := make(args, len(object))
	for name, value := range object {
		_, wants := wanted[name]
		if !wants && slices.ContainsFunc(allDetails, func(a detail) bool { return a.name == name }) {
			continue
		}
		known[name] = knownTo(wanted[name], value)
	}
	return known
}

// reading returns the arguments of a data source that reads one instance.
func reading(source string, baseURL any) args {
	if source == instancesName {
		return args{"base_urls": args{"it": baseURL}}
	}
	return args{"base_url": baseURL}
}

// oneAttempt switches retries off.
func oneAttempt() args { return args{"retry": args{"max_attempts": 1}} }

// impatient makes delays short.
func impatient(maxAttempts int) args {
	return args{"retry": args{"max_attempts": maxAttempts, "min_delay": "1ms", "max_delay": "2ms"}}
}

// traced returns a context in which everything is logged at TRACE: what the provider logs, and what the framework
// logs.
func traced(ctx context.Context) (context.Context, *logOutput) {
	output := &logOutput{}
	return tfsdklogtest.RootLogger(tflogtest.RootLogger(ctx, output), output), output
}

// logOutput takes the lines of several loggers.
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

// lineFunc is called with each line of a log.
type lineFunc func(line []byte)

func (f lineFunc) Write(line []byte) (int, error) {
	f(line)
	return len(line), nil
}
