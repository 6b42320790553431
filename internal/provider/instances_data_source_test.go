package provider

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const instancesName = "filetransfer_instances"

// fastRetry keeps the delays between attempts short.
var fastRetry = map[string]tftypes.Value{
	"retry": tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"max_attempts": tftypes.Number, "min_delay": tftypes.String, "max_delay": tftypes.String,
	}}, map[string]tftypes.Value{
		"max_attempts": tftypes.NewValue(tftypes.Number, 2), "min_delay": text("1ms"), "max_delay": text("2ms"),
	}),
}

// fleet is the outcome of reading filetransfer_instances.
type fleet struct {
	instances map[string]tftypes.Value
	errors    map[string]string
	failures  []*tfprotov6.Diagnostic
	warnings  []*tfprotov6.Diagnostic
}

func readFleet(ctx context.Context, t *testing.T, provider, arguments map[string]tftypes.Value) fleet {
	t.Helper()
	server := newProtocolServer(t, New("test")(), provider)
	state, diagnostics := server.readAll(ctx, t, instancesName, configOf(t, instancesType(), arguments))
	var got fleet
	for _, diagnostic := range diagnostics {
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			got.failures = append(got.failures, diagnostic)
		} else {
			got.warnings = append(got.warnings, diagnostic)
		}
	}
	if len(got.failures) > 0 {
		return got
	}
	attributes := attributesOf(t, state, instancesType())
	got.instances = elementsOf(t, attributes["instances"])
	got.errors = make(map[string]string)
	for key, value := range elementsOf(t, attributes["errors"]) {
		got.errors[key] = textOf(t, value)
	}
	return got
}

func keyPath(key string) string {
	return fmt.Sprintf("base_urls[%q]", key)
}

func TestInstancesKeepTheCallersKeysAndURLs(t *testing.T) {
	t.Parallel()
	older := instancetest.New(t, instancetest.WithDocument(instancetest.Older()))
	newer := instancetest.New(t, instancetest.WithDocument(instancetest.Newer()))

	got := readFleet(t.Context(), t, nil, map[string]tftypes.Value{"base_urls": texts(map[string]string{
		"older": older.URL(), "with slash": newer.URL() + "/", "same": strings.ToUpper(newer.URL()),
	})})

	if len(got.failures) > 0 || len(got.warnings) > 0 || len(got.errors) > 0 {
		t.Fatalf("failures %v, warnings %v, errors %v, want none", got.failures, got.warnings, got.errors)
	}
	wantMerge := map[string]int64{"older": 10, "with slash": 50, "same": 50}
	wantURL := map[string]string{"older": older.URL(), "with slash": newer.URL() + "/", "same": strings.ToUpper(newer.URL())}
	if keys := slices.Sorted(maps.Keys(got.instances)); !slices.Equal(keys, slices.Sorted(maps.Keys(wantURL))) {
		t.Fatalf("keys %v, want those of base_urls", keys)
	}
	for key, value := range got.instances {
		instance := elementsOf(t, value)
		if url := textOf(t, instance["base_url"]); url != wantURL[key] {
			t.Errorf("%s: base_url %q, want %q as written", key, url, wantURL[key])
		}
		if !instance["max_transfers_in_merge"].Equal(int64Value(wantMerge[key])) {
			t.Errorf("%s: max_transfers_in_merge %s, want %d", key, instance["max_transfers_in_merge"], wantMerge[key])
		}
		if _, ok := instance["response_body"]; ok {
			t.Errorf("%s has a response_body", key)
		}
	}
	if n := len(newer.Requests()); n != 1 {
		t.Errorf("%d requests for two keys of one effective URL, want 1", n)
	}
}

