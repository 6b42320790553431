package provider

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// good answers with a document, whatever the path.
var good = instancetest.Body(200, "application/json", instancetest.Newer().JSON())

// baseURLsUnder returns base URLs under one origin, with the keys key000, key001, ...
func baseURLsUnder(origin string, count int) map[string]string {
	baseURLs := make(map[string]string)
	for i := range count {
		key := fmt.Sprintf("key%03d", i)
		baseURLs[key] = origin + "/" + key
	}
	return baseURLs
}

func allowFailures(model *instancesModel) { model.AllowFailures = types.BoolValue(true) }

// Members share a request for one instance, and are in the order of their keys.
func TestFleetMembers(t *testing.T) {
	t.Parallel()
	members, diags := fleetMembers(mapOf(map[string]string{
		"d": "http://h.example", "c": "HTTP://H.example:80//", "b": "http://other.example", "a": "http://h.example:080",
	}))
	requireNoDiagnostics(t, diags)
	var keys [][]string
	for _, member := range members {
		keys = append(keys, member.keys)
	}
	if diff := cmp.Diff([][]string{{"a", "c", "d"}, {"b"}}, keys); diff != "" {
		t.Errorf("the keys of the members differ, want (-), got (+):\n%s", diff)
	}
	for count, want := range map[int]string{20: `"key018", "key019"`, 25: `"key018", "key019", and 5 more`} {
		if got := quoted(slices.Sorted(maps.Keys(baseURLsUnder("http://h", count)))); !strings.HasSuffix(got, want) {
			t.Errorf("%d keys in a warning end %q, want %q", count, got, want)
		}
	}
}

// Nothing is read: an invalid URL is no failure that is allowed.
func TestFleetWithAnInvalidURL(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	_, diags := readInstances(t.Context(), t, newTestData(t, providerModel{}, retryModel{}),
		map[string]string{"good": server.URL(), "bad": "https://me:hunter2@h.example"}, allowFailures)
	requireDiagnostic(t, diags, "Error: Invalid base URL", `base_urls["bad"] has user info`)
	requireNoTexts(t, textOf(diags), "hunter2")
	if got := len(server.Requests()); got != 0 {
		t.Errorf("%d requests, want none", got)
	}
}

// A warning lists at most 20 keys, and each remedy once.
func TestFleetWarning(t *testing.T) {
	t.Parallel()
	failed := func(key string, failure client.Failure) *fleetMember {
		return &fleetMember{
			baseURL: address.BaseURL{Written: "http://" + key}, keys: []string{key},
			err: &client.ReadError{URL: "http://" + key + "/instance", Attempts: 2, Failure: &failure},
		}
	}
	large := failed("a", client.Failure{Kind: client.KindLargeHead, Reason: "the head is too large"})
	refused := client.Failure{Kind: client.KindConnect, Reason: "connection refused"}
	got := fleetWarning(map[string]*fleetMember{"a": large, "b": failed("b", refused), "c": failed("c", refused)}, 4, fleetRead)
	requireDiagnostic(t, diag.Diagnostics{got}, `Warning: Instances could not be read: "a" (http://a) (and 2 more)`)
	want := "3 of 4 could not be read. As allow_failures is true, they are in errors and not in instances:\n" +
		"  - \"a\": GET http://a/instance: the head is too large (2 attempts)\n" +
		"  - \"b\": GET http://b/instance: connection refused (2 attempts)\n" +
		"  - \"c\": GET http://c/instance: connection refused (2 attempts)\n\n" +
		"For 1 of them: Check that the base URL names an instance. If it does, check what the proxy in front of it adds to its responses, such as cookies.\n\n" +
		"For 2 of them: " + "Check the host and port in the base URL, that the instance is running, and that no firewall blocks the connection." + "\n\nFor 2 of them: " + useRecord
	if got.Detail() != want {
		t.Errorf("the detail is\n%s\n\nwant\n%s", got.Detail(), want)
	}

	alone := fleetWarning(map[string]*fleetMember{"a": large}, 4, fleetRead)
	requireNoTexts(t, alone.Detail(), "For 1 of them")
	many := make(map[string]*fleetMember)
	for i := range 25 {
		key := fmt.Sprintf("key%03d", i)
		many[key] = failed(key, client.Failure{Kind: client.KindWebPage, RedirectedTo: "http://login/" + key})
	}
	got = fleetWarning(many, 30, fleetRead)
	requireDiagnostic(t, diag.Diagnostics{got}, `Warning: Instances could not be read: "key000" (http://key000) (and 24 more)`,
		"\n  - \"key019\": ", "\n  - and 5 more\n\nFor 25 of them: The base URL redirects", "For 25 of them: If that is a login page")
	requireNoTexts(t, got.Detail(), "key020")
}

