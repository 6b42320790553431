package provider_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/provider"
)

const recordTypeName = "filetransfer_instance_record"

// attributes are values by the names of attributes: those of an object.
type attributes = map[string]tftypes.Value

// recordServer is a provider behind its protocol, which does with records what Terraform has it do.
type recordServer struct {
	tfprotov6.ProviderServer
	t          *testing.T
	objectType tftypes.Object
}

func str(text string) tftypes.Value { return tftypes.NewValue(tftypes.String, text) }

func unknownOf(t tftypes.Type) tftypes.Value { return tftypes.NewValue(t, tftypes.UnknownValue) }

// quickRetry makes attempts follow each other at once.
func quickRetry(attempts int) tftypes.Value {
	retry := map[string]tftypes.Type{"max_attempts": tftypes.Number, "min_delay": tftypes.String, "max_delay": tftypes.String}
	return tftypes.NewValue(tftypes.Object{AttributeTypes: retry}, attributes{
		"max_attempts": tftypes.NewValue(tftypes.Number, attempts), "min_delay": str("1ms"), "max_delay": str("2ms"),
	})
}

func timeouts(operation, timeout string) tftypes.Value {
	types, values := map[string]tftypes.Type{}, attributes{}
	for _, name := range []string{"create", "read", "update"} {
		types[name] = tftypes.String
		values[name] = tftypes.NewValue(tftypes.String, nil)
	}
	values[operation] = str(timeout)
	return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, values)
}

// newRecordServer configures a provider with these arguments, and three attempts unless they say otherwise.
func newRecordServer(t *testing.T, arguments attributes) recordServer {
	t.Helper()
	server := recordServer{ProviderServer: providerserver.NewProtocol6(provider.New("test")())(), t: t}
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	server.objectType = schemas.ResourceSchemas[recordTypeName].ValueType().(tftypes.Object)
	block := schemas.Provider.ValueType().(tftypes.Object)
	config := nulls(block)
	config["retry"] = quickRetry(3)
	maps.Copy(config, arguments)
	encoded := encode(t, tftypes.NewValue(block, config))
	resp, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.0.0", Config: encoded})
	if err != nil || len(resp.Diagnostics) > 0 {
		t.Fatalf("configuring: %v, %+v", err, resp)
	}
	return server
}

func nulls(object tftypes.Object) attributes {
	values := make(attributes)
	for name, attributeType := range object.AttributeTypes {
		values[name] = tftypes.NewValue(attributeType, nil)
	}
	return values
}

func encode(t *testing.T, value tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		t.Fatal(err)
	}
	return &encoded
}

// encode encodes a record; nil is none.
func (s recordServer) encode(values attributes) *tfprotov6.DynamicValue {
	s.t.Helper()
	if values == nil {
		return encode(s.t, tftypes.NewValue(s.objectType, nil))
	}
	return encode(s.t, tftypes.NewValue(s.objectType, values))
}

// decode decodes a record; one that is null is nil.
func (s recordServer) decode(encoded *tfprotov6.DynamicValue) attributes {
	s.t.Helper()
	if encoded == nil {
		return nil
	}
	value, err := encoded.Unmarshal(s.objectType)
	if err != nil {
		s.t.Fatal(err)
	}
	if value.IsNull() {
		return nil
	}
	var values attributes
	if err := value.As(&values); err != nil {
		s.t.Fatal(err)
	}
	return values
}

// config is a configuration with these arguments.
func (s recordServer) config(arguments attributes) attributes {
	values := nulls(s.objectType)
	maps.Copy(values, arguments)
	return values
}

// recorded is what the state has of a record.
type recorded struct {
	values  attributes
	private []byte
}

// outcome is what an operation left.
type outcome struct {
	recorded
	diagnostics []*tfprotov6.Diagnostic
	deferred    *tfprotov6.Deferred
}