// brokenFleet is 40 instances of which three fail: refused, status 500, not
// JSON. It returns the reason that each key must give.
func brokenFleet(t *testing.T) (baseURLs, reasons map[string]string) {
	t.Helper()
	good := instancetest.New(t, instancetest.WithDefault(instancetest.Body(200, "application/json", instancetest.Newer().JSON())))
	failing := instancetest.New(t, instancetest.WithDefault(instancetest.Status(500)))
	web := instancetest.New(t, instancetest.WithDefault(instancetest.Body(200, "text/html", "<h1>Welcome</h1>")))
	baseURLs = map[string]string{
		"failing": failing.URL(),
		"refused": "http://" + instancetest.ReserveAddress(t),
		"web":     web.URL(),
	}
	for i := len(baseURLs); i < 40; i++ {
		baseURLs[fmt.Sprintf("good%02d", i)] = fmt.Sprintf("%s/%02d", good.URL(), i)
	}
	return baseURLs, map[string]string{
		"failing": `^GET http://127\.0\.0\.1:\d+/instance: status 500 Internal Server Error: `,
		"refused": `^GET http://127\.0\.0\.1:\d+/instance: connection refused$`,
		"web":     `^GET http://127\.0\.0\.1:\d+/instance: the body is not JSON: .*text/html.*Welcome`,
	}
}

func TestInstancesAllowFailures(t *testing.T) {
	t.Parallel()
	baseURLs, reasons := brokenFleet(t)
	arguments := map[string]tftypes.Value{"base_urls": texts(baseURLs), "allow_failures": tftypes.NewValue(tftypes.Bool, true)}

	got := readFleet(t.Context(), t, fastRetry, arguments)

	if len(got.failures) > 0 {
		t.Fatalf("failures %+v, want none", got.failures)
	}
	if len(got.instances) != 37 {
		t.Errorf("%d instances, want 37", len(got.instances))
	}
	if len(got.errors) != len(reasons) {
		t.Errorf("errors %v, want those of %v", got.errors, slices.Sorted(maps.Keys(reasons)))
	}
	if len(got.warnings) != 1 || got.warnings[0].Summary != "Instances could not be read" {
		t.Fatalf("warnings %+v, want one", got.warnings)
	}
	for key, reason := range reasons {
		if !regexp.MustCompile(reason).MatchString(got.errors[key]) {
			t.Errorf("errors[%q] is %q, want %s", key, got.errors[key], reason)
		}
		if !strings.Contains(got.warnings[0].Detail, fmt.Sprintf("%q: %s", key, got.errors[key])) {
			t.Errorf("the warning does not list %q: %s", key, got.warnings[0].Detail)
		}
	}
	// The texts end up in plans: they must not change from run to run.
	if again := readFleet(t.Context(), t, fastRetry, arguments); !maps.Equal(again.errors, got.errors) {
		t.Errorf("errors changed from %v to %v", got.errors, again.errors)
	}
}

func TestInstancesWarningOfManyFailures(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t) // which knows none of these paths
	baseURLs := make(map[string]string)
	for i := range maxListed + 5 {
		baseURLs[fmt.Sprintf("key%02d", i)] = fmt.Sprintf("%s/%d", server.URL(), i)
	}
	got := readFleet(t.Context(), t, nil, map[string]tftypes.Value{
		"base_urls": texts(baseURLs), "allow_failures": tftypes.NewValue(tftypes.Bool, true),
	})
	mustEqual(t, "the number of errors", len(got.errors), maxListed+5)
	if len(got.warnings) != 1 {
		t.Fatalf("%d warnings, want one", len(got.warnings))
	}
	list := got.warnings[0].Detail
	mustEqual(t, "the number of keys listed", strings.Count(list, `"key`), maxListed)
	if !strings.HasPrefix(list, "25 of 25 could not be read") || !strings.Contains(list, "\n  - and 5 more\n\nCheck the path of base_url") || strings.Count(list, "Check the path") != 1 {
		t.Errorf("the warning is not short for many: %s", list)
	}
}

