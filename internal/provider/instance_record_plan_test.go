package provider_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"

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
	proposed := membersOf(t, valueOf(r.of, config))
	if !r.state.IsNull() {
		for _, attribute := range r.schemas.ResourceSchemas[recordType].Block.Attributes {
			if attribute.Computed {
				proposed[attribute.Name] = membersOf(t, r.state)[attribute.Name]
			}
		}
	}
	resp, err := r.server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: recordType, Config: dynamicValue(t, r.of, config),
		PriorState: r.encoded(t, r.state), ProposedNewState: r.encoded(t, tftypes.NewValue(r.of, proposed)),
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
		PriorState: r.encoded(t, r.state), PlannedState: r.encoded(t, planned),
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
	resp, err := r.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: recordType, ID: baseURL})
	must(t, err)
	r.state = r.decoded(t, resp.ImportedResources[0].State)
}

// refresh refreshes the record, and returns the response and its diagnostics as text.
func (r *testRecord) refresh(ctx context.Context, t *testing.T, deferralAllowed bool) (resp *tfprotov6.ReadResourceResponse, text string) {
	t.Helper()
	resp, err := r.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: recordType, CurrentState: r.encoded(t, r.state),
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: deferralAllowed},
	})
	must(t, err)
	r.state = r.decoded(t, resp.NewState)
	return resp, textOf(resp.Diagnostics)
}

// with returns the state with other values, as if somebody had edited it, or as if a refresh had found them.
func (r *testRecord) with(t *testing.T, values arguments) tftypes.Value {
	t.Helper()
	members := membersOf(t, r.state)
	for name, value := range values {
		members[name] = valueOf(r.of.AttributeTypes[name], value)
	}
	return tftypes.NewValue(r.of, members)
}

func (r *testRecord) encoded(t *testing.T, value tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(r.of, value)
	must(t, err)
	return &encoded
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
	changes, prior := membersOf(t, planned), membersOf(t, r.state)
	for _, attribute := range r.schemas.ResourceSchemas[recordType].Block.Attributes {
		if !attribute.Computed || changes[attribute.Name].Equal(prior[attribute.Name]) {
			delete(changes, attribute.Name)
		}
	}
	delete(changes, "expected") // the blocks
	delete(changes, "timeouts")
	return changes
}

// requireEverything checks that a configuration expects something of every argument in the block, also of one that is new.
func requireEverything(t *testing.T, config arguments) {
	t.Helper()
	block := newSession(t).schemas.ResourceSchemas[recordType].ValueType().(tftypes.Object).AttributeTypes["expected"]
	for name := range block.(tftypes.Object).AttributeTypes {
		if config["expected"].(arguments)[name] == nil {
			t.Errorf("%s is missing where everything is expected", name)
		}
	}
}

// unknownBut returns the changes of a plan in which every detail is unknown but these. One that does not change is null.
func unknownBut(known ...arguments) arguments {
	var details map[string]any
	if err := json.Unmarshal([]byte(instancetest.NewerAttributes), &details); err != nil {
		panic(err)
	}
	changes := make(arguments)
	for name := range details {
		changes[name] = unknown
	}
	for _, values := range known {
		maps.Copy(changes, values)
	}
	maps.DeleteFunc(changes, func(_ string, value any) bool { return value == nil })
	return changes
}