// plan plans a configuration; nil destroys.
func (s recordServer) plan(state recorded, config attributes) outcome {
	s.t.Helper()
	proposed := maps.Clone(config)
	for name, value := range state.values { // what is computed, as Terraform proposes it
		if config != nil && name != "timeouts" && config[name].IsNull() {
			proposed[name] = value
		}
	}
	resp, err := s.PlanResourceChange(s.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: recordTypeName, PriorState: s.encode(state.values), PriorPrivate: state.private,
		ProposedNewState: s.encode(proposed), Config: s.encode(config),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if len(resp.RequiresReplace) > 0 {
		s.t.Errorf("a change of %v replaces the record", resp.RequiresReplace)
	}
	return outcome{recorded: recorded{s.decode(resp.PlannedState), resp.PlannedPrivate}, diagnostics: resp.Diagnostics}
}

// apply plans and applies a configuration; nil destroys.
func (s recordServer) apply(state recorded, config attributes) outcome {
	s.t.Helper()
	planned := s.plan(state, config)
	s.wantNoDiagnostics(planned)
	return s.applyPlan(state, config, planned)
}

func (s recordServer) applyPlan(state recorded, config attributes, planned outcome) outcome {
	s.t.Helper()
	resp, err := s.ApplyResourceChange(s.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: recordTypeName, PriorState: s.encode(state.values), PlannedState: s.encode(planned.values),
		PlannedPrivate: planned.private, Config: s.encode(config),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return outcome{recorded: recorded{s.decode(resp.NewState), resp.Private}, diagnostics: resp.Diagnostics}
}

// create makes a record.
func (s recordServer) create(arguments attributes) recorded {
	s.t.Helper()
	created := s.apply(recorded{}, s.config(arguments))
	s.wantNoDiagnostics(created)
	return created.recorded
}

// refresh refreshes a record.
func (s recordServer) refresh(state recorded, capabilities ...*tfprotov6.ReadResourceClientCapabilities) outcome {
	s.t.Helper()
	req := &tfprotov6.ReadResourceRequest{TypeName: recordTypeName, CurrentState: s.encode(state.values), Private: state.private}
	if len(capabilities) > 0 {
		req.ClientCapabilities = capabilities[0]
	}
	resp, err := s.ReadResource(s.t.Context(), req)
	if err != nil {
		s.t.Fatal(err)
	}
	return outcome{recorded{s.decode(resp.NewState), resp.Private}, resp.Diagnostics, resp.Deferred}
}

// importState imports a record, without the refresh that follows.
func (s recordServer) importState(id string) outcome {
	s.t.Helper()
	resp, err := s.ImportResourceState(s.t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: recordTypeName, ID: id})
	if err != nil {
		s.t.Fatal(err)
	}
	imported := outcome{diagnostics: resp.Diagnostics}
	if len(resp.ImportedResources) == 1 {
		imported.recorded = recorded{s.decode(resp.ImportedResources[0].State), resp.ImportedResources[0].Private}
	}
	return imported
}

func (s recordServer) wantNoDiagnostics(got outcome) {
	s.t.Helper()
	if len(got.diagnostics) > 0 {
		s.t.Fatalf("diagnostics: %s", describe(got))
	}
}

// want checks that there is one diagnostic. Its text, summary and detail, has to contain all of texts.
func (s recordServer) want(got outcome, severity tfprotov6.DiagnosticSeverity, texts ...string) {
	s.t.Helper()
	if len(got.diagnostics) != 1 || got.diagnostics[0].Severity != severity {
		s.t.Fatalf("want one diagnostic of severity %s: %s", severity, describe(got))
	}
	for _, text := range texts {
		if !strings.Contains(describe(got), text) {
			s.t.Errorf("the diagnostic does not contain %q: %s", text, describe(got))
		}
	}
}

func (s recordServer) wantKept(got outcome, state recorded) {
	s.t.Helper()
	if !sameValues(got.values, state.values) {
		s.t.Errorf("the record is %v, want it as it was: %v", got.values, state.values)
	}
}

func describe(got outcome) string {
	var text strings.Builder
	for _, diagnostic := range got.diagnostics {
		text.WriteString(diagnostic.Severity.String() + " " + diagnostic.Summary + "\n" + diagnostic.Detail + "\n")
	}
	return text.String()
}

func sameValues(one, other attributes) bool {
	return maps.EqualFunc(one, other, tftypes.Value.Equal)
}

const (
	warning = tfprotov6.DiagnosticSeverityWarning
	failure = tfprotov6.DiagnosticSeverityError
)

// Nothing is read for a plan, and what is computed is known in it unless base_url changes.
func TestRecordPlan_ReadsOnlyForAnotherBaseURL(t *testing.T) {
	t.Parallel()
	one, other := instancetest.New(t), instancetest.New(t)
	byDefault := newRecordServer(t, attributes{"base_url": str(one.URL())})
	followed := byDefault.create(nil)
	own := byDefault.create(attributes{"base_url": str(one.URL())})
	before := len(one.Requests())
	unknown := unknownOf(tftypes.String)

	tests := map[string]struct {
		provider, record attributes
		state            recorded
		baseURL          tftypes.Value
		read             bool
	}{
		"new":                              {nil, attributes{"base_url": str(one.URL())}, recorded{}, str(one.URL()), true},
		"new, base URL unknown":            {nil, attributes{"base_url": unknown}, recorded{}, unknown, true},
		"new, default":                     {attributes{"base_url": str(one.URL())}, nil, recorded{}, str(one.URL()), true},
		"new, default unknown":             {attributes{"base_url": unknown}, nil, recorded{}, unknown, true},
		"nothing changes":                  {nil, attributes{"base_url": str(one.URL())}, own, str(one.URL()), false},
		"another base URL":                 {nil, attributes{"base_url": str(other.URL())}, own, str(other.URL()), true},
		"base URL unknown":                 {nil, attributes{"base_url": unknown}, own, unknown, true},
		"own, default unknown":             {attributes{"base_url": unknown}, attributes{"base_url": str(one.URL())}, own, str(one.URL()), false},
		"timeouts change":                  {nil, attributes{"base_url": str(one.URL()), "timeouts": timeouts("read", "1s")}, own, str(one.URL()), false},
		"timeouts unknown":                 {nil, attributes{"base_url": str(one.URL()), "timeouts": unknownOf(timeouts("read", "").Type())}, own, str(one.URL()), false},
		"default is the same":              {attributes{"base_url": str(one.URL())}, nil, followed, str(one.URL()), false},
		"default changes":                  {attributes{"base_url": str(other.URL())}, nil, followed, str(other.URL()), true},
		"default unknown":                  {attributes{"base_url": unknown}, nil, followed, str(one.URL()), false},
		"default unknown, timeouts change": {attributes{"base_url": unknown}, attributes{"timeouts": timeouts("read", "1s")}, followed, unknown, true},
		"default instead of own":           {attributes{"base_url": str(one.URL())}, nil, own, str(one.URL()), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRecordServer(t, test.provider)
			config := s.config(test.record)
			planned := s.plan(test.state, config)
			s.wantNoDiagnostics(planned)
			for name, value := range planned.values {
				var want tftypes.Value
				switch {
				case name == "base_url":
					want = test.baseURL
				case name == "timeouts":
					want = config["timeouts"]
				case test.read:
					want = unknownOf(s.objectType.AttributeTypes[name])
				default:
					want = test.state.values[name]
				}
				if !value.Equal(want) {
					t.Errorf("%s is planned as %s, want %s", name, value, want)
				}
			}
		})
	}
	t.Run("no base URL at all", func(t *testing.T) {
		t.Parallel()
		s := newRecordServer(t, nil)
		s.want(s.plan(followed, s.config(nil)), failure, "No instance to read")
	})
	t.Run("destroyed without a base URL", func(t *testing.T) {
		t.Parallel()
		s := newRecordServer(t, nil)
		s.wantNoDiagnostics(s.plan(followed, nil))
	})
	t.Cleanup(func() {
		if sent := len(one.Requests()) - before; sent != 0 {
			t.Errorf("%d requests for plans", sent)
		}
	})
}

