package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// unknownDetails sets what the framework plans as unknown.
func unknownDetails(t *testing.T, record *recordModel) {
	t.Helper()
	unknown := unknownModel[recordModel](t, recordState())
	record.ResponseBody, record.WaitFailed, record.detailsModel = unknown.ResponseBody, unknown.WaitFailed, unknown.detailsModel
}

func TestRecordPlan(t *testing.T) {
	t.Parallel()
	type change = func(record *recordModel)
	setBaseURL := func(value types.String) change {
		return func(record *recordModel) { record.BaseURL = value }
	}
	expect := func(expected expectedModel) change {
		return func(record *recordModel) { record.Expected = objectOf(t, "expected", expected) }
	}

	tests := map[string]struct {
		creates bool
		state   change   // where it differs from newRecord
		config  []change // where it differs from the state
		plan    []change // where it differs from the configuration with the details of the state, which are unknown in a creation
	}{
		"new": {creates: true},
		"new, everything is expected of an unknown base URL": {
			creates: true,
			config: []change{
				setBaseURL(types.StringUnknown()),
				expect(expectedModel{
					APIVersion:          types.StringValue("3.1.2-rc.1+build"),
					ChunkSize:           numberOf(1),
					FileMaxAge:          numberOf(2),
					FileMaxSize:         numberOf(0),
					MaxTransfersInMerge: numberOf(7),
					RequirePassword:     types.BoolValue(false),
				}),
			},
			plan: []change{func(record *recordModel) {
				record.APIVersion = types.StringValue("3.1.2-rc.1+build")
				record.APIVersionMajor = types.Int64Value(3)
				record.APIVersionMinor = types.Int64Value(1)
				record.APIVersionPatch = types.Int64Value(2)
				record.ChunkSize = types.Int64Value(1)
				record.FileMaxAge = types.Int64Value(2)
				record.FileMaxSize = types.Int64Value(0)
				record.MaxTransfersInMerge = types.Int64Value(7)
				record.RequirePassword = types.BoolValue(false)
			}},
		},
		"nothing changes": {},
		"another spelling of the URL": {
			config: []change{setBaseURL(types.StringValue("HTTP://Files.example.org:80//"))},
		},
		"base URL unknown": {
			config: []change{setBaseURL(types.StringUnknown()), expect(expectedModel{ChunkSize: numberOf(3)})},
			plan: []change{func(record *recordModel) {
				unknownDetails(t, record)
				record.ChunkSize = types.Int64Value(3)
			}},
		},
		"the reported value is expected": {
			config: []change{expect(expectedModel{ChunkSize: numberOf(20000000)})},
		},
		"the last wait failed": {
			state: func(record *recordModel) { record.WaitFailed = types.BoolValue(true) },
		},
		"timeouts unknown": {
			config: []change{func(record *recordModel) {
				record.Timeouts = types.ObjectUnknown(record.Timeouts.AttributeTypes(t.Context()))
			}},
		},
		"the apply only waits": {
			config: []change{
				expect(expectedModel{ChunkSize: numberOf(20000000)}),
				func(record *recordModel) { record.Triggers = mapOf(map[string]string{"deploy": "1"}) },
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := newRecord(t, "http://files.example.org")
			if test.state != nil {
				test.state(&state)
			}
			planned := state
			for _, change := range test.config {
				change(&planned)
			}
			want := planned
			unknownDetails(t, &planned)
			if test.creates {
				unknownDetails(t, &want)
			}
			for _, change := range test.plan {
				change(&want)
			}
			want.WaitFailed = types.BoolValue(false)

			got, diags := modifyPlan(t, planned, state, test.creates)
			requireNoDiagnostics(t, diags)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(recordModel{})); diff != "" {
				t.Errorf("the plan differs, want (-), got (+):\n%s", diff)
			}
		})
	}
}

