package provider

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// unknownDetails sets what the framework plans as unknown.
func unknownDetails(t *testing.T, record *recordModel) {
	t.Helper()
	unknown := modelOf[recordModel](t, recordState(), tftypes.UnknownValue)
	record.ResponseBody, record.WaitFailed, record.detailsModel = unknown.ResponseBody, unknown.WaitFailed, unknown.detailsModel
}

// A plan keeps the details of the state, as far as they are not expected otherwise.
func TestRecordPlan_KeepsTheDetails(t *testing.T) {
	t.Parallel()
	changes := map[string]func(config *recordModel){
		"nothing":                     func(*recordModel) {},
		"another spelling of the URL": func(config *recordModel) { config.BaseURL = types.StringValue("HTTP://Files.example.org:80//") },
		"what is reported is expected": func(config *recordModel) {
			config.Expected = objectOf(t, recordState(), "expected", expectedModel{ChunkSize: numberOf(20000000)})
		},
	}
	for name, change := range changes {
		state := newRecord(t, "http://files.example.org")
		state.WaitFailed = types.BoolValue(true) // as the next apply waits, false is planned
		want := state
		change(&want)
		planned := want
		unknownDetails(t, &planned)
		want.WaitFailed = types.BoolValue(false)
		got, diags := modifyPlan(t, planned, state, false)
		requireNoDiagnostics(t, diags)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(recordModel{})); diff != "" {
			t.Errorf("%s: the plan differs, want (-), got (+):\n%s", name, diff)
		}
	}
}

// A plan knows only what is expected of another instance: of a new record, and where the base URL is not known.
func TestRecordPlan_OfAnotherInstance(t *testing.T) {
	t.Parallel()
	everything := objectOf(t, recordState(), "expected", expectedModel{
		APIVersion:          types.StringValue("3.1.2-rc.1+build"),
		ChunkSize:           numberOf(1),
		FileMaxAge:          numberOf(2),
		FileMaxSize:         numberOf(0),
		MaxTransfersInMerge: numberOf(7),
		RequirePassword:     types.BoolValue(false),
	})
	var nothingKnown recordModel
	unknownDetails(t, &nothingKnown)
	allExpected := nothingKnown.detailsModel
	allExpected.APIVersion = types.StringValue("3.1.2-rc.1+build")
	allExpected.APIVersionMajor = types.Int64Value(3)
	allExpected.APIVersionMinor = types.Int64Value(1)
	allExpected.APIVersionPatch = types.Int64Value(2)
	allExpected.ChunkSize = types.Int64Value(1)
	allExpected.FileMaxAge = types.Int64Value(2)
	allExpected.FileMaxSize = types.Int64Value(0)
	allExpected.MaxTransfersInMerge = types.Int64Value(7)
	allExpected.RequirePassword = types.BoolValue(false)
	url := types.StringValue("http://files.example.org")
	tests := map[string]struct {
		creation bool
		baseURL  types.String
		expected types.Object
		want     detailsModel
	}{
		"new record":             {true, url, everything, allExpected},
		"new, URL not known":     {true, types.StringUnknown(), everything, allExpected},
		"base URL not known":     {false, types.StringUnknown(), everything, allExpected},
		"another base URL":       {false, types.StringValue("http://other.example.org"), everything, allExpected},
		"new, expected is empty": {true, url, objectOf(t, recordState(), "expected", expectedModel{}), nothingKnown.detailsModel},
	}
	for name, test := range tests {
		planned := newRecord(t, "")
		unknownDetails(t, &planned)
		planned.BaseURL, planned.Expected = test.baseURL, test.expected
		got, diags := modifyPlan(t, planned, newRecord(t, "http://files.example.org"), test.creation)
		requireNoDiagnostics(t, diags)
		if diff := cmp.Diff(test.want, got.detailsModel); diff != "" {
			t.Errorf("%s: the details differ, want (-), got (+):\n%s", name, diff)
		}
		if !got.ResponseBody.IsUnknown() || !got.WaitFailed.Equal(types.BoolValue(false)) {
			t.Errorf("%s: response_body is %s and wait_failed %s, want unknown and false", name, got.ResponseBody, got.WaitFailed)
		}
	}
}