func TestRecordApply_WaitsForTheInstance(t *testing.T) {
	t.Parallel()
	starting := []instancetest.Step{instancetest.Status(404), instancetest.Reset(), instancetest.Body(200, "text/html", "<title>soon</title>"),
		instancetest.Status(404), instancetest.Status(401)}
	one := instancetest.New(t, instancetest.WithScript(starting...))
	other := instancetest.New(t, instancetest.WithScript(starting...), instancetest.WithDocument(instancetest.Older()))
	s := newRecordServer(t, attributes{"retry": quickRetry(1)})
	created := s.create(attributes{"base_url": str(one.URL() + "/")})
	if got := created.values["base_url"]; !got.Equal(str(one.URL() + "/")) {
		t.Errorf("base_url is %s, want it as written", got)
	}
	updated := s.apply(created, s.config(attributes{"base_url": str(other.URL())}))
	s.wantNoDiagnostics(updated)
	wanted := attributes{
		"base_url": str(other.URL()), "api_version": str("1.3.2"), "response_body": str(instancetest.Older().JSON()),
		"max_transfers_in_merge": tftypes.NewValue(tftypes.Number, 10),
	}
	for name, want := range wanted {
		if got := updated.values[name]; !got.Equal(want) {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if len(one.Requests()) != 6 || len(other.Requests()) != 6 {
		t.Errorf("%d and %d requests, want 6 each", len(one.Requests()), len(other.Requests()))
	}
}

func TestRecordApply_RecordsNothingWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	up, down := instancetest.New(t), instancetest.New(t, instancetest.WithDefault(instancetest.Status(503)))
	s := newRecordServer(t, nil)
	config := func(operation string) attributes {
		return s.config(attributes{"base_url": str(down.URL()), "timeouts": timeouts(operation, "500ms")})
	}
	created := s.apply(recorded{}, config("create"))
	s.want(created, failure, "Instance answered with status 503", "timeouts.create (500ms)", "raise timeouts.create")
	if created.values != nil {
		t.Errorf("recorded: %v", created.values)
	}
	state := s.create(attributes{"base_url": str(up.URL())})
	updated := s.apply(state, config("update"))
	s.want(updated, failure, "Instance answered with status 503", "timeouts.update (500ms)", "raise timeouts.update")
	s.wantKept(updated, state)
}

// A plan that was made while the provider's base_url was not known.
func TestRecordApply_NeedsTheProvidersArguments(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	unknown := newRecordServer(t, attributes{"base_url": unknownOf(tftypes.String)})
	config := unknown.config(nil)
	planned := unknown.plan(recorded{}, config)
	unknown.wantNoDiagnostics(planned)
	unknown.want(unknown.applyPlan(recorded{}, config, planned), failure, "Provider configuration not known yet", "base_url")

	known := newRecordServer(t, attributes{"base_url": str(server.URL())})
	created := known.applyPlan(recorded{}, config, planned)
	known.wantNoDiagnostics(created)
	if got := created.values["base_url"]; !got.Equal(str(server.URL())) {
		t.Errorf("base_url is %s, want %s", got, server.URL())
	}
}

func TestRecordApply_ChangedTimeoutsReadNothing(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	s := newRecordServer(t, nil)
	state := s.create(attributes{"base_url": str(server.URL())})
	before := len(server.Requests())
	config := s.config(attributes{"base_url": str(server.URL()), "timeouts": timeouts("read", "1s")})
	updated := s.apply(state, config)
	s.wantNoDiagnostics(updated)
	if sent := len(server.Requests()) - before; sent != 0 {
		t.Errorf("%d requests", sent)
	}
	want := maps.Clone(state.values)
	want["timeouts"] = config["timeouts"]
	s.wantKept(updated, recorded{values: want})

	destroyed := s.apply(updated.recorded, nil)
	s.wantNoDiagnostics(destroyed)
	if sent := len(server.Requests()) - before; destroyed.values != nil || sent != 0 {
		t.Errorf("%d requests to destroy; left %v", sent, destroyed.values)
	}
}

func TestRecordRefresh_ShowsWhatChanged(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	s := newRecordServer(t, nil)
	state := s.create(attributes{"base_url": str(server.URL()), "timeouts": timeouts("read", "5s")})
	same := s.refresh(state)
	s.wantNoDiagnostics(same)
	s.wantKept(same, state)

	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000).
		With("recommendedExpireTimes", []instancetest.Document{instancetest.OlderEntry("30 minutes", 30)})))
	changed := s.refresh(state)
	s.want(changed, warning, "Expiry options shorter than a minute", server.URL())
	if got := changed.values["file_max_size"]; !got.Equal(tftypes.NewValue(tftypes.Number, 1000)) {
		t.Errorf("file_max_size is %s", got)
	}
	if got := changed.values["timeouts"]; !got.Equal(state.values["timeouts"]) {
		t.Errorf("timeouts are %s", got)
	}
}

