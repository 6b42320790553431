package provider

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// requireSameRecord checks that an operation has kept every value of a record.
func requireSameRecord(t *testing.T, got, want recordModel) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(recordModel{})); diff != "" {
		t.Errorf("the record differs, want (-), got (+):\n%s", diff)
	}
}

// doubtful is a document with an expiry option of which there is a warning.
var doubtful = instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{instancetest.OlderEntry("30 minutes", 30)})

// An update that fails keeps the state but for wait_failed, also if it was canceled before the first request.
func TestFailedUpdateKeepsTheState(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	state := newRecord(t, server.URL())
	state.Expected = objectOf(t, recordState(), "expected", expectedModel{ChunkSize: numberOf(20000000)})
	planned := state
	planned.Expected, planned.ChunkSize = objectOf(t, recordState(), "expected", expectedModel{ChunkSize: numberOf(30000000)}), types.Int64Value(30000000)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	updated, diags := updateRecord(canceled, t, newTestData(t, providerModel{}, impatient(1)), planned, state)
	requireDiagnostic(t, diags, "Error: Read canceled", "The next apply waits again.")
	state.WaitFailed = types.BoolValue(true)
	requireSameRecord(t, updated, state)
}

// An update stores what was planned, although the instance reports other details, and warns. It waits until the instance has reported
// what is expected for stable_for.
func TestRecordUpdateStoresWhatWasPlanned(t *testing.T) {
	t.Parallel()
	reported := instancetest.Newer().With("chunkSize", 30000000).With("fileMaxAge", 60)
	server := instancetest.New(t, instancetest.WithDocument(reported), instancetest.WithScript(instancetest.AnswerDocument(instancetest.Newer())))
	state := newRecord(t, server.URL())
	planned := state
	planned.Expected, planned.StableFor = objectOf(t, recordState(), "expected", expectedModel{ChunkSize: numberOf(30000000)}), types.StringValue("1ns")
	planned.ChunkSize, planned.ResponseBody = types.Int64Value(30000000), types.StringUnknown()
	updated, diags := updateRecord(t.Context(), t, newTestData(t, providerModel{}, impatient(1)), planned, state)
	requireDiagnostic(t, diags, "Warning: Other details changed while the apply waited: "+server.URL(), "\n  - file_max_age is 60, planned 2592000\n")
	want := planned
	want.ResponseBody = types.StringValue(reported.JSON())
	requireSameRecord(t, updated, want)
	if n := len(server.Requests()); n != 3 { // one of them before it is as expected
		t.Errorf("%d requests, want 3", n)
	}
}

// A creation records what is reported, with its warnings. So does an update that waits, and the data source warns in the same words.
func TestRecordCreation(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDocument(doubtful))
	data := newTestData(t, providerModel{}, impatient(1))
	want := newRecord(t, server.URL())
	want.detailsModel, want.ResponseBody = detailsOf(t, doubtful), types.StringValue(doubtful.JSON())
	planned := want
	unknownDetails(t, &planned)
	planned.WaitFailed = want.WaitFailed
	plan := tfsdk.Plan(withModel(t, recordState(), &planned))
	resp := resource.CreateResponse{State: withModel(t, recordState(), nil)}
	(&instanceRecordResource{data}).Create(t.Context(), resource.CreateRequest{Plan: plan}, &resp)
	var created recordModel
	requireNoDiagnostics(t, resp.State.Get(t.Context(), &created))
	updated, diags := updateRecord(t.Context(), t, data, planned, newRecord(t, server.URL()))
	_, read := readInstance(t.Context(), t, data, func(model *instanceModel) { model.BaseURL = planned.BaseURL })
	for _, warnings := range []diag.Diagnostics{resp.Diagnostics, diags, read} {
		requireDiagnostic(t, warnings, "Warning: Expiry options shorter than a minute: "+server.URL(), "\n\n"+server.URL()+"/instance\n  - ")
	}
	requireSameRecord(t, created, want)
	requireSameRecord(t, updated, want)
}

// A refresh records what is reported, never what is expected.
func TestRecordRefresh(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDocument(doubtful))
	record := newRecord(t, server.URL())
	record.Expected = objectOf(t, recordState(), "expected", expectedModel{ChunkSize: numberOf(20000000)})
	record.StableFor, record.Triggers, record.WaitFailed = types.StringValue("1s"), mapOf(map[string]string{"deploy": "1"}), types.BoolValue(true)
	record.Timeouts = objectOf(t, recordState(), "timeouts", recordTimeoutsModel{Read: types.StringValue("30s")})
	refreshed, diags := refreshRecordModel(t.Context(), t, newTestData(t, providerModel{}, impatient(1)), record)
	requireDiagnostic(t, diags, "Warning: Expiry options shorter than a minute: "+server.URL())
	want := record
	want.detailsModel, want.ResponseBody = detailsOf(t, doubtful), types.StringValue(doubtful.JSON())
	requireSameRecord(t, refreshed, want)
}