// TestInstancesWarningCountsKeys: a list is cut only where that makes it
// shorter, and what counts are keys, as users know no other names.
func TestInstancesWarningCountsKeys(t *testing.T) {
	t.Parallel()
	good, bad := instancetest.New(t), instancetest.New(t, instancetest.WithDefault(instancetest.Status(404)))
	keys := func(n int, baseURL func(i int) string) args {
		baseURLs := make(args)
		for i := range n {
			baseURLs[fmt.Sprintf("key%02d", i)] = baseURL(i)
		}
		return baseURLs
	}
	own := func(i int) string { return fmt.Sprintf("%s/%d", bad.URL(), i) }
	shared := func(int) string { return bad.URL() }
	tests := map[string]struct {
		baseURLs args
		begins   string
		listed   int
		more     string // "" for none
	}{
		"as many as are listed":         {keys(20, own), "20 of 20 could not be read.", 20, ""},
		"one more than is listed":       {keys(21, own), "21 of 21 could not be read.", 20, "\n  - and 1 more\n"},
		"one URL":                       {keys(2, shared).with(args{"other": good.URL()}), "2 of 3 could not be read.", 2, ""},
		"one URL, one more than listed": {keys(21, shared), "21 of 21 could not be read.", 20, "\n  - and 1 more\n"},
		"one URL that is read":          {args{"a": good.URL(), "b": good.URL() + "/", "key": bad.URL()}, "1 of 3 could not be read.", 1, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, _ := configure(t.Context(), t, nil)
			got := readWithin(t.Context(), t, server, instancesName, args{"base_urls": test.baseURLs, "allow_failures": true})
			if len(got.told) != 1 {
				t.Fatalf("want one warning:\n%s", got.told)
			}
			detail := got.told[0].Detail
			mustEqual(t, "the number of keys listed", strings.Count(detail, `"key`), test.listed)
			if !strings.HasPrefix(detail, test.begins) || !strings.Contains(detail, test.more) || test.more == "" && strings.Contains(detail, " more") {
				t.Errorf("want %q and %q:\n%s", test.begins, test.more, detail)
			}
		})
	}
}

// A failure that is allowed hides no doubt about another instance.
func TestInstancesWarnOfDoubtsBesideFailures(t *testing.T) {
	t.Parallel()
	broken := instancetest.New(t, instancetest.WithDefault(instancetest.Status(404)))
	suspicious := instancetest.New(t, instancetest.WithDocument(instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{
		instancetest.OlderEntry("half an hour?", 30), instancetest.NewerEntry("1 hour", 3600).With("value", 61),
	})))
	server, _ := configure(t.Context(), t, nil)

	got := readWithin(t.Context(), t, server, instancesName, args{
		"base_urls": args{"broken": broken.URL(), "suspicious": suspicious.URL()}, "allow_failures": true,
	})

	entry := suspicious.URL() + "/instance\n  - recommendedExpireTimes"
	got.told.must(t,
		expected{warning: true, summary: "Instances could not be read", says: []string{"1 of 2 could not be read", `"broken": GET ` + broken.URL()}},
		expected{warning: true, summary: "Expiry options shorter than a minute", says: []string{entry + "[0]"}},
		expected{warning: true, summary: "Expiry entries contradict themselves", says: []string{entry + "[1]"}},
	)
}

func TestInstancesReportEveryFailure(t *testing.T) {
	t.Parallel()
	baseURLs, reasons := brokenFleet(t)

	got := readFleet(t.Context(), t, fastRetry, map[string]tftypes.Value{"base_urls": texts(baseURLs)})

	if len(got.failures) != len(reasons) {
		t.Fatalf("%d errors, want %d: %+v", len(got.failures), len(reasons), got.failures)
	}
	for i, key := range slices.Sorted(maps.Keys(reasons)) {
		failure := got.failures[i]
		if at := path.Root("base_urls").AtMapKey(key).String(); at != keyPath(key) || failure.Attribute.String() != `AttributeName("base_urls").ElementKeyString("`+key+`")` {
			t.Errorf("error %d is on %s, want %s", i, failure.Attribute, at)
		}
		if !strings.HasPrefix(failure.Detail, fmt.Sprintf("Instance %q: GET %s/instance", key, baseURLs[key])) {
			t.Errorf("the error does not name %q and its URL: %s", key, failure.Detail)
		}
	}
}

func TestInstancesBadURLFailsInAnyCase(t *testing.T) {
	t.Parallel()
	good := instancetest.New(t)

	got := readFleet(t.Context(), t, nil, map[string]tftypes.Value{
		"base_urls":      texts(map[string]string{"good": good.URL(), "bad": "https://user:hunter22@example.org"}),
		"allow_failures": tftypes.NewValue(tftypes.Bool, true),
	})

	if len(got.failures) != 1 || !strings.Contains(got.failures[0].Detail, `base_urls["bad"] is not usable. The base URL has user info`) {
		t.Fatalf("failures %+v, want one on base_urls[\"bad\"]", got.failures)
	}
	if strings.Contains(got.failures[0].Detail, "hunter22") {
		t.Errorf("the error prints the password: %s", got.failures[0].Detail)
	}
	if n := len(good.Requests()); n != 0 {
		t.Errorf("%d requests were made, want none", n)
	}
}