// Whatever stops a refresh but a cancellation, the record stays as it is, with one warning that says what failed.
func TestRecordRefresh_FailureKeepsEveryValue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		step     instancetest.Step
		provider attributes
		// change changes the state.
		change attributes
		says   []string
	}{
		"status that is retried":  {step: instancetest.Status(503), says: []string{"status 503", "last of 3 attempts"}},
		"status":                  {step: instancetest.Status(404), says: []string{"status 404"}},
		"credentials":             {step: instancetest.Status(401), says: []string{"status 401", "with the provider's request_headers"}},
		"web page":                {step: instancetest.Body(200, "text/html", "<title>Maintenance</title>"), says: []string{"Maintenance"}},
		"document with a fault":   {step: instancetest.AnswerDocument(instancetest.Newer().Without("fileMaxSize")), says: []string{"fileMaxSize"}},
		"redirect":                {step: instancetest.Redirect(302, "ftp://example.org"), says: []string{"redirect"}},
		"broken connection":       {step: instancetest.Reset(), says: []string{"last of 3 attempts"}},
		"silence":                 {step: instancetest.Silent(), change: attributes{"timeouts": timeouts("read", "50ms")}, says: []string{"timeouts.read (50ms)"}},
		"silent attempts":         {step: instancetest.Silent(), provider: attributes{"request_timeout": str("20ms")}, says: []string{"request_timeout (20ms)", "last of 3 attempts"}},
		"timeout of another time": {step: instancetest.Status(404), change: attributes{"timeouts": timeouts("read", "soon")}, says: []string{"status 404"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			state := newRecordServer(t, nil).create(attributes{"base_url": str(server.URL())})
			s := newRecordServer(t, test.provider)
			maps.Copy(state.values, test.change)
			server.SetDefault(test.step)
			got := s.refresh(state)
			s.wantKept(got, state)
			s.want(got, warning, append(test.says,
				"Instance not read, last known details kept: "+server.URL()+"\n", "keeps what the instance last reported", "GET "+server.URL()+"/instance")...)
			s.wantNoDiagnostics(s.plan(got.recorded, s.config(attributes{"base_url": str(server.URL()), "timeouts": state.values["timeouts"]})))
		})
	}

	t.Run("base URL that is no longer accepted", func(t *testing.T) {
		t.Parallel()
		s := newRecordServer(t, nil)
		state := s.create(attributes{"base_url": str(instancetest.New(t).URL())})
		state.values["base_url"] = str("https://me:hunter2@files.example.org")
		got := s.refresh(state)
		s.wantKept(got, state)
		s.want(got, warning, "Instance not read, last known details kept\n", "user info")
		if strings.Contains(describe(got), "hunter2") {
			t.Errorf("the secret shows: %s", describe(got))
		}
	})
}