// There is one warning, whatever failed.
func TestFailedRefreshKeepsEveryValue(t *testing.T) {
	t.Parallel()
	failing := instancetest.New(t, instancetest.WithDefault(instancetest.Status(503))).URL()
	silent := instancetest.New(t, instancetest.WithDefault(instancetest.Silent())).URL()
	faulty := instancetest.New(t, instancetest.WithDocument("{}")).URL()
	timeout := func(record recordModel, read string) recordModel {
		record.Timeouts = objectOf(t, recordState(), "timeouts", recordTimeoutsModel{Read: types.StringValue(read)})
		return record
	}
	expecting := newRecord(t, failing)
	expecting.Expected = objectOf(t, recordState(), "expected", expectedModel{ChunkSize: numberOf(1)})
	const kept = "The instance could not be read, so this record keeps what the instance last reported, as of the last apply."
	tests := map[string]struct {
		record recordModel
		parts  []string
	}{
		"status that is retried":                     {newRecord(t, failing), []string{kept + "\n\nGET " + failing + "/instance: status 503", "\n\n3 attempts were made."}},
		"another document":                           {newRecord(t, faulty), []string{kept + "\n\nGET " + faulty + "/instance", "JSON without any field of an instance document: {}."}},
		"out of time":                                {timeout(newRecord(t, silent), "200ms"), []string{kept, "timeouts.read (200ms), ran out."}},
		"something is expected":                      {expecting, []string{kept + " Whether it reports what is expected was not checked.\n\nGET "}},
		"timeout of another version of the provider": {timeout(newRecord(t, failing), "soon"), []string{kept, "status 503"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refreshed, diags := refreshRecordModel(t.Context(), t, newTestData(t, providerModel{}, impatient(3)), test.record)
			requireSameRecord(t, refreshed, test.record)
			requireDiagnostic(t, diags, "Warning: Instance not read, last known details kept: "+test.record.BaseURL.ValueString(), test.parts...)
		})
	}
	secret := newRecord(t, "https://me:hunter2@files.example.org") // which another version of the provider accepted
	refreshed, diags := refreshRecordModel(t.Context(), t, newTestData(t, providerModel{}, retryModel{}), secret)
	requireSameRecord(t, refreshed, secret)
	requireDiagnostic(t, diags, "Warning: Instance not read, last known details kept", kept, "has user info")
	requireNoTexts(t, textOf(diags), "hunter2")
}

// The refresh keeps every value, with a warning that names the arguments that matter.
func TestRefreshWithUnknownProviderArguments(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	record := newRecord(t, server.URL())
	unknown := newTestData(t, providerModel{RequestTimeout: types.StringUnknown(), Insecure: types.BoolUnknown()}, retryModel{})
	refreshed, diags := refreshRecordModel(t.Context(), t, unknown, record)
	requireSameRecord(t, refreshed, record)
	requireDiagnostic(t, diags, "Warning: Instance not read, last known details kept: "+server.URL(),
		"these arguments of the provider are known only after apply:\n  - insecure\n  - request_timeout\n\n")
	if n := len(server.Requests()); n > 0 {
		t.Errorf("%d requests, want none", n)
	}

	_, diags = refreshRecordModel(t.Context(), t, newTestData(t, providerModel{BaseURL: types.StringUnknown()}, retryModel{}), record)
	requireNoDiagnostics(t, diags)
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests with an unknown base_url, want 1", n)
	}
}