// A plan warns of drift unless the apply changes what is expected.
func TestRecordPlan_WarnsOfDrift(t *testing.T) {
	t.Parallel()
	state := newRecord(t, "http://files.example.org")
	state.Expected = objectOf(t, recordState(), "expected", expectedModel{ChunkSize: numberOf(1)})
	got, diags := modifyPlan(t, state, state, false)
	requireDiagnostic(t, diags, "Warning at expected.chunk_size: Instance did not report what is expected: http://files.example.org "+
		"(chunk_size is 20000000, expected 1)")
	if got.ChunkSize.ValueInt64() != 1 || !got.FileMaxSize.Equal(state.FileMaxSize) || !got.ResponseBody.IsUnknown() {
		t.Errorf("chunk_size is %s, file_max_size %s and response_body %s, want 1, that of the state, and unknown", got.ChunkSize, got.FileMaxSize, got.ResponseBody)
	}
	planned := state
	planned.Expected = objectOf(t, recordState(), "expected", expectedModel{ChunkSize: numberOf(2)})
	_, diags = modifyPlan(t, planned, state, false)
	requireNoDiagnostics(t, diags)
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
	nothing, one, two := expectedModel{}, expectedModel{ChunkSize: numberOf(1)}, expectedModel{ChunkSize: numberOf(2)}
	more := expectedModel{ChunkSize: numberOf(1), RequirePassword: types.BoolValue(true)}
	deploy, redeploy := mapOf(map[string]string{"deploy": "1"}), mapOf(map[string]string{"deploy": "2"})
	deployAndOther := mapOf(map[string]string{"deploy": "1", "other": "1"})
	none, empty := types.MapNull(types.StringType), mapOf(map[string]string{})
	record := func(expected expectedModel, triggers types.Map) recordModel {
		record := newRecord(t, "http://h")
		record.Expected, record.Triggers = objectOf(t, recordState(), "expected", expected), triggers
		return record
	}
	failed := func(record recordModel) recordModel {
		record.WaitFailed = types.BoolValue(true)
		return record
	}
	otherArguments, otherInstance := record(one, none), record(nothing, none)
	otherArguments.StableFor, otherArguments.BaseURL = types.StringValue("1s"), types.StringValue("http://h/")
	otherArguments.Timeouts = objectOf(t, recordState(), "timeouts", recordTimeoutsModel{Update: types.StringValue("1h")})
	otherInstance.ResponseBody = types.StringUnknown()

	tests := map[string]struct {
		state, planned recordModel
		want           bool
	}{
		"nothing changes":                         {record(one, deploy), record(one, deploy), false},
		"only other arguments change":             {record(one, none), otherArguments, false},
		"another value is expected":               {record(one, none), record(two, none), true},
		"a value is expected":                     {record(nothing, none), record(one, none), true},
		"more is expected":                        {record(one, none), record(more, none), true},
		"less is expected":                        {record(more, none), record(one, none), true},
		"nothing is expected any more":            {record(one, none), record(nothing, none), false},
		"triggers change":                         {record(one, deploy), record(one, redeploy), true},
		"triggers are added":                      {record(one, none), record(one, deploy), true},
		"one of two triggers is removed":          {record(one, deployAndOther), record(one, deploy), true},
		"all triggers are removed":                {record(one, deploy), record(one, empty), false},
		"triggers are set to null":                {record(one, deploy), record(one, none), false},
		"triggers are set to none":                {record(one, none), record(one, empty), false},
		"the last wait failed":                    {failed(record(one, none)), record(one, none), true},
		"it failed, and triggers are removed":     {failed(record(one, deploy)), record(one, none), true},
		"it failed, and nothing is expected":      {failed(record(nothing, none)), record(nothing, none), false},
		"it failed, nothing is expected any more": {failed(record(one, none)), record(nothing, none), false},
		"another instance":                        {record(nothing, none), otherInstance, true},
	}
	for name, test := range tests {
		var diags diag.Diagnostics
		planned, _ := getRecord(t.Context(), withModel(t, recordState(), &test.planned), &diags)
		requireNoDiagnostics(t, diags)
		if got := planned.mustWait(test.state); got != test.want {
			t.Errorf("%s: mustWait is %t, want %t", name, got, test.want)
		}
	}
}