// An instance whose host refuses connections costs a refresh max_attempts attempts, and not all of timeouts.read.
func TestRecordRefresh_RefusedConnectionsEndEarly(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	s := newRecordServer(t, nil)
	state := s.create(attributes{"base_url": str(server.URL())})
	server.Close()
	started := time.Now()
	got := s.refresh(state)
	s.want(got, warning, "connection refused", "This was the last of 3 attempts.")
	if took := time.Since(started); took > 20*time.Second || strings.Contains(describe(got), "timeouts.read") {
		t.Errorf("it took %s: %s", took, describe(got))
	}
}

func TestRecordRefresh_CancellationIsAnError(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	s := newRecordServer(t, nil)
	state := s.create(attributes{"base_url": str(server.URL())})
	ctx, cancel := context.WithCancel(t.Context())
	server.SetDefault(func(_ *instancetest.Server, _ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	resp, err := s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: recordTypeName, CurrentState: s.encode(state.values)})
	if err != nil {
		t.Fatal(err)
	}
	s.want(outcome{diagnostics: resp.Diagnostics}, failure, "Read canceled")
}

func TestRecordRefresh_UnknownProviderArgumentsKeepTheValues(t *testing.T) {
	t.Parallel()
	headers := tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, attributes{"X-Token": str("t")})
	unknown := unknownOf(tftypes.String)
	// The records have their own base_url, or the provider's.
	tests := map[string]struct {
		arguments          attributes
		ownRead, otherRead bool
	}{
		"base_url":                  {attributes{"base_url": unknown}, true, false},
		"base_url, with headers":    {attributes{"base_url": unknown, "request_headers": headers}, false, false},
		"request_timeout":           {attributes{"request_timeout": unknown}, false, false},
		"request_headers":           {attributes{"request_headers": unknownOf(headers.Type())}, false, false},
		"nothing that is not known": {nil, true, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			known := newRecordServer(t, attributes{"base_url": str(server.URL())})
			own, followed := known.create(attributes{"base_url": str(server.URL())}), known.create(nil)
			server.SetDefault(instancetest.AnswerDocument(instancetest.Older()))
			// An update tells what the configuration has now.
			converted := known.apply(followed, known.config(attributes{"base_url": str(server.URL()), "timeouts": timeouts("read", "9s")}))

			s := newRecordServer(t, test.arguments)
			records := map[string]struct {
				state recorded
				read  bool
			}{"own": {own, test.ownRead}, "followed": {followed, test.otherRead}, "own at last": {converted.recorded, test.ownRead}}
			for name, record := range records {
				got := s.refresh(record.state, &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: true})
				s.wantNoDiagnostics(got)
				if read := !sameValues(got.values, record.state.values); read != record.read {
					t.Errorf("%s: read: %t, want %t", name, read, record.read)
				}
				if got.deferred != nil {
					t.Errorf("%s: deferred for %s", name, got.deferred.Reason)
				}
			}
		})
	}
}