// There is an error for each key, in their order, each at its own.
func TestFleetErrors(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Status(404)))
	data, baseURLs := newTestData(t, providerModel{}, retryModel{}), baseURLsUnder(server.URL(), 20)
	_, got := readInstances(t.Context(), t, data, baseURLs, func(*instancesModel) {})
	if len(got) != 20 {
		t.Errorf("%d errors, want 20", len(got))
	}
	for i, one := range got {
		key := fmt.Sprintf("key%03d", i)
		requireDiagnostic(t, diag.Diagnostics{one}, "Error at base_urls[\""+key+"\"]: Instance answered with status 404",
			"\nInstance \""+key+"\": GET "+server.URL()+"/"+key+"/instance: status 404", "To read the others without it, set allow_failures = true.")
	}
}

// No answer comes until as many requests are under way as may be.
func TestFleetConcurrency(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		maxConcurrency types.Number
		want           int64
	}{
		"3":       {numberOf(3), 3},
		"default": {types.NumberNull(), 32},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var running atomic.Int64
			all := make(chan struct{})
			release := sync.OnceFunc(func() { close(all) })
			tooFew := time.AfterFunc(10*time.Second, func() {
				t.Errorf("only %d requests are under way after 10 s, want %d: max_concurrency is too low", running.Load(), test.want)
				release()
			})
			defer tooFew.Stop()
			server := instancetest.New(t, instancetest.WithDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
				if running.Add(1) == test.want {
					time.AfterFunc(50*time.Millisecond, release) // one too many would come meanwhile
				}
				<-all
				running.Add(-1)
				good(s, w, r)
			}))
			_, diags := readInstances(t.Context(), t, newTestData(t, providerModel{RequestTimeout: types.StringValue("1m")}, retryModel{}),
				baseURLsUnder(server.URL(), 50), func(model *instancesModel) { model.MaxConcurrency = test.maxConcurrency })
			requireNoDiagnostics(t, diags)
			if got := server.PeakRequests(); got > int(test.want) {
				t.Errorf("%d requests at once, want %d", got, test.want)
			}
		})
	}
}

// One instance gets no answer, and keeps the one place.
func TestFleetMembersThatAreNotReadInTimeAreFailures(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Silent()))
	state, diags := readInstances(t.Context(), t, newTestData(t, providerModel{}, retryModel{}),
		map[string]string{"a": server.URL() + "/a", "b": server.URL() + "/b"}, func(model *instancesModel) {
			allowFailures(model)
			model.MaxConcurrency, model.Timeouts = numberOf(1), readTimeouts(types.StringValue("2s"))
		})
	if want := mapOf(map[string]string{"a": "no response in time", "b": "no response in time"}); !state.Errors.Equal(want) {
		t.Errorf("errors is %s, want %s", state.Errors, want)
	}
	if want := types.MapValueMust(listedInstanceType, nil); !state.Instances.Equal(want) {
		t.Errorf("instances is %s, want %s", state.Instances, want)
	}
	requireDiagnostic(t, diags, fmt.Sprintf("Warning: Instances could not be read: \"a\" (%s/a) (and 1 more)", server.URL()),
		"/instance: connected, but no response in time (1 attempt)\n",
		"/instance: no request was made before the time for the read ran out (0 attempts)\n",
		"For 1 of them: Check that the instance is up and can be reached. If it is only slow, raise timeouts.read.",
		"For 1 of them: Raise timeouts.read, or max_concurrency so that more instances are asked at once.")
}

// There is one warning of each kind, with the keys of each instance, which is asked once. A failure hides none.
func TestFleetWarnings(t *testing.T) {
	t.Parallel()
	shared := instancetest.New(t, instancetest.WithDocument(doubtful))
	a := shared.URL()
	b := instancetest.New(t, instancetest.WithDocument(doubtful)).URL()
	failing := instancetest.New(t, instancetest.WithDefault(instancetest.Status(404))).URL()
	state, diags := readInstances(t.Context(), t, newTestData(t, providerModel{}, retryModel{}),
		map[string]string{"a": a, "a2": a + "/", "b": b, "c": failing}, allowFailures)
	if len(diags) != 2 {
		t.Fatalf("%d diagnostics, want 2:\n%s", len(diags), textOf(diags))
	}
	requireDiagnostic(t, diags[:1], fmt.Sprintf("Warning: Instances could not be read: \"c\" (%s)", failing))
	requireDiagnostic(t, diags[1:], fmt.Sprintf("Warning: Expiry options shorter than a minute: \"a\" (%s)", a),
		"\n\n\"a\", \"a2\"\n  - recommendedExpireTimes[0] (\"30 minutes\"): 30\n\n\"b\"\n  - recommendedExpireTimes[0] (\"30 minutes\"): 30\n\n")
	want := detailsOf(t, doubtful).values()
	want["base_url"] = types.StringValue(a + "/") // as it is written
	if diff := cmp.Diff(types.ObjectValueMust(listedInstanceType.AttrTypes, want), state.Instances.Elements()["a2"]); diff != "" {
		t.Errorf("instances[\"a2\"] differs, want (-), got (+):\n%s", diff)
	}
	if got := len(shared.Requests()); got != 1 {
		t.Errorf("%d requests of the instance with two keys, want 1", got)
	}
}