// All URLs may stand on one line of the configuration, which Terraform prints
// for an error on any of them.
func TestInstancesErrorBesideASecretSitsOnNoAttribute(t *testing.T) {
	t.Parallel()
	null := tftypes.NewValue(tftypes.String, nil)
	for name, neighbor := range map[string]tftypes.Value{"bad URL": text("nope"), "null": null} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newProtocolServer(t, New("test")())
			config := configOf(t, instancesType(), map[string]tftypes.Value{
				"base_urls": tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{
					"a": text("https://user:hunter22@example.org"), "b": neighbor,
				}),
			})
			resp, err := server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: instancesName, Config: &config})
			if err != nil {
				t.Fatal(err)
			}
			if len(resp.Diagnostics) != 2 {
				t.Fatalf("diagnostics %+v, want two", resp.Diagnostics)
			}
			for _, diagnostic := range resp.Diagnostics {
				if diagnostic.Attribute != nil {
					t.Errorf("the error sits on %s", diagnostic.Attribute)
				}
				if !strings.Contains(diagnostic.Detail, `base_urls["`) {
					t.Errorf("the error names no key: %s", diagnostic.Detail)
				}
			}
		})
	}
}

func TestInstancesConcurrencyIsBounded(t *testing.T) {
	t.Parallel()
	const bound = 3
	server := instancetest.New(t, instancetest.WithDefault(
		instancetest.Delay(2*time.Millisecond, instancetest.Body(200, "application/json", instancetest.Newer().JSON()))))
	baseURLs := make(map[string]string)
	for i := range 60 {
		baseURLs[fmt.Sprint(i)] = fmt.Sprintf("%s/%d", server.URL(), i)
	}

	got := readFleet(t.Context(), t, nil, map[string]tftypes.Value{
		"base_urls": texts(baseURLs), "max_concurrency": int64Value(bound),
	})

	if len(got.instances) != len(baseURLs) {
		t.Fatalf("%d instances, want %d: %+v", len(got.instances), len(baseURLs), got.failures)
	}
	if peak := server.PeakRequests(); peak > bound {
		t.Errorf("%d requests at once, want at most %d", peak, bound)
	}
}

// With one place, an instance that waits for its second attempt must not keep
// it: all the others are read in the meantime.
func TestInstancesDelayHoldsNoPlace(t *testing.T) {
	t.Parallel()
	document := instancetest.Body(200, "application/json", instancetest.Newer().JSON())
	server := instancetest.New(t, instancetest.WithScript(instancetest.Status(503)), instancetest.WithDefault(document))
	baseURLs := make(map[string]string)
	for i := range 20 {
		baseURLs[fmt.Sprint(i)] = fmt.Sprintf("%s/%d", server.URL(), i)
	}
	retry := map[string]tftypes.Value{"retry": tftypes.NewValue(fastRetry["retry"].Type(), map[string]tftypes.Value{
		"max_attempts": int64Value(2), "min_delay": text("1s"), "max_delay": text("1s"),
	})}

	got := readFleet(t.Context(), t, retry, map[string]tftypes.Value{
		"base_urls": texts(baseURLs), "max_concurrency": int64Value(1),
	})

	if len(got.instances) != len(baseURLs) {
		t.Fatalf("%d instances, want %d: %+v", len(got.instances), len(baseURLs), got.failures)
	}
	requests := server.Requests()
	if first, last := requests[0].Path, requests[len(requests)-1].Path; first != last {
		t.Errorf("the instance that failed first was %s, the last one read %s: others waited for its delay", first, last)
	}
}

func TestInstancesSlowOneDelaysOnlyItself(t *testing.T) {
	t.Parallel()
	silent := instancetest.New(t, instancetest.WithDefault(instancetest.Silent()))
	good := instancetest.New(t, instancetest.WithDefault(instancetest.Body(200, "application/json", instancetest.Newer().JSON())))
	baseURLs := map[string]string{"a-silent": silent.URL()}
	for i := range 20 {
		baseURLs[fmt.Sprint(i)] = fmt.Sprintf("%s/%d", good.URL(), i)
	}

	got := readFleet(t.Context(), t, nil, map[string]tftypes.Value{
		"base_urls":       texts(baseURLs),
		"max_concurrency": int64Value(2),
		"allow_failures":  tftypes.NewValue(tftypes.Bool, true),
		"timeouts": tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"read": tftypes.String}},
			map[string]tftypes.Value{"read": text("2s")}),
	})

	if len(got.instances) != 20 {
		t.Errorf("%d instances, want the 20 good ones: %+v", len(got.instances), got.failures)
	}
	want := "GET " + silent.URL() + "/instance: no response in time"
	if len(got.errors) != 1 || got.errors["a-silent"] != want {
		t.Errorf("errors %v, want %q under a-silent", got.errors, want)
	}
}

