package provider_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const recordType = "filetransfer_instance_record"

// testRecord is a record that tests plan, apply and refresh as Terraform does, without a CLI.
type testRecord struct {
	session
	of    tftypes.Object
	state tftypes.Value
}

func newTestRecord(t *testing.T, provider arguments) *testRecord {
	t.Helper()
	s := configured(t, provider)
	of := s.schemas.ResourceSchemas[recordType].ValueType().(tftypes.Object)
	return &testRecord{s, of, tftypes.NewValue(of, nil)}
}

// plan returns the state that is planned for a configuration, and the diagnostics as text.
func (r *testRecord) plan(t *testing.T, config arguments) (planned tftypes.Value, text string) {
	t.Helper()
	proposed := membersOf(t, newValue(r.of, config))
	if !r.state.IsNull() {
		prior := membersOf(t, r.state)
		for _, attribute := range r.schemas.ResourceSchemas[recordType].Block.Attributes {
			if attribute.Computed {
				proposed[attribute.Name] = prior[attribute.Name]
			}
		}
		if config["expected"] == nil { // Terraform before 1.3.8 proposes a block that was removed as it is in the state
			proposed["expected"] = prior["expected"]
		}
	}
	resp, err := r.server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: recordType, Config: dynamicValue(t, r.of, config),
		PriorState: dynamicValue(t, r.of, r.state), ProposedNewState: dynamicValue(t, r.of, tftypes.NewValue(r.of, proposed)),
	})
	must(t, err)
	if len(resp.RequiresReplace) > 0 {
		t.Errorf("the plan replaces the record because of %v", resp.RequiresReplace)
	}
	return r.decoded(t, resp.PlannedState), textOf(resp.Diagnostics)
}

// apply applies a plan, and returns the diagnostics as text.
func (r *testRecord) apply(ctx context.Context, t *testing.T, config arguments, planned tftypes.Value) (text string) {
	t.Helper()
	resp, err := r.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: recordType, Config: dynamicValue(t, r.of, config),
		PriorState: dynamicValue(t, r.of, r.state), PlannedState: dynamicValue(t, r.of, planned),
	})
	must(t, err)
	r.state = r.decoded(t, resp.NewState)
	return textOf(resp.Diagnostics)
}

// create creates the record, without a diagnostic.
func (r *testRecord) create(t *testing.T, config arguments) {
	t.Helper()
	planned, text := r.plan(t, config)
	if text += r.apply(t.Context(), t, config, planned); text != "" {
		t.Fatalf("the record cannot be created:\n%s", text)
	}
}

// imports imports the record by a base URL. Terraform then refreshes it.
func (r *testRecord) imports(t *testing.T, baseURL string) {
	t.Helper()
	req := &tfprotov6.ImportResourceStateRequest{TypeName: recordType, ID: baseURL}
	resp, err := r.server.ImportResourceState(t.Context(), req)
	must(t, err)
	r.state = r.decoded(t, resp.ImportedResources[0].State)
}

// refresh refreshes the record, and returns the diagnostics as text, and whether the read is deferred.
func (r *testRecord) refresh(ctx context.Context, t *testing.T, deferralAllowed bool) (text string, deferred bool) {
	t.Helper()
	resp, err := r.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: recordType, CurrentState: dynamicValue(t, r.of, r.state),
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: deferralAllowed},
	})
	must(t, err)
	r.state = r.decoded(t, resp.NewState)
	return textOf(resp.Diagnostics), isDeferred(resp.Deferred)
}

// with returns the state with other values, as if somebody had edited it, or as if a refresh had found them.
func (r *testRecord) with(t *testing.T, values arguments) tftypes.Value {
	t.Helper()
	members := membersOf(t, r.state)
	for name, value := range values {
		members[name] = newValue(r.of.AttributeTypes[name], value)
	}
	return tftypes.NewValue(r.of, members)
}

// decoded returns a value as Terraform stores it, with strings in a normal form of Unicode.
func (r *testRecord) decoded(t *testing.T, value *tfprotov6.DynamicValue) tftypes.Value {
	t.Helper()
	decoded, err := value.Unmarshal(r.of)
	must(t, err)
	stored, err := tftypes.Transform(decoded, func(_ *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		var text *string
		if !value.Type().Is(tftypes.String) || !value.IsKnown() || value.As(&text) != nil || text == nil {
			return value, nil
		}
		return tftypes.NewValue(tftypes.String, norm.NFC.String(*text)), nil
	})
	must(t, err)
	return stored
}