// modifyPlan plans a record.
func modifyPlan(t *testing.T, planned, state recordModel, creation bool) (modified recordModel, diags diag.Diagnostics) {
	t.Helper()
	var prior any = &state
	if creation {
		prior = nil
	}
	resp := resource.ModifyPlanResponse{Plan: tfsdk.Plan(withModel(t, recordState(), &planned))}
	(&instanceRecordResource{newTestData(t, providerModel{}, retryModel{})}).ModifyPlan(t.Context(),
		resource.ModifyPlanRequest{Plan: resp.Plan, State: withModel(t, recordState(), prior)}, &resp)
	requireNoDiagnostics(t, resp.Plan.Get(t.Context(), &modified))
	return modified, resp.Diagnostics
}

// TestMustWait shows which updates wait. TestAccRecord_... show that these do.
func TestMustWait(t *testing.T) {
	t.Parallel()
	expected := func(chunkSize float64) expectedModel { return expectedModel{ChunkSize: numberOf(chunkSize)} }
	more := expectedModel{ChunkSize: numberOf(1), RequirePassword: types.BoolValue(true)}
	one, two := mapOf(map[string]string{"deploy": "1"}), mapOf(map[string]string{"deploy": "2"})
	both := mapOf(map[string]string{"deploy": "1", "other": "1"})
	none, empty := types.MapNull(types.StringType), mapOf(map[string]string{})

	tests := map[string]struct {
		was, is                 expectedModel
		triggersWere, triggers  types.Map
		failed, documentUnknown bool
		want                    bool
	}{
		"nothing changes":                         {was: expected(1), is: expected(1), triggersWere: one, triggers: one, want: false},
		"another value is expected":               {was: expected(1), is: expected(2), triggersWere: none, triggers: none, want: true},
		"a value is expected":                     {is: expected(1), triggersWere: none, triggers: none, want: true},
		"more is expected":                        {was: expected(1), is: more, triggersWere: none, triggers: none, want: true},
		"less is expected":                        {was: more, is: expected(1), triggersWere: none, triggers: none, want: true},
		"nothing is expected any more":            {was: expected(1), triggersWere: none, triggers: none, want: false},
		"triggers change":                         {was: expected(1), is: expected(1), triggersWere: one, triggers: two, want: true},
		"triggers are added":                      {was: expected(1), is: expected(1), triggersWere: none, triggers: one, want: true},
		"one of two triggers is removed":          {was: expected(1), is: expected(1), triggersWere: both, triggers: one, want: true},
		"all triggers are removed":                {was: expected(1), is: expected(1), triggersWere: one, triggers: empty, want: false},
		"triggers are set to null":                {was: expected(1), is: expected(1), triggersWere: one, triggers: none, want: false},
		"triggers are set to none":                {was: expected(1), is: expected(1), triggersWere: none, triggers: empty, want: false},
		"the last wait failed":                    {was: expected(1), is: expected(1), triggersWere: none, triggers: none, failed: true, want: true},
		"it failed, and triggers are removed":     {was: expected(1), is: expected(1), triggersWere: one, triggers: none, failed: true, want: true},
		"it failed, and nothing is expected":      {triggersWere: none, triggers: none, failed: true, want: false},
		"it failed, nothing is expected any more": {was: expected(1), triggersWere: none, triggers: none, failed: true, want: false},
		"another instance":                        {triggersWere: none, triggers: none, documentUnknown: true, want: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, planned := newRecord(t, "http://h"), newRecord(t, "http://h")
			state.Expected, state.Triggers, state.WaitFailed = objectOf(t, "expected", test.was), test.triggersWere, types.BoolValue(test.failed)
			planned.Expected, planned.Triggers = objectOf(t, "expected", test.is), test.triggers
			if test.documentUnknown {
				planned.ResponseBody = types.StringUnknown()
			}
			// What never waits.
			planned.StableFor, planned.BaseURL = types.StringValue("1s"), types.StringValue("http://h/")
			planned.Timeouts = objectOf(t, "timeouts", recordTimeoutsModel{Update: types.StringValue("1h")})
			if got := mustWait(planned, state, test.is); got != test.want {
				t.Errorf("mustWait is %t, want %t", got, test.want)
			}
		})
	}
}