// Whether an instance was asked in vain, or never had its turn, is a race: the
// texts must not tell.
func TestInstancesErrorsOfAStarvedFleet(t *testing.T) {
	t.Parallel()
	// Whichever is asked first gets no answer, and keeps the one place.
	instance := instancetest.New(t, instancetest.WithScript(instancetest.Silent()),
		instancetest.WithDefault(instancetest.Body(200, "application/json", instancetest.Newer().JSON())))
	server, _ := configure(t.Context(), t, nil)

	got := readWithin(t.Context(), t, server, instancesName, args{
		"base_urls":       args{"a": instance.URL() + "/a", "b": instance.URL() + "/b"},
		"max_concurrency": 1, "allow_failures": true, "timeouts": args{"read": "500ms"},
	})

	mustEqual(t, "errors", got.errors(), map[string]string{
		"a": "GET " + instance.URL() + "/a/instance: no response in time",
		"b": "GET " + instance.URL() + "/b/instance: no response in time",
	})
}

// What waits for its turn at one origin, which is asked 32 times at once at
// most, keeps no place from another origin.
func TestInstancesOriginsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	const atOnce = 32
	document := instancetest.Body(200, "application/json", instancetest.Newer().JSON())
	var held atomic.Int32
	full, released := make(chan struct{}), make(chan struct{})
	await := func(r *http.Request, until chan struct{}) {
		select {
		case <-until:
		case <-r.Context().Done():
		}
	}
	slow := instancetest.New(t, instancetest.WithDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
		if held.Add(1) == atOnce {
			close(full)
		}
		await(r, released)
		document(s, w, r)
	}))
	// The first attempt ends only when all that the slow origin takes is under
	// way, so that the second one needs a place after all the others.
	other := instancetest.New(t, instancetest.WithScript(
		func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
			await(r, full)
			instancetest.Status(503)(s, w, r)
		},
		func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
			close(released)
			document(s, w, r)
		},
	))
	baseURLs := args{"other": other.URL()}
	for i := range 2 * atOnce {
		baseURLs[fmt.Sprint(i)] = fmt.Sprintf("%s/%d", slow.URL(), i)
	}
	server, _ := configure(t.Context(), t, impatient(2).with(inTime))

	got := readWithin(t.Context(), t, server, instancesName, args{
		"base_urls": baseURLs, "max_concurrency": 2 * atOnce, "timeouts": args{"read": "20s"},
	})

	if len(got.told) > 0 {
		t.Fatalf("want all of them:\n%s", got.told)
	}
	mustEqual(t, "the number of requests", len(slow.Requests())+len(other.Requests()), 2*atOnce+2)
}

func TestInstancesCancellationEndsTheRead(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	step := instancetest.Step(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
		cancel()
		instancetest.Silent()(s, w, r)
	})
	server := instancetest.New(t, instancetest.WithDefault(step))

	got := readFleet(ctx, t, nil, map[string]tftypes.Value{
		"base_urls":      texts(map[string]string{"a": server.URL(), "b": server.URL() + "/b"}),
		"allow_failures": tftypes.NewValue(tftypes.Bool, true),
	})

	if len(got.failures) != 1 || got.failures[0].Summary != "Read cancelled" {
		t.Errorf("failures %+v, want the cancellation alone", got.failures)
	}
}

func TestInstancesWaitUntilReady(t *testing.T) {
	t.Parallel()
	starting := instancetest.New(t, instancetest.WithDocument(instancetest.Newer()),
		instancetest.WithScript(instancetest.Status(404), instancetest.Body(200, "text/html", "soon"), instancetest.Reset(), instancetest.Status(503)))

	got := readFleet(t.Context(), t, fastRetry, map[string]tftypes.Value{
		"base_urls": texts(map[string]string{"starting": starting.URL()}), "wait_until_ready": tftypes.NewValue(tftypes.Bool, true),
	})

	if len(got.instances) != 1 {
		t.Errorf("the instance was not waited for: %+v", got.failures)
	}
	if n := len(starting.Requests()); n != 5 {
		t.Errorf("%d requests, want 5", n)
	}
}