func membersOf(t *testing.T, object tftypes.Value) map[string]tftypes.Value {
	t.Helper()
	var members map[string]tftypes.Value
	must(t, object.As(&members))
	return maps.Clone(members) // As returns the map in the value itself
}

// changes returns the computed attributes that a plan changes, with their new values.
func (r *testRecord) changes(t *testing.T, planned tftypes.Value) map[string]tftypes.Value {
	t.Helper()
	changes, after, prior := make(map[string]tftypes.Value), membersOf(t, planned), membersOf(t, r.state)
	for _, attribute := range r.schemas.ResourceSchemas[recordType].Block.Attributes {
		if name := attribute.Name; attribute.Computed && !after[name].Equal(prior[name]) {
			changes[name] = after[name]
		}
	}
	return changes
}

// unknownBut returns the changes of a plan in which every detail is unknown but these. One that does not change is
// null.
func unknownBut(known ...arguments) arguments {
	changes := make(arguments)
	for name := range acctest.NewerDetails(nil) {
		changes[name] = unknown
	}
	for _, values := range known {
		maps.Copy(changes, values)
	}
	maps.DeleteFunc(changes, func(_ string, value any) bool { return value == nil })
	return changes
}

// TestRecordDecisions has what a plan changes, whether it warns, and whether its apply waits or reads. A canceled apply
// shows that, and that a wait that fails keeps every value. The instance reports instancetest.Newer().
func TestRecordDecisions(t *testing.T) {
	t.Parallel()
	with := func(expected any, more ...arguments) arguments {
		config := arguments{"expected": expected}
		for _, values := range more {
			maps.Copy(config, values)
		}
		return config
	}
	triggers := func(triggers any) arguments {
		return with(arguments{"chunk_size": 20000000}, arguments{"triggers": triggers})
	}
	at := func(baseURL any, config arguments) arguments {
		config = maps.Clone(config)
		config["base_url"] = baseURL
		return config
	}
	anything, empty, deploy := arguments{}, with(arguments{}), triggers(texts{"deploy": "1"})
	one, two := with(arguments{"chunk_size": 20000000}), with(arguments{"chunk_size": 30000000})
	both := with(arguments{"chunk_size": 20000000, "require_password": true})
	all := arguments{
		"api_version": "3.2.7-rc.1+build", "chunk_size": 1, "file_max_age": 2, "file_max_size": 0,
		"max_transfers_in_merge": 7, "require_password": false,
	}
	unknownAll := maps.Clone(all)
	for name := range newSession(t).schemas.ResourceSchemas[recordType].ValueType().(tftypes.Object).
		AttributeTypes["expected"].(tftypes.Object).AttributeTypes {
		unknownAll[name] = unknown
	}
	others := arguments{"stable_for": "1s", "timeouts": arguments{"read": "1m"}}
	const otherURL = "http://other.example.org"
	other, moved := at(otherURL, anything), at(otherURL, one)
	failed, drifted := arguments{"wait_failed": true}, arguments{"chunk_size": 2}
	allUnknown := unknownBut(arguments{"wait_failed": false})
	waitOK, chunkSize := arguments{"wait_failed": false}, arguments{"chunk_size": 20000000}
	noURL, largerChunk := arguments{"base_url": nil}, arguments{"chunk_size": 30000000}
	sameChunk, noOptions := arguments{"chunk_size": nil}, arguments{"recommended_expire_times": nil} // which do not change

	tests := map[string]struct {
		before, after arguments // before is nil in a creation
		since         arguments // what is in the state since then
		plan          arguments
		waits, warns  bool
		reads         bool // as a data source does
	}{
		"creation":                         {after: anything, plan: allUnknown, reads: true},
		"creation, something is expected":  {after: one, plan: unknownBut(waitOK, chunkSize), waits: true},
		"creation, everything is expected": {after: with(all), plan: unknownBut(waitOK, all), waits: true},
		"creation, an empty block":         {after: empty, plan: allUnknown, waits: true},

		"nothing changes":           {before: one, after: one},
		"other arguments change":    {before: one, after: with(one["expected"], others)},
		"base_url is spelled other": {before: one, since: arguments{"base_url": "http://h"}, after: at("HTTP://H:80//", one)},

		"another value is expected":       {before: one, after: two, plan: largerChunk, waits: true},
		"something is expected":           {before: anything, after: one, waits: true},
		"less is expected":                {before: both, after: one, waits: true},
		"everything is expected":          {before: one, after: with(all), plan: all, waits: true},
		"expected is removed":             {before: deploy, after: anything},
		"expected is left empty":          {before: one, after: empty},
		"all that is expected is unknown": {before: one, after: with(unknownAll), plan: unknownBut(noOptions)},
		"triggers are added":              {before: one, after: deploy, waits: true},
		"triggers change":                 {before: deploy, after: triggers(texts{"deploy": "2"}), waits: true},
		"triggers are unknown":            {before: deploy, after: triggers(unknown)},
		"triggers are removed":            {before: deploy, after: one},
		"triggers are left empty":         {before: deploy, after: triggers(texts{})},

		"another instance":               {before: anything, after: other, plan: unknownBut(), reads: true},
		"another, an empty block":        {before: empty, after: at(otherURL, empty), plan: unknownBut(), waits: true},
		"another, something is expected": {before: one, after: moved, plan: unknownBut(sameChunk), waits: true},
		"another, and drift":             {before: one, since: drifted, after: moved, plan: unknownBut(chunkSize), waits: true},
		"another, it failed":             {before: anything, since: failed, after: other, plan: allUnknown, reads: true},
		"base_url is unknown":            {before: one, after: at(unknown, one), plan: unknownBut(sameChunk)},
		"an empty block stays":           {before: empty, since: drifted, after: empty},
		"an empty block is added":        {before: anything, after: empty},
		"the last wait failed":           {before: one, since: failed, after: one, plan: waitOK, waits: true},
		"it failed, nothing is expected": {before: anything, since: failed, after: anything, plan: waitOK},
		"it failed, expected is removed": {before: one, since: failed, after: anything, plan: waitOK},
		"drift":                          {before: one, since: drifted, after: one, plan: chunkSize, waits: true, warns: true},
		"drift, triggers change":         {before: one, since: drifted, after: deploy, plan: chunkSize, waits: true, warns: true},
		"drift, something else":          {before: one, since: drifted, after: two, plan: largerChunk, waits: true},
		"drift becomes what is expected": {before: one, since: drifted, after: with(drifted), waits: true},
		"drift, expected is removed":     {before: one, since: drifted, after: anything},
		"drift of what is not expected":  {before: one, since: arguments{"file_max_size": 1}, after: one},
		"a state without a valid URL":    {before: one, since: noURL, after: one, plan: unknownBut(sameChunk), waits: true},
	}
	server := instancetest.New(t)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, config := newTestRecord(t, nil), at(server.URL(), test.after)
			maps.Copy(config, test.after) // which may have a base_url
			if test.before != nil {
				r.create(t, at(server.URL(), test.before))
				r.state = r.with(t, test.since)
			}
			planned, text := r.plan(t, config)
			warns := strings.HasPrefix(text, "Warning at expected.chunk_size: Not as expected")
			if warns != test.warns || !warns && text != "" {
				t.Errorf("the plan warns of drift: %t, want %t\n%s", warns, test.warns, text)
			}
			want := make(map[string]tftypes.Value)
			for name, value := range test.plan {
				want[name] = newValue(r.of.AttributeTypes[name], value)
			}
			if diff := cmp.Diff(want, r.changes(t, planned)); diff != "" {
				t.Errorf("the plan differs, want (-), got (+):\n%s", diff)
			}
			if !newValue(r.of, config).IsFullyKnown() {
				return // Terraform plans again before it applies
			}
			left := planned
			if test.waits && test.before != nil {
				left = r.with(t, failed)
			} else if test.waits || test.reads {
				left = r.state
			}
			text = r.apply(canceled, t, config, planned)
			waits := strings.HasPrefix(text, "Error at base_url: Wait canceled\n")
			reads := strings.HasPrefix(text, "Error at base_url: Read canceled\n")
			if waits != test.waits || reads != test.reads || !waits && !reads && text != "" {
				t.Errorf("the apply waits: %t, want %t, and reads: %t, want %t\n%s", waits, test.waits, reads, test.reads, text)
			}
			if differences, err := r.state.Diff(left); len(differences) > 0 || err != nil {
				t.Errorf("the apply has left another state: %s, %v", differences, err)
			}
		})
	}
}