// TestRecordDecisions has what a plan changes, whether it warns, and whether its apply waits. A canceled apply shows whether it waits, and
// that a wait that fails keeps every value. The instance reports instancetest.Newer().
func TestRecordDecisions(t *testing.T) {
	t.Parallel()
	expected := func(name string, value any) arguments { return arguments{"expected": arguments{name: value}} }
	oneWith := func(name string, value any) arguments {
		return arguments{"expected": arguments{"chunk_size": 20000000}, name: value}
	}
	triggers := func(triggers any) arguments { return oneWith("triggers", triggers) }
	deploy, twoTriggers := triggers(texts{"deploy": "1"}), triggers(texts{"deploy": "1", "other": "1"})
	suffix, noSuffix := expected("api_version", "2.1.5+build"), expected("api_version", "2.1.5")
	emptyBlock := arguments{"expected": arguments{}}
	anything, one, two := arguments{}, expected("chunk_size", 20000000), expected("chunk_size", 30000000)
	both := arguments{"expected": arguments{"chunk_size": 20000000, "require_password": true}}
	everything := arguments{"expected": arguments{
		"api_version": "3.2.7-rc.1+build", "chunk_size": 1, "file_max_age": 2, "file_max_size": 0, "max_transfers_in_merge": 7,
		"require_password": false,
	}}
	requireEverything(t, everything)
	allOfEverything := arguments{
		"api_version": "3.2.7-rc.1+build", "api_version_major": 3, "api_version_minor": 2, "api_version_patch": 7,
		"chunk_size": 1, "file_max_age": 2, "file_max_size": 0, "max_transfers_in_merge": 7, "require_password": false,
	}
	of := func(baseURL any, config arguments) arguments {
		config = maps.Clone(config)
		config["base_url"] = baseURL
		return config
	}
	const other = "http://other.example.org"
	failed, drifted := arguments{"wait_failed": true}, arguments{"chunk_size": 2}
	rightAgain, expectedAgain := arguments{"wait_failed": false}, arguments{"chunk_size": 20000000}
	unknownVersion := arguments{
		"api_version": unknown, "api_version_major": unknown, "api_version_minor": unknown, "api_version_patch": unknown,
	}
	unknownExpected := unknownBut(arguments{"recommended_expire_times": nil})

	tests := map[string]struct {
		before, after arguments // before is nil in a creation
		since         arguments // what is in the state since then
		plan          arguments
		waits, warns  bool
		reads         bool // as a data source does
	}{
		"creation":                           {after: anything, plan: unknownBut(rightAgain), reads: true},
		"creation, something is expected":    {after: one, plan: unknownBut(arguments{"chunk_size": 20000000, "wait_failed": false}), waits: true},
		"creation, everything is expected":   {after: everything, plan: unknownBut(rightAgain, allOfEverything), waits: true},
		"creation, base_url is unknown":      {after: of(unknown, everything), plan: unknownBut(rightAgain, allOfEverything)},
		"creation, expected is an empty one": {after: emptyBlock, plan: unknownBut(rightAgain), waits: true},

		"nothing changes":           {before: one, after: one},
		"nothing is ever expected":  {before: anything, after: anything},
		"stable_for is added":       {before: one, after: oneWith("stable_for", "1s")},
		"timeouts are added":        {before: one, after: oneWith("timeouts", arguments{"update": "1h", "read": "1m"})},
		"timeouts.read is unknown":  {before: one, after: oneWith("timeouts", arguments{"read": unknown})},
		"base_url is spelled other": {before: anything, since: arguments{"base_url": "http://h"}, after: of("HTTP://H:80//", anything)},

		"another value is expected":  {before: one, after: two, plan: arguments{"chunk_size": 30000000}, waits: true},
		"something is expected":      {before: anything, after: one, waits: true},
		"something else is expected": {before: one, after: expected("require_password", false), plan: arguments{"require_password": false}, waits: true},
		"more is expected":           {before: one, after: both, waits: true},
		"less is expected":           {before: both, after: one, waits: true},
		"everything is expected":     {before: one, after: everything, plan: allOfEverything, waits: true},
		"a version with a suffix":    {before: one, after: suffix, plan: arguments{"api_version": "2.1.5+build"}, waits: true},
		"expected is removed":        {before: one, after: anything},
		"expected is left empty":     {before: one, after: emptyBlock},
		"expected and triggers go":   {before: deploy, after: anything},
		"a number is unknown":        {before: one, after: expected("file_max_size", unknown), plan: arguments{"file_max_size": unknown}},
		"the version is unknown":     {before: one, after: expected("api_version", unknown), plan: unknownVersion},
		"all that is expected is unknown": {before: one, after: arguments{"expected": arguments{
			"api_version": unknown, "chunk_size": unknown, "file_max_age": unknown, "file_max_size": unknown,
			"max_transfers_in_merge": unknown, "require_password": unknown,
		}}, plan: unknownExpected},
		"triggers are added":               {before: one, after: deploy, waits: true},
		"triggers change":                  {before: deploy, after: triggers(texts{"deploy": "2"}), waits: true},
		"a trigger is added":               {before: deploy, after: twoTriggers, waits: true},
		"a trigger is removed":             {before: twoTriggers, after: deploy, waits: true},
		"triggers are unknown":             {before: deploy, after: triggers(unknown)},
		"triggers are removed":             {before: deploy, after: one},
		"triggers are left empty":          {before: deploy, after: triggers(texts{})},
		"triggers are empty from null":     {before: one, after: triggers(texts{})},
		"another instance":                 {before: anything, after: of(other, anything), plan: unknownBut(), reads: true},
		"another, after a failed wait":     {before: anything, since: failed, after: of(other, anything), plan: unknownBut(rightAgain), reads: true},
		"another, an empty block":          {before: emptyBlock, after: of(other, emptyBlock), plan: unknownBut(), waits: true},
		"another, the block goes":          {before: one, after: of(other, anything), plan: unknownBut(), reads: true},
		"an empty block stays":             {before: emptyBlock, since: arguments{"chunk_size": 2}, after: emptyBlock},
		"an empty block is added":          {before: anything, after: emptyBlock},
		"an empty block, and it failed":    {before: emptyBlock, since: failed, after: emptyBlock, plan: rightAgain},
		"another, something is expected":   {before: one, after: of(other, one), plan: unknownBut(arguments{"chunk_size": nil}), waits: true},
		"another, everything is expected":  {before: one, after: of(other, everything), plan: unknownBut(allOfEverything), waits: true},
		"another, and drift":               {before: one, since: drifted, after: of(other, one), plan: unknownBut(expectedAgain), waits: true},
		"base_url is unknown":              {before: one, after: of(unknown, one), plan: unknownBut(arguments{"chunk_size": nil})},
		"base_url is unknown, after drift": {before: one, since: drifted, after: of(unknown, one), plan: unknownBut(expectedAgain)},

		"the last wait failed":            {before: one, since: failed, after: one, plan: rightAgain, waits: true},
		"it failed, triggers are removed": {before: deploy, since: failed, after: one, plan: rightAgain, waits: true},
		"it failed, timeouts change":      {before: one, since: failed, after: oneWith("timeouts", arguments{"read": "1s"}), plan: rightAgain, waits: true},
		"it failed, nothing is expected":  {before: anything, since: failed, after: anything, plan: rightAgain},
		"it failed, expected is removed":  {before: one, since: failed, after: anything, plan: rightAgain},
		"it failed, and drift": {
			before: one, since: arguments{"wait_failed": true, "chunk_size": 2}, after: one,
			plan: arguments{"wait_failed": false, "chunk_size": 20000000}, waits: true, warns: true,
		},
		"drift":                            {before: one, since: drifted, after: one, plan: expectedAgain, waits: true, warns: true},
		"drift, triggers change":           {before: one, since: drifted, after: deploy, plan: expectedAgain, waits: true, warns: true},
		"drift, another value is expected": {before: one, since: drifted, after: two, plan: arguments{"chunk_size": 30000000}, waits: true},
		"drift becomes what is expected":   {before: one, since: drifted, after: expected("chunk_size", 2), waits: true},
		"drift, expected is removed":       {before: one, since: drifted, after: anything},
		"drift of what is not expected":    {before: one, since: arguments{"file_max_size": 1}, after: one},
		"drift of another build": {
			before: noSuffix, since: arguments{"api_version": "2.1.5+build"}, after: noSuffix,
			plan: arguments{"api_version": "2.1.5"}, waits: true, warns: true,
		},
		"a null in an edited state": {
			before: one, since: arguments{"chunk_size": nil, "file_max_size": nil}, after: one,
			plan: expectedAgain, waits: true, warns: true,
		},
		"a null base_url in an edited one": {
			before: one, since: arguments{"base_url": nil}, after: one,
			plan: unknownBut(arguments{"chunk_size": nil}), waits: true,
		},
		"user info in an edited one": {
			before: one, since: arguments{"base_url": "http://me:hunter2@h"}, after: one,
			plan: unknownBut(arguments{"chunk_size": nil}), waits: true,
		},
		"everything is null in edited ones": {before: anything, since: arguments{"api_version": nil, "chunk_size": nil, "recommended_expire_times": nil}, after: anything},
	}
	server := instancetest.New(t)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, config := newTestRecord(t, nil), of(server.URL(), test.after)
			if test.after["base_url"] != nil {
				config = test.after
			}
			if test.before != nil {
				r.create(t, of(server.URL(), test.before))
				r.state = r.with(t, test.since)
			}
			planned, text := r.plan(t, config)
			if warns := strings.Contains(text, ": Not as expected when last read: "); warns != test.warns || !warns && text != "" {
				t.Errorf("the plan warns of drift: %t, want %t\n%s", warns, test.warns, text)
			}
			want := make(map[string]tftypes.Value)
			for name, value := range test.plan {
				want[name] = valueOf(r.of.AttributeTypes[name], value)
			}
			if diff := cmp.Diff(want, r.changes(t, planned)); diff != "" {
				t.Errorf("the plan differs, want (-), got (+):\n%s", diff)
			}
			if !valueOf(r.of, config).IsFullyKnown() {
				return // Terraform plans again before it applies
			}
			left := planned
			switch {
			case test.waits && test.before != nil:
				left = r.with(t, arguments{"wait_failed": true})
			case test.waits, test.reads:
				left = r.state
			}
			text = r.apply(canceled, t, config, planned)
			waits, reads := strings.HasPrefix(text, "Error at base_url: Wait canceled\n"), strings.HasPrefix(text, "Error at base_url: Read canceled\n")
			if waits != test.waits || reads != test.reads || !waits && !reads && text != "" {
				t.Errorf("the apply waits: %t, want %t, and reads: %t, want %t\n%s", waits, test.waits, reads, test.reads, text)
			}
			if differences, err := r.state.Diff(left); len(differences) > 0 || err != nil {
				t.Errorf("the apply has left another state: %s, %v", differences, err)
			}
		})
	}
}

// Terraform before 1.3.8 proposes a block that was removed as it is in the state.
func TestRecordPlan_RemovedBlocks(t *testing.T) {
	t.Parallel()
	baseURL := instancetest.New(t).URL()
	r := newTestRecord(t, nil)
	r.create(t, arguments{"base_url": baseURL, "expected": arguments{"chunk_size": 20000000}, "timeouts": arguments{"read": "5s"}})
	resp, err := r.server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: recordType, Config: dynamicValue(t, r.of, arguments{"base_url": baseURL}),
		PriorState: r.encoded(t, r.state), ProposedNewState: r.encoded(t, r.state),
	})
	must(t, err)
	want := r.with(t, arguments{"expected": nil, "timeouts": nil})
	if differences, err := r.decoded(t, resp.PlannedState).Diff(want); len(differences) > 0 || err != nil {
		t.Errorf("the plan keeps what was removed: %s, %v\n%s", differences, err, textOf(resp.Diagnostics))
	}
}