func TestRecordImport_ReadsTheInstance(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	s := newRecordServer(t, nil)
	state := s.create(attributes{"base_url": str(server.URL())})
	imported := s.importState(server.URL())
	s.wantNoDiagnostics(imported)
	read := s.refresh(imported.recorded)
	s.wantNoDiagnostics(read)
	s.wantKept(read, state)

	unable := newRecordServer(t, attributes{"request_timeout": unknownOf(tftypes.String)})
	unable.want(unable.refresh(imported.recorded), failure, "Provider configuration not known yet", "request_timeout")
	deferred := unable.refresh(imported.recorded, &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: true})
	unable.wantNoDiagnostics(deferred)
	if deferred.deferred == nil || deferred.deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
		t.Errorf("deferred: %v", deferred.deferred)
	}

	server.SetDefault(instancetest.Status(503))
	s.want(s.refresh(imported.recorded), failure, "Instance answered with status 503", server.URL())

	for _, id := range []string{"files.example.org", "https://me:hunter2@files.example.org", "https://files.example.org?hunter2"} {
		refused := s.importState(id)
		s.want(refused, failure, "Invalid base URL", "The import ID")
		if strings.Contains(describe(refused), "hunter2") {
			t.Errorf("the secret shows: %s", describe(refused))
		}
	}
}

// A record sends the provider's headers, and only to the origin of the provider's base_url.
func TestRecord_SendsTheProvidersHeaders(t *testing.T) {
	t.Parallel()
	const token = "an-opaque-token"
	guarded, other := instancetest.New(t, instancetest.WithRequiredHeader("X-Token", token)), instancetest.New(t)
	s := newRecordServer(t, attributes{
		"base_url":        str(guarded.URL()),
		"request_headers": tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, attributes{"X-Token": str(token)}),
	})
	s.wantNoDiagnostics(s.refresh(s.create(nil)))
	state := s.create(attributes{"base_url": str(other.URL())})
	other.SetDefault(instancetest.Status(401))
	s.want(s.refresh(state), warning, "status 401", "a provider block (with an alias)")
	if slices.ContainsFunc(other.Requests(), func(r instancetest.Request) bool { return r.Header.Get("X-Token") != "" }) {
		t.Error("the header went to another origin")
	}
}