// What is expected is compared with instancetest.Newer().
func TestDifferences(t *testing.T) {
	t.Parallel()
	data := newTestData(t, providerModel{ // of another origin
		BaseURL: types.StringValue("https://other.example.org"), RequestHeaders: mapOf(map[string]string{"Authorization": "Bearer S3cretS3cret"}),
	}, retryModel{})
	reported, notReported, secret, long := detailsOf(t, instancetest.Newer()), detailsModel{}, detailsModel{}, detailsModel{}
	// A server must not disguise what it was sent as a version.
	secret.APIVersion = types.StringValue("2.4.1-S3cretS3cret")
	long.APIVersion = types.StringValue("2.4.1-" + strings.Repeat("x", 1000))
	tests := map[string]struct {
		reported detailsModel
		expected expectedModel
		want     []string
	}{
		"none": {reported, expectedModel{APIVersion: types.StringValue("2.1.5"), ChunkSize: numberOf(20000000), RequirePassword: types.BoolValue(true)}, nil},
		"every argument": {
			reported, expectedModel{types.StringValue("3.2.6"), numberOf(1), numberOf(2), numberOf(3), numberOf(4), types.BoolValue(false)},
			[]string{
				"api_version is 2.1.5, expected 3.2.6", "chunk_size is 20000000, expected 1", "file_max_age is 2592000, expected 2",
				"file_max_size is 64424509440, expected 3", "max_transfers_in_merge is 50, expected 4", "require_password is true, expected false",
			},
		},
		"largest number": {
			reported, expectedModel{ChunkSize: types.NumberValue(new(big.Float).SetInt64(math.MaxInt64))}, []string{"chunk_size is 20000000, expected 9223372036854775807"},
		},
		"another build of a version": {reported, expectedModel{APIVersion: types.StringValue("2.1.5+build")}, []string{"api_version is 2.1.5, expected 2.1.5+build"}},
		"null in the state":          {notReported, expectedModel{ChunkSize: numberOf(0)}, []string{"chunk_size is not reported, expected 0"}},
		"a secret": { // what is expected is from the configuration
			secret, expectedModel{APIVersion: types.StringValue("2.2.0-S3cretS3cret")}, []string{"api_version is 2.4.1-(redacted), expected 2.2.0-S3cretS3cret"},
		},
		"a long text": {
			long, expectedModel{APIVersion: types.StringValue("2.1.5")}, []string{"api_version is 2.4.1-" + strings.Repeat("x", 193) + "…, expected 2.1.5"},
		},
	}
	for name, test := range tests {
		var got []string
		for _, difference := range data.differences(test.expected.details(), test.reported) {
			got = append(got, difference.String())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: the differences differ, want (-), got (+):\n%s", name, diff)
		}
	}
	if got := data.differences(expectedModel{ChunkSize: numberOf(2e12)}.details(), reported)[0].Remedy; !strings.Contains(got, "only the digits") {
		t.Errorf("the remedy for chunk_size is %q, want that of differenceRemedy", got)
	}
}