func TestInstancesHeadersGoToEveryInstance(t *testing.T) {
	t.Parallel()
	servers := map[string]*instancetest.Server{
		"a": instancetest.New(t, instancetest.WithRequiredHeader("X-Token", "s3cret-token")),
		"b": instancetest.New(t, instancetest.WithRequiredHeader("X-Token", "s3cret-token")),
	}
	provider := map[string]tftypes.Value{
		"base_url":        text(servers["a"].URL()),
		"request_headers": texts(map[string]string{"x-provider": "only for a"}),
	}

	got := readFleet(t.Context(), t, provider, map[string]tftypes.Value{
		"base_urls":       texts(map[string]string{"a": servers["a"].URL(), "b": servers["b"].URL()}),
		"request_headers": texts(map[string]string{"x-token": "s3cret-token"}),
	})

	if len(got.instances) != len(servers) {
		t.Fatalf("%d instances, want %d: %+v", len(got.instances), len(servers), got.failures)
	}
	for key, server := range servers {
		sent := server.Requests()[0].Header.Get("X-Provider")
		if (sent != "") != (key == "a") {
			t.Errorf("%s was sent the provider's header %q: it is for the origin of the provider's base_url only", key, sent)
		}
	}
}

func TestInstancesWarnOncePerKind(t *testing.T) {
	t.Parallel()
	suspicious := instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{
		instancetest.OlderEntry("half an hour?", 30), instancetest.OlderEntry("an hour?", 59),
	})
	a := instancetest.New(t, instancetest.WithDocument(suspicious))
	b := instancetest.New(t, instancetest.WithDocument(suspicious))

	got := readFleet(t.Context(), t, nil, map[string]tftypes.Value{
		"base_urls": texts(map[string]string{"a": a.URL(), "b": b.URL()}),
	})

	if len(got.warnings) != 1 {
		t.Fatalf("%d warnings, want one for all: %+v", len(got.warnings), got.warnings)
	}
	for _, want := range []string{a.URL() + "/instance", b.URL() + "/instance", `recommendedExpireTimes[0] ("half an hour?"): 30`, `recommendedExpireTimes[1] ("an hour?"): 59`} {
		if !strings.Contains(got.warnings[0].Detail, want) {
			t.Errorf("the warning does not name %s: %s", want, got.warnings[0].Detail)
		}
	}
}

func TestInstancesValidation(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arguments map[string]tftypes.Value
		want      string
	}{
		"no instance":         {map[string]tftypes.Value{"base_urls": texts(nil)}, "at least 1"},
		"null URL":            {map[string]tftypes.Value{"base_urls": tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{"a": tftypes.NewValue(tftypes.String, nil)})}, "null"},
		"bad URL":             {map[string]tftypes.Value{"base_urls": texts(map[string]string{"a": "ftp://example.org"})}, "not http or https"},
		"no concurrency":      {map[string]tftypes.Value{"base_urls": texts(map[string]string{"a": "https://example.org"}), "max_concurrency": int64Value(0)}, "a whole number from 1 to 256"},
		"half a request":      {map[string]tftypes.Value{"base_urls": texts(map[string]string{"a": "https://example.org"}), "max_concurrency": tftypes.NewValue(tftypes.Number, big.NewFloat(2.5))}, "max_concurrency is 2.5."},
		"too much at once":    {map[string]tftypes.Value{"base_urls": texts(map[string]string{"a": "https://example.org"}), "max_concurrency": int64Value(257)}, "a whole number from 1 to 256"},
		"header of the other": {map[string]tftypes.Value{"base_urls": texts(map[string]string{"a": "https://example.org"}), "request_headers": texts(map[string]string{"Content-Length": "1"})}, "the provider sets this header itself"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newProtocolServer(t, New("test")())
			config := configOf(t, instancesType(), test.arguments)
			resp, err := server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: instancesName, Config: &config})
			if err != nil {
				t.Fatal(err)
			}
			if len(resp.Diagnostics) != 1 || !strings.Contains(resp.Diagnostics[0].Detail, test.want) {
				t.Errorf("diagnostics %+v, want one with %q", resp.Diagnostics, test.want)
			}
		})
	}
}