// The clock runs only while the provider waits: nothing listens at the address.
func TestRecordTimeouts(t *testing.T) {
	t.Parallel()
	baseURL := "http://" + instancetest.ReserveAddress(t)
	own := recordTimeoutsModel{types.StringValue("3m"), types.StringValue("5s"), types.StringValue("4m")}
	tests := []struct {
		timeouts             recordTimeoutsModel
		create, read, update string
	}{
		{recordTimeoutsModel{}, "timeouts.create is 10m.", "timeouts.read (15s)", "timeouts.update is 10m."},
		{own, "timeouts.create is 3m.", "timeouts.read (5s)", "timeouts.update is 4m."},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			data := newTestData(t, providerModel{}, retryModel{MaxAttempts: numberOf(100)})
			state := newRecord(t, baseURL)
			state.Timeouts = objectOf(t, recordState(), "timeouts", test.timeouts)
			planned := state
			unknownDetails(t, &planned)
			created := resource.CreateResponse{State: withModel(t, recordState(), nil)}
			plan := tfsdk.Plan(withModel(t, recordState(), &planned))
			(&instanceRecordResource{data}).Create(t.Context(), resource.CreateRequest{Plan: plan}, &created)
			requireDiagnostic(t, created.Diagnostics, "Error at base_url: Instance not reachable", test.create)
			_, diags := refreshRecordModel(t.Context(), t, data, state)
			requireDiagnostic(t, diags, "Warning: Instance not read, last known details kept: "+baseURL, test.read)
			_, diags = updateRecord(t.Context(), t, data, planned, state)
			requireDiagnostic(t, diags, "Error at base_url: Instance not reachable", test.update)
		})
	}
}

// An import reads the instance, or fails: there are no values to keep.
func TestImport(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Status(503)))
	imported := resource.ImportStateResponse{State: withModel(t, recordState(), nil)}
	(&instanceRecordResource{}).ImportState(t.Context(), resource.ImportStateRequest{ID: server.URL()}, &imported)
	requireNoDiagnostics(t, imported.Diagnostics)
	refresh := func(data *providerData, deferralAllowed bool) resource.ReadResponse {
		resp := resource.ReadResponse{State: imported.State}
		req := resource.ReadRequest{State: imported.State, ClientCapabilities: resource.ReadClientCapabilities{DeferralAllowed: deferralAllowed}}
		(&instanceRecordResource{data}).Read(t.Context(), req, &resp)
		return resp
	}
	requireDiagnostic(t, refresh(newTestData(t, providerModel{}, impatient(1)), true).Diagnostics, "Error: Instance answered with status 503", server.URL())

	unknown := newTestData(t, providerModel{RequestTimeout: types.StringUnknown()}, retryModel{})
	requireDiagnostic(t, refresh(unknown, false).Diagnostics, "Error: Provider configuration not known yet", "\n  - request_timeout\n")
	deferred := refresh(unknown, true)
	requireNoDiagnostics(t, deferred.Diagnostics)
	if deferred.Deferred == nil || deferred.Deferred.Reason != resource.DeferredReasonProviderConfigUnknown {
		t.Errorf("deferred is %v, want that the provider's configuration is unknown", deferred.Deferred)
	}
}

// A cancellation ends a read at once. It is no failure that keeps a record, or that allow_failures allows.
func TestCancellationEndsARead(t *testing.T) {
	t.Parallel()
	timeouts := readTimeouts(types.StringValue("2h"))
	tests := map[string]struct {
		read func(ctx context.Context, data *providerData, baseURL string) diag.Diagnostics
		part string
	}{
		"instance": {func(ctx context.Context, data *providerData, baseURL string) diag.Diagnostics {
			_, diags := readInstance(ctx, t, data, func(model *instanceModel) {
				model.BaseURL, model.WaitUntilReady, model.Timeouts = types.StringValue(baseURL), types.BoolValue(true), timeouts
			})
			return diags
		}, "Reading the instance was canceled"},
		"fleet": {func(ctx context.Context, data *providerData, baseURL string) diag.Diagnostics {
			_, diags := readInstances(ctx, t, data, map[string]string{"a": baseURL, "b": baseURL + "/b", "b2": baseURL + "/b/"}, func(model *instancesModel) {
				model.AllowFailures, model.WaitUntilReady, model.Timeouts = types.BoolValue(true), types.BoolValue(true), timeouts
			})
			return diags
		}, "Reading the instances was canceled. 3 of 3 were not read yet."},
		"record": {func(ctx context.Context, data *providerData, baseURL string) diag.Diagnostics {
			record := newRecord(t, baseURL)
			record.Timeouts = objectOf(t, recordState(), "timeouts", recordTimeoutsModel{Read: types.StringValue("2h")})
			_, diags := refreshRecordModel(ctx, t, data, record)
			return diags
		}, "Reading the instance was canceled"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			server := instancetest.New(t, instancetest.WithDefault(instancetest.Func(func(_ http.ResponseWriter, r *http.Request) {
				cancel()
				<-r.Context().Done()
			})))
			began := time.Now()
			diags := test.read(ctx, newTestData(t, providerModel{RequestTimeout: types.StringValue("1h")}, retryModel{}), server.URL())
			requireDiagnostic(t, diags, "Error: Read canceled", test.part)
			if took := time.Since(began); took > time.Minute { // hours, if it went on
				t.Errorf("it took %s", took)
			}
		})
	}
}