func TestDifferenceRemedy(t *testing.T) {
	t.Parallel()
	const digits, unit, noMaximum = "only the digits at the beginning of a value", `30 of "30d"`, "Stend reports 15770000000 if there is no maximum"
	tests := []struct {
		name               string
		reported, expected int64
		want               string // a part, "" for no remedy
	}{
		{"file_max_size", 5, 5_000_000_000, digits},
		{"file_max_age", 30, 2_592_000, unit},
		{"file_max_size", 5_000, 5_000_000, ""}, // a thousandth may be meant
		{"file_max_size", 0, 5_000_000_000, ""},
		{"file_max_age", 15_770_000_000, 0, noMaximum},
		{"file_max_size", 15_770_000_000, 0, ""},
	}
	for _, test := range tests {
		got := differenceRemedy(test.name, types.Int64Value(test.reported), types.Int64Value(test.expected))
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s is %d, expected %d: the remedy is %q, want %q", test.name, test.reported, test.expected, got, test.want)
		}
	}
	if got := differenceRemedy("api_version", types.StringValue("1"), types.StringValue("10000")); got != "" {
		t.Errorf("the remedy for api_version is %q, want none", got)
	}
}

func TestDriftWarning(t *testing.T) {
	t.Parallel()
	differences := []client.Difference{
		{Name: "chunk_size", Reported: "1", Expected: "2"},
		{Name: "file_max_size", Reported: "3", Expected: "4", Remedy: "Write the whole number."},
	}
	planned := newRecord(t, "https://files.example.org/")
	tests := map[string]struct {
		timeouts recordTimeoutsModel
		limit    string
	}{
		"timeout by default": {recordTimeoutsModel{}, "timeouts.update (10m)"},
		"timeout":            {recordTimeoutsModel{Update: types.StringValue("90s")}, "timeouts.update (1m30s)"},
		"timeout not known":  {recordTimeoutsModel{Update: types.StringUnknown()}, "timeouts.update"},
	}
	for name, test := range tests {
		got := driftWarning(record{recordModel: planned, timeouts: test.timeouts}, differences)
		requireDiagnostic(t, diag.Diagnostics{got},
			"Warning at expected.chunk_size: Instance did not report what is expected: https://files.example.org/ (chunk_size is 1, expected 2)")
		want := "When it was last read, the instance reported other values:\n  - chunk_size is 1, expected 2\n  - file_max_size is 3, expected 4\n\n" +
			"An apply waits until it reports what is expected, for " + test.limit + " at most, or for timeouts.create if it replaces the record.\n\n" +
			"Write the whole number. " + adviceUnexpected
		if got.Detail() != want {
			t.Errorf("%s: the detail is\n%s\n\nwant\n%s", name, got.Detail(), want)
		}
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
		"another field": {reported: newer.With("newField", 1)}, // only response_body, as behind a gateway that adds a request ID
		"several": {
			reported: newer.With("fileMaxSize", int64(21474836480)).With("chunkSize", 10000000).With("requirePassword", false).
				With("apiVersion", "2.2.0-S3cretS3cret").With("fileMaxAge", 60).With("recommendedExpireTimes", []instancetest.Document{}),
			changed: []string{
				"api_version is 2.2.0-(redacted), planned 2.1.5", "chunk_size is 10000000, planned 20000000", "file_max_age is 60, planned 2592000",
				"file_max_size is 21474836480, planned 64424509440", "recommended_expire_times", "require_password is false, planned true",
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
	resource := &instanceRecordResource{newTestData(t, providerModel{
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
			got := resource.changedWarning(record{planned, expectedModel{ChunkSize: numberOf(1)}, recordTimeoutsModel{}}, result)
			if len(test.changed) == 0 {
				requireNoDiagnostics(t, one(got))
				return
			}
			requireDiagnostic(t, one(got), "Warning: Other details changed while the apply waited: http://files.example.org")
			want := "These details have changed too, but this apply had to keep them as planned:\n  - " + strings.Join(test.changed, "\n  - ") +
				"\n\nThe next apply records them. To have a detail in the same apply, add it to expected, if that has an argument for it."
			if want = "The instance reports what is expected. " + want; got.Detail() != want {
				t.Errorf("the detail is\n%s\n\nwant\n%s", got.Detail(), want)
			}
			if got := resource.changedWarning(record{recordModel: planned}, result).Detail(); strings.Contains(got, "what is expected.") {
				t.Errorf("although nothing is expected, the detail is\n%s", got)
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