// TestErrorsComeInTheOrderOfTheKeys: as often as it is asked, the CLI says the
// same.
func TestErrorsComeInTheOrderOfTheKeys(t *testing.T) {
	t.Parallel()
	keys := make([]string, 0, 30)
	for i := range cap(keys) {
		keys = append(keys, fmt.Sprintf("key%02d", i))
	}
	all := func(value any) args {
		elements := make(args)
		for _, key := range keys {
			elements[key] = value
		}
		return elements
	}
	good := args{"a": "https://files.example.org"}
	tests := map[string]struct {
		arguments args
		source    string
		detail    string
	}{
		"bad URLs":    {args{"base_urls": all("ftp://files.example.org")}, "base_urls", "not http or https"},
		"secret URLs": {args{"base_urls": all("https://hunter2@files.example.org")}, "base_urls", "user info"},
		"null URLs":   {args{"base_urls": all(nil)}, "base_urls", "is null"},
		"null headers": {
			args{"base_urls": good, "request_headers": all(nil)}, "request_headers", "the value is null",
		},
		"bad headers": {
			args{"base_urls": good, "request_headers": all("a\nb")}, "request_headers", "line break",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newProtocolServer(t, New("test")())
			config := dynamicValue(t, valueOf(t, instancesType(), test.arguments))
			resp, err := server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: instancesName, Config: &config})
			if err != nil {
				t.Fatal(err)
			}
			mustEqual(t, "the number of errors", len(resp.Diagnostics), len(keys))
			for i, one := range resp.Diagnostics {
				if !strings.Contains(one.Detail, fmt.Sprintf("%s[%q]", test.source, keys[i])) || !strings.Contains(one.Detail, test.detail) {
					t.Fatalf("error %d is not about %s:\n%s", i, keys[i], diagnostics(resp.Diagnostics))
				}
			}
		})
	}
}

// TestInstancesUnknownProviderArguments: what one instance of the fleet needs
// and is only known after apply puts off the whole read, whatever failures are
// allowed.
func TestInstancesUnknownProviderArguments(t *testing.T) {
	t.Parallel()
	plain, another, secure := instancetest.New(t), instancetest.New(t), instancetest.New(t, instancetest.WithTLS())
	unknownTLS := args{"ca_cert_pem": unknown{}, "insecure": unknown{}}
	tests := map[string]struct {
		provider args
		other    string // the URL of the second instance
		needs    string // the arguments named; "" where the read works
	}{
		"not needed":             {unknownTLS.with(args{"base_url": unknown{}}), another.URL(), ""},
		"needed by one":          {unknownTLS, secure.URL(), "ca_cert_pem, insecure"},
		"needed behind redirect": {unknownTLS, redirectingTo(t, secure), "ca_cert_pem, insecure"},
		"needed by both":         {args{"request_timeout": unknown{}}, another.URL(), "request_timeout"},
	}
	for name, test := range tests {
		for _, deferral := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, deferral %v", name, deferral), func(t *testing.T) {
				t.Parallel()
				server, faults := configure(t.Context(), t, test.provider)
				faults.must(t)
				config := dynamicValue(t, valueOf(t, instancesType(), args{
					"base_urls": args{"plain": plain.URL(), "other": test.other}, "allow_failures": true,
				}))
				resp, err := server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
					TypeName: instancesName, Config: &config,
					ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: deferral},
				})
				if err != nil {
					t.Fatal(err)
				}
				var want []expected
				if test.needs != "" && !deferral {
					want = []expected{{summary: "Provider configuration not known yet", says: []string{"the provider's " + test.needs + " is only known after apply"}}}
				}
				diagnostics(resp.Diagnostics).must(t, want...)
				if deferred := resp.Deferred != nil; deferred != (test.needs != "" && deferral) {
					t.Errorf("deferred: %v", resp.Deferred)
				}
				if test.needs == "" {
					instances := elementsOf(t, attributesOf(t, resp.State, instancesType())["instances"])
					mustEqual(t, "the number of instances", len(instances), 2)
				}
			})
		}
	}
}