// TestDifferences also has what each can come from.
func TestDifferences(t *testing.T) {
	t.Parallel()
	const digits, unit, noMaximum = "only the digits at the beginning of a value", "without its unit", "Stend reports 15770000000 if there is no maximum"
	number := numberOf
	type reported = func(*detailsModel)
	tests := map[string]struct {
		reported reported // where it differs from instancetest.Newer()
		expected expectedModel
		want     []string
		remedies []string // "" if a difference has none
	}{
		"none": {expected: expectedModel{APIVersion: types.StringValue("2.1.5"), ChunkSize: number(20000000), RequirePassword: types.BoolValue(true)}},
		"every argument": {
			expected: expectedModel{
				types.StringValue("3.2.6"), number(1), number(2), number(3), number(4), types.BoolValue(false),
			},
			want: []string{
				"api_version is 2.1.5, expected 3.2.6", "chunk_size is 20000000, expected 1", "file_max_age is 2592000, expected 2",
				"file_max_size is 64424509440, expected 3", "max_transfers_in_merge is 50, expected 4", "require_password is true, expected false",
			},
			remedies: []string{"", "", "", "", "", ""},
		},
		"another build of a version": {
			expected: expectedModel{APIVersion: types.StringValue("2.1.5+build")}, want: []string{"api_version is 2.1.5, expected 2.1.5+build"}, remedies: []string{""},
		},
		"null in the state": {
			reported: func(details *detailsModel) { details.ChunkSize = types.Int64Null() }, expected: expectedModel{ChunkSize: number(0)},
			want: []string{"chunk_size is not reported, expected 0"}, remedies: []string{""},
		},
		"the digits at the beginning": {
			reported: func(details *detailsModel) { details.FileMaxSize = types.Int64Value(5) }, expected: expectedModel{FileMaxSize: number(5e9)},
			want: []string{"file_max_size is 5, expected 5000000000"}, remedies: []string{digits},
		},
		"other digits": {
			reported: func(details *detailsModel) { details.FileMaxAge = types.Int64Value(30) }, expected: expectedModel{FileMaxAge: number(2592000)},
			want: []string{"file_max_age is 30, expected 2592000"}, remedies: []string{unit},
		},
		"a thousandth": {
			reported: func(details *detailsModel) { details.FileMaxSize = types.Int64Value(5000) }, expected: expectedModel{FileMaxSize: number(5e6)},
			want: []string{"file_max_size is 5000, expected 5000000"}, remedies: []string{""},
		},
		"zero": {
			reported: func(details *detailsModel) { details.FileMaxSize = types.Int64Value(0) }, expected: expectedModel{FileMaxSize: number(5e9)},
			want: []string{"file_max_size is 0, expected 5000000000"}, remedies: []string{""},
		},
		"no maximum": {
			reported: func(details *detailsModel) { details.FileMaxAge = types.Int64Value(15770000000) }, expected: expectedModel{FileMaxAge: number(0)},
			want: []string{"file_max_age is 15770000000, expected 0"}, remedies: []string{noMaximum},
		},
		"the number of no maximum elsewhere": {
			reported: func(details *detailsModel) { details.FileMaxSize = types.Int64Value(15770000000) }, expected: expectedModel{FileMaxSize: number(0)},
			want: []string{"file_max_size is 15770000000, expected 0"}, remedies: []string{""},
		},
		// A server must not disguise what it was sent as a version. What is expected is from the configuration.
		"a secret": {
			reported: func(details *detailsModel) { details.APIVersion = types.StringValue("2.4.1-S3cretS3cret") },
			expected: expectedModel{APIVersion: types.StringValue("2.2.0-S3cretS3cret" + strings.Repeat("x", 1000))},
			want:     []string{"api_version is 2.4.1-(redacted), expected 2.2.0-S3cretS3cret" + strings.Repeat("x", 1000)}, remedies: []string{""},
		},
		"a long text": {
			reported: func(details *detailsModel) {
				details.APIVersion = types.StringValue("2.4.1-" + strings.Repeat("x", 1000))
			},
			expected: expectedModel{APIVersion: types.StringValue("2.1.5")},
			want:     []string{"api_version is 2.4.1-" + strings.Repeat("x", 193) + "…, expected 2.1.5"}, remedies: []string{""},
		},
	}
	data := newTestData(t, providerModel{ // of another origin
		BaseURL: types.StringValue("https://other.example.org"), RequestHeaders: mapOf(map[string]string{"Authorization": "Bearer S3cretS3cret"}),
	}, retryModel{})
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			details := detailsOf(t, instancetest.Newer())
			if test.reported != nil {
				test.reported(&details)
			}
			var got []string
			for i, difference := range data.differences(test.expected.details(), details) {
				got = append(got, difference.String())
				if want := test.remedies[i]; (want == "") != (difference.Remedy == "") || !strings.Contains(difference.Remedy, want) {
					t.Errorf("the remedy for %s is %q, want %q", difference.Name, difference.Remedy, want)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("the differences differ, want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestDriftWarning(t *testing.T) {
	t.Parallel()
	differences := []client.Difference{
		{Name: "chunk_size", Reported: "1", Expected: "2"},
		{Name: "file_max_age", Reported: "5", Expected: "6", Remedy: "Write the whole number."},
		{Name: "file_max_size", Reported: "3", Expected: "4", Remedy: "Write the whole number."},
	}
	detail := func(limit string) string {
		return "When it was last read, the instance reported other values:\n  - chunk_size is 1, expected 2\n  - file_max_age is 5, expected 6" +
			"\n  - file_max_size is 3, expected 4\n\nAn apply waits until it reports what is expected, for " + limit + " at most, or for " +
			"timeouts.create if it replaces the record.\n\nWrite the whole number. Check that the server runs the release and the settings that " +
			"are expected, and how it read them. If what it reports is right, change expected."
	}
	timeouts := func(update types.String) types.Object {
		return objectOf(t, "timeouts", recordTimeoutsModel{Update: update})
	}
	unknown := types.ObjectUnknown(timeouts(types.StringNull()).AttributeTypes(t.Context()))
	tests := map[string]struct {
		timeouts types.Object
		limit    string
	}{
		"timeout by default": {timeouts(types.StringNull()), "timeouts.update (10m)"},
		"timeout":            {timeouts(types.StringValue("90s")), "timeouts.update (1m30s)"},
		"timeout unknown":    {timeouts(types.StringUnknown()), "timeouts.update"},
		"block unknown":      {unknown, "timeouts.update"},
	}
	for name, test := range tests {
		planned := newRecord(t, "https://files.example.org/")
		planned.Timeouts = test.timeouts
		_, model, diags := planned.blocks(t.Context())
		requireNoDiagnostics(t, diags)
		got := driftWarning(planned, model, differences)
		if got.Detail() != detail(test.limit) {
			t.Errorf("%s: the detail is\n%s\n\nwant\n%s", name, got.Detail(), detail(test.limit))
		}
		requireDiagnostic(t, diag.Diagnostics{got},
			"Warning at expected.chunk_size: Instance did not report what is expected: https://files.example.org/ (chunk_size is 1, expected 2)")
	}
}

// TestChangedWarning shows what an apply says about details that it had to keep as planned.
func TestChangedWarning(t *testing.T) {
	t.Parallel()
	newer := instancetest.Newer()
	decomposed := newer.With("recommendedExpireTimes", []instancetest.Document{instancetest.NewerEntry("1 anne\u0301e", 31536000)})
	tests := map[string]struct {
		reported instancetest.Document
		planned  func(*recordModel) // where it differs from newRecord
		changed  []string           // no warning if there is none
	}{
		"nothing":       {reported: newer},
		"another field": {reported: newer.With("newField", 1), changed: []string{"response_body"}},
		"another field, document unknown": {
			reported: newer.With("newField", 1), planned: func(planned *recordModel) { planned.ResponseBody = types.StringUnknown() },
		},
		"several": {
			reported: newer.With("fileMaxSize", 21474836480).With("chunkSize", 10000000).With("requirePassword", false).
				With("apiVersion", "2.2.0-S3cretS3cret").With("fileMaxAge", 60).With("recommendedExpireTimes", []instancetest.Document{}),
			changed: []string{
				"api_version is 2.2.0-(redacted), planned 2.1.5", "chunk_size is 10000000, planned 20000000", "file_max_age is 60, planned 2592000",
				"file_max_size is 21474836480, planned 64424509440", "recommended_expire_times", "require_password is false, planned true", "response_body",
			},
		},
		"an unknown value": {
			reported: newer.With("chunkSize", 1), planned: func(planned *recordModel) {
				planned.ChunkSize, planned.ResponseBody = types.Int64Unknown(), types.StringUnknown()
			},
		},
		"null in the state": {
			reported: newer, planned: func(planned *recordModel) { planned.FileMaxAge = types.Int64Null() },
			changed: []string{"file_max_age is 2592000, planned nothing"},
		},
		"a secret in the state": {
			reported: newer, planned: func(planned *recordModel) { planned.APIVersion = types.StringValue("2.1.5-S3cretS3cret") },
			changed: []string{"api_version is 2.1.5, planned 2.1.5-(redacted)"},
		},
		"a label that is not in NFC": { // Terraform has stored it in NFC
			reported: decomposed, planned: func(planned *recordModel) {
				composed := newer.With("recommendedExpireTimes", []instancetest.Document{instancetest.NewerEntry("1 ann\u00e9e", 31536000)})
				planned.ResponseBody, planned.detailsModel = types.StringValue(composed.JSON()), detailsOf(t, composed)
			},
		},
	}
	record := &instanceRecordResource{newTestData(t, providerModel{
		BaseURL: types.StringValue("http://files.example.org"), RequestHeaders: mapOf(map[string]string{"X-Token": "S3cretS3cret"}),
	}, retryModel{})}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned := newRecord(t, "http://files.example.org")
			if test.planned != nil {
				test.planned(&planned)
			}
			result := &client.Result{Document: []byte(test.reported.JSON()), Details: parse(t, test.reported)}
			for asExpected, expected := range map[string]expectedModel{
				"": {}, "The instance reports what is expected.": {ChunkSize: numberOf(1)},
			} {
				got := record.changedWarning(planned, result, expected)
				if len(test.changed) == 0 {
					if got != nil {
						t.Errorf("a warning: %s", got.Detail())
					}
					continue
				}
				requireDiagnostic(t, diag.Diagnostics{got}, "Warning: Other details changed while the apply waited: http://files.example.org")
				want := sentences(asExpected, "These details have changed too, but this apply had to keep them as planned:\n  - "+strings.Join(test.changed, "\n  - ")+
					"\n\nThe next apply records them. To have a detail in the same apply, add it to expected, if that has an argument for it.")
				if got.Detail() != want {
					t.Errorf("the detail is\n%s\n\nwant\n%s", got.Detail(), want)
				}
			}
		})
	}
}

func TestPathAtFault(t *testing.T) {
	t.Parallel()
	unexpected := &client.ReadError{Failure: &client.Failure{Kind: client.KindUnexpected}, Differences: []client.Difference{{Name: "chunk_size"}}}
	failing := &client.ReadError{Failure: &client.Failure{Kind: client.KindStatus}, Differences: unexpected.Differences}
	wait, refresh := readOperation{purpose: waitForRecord}, readOperation{purpose: refreshRecord}
	tests := map[string]struct {
		err  *client.ReadError
		op   readOperation
		want path.Path
	}{
		"failure":         {failing, wait, path.Root("base_url")},
		"not as expected": {unexpected, wait, path.Root("expected").AtName("chunk_size")},
		"not stable":      {&client.ReadError{Ending: client.Unstable}, wait, path.Root("stable_for")},
		"refresh":         {failing, refresh, path.Empty()},
	}
	for name, test := range tests {
		if got := pathAtFault(test.err, test.op); !got.Equal(test.want) {
			t.Errorf("%s: the path is %s, want %s", name, got, test.want)
		}
	}
}
